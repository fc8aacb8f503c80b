"""Which arms of conditions a launch rules out by single values, so that few are asked as a whole.

Most conditions are several things at once: of those, many hang on one option or one thing that SGLang derives. What a
value does to all of these that any arm has is worked out once, when it is first met, and from then on looked up. So a
launch asks for each name once, not once for each rule.
"""

from __future__ import annotations

from speclint.rules import expr
from speclint.sglang import versions
from speclint.sglang.setting import Unsettled
from speclint.value import Unknown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from speclint.rules.expr import Ask, Tree
    from speclint.rules.rule import Rule
    from speclint.sglang.resolve import View

    Name = tuple[str, str]
    """What is asked for: ("name", "tp_size"), or ("set", "tp_size") for whether it is written."""
    Test = tuple[int, "Ask | None", bool]
    """A bit for the arm, a part of it that reads one name alone, and what that must be for the arm to hold."""

# So many values are remembered, and of texts those that are no longer than this.
_MAX_MADE = 4096
_MAX_LENGTH = 100
# What is quick to tell is asked for first.
_COST = {"env": 1, "launch": 1, "pod": 2, "model": 3, "resolved": 4}
# Spaces of what is there whether or not a launch writes anything of the kind.
_TOLD = ("launch.", "pod.", "model.", "resolved.")
# Operations that know nothing where they are given something that is not known.
_STRICT = ("compare", "binary", "call", "not")
_ANYTHING = Unknown("")
_PLAIN = frozenset((bool, int, float, type(None)))


class Sieve:
    """The arms of rules in one release, by number. ``sure``: what is not known rules out too."""

    def __init__(self, arms: Sequence[tuple[Rule, int, int]], release: str, sure: bool) -> None:
        self.arms = arms
        self.sure = sure
        self._names: list[tuple[Name, ...] | None] = [None] * len(arms)
        self._asks: dict[Name, Ask] = {}
        self._tests: dict[Name, list[Test]] = {}
        self._made: dict[object, tuple[int, int]] = {}
        self._given = _Given(release)

    def left(self, arms: int, view: View) -> int:
        """Those of some arms, a bit for each, that no single value rules out in a world.

        Where it is known what the launch writes, the arms are such as what is not written rules none of them out.
        """
        kept, written = 0, view.written
        seen: set[Name] = set()
        while arms:
            bit = arms & -arms
            names = self._names[bit.bit_length() - 1]
            if names is None:
                names = self._names[bit.bit_length() - 1] = self._read(bit)
                seen.difference_update(names)  # of these it is not known yet what they do to this one
            for name in names:
                if name in seen:
                    continue
                seen.add(name)
                if written is None or name[1] in written or name[1].startswith(_TOLD):
                    arms &= ~self._out(name, view)
                    if not arms & bit:
                        break
            else:
                kept |= bit
                arms ^= bit
        return kept

    def _read(self, bit: int) -> tuple[Name, ...]:
        """The names by which an arm may be ruled out; what its parts make of them is added to what is known."""
        rule, arm, _ = self.arms[bit.bit_length() - 1]
        found: dict[Name, None] = {}
        if rule.finder is None and rule.check is None:
            for part, wanted in _parts(expr.arms(rule.when.tree)[arm], True):
                for name, ask in self._tests_of(part):
                    self._tests.setdefault(name, []).append((bit, ask, wanted))
                    found[name] = None
        return tuple(sorted(found, key=lambda name: _COST.get(name[1].partition(".")[0], 0)))

    def _tests_of(self, part: Tree) -> Iterator[tuple[Name, Ask | None]]:
        names = set(_names_in(part))
        if len(names) == 1 and None not in names:
            yield from ((name, expr.compiled(part)) for name in names if name is not None)
        elif self.sure:
            yield from ((name, None) for name in dict.fromkeys(_strict(part)))

    def _out(self, name: Name, view: View) -> int:
        """The arms that the value of a name rules out."""
        ask = self._asks.get(name)
        if ask is None:
            ask = self._asks[name] = expr.compiled(name if name[0] == "name" else ("form", *name))
        value = ask(view)
        tests = self._tests[name]
        key: object
        if isinstance(value, Unknown):
            if isinstance(value, Unsettled):
                return 0
            key = name
        elif value.__class__ not in _PLAIN and not _is_kept(value):
            return self._mask(tests, value)
        else:
            key = (name, value, value.__class__)  # 1 and True are the same to a dict
        mask, count = self._made.get(key, (0, 0))
        if count < len(tests):
            mask |= self._mask(tests[count:], value)
            if len(self._made) >= _MAX_MADE:
                self._made.clear()
            self._made[key] = (mask, len(tests))
        return mask

    def _mask(self, tests: Sequence[Test], value: object) -> int:
        mask = 0
        given = self._given
        given.given = value
        for bit, ask, wanted in tests:
            answer = expr.truth(ask(given)) if ask is not None else _ANYTHING
            if ask is None and not isinstance(value, Unknown):
                continue
            if answer is (not wanted) or (self.sure and isinstance(answer, Unknown)):
                mask |= bit
        return mask


def _is_kept(value: object) -> bool:
    """Whether a value can be looked up, and is short."""
    if isinstance(value, tuple) or value.__class__.__hash__ is None:  # what lists hold, and what JSON gives
        return False
    return not isinstance(value, str) or len(value) <= _MAX_LENGTH


class _Given:
    """A scope in which whatever is asked for has the value at hand."""

    def __init__(self, release: str) -> None:
        self.release = release
        self.given: object = None

    def value(self, dest: str) -> object:
        return self.given

    def is_set(self, dest: str) -> object:
        return self.given

    def attribute(self, space: str, name: str) -> object:
        return self.given

    def in_release(self, spec: str) -> bool:
        return versions.satisfies(self.release, spec)


def _parts(tree: Tree, wanted: bool) -> Iterator[tuple[Tree, bool]]:
    """What has to be so, all of it, for an expression to be ``wanted``."""
    kind = tree[0]
    if kind == "not":
        yield from _parts(tuple(tree[1]), not wanted)
    elif kind == ("and" if wanted else "or"):
        for part in tree[1:]:
            yield from _parts(tuple(part), wanted)
    else:
        yield tree, wanted


def _names_in(tree: Tree) -> Iterator[Name | None]:
    """The names in an expression, and None for what has more to it than a value or is better asked last."""
    kind = tree[0]
    if kind == "name":
        yield ("name", tree[1])
    elif kind == "form":
        yield ("set", tree[2]) if tree[1] == "set" else None
    elif kind == "call" and tree[1] == "matches":
        yield None  # what it searches with takes longer to load than the rest of a run takes
    elif kind != "const":
        for part in tree[1:]:
            if isinstance(part, (tuple, list)):
                yield from _names_in(tuple(part))


def _strict(tree: Tree) -> Iterator[Name]:
    """The names without which nothing is known of an expression, whatever the others are."""
    kind = tree[0]
    if kind == "name" or (kind == "form" and tree[1] == "set"):
        yield (kind if kind == "name" else "set", tree[-1])
    elif kind in _STRICT and tree[1] != "not in":
        for part in tree[1:]:
            if isinstance(part, (tuple, list)):
                yield from _strict(tuple(part))
