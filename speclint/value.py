"""What is known of a value, and how it came to be.

A value is known, one of several, a concatenation of such, or unknown with a reason. Alternatives are tied to the
``Choice`` that decides them (a branch, a default), so that two values decided by one ``if`` are never mixed. A
``World`` says which way each choice went; in a world every value is either known or unknown.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Union

from speclint.text import Mapped

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from speclint.text import Span

# More alternatives than this are not told apart: what depends on them is unknown.
MAX_WORLDS = 64


class Definition:
    """A named thing with one written value: a variable, a constant, an entry of ``env``.

    ``uses`` counts the places of the file that read the name; ``shared`` tells that others than this file may read
    it (exported, imported). A fix may edit a definition only where one use reads it.
    """

    __slots__ = ("name", "shared", "span", "uses")

    def __init__(self, name: str, span: Span | None, uses: int = 0, shared: bool = False) -> None:
        self.name = name
        self.span = span
        self.uses = uses
        self.shared = shared


class Step:
    """One step of how a value came to be: ``kind`` is "assigned", "default", "branch", "loop", "env" or "argument".

    ``note`` reads in a sentence after the value ("set by `TP=8`"); ``span`` is where that stands.
    """

    __slots__ = ("definition", "kind", "note", "span")

    def __init__(self, kind: str, note: str, span: Span | None, definition: Definition | None = None) -> None:
        self.kind = kind
        self.note = note
        self.span = span
        self.definition = definition

    def __repr__(self) -> str:
        return f"Step({self.kind}, {self.note!r})"


class Choice:
    """A point at which the file leaves more than one way open; compared by identity.

    ``kind``: "default" (arm 0: the default stands, arm 1: another value was given), "branch" (one arm per branch, the
    missing ``else`` too) or "loop" (one arm per value). ``labels`` says for each arm when it is taken, to be read
    after "when" ("`TOPK` keeps its default").
    """

    __slots__ = ("kind", "labels", "span")

    def __init__(self, kind: str, labels: Sequence[str], span: Span | None = None) -> None:
        self.kind = kind
        self.labels = tuple(labels)
        self.span = span

    def __repr__(self) -> str:
        return f"Choice({self.kind}, {self.labels})"


class Known:
    """Text that is certain, with origins."""

    __slots__ = ("steps", "text")

    def __init__(self, text: Mapped, steps: tuple[Step, ...] = ()) -> None:
        self.text = text
        self.steps = steps

    def __repr__(self) -> str:
        return f"Known({self.text.text!r})"


class Unknown:
    """A value that cannot be told; ``reason`` completes "because" ("`TP` is not set in this file").

    ``prefix`` is the text that it is known to begin with; ``place`` the place where it was spliced into other text.
    """

    __slots__ = ("place", "prefix", "reason", "steps")

    def __init__(
        self, reason: str, prefix: Mapped | None = None, steps: tuple[Step, ...] = (), place: Span | None = None
    ) -> None:
        self.reason = reason
        self.prefix = prefix
        self.steps = steps
        self.place = place

    def __repr__(self) -> str:
        return f"Unknown({self.reason!r})"


class OneOf:
    """One of several values, decided by ``choice``: arm i stands when the choice went way i.

    ``place`` is the place where it was spliced into other text.
    """

    __slots__ = ("arms", "choice", "place")

    def __init__(self, choice: Choice, arms: Sequence[Value], place: Span | None = None) -> None:
        self.choice = choice
        self.arms = tuple(arms)
        self.place = place

    def __repr__(self) -> str:
        return f"OneOf({self.arms!r})"


class Joined:
    """A concatenation in which some part is not known text."""

    __slots__ = ("parts",)

    def __init__(self, parts: Iterable[Value]) -> None:
        self.parts = tuple(parts)

    def __repr__(self) -> str:
        return f"Joined({self.parts!r})"


Value = Union[Known, Unknown, OneOf, Joined]
World = "Mapping[Choice, int]"
EMPTY = Known(Mapped("", ()))


def join(values: Iterable[Value]) -> Value:
    """The concatenation of values."""
    parts: list[Value] = []
    for value in values:
        for part in value.parts if isinstance(value, Joined) else (value,):
            last = parts[-1] if parts else None
            if isinstance(part, Known) and isinstance(last, Known):
                steps = last.steps + tuple(s for s in part.steps if s not in last.steps)
                parts[-1] = Known(last.text + part.text, steps)
            elif not (isinstance(part, Known) and not part.text.text and not part.steps):
                parts.append(part)
    if not parts:
        return EMPTY
    return parts[0] if len(parts) == 1 else Joined(parts)


def merge(choice: Choice, arms: Sequence[Value]) -> Value:
    """The value after a branch that left ``arms``; what the arms have in common at their start is kept whole.

    ``X="$X --f"`` in one arm thus adds an alternative to the end of X, and five such branches are five alternatives,
    not thirty-two.
    """
    if all(same(a, arms[0]) for a in arms[1:]):
        return arms[0]
    lists = [list(a.parts) if isinstance(a, Joined) else [a] for a in arms]
    common: list[Value] = []
    while all(lists) and all(same(parts[0], lists[0][0]) for parts in lists):
        common.append(lists[0][0])
        lists = [parts[1:] for parts in lists]
    prefix = _common_known(lists)
    if prefix is not None:
        common.append(prefix)
        size = len(prefix.text)
        for parts in lists:
            first = parts[0]
            assert isinstance(first, Known)
            rest = first.text[size:]
            parts[0] = Known(rest, first.steps) if rest.text else EMPTY
    return join([*common, OneOf(choice, [join(parts) for parts in lists])])


def same(a: Value, b: Value) -> bool:
    """Whether two values are one and the same: the same text from the same place, or decided alike."""
    if a is b:
        return True
    if isinstance(a, Known) and isinstance(b, Known):
        return a.text.text == b.text.text and a.text.span() == b.text.span() and a.text.span() is not None
    if isinstance(a, Unknown) and isinstance(b, Unknown):
        return a.reason == b.reason and a.prefix is b.prefix and a.steps == b.steps
    if isinstance(a, OneOf) and isinstance(b, OneOf):
        return a.choice is b.choice and all(same(x, y) for x, y in zip(a.arms, b.arms))
    if isinstance(a, Joined) and isinstance(b, Joined):
        return len(a.parts) == len(b.parts) and all(same(x, y) for x, y in zip(a.parts, b.parts))
    return False


def _common_known(lists: Sequence[Sequence[Value]]) -> Known | None:
    """The shortest first part, if every list begins with the very same written text."""
    firsts = [parts[0] if parts else None for parts in lists]
    known = [f for f in firsts if isinstance(f, Known)]
    if len(known) != len(firsts):
        return None
    short = min(known, key=lambda k: len(k.text))
    size = len(short.text)
    where = short.text.span()
    if not size or where is None:
        return None
    same = all(k.text.text[:size] == short.text.text and k.text.span(0, size) == where for k in known)
    return short if same else None


def with_step(value: Value, step: Step) -> Value:
    """The same value with one more step in its history. Parts of a concatenation keep their own."""
    if isinstance(value, Known):
        return Known(value.text, (*value.steps, step))
    if isinstance(value, Unknown):
        return Unknown(value.reason, value.prefix, (*value.steps, step), value.place)
    if isinstance(value, OneOf):
        return OneOf(value.choice, [with_step(arm, step) for arm in value.arms], value.place)
    return value


def spliced(value: Value, place: Span | None) -> Value:
    """The value as it is put into other text at ``place``: a single word belongs there, several to where they stand."""
    if place is None:
        return value
    if isinstance(value, Known):
        return value if _blank(value) else Known(value.text.through(place), value.steps)
    if isinstance(value, Unknown):
        return Unknown(value.reason, value.prefix, value.steps, value.place or place)
    if isinstance(value, OneOf) and not any(isinstance(arm, Joined) or _blank(arm) for arm in value.arms):
        return OneOf(value.choice, value.arms, value.place or place)
    return value


def _blank(value: Value) -> bool:
    return isinstance(value, Known) and (not value.text.text or len(value.text.text.split()) != 1)


def restrict(value: Value, choice: Choice, arm: int) -> Value:
    """The value where ``choice`` went way ``arm``."""
    if isinstance(value, OneOf):
        if value.choice is choice:
            return restrict(value.arms[arm], choice, arm)
        return OneOf(value.choice, [restrict(a, choice, arm) for a in value.arms], value.place)
    if isinstance(value, Joined):
        return join(restrict(part, choice, arm) for part in value.parts)
    return value


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
    todo: list[Value] = [value]
    while todo:
        item = todo.pop()
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


def worlds(points: Iterable[Choice], limit: int = MAX_WORLDS) -> Iterator[dict[Choice, int]] | None:
    """Every combination of the ways that the choices can go, first arms first; None if there are more than ``limit``."""
    points = list(dict.fromkeys(points))
    count = 1
    for point in points:
        count *= len(point.labels)
        if count > limit:
            return None
    return _combinations(points)


def _combinations(points: Sequence[Choice]) -> Iterator[dict[Choice, int]]:
    if not points:
        yield {}
        return
    for rest in _combinations(points[:-1]):
        for arm in range(len(points[-1].labels)):
            yield {**rest, points[-1]: arm}


def known_text(value: Value) -> str | None:
    """The text of a value that is known in every world; None otherwise."""
    return value.text.text if isinstance(value, Known) else None


def default_text(value: Value) -> str | None:
    """The text where every default stands and no other choice matters; None if it cannot be told."""
    points = choices(value)
    ways = worlds(p for p in points if p.kind != "default")
    if ways is None:
        return None
    found: set[str] = set()
    for world in ways:
        world.update((p, 0) for p in points if p.kind == "default")
        got = resolve(value, world)
        if isinstance(got, Unknown):
            return None
        found.add(got.text.text)
    return found.pop() if len(found) == 1 else None
