"""What programs make of the text that they read: ``echo $GPUS | tr , '\\n' | wc -l``."""

from __future__ import annotations

from speclint.lean import pattern, re
from speclint.text import Mapped
from speclint.value import Known, OneOf, Unknown
from speclint.worlds import combine

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from speclint.value import Value
    from speclint.words import Word

_MAX_TEXT = 4_000
# Classes, ranges, escapes and single characters of a set of `tr`.
_SET = pattern(r"\[:(?:upper|lower):\]|[a-zA-Z0-9]-[a-zA-Z0-9]|\\.|[^\\]", re.DOTALL)
_CLASSES = {"[:upper:]": "ABCDEFGHIJKLMNOPQRSTUVWXYZ", "[:lower:]": "abcdefghijklmnopqrstuvwxyz"}
_ESCAPES = {"\\n": "\n", "\\t": "\t", "\\\\": "\\", "\\-": "-", "\\/": "/", "\\.": "."}
_OPTION = pattern(r"-[A-Za-z-]")
_AWK = pattern(r"\s*\{\s*print\s+(?P<field>NF|\$NF|\$\d{1,3})\s*;?\s*\}\s*")
_SPECIAL = pattern(r"[][\\.*^$+?(){}|&]")
_LINES = pattern(r"-(?:n\s*)?(?P<number>\d{1,4})")
_FIELD = pattern(r"(?P<first>[1-9]\d{0,2})(?P<on>-?)")


def passed(name: str, words: Sequence[Word], value: Value) -> Value | None:
    """What one of the programs prints of a text; None where that is not told. ``words``: those behind its name."""
    given = [word.text for word in words if not (word.many or word.guard)]
    texts = [text for text in given if text is not None]
    if len(texts) != len(words):
        return None

    def made(known: Sequence[Known]) -> Value:
        text = known[0].text.text
        told = _FILTERS[name](texts, text) if len(text) <= _MAX_TEXT else None
        return Unknown(f"it is what `{name}` prints") if told is None else Known(Mapped.new(told), known[0].steps)

    found = combine([value], made)
    return found if isinstance(found, Known | OneOf) else None


def _rows(text: str) -> list[str]:
    return text.split("\n")[:-1] if text.endswith("\n") else text.split("\n") if text else []


def _tr(texts: Sequence[str], text: str) -> str | None:
    option = texts[0] if texts and texts[0] in ("-d", "-s") else ""
    sets = [_set(one) for one in texts[1 if option else 0 :]]
    first = sets[0] if sets else None
    if first is None or len(sets) != (1 if option else 2) or (not option and _OPTION.match(texts[0])):
        return None
    if option == "-d":
        return "".join(char for char in text if char not in first)
    if option:
        return "".join(char for i, char in enumerate(text) if char not in first or text[i - 1 : i] != char)
    second = sets[1]
    if not second or ("[:" in texts[1] and set(texts) != set(_CLASSES)):
        return None
    return text.translate({ord(char): second[min(i, len(second) - 1)] for i, char in reversed([*enumerate(first)])})


def _set(text: str) -> str | None:
    """The characters of a set."""
    parts: list[str] = []
    at = 0
    for found in _SET.finditer(text):
        one = found.group()
        if found.start() != at or one == "[":
            return None
        at = found.end()
        if one in _CLASSES:
            parts.append(_CLASSES[one])
        elif len(one) == 3:
            parts.append("".join(map(chr, range(ord(one[0]), ord(one[2]) + 1))))
        elif one[0] == "\\":
            parts.append(_ESCAPES.get(one, ""))
        else:
            parts.append(one)
    return "".join(parts) if at == len(text) and all(parts) else None


def _wc(texts: Sequence[str], text: str) -> str | None:
    counts = {"-l": text.count("\n"), "-w": len(text.split())}
    return f"{counts[texts[0]]}\n" if len(texts) == 1 and texts[0] in counts else None


