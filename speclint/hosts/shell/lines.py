"""``read``: the fields of a line that the text tells, and the lines that a ``while read`` goes through."""

from __future__ import annotations

from speclint.hosts.shell import feeding
from speclint.hosts.shell.printing import output_of
from speclint.lean import pattern
from speclint.text import HOLE
from speclint.value import EMPTY, Choice, Joined, Known, OneOf, Unknown, as_mapped, join
from speclint.worlds import restrict

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from tree_sitter import Node

    from speclint.hosts.shell.follower import Follower
    from speclint.value import Value

_MAX_LINES = 32
_MAX_WAYS = 32
# A `read` to the end of its input.
_UNENDED = pattern(r"read(?: -r)?(?: -d| -rd) (?:''|\"\")(?: -r)?")
_OPEN = Unknown("it is read behind a part that is not known")


class Reads:
    """A ``read NAME …``: the ``names`` that it sets, and the characters that ``separate`` fields, None for blanks.

    ``raw``: a backslash means itself.
    """

    __slots__ = ("names", "raw", "separate")

    def __init__(self, names: Sequence[str], separate: str | None, raw: bool) -> None:
        self.names = tuple(names)
        self.separate = separate
        self.raw = raw

    def takes(self, value: Value | None) -> bool:
        """Whether it is told what it makes of a text."""
        return value is not None and (self.raw or (isinstance(value, Known) and "\\" not in value.text.text))

    def fields(self, line: Value) -> list[Value]:
        """What each name is set to by a line."""
        return _fields(line, self.separate, len(self.names))


def reads(runner: Follower, node: Node) -> Reads | None:
    """What a command reads names by; None where that is not followed."""
    named = [child for child in node.named_children if child.type in ("word", "variable_name")]
    first = node.child_by_field_name("name")
    if first is None or runner.syntax.string(first) != "read":
        return None
    texts = [runner.syntax.string(child) for child in named]
    names = [text for text in texts if text != "-r"]
    if not names or not all(name.isidentifier() for name in names):
        return None
    separate = feeding.separator(runner, node)
    return None if separate == feeding.UNTOLD else Reads(names, separate, "-r" in texts)


def single(runner: Follower, node: Node) -> None:
    """``read -r a b <<< "$X"``: the names have the fields of the first line."""
    if runner.syntax.holds(node, b"-d", b"-rd"):
        _whole(runner, node)
    found = reads(runner, node)
    value = feeding.given(runner, node) if found is not None else None
    if found is not None and value is not None and found.takes(value):
        for name, field in zip(found.names, found.fields(value), strict=True):
            runner.env.assign(name, field)


def _whole(runner: Follower, node: Node) -> None:
    """``read -r -d '' X <<EOF``: the name has all that is read, without blanks around it."""
    words = [child for child in node.named_children if child.type not in ("variable_assignment", "herestring_redirect")]
    *options, name = map(runner.syntax.string, words)
    written = " ".join(options)
    found = _UNENDED.fullmatch(written)
    value = feeding.given(runner, node) if found is not None and name.isidentifier() else None
    if value is None or ("r" not in written[len("read") :] and "\\" in as_mapped(value).text):
        return
    separate = feeding.separator(runner, node)
    runner.env.assign(name, _stripped(value) if separate is None else value)


def _stripped(value: Value) -> Value:
    """A value without the blanks around it."""
    parts = [*value.parts] if isinstance(value, Joined) else [value]
    for at in (0, -1):
        part = parts[at]
        if isinstance(part, Known):
            text = part.text.text
            kept = part.text[len(text) - len(text.lstrip()) :] if at == 0 else part.text[: len(text.rstrip())]
            parts[at] = Known(kept, part.steps)
    return join(parts)


def loop(runner: Follower, node: Node, condition: Sequence[Node]) -> dict[str, Value] | None:
    """What each name of ``while read -r a b; do …`` is in its body, one of several; None where it is not told."""
    named = [child for child in condition if child.is_named]
    asked = named[0] if len(named) == 1 else None
    if asked is not None and asked.type == "list":  # `|| [ -n "$line" ]`: a last line without its end
        asked = asked.named_children[0]
    found = reads(runner, asked) if asked is not None and asked.type == "command" else None
    value = _input(runner, node) if found is not None else None
    if found is None or value is None or not found.takes(value):
        return None
    words = list(feeding.lines(value, runner.syntax.span(node)))
    shown = [" ".join(as_mapped(word.value).text.split()).replace(HOLE, "…") for word in words]
    # Scripts pass over lines that are empty or a comment.
    kept = [at for at, text in enumerate(shown) if text and not text.startswith("#")]
    if not 0 < len(kept) <= _MAX_LINES or any(word.many or word.guard for word in words):
        return None
    rows = [found.fields(words[at].value) for at in kept]
    if len(rows) == 1:
        return dict(zip(found.names, rows[0], strict=True))
    choice = Choice("loop", [f"the line is `{shown[at]}`" for at in kept], runner.syntax.span(node))
    return {name: OneOf(choice, [row[at] for row in rows]) for at, name in enumerate(found.names)}


def _input(runner: Follower, node: Node) -> Value | None:
    around = node.parent
    if around is not None and around.type == "pipeline":
        before = around.named_children
        return output_of(runner, before[0]) if len(before) == 2 and before[1].id == node.id else None
    return feeding.given(runner, node)


def _fields(line: Value, separate: str | None, count: int, ways: int = _MAX_WAYS) -> list[Value]:
    choice = _decides(line)
    if choice is not None:
        if len(choice.labels) > ways:
            return [Unknown("it is read from one of many lines")] * count
        left = ways // len(choice.labels)
        arms = [_fields(restrict(line, choice, arm), separate, count, left) for arm in range(len(choice.labels))]
        return [OneOf(choice, [arm[at] for arm in arms]) for at in range(count)]
    if separate == "" and not isinstance(line, Known):
        return [line, *([EMPTY] * (count - 1))]
    text = as_mapped(line)
    steps = line.steps if isinstance(line, Known) else ()
    found: list[Value] = []
    for start, end in feeding.bounds(text.text.partition("\n")[0], separate, count):
        # What is not known may hold what separates fields.
        found.append(_OPEN if text[:end].holes() else Known(text[start:end], steps))
    missing = _OPEN if text.holes() else EMPTY
    return [*found, *([missing] * (count - len(found)))]


def _decides(line: Value) -> Choice | None:
    """A choice that decides what a line is."""
    parts = line.parts if isinstance(line, Joined) else (line,)
    return next((part.choice for part in parts if isinstance(part, OneOf)), None)
