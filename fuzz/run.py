"""Fuzzes a target: with atheris where it is installed, else by changing the bytes of known files.

    python fuzz/run.py [--seconds N] [--seed N] [--corpus DIR] [--inputs-to DIR] TARGET …
    python fuzz/run.py --atheris TARGET -- [CORPUS] [-max_total_time=N …]

TARGET is a host, ``fixer`` or ``all``. What breaks, and what takes longer than ten seconds, is written to a file and
told; exit 1 if anything is. Without ``--corpus`` the seeds are fixtures/ and the examples of the rules.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import random
import signal
import sys
import time
import traceback
from pathlib import Path
from typing import TYPE_CHECKING

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

from targets import TARGETS

if TYPE_CHECKING:
    from collections.abc import Callable

ROOT = Path(__file__).resolve().parent.parent
TOO_LONG = 10
LARGEST = 20_000
TOKENS = [
    *(b"sglang", b"python -m sglang.launch_server ", b"sglang serve ", b"--tp", b"--tp 4", b" \\\n", b"\n", b"\r\n"),
    *(b"$(", b")", b"${", b"}", b'"', b"'", b"`", b"<<EOF\n", b"EOF\n", b"{{", b"}}", b"{%", b"%}", b"- ", b": "),
    *(b"&a ", b"*a", b"|\n  ", b">-\n  ", b"[", b"]", b"{", b"(", b"#", b"# speclint: ignore[SGL1]", b"\t", b"\0"),
    *(b"\xff", b"\xe2\x80\xa8", b"\\", b"=", b"!!python/object/apply:os.system ", b"if true; then ", b"fi\n"),
    *(b"for i in 1 2; do ", b"done\n", b"f'{x}'", b"import sglang\n", b"sglang.Engine(model_path='m', tp_size=2)"),
    *(b"```bash\n", b"```\n", b".. code-block:: bash\n\n   ", b"$@", b'"${A[@]}"'),
]


class SlowError(Exception):
    """An input that takes too long."""


def seeds(corpus: Path | None) -> list[bytes]:
    """What inputs are made from."""
    folders = [corpus] if corpus is not None else [ROOT / "fixtures"]
    found = [path.read_bytes() for folder in folders for path in sorted(folder.rglob("*")) if path.is_file()]
    if corpus is None:
        from speclint.rules import load

        for rule in load.rules():
            found += [e["text"].encode() for kind in rule.data["examples"].values() for e in kind]
    return [seed for seed in found if len(seed) < LARGEST]


def mutated(known: list[bytes], chance: random.Random) -> bytes:
    """A seed with a few things changed."""
    data = bytearray(chance.choice(known))
    for _ in range(chance.choice((1, 1, 2, 3, 5, 10, 30))):
        at = chance.randrange(len(data) + 1)
        end = min(len(data), at + chance.choice((0, 1, 2, 5, 20, 200)))
        kind = chance.randrange(7)
        if kind == 0:
            data[at:end] = b""
        elif kind == 1:
            data[at:at] = chance.choice(TOKENS)
        elif kind == 2:
            data[at:end] = chance.choice(TOKENS)
        elif kind == 3:
            data[at:at] = data[at:end] * chance.choice((1, 2, 50))
        elif kind == 4:
            other = chance.choice(known)
            start = chance.randrange(len(other) + 1)
            data[at:at] = other[start : start + chance.choice((10, 100, 1000))]
        elif kind == 5:
            data[at : at + 1] = bytes([chance.randrange(256)])
        else:
            del data[at:]
        del data[LARGEST:]
    return bytes(data)


def failed(target: Callable[[bytes], None], data: bytes) -> str | None:
    """What a target does that it must not."""

    def slow(*_: object) -> None:
        raise SlowError

    signal.signal(signal.SIGVTALRM, slow)
    signal.setitimer(signal.ITIMER_VIRTUAL, TOO_LONG)
    try:
        target(data)
    except SlowError:
        return f"took more than {TOO_LONG} seconds"
    except Exception:
        return traceback.format_exc()
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
    return None


def fuzz(name: str, seconds: float, chance: random.Random, known: list[bytes], kept: Path) -> tuple[int, int]:
    """How many inputs were tried, and how many broke something."""
    tried = broken = 0
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        data = mutated(known, chance)
        if name == "fixer":
            data = bytes([chance.randrange(3)]) + data
        elif b"sglang" not in data:
            data += b"\nsglang serve --model-path m\n"
        tried += 1
        told = failed(TARGETS[name], data)
        if told is not None:
            broken += 1
            path = kept / f"{name}-{hashlib.sha256(data).hexdigest()[:12]}"
            path.write_bytes(data)
            print(f"{name}: {path}: {told}", flush=True)
    return tried, broken


def _parted(words: list[str]) -> tuple[list[str], list[str]]:
    at = words.index("--") if "--" in words else len(words)
    return words[:at], words[at + 1 :]


def main() -> int:
    """Fuzz what the command line names."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("targets", nargs="+", choices=[*TARGETS, "all"], metavar="TARGET")
    parser.add_argument("--seconds", type=float, default=60, help="for each target")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--corpus", type=Path)
    parser.add_argument("--inputs-to", type=Path, default=Path("fuzz-inputs"))
    parser.add_argument("--atheris", action="store_true", help="guided by coverage; one target, and its own options")
    words, rest = _parted(sys.argv[1:])
    arguments = parser.parse_args(words)
    names = list(TARGETS) if "all" in arguments.targets else arguments.targets
    if arguments.atheris:
        import atheris

        atheris.instrument_all()
        atheris.Setup([sys.argv[0], *rest], TARGETS[names[0]])
        atheris.Fuzz()
    arguments.inputs_to.mkdir(exist_ok=True)
    known, total = seeds(arguments.corpus), 0
    for name in names:
        chance = random.Random(f"{name} {arguments.seed}")
        tried, broken = fuzz(name, arguments.seconds, chance, known, arguments.inputs_to)
        total += broken
        print(f"{name}: {tried} inputs, {broken} broke something", flush=True)
    return int(bool(total))


if __name__ == "__main__":
    sys.exit(main())
