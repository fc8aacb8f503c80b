"""Templates of text: Jinja's ``{{ value }}``, ``{% if %}`` and its like, and Go's ``{{ if }}``, as text with parts that
are not known.
"""

from __future__ import annotations

from speclint.hosts.variables import assigned, defaulted
from speclint.lean import pattern, re
from speclint.text import Mapped
from speclint.value import Choice, Known, OneOf, Unknown, join

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from speclint.value import Value

# A tag that is longer is none.
_TAG = pattern(
    r"\{\{[-+]?(?P<value>.{0,2000}?)[-+]?\}\}|\{%[-+]?(?P<tag>.{0,2000}?)[-+]?%\}|\{#.{0,9000}?#\}", re.DOTALL
)
_LITERAL = pattern(r"'(?P<single>[^'\\]*)'|\"(?P<double>[^\"\\]*)\"|(?P<number>-?\d+(?:\.\d+)?)")
_SET = pattern(r"set\s+(?P<name>\w+)\s*=\s*(?P<value>.+)")
_DEFAULT = pattern(
    r"(?P<name>[\w.\[\]'\"]+)\s*\|\s*d(?:efault)?\(\s*(?P<value>'[^']*'|\"[^\"]*\"|-?[\d.]+)\s*(?:,\s*\w+\s*)?\)"
    r"(?:\s*\|\s*(?:int|string|float|trim))*"
)
# What Go's templates write as Jinja writes a value, by the name of Jinja's tag.
_GO = {
    "if": "if", "else": "else", "end": "end", "range": "for", "with": "with", "define": "block", "block": "block",
    "template": "#", "break": "#", "continue": "#",
}  # fmt: skip
_SYNTAX = pattern(r"[\"'`$;|&<>(){}#*?~!]")
_TAGS = pattern(r"\s*(?:(?:\{%[^{}]*%\}|\{#[^{}]*#\})\s*)+")
_MAX_DEPTH = 60
_OPENERS = frozenset(("if", "for", "macro", "call", "filter", "block", "with", "raw", "autoescape"))


class _Tag:
    """One tag: ``word`` is its first word, "" for a value and "#" for a comment; ``end`` is behind what it eats."""

    __slots__ = ("end", "inside", "start", "word")

    def __init__(self, start: int, end: int, word: str, inside: str) -> None:
        self.start = start
        self.end = end
        self.word = word
        self.inside = inside


def render(text: Mapped, is_shell: bool, by_line: bool = False) -> Mapped:
    """The text with values unknown; ``is_shell``: conditions around statements become those of the shell.

    ``by_line``: what stands within a line may be there or not, as in the commands of a shell.
    """
    return _Renderer(text, is_shell, by_line).run()


