"""What lies in a folder beside files: links in circles, pipes, sockets, folders named like files, strange names."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).resolve().parents[2]
GOOD = "sglang serve --model-path m --page_size 64\n"
FIXED = GOOD.replace("page_size", "page-size")
NOBODY = 65534


def run(folder: Path, *words: str) -> subprocess.CompletedProcess[bytes]:
    env = {**os.environ, "PYTHONPATH": str(ROOT), "PYTHONDONTWRITEBYTECODE": "1"}
    done = subprocess.run(
        [sys.executable, "-m", "speclint", *words],
        cwd=folder, env=env, stdin=subprocess.DEVNULL, capture_output=True, timeout=900, check=False,
    )  # fmt: skip
    assert b"Traceback" not in done.stderr
    assert b"internal error" not in done.stderr
    return done


def found(done: subprocess.CompletedProcess[bytes]) -> list[str]:
    return sorted({finding["filename"] for finding in json.loads(done.stdout)})


CHECK = ("check", "--isolated", "--select", "SGL101", "--output-format", "json")
FIX = ("check", "--isolated", "--select", "SGL101", "--fix")


def test_links_in_circles(tmp_path: Path) -> None:
    (tmp_path / "a.sh").write_text(GOOD)
    (tmp_path / "self.sh").symlink_to("self.sh")
    (tmp_path / "one.sh").symlink_to("two.sh")
    (tmp_path / "two.sh").symlink_to("one.sh")
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder/up").symlink_to("..")
    (tmp_path / "gone.sh").symlink_to("nowhere")
    done = run(tmp_path, *CHECK)
    assert (done.returncode, found(done)) == (1, ["a.sh"])
    done = run(tmp_path, *CHECK, "self.sh", "gone.sh", "a.sh")
    assert (done.returncode, found(done)) == (2, ["a.sh"])
    assert b"self.sh: " in done.stderr
    assert b"gone.sh: " in done.stderr


def test_scripts_that_source_each_other(tmp_path: Path) -> None:
    (tmp_path / "a.sh").write_text(f". ./b.sh\n. ./a.sh\n{GOOD}")
    (tmp_path / "b.sh").write_text(f"source a.sh\n. b.sh\n{GOOD}")
    done = run(tmp_path, *CHECK)
    assert (done.returncode, found(done)) == (1, ["a.sh", "b.sh"])


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no pipes here")
def test_pipes_sockets_and_folders_are_no_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a.sh").write_text(GOOD)
    os.mkfifo(tmp_path / "pipe.sh")
    (tmp_path / "folder.sh").mkdir()
    (tmp_path / "null.sh").symlink_to("/dev/null")
    (tmp_path / "zero.py").symlink_to("/dev/zero")
    # A path in the folder would be too long for a socket where the folder of the tests is deep.
    with socket.socket(socket.AF_UNIX) as listening:
        monkeypatch.chdir(tmp_path)
        listening.bind("socket.sh")
        done = run(tmp_path, *CHECK)
        assert (done.returncode, found(done), done.stderr) == (1, ["a.sh"], b"")
        run(tmp_path, *FIX)
    assert (tmp_path / "a.sh").read_text() == FIXED


@pytest.mark.skipif(sys.platform != "linux", reason="names of files are text here")
def test_names_that_are_no_text(tmp_path: Path) -> None:
    names = [b"\xff\xfe.sh", b"a\nb.sh", b"-x.sh", b"a b.sh", b"\x1b[31m.sh", "\u202e.sh".encode()]
    for name in names:
        Path(os.fsdecode(os.path.join(os.fsencode(tmp_path), name))).write_text(GOOD)
    done = run(tmp_path, *CHECK)
    assert done.returncode == 1
    assert len(json.loads(done.stdout)) == len(names)
    for form in ("text", "concise", "github", "sarif", "gitlab", "junit", "rdjson", "markdown"):
        done = run(tmp_path, "check", "--isolated", "--select", "SGL101", "--output-format", form)
        assert done.returncode == 1, form
        assert b"\x1b[31m" not in done.stdout, form
    run(tmp_path, *FIX)
    for name in names:
        assert Path(os.fsdecode(os.path.join(os.fsencode(tmp_path), name))).read_text() == FIXED


def test_bytes_that_are_no_text(tmp_path: Path) -> None:
    (tmp_path / "zero.sh").write_bytes(GOOD.encode() + b"\0" + GOOD.encode())
    (tmp_path / "latin.sh").write_bytes(b"# caf\xe9\n" + GOOD.encode())
    (tmp_path / "wide.sh").write_bytes(GOOD.encode("utf-16"))
    (tmp_path / "a.sh").write_text(GOOD)
    before = {name: (tmp_path / name).read_bytes() for name in ("zero.sh", "wide.sh")}
    done = run(tmp_path, *CHECK)
    assert found(done)[0] == "a.sh"
    run(tmp_path, *FIX)
    assert {name: (tmp_path / name).read_bytes() for name in before} == before
    assert (tmp_path / "latin.sh").read_bytes().startswith(b"# caf\xe9\n")


# The super-user may write everywhere, so another one is taken on once all modules are there to be used.
AS_NOBODY = """\
import os, pkgutil, sys
import speclint
from speclint.cli import main
for module in pkgutil.walk_packages(speclint.__path__, "speclint."):
    if not module.name.endswith("__main__"):
        try:
            __import__(module.name)
        except ImportError:
            pass  # it is for an extra that is not installed
