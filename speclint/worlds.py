"""Worlds: what values are when every choice of the file has gone one way or the other."""

from __future__ import annotations

from speclint.text import Mapped
from speclint.value import EMPTY, Choice, Joined, Known, OneOf, Unknown, join

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence

    from speclint.value import Needs, Step, Value

# More combinations than this are not told apart: what depends on them is unknown.
MAX_WORLDS = 64
# How many choices are looked at to find those combinations that rule themselves out.
_MOST_POINTS = 32
# What more text is to follow on.
_CUT = frozenset("/-_.:=")
_RULED_OUT = Unknown("what comes before rules it out")


def restrict(value: Value, choice: Choice, arm: int) -> Value:
    """The value where ``choice`` went way ``arm``."""
    if isinstance(value, OneOf):
        if value.choice is choice:
            return restrict(value.arms[arm], choice, arm)
        arms = [restrict(a, choice, arm) for a in value.arms]
        nothing = all(isinstance(a, Known) and not a.text.text for a in arms)
        return EMPTY if nothing else OneOf(value.choice, arms, value.place)
    if isinstance(value, Joined):
        return join(restrict(part, choice, arm) for part in value.parts)
    return value


def only(value: Value, choice: Choice, left: Collection[int]) -> Value:
    """The value where ``choice`` can only have gone one of the ways that are left."""
    if isinstance(value, Joined):
        return join(only(part, choice, left) for part in value.parts)
    if not isinstance(value, OneOf):
        return value
    if value.choice is choice:
        return OneOf(choice, [arm if at in left else _RULED_OUT for at, arm in enumerate(value.arms)], value.place)
    return OneOf(value.choice, [only(arm, choice, left) for arm in value.arms], value.place)


def settled(value: Value, taken: Mapping[Choice, int], made: dict[int, Value] | None = None) -> Value:
    """The value where choices went the ways ``taken``; the very same object if it depends on none of them.

    ``made``: what became of the parts met so far, which alternatives of alternatives share.
    """
    if isinstance(value, Known | Unknown):
        return value
    made = {} if made is None else made
    found = made.get(id(value))
    if found is not None:
        return found
    if isinstance(value, Joined):
        parts = [settled(part, taken, made) for part in value.parts]
        found = value if all(a is b for a, b in zip(parts, value.parts, strict=True)) else join(parts)
    elif value.choice in taken:
        found = settled(value.arms[taken[value.choice]], taken, made)
    else:
        arms = [settled(arm, taken, made) for arm in value.arms]
        kept = all(a is b for a, b in zip(arms, value.arms, strict=True))
        found = value if kept else OneOf(value.choice, arms, value.place)
    made[id(value)] = found
    return found


def combine(values: Sequence[Value], function: Callable[[Sequence[Known]], Value], limit: int = 16) -> Value:
    """``function`` of the values, worked out for every way that their choices can go; unknown where one is unknown."""
    points = tuple(dict.fromkeys(c for v in values for c in choices(v)))
    if not points:
        plain = [resolve(v, {}) for v in values]
        unknown = next((v for v in plain if isinstance(v, Unknown)), None)
        return unknown if unknown is not None else function([v for v in plain if isinstance(v, Known)])
    if len(points[0].labels) > limit:
        return Unknown("it depends on too many alternatives")
    first, left = points[0], limit // len(points[0].labels)
    arms = [combine([restrict(v, first, i) for v in values], function, left) for i in range(len(first.labels))]
    return OneOf(first, arms)


def choices(value: Value) -> tuple[Choice, ...]:
    """The choices that a value depends on, each once, in order of appearance."""
    found: dict[Choice, None] = {}
    # Values that branch after branch may leave as they are share their parts: each is looked at once, or a dozen
    # branches would be thousands of paths.
    seen: set[int] = set()
    todo: list[Value] = [value]
    while todo:
        item = todo.pop()
        if id(item) in seen:
            continue
        seen.add(id(item))
        if isinstance(item, OneOf):
            found.setdefault(item.choice)
            todo.extend(reversed(item.arms))
        elif isinstance(item, Joined):
            todo.extend(reversed(item.parts))
    return tuple(found)


def resolve(value: Value, world: Mapping[Choice, int]) -> Known | Unknown:
    """The value in a world. A choice that the world does not settle makes it unknown."""
    if isinstance(value, OneOf):
        arm = world.get(value.choice)
        if arm is None:
            return Unknown(f"it depends on whether {value.choice.labels[0]}")
        return resolve(value.arms[arm], world)
    if isinstance(value, Joined):
        text: list[Mapped] = []
        steps: tuple[Step, ...] = ()
        for part in value.parts:
            got = resolve(part, world)
            steps += tuple(s for s in got.steps if s not in steps)
            if isinstance(got, Unknown):
                if got.prefix is not None:
                    text.append(got.prefix)
                return Unknown(got.reason, Mapped.join(text) if text else None, steps)
            text.append(got.text)
        return Known(Mapped.join(text), steps)
    return value


