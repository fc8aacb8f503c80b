"""What stands behind the operator of an expansion: ``${X%pattern}``, ``${X/pattern/text}``, ``${X:start:length}``."""

from __future__ import annotations

from speclint.hosts.shell import strings
from speclint.value import OneOf

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from tree_sitter import Node

    from speclint.hosts.shell.syntax import Syntax
    from speclint.value import Value
    from speclint.words import Word

# Of words that are there in more ways none is told by its number.
_MOST = 64
# Operators that take a pattern off one end, or put another text there.
_EDGES = frozenset(("#", "##", "%", "%%", "/#", "/%"))


def operands(operator: str, rest: Sequence[Node], node: Node, syntax: Syntax) -> list[str]:
    """A pattern, with what takes its place, or bounds; ``rest``: the operator and what stands behind it."""
    if operator == ":":
        return bounds_of(rest[1:], node, syntax)
    if operator in _EDGES and len(rest) > 1:
        # Blanks of a pattern, as in `${X% *}`, are in none of its nodes or in one of their own.
        written = syntax.slice(rest[0].end_byte, node.end_byte - 1).text
        return written.split("/", 1) if operator[0] == "/" else [written]
    # A slash behind the operator, as in `${X///*}`, belongs to the pattern, which the grammar takes it out of.
    torn = operator in ("/", "//") and len(rest) > 1 and not rest[1].is_named
    named = [] if torn else [syntax.string(part) for part in rest[1:] if part.is_named]
    if operator in ("/", "//") and named and "\\" in named[0]:
        # The grammar takes a slash that is none of its own for the one before what is put in.
        return strings.replacing(syntax.slice(rest[1].start_byte, node.end_byte - 1).text)
    return named


def bounds_of(nodes: Sequence[Node], node: Node, syntax: Syntax) -> list[str]:
    """What stands between the colons of ``${X:start:length}``."""
    if not nodes:
        return []
    written = syntax.slice(nodes[0].start_byte, node.end_byte - 1).text
    return [bound.strip() or "0" for bound in written.split(":")]


def taken_of(words: Sequence[Word], bounds: list[str], counted_from_one: bool) -> Sequence[Word] | None:
    """The elements that ``:start:length`` takes; None where it cannot be told."""
    if any(w.many or w.guard for w in words) or not bounds:
        return None
    if counted_from_one and bounds[0].isdigit():
        if int(bounds[0]) == 0:
            return None  # the name of the script
        bounds = [str(int(bounds[0]) - 1), *bounds[1:]]
    taken = strings.sliced(len(words), bounds)
    return None if taken is None else words[slice(*taken)]


def element(words: Sequence[Word], number: int, left: int = _MOST) -> Value | None:
    """The word that is the ``number``th whichever way choices went; None where that is not told, or there is none."""
    guarded = next((word for word in words if word.guard), None)
    if guarded is None:
        told = number < len(words) and not any(word.many for word in words[: number + 1])
        return words[number].value if told else None
    choice = guarded.guard[0][0]
    left //= len(choice.labels)
    arms: list[Value] = []
    for arm in range(len(choice.labels) if left else 0):
        kept = [word.without(choice) for word in words if word.holds({choice: arm})]
        found = element(kept, number, left)
        if found is None:
            return None
        arms.append(found)
    return OneOf(choice, arms) if arms else None
