"""Scripts that are read in with ``source``: what they define is followed, what they are is not touched."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from speclint import hosts
from speclint.config import Configs
from speclint.launch import launches
from speclint.run import Linter
from speclint.settings import Settings
from speclint.source import SourceFile
from speclint.value import Known
from speclint.worlds import default_text

LIBRARY = """\
TP=8
TOPK=4
LAUNCH="python3 -m sglang.launch_server"
COMMON=(--host 0.0.0.0 --trust-remote-code)
start() {
  local model=$1
  shift
  python3 -m sglang.launch_server --model-path "$model" "${COMMON[@]}" "$@" &
}
fixed() { python3 -m sglang.launch_server --model-path fixed; }
"""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / ".git").mkdir()
    (tmp_path / "lib").mkdir()
    (tmp_path / "run").mkdir()
    (tmp_path / "lib" / "common.sh").write_text(LIBRARY)
    return tmp_path


def argvs(path: Path, text: str) -> list[list[str | None]]:
    path.write_text(text)
    file = SourceFile(str(path), path.read_bytes())
    found = launches(hosts.read(file, "shell"))
    assert all(launch.file is file and launch.head.file is file for launch in found)
    return [["…" if w.many else default_text(w.value) for w in launch.words] for launch in found]


LAUNCH = 'python3 -m sglang.launch_server --model-path m --tp "$TP"\n'


@pytest.mark.parametrize(
    "way",
    [
        'source "$(dirname "$0")/../lib/common.sh"',
        '. "$(dirname "${BASH_SOURCE[0]}")/../lib/common.sh"',
        'source "$(dirname -- "$(readlink -f -- "$0")")/../lib/common.sh"',
        'source "${BASH_SOURCE[0]%/*}/../lib/common.sh"',
        "source ${BASH_SOURCE%/*}/../lib/common.sh",
        'D="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"\nsource "$D/../lib/common.sh"',
        'D=$(cd "$(dirname -- "$0")" >/dev/null 2>&1 && pwd -P)\nR="$(dirname "$D")"\nsource "${R}/lib/common.sh" || exit 1',
        'D="$(cd "$(dirname "$0")/.."; pwd)"\nL=$D/lib\nsource $L/common.sh',
        'D=${D:-$(cd "$(dirname "$0")" && cd .. && pwd)}\n. "$D/lib/common.sh"',
        'D="${D:-$(dirname "$0")}"\nsource "$D/../lib/common.sh"',
        'N=common\nD=`dirname $0`\nsource "$D/../lib/$N.sh"',
        'source "$(git rev-parse --show-toplevel)/lib/common.sh"',
        "source ../lib/common.sh",
        "source lib/common.sh",
        "if true; then . ./lib/common.sh; fi",
        '[ -f lib/common.sh ] && source "$(dirname "$0")/../lib/common.sh"',
    ],
)
def test_the_customary_ways_to_name_a_file(project: Path, way: str) -> None:
    assert argvs(project / "run" / "serve.sh", f"{way}\n{LAUNCH}") == [["--model-path", "m", "--tp", "8"]]


@pytest.mark.parametrize(
    "way",
    [
        'source "$DIR/common.sh"',
        "source /lib/common.sh",
        'source "$(find . -name common.sh)"',
        "source ../../outside.sh",
        'source "$(dirname "$1")/../lib/common.sh"',
        "bash ../lib/common.sh",
    ],
)
def test_what_cannot_be_read_is_not_guessed(project: Path, way: str) -> None:
    (project.parent / "outside.sh").write_text("TP=8\n")
    assert argvs(project / "run" / "serve.sh", f"{way}\n{LAUNCH}") == [["--model-path", "m", "--tp", None]]


def test_two_files_of_a_name_are_one_too_many(project: Path) -> None:
    (project / "run" / "lib").mkdir()
    (project / "run" / "lib" / "common.sh").write_text("TP=2\n")
    assert argvs(project / "run" / "serve.sh", f"source lib/common.sh\n{LAUNCH}")[0][-1] is None


def test_functions_and_arrays_of_the_file(project: Path) -> None:
    text = '. "$(dirname "$0")/../lib/common.sh"\nstart a/b --tp 2\nfixed\n$LAUNCH --model-path c "${COMMON[@]}"\n'
    assert argvs(project / "run" / "serve.sh", text) == [
        ["--model-path", "a/b", "--host", "0.0.0.0", "--trust-remote-code", "--tp", "2"],
        ["--model-path", "c", "--host", "0.0.0.0", "--trust-remote-code"],
    ]


def test_a_command_in_a_string_of_the_file(project: Path) -> None:
    """The launch is that of the statement that leads to it, in this file."""
    (project / "lib" / "common.sh").write_text(
        'IN="docker exec $NAME bash -c"\n'
        'serve() { local cmd="$IN \\"python3 -m sglang.launch_server --model-path $1 --tp 2 &\\""; run "$cmd"; }\n'
        'run() { eval "$1"; }\n'
    )
    path = project / "run" / "serve.sh"
    text = '. "$(dirname "$0")/../lib/common.sh"\n\nif ! serve a/b; then exit 1; fi\n'
    assert argvs(path, text) == [["--model-path", "a/b", "--tp", "2"]]
    (launch,) = launches(hosts.read(SourceFile(str(path), text.encode()), "shell"))
    assert launch.span.text == "serve a/b"


def test_what_a_script_says_with_bash(project: Path) -> None:
    """The words are those that bash hands to the program."""
    bash = shutil.which("bash")
    if bash is None:
        pytest.skip("no bash")
    text = '. "$(dirname "$0")/../lib/common.sh"\nstart a/b --tp 2 --x "$TOPK"\n'
    program = project / "python3"
    program.write_text("#!/bin/sh\nshift 2\nprintf '%s\\n' \"$@\"\n")
    program.chmod(0o755)
    (found,) = argvs(project / "run" / "serve.sh", text)
    env = {"PATH": f"{project}:/usr/bin:/bin"}
    told = subprocess.run(
        [bash, "-c", 'bash "$0"; wait', "run/serve.sh"], cwd=project, env=env, capture_output=True, text=True
    )
    assert told.stdout.splitlines() == found


def test_files_that_read_each_other_in(project: Path) -> None:
    for name, other in (("a", "b"), ("b", "a")):
        (project / "run" / f"{name}.sh").write_text(
            f'source "$(dirname "${{BASH_SOURCE[0]}}")/{other}.sh"\n{name.upper()}=1\n'
        )
    text = "source ./a.sh\nsource ./a.sh\nsource ./serve.sh\nsglang serve --model-path m --tp $A --dp $B\n"
    assert argvs(project / "run" / "serve.sh", text) == [["--model-path", "m", "--tp", "1", "--dp", "1"]]


def test_a_file_that_cannot_be_read_makes_certain_values_doubtful(project: Path) -> None:
    path = project / "run" / "serve.sh"
    flaw = "--speculative-algorithm EAGLE --speculative-num-steps 3 --speculative-eagle-topk $K"
    levels = []
    for way in ("", "source .env", "source ~/.bashrc", "source venv/bin/activate"):
        path.write_text(f"K=4\n{way}\npython3 -m sglang.launch_server --model-path m {flaw}\n")
        levels.append([f.level for f in check(path) if f.code == "SGL205"])
    assert levels == [["error"], ["warning"], ["error"], ["error"]]


def check(path: Path) -> list:  # type: ignore[type-arg]
    analysis = Linter(Configs(isolated=True)).analyse(
        SourceFile(str(path), path.read_bytes()), "shell", Settings(str(path.parent))
    )
    return analysis.findings


def test_a_finding_stays_in_the_file_and_names_the_other(project: Path) -> None:
    path = project / "run" / "serve.sh"
    path.write_text(
        '. "$(dirname "$0")/../lib/common.sh"\n'
        "sglang serve --model-path m --speculative-algorithm EAGLE --speculative-num-steps 3 --speculative-eagle-topk $TOPK\n"
    )
    (finding,) = [f for f in check(path) if f.code == "SGL205"]
    assert finding.span.text == "$TOPK"
    assert finding.span.file.path == str(path)
    assert [(text, span.file.path, span.text) for text, span in finding.related][:1] == [
        ("value set here", str(project / "lib" / "common.sh"), "4")
    ]
    assert finding.fix is None or all(edit.span.file is finding.span.file for edit in finding.fix.edits)


def test_nothing_is_edited_elsewhere(project: Path) -> None:
    (project / "lib" / "common.sh").write_text(
        "COMMON=(--host 0.0.0.0 --speculative-algorthm EAGLE)\nexport SGLANG_NO_SUCH=1\n"
    )
    path = project / "run" / "serve.sh"
    path.write_text('. "$(dirname "$0")/../lib/common.sh"\nsglang serve --model-path m "${COMMON[@]}"\n')
    found = check(path)
    assert {f.code for f in found} >= {"SGL101"}
    assert all(f.span.file.path == str(path) and f.fix is None for f in found)


def test_who_reads_a_variable_in_another_file_counts(project: Path) -> None:
    """A value that a sourced file reads too is not safe to change."""
    path = project / "run" / "serve.sh"
    (project / "lib" / "more.sh").write_text('use "$K"\n')
    uses = []
    for way in ("", "source lib/more.sh\n", "source lib/more.sh\nsource lib/more.sh\n"):
        path.write_text(f"K=9\n{way}sglang serve --model-path m --tp $K\n")
        (launch,) = launches(hosts.read(SourceFile(str(path), path.read_bytes()), "shell"))
        value = launch.words[-1].value
        assert isinstance(value, Known)
        uses += [step.definition.uses for step in value.steps if step.definition is not None]
    assert uses == [1, 2, 2]


def test_what_a_library_takes_away_is_not_known_to_be_gone(project: Path) -> None:
    """It does so for callers of another kind; in the script itself, gone is gone."""
    (project / "lib" / "common.sh").write_text('if [[ "$KIND" == agentic ]]; then unset LENGTH; fi\n')
    serve = "sglang serve --model-path m --context-length $LENGTH\n"
    (words,) = argvs(project / "run" / "a.sh", f"LENGTH=8192\nsource ../lib/common.sh\n{serve}")
    assert words == ["--model-path", "m", "--context-length", None]
    (words,) = argvs(project / "run" / "b.sh", f"LENGTH=8192\nunset LENGTH\n{serve}")
    assert words == ["--model-path", "m", "--context-length"]


@pytest.mark.parametrize("lines", [1, 200])
def test_a_file_of_variables_that_is_exported(project: Path, lines: int) -> None:
    (project / "run" / ".env").write_text('# of the server\nX=1\nY="a b"\nSGLANG_Z=2\n' + "# more\n" * lines)
    path = project / "run" / "serve.sh"
    more = "".join(f"log() {{ echo {i}; }}\n" for i in range(lines))
    path.write_text(f"{more}set -a; source .env; set +a\nW=3\npython3 -m sglang.launch_server --model-path m\n")
    (launch,) = launches(hosts.read(SourceFile(str(path), path.read_bytes()), "shell"))
    env = {name: default_text(value) for name, value in launch.command.env.items()}
    assert env == {"X": "1", "Y": "a b", "SGLANG_Z": "2"}