def _awk(texts: Sequence[str], text: str) -> str | None:
    separator: str | None = None
    if texts and texts[0].startswith("-F"):
        joined = len(texts[0]) > len("-F")
        separator = texts[0][2:] if joined else "".join(texts[1:2])
        texts = texts[1 if joined else 2 :]
        separator = None if separator == " " else separator
        if separator is not None and (len(separator) != 1 or separator in "\\t"):
            return None
    found = _AWK.fullmatch(texts[0]) if len(texts) == 1 else None
    if found is None:
        return None
    made: list[str] = []
    for row in _rows(text):
        fields = row.split(separator) if row else []
        number = len(fields) if "NF" in found["field"] else int(found["field"][1:])
        if found["field"] == "NF":
            made.append(str(number))
        else:
            made.append(row if number == 0 else fields[number - 1] if number <= len(fields) else "")
    return "".join(f"{row}\n" for row in made)


def _cut(texts: Sequence[str], text: str) -> str | None:
    written = " ".join(texts)
    found = re.fullmatch(r"-d ?(?P<by>[^ ]) -f ?(?P<field>\S+)|-f ?(?P<one>\S+) -d ?(?P<with>[^ ])", written)
    by = (found["by"] or found["with"]) if found is not None else ""
    field = _FIELD.fullmatch(found["field"] or found["one"]) if found is not None else None
    if field is None:
        return None
    first = int(field["first"])
    made: list[str] = []
    for row in _rows(text):
        fields = row.split(by)
        made.append(row if len(fields) == 1 else by.join(fields[first - 1 : None if field["on"] else first]))
    return "".join(f"{row}\n" for row in made)


def _sed(texts: Sequence[str], text: str) -> str | None:
    rule = texts[-1] if len(texts) == 1 or (len(texts) == 2 and texts[0] in ("-E", "-e", "-r")) else ""
    by = rule[1:2]
    if rule[:1] != "s" or not by or by.isalnum() or by == "\\":
        return None
    # A backslash before what separates the parts makes it one of their characters.
    parts = [part.replace("\0", by) for part in rule[2:].replace("\\" + by, "\0").split(by)]
    if len(parts) != 3 or parts[2] not in ("", "g") or _SPECIAL.search(parts[1]):
        return None
    start, end = parts[0].startswith("^"), parts[0].endswith("$")
    old = parts[0][1 if start else 0 : -1 if end else None].replace("\\.", "\0")
    if not old or _SPECIAL.search(old):
        return None
    form = ("^" if start else "") + re.escape(old.replace("\0", ".")) + ("$" if end else "")
    made = [re.sub(form, lambda _: parts[1], row, count=0 if parts[2] else 1) for row in _rows(text)]
    return "\n".join(made) + ("\n" if text.endswith("\n") else "")


def _grep(texts: Sequence[str], text: str) -> str | None:
    """``grep -o ,``: each of what is found on a line of its own."""
    if len(texts) != 2 or texts[0] != "-o" or not texts[1] or _SPECIAL.search(texts[1]) or "\n" in texts[1]:
        return None
    return f"{texts[1]}\n" * text.count(texts[1])


def _head(texts: Sequence[str], text: str) -> str | None:
    found = _LINES.fullmatch(" ".join(texts))
    return None if found is None else "".join(re.findall(r"[^\n]*\n|[^\n]+", text)[: int(found["number"])])


def _tail(texts: Sequence[str], text: str) -> str | None:
    found = _LINES.fullmatch(" ".join(texts))
    rows = re.findall(r"[^\n]*\n|[^\n]+", text)
    return None if found is None else "".join(rows[max(0, len(rows) - int(found["number"])) :])


def _xargs(texts: Sequence[str], text: str) -> str | None:
    return None if texts or any(char in text for char in "'\"\\") else " ".join(text.split()) + "\n"


_FILTERS: dict[str, Callable[[Sequence[str], str], str | None]] = {
    "tr": _tr,
    "wc": _wc,
    "awk": _awk,
    "cut": _cut,
    "sed": _sed,
    "grep": _grep,
    "head": _head,
    "tail": _tail,
    "xargs": _xargs,
}
