"""Expansions that change a text: ``${X##*/}``, ``${X//a/b}``, ``${X,,}``, ``${X:0:3}``.

Patterns are read as the shell reads them where they are made of plain text, ``*`` and ``?``; others are not followed.
"""

from __future__ import annotations

from speclint.hosts.shell.syntax import escapes
from speclint.lean import pattern, re
from speclint.text import Mapped
from speclint.value import EMPTY, Known, Unknown, join
from speclint.worlds import combine

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from speclint.hosts.shell.env import Env
    from speclint.hosts.shell.syntax import Syntax
    from speclint.text import Span
    from speclint.value import Value
    from speclint.words import Word

_PLAIN = pattern(r"[^\[\]\\\"'$`(){}|!@+~]*")
_SLASHED = pattern(r"((?:[\w.:,%=-]|\\/)+)(?:/([\w.:,%=-]*))?")
_MAX_SLASHED = 200
# A statement that sets what separates fields, for more than one command.
_SEPARATES = pattern(rb"\bIFS=(?:'[^'\n]*'|\"[^\"\n]*\"|\$'[^'\n]*'|[^\s;'\"$]*)[ \t]*(?:[;\n)&|}#]|\Z)")
_MAX = 4096
_ANSI = {"n": "\n", "t": "\t", "r": "\r", "a": "\a", "b": "\b", "f": "\f", "v": "\v", "e": "\x1b", "E": "\x1b"}
_ANSI_CODE = pattern(r"x[0-9a-fA-F]{1,2}|u[0-9a-fA-F]{1,4}|U[0-9a-fA-F]{1,8}|[0-7]{1,3}")


def edited(value: Value, operator: str, words: Sequence[str], place: Span | None) -> Value | None:
    """The value of ``${X<operator><words>}``; None where that is not followed. What it makes stands nowhere."""
    work = _work(operator, words)
    if work is None:
        return None

    def make(known: Sequence[Known]) -> Value:
        text = known[0].text.text
        made = work(text) if len(text) <= _MAX and text.isascii() else None
        if made is None:
            return Unknown("what the expansion makes of it is not followed")
        return known[0] if made == text else Known(Mapped.new(made, place), known[0].steps)

    return combine([value], make)


def replacing(written: str) -> list[str]:
    """The pattern and the text of ``${X/pattern/text}``, where slashes of the pattern stand behind backslashes."""
    found = _SLASHED.fullmatch(written) if len(written) < _MAX_SLASHED else None
    return [found[1].replace("\\/", "/"), found[2] or ""] if found is not None else []


def sliced(size: int, words: Sequence[str]) -> tuple[int, int] | None:
    """The range that ``:start`` or ``:start:length`` takes of something of this size."""
    try:
        numbers = [int(word) for word in words]
    except ValueError:
        return None
    if not 1 <= len(numbers) <= 2:
        return None
    start = numbers[0] + size if numbers[0] < 0 else numbers[0]
    length = numbers[1] if len(numbers) > 1 else size
    end = size + length if length < 0 else min(start + length, size)
    return (start, end) if 0 <= start <= end else (0, 0) if start >= size else None


def _work(operator: str, words: Sequence[str]) -> Callable[[str], str | None] | None:
    if operator == ":":
        return lambda text: _cut(text, words)
    if operator in (",,", "^^", ",", "^") and not words:
        return {
            ",,": str.lower,
            "^^": str.upper,
            ",": lambda text: text[:1].lower() + text[1:],
            "^": lambda text: text[:1].upper() + text[1:],
        }[operator]
    if not words or not all(_PLAIN.fullmatch(word) for word in words):
        return None
    if operator in ("#", "##", "%", "%%") and len(words) == 1:
        glob = _glob(words[0])
        return lambda text: _trimmed(text, glob, operator)
    if operator in ("/", "//") and words[0] and len(words) <= 2 and "&" not in words[-1]:
        glob, new = _glob(words[0]), words[1] if len(words) > 1 else ""
        return lambda text: glob.sub(lambda found: new, text, count=operator == "/")
    if operator in ("/#", "/%") and len(words) <= 2 and "&" not in words[-1]:
        edge, new = _glob(words[0]), words[1] if len(words) > 1 else ""
        return lambda text: _replaced(text, edge, operator[1] == "#", new)
    return None


def separator(syntax: Syntax, env: Env) -> str | None:
    """The first character of ``IFS``, which stands between elements that become one text; None if it is not known."""
    held = env.variables.get("IFS")
    if held is None:
        # Of a script that is followed in parts, the one that sets it may be none of them.
        return None if syntax.wanted is not None and syntax.has(_SEPARATES) else " "
    value = held.scalar()
    if value is EMPTY:
        return " "  # it is unset
    return value.text.text[:1] if isinstance(value, Known) else None


def linked(words: Sequence[Word], between: str | None) -> Value:
    """Elements as one text, with a character between them."""
    if between is None or any(word.many or word.guard for word in words):
        return Unknown("what stands between the elements is not known")
    parts: list[Value] = []
    for word in words:
        parts += (Known(Mapped.new(between)), word.value) if parts else (word.value,)
    return join(parts)


def _cut(text: str, words: Sequence[str]) -> str | None:
    bounds = sliced(len(text), words)
    return None if bounds is None else text[slice(*bounds)]


def _glob(written: str) -> re.Pattern[str]:
    parts = (".*" if char == "*" else "." if char == "?" else re.escape(char) for char in written)
    return re.compile("".join(parts), re.DOTALL)


def _trimmed(text: str, glob: re.Pattern[str], operator: str) -> str:
    """The text without the shortest or longest piece at its start or end that the pattern matches."""
    sizes = range(len(text) + 1) if len(operator) == 1 else range(len(text), -1, -1)
    for size in sizes:
        if operator[0] == "#" and glob.fullmatch(text, 0, size):
            return text[size:]
        if operator[0] == "%" and glob.fullmatch(text, len(text) - size):
            return text[: len(text) - size]
    return text


def _replaced(text: str, glob: re.Pattern[str], start: bool, new: str) -> str:
    """The text with another one for the longest piece at its start or end that the pattern matches."""
    for size in range(len(text), -1, -1):
        if start and glob.fullmatch(text, 0, size):
            return new + text[size:]
        if not start and glob.fullmatch(text, len(text) - size):
            return text[: len(text) - size] + new
    return text


def ansi(text: Mapped) -> Mapped:
    """The value of the inside of ``$'…'``."""
    source = text.text
    parts: list[Mapped] = []
    start = 0
    for at in escapes(source):
        parts.append(text[start:at])
        code = _ANSI_CODE.match(source, at + 1)
        char = source[at + 1]
        if code is not None:
            digits = code.group() if char.isdigit() else code.group()[1:]
            number = int(digits, 8 if char.isdigit() else 16)
            start = code.end()
            value = chr(number) if number < 0x110000 and not 0xD800 <= number < 0xE000 else "\ufffd"
        else:
            start = at + 2
            value = _ANSI.get(char, char if char in "\\'\"?" else "\\" + char)
        parts.append(Mapped.new(value, text.span(at, start)))
    parts.append(text[start:])
    return Mapped.join(parts)
