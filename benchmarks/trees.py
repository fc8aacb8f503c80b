"""The trees that are measured: made of a seed, so that they are the same everywhere."""

from __future__ import annotations

import ast
import os
import random
import sysconfig
import warnings

MODELS = (
    "Qwen/Qwen3-8B",
    "deepseek-ai/DeepSeek-V3.2",
    "meta-llama/Llama-3.1-70B-Instruct",
    "Qwen/Qwen3-Next-80B-A3B-Instruct",
    "openai/gpt-oss-120b",
)
_EXTRA = (
    ("--context-length", "32768"),
    ("--max-running-requests", "128"),
    ("--cuda-graph-max-bs", "64"),
    ("--trust-remote-code",),
    ("--enable-metrics",),
    ("--disable-radix-cache",),
    ("--chunked-prefill-size", "4096"),
    ("--attention-backend", "fa3"),
    ("--dp", "2"),
    ("--enable-dp-attention",),
    ("--schedule-conservativeness", "0.3"),
)


def options(chance: random.Random) -> list[tuple[str, ...]]:
    """The options of a launch, some of them such that a rule speaks."""
    found: list[tuple[str, ...]] = [
        ("--model-path", chance.choice(MODELS)),
        ("--tp", str(chance.choice((1, 2, 4, 8)))),
        ("--port", "30000"),
        ("--mem-fraction-static", f"0.{chance.randint(70, 92)}"),
        *chance.sample(_EXTRA, chance.randint(2, 6)),
    ]
    if chance.random() < 0.6:
        found.append(("--speculative-algorithm", chance.choice(("EAGLE", "EAGLE3", "NEXTN"))))
        found.append(("--speculative-num-steps", str(chance.randint(1, 5))))
        found.append(("--speculative-eagle-topk", str(chance.choice((1, 1, 4)))))
        found.append(("--speculative-num-draft-tokens", str(chance.choice((2, 4, 8)))))
    return found


def shell(chance: random.Random) -> str:
    """A script with a launch."""
    lines = " \\\n".join("    " + " ".join(option) for option in options(chance))
    return (
        "#!/usr/bin/env bash\nset -euo pipefail\n\nLOG=/var/log/server.log\n"
        f'python3 -m sglang.launch_server \\\n{lines} \\\n    > "$LOG" 2>&1 &\n'
        "for i in $(seq 1 60); do\n  if curl -sf localhost:30000/health; then break; fi\n  sleep 5\ndone\nwait\n"
    )


def manifest(chance: random.Random) -> str:
    """A Deployment with a launch."""
    words = "\n".join(f'            - "{word}"' for option in options(chance) for word in option)
    name = f"server-{chance.randint(0, 99999)}"
    return (
        f"apiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: {name}\nspec:\n  selector:\n    matchLabels:\n"
        f"      app: {name}\n  template:\n    metadata:\n      labels:\n        app: {name}\n    spec:\n"
        "      containers:\n        - name: server\n          image: lmsysorg/sglang:v0.5.23\n"
        f'          command: ["python3", "-m", "sglang.launch_server"]\n          args:\n{words}\n'
        "          ports:\n            - containerPort: 30000\n"
    )


def module(chance: random.Random) -> str:
    """A Python function with a launch."""
    words = "\n".join(f"        {word!r}," for option in options(chance) for word in option)
    return (
        "import subprocess\nimport sys\n\n\n"
        f"def start_{chance.randint(0, 10**9)}(timeout=600.0):\n"
        f'    command = [\n        sys.executable,\n        "-m",\n        "sglang.launch_server",\n{words}\n    ]\n'
        "    return subprocess.Popen(command)\n\n\n"
    )


def page(chance: random.Random) -> str:
    """A page of documentation with a launch."""
    return f"# Serving\n\nHow to start it.\n\n```bash\n{shell(chance)}```\n"


KINDS = {".sh": shell, ".yaml": manifest, ".py": module, ".md": page}


def library() -> list[tuple[str, bytes]]:
    """Real text without launches: the modules of Python's own library, without what only tests it."""
    root = sysconfig.get_paths()["stdlib"]
    found = []
    for folder, folders, names in os.walk(root):
        folders[:] = sorted(set(folders) - {"site-packages", "__pycache__", "test", "tests"})
        for name in sorted(names):
            if name.endswith(".py"):
                with open(os.path.join(folder, name), "rb") as stream:
                    found.append((os.path.relpath(os.path.join(folder, name), root), stream.read()))
    return found


