"""What programs print of the words that they are given: ``echo``, ``printf``, ``seq`` and their likes."""

from __future__ import annotations

from speclint.hosts.shell.syntax import literal
from speclint.lean import pattern, re
from speclint.text import Mapped
from speclint.value import EMPTY, Known, OneOf, join
from speclint.words import as_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from speclint.value import Value
    from speclint.words import Word

_ECHO = pattern(r"-[neE]+")
_ESCAPE = pattern(r"\\.", re.DOTALL)
_FORMAT = pattern(r"%(?:[sd]|%)|\\.|%|[^%\\]+")
_ESCAPES = {"\\n": "\n", "\\t": "\t", "\\\\": "\\", '\\"': '"'}
_NUMBER = pattern(r"0|-?[1-9]\d{0,6}")
_MAX_NUMBERS = 512


class UntoldError(Exception):
    """What is printed cannot be told from the text."""


def echo(words: Sequence[Word], escapes: bool = False) -> list[Value]:
    """``escapes``: the shell has an ``echo`` that reads them unasked, as ``sh`` of an image mostly does."""
    end = "\n"
    while words and _ECHO.fullmatch(words[0].text or ""):
        escapes = escapes or "e" in (words[0].text or "")
        end = "" if "n" in (words[0].text or "") else end
        words = words[1:]
    text = as_text(words)
    if escapes and "\\" in text.text:
        text = _escaped(text)
    return [*_values(text), Known(Mapped.new(end))]


def _escaped(text: Mapped) -> Mapped:
    """The text with what its backslashes stand for."""
    parts: list[Mapped] = []
    at = 0
    for found in _ESCAPE.finditer(text.text):
        made = _ESCAPES.get(found.group())
        if made is None or made == '"':
            raise UntoldError
        parts += [text[at : found.start()], Mapped.new(made)]
        at = found.end()
    return Mapped.join([*parts, text[at:]])


def _printf(words: Sequence[Word]) -> list[Value]:
    """``printf FORMAT WORD …``: the format is gone through until no word is left."""
    if words and words[0].text == "--":
        words = words[1:]
    given = words[0].value if words and not words[0].guard else None
    if not isinstance(given, Known):
        raise UntoldError
    pieces = [(found.group(), *found.span()) for found in _FORMAT.finditer(given.text.text)]
    takes = sum(text in ("%s", "%d") for text, _, _ in pieces)
    open_ = any(word.many or word.guard for word in words)
    # Any number of words, each with text of the format around it, is no word of which that text is a part.
    fixed = any(text.strip() and text[0] not in "%\\" for text, _, _ in pieces)
    if open_ and (takes != 1 or (fixed and any(word.many for word in words))):
        raise UntoldError
    if not open_:
        return _printed(given, pieces, list(words[1:]), takes)
    done: list[Value] = []
    for word in words[1:]:  # each has the format for itself
        value = join(_printed(given, pieces, [word], takes))
        for choice, arm in reversed(word.guard):
            value = OneOf(choice, [value if i == arm else EMPTY for i in range(len(choice.labels))])
        done.append(value)
    return done


def _printed(given: Known, pieces: Sequence[tuple[str, int, int]], rest: list[Word], takes: int) -> list[Value]:
    """What a format makes of words that are there."""
    done: list[Value] = []
    while True:
        for text, start, end in pieces:
            if text in ("%s", "%d"):
                done += [rest.pop(0).value] if rest else []
            elif text == "%" or (text[0] == "\\" and text not in _ESCAPES):
                raise UntoldError
            elif text == "%%" or text in _ESCAPES:
                done.append(Known(Mapped.new(_ESCAPES.get(text, "%"))))
            else:
                done.append(Known(given.text[start:end], given.steps))
        if not rest or not takes:
            return done


def _seq(words: Sequence[Word]) -> list[Value]:
    """``seq -s, FIRST STEP LAST``: whole numbers, each on a line of its own or with something between them."""
    texts = [word.text or "" if not word.guard else "" for word in words]
    between = "\n"
    if texts and texts[0].startswith("-s"):
        between = texts[0][2:] or "".join(texts[1:2])
        texts = texts[1:] if texts[0] != "-s" else texts[2:]
    if not (1 <= len(texts) <= 3 and between and all(_NUMBER.fullmatch(text) for text in texts)):
        raise UntoldError
    numbers = [int(text) for text in texts]
    first, step, last = (1, 1, *numbers)[-3:] if len(numbers) != 2 else (numbers[0], 1, numbers[1])
    found = range(first, last + (1 if step > 0 else -1), step) if step else range(0)
    if not 0 < len(found) <= _MAX_NUMBERS:
        raise UntoldError
    return [Known(Mapped.new(between.join(map(str, found)) + "\n"))]


def _cat(words: Sequence[Word]) -> list[Value]:
    raise UntoldError  # of a file; here-documents are met before


def _path(name: str, words: Sequence[Word]) -> list[Value]:
    """``basename PATH``, ``dirname PATH``."""
    from speclint.hosts.shell import pathnames

    value = pathnames.printed(name, words)
    if value is None:
        raise UntoldError
    return [value, Known(Mapped.new("\n"))]


PRINTERS: dict[str, Callable[[Sequence[Word]], list[Value]]] = {
    "echo": echo,
    "printf": _printf,
    "cat": _cat,
    "seq": _seq,
    "basename": lambda words: _path("basename", words),
    "dirname": lambda words: _path("dirname", words),
}


def _values(text: Mapped) -> list[Value]:
    return [value for value, _ in literal(text, True)]
