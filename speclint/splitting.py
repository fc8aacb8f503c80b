"""How a shell splits the expansions in one word into several words."""

from __future__ import annotations

from speclint.lean import pattern
from speclint.value import Joined, Known, OneOf, Unknown, join
from speclint.words import Word, many, under

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from speclint.text import Span
    from speclint.value import Value

_BLANKS = " \t\n"
_BLANK = pattern(r"[ \t\n]")
# A value of more words is not told apart: no launch is that long.
_MAX_WORDS = 4096
Part = tuple["Value", bool]


def split(parts: Sequence[Part], span: Span | None) -> list[Word]:
    """The words that a shell makes of one word whose parts are (value, whether white space in it separates words).

    Known text is split at blanks, alternatives become guarded words where they stand apart from other text. An unknown
    part that stands alone and may be split is any number of words; beside other text it is taken to be part of one.
    A word that is a whole value stands where it is used (``span``), one of several in a value where it is written.
    """
    flat: list[Part] = []
    for value, splits in parts:
        if splits and isinstance(value, Joined):
            flat.extend((part, True) for part in value.parts)
        else:
            flat.append((value, splits))
    return _Splitter(span).run(flat)


class _Splitter:
    """Fields as they fill up: ``field`` is the word being read, None between words."""

    def __init__(self, span: Span | None) -> None:
        self.span = span
        self.done: list[Word] = []
        self.field: list[Value] | None = None
        self.spliced = False  # the word being read is one of several in a value
        self.apart = False  # alternatives beside it are words of their own
        self.anchored = False  # the word being read is there however its alternatives go
        self.lost = False  # what comes up to the next blank belongs to words that are not told

    def run(self, parts: Sequence[Part]) -> list[Word]:
        for index, (value, splits) in enumerate(parts):
            if self.lost:
                if splits and isinstance(value, Known):
                    self._again(value)
                continue
            closed = index + 1 == len(parts) or _starts_apart(parts[index + 1])
            if not splits:
                self._add(value)
                self.anchored = True
            elif isinstance(value, Known):
                self._known(value)
            elif isinstance(value, OneOf):
                self._one_of(value, closed, index + 1 < len(parts) and _anchors(parts[index + 1]))
            elif self.field is None and closed and not _prefix(value):
                self.done.append(many(_reason(value), _place(value) or self.span))
            else:
                self._add(value)
        self._end()
        if len(self.done) == 1 and _place(self.done[0].value) is not None:
            # The whole word, quotes included, not only what was spliced into it.
            self.done[0].span = self.span
        return self.done

    def _again(self, value: Known) -> None:
        """Behind words that are not told, those from the next blank on are."""
        blank = _BLANK.search(value.text.text)
        if blank is not None:
            self.lost = False
            self._known(Known(value.text[blank.start() :], value.steps))

    def _add(self, value: Value) -> None:
        if self.field is None:
            self.field = []
        self.field.append(value)

    def _end(self) -> None:
        if self.field is not None:
            value = join(self.field)
            written = value.text.span() if (self.spliced or self.apart) and isinstance(value, Known) else None
            self.done.append(Word(value, written or _place(value) or self.span))
        self.field = None
        self.spliced = self.anchored = False

    def _known(self, value: Known) -> None:
        text = value.text.text
        bounds = fields(text)
        if len(bounds) > _MAX_WORDS:
            self._end()
            self.done.append(many("it is too long to be followed", self.span))
            return
        if not bounds:
            if text:
                self._end()
            return
        blank = bounds[0] != (0, len(text)) or len(bounds) > 1
        if bounds[0][0] > 0:
            self._end()
        for index, (start, end) in enumerate(bounds):
            if index:
                self._end()
            if blank and self.field is None:
                self.spliced = True
            self._add(Known(value.text[start:end], value.steps))
            self.anchored = True
        if bounds[-1][1] < len(text):
            self._end()

    def _one_of(self, value: OneOf, closed: bool, anchored: bool) -> None:
        every = list(leaves(value))
        texts = [leaf.text.text for leaf in every if isinstance(leaf, Known)]
        # Nothing beside other text takes nothing away from the word.
        kept = all(texts) or self.anchored or anchored
        blank = any(char in _BLANKS for text in texts for char in text)
        # What is not known is taken for a part of one word, as it is where it is no alternative.
        beside = bool(texts) or self.anchored or anchored
        if beside and kept and not blank and not any(isinstance(leaf, Joined) for leaf in every):
            self._add(value)
            return
        apart_left = self.field is None or _apart(value, 0)
        apart_right = closed or _apart(value, -1)
        if not (apart_left and apart_right):
            self.field = None
            self.done.append(many("alternatives with blanks are joined to other text", self.span))
            self.lost = not apart_right
            return
        self.apart = True
        self._end()
        arms = [split([(arm, True)], self.span) for arm in value.arms]
        word = _as_one(value, [words[0] for words in arms if len(words) == 1], self.span)
        if word is not None:
            self.done.append(word)
            return
        for index, words in enumerate(arms):
            self.done.extend(under(words, value.choice, index))


def _as_one(value: OneOf, words: Sequence[Word], span: Span | None) -> Word | None:
    """The word that alternatives are of which each is ``words``, one for each; None where they are to be told apart."""
    if len(words) < len(value.arms) or any(word.guard or word.prefix.startswith("-") for word in words):
        return None
    if all(word.many for word in words):
        return many(_reason(words[0].value), _place(value) or span)
    return Word(OneOf(value.choice, [word.value for word in words], value.place), value.place or span)


def fields(text: str) -> list[tuple[int, int]]:
    """The ranges between blanks (space, tab, newline: the shell's default separators)."""
    found: list[tuple[int, int]] = []
    start = -1
    for index, char in enumerate(text):
        if char in _BLANKS:
            if start >= 0:
                found.append((start, index))
            start = -1
        elif start < 0:
            start = index
    if start >= 0:
        found.append((start, len(text)))
    return found


def leaves(value: Value) -> Iterator[Value]:
    """What a value may be, alternatives told apart."""
    if isinstance(value, OneOf):
        for arm in value.arms:
            yield from leaves(arm)
    else:
        yield value


def _starts_apart(part: Part) -> bool:
    """Whether the part begins with a blank whatever its value."""
    value, splits = part
    if isinstance(value, Known) and not value.text.text:
        return False
    return splits and _apart(value, 0)


def _anchors(part: Part) -> bool:
    """Whether a part makes a word of what stands directly before it."""
    value, splits = part
    return not splits or (isinstance(value, Known) and value.text.text[:1] not in ("", *_BLANKS))


def _apart(value: Value, edge: int) -> bool:
    """Whether a value is empty or has a blank at its start (``edge`` 0) or end (-1), in every case."""
    if isinstance(value, Known):
        text = value.text.text
        return not text or text[edge] in _BLANKS
    if isinstance(value, OneOf):
        return all(_apart(arm, edge) for arm in value.arms)
    return isinstance(value, Joined) and _apart(value.parts[edge], edge)


def _place(value: Value) -> Span | None:
    """Where a value was spliced into the text that is split."""
    return value.place if isinstance(value, OneOf | Unknown) else None


def _prefix(value: Value) -> bool:
    return isinstance(value, Unknown) and value.prefix is not None and bool(value.prefix.text)


def _reason(value: Value) -> str:
    return value.reason if isinstance(value, Unknown) else "it is not known"