def _parses(text: bytes) -> bool:
    """Whether Python takes a module: some of its library are there to be refused."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            ast.parse(text)
    except (SyntaxError, ValueError):
        return False
    return True


def mixed(root: str, size: int, seed: int = 7) -> None:
    """A tree of ``size`` files, of which one in a hundred holds a launch and another one only names SGLang."""
    chance = random.Random(seed)
    modules = library()
    for number in range(size):
        folder = os.path.join(root, f"part{number % 40}", f"of{number % 7}")
        name, text = modules[number % len(modules)]
        suffix = chance.choice((".py", ".py", ".yaml", ".sh", ".md", ".json"))
        if number % 100 == 0:
            suffix = tuple(KINDS)[number // 100 % len(KINDS)]
            text = KINDS[suffix](chance).encode()
        elif number % 100 == 50:
            text += b"\n# served by sglang, elsewhere\n"
        elif suffix == ".json":
            text = b'{"name": "x", "values": [' + b"1, " * 500 + b"1]}\n"
        write(os.path.join(folder, f"{number}-{os.path.basename(name).removesuffix('.py')}{suffix}"), text)


# What SGLang's own modules say of it without starting it.
_SAID = (
    "from sglang.srt.utils import get_bool_env_var\n",
    "from sglang.srt.server_args import ServerArgs\n\n\ndef _size(server_args: ServerArgs):\n    return server_args\n",
    "from sglang.launch_server import run_server\n\n\ndef launch_server(args):\n    run_server(args)\n",
    "import sglang\n\n\ndef _check(mode):\n    if mode:\n"
    "        raise ValueError('sglang: --attention-backend is not known')\n",
    "from sglang.srt.environ import envs\n\n\ndef _facts(tp_size):\n    return {'tp_size': tp_size, 'page_size': 1}\n",
)


def naming(root: str, size: int, seed: int = 13) -> None:
    """A tree of ``size`` modules that all name SGLang, as its own do; one in forty starts it."""
    chance = random.Random(seed)
    modules = [(name, text) for name, text in library()[:size] if _parses(text)]
    for number in range(size):
        name, text = modules[number % len(modules)]
        said = module(chance) if number % 40 == 0 else chance.choice(_SAID)
        path = os.path.join(root, f"part{number % 20}", f"{number}-{os.path.basename(name)}")
        # Behind the text: what has to stand first in a module stays first.
        write(path, text + b"\n\n" + said.encode())


def full(root: str, size: int, seed: int = 11) -> None:
    """A tree of ``size`` files that hold a launch each."""
    chance = random.Random(seed)
    for number in range(size):
        suffix = tuple(KINDS)[number % len(KINDS)]
        write(os.path.join(root, f"part{number % 10}", f"{number}{suffix}"), KINDS[suffix](chance).encode())


def huge(root: str, seed: int = 5) -> None:
    """Files of one and of four parts, each with one launch: ``NAME-1`` and ``NAME-4``, of 10, 5 and 50 MB."""
    chance = random.Random(seed)
    script = "".join(
        f'NAME_{n}="value {n}"\nif [ -n "$NAME_{n}" ]; then\n  echo "$NAME_{n}"\nfi\n' for n in range(34_000)
    )
    code = "".join(
        f"def function_{n}(a, b=None):\n    value = [a, {n}, b]\n    return value\n\n\n" for n in range(17_000)
    )
    map_ = "".join(
        f"---\nkind: ConfigMap\nmetadata:\n  name: n{n}\ndata:\n  key: value\n  more: [1, 2]\n" for n in range(160_000)
    )
    for times in (1, 4):
        write(os.path.join(root, f"script-{times}.sh"), (shell(chance) + script * times).encode())
        write(os.path.join(root, f"module-{times}.py"), (module(chance) + code * times).encode())
        write(os.path.join(root, f"manifest-{times}.yaml"), (manifest(chance) + map_ * times).encode())


def hostile(root: str) -> None:
    """Files on which something that is not linear would not end, of one and of four parts."""
    launch = "python3 -m sglang.launch_server --model-path a/b"
    for times in (1, 4):
        count = 12_500 * times
        sets = "".join(f"A{n}=$A{n - 1}\n" for n in range(1, count))
        write(os.path.join(root, f"assignments-{times}.sh"), f"{sets}{launch} --tp $A{count - 1}\n".encode())
        sets = "".join(f"a{n} = a{n - 1}\n" for n in range(1, count))
        call = f"subprocess.run(['python', '-m', 'sglang.launch_server', a{count - 1}])"
        code = f"import subprocess\na0 = '2'\n{sets}{call}\n"
        write(os.path.join(root, f"assignments-{times}.py"), code.encode())
        write(os.path.join(root, f"words-{times}.sh"), (launch + " --tp 2" * count + "\n").encode())
        # Each of them is a launch with a finding, and all of these are on one line.
        line = "; ".join(f"{launch} --tp two --port {30_000 + n}" for n in range(250 * times))
        write(os.path.join(root, f"line-{times}.sh"), f"{line}\n".encode())
        write(os.path.join(root, f"flow-{times}.yaml"), ("a: [" + f'"{launch}", ' * (count // 10) + "1]\n").encode())
        nested = "(" * (50 * times) + launch + ")" * (50 * times) + "\n"
        write(os.path.join(root, f"nested-{times}.sh"), nested.encode())


def write(path: str, text: bytes) -> None:
    """Write a file, and the folders that it lies in."""
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "wb") as stream:
        stream.write(text)
