"""Patterns for paths, as gitignore(5) has them; the one pattern language of ignore files and of configuration.

Written here because a walk asks about every entry of every folder: names without wildcards and ``*.suffix`` are looked
up, and only what is left is matched. No pattern takes more than linear time on a name: each star is matched once, at
the first place that allows the rest.
"""

from __future__ import annotations

from speclint.lean import pattern, re

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    Segment = str | re.Pattern[str]

_MAGIC = pattern(r"[*?\[\\]")
# What stands behind all that is magic; and ``*.py[cod]``, which most ignore files of Python's projects begin with.
_TAIL = pattern(r"[^*?\[\]\\]*\Z")
_LETTERS = pattern(r"\*([^*?\[\]\\]*)\[([A-Za-z0-9]+)\]")
# In brackets: an escaped letter, a class by its name, and what means something to Python alone.
_IN_CLASS = pattern(r"\\(.)|\[:(\w+):\]|--|[\[&~|^]")
_CLASSES = {
    "alnum": "0-9A-Za-z", "alpha": "A-Za-z", "blank": " \\t", "cntrl": "\\x00-\\x1f\\x7f", "digit": "0-9",
    "graph": "!-~", "lower": "a-z", "print": " -~", "punct": "!-/:-@\\[-`{-~", "space": " \\t-\\r", "upper": "A-Z",
    "xdigit": "0-9A-Fa-f",
}  # fmt: skip
_ANY_DEPTH = "**"
_NOTHING = "(?!)"


class Globs:
    """The patterns of one ignore file or one setting, relative to one folder; later ones win over earlier ones.

    Nothing is said of a name that is none of ``names``, has none of ``suffixes`` (without the dot) behind its last dot,
    begins with none of ``starts`` and ends in none of ``ends``: a walk tells most names apart by that.
    """

    __slots__ = ("_ends", "_names", "_paths", "_quick", "_suffixes", "_wild", "ends", "flags", "names", "starts",
                 "suffixes")  # fmt: skip

    def __init__(self, patterns: Iterable[str]) -> None:
        self.flags: list[tuple[bool, bool]] = []  # for each pattern: ignores (not "!"), and for folders only
        self._names: dict[str, list[int]] = {}
        self._suffixes: dict[str, list[int]] = {}
        self._wild: list[tuple[int, Segment]] = []
        self._paths: list[tuple[int, list[Segment]]] = []
        self._ends: dict[str, list[tuple[int, list[Segment]]]] = {}  # patterns of paths whose last part is plain text
        self.names: set[str] = set()
        self.suffixes: set[str] = set()
        self.starts: set[str] = set()
        self.ends: set[str] = set()
        for line in patterns:
            self._add(line)
        self._quick = not (self._wild or self._paths)

    def __bool__(self) -> bool:
        return bool(self.flags)

    def match(self, name: str, above: str, folder: bool) -> bool | None:
        """Whether a path is ignored (true), taken back by ``!`` (false) or not spoken of.

        ``above`` is the folder that holds it, relative to that of the patterns, with ``/`` behind each of its parts.
        """
        flags = self.flags
        literal, ends = self._names.get(name), self._ends.get(name)
        _, dot, suffix = name.rpartition(".") if self._suffixes else ("", "", "")
        by_suffix = self._suffixes.get(suffix) if dot else None
        if self._quick and literal is None and ends is None and by_suffix is None:
            return None
        best = -1
        for index in (*(literal or ()), *(by_suffix or ())):
            if index > best and (folder or not flags[index][1]):
                best = index
        for index, wild in self._wild:
            if index > best and (folder or not flags[index][1]) and _fits(wild, name):
                best = index
        if self._paths or ends:
            parts = (above + name).split("/")
            for index, segments in (*self._paths, *(ends or ())):
                if index > best and (folder or not flags[index][1]) and _match(segments, parts):
                    best = index
        return None if best < 0 else flags[best][0]

    def covers(self, path: str) -> bool:
        """Whether the file ``path`` or a folder above it is ignored."""
        above = ""
        *folders, name = path.split("/")
        for folder in folders:
            if self.match(folder, above, True):
                return True
            above += f"{folder}/"
        return bool(self.match(name, above, False))

    def _add(self, line: str) -> None:
        line = line.rstrip("\r\n")
        stripped = line.rstrip(" ")
        if stripped.endswith("\\") and stripped != line:
            stripped += " "
        line = stripped
        if not line or line.startswith("#"):
            return
        ignores = not line.startswith("!")
        if not ignores:
            line = line[1:]
        folder = line.endswith("/")
        line = line.rstrip("/") if folder else line
        if not line:
            return
        index = len(self.flags)
        self.flags.append((ignores, folder))
        self._note(line.rpartition("/")[2])
        if "/" in line:
            segments = [_segment(part) for part in line.lstrip("/").split("/")]
            last = segments[-1]
            if isinstance(last, str) and last != _ANY_DEPTH:
                self._ends.setdefault(last, []).append((index, segments))
            else:
                self._paths.append((index, segments))
        elif not _MAGIC.search(line):
            self._names.setdefault(line, []).append(index)
        elif line.startswith("*.") and "." not in line[2:] and not _MAGIC.search(line, 2):
            self._suffixes.setdefault(line[2:], []).append(index)
        else:
            self._wild.append((index, _segment("*" if line == _ANY_DEPTH else line)))

    def _note(self, last: str) -> None:
        """Note which names a pattern may fit whose last part is ``last``."""
        magic = _MAGIC.search(last)
        if magic is None:
            self.names.add(last)
        elif magic.start():
            self.starts.add(last[: magic.start()])
        elif (letters := _LETTERS.fullmatch(last)) is not None:
            self.ends.update(f"{letters[1]}{letter}" for letter in letters[2])
        else:
            tail = _TAIL.search(last)
            assert tail is not None
            if last == f"*{tail[0]}" and tail[0].rfind(".") == 0:
                self.suffixes.add(tail[0][1:])
            else:
                self.ends.add(tail[0])


