"""A start from what an earlier one has left must be a start as ever, only quicker."""

from __future__ import annotations

import os
import pkgutil
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import speclint
from speclint import lean, prepared, preparing, process

ROOT = Path(__file__).resolve().parent.parent
SCRIPT = "python3 -m sglang.launch_server --model-path m/x --speculative-algorithm EAGLE --tp 2 --dp 4 --enable-dp\n"
LOADERS = (
    "import sys; from speclint import prepared; p = prepared.start(); import speclint.{0};"
    "print(type(speclint.{0}.__spec__.loader).__name__, speclint.{0}.__file__, sep='\\n')"
)


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A checkout of its own, and a script."""
    for folder in ("speclint", "rules"):
        ignored = shutil.ignore_patterns("__pycache__")
        shutil.copytree(ROOT / folder, tmp_path / folder, ignore=ignored, copy_function=shutil.copyfile)
    (tmp_path / "run.sh").write_text(SCRIPT)
    return tmp_path


def run(checkout: Path, *words: str) -> subprocess.CompletedProcess[str]:
    env = {**os.environ, "PYTHONPATH": str(checkout), "PYTHONDONTWRITEBYTECODE": "1"}
    return subprocess.run([sys.executable, *words], cwd=checkout, env=env, capture_output=True, text=True)


def lint(checkout: Path) -> tuple[int, str, str]:
    done = run(checkout, "-m", "speclint", "run.sh")
    return done.returncode, done.stdout, done.stderr


def kept(checkout: Path) -> Path:
    return checkout / "build" / f"prepared.{sys.implementation.cache_tag}.bin"


def test_the_second_run_tells_the_same_and_makes_nothing_itself(checkout: Path) -> None:
    first = lint(checkout)
    assert "SGL" in first[1]
    written = kept(checkout).stat()
    assert lint(checkout) == first
    again = kept(checkout).stat()
    assert (again.st_mtime_ns, again.st_ino) == (written.st_mtime_ns, written.st_ino)
    assert run(checkout, "-c", LOADERS.format("run")).stdout.splitlines() == ["_Loader", str(checkout / "speclint/run.py")]
    compiled = "import sys; from speclint import cli, process; sys.exit = print; cli._leave = lambda status: None;"
    done = run(checkout, "-c", f"{compiled} sys.argv = ['speclint', 'run.sh']; cli.main(); print(process.compiled)")
    assert done.stdout.splitlines()[-1] == "[]"


def test_a_module_that_has_changed_is_read_from_its_file(checkout: Path) -> None:
    lint(checkout)
    path = checkout / "speclint" / "finding.py"
    before = path.stat()
    text = path.read_text()
    assert '"display"' in text
    path.write_text(text.replace('"display", "unsafe"', '"played", "unsafes"', 1))  # of one size
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns + 2 * 10**9))  # some file systems know seconds only
    show = LOADERS.format("finding") + "; print(speclint.finding.APPLICABILITIES[0])"
    assert run(checkout, "-c", show).stdout.splitlines()[::2] == ["SourceFileLoader", "played"]
    assert lint(checkout)[0] == 1
    assert run(checkout, "-c", show).stdout.splitlines()[::2] == ["_Loader", "played"]


@pytest.mark.parametrize("damage", ["empty", "cut", "other", "index", "interpreter"])
def test_a_file_that_is_damaged_or_of_another_python_counts_for_nothing(checkout: Path, damage: str) -> None:
    first = lint(checkout)
    path = kept(checkout)
    raw = path.read_bytes()
    tag = sys.implementation.cache_tag or ""
    path.write_bytes(
        {
            "empty": b"",
            "cut": raw[: len(prepared.MARK) + 900],
            "other": b"x" * 1000,
            "index": raw.replace(prepared.MARK, prepared.MARK + b"x"),
            "interpreter": raw.replace(tag.encode(), b"y" * len(tag)),
        }[damage]
    )
    assert lint(checkout) == first
    assert lint(checkout) == first
    assert path.read_bytes().startswith(prepared.MARK)
    assert len(path.read_bytes()) > len(raw) // 2


def test_nothing_is_written_where_nothing_can_be(checkout: Path) -> None:
    (checkout / "build").write_text("no folder")
    first = lint(checkout)
    assert first == lint(checkout)
    assert "SGL" in first[1]
    assert first[2] == ""


def test_a_build_holds_all_modules_and_what_is_changed_later_does_not_count(checkout: Path) -> None:
    package = checkout / "speclint"
    preparing.write_all(str(package))
    for file in (*package.rglob("*.py"), package / "prepared.bin"):
        os.utime(file, (1e9, 1e9))  # put down at once, however busy the machine is
    (package / "_rules").mkdir()  # it is an installed package now
    shutil.copytree(checkout / "rules", package / "_rules", dirs_exist_ok=True)
    for name in ("run", "hosts.yaml.walk", "rules.checks.pod", "hosts.python"):
        assert run(checkout, "-c", LOADERS.format(name)).stdout.splitlines()[0] == "_Loader"
    assert lint(checkout)[0] == 1
    assert not (checkout / "build").exists()
    path = package / "run.py"
    os.utime(path, ns=(path.stat().st_atime_ns, path.stat().st_mtime_ns + 120 * 10**9))
    assert run(checkout, "-c", LOADERS.format("run")).stdout.splitlines()[0] == "SourceFileLoader"


def test_expressions_are_what_re_makes_of_them() -> None:
    import _sre

    found = pkgutil.walk_packages(speclint.__path__, "speclint.")
    names = [module.name for module in found if not module.name.endswith("__main__")]
    expressions = {expression for name in names for expression in preparing._expressions(name)}
    assert len(expressions) > 100
    for text, flags in expressions:
        made, usual = _sre.compile(*preparing._handed(text, flags)), re.compile(text, flags)
        assert made == usual
        assert (made.flags, made.groups, dict(made.groupindex)) == (usual.flags, usual.groups, dict(usual.groupindex))


def test_an_expression_whose_parts_are_damaged_is_compiled(monkeypatch: pytest.MonkeyPatch) -> None:
    for parts in (b"", b"no", preparing.dumps(("a", 0)), preparing.dumps(("a", 0, [999, 5], 0, {}, (None,)))):
        monkeypatch.setitem(process.expressions, ("a+b", 0), parts)
        assert lean.pattern("a+b").fullmatch("aab")
