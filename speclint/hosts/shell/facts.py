"""What must be so where a condition of the shell holds or does not, so that nothing is told of what cannot be."""

from __future__ import annotations

from contextlib import suppress
from functools import reduce

from speclint.lean import pattern
from speclint.value import Choice

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from tree_sitter import Node

    from speclint.hosts.shell.env import Variable
    from speclint.hosts.shell.syntax import Syntax
    from speclint.value import Needs

    Allowed = tuple[bool, frozenset[object]]

    # Of the variables that operands are, by the id of the node: the name, and what it holds.
    Names = Mapping[int, tuple[str, Variable | None]]
    # The ways that choices can have gone where a condition holds, and where it does not.
    Left = Sequence[tuple[Choice, tuple[tuple[int, ...], tuple[int, ...]]]]

# What may be otherwise when it is asked again: files, and what programs print.
_MOVES = pattern(r"`|\$\(|\$[^\w{]|(?:^|[\s(])-[a-mo-yA-Z]\s")
_READ = pattern(r"\$\{?(\w+)")
_PLAIN = pattern(r"[^\s$`\"'\\*?\[(|]*")
# Of more that must be so no more is told.
_MOST = 64
_LISTS = ("&&", "||")
_EQUAL = {"=": True, "==": True, "-eq": True, "!=": False, "-ne": False}


def asked(node: Node | None, syntax: Syntax, left: Left, names: Names) -> tuple[Needs, Needs]:
    """What must be so where a condition holds, and where it does not."""
    found: tuple[dict[object, Allowed], ...] = {}, {}
    for point, sides in left:
        for needs, arms in zip(found, sides, strict=True):
            if len(arms) < len(point.labels):
                needs[point] = True, frozenset(arms)
    if node is not None:
        told = _Told(syntax, names)
        for needs, holds in zip(found, (True, False), strict=True):
            needs.update(told.of(node, holds))
    deepen(found)
    return found[0], found[1]


def deepen(found: Iterable[dict[object, Allowed]]) -> None:
    """What choices need that must have gone some way must be so too."""
    for needs in found:
        with suppress(RecursionError):  # of a long line of conditions that hang on each other the last ones tell
            _deepen(needs)


def _deepen(needs: dict[object, Allowed]) -> None:
    for point, (has, arms) in list(needs.items()):
        if not has or not isinstance(point, Choice) or not point.needs:
            continue
        ways = [point.needs[arm] for arm in arms if isinstance(arm, int)]
        for key in [key for key in ways[0] if all(key in way for way in ways)] if ways else ():
            allowed = reduce(_either, [way[key] for way in ways])
            if len(needs) >= _MOST:
                return
            needs[key] = _both(needs[key], allowed) if key in needs else allowed


def chosen(subject: tuple[str, Variable | None] | None, groups: Iterable[Sequence[str] | None]) -> list[Needs]:
    """What must be so for each item of a ``case``, by its patterns; None for those that fit more than themselves.

    The last is for where no item is met.
    """
    found: list[Needs] = []
    met: frozenset[object] = frozenset()
    key = None if subject is None else _key(*subject)
    for group in groups:
        texts = frozenset(group or ())
        if key is None:
            found.append({})
        elif group is not None:
            found.append({key: (True, texts)})
        else:
            found.append({key: (False, met)})
        met |= texts
    return [*found, {key: (False, met)} if key is not None else {}]


def is_plain(text: str) -> bool:
    """Whether a pattern fits itself only."""
    return _PLAIN.fullmatch(text) is not None


def _key(name: str, held: Variable | None) -> object:
    """What a variable that a script never set is known by is its name."""
    return held if held is not None else name


def _either(one: Allowed, other: Allowed) -> Allowed:
    """What is so where one or the other is."""
    if one[0] is other[0]:
        return one[0], (one[1] | other[1] if one[0] else one[1] & other[1])
    has, lacks = (one, other) if one[0] else (other, one)
    return False, lacks[1] - has[1]


def _both(one: Allowed, other: Allowed) -> Allowed:
    """What is so where one and the other is."""
    if one[0] is other[0]:
        return one[0], (one[1] & other[1] if one[0] else one[1] | other[1])
    has, lacks = (one, other) if one[0] else (other, one)
    return True, has[1] - lacks[1]


class _Told:
    """What a condition says of variables."""

    def __init__(self, syntax: Syntax, names: Names) -> None:
        self._syntax = syntax
        self._names = names

    def of(self, node: Node, holds: bool) -> dict[object, Allowed]:
        """What is so of each thing asked where the condition holds, or where it does not."""
        kind = node.type
        inner = node.named_children
        if kind in ("test_command", "parenthesized_expression") and len(inner) == 1:
            return self.of(inner[0], holds)
        if kind == "negated_command" and len(inner) == 1:
            return self.of(inner[0], not holds)
        if kind in ("list", "binary_expression") and self._sign(node) in _LISTS and len(inner) == 2:
            one, other = self.of(inner[0], holds), self.of(inner[1], holds)
            common = [key for key in one if key in other]
            if (self._sign(node) == "&&") is holds:
                return {**one, **other, **{key: _both(one[key], other[key]) for key in common}}
            return {key: _either(one[key], other[key]) for key in common}
        if kind == "unary_expression" and self._sign(node) == "!" and inner:
            return self.of(inner[-1], not holds)
        return dict(self._test(node, holds)) if kind in ("unary_expression", "binary_expression") else {}

    def _sign(self, node: Node) -> str:
        sign = node.child_by_field_name("operator")
        if sign is not None:
            return self._syntax.string(sign)
        return next((child.type for child in node.children if child.type in _LISTS), "")

    def _test(self, node: Node, holds: bool) -> Iterable[tuple[object, Allowed]]:
        sign = self._sign(node)
        left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
        if sign in ("-z", "-n") and node.named_children:
            key = self._subject(node.named_children[-1])
            if key is not None:
                yield key, ((sign == "-z") is holds, frozenset(("",)))
        elif left is not None and right is not None:
            if left.type == "unary_expression" and self._sign(left) == "!":
                # The grammar reads `! a = b` as `(! a) = b`.
                left, holds = left.named_children[-1], not holds
            key = self._subject(left)
            text = self._syntax.string(right)
            text = text[1:-1] if text[:1] in "\"'" and text[-1:] == text[:1] and len(text) > 1 else text
            if key is not None and is_plain(text) and sign in _EQUAL:
                yield key, (_EQUAL[sign] is holds, frozenset((text,)))
        yield from self._whole(node, holds)

    def _whole(self, node: Node, holds: bool) -> Iterable[tuple[object, Allowed]]:
        """The same test, asked again of the same, has the same answer."""
        text = self._syntax.string(node)
        read = _READ.findall(text)
        held = dict.fromkeys(held for held in self._names.values() if held[0] in read)
        if _MOVES.search(text) is None and len(read) == text.count("$") and {name for name, _ in held} == set(read):
            yield (" ".join(text.split()), *(_key(*one) for one in held)), (True, frozenset((holds,)))

    def _subject(self, node: Node) -> object:
        held = self._names.get(node.id)
        return None if held is None else _key(*held)