class _Renderer:
    def __init__(self, text: Mapped, is_shell: bool, by_line: bool) -> None:
        self.text = text
        self.is_shell = is_shell
        self.by_line = by_line
        self.tags = list(self._scan())
        self.at = 0  # the next tag
        self.names: dict[str, Value] = {}
        self.depth = 0

    def run(self) -> Mapped:
        """The whole text; what closes nothing is left out."""
        parts: list[Mapped] = []
        begin = 0
        while True:
            part, begin = self._until(begin)
            parts.append(part)
            if self.at >= len(self.tags):
                return Mapped.join([*parts, self.text[begin:]])
            begin = self.tags[self.at].end
            self.at += 1

    def _scan(self) -> Iterator[_Tag]:
        """Every tag; one that stands alone on a line takes the line with it, as templates are set up for."""
        text = self.text.text
        raw = False
        for found in _TAG.finditer(text):
            start, end = found.span()
            word = "" if found["value"] is not None else "#"
            inside = (found["value"] or found["tag"] or "").strip()
            if found["tag"] is not None:
                word = inside.split(None, 1)[0] if inside else "#"
            elif not word:
                word, inside = _of_go(inside)
            if raw and word != "endraw":
                continue
            raw = word == "raw"
            if word:
                line = text.rfind("\n", 0, start) + 1
                stop = re.compile(r"[ \t]*(?:\r?\n|\Z)").match(text, end)
                if not text[line:start].strip() and stop is not None:
                    start, end = line, stop.end()
            yield _Tag(start, end, word, inside)

    def _until(self, begin: int) -> tuple[Mapped, int]:
        """The text up to the tag that ends or divides what is open, which is the next tag then."""
        parts: list[Mapped] = []
        while self.at < len(self.tags):
            tag = self.tags[self.at]
            if tag.word in ("else", "elif") or tag.word.startswith("end"):
                parts.append(self.text[begin : tag.start])
                return Mapped.join(parts), tag.start
            parts.append(self.text[begin : max(tag.start, begin)])
            self.at += 1
            begin = tag.end
            if not tag.word:
                parts.append(Mapped.hole(self._value(tag.inside), self.text.place(tag.start, tag.end)))
            elif tag.word in _OPENERS and self.depth < _MAX_DEPTH:
                part, begin = self._block(tag)
                parts.append(part)
            elif tag.word == "set":
                self._set(tag)
        return Mapped.join(parts) if parts else Mapped("", ()), begin

    def _block(self, tag: _Tag) -> tuple[Mapped, int]:
        """What an opening tag and all up to its end become, and where the text goes on."""
        arms: list[tuple[_Tag, Mapped]] = []
        head, begin = tag, tag.end
        self.depth += 1
        while True:
            part, _ = self._until(begin)
            arms.append((head, part))
            if self.at >= len(self.tags):
                end = len(self.text)
                break
            head = self.tags[self.at]
            self.at += 1
            begin = end = head.end
            if head.word.startswith("end"):
                break
        self.depth -= 1
        if tag.word in ("if", "for") and (self.is_shell or self.by_line):
            if self._in_command(tag.start):
                return self._words(tag, arms, end), end
            if self.is_shell:
                return self._statements(tag, arms), end
        return Mapped.join(part for _, part in arms), end

    def _in_command(self, start: int) -> bool:
        """Whether what stands before is a command that goes on here."""
        text = self.text.text
        if start and text[start - 1] != "\n":
            return True
        end = start - 1
        while end >= 0:
            begin = text.rfind("\n", 0, end) + 1
            line = text[begin:end].removesuffix("\r")
            if not _TAGS.fullmatch(line):  # a line of tags is gone when the shell reads it
                return line.endswith("\\")
            end = begin - 1
        return False

    def _statements(self, tag: _Tag, arms: list[tuple[_Tag, Mapped]]) -> Mapped:
        """A branch or a loop of the shell."""
        parts: list[Mapped] = []
        for index, (head, part) in enumerate(arms):
            shown = "'" + re.sub(r"['\n]", " ", head.inside.partition(" ")[2]) + "'"
            if tag.word == "for":
                written = f"for _ in {shown}; do :\n" if not index else ""
            elif head.word == "else":
                written = "else :\n"
            else:
                written = f"{'elif' if index else 'if'} {shown}; then :\n"
            parts += [Mapped.new(written, self.text.place(head.start, head.end)), part, Mapped.new("\n")]
        return Mapped.join([*parts, Mapped.new("done\n" if tag.word == "for" else "fi\n")])

    def _words(self, tag: _Tag, arms: list[tuple[_Tag, Mapped]], end: int) -> Mapped:
        """Words of a command that are there under a condition."""
        place = self.text.place(tag.start, end)
        unknown = Mapped.hole(Unknown("a template adds words under a condition"), place)
        values = [_plain(part) for _, part in arms]
        blank = Mapped.new(" ")
        if tag.word == "for" or any(value is None for value in values):
            return Mapped.join([blank, unknown, blank])
        labels = [f"the template's `{head.inside[:60]}` holds" for head, _ in arms]
        known = [value for value in values if value is not None]
        if arms[-1][0].word != "else":
            known.append(Known(Mapped("", ())))
            labels.append(f"the template's `{tag.inside[:60]}` does not hold")
        span = self.text.span(tag.start, tag.end)
        return Mapped.hole(OneOf(Choice("branch", labels, span), known), place)

    # -- values

    def _set(self, tag: _Tag) -> None:
        found = _SET.fullmatch(tag.inside)
        if found is None:
            return
        name = found["name"]
        literal = _LITERAL.fullmatch(found["value"].strip())
        if literal is None or self.depth or name in self.names:
            self.names[name] = Unknown(f"`{name}` is not followed")
            return
        span = self.text.span(tag.start, tag.end)
        value = next(v for v in literal.groups() if v is not None)
        self.names[name] = assigned(name, Known(Mapped.new(value, span)), span, 1)

    def _value(self, inside: str) -> Value:
        """What ``{{ … }}`` becomes."""
        known = self.names.get(inside)
        if known is not None:
            return known
        literal = _LITERAL.fullmatch(inside)
        found = _DEFAULT.fullmatch(inside)
        if literal is not None:
            return Known(Mapped.new(next(v for v in literal.groups() if v is not None)))
        if found is not None and found["name"] not in self.names:
            value = Known(Mapped.new(found["value"].strip("'\"")))
            if value.text.text:
                return defaulted(found["name"], value, None, 2, "whoever fills the template in")
        return Unknown(f"`{inside[:60]}` is filled in by a template")


def _of_go(inside: str) -> tuple[str, str]:
    """What a tag of two braces is, if it is one of Go's that is no value: Jinja's word for it, and what it says."""
    first, _, rest = inside.partition(" ")
    if first.startswith("/*"):
        return "#", inside
    if first == "else" and rest.lstrip().startswith("if "):
        return "elif", f"elif {rest.lstrip()[3:]}"
    return _GO.get(first, "") if rest or first in ("else", "end", "break", "continue") else "", inside


def _plain(part: Mapped) -> Value | None:
    """Text of a branch within a command as a value; None where the shell would make more of it than words."""
    parts: list[Value] = []
    at = 0
    for piece in part.pieces:
        text = part[at : at + piece.length]
        at += piece.length
        if piece.hole is not None:
            parts.append(piece.hole)
            continue
        for found in re.finditer(r"\\\r?\n|\\(?=\Z)|[^\\]+|\\", text.text):
            if found.group()[0] == "\\" and len(found.group()) > 1:
                parts.append(Known(Mapped.new(" ")))
            elif found.group()[0] == "\\" or _SYNTAX.search(found.group()):
                return None
            else:
                parts.append(Known(text[found.start() : found.end()]))
    return join(parts)
