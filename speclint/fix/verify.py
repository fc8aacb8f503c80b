"""The promises of a fix, checked on the text that it leaves.

Afterwards the file still parses, every launch that the finding does not speak of has the same words, environment and
place among the others, the finding is gone, nothing new of its level or above is found, and comments stand.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import Counter

from speclint.finding import LEVELS
from speclint.fix.embedded import of_file
from speclint.fix.regions import Region
from speclint.fix.structure import broken
from speclint.value import Joined, Known, OneOf, Unknown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Iterator, Sequence

    from speclint.analysis import Analysis
    from speclint.finding import Edit, Finding
    from speclint.launch import Launch
    from speclint.source import SourceFile
    from speclint.text import Mapped, Span
    from speclint.value import Step, Value
    from speclint.words import Guard, Keyword, Word

EditKey = tuple[int, int, str]


def edit_key(edit: Edit) -> EditKey:
    """What an edit does within its file; equal edits are one."""
    return (edit.span.start, edit.span.end, edit.content)


def edits_of(findings: Iterable[Finding]) -> list[EditKey]:
    """The edits of the fixes of findings, each once, in order."""
    return sorted({edit_key(edit) for finding in findings if finding.fix for edit in finding.fix.edits})


def apply(text: str, edits: Sequence[EditKey]) -> tuple[str, dict[EditKey, Region]]:
    """The text after edits, which are in order and do not overlap, and where each of them is in both texts."""
    parts: list[str] = []
    regions: dict[EditKey, Region] = {}
    at = shift = 0
    for start, end, content in edits:
        if start < at:
            raise ValueError(f"edits overlap at {start}")
        parts += (text[at:start], content)
        regions[start, end, content] = Region(start, end, start + shift, start + shift + len(content))
        shift += len(content) - (end - start)
        at = end
    parts.append(text[at:])
    return "".join(parts), regions


def broken_promise(
    before: Analysis, after: Analysis, fixed: Sequence[Finding], regions: dict[EditKey, Region]
) -> str | None:
    """The first promise that the fixes of ``fixed`` break, for people; None if they keep all.

    ``regions`` are the edits that lead from ``before`` to ``after``.
    """
    lost = Counter(str(p[0]) for p in after.problems) - Counter(str(p[0]) for p in before.problems)
    if lost:
        return f"the file would no longer be read: {next(iter(lost))}"
    return (
        _launches(before, after, fixed, regions)
        or _findings(before, after, fixed)
        or broken(of_file(before.host), before.file, after.file, list(regions.values()))
    )


# -- findings


def _tally(analysis: Analysis, findings: Iterable[Finding]) -> Counter[tuple[int, str, int]]:
    """Findings by launch, code and least level: one of level error counts as a warning and an info too."""
    index = {id(launch): i for i, launch in enumerate(analysis.launches)}
    found: Counter[tuple[int, str, int]] = Counter()
    for finding in findings:
        for launch in (finding.launch, *finding.sharers):
            for rank in range(LEVELS.index(finding.level) + 1):
                found[index.get(id(launch), -1), finding.code, rank] += 1
    return found


def _findings(before: Analysis, after: Analysis, fixed: Sequence[Finding]) -> str | None:
    gone = _tally(before, fixed)
    old = _tally(before, [*before.findings, *before.unasked])
    least = min(LEVELS.index(f.level) for f in fixed)
    for key, count in _tally(after, [*after.findings, *after.unasked]).items():
        _, code, rank = key
        if rank < least or count <= old[key] - gone[key]:
            continue
        if gone[key]:
            return f"{code} would still be found"
        # That a suppression is no longer needed is good news.
        if not code.startswith("SGL0"):
            return f"{code} would be found"
    return None


# -- launches


def _launches(
    before: Analysis, after: Analysis, fixed: Sequence[Finding], regions: dict[EditKey, Region]
) -> str | None:
    if len(before.launches) != len(after.launches):
        return "launches would appear or vanish"
    concerned: dict[int, list[Finding]] = {}
    for finding in fixed:
        for launch in (finding.launch, *finding.sharers):
            concerned.setdefault(id(launch), []).append(finding)
    every = _Touched(after.file, regions.values(), True)
    for old, new in zip(before.launches, after.launches, strict=True):
        if _identity(old) != _identity(new):
            return "launches would change places"
        if id(old) not in concerned:
            if words(old) != words(new) or _surroundings(old) != _surroundings(new):
                return "another launch would change"
            continue
        mine = [regions[key] for key in edits_of(concerned[id(old)])]
        if not _kept((before.file, old), (after.file, new), mine, every):
            return "other words of the launch would change"
    return None


def _kept(
    before: tuple[SourceFile, Launch], after: tuple[SourceFile, Launch], mine: list[Region], every: _Touched
) -> bool:
    """Whether the words that ``mine`` do not touch are all there and in order, and the other edits change nothing."""
    if _serves_several(before, mine) or _unread(before, after, mine):
        return False
    own = _Touched(after[0], mine, True)
    known = set(words(before[1]))
    rest: list[Hashable] = []
    for item in _items(after[1]):
        # What is written at the end of a definition is within that, but not within the words that it had before.
        if own.any(_written(item)):
            continue
        foreign = any(every.order[at] not in own.regions for at in every.which(_places(item)))
        if foreign and _shape(item) not in known:
            return False
        rest.append(_shape(item))
    left = iter(rest)
    replaced = _Touched(before[0], mine, False)
    kept = (_shape(i) for i in _items(before[1]) if not replaced.any(_places(i)))
    return all(any(one == other for other in left) for one in kept)


def _unread(before: tuple[SourceFile, Launch], after: tuple[SourceFile, Launch], mine: Sequence[Region]) -> bool:
    """Whether other text stands in the place of words, and the launch does not read it."""
    old, new = _Touched(before[0], mine, False), _Touched(after[0], mine, True)
    replaced = {at for item in _items(before[1]) for at in old.which(_written(item))}
    read = {at for item in _items(after[1]) for at in new.which(_written(item))}
    text = after[0].text
    return any(text[new.starts[at] : new.ends[at]].strip() for at in replaced - read)


def _serves_several(before: tuple[SourceFile, Launch], mine: Sequence[Region]) -> bool:
    """Whether an edit changes a place that several words of a launch are made at: the body of a loop."""
    made: Counter[Hashable] = Counter()
    touched = _Touched(before[0], mine, False)
    for item in _items(before[1]):
        span = item.span
        written = isinstance(item.value, Known) and any(piece.exact for piece in item.value.text.pieces)
        if written and span is not None and touched.any((span,)):
            made[span, _guard(item.guard)] += 1
    return any(count > 1 for count in made.values())


class _Touched:
    """Whether edits replace characters of a span or put some between them; to adjoin is not enough.

    ``regions`` are apart and in order, so that one look finds those near a span, however many there are.
    """

    def __init__(self, file: SourceFile, regions: Iterable[Region], new: bool) -> None:
        self.file = file
        self.order = sorted(regions)
        self.regions = frozenset(self.order)
        self.starts = [r.new_start if new else r.start for r in self.order]
        self.ends = [r.new_end if new else r.end for r in self.order]

    def any(self, spans: Iterable[Span]) -> bool:
        """Whether any of the spans is touched."""
        return any(True for _ in self.which(spans))

    def which(self, spans: Iterable[Span]) -> Iterator[int]:
        """The numbers, in the order of the text, of the edits that touch the spans."""
        for span in spans:
            if span.file is self.file:
                # An empty range is one where something was put or taken out.
                yield from range(bisect_right(self.ends, span.start), bisect_left(self.starts, span.end))


def _items(launch: Launch) -> tuple[Word | Keyword, ...]:
    return (*launch.words, *(launch.command.keywords or ()))


def words(launch: Launch) -> list[Hashable]:
    """The words or keywords of a launch, each as what it is, apart from where it stands."""
    return [_shape(item) for item in _items(launch)]


def _identity(launch: Launch) -> Hashable:
    return (launch.entrypoint, launch.command.host, launch.command.object)


def _surroundings(launch: Launch) -> Hashable:
    image = launch.command.image
    return (
        tuple(sorted((name, _value(value)) for name, value in launch.command.env.items())),
        None if image is None else _value(image),
    )


def _shape(item: Word | Keyword) -> Hashable:
    """What a word is, apart from where it stands."""
    name = getattr(item, "name", "")
    return (name, _value(item.value), getattr(item, "many", False), _guard(item.guard))


def _guard(guard: Guard) -> Hashable:
    return tuple((choice.kind, arm) for choice, arm in guard)


def _value(value: Value) -> tuple[object, ...]:
    if isinstance(value, Known):
        return ("known", value.text.text, _holes(value.text))
    if isinstance(value, OneOf):
        return ("one of", value.choice.kind, tuple(_value(arm) for arm in value.arms))
    if isinstance(value, Joined):
        return ("joined", tuple(_value(part) for part in value.parts))
    return ("unknown", value.prefix.text if value.prefix is not None else "")


def _holes(text: Mapped) -> Hashable:
    return tuple(_value(piece.hole) for piece in text.pieces if piece.hole is not None)


def _places(item: Word | Keyword) -> Iterator[Span]:
    """Every place that a word was made from, the definitions that led to it among them."""
    yield from _written(item)
    yield from (s.span for value in _parts(item.value) for s in _steps(value) if s.span is not None)


def _written(item: Word | Keyword) -> Iterator[Span]:
    """Where a word and the characters of its value are written; nowhere for options of which not even names are."""
    if getattr(item, "name", "") is None:
        return
    if item.span is not None:
        yield item.span
    name = getattr(item, "name_span", None)
    if name is not None:
        yield name
    for value in _parts(item.value):
        text = value.prefix if isinstance(value, Unknown) else value.text if isinstance(value, Known) else None
        yield from (p.span for p in (text.pieces if text is not None else ()) if p.span is not None)


def _steps(value: Value) -> tuple[Step, ...]:
    return value.steps if isinstance(value, (Known, Unknown)) else ()


def _parts(whole: Value) -> Iterator[Value]:
    """The values that a value is made of."""
    todo: list[Value] = [whole]
    while todo:
        value = todo.pop()
        if isinstance(value, OneOf):
            todo.extend(value.arms)
        elif isinstance(value, Joined):
            todo.extend(value.parts)
        else:
            yield value