for words in (["check", "--isolated", "--output-format", "json", "."], ["check", "--isolated", "--fix", "a.sh"]):
    os.chdir(sys.argv[1])
    main(words)
sys.stdout.flush()
os.chdir(sys.argv[2])
try:
    os.setgid(int(sys.argv[3]))
    os.setuid(int(sys.argv[3]))
except PermissionError:
    sys.exit(77)
print("----", flush=True)
sys.exit(main(sys.argv[4:]))
"""


@pytest.fixture
def locked() -> Iterator[Path]:
    """A folder that nobody may write to, with a file that nobody may read."""
    with tempfile.TemporaryDirectory() as top:
        os.chmod(top, 0o755)
        folder = Path(top, "locked")
        for made in (folder, Path(top, "warm")):
            made.mkdir()
            (made / "a.sh").write_text(GOOD)
            (made / "secret.sh").write_text(GOOD)
        (folder / "secret.sh").chmod(0)
        folder.chmod(0o555)
        yield folder
        folder.chmod(0o755)


@pytest.mark.skipif(not hasattr(os, "geteuid"), reason="there are no such users here")
def test_a_folder_that_may_not_be_written_to(locked: Path) -> None:
    user = NOBODY if os.geteuid() == 0 else os.geteuid()
    try:
        os.chown(locked / "a.sh", user, -1)  # the file is his own
    except PermissionError:
        pytest.skip("this super-user may not give files away")

    def nobody(*words: str) -> subprocess.CompletedProcess[bytes]:
        warm = str(locked.parent / "warm")
        done = subprocess.run(
            [sys.executable, "-c", AS_NOBODY, warm, str(locked), str(user), *words],
            env={**os.environ, "PYTHONPATH": str(ROOT)}, capture_output=True, timeout=900, check=False,
        )  # fmt: skip
        if done.returncode == 77:
            pytest.skip("this super-user may not become another one")
        assert b"Traceback" not in done.stderr
        assert b"internal error" not in done.stderr
        done.stdout = done.stdout.partition(b"----\n")[2]
        return done

    done = nobody(*CHECK)
    assert (done.returncode, found(done)) == (2, ["a.sh"])
    assert b"secret.sh: cannot be read: Permission denied" in done.stderr
    done = nobody(*FIX, "a.sh")
    assert done.returncode == 2
    assert b"a.sh: Permission denied" in done.stderr
    assert (locked / "a.sh").read_text() == GOOD
    assert sorted(os.listdir(locked)) == ["a.sh", "secret.sh"]


def test_a_file_that_changes_while_it_is_fixed_keeps_the_change(tmp_path: Path) -> None:
    (tmp_path / "a.sh").write_text(GOOD)
    script = """\
import sys
from speclint.fix import apply
real = apply.fix_file
def changed(file, *rest, **more):
    fixed = real(file, *rest, **more)
    with open("a.sh", "a") as other:
        other.write("# added meanwhile\\n")
    return fixed
apply.fix_file = changed
from speclint import fixing
if hasattr(fixing, "fix_file"):
    fixing.fix_file = changed
from speclint.cli import main
sys.exit(main(sys.argv[1:]))
"""
    env = {**os.environ, "PYTHONPATH": str(ROOT)}
    subprocess.run([sys.executable, "-c", script, *FIX, "a.sh"], cwd=tmp_path, env=env, check=False, timeout=900)
    assert (tmp_path / "a.sh").read_text().endswith("# added meanwhile\n")
