"""Which parts of scripts a launch needs, so that no others are followed."""

from __future__ import annotations

from speclint.hosts.bounds import MAX_WORDS
from speclint.hosts.shell.survey import NAME_IN_BYTES
from speclint.hosts.shell.trigger import LAUNCH, LAUNCH_IN_BYTES
from speclint.lean import pattern
from speclint.value import Joined, Known, OneOf

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from tree_sitter import Node

    from speclint.hosts.shell.survey import Part
    from speclint.hosts.shell.syntax import Syntax
    from speclint.value import Value

TRIGGER = pattern(LAUNCH)
_TELLING = pattern(rb"(?:^|[\s;&|({])(?:source|\.)[ \t]|" + LAUNCH.encode())
# Variables by which a server is told what to do, though no option reads them.
_TOLD = pattern(r"SGL|CUDA_|NCCL_|HIP_|ROC|TORCH|PYTORCH|TRITON|FLASH|DG_|HF_")
# What every function begins with, and an empty array.
_FUNCTION = pattern(rb"\([\s\\]*\)|\bfunction\b")
_GIVING = frozenset(("variable_assignment", "for_statement", "c_style_for_statement", "function_definition"))
_WORD = pattern(rb"[\w.-]+")


class Need:
    """Which parts of some scripts have to be followed, by what all of them say together; told when it is asked for."""

    __slots__ = ("_called", "_every", "_followed", "_launching", "_names", "_ready", "_scripts", "_tainted")

    def __init__(self, scripts: Iterable[Syntax], tainted: Iterable[str] = (), every: bool = False) -> None:
        """``tainted``: names that hold what tells a launch. ``every``: so may any text, for some of it is not here."""
        self._scripts = tuple(scripts)
        self._tainted = frozenset(tainted)
        self._every = every
        self._ready = False
        self._launching: set[str] = set()
        self._followed: set[str] = set()
        self._names: set[str] = set()
        self._called: set[str] = set()

    def _tell(self) -> None:
        if self._ready:
            return
        self._ready = True
        surveys = [script.survey for script in self._scripts]
        functions = {name: part for survey in surveys for name, part in survey.functions.items()}
        given = [item for survey in surveys for item in survey.given]
        names = _tainted(given, set(self._tainted))
        launching = {
            n for n, p in functions.items() if self._every or p.triggers or p.opaque or not names.isdisjoint(p.reads)
        }
        _close(launching, functions)
        tops = [survey.top for survey in surveys]
        followed = set(launching)
        size = -1
        while size != len(followed):
            size = len(followed)
            parts = [*tops, *(functions[name] for name in followed)]
            needed = {name for part in parts for name in _needed(part, names, followed)}
            _read_by(needed, given)
            followed.update(
                n for n, p in functions.items() if not p.sets.isdisjoint(needed) or any(map(_TOLD.match, p.sets))
            )
            _close(followed, functions)
        self._launching = launching
        self._followed = followed
        self._names = names | launching
        self._called = {name for part in (*tops, *functions.values()) for name in part.calls}

    def launches(self, name: str) -> bool:
        """Whether a function may start a launch, whoever calls it."""
        self._tell()
        return name in self._launching

    def matters(self, name: str) -> bool:
        """Whether a function may start a launch or set what one reads."""
        self._tell()
        return name in self._followed

    def last(self, statements: Sequence[Node]) -> int:
        """The index of the last of the statements of a script that may start a launch, -1 for none.

        A function that may start one and that nobody calls sees what all of them set.
        """
        if not self._is_plain(statements):
            self._tell()
        if not self._launching <= self._called:
            return len(statements) - 1
        for index in range(len(statements) - 1, -1, -1):
            node = statements[index]
            if node.type == "comment":
                continue
            text = node.text or b""
            if _TELLING.search(text) or (self._names and not self._names.isdisjoint(_names_in(text))):
                return index
        return -1

    def _is_plain(self, statements: Sequence[Node]) -> bool:
        """Whether there is no function and no name that holds a part of a launch: then nothing has to be gathered."""
        if self._ready or self._every or self._tainted or len(self._scripts) != 1:
            return False
        script = self._scripts[0]
        return not script.has(_FUNCTION) and not any(_gives(node, script) for node in statements)


def _gives(node: Node, script: Syntax) -> bool:
    """Whether a name may be given a part of a launch in a statement."""
    todo = [node]
    while todo:
        node = todo.pop()
        if node.type == "comment" or not script.tells(node):
            continue
        if node.type in _GIVING or node.named_child_count > MAX_WORDS:
            return True
        todo.extend(node.named_children)
    return False


def tells(value: Value) -> bool:
    """Whether a value may hold what tells a launch."""
    if isinstance(value, OneOf):
        return any(tells(arm) for arm in value.arms)
    if isinstance(value, Joined):
        return any(tells(part) for part in value.parts)
    text = value.text if isinstance(value, Known) else value.prefix
    return text is not None and TRIGGER.search(text.text) is not None


def _needed(part: Part, tainted: set[str], followed: set[str]) -> Iterator[str]:
    """The names that decide what a part starts."""
    yield from part.tests
    for run in part.runs:
        if run.triggers or run.name in followed or run.name in ("set", "shift") or not tainted.isdisjoint(run.reads):
            yield from run.reads


def _read_by(names: set[str], given: list[tuple[str, bytes]]) -> None:
    """Add the names that the values of these are made from."""
    size = -1
    while size != len(names):
        size = len(names)
        names.update(name for key, text in given if key in names for name in _read(text))


def _close(names: set[str], functions: dict[str, Part]) -> None:
    """Add those that call one of them."""
    size = -1
    while size != len(names):
        size = len(names)
        names.update(name for name, part in functions.items() if not names.isdisjoint(part.calls))


def _tainted(given: list[tuple[str, bytes]], names: set[str]) -> set[str]:
    """The names that may hold a part of a launch that tells it."""
    names |= {name for name, text in given if LAUNCH_IN_BYTES.search(text)}
    size = -1
    while size != len(names):
        size = len(names)
        names.update(name for name, text in given if name not in names and not names.isdisjoint(_read(text)))
    return names


def _names_in(text: bytes) -> Iterator[str]:
    return (found.decode() for found in _WORD.findall(text))


def _read(text: bytes) -> Iterator[str]:
    return (found.decode() for found in NAME_IN_BYTES.findall(text)) if b"$" in text else iter(())