def _segment(part: str) -> Segment:
    """A part of a pattern between slashes: text, ``**``, or an expression for one name."""
    if part == _ANY_DEPTH or not _MAGIC.search(part):
        return part
    chunks = [""]  # the expressions between stars
    at = 0
    while at < len(part):
        letter = part[at]
        at += 1
        if letter == "*":
            if chunks[-1] or len(chunks) == 1:
                chunks.append("")
        elif letter == "?":
            chunks[-1] += "."
        elif letter == "[":
            text, at = _class(part, at)
            chunks[-1] += text
        else:
            if letter == "\\" and at < len(part):
                letter = part[at]
                at += 1
            chunks[-1] += re.escape(letter)
    # A star before the last one may take the shortest text that works; the look-ahead keeps it from trying others.
    middle = "".join(f"(?=(?P<s{i}>.*?{chunk}))(?P=s{i})" for i, chunk in enumerate(chunks[1:-1]))
    last = f".*{chunks[-1]}" if len(chunks) > 1 else ""
    return re.compile(f"(?s:{chunks[0]}{middle}{last})")


def _class(part: str, at: int) -> tuple[str, int]:
    """The expression for ``[...]`` whose text begins at ``at``, and where the pattern goes on."""
    end = at
    if part[end : end + 1] in ("!", "^"):
        end += 1
    if part[end : end + 1] == "]":
        end += 1
    while end < len(part) and part[end] != "]":
        named = part.find(":]", end) if part.startswith("[:", end) else -1
        end = named + 2 if named >= 0 else end + (2 if part[end] == "\\" else 1)
    if end >= len(part):
        return _NOTHING, len(part)  # git takes a pattern with an open bracket for one that fits nothing
    body = part[at:end]
    negated = body[0] in "!^"
    try:
        expression = f"[{'^' if negated else ''}{_IN_CLASS.sub(_in_class, body[1:] if negated else body)}]"
        re.compile(expression)
    except (re.error, KeyError):
        return _NOTHING, end + 1
    return expression, end + 1


def _in_class(found: re.Match[str]) -> str:
    """What stands for a part of ``[...]`` in Python's expressions. Raises KeyError for a class that git has not."""
    if found[2]:
        return _CLASSES[found[2]]
    return re.escape(found[1] or found[0])


def _fits(segment: Segment, name: str) -> bool:
    return segment == name if isinstance(segment, str) else segment.fullmatch(name) is not None


def _match(segments: Sequence[Segment], parts: Sequence[str]) -> bool:
    """Whether segments fit parts; ``**`` stands for any number of folders, at the end for what lies inside."""
    at = where = 0
    retry: tuple[int, int] | None = None
    while where < len(parts):
        if at < len(segments) and segments[at] == _ANY_DEPTH:
            if at + 1 == len(segments):
                return True
            retry = (at, where)
            at += 1
        elif at < len(segments) and _fits(segments[at], parts[where]):
            at += 1
            where += 1
        elif retry is not None:
            retry = (retry[0], retry[1] + 1)
            at, where = retry[0] + 1, retry[1]
        else:
            return False
    return at == len(segments)
