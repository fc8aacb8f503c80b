"""What is known of a value, and how it came to be.

A value is known, one of several, a concatenation of such, or unknown with a reason. Alternatives are tied to the
``Choice`` that decides them (a branch, a default), so that two values decided by one ``if`` are never mixed. A
``World`` says which way each choice went; in a world every value is either known or unknown.
"""

from __future__ import annotations

from speclint.text import Mapped

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from speclint.text import Span

    # What must be so, by what it is about: another Choice, with its arms, or what a condition asks, with the values
    # that it has (True) or lacks (False).
    Needs = Mapping[object, tuple[bool, frozenset[object]]]


class Definition:
    """A named thing with one written value: a variable, a constant, an entry of ``env``.

    ``uses`` counts the places of the file that read the name; ``shared`` tells that others than this file may read
    it (exported, imported). A fix may edit a definition only where one use reads it. ``name_span`` is where the name of
    a variable of the environment is written. ``uses`` may be given as what counts them, which is done when it is asked
    for: few definitions are ever edited.
    """

    __slots__ = ("_uses", "name", "name_span", "shared", "span")

    def __init__(
        self,
        name: str,
        span: Span | None,
        uses: int | Callable[[], int] = 0,
        shared: bool = False,
        name_span: Span | None = None,
    ) -> None:
        self.name = name
        self.name_span = name_span
        self.span = span
        self._uses = uses
        self.shared = shared

    @property
    def uses(self) -> int:
        """How many places of the file read it."""
        found = self._uses
        if not isinstance(found, int):
            found = self._uses = found()
        return found

    @uses.setter
    def uses(self, count: int) -> None:
        self._uses = count


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


# The label of the way past all branches of an `if` without `else` that has several.
NO_CONDITION = "no condition of the `if` holds"


class Choice:
    """A point at which the file leaves more than one way open; compared by identity.

    ``kind``: "default" (arm 0: the default stands, arm 1: another value was given), "branch" (one arm per branch, the
    missing ``else`` too) or "loop" (one arm per value). ``labels`` says for each arm when it is taken, to be read
    after "when" ("`TOPK` keeps its default"). ``needs``: for each arm what must be so where it is taken, or what works
    that out, which is done when it is asked for; empty where nothing is known of that. ``asks``: of a condition that
    asks whether a name is among others, that name and where the others come from; empty for any other.
    """

    __slots__ = ("_needs", "asks", "kind", "labels", "span")

    def __init__(
        self,
        kind: str,
        labels: Sequence[str],
        span: Span | None = None,
        needs: Sequence[Needs] | Callable[[], Sequence[Needs]] = (),
        asks: str = "",
    ) -> None:
        self.kind = kind
        self.labels = tuple(labels)
        self.span = span
        self._needs = needs
        self.asks = asks

    @property
    def needs(self) -> Sequence[Needs]:
        """For each arm what must be so where it is taken; empty where nothing is known of that."""
        found = self._needs
        if callable(found):
            found = self._needs = found()
        return found

    def some(self, arms: Sequence[int]) -> Choice:
        """The choice between some of its arms."""
        needs = self._needs
        few = (lambda: [self.needs[arm] for arm in arms] if self.needs else ()) if needs else ()
        return Choice(self.kind, [self.labels[arm] for arm in arms], self.span, few, self.asks)

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


Value = Known | Unknown | OneOf | Joined
EMPTY = Known(Mapped("", ()))


def join(values: Iterable[Value]) -> Value:
    """The concatenation of values."""
    parts: list[Value] = []
    run: list[Known] = []  # what is known, one behind the other
    for value in values:
        for part in value.parts if isinstance(value, Joined) else (value,):
            if isinstance(part, Known):
                if run or part.text.text or part.steps:
                    run.append(part)
                continue
            if run:
                parts.append(_together(run))
                run = []
            parts.append(part)
    if run:
        parts.append(_together(run))
    if not parts:
        return EMPTY
    return parts[0] if len(parts) == 1 else Joined(parts)


def _together(run: Sequence[Known]) -> Known:
    """Known values as one, with each step once."""
    if len(run) == 1:
        return run[0]
    steps = list(run[0].steps)
    met = set(steps)
    for part in run[1:]:
        new = [step for step in part.steps if step not in met]
        steps += new
        met.update(new)
    return Known(Mapped.join([part.text for part in run]), tuple(steps))


def with_step(value: Value, step: Step) -> Value:
    """The same value with one more step in its history. Parts of a concatenation keep their own."""
    return _with_step(value, step, {})


def _with_step(value: Value, step: Step, made: dict[int, Value]) -> Value:
    """``made``: what became of the parts met so far, which alternatives of alternatives share."""
    found = made.get(id(value))
    if found is not None:
        return found
    if isinstance(value, Known):
        found = Known(value.text, (*value.steps, step))
    elif isinstance(value, Unknown):
        found = Unknown(value.reason, value.prefix, (*value.steps, step), value.place)
    elif isinstance(value, OneOf):
        found = OneOf(value.choice, [_with_step(arm, step, made) for arm in value.arms], value.place)
    else:
        found = value
    made[id(value)] = found
    return found


def spliced(value: Value, place: Span | None) -> Value:
    """The value as it is put into other text at ``place``: a single word belongs there, several to where they stand."""
    if place is None:
        return value
    if isinstance(value, Known):
        return value if _blank(value) else Known(value.text.through(place), value.steps)
    if isinstance(value, Unknown):
        return Unknown(value.reason, value.prefix, value.steps, value.place or place)
    if isinstance(value, OneOf):
        return OneOf(value.choice, value.arms, value.place or place)
    return Joined(part if isinstance(part, Known) else spliced(part, place) for part in value.parts)


def begins_blank(value: Value) -> bool:
    """Whether text begins with a blank, if there is any."""
    if isinstance(value, OneOf):
        arms = [arm for arm in value.arms if not (isinstance(arm, Known) and not arm.text.text)]
        return bool(arms) and all(map(begins_blank, arms))
    if isinstance(value, Joined):
        return begins_blank(value.parts[0])
    return isinstance(value, Known) and value.text.text[:1].isspace()


def as_mapped(value: Value) -> Mapped:
    """A value as text with holes."""
    if isinstance(value, Known):
        return value.text
    if isinstance(value, Joined):
        return Mapped.join(as_mapped(part) for part in value.parts)
    return Mapped.hole(value, value.place)


def as_value(text: Mapped) -> Value:
    """Text with holes as a value."""
    if not text.holes():
        return Known(text)
    parts: list[Value] = []
    at = 0
    for piece in text.pieces:
        parts.append(Known(text[at : at + piece.length]) if piece.hole is None else piece.hole)
        at += piece.length
    return join(parts)


def _blank(value: Value) -> bool:
    return isinstance(value, Known) and (not value.text.text or len(value.text.text.split()) != 1)
