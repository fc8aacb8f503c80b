"""``python -m benchmarks [NAME ...]``: see the package."""

from __future__ import annotations

import argparse
import importlib.util
import multiprocessing
import os
import shutil
import sys
import tempfile

from benchmarks import inside, trees
from benchmarks.measure import Run, alternate

TYPE_CHECKING = False
if TYPE_CHECKING:
    from benchmarks.measure import Cost

PYTHON = sys.executable
HERE = os.path.dirname(os.path.abspath(__file__))


class Bench:
    """The measurements: what each is compared with, and the ratio that is aimed at."""

    def __init__(self, folder: str, times: int, files: int) -> None:
        self.folder = folder
        self.times = times
        self.files = files
        # The installed command where there is one, since that is what people wait for.
        script = os.path.join(os.path.dirname(PYTHON), "speclint")
        self.speclint = (script,) if os.path.exists(script) else (PYTHON, "-m", "speclint")

    def tell(self, what: str, cost: Cost, base: Cost, goal: str) -> None:
        """One row of the table."""
        cpu, wall, peak = cost.cpu / base.cpu, cost.wall / base.wall, cost.peak / base.peak
        print(f"{what:<58}{cpu:>8.2f}{wall:>8.2f}{peak:>8.2f}  {cost.cpu * 1000:>8.0f} ms  {goal}", flush=True)

    def compare(self, what: str, words: tuple[str, ...], other: tuple[str, ...], where: str, goal: str) -> None:
        """One command against another in a folder."""
        cost, base = alternate([Run(words, where), Run(other, where)], self.times)
        self.tell(what, cost, base, goal)

    def tree(self, name: str) -> str:
        """A folder of the measured trees, made when it is first asked for."""
        path = os.path.join(self.folder, name)
        if not os.path.isdir(path):
            make = {
                "mixed": lambda: trees.mixed(path, self.files),
                "tenth": lambda: trees.mixed(path, self.files // 10),
                "tenfold": lambda: [trees.mixed(os.path.join(path, str(n)), self.files // 10) for n in range(10)],
                "naming": lambda: trees.naming(path, max(self.files // 5, 40)),
                "full": lambda: trees.full(path, max(self.files // 20, 40)),
                "small": lambda: trees.full(path, 4, seed=3),
                "huge": lambda: trees.huge(path),
                "hostile": lambda: trees.hostile(path),
                "plain": lambda: [
                    trees.write(os.path.join(path, f"{n}.py"), text)
                    for n, (_, text) in enumerate(trees.library()[:1000])
                ],
            }
            # In a process of its own: a command begins with the peak of the process that starts it.
            worker = multiprocessing.get_context("fork").Process(target=make[name])
            worker.start()
            worker.join()
            if worker.exitcode:
                raise RuntimeError(f"the tree {name!r} could not be made")
        return path

    def start(self) -> None:
        """What an editor and a hook wait for."""
        where = self.tree("small")
        files = {os.path.splitext(name)[1]: name for _, _, names in os.walk(where) for name in names}
        paths = {name: folder for folder, _, names in os.walk(where) for name in names}
        base = (PYTHON, "-c", "pass")
        self.compare("python -c 'import argparse'", (PYTHON, "-c", "import argparse"), base, where, "(for comparison)")
        self.compare("speclint --version", (*self.speclint, "--version"), base, where, "<= 2.0")
        for suffix, goal in ((".sh", "3.5"), (".yaml", "4.5"), (".py", "3.5")):
            path = os.path.join(paths[files[suffix]], files[suffix])
            self.compare(f"one {suffix} file with a launch", (*self.speclint, path), base, where, f"<= {goal}")

    def whole(self) -> None:
        """A tree in which few files hold a launch."""
        where = self.tree("mixed")
        floor = (PYTHON, "-I", os.path.join(HERE, "floor.py"), where)
        told = f"{self.files} files, one in 100 with a launch"
        self.compare(f"{told}, one process / floor", (*self.speclint, "-j1", "."), floor, where, "<= 1.6")
        self.compare(f"{told}, two processes / floor", (*self.speclint, "-j2", "."), floor, where, "wall <= 1.0")
        others = {
            "ruff": (("ruff", "check", "--select", "E9,F7", "--no-cache", "-q", "."), "<= 0.45"),
            "rg": (("rg", "-l", "sglang", "."), "(for comparison)"),
            "semgrep": (
                # Without a look for newer versions, which waits where there is no network.
                ("semgrep", "--metrics=off", "--disable-version-check", "-q", "--lang=generic", "-e", "sglang", "."),
                "<= 0.05",
            ),
        }
        for name, (words, goal) in others.items():
            tool = shutil.which(name) or shutil.which(name, path=os.path.dirname(PYTHON))
            if tool is None:
                print(f"{told} / {name}: not measured, {name} is not installed")
            else:
                what = f"{told} / {name}"
                self.compare(what, (*self.speclint, "-j1", "."), (tool, *words[1:]), where, goal)

    def worst(self) -> None:
        """A tree in which every file names SGLang, as SGLang's own do."""
        where = self.tree("naming")
        floor = (PYTHON, "-I", os.path.join(HERE, "floor.py"), where)
        self.compare("every file names SGLang, one process / floor", (*self.speclint, "-j1", "."), floor, where, "<= 6")

    def growth(self) -> None:
        """Ten times the files."""
        runs = [Run((*self.speclint, "-j1", "."), self.tree(name)) for name in ("tenfold", "tenth")]
        cost, base = alternate(runs, self.times)
        self.tell(f"{self.files} files / {self.files // 10} files", cost, base, "<= 10.5, peak <= 1.3")

    def launches(self) -> None:
        """A tree in which every file holds a launch, against parsing its files and doing nothing else."""
        where = self.tree("full")
        parse = (PYTHON, os.path.join(HERE, "parse.py"), where)
        self.compare("every file with a launch / parsing", (*self.speclint, "-j1", "."), parse, where, "<= 3")

    def linear(self) -> None:
        """Four times the file must take four times as long."""
        for name in ("huge", "hostile"):
            where = self.tree(name)
            for small in sorted(entry for entry in os.listdir(where) if "-1." in entry):
                large = small.replace("-1.", "-4.")
                cost, base = alternate(
                    [Run((*self.speclint, "-j1", file), where, (0, 1, 2)) for file in (large, small)],
                    max(self.times // 3, 1),
                )
                size = os.path.getsize(os.path.join(where, large))
                goal = f"<= 4.4, {cost.peak * 1024 / size:.1f} x {size / 1e6:.1f} MB"
                goal += " (<= 12)" if name == "huge" else ""
                self.tell(f"{name}: {large} / {small}", cost, base, goal)

    def flake8(self) -> None:
        """flake8 on modules without a launch, with the plugin and without it."""
        if importlib.util.find_spec("flake8") is None:
            print("flake8 with the plugin / without: not measured, flake8 is not installed")
            return
        where = self.tree("plain")
        # Without the plugin: the same flake8 from which its entry point is hidden.
        with_it = (PYTHON, os.path.join(HERE, "flake8_run.py"), "with", where)
        without = (PYTHON, os.path.join(HERE, "flake8_run.py"), "without", where)
        self.compare("flake8 on 1,000 modules, with the plugin / without", with_it, without, where, "<= 1.02")

    def editor(self) -> None:
        """From an edit to what is told."""
        for name, milliseconds in inside.editing(self.times).items():
            print(f"language server: edit to diagnostics, 1,000 lines of {name:<18}{milliseconds:>8.1f} ms  <= 50 ms")


NAMES = ("start", "whole", "worst", "growth", "launches", "linear", "flake8", "editor")


def main() -> None:
    """Measure, and print the table."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description="Ratios; see benchmarks/__init__.py.")
    parser.add_argument("names", nargs="*", metavar="NAME", help=", ".join(NAMES))
    parser.add_argument("--times", type=int, default=7, help="runs of each command (default 7)")
    parser.add_argument("--files", type=int, default=20_000, help="files of the large tree (default 20,000)")
    asked = parser.parse_args()
    unknown = set(asked.names) - set(NAMES)
    if unknown:
        parser.error(f"unknown: {', '.join(sorted(unknown))}")
    print(f"{'':<58}{'cpu':>8}{'wall':>8}{'peak':>8}  {'median':>11}  goal")
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(folder, asked.times, asked.files)
        for name in asked.names or NAMES:
            getattr(bench, name)()


if __name__ == "__main__":
    main()
