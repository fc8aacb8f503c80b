"""Which parts of scripts a launch needs, so that no others are followed."""

from __future__ import annotations

from speclint.hosts.bounds import MAX_WORDS
from speclint.hosts.shell.trigger import LAUNCH
from speclint.lean import pattern
from speclint.value import Joined, Known, OneOf

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from tree_sitter import Node

    from speclint.hosts.shell.marks import Marks
    from speclint.hosts.shell.syntax import Syntax
    from speclint.value import Value

TRIGGER = pattern(LAUNCH)
_TELLING = pattern(rb"(?:^|[\s;&|({])(?:source|\.)[ \t]|" + LAUNCH.encode())
# What every function begins with, and an empty array.
_FUNCTIONS = (pattern(rb"\([\s\\]*\)"), pattern(rb"function(?<=\bfunction)\b"))
_GIVING = frozenset(("variable_assignment", "for_statement", "c_style_for_statement", "function_definition"))
_SET = pattern(rb"(?:IFS=\S*[ \t]+)?(?:set|read|mapfile|readarray)[ \t]")
_ARGUMENTS = pattern(rb"\$\{?[@*\d]")
_WORD = pattern(rb"[\w.-]+")


class Need:
    """Which parts of some scripts have to be followed, by what all of them say together; told when it is asked for."""

    __slots__ = ("_every", "_last", "_marks", "_plain", "_scripts", "_tainted")

    def __init__(self, scripts: Iterable[Syntax], tainted: Iterable[str] = (), every: bool = False) -> None:
        """``tainted``: names that hold what tells a launch. ``every``: so may any text, for some of it is not here."""
        self._scripts = tuple(dict.fromkeys(scripts))
        self._tainted = frozenset(tainted)
        self._every = every
        self._marks: Marks | None = None
        self._last: int | None = None
        self._plain: bool | None = None

    def _told(self) -> Marks:
        if self._marks is None:
            from speclint.hosts.shell.marks import Marks

            self._marks = Marks(self._scripts, self._tainted, self._every)
        return self._marks

    def narrow(self) -> bool:
        """Let what does not matter be passed over; whether it can be told what does."""
        if self._every:
            return False
        for script, spots in zip(self._scripts, self._told().spots, strict=True):
            script.wanted = spots
        return True

    def launches(self, name: str) -> bool:
        """Whether a function may start a launch, whoever calls it."""
        return name in self._told().launching

    def matters(self, name: str) -> bool:
        """Whether a function may start a launch or set what one reads."""
        return name in self._told().followed

    def last(self, statements: Sequence[Node]) -> int:
        """The index of the last of the statements of a script that may start a launch, -1 for none.

        A function that may start one and that nobody calls sees what all of them set.
        """
        if self._last is None:
            self._last = self._find_last(statements)
        return self._last

    def _find_last(self, statements: Sequence[Node]) -> int:
        names: set[str] = set()
        shifted = False
        if not self.is_plain(statements):
            marks = self._told()
            if any(not any(name in script.outline.calls for script in self._scripts) for name in marks.launching):
                return len(statements) - 1
            names = marks.tainted | marks.launching
            shifted = marks.is_given(self._scripts[0])
        for index in range(len(statements) - 1, -1, -1):
            node = statements[index]
            if node.type == "comment":
                continue
            text = node.text or b""
            if _TELLING.search(text) or (names and not names.isdisjoint(_names_in(text))):
                return index
            if shifted and _ARGUMENTS.search(text):
                return index
        return -1

    def is_plain(self, statements: Sequence[Node]) -> bool:
        """Whether there is no function and no name that holds a part of a launch: then nothing has to be gathered."""
        if self._plain is None:
            self._plain = not self._every and not self._tainted and len(self._scripts) == 1
            if self._plain:
                script = self._scripts[0]
                giving = any(map(script.has, _FUNCTIONS)) or any(_gives(node, script) for node in statements)
                self._plain = not giving
        return self._plain


def _gives(node: Node, script: Syntax) -> bool:
    """Whether a name may be given a part of a launch in a statement."""
    todo = [node]
    while todo:
        node = todo.pop()
        if node.type == "comment" or not script.tells(node):
            continue
        if node.type in _GIVING or node.named_child_count > MAX_WORDS or _SET.match(node.text or b""):
            return True
        todo.extend([child for child in node.named_children if child.named_child_count])  # a word gives nothing
    return False


def tells(value: Value) -> bool:
    """Whether a value may hold what tells a launch."""
    if isinstance(value, OneOf):
        return any(tells(arm) for arm in value.arms)
    if isinstance(value, Joined):
        return any(tells(part) for part in value.parts)
    text = value.text if isinstance(value, Known) else value.prefix
    return text is not None and TRIGGER.search(text.text) is not None


def _names_in(text: bytes) -> Iterator[str]:
    return (found.decode() for found in _WORD.findall(text))
