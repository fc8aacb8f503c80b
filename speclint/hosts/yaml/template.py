"""Templates of YAML: Helm and Jinja ``{{ … }}``, GitHub's ``${{ … }}``.

A template is read as the YAML that it comes to when every condition is met. What it fills in becomes a hole, a
value that is not known; lines that only steer it vanish. What was conditional is kept beside the text as regions,
so that an item of a list under ``{{- if }}`` is one that may be there.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from itertools import pairwise

from speclint.hosts.yaml.actions import blocks, choice_of, scan
from speclint.hosts.yaml.scopes import Scopes
from speclint.lean import pattern, re
from speclint.text import HOLE, Mapped
from speclint.value import EMPTY, Known, OneOf, Unknown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from speclint.hosts.yaml.actions import Action
    from speclint.hosts.yaml.chart import Chart
    from speclint.text import Span
    from speclint.value import Choice, Value
    from speclint.words import Guard

FILLED = "it is filled in by a template"
GIVEN = "it may be given another value"
REPEATED = "it is repeated by a template"
# Text of a conditional part of a script that is nothing but words.
_WORDS_ONLY = pattern(r"[^\"'`$;&|<>()\\\n\r{}#]*")
_CONTINUED = pattern(r"\\\r?\n")
_ITEM = pattern(rf"\s*-[ \t]+[\"']?{HOLE}[\"']?\s*")
_LAUNCHER = pattern(r"sglang|launch_server")


class Region:
    """A part that is there only when ``choice`` went way ``arm``; any number of times where there is no choice.

    ``items``: what it is repeated for, where that is known.
    """

    __slots__ = ("arm", "choice", "end", "items", "start")

    def __init__(
        self, start: int, end: int, choice: Choice | None, arm: int, items: Sequence[Value] | None = None
    ) -> None:
        self.items = items
        self.start = start
        self.end = end
        self.choice = choice
        self.arm = arm


class Rendered:
    """``text`` is the YAML; ``marks`` are places in it where a template adds lines, each with what adds them.

    ``added``: the items of the list that a template writes at a place, where they are known; ``chart`` is what they
    hang on.
    """

    __slots__ = ("_at", "_nested", "_starts", "added", "chart", "marks", "regions", "text")

    def __init__(
        self,
        text: Mapped,
        marks: Mapping[int, Span | None] | None = None,
        regions: Sequence[Region] = (),
        added: Mapping[int, Sequence[Value]] | None = None,
        chart: Chart | None = None,
    ) -> None:
        self.text = text
        self.added = dict(added or {})
        self.chart = chart
        self.marks = dict(marks or {})
        self._at = sorted(self.marks)
        self.regions = tuple(regions)
        self._nested = _nested(self.regions)
        self._starts = [self.regions[index].start for index, _ in self._nested]

    def guard(self, at: int, start: int, end: int) -> Guard | None:
        """The choices that what stands at ``at`` hangs on, seen from what lies at ``start`` to ``end`` around it.

        None if it is repeated.
        """
        found = [r for r in self._around(at) if not (r.start <= start and end <= r.end)]
        if any(r.choice is None for r in found):
            return None
        return tuple((r.choice, r.arm) for r in found if r.choice is not None)

    def _around(self, at: int) -> list[Region]:
        around: list[int] = []
        here = bisect_right(self._starts, at) - 1
        while here >= 0:
            index, here = self._nested[here]
            if at < self.regions[index].end:
                around.append(index)
        return [self.regions[index] for index in sorted(around)]

    def repeated(self, at: int) -> Sequence[Value] | None:
        """What the part around a place is repeated for, if all that it holds is an item of a list for each."""
        found = [r for r in self._around(at) if r.choice is None]
        if len(found) != 1 or not _ITEM.fullmatch(self.text.text, found[0].start, found[0].end):
            return None
        return found[0].items

    def marked(self, start: int, end: int) -> list[int]:
        """The marks in a range."""
        return self._at[bisect_left(self._at, start) : bisect_right(self._at, end)]


def _nested(regions: Sequence[Region]) -> list[tuple[int, int]]:
    """The indexes of the regions in order of their places, each with where in this list the one around it is, or -1."""
    found: list[tuple[int, int]] = []
    open_ones: list[int] = []
    for index in sorted(range(len(regions)), key=lambda i: (regions[i].start, -regions[i].end)):
        while open_ones and regions[found[open_ones[-1]][0]].end <= regions[index].start:
            open_ones.pop()
        open_ones.append(len(found))
        found.append((index, open_ones[-2] if len(open_ones) > 1 else -1))
    return found


def render(source: Mapped, chart: Chart | None = None) -> Rendered:
    """The YAML that a template comes to; ``chart`` has the values that are put in."""
    actions = scan(source.text)
    return _Renderer(source, actions, chart).run() if actions else Rendered(source)


class _Renderer:
    """Builds the text from left to right; ``at`` is how far the source is done."""

    def __init__(self, source: Mapped, actions: list[Action], chart: Chart | None) -> None:
        self.chart = chart
        self.scopes = Scopes(actions, chart)
        self.added: dict[int, Sequence[Value]] = {}
        self.source = source
        self.text = source.text
        self.actions = actions
        self.starts = [a.start for a in actions]
        self.blocks = blocks(self.text, actions)
        self.parts: list[Mapped] = []
        self.length = 0
        self.at = 0
        self.marks: dict[int, Span | None] = {}
        self.regions: list[Region] = []
        # Of the openers that hold lines of YAML: choice, arm (-1: no condition), start; and their elses and ends.
        self.open: list[tuple[Choice | None, int, int, Sequence[Value] | None]] = []
        self.closers: set[int] = set()
        self.choices: dict[tuple[str, ...], Choice] = {}

    def run(self) -> Rendered:
        index = 0
        while index < len(self.actions):
            index = self.step(index)
        self.copy(len(self.text))
        return Rendered(Mapped.join(self.parts), self.marks, self.regions, self.added, self.chart)

    def step(self, index: int) -> int:
        """Take one action, or a whole conditional part of a scalar; the index of the next."""
        action = self.actions[index]
        line = self.line(action)
        block = self.block(action.start)
        if action.kind == "open" and action.stop is not None:
            last = self.actions[action.stop]
            if line is None or (block is not None and block == self.block(last.end - 1)):
                self.scalar_region(action, last, line)
                return action.stop + 1
            self.closers.update((action.stop, *action.arms))
            self.cut(line)
            items = self.scopes.items(action, self.source.span(action.start, action.end))
            self.open.append((self.choice(action), -1 if action.is_body else 0, self.length, items))
        elif index in self.closers:
            self.close(action, line)
        elif action.kind != "hole":
            self.cut(line or (action.start, action.end))
        elif line is not None and block is None:
            self.cut(line)
            span = self.marks[self.length] = self.source.span(action.start, action.end)
            self.add_items(action, span)
        else:
            span = self.source.span(action.start, action.end)
            self.copy(action.start)
            self.add_items(action, span)
            self.hole(self.scopes.value(action, span) or Unknown(FILLED, place=span), action.start, action.end)
        return index + 1

    def add_items(self, action: Action, span: Span | None) -> None:
        """Note what list the template writes here."""
        found = self.scopes.items(action, span)
        if found is not None:
            self.added[self.length] = found

    def choice(self, action: Action) -> Choice | None:
        """The choice that an action makes; the same conditions make the same choice wherever they stand."""
        found = choice_of(action, self.actions, self.source.span(action.start, action.end))
        return None if found is None else self.choices.setdefault(found.labels, found)

    def close(self, action: Action, line: tuple[int, int] | None) -> None:
        """An ``else`` or an ``end`` of a part that holds lines of YAML."""
        self.cut(line or (action.start, action.end))
        if not self.open:
            return
        choice, arm, start, items = self.open.pop()
        if arm >= 0:
            self.regions.append(Region(start, self.length, choice, arm, items))
        if action.kind == "else":
            self.open.append((choice, arm + 1 if arm >= 0 else arm, self.length, None))

    def line(self, action: Action) -> tuple[int, int] | None:
        """The lines of an action that has them for itself, or shares them with other actions only."""
        start = self.text.rfind("\n", 0, action.start) + 1
        end = self.text.find("\n", action.end)
        end = len(self.text) if end < 0 else end + 1
        at = start
        for other in self.actions[bisect_left(self.starts, start) : bisect_left(self.starts, end)]:
            if self.text[at : other.start].strip():
                return None
            at = other.end
        return None if self.text[at:end].strip() else (start, max(at, end))

    def block(self, at: int) -> int | None:
        """The number of the block scalar that a place lies in."""
        index = bisect_right(self.blocks, (at, len(self.text), 0)) - 1
        return index if index >= 0 and self.blocks[index][0] <= at < self.blocks[index][1] else None

    def copy(self, to: int) -> None:
        if to > self.at:
            self.add(self.source[self.at : to])
            self.at = to

    def add(self, part: Mapped) -> None:
        self.parts.append(part)
        self.length += len(part)

    def cut(self, place: tuple[int, int] | None) -> None:
        """Leave a range out."""
        if place is not None:
            self.copy(place[0])
            self.at = max(self.at, place[1])

    def hole(self, value: Value, start: int, end: int) -> None:
        self.copy(start)
        if end > self.at:
            self.add(Mapped.hole(value, self.source.span(start, end)))
            self.at = end

    def filled(self, start: int, end: int) -> Value:
        return Unknown(FILLED, place=self.source.span(start, end))

    def scalar_region(self, action: Action, last: Action, line: tuple[int, int] | None) -> None:
        """A condition within one scalar."""
        close = self.line(last)
        if line is None or close is None:
            self.hole(self.filled(action.start, last.end), action.start, last.end)
            return
        self.copy(line[0])
        cuts = [self.line(a) or (a.start, a.end) for a in (action, *(self.actions[i] for i in action.arms), last)]
        arms = [(before[1], after[0]) for before, after in pairwise(cuts)]
        if any(_LAUNCHER.search(self.text, a, b) for a, b in arms):
            # Each arm starts something of its own: they are read one after the other.
            self.arms(arms)
        else:
            self.alternatives(action, last, arms)
        self.at = max(self.at, close[1])

    def arms(self, arms: Sequence[tuple[int, int]]) -> None:
        for start, end in arms:
            self.at = max(self.at, start)
            index = bisect_left(self.starts, start)
            while index < len(self.actions) and self.actions[index].start < end:
                index = self.step(index)
            self.copy(end)

    def alternatives(self, action: Action, last: Action, arms: Sequence[tuple[int, int]]) -> None:
        """Arguments under a condition: one hole that is one of the arms, where they are plain words."""
        choice = self.choice(action)
        values = [self.words(start, end) for start, end in arms]
        known = [v for v in values if v is not None]
        value = self.filled(action.start, last.end)
        if choice is not None and len(known) == len(values):
            value = OneOf(choice, [*known, EMPTY][: len(choice.labels)], self.source.span(action.start, last.end))
        number = self.block(action.start)
        self.add(Mapped.new(" " * (self.blocks[number][2] if number is not None else 0)))
        self.at = action.start
        self.hole(value, action.start, last.end)
        first = self.text[arms[0][0] : arms[0][1]].rstrip()
        self.add(Mapped.new(" \\\n" if first.endswith("\\") else "\n"))

    def words(self, start: int, end: int) -> Value | None:
        """A part of a script that is nothing but words, with its line continuations taken out."""
        body = _CONTINUED.sub(lambda m: " " * len(m.group()), self.text[start:end] + "\n").rstrip()
        if not _WORDS_ONLY.fullmatch(body.strip()):
            return None
        words = [self.source[start + m.start() : start + m.end()] for m in re.finditer(r"\S+", body)]
        parts = [part for word in words for part in (Mapped.new(" "), word)][1:]
        return Known(Mapped.join(parts)) if parts else EMPTY