def possible(world: Mapping[Choice, int], choice: Choice, arm: int) -> bool:
    """Whether a choice can go one way where others went theirs: conditions may ask the same thing twice."""
    mine = choice.needs[arm] if choice.needs else {}
    for other, gone in world.items():
        theirs = other.needs[gone] if other.needs else {}
        if _denies(mine, other, gone) or _denies(theirs, choice, arm):
            return False
        if (
            mine
            and theirs
            and any(_clash(allowed, theirs[asked]) for asked, allowed in mine.items() if asked in theirs)
        ):
            return False
    return True


def usual(ways: Iterable[tuple[Choice, int]], defaults: Iterable[Choice] = ()) -> bool:
    """Whether choices can go some ways where every default stands, those of ``defaults`` among them."""
    for choice, arm in ways:
        needs = choice.needs[arm] if choice.needs else {}
        asked = (key for key in needs if isinstance(key, Choice) and key.kind == "default")
        if (choice.kind == "default" and arm) or any(_denies(needs, other, 0) for other in asked):
            return False
        if any(not possible({choice: arm}, other, 0) for other in defaults):
            return False
    return True


def _denies(needs: Needs, choice: Choice, arm: int) -> bool:
    allowed = needs.get(choice)
    return allowed is not None and (arm in allowed[1]) is not allowed[0]


def _clash(one: tuple[bool, frozenset[object]], other: tuple[bool, frozenset[object]]) -> bool:
    """Whether nothing is as both say."""
    if one[0] and other[0]:
        return one[1].isdisjoint(other[1])
    if one[0] is other[0]:
        return False
    has, lacks = (one, other) if one[0] else (other, one)
    return has[1] <= lacks[1]


def worlds(points: Iterable[Choice], limit: int = MAX_WORLDS) -> Iterator[dict[Choice, int]] | None:
    """Every combination of the ways that the choices can go, first arms first; None if over ``limit``."""
    points = list(dict.fromkeys(points))
    count = 1
    for point in points:
        count *= len(point.labels)
        if count > limit:
            # Branches of one question rule each other out: ten of them are eleven ways, no thousand.
            return _few(points, limit) if len(points) <= _MOST_POINTS else None
    return _combinations(points)


def _few(points: Sequence[Choice], limit: int) -> Iterator[dict[Choice, int]] | None:
    found: list[dict[Choice, int]] = [{}]
    for point in points:
        found = _further(found, point)
        if len(found) > limit:
            return None
    return iter(found)


def _further(ways: Iterable[dict[Choice, int]], point: Choice) -> list[dict[Choice, int]]:
    return [{**way, point: arm} for way in ways for arm in range(len(point.labels)) if possible(way, point, arm)]


def _combinations(points: Sequence[Choice]) -> Iterator[dict[Choice, int]]:
    if not points:
        yield {}
        return
    for rest in _combinations(points[:-1]):
        for arm in range(len(points[-1].labels)):
            if possible(rest, points[-1], arm):
                yield {**rest, points[-1]: arm}


def default_text(value: Value) -> str | None:
    """The text where every default stands and no other choice matters; None if it cannot be told.

    An empty default tells nothing: it is there to be overridden. Nor does what it leaves of a path, as ``models/``.
    """
    found = default_texts(value)
    text = found.pop() if found is not None and len(found) == 1 else None
    return None if text is not None and text[-1:] in _CUT and _is_hollow(value) else text


def default_texts(value: Value) -> set[str] | None:
    """The texts that it may be where every default stands; None if one of them cannot be told."""
    points = choices(value)
    ways = worlds(p for p in points if p.kind != "default")
    if ways is None:
        return None
    found: set[str] = set()
    defaults = [p for p in points if p.kind == "default"]
    for world in ways:
        if not usual(world.items(), defaults):
            continue
        world.update(dict.fromkeys(defaults, 0))
        got = resolve(value, world)
        if isinstance(got, Unknown):
            return None
        if not got.text.text and any(p.kind == "default" for p in points):
            return None
        found.add(got.text.text)
    return found


def _is_hollow(value: Value) -> bool:
    """Whether a default in a value is empty."""
    if isinstance(value, OneOf):
        first = value.arms[0]
        if value.choice.kind == "default" and isinstance(first, Known) and not first.text.text:
            return True
        return any(_is_hollow(arm) for arm in value.arms)
    return isinstance(value, Joined) and any(_is_hollow(part) for part in value.parts)
