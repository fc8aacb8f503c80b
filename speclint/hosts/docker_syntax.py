"""The instructions of a Dockerfile: continued lines, comments among them, here-documents, quotes and variables."""

from __future__ import annotations

from speclint.hosts import blocks
from speclint.lean import pattern, re
from speclint.text import Mapped
from speclint.value import Choice, Known, OneOf, Unknown, join, spliced

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from speclint.text import Span
    from speclint.value import Value

_ESCAPE = pattern(r"#\s*escape\s*=\s*(\S)\s*\Z", re.IGNORECASE)
_DIRECTIVE = pattern(r"#\s*\w+\s*=")
_NAME = pattern(r"[ \t]*([A-Za-z]+)[ \t]+")
# The second group is empty where variables are put in.
HEREDOC = pattern(r"<<(-?)[ \t]*([\"']?)([A-Za-z_]\w*)\2")
_WITH_BODIES = frozenset(("RUN", "COPY", "ADD"))
_PART = pattern(
    r"'(?P<single>[^']*)'|(?P<quote>\")|\\(?P<char>.)"
    r"|\$\{(?P<braced>[A-Za-z_]\w*)(?:(?P<how>:?[-+?])(?P<word>[^{}]*))?\}|\$(?P<bare>[A-Za-z_]\w*)|(?P<odd>\$\{[^}]*\})",
    re.DOTALL,
)
_PAIR = pattern(r"\s*([A-Za-z_][\w.-]*)(=?)")
_VALUE = pattern(
    r"[^\s'\"\\]*(?:(?:'[^']*'|\"[^\"\\]*(?:\\.[^\"\\]*)*\"|\\.)[^\s'\"\\]*)*", re.DOTALL
)  # without a step for each character


class Instruction:
    """An instruction: its name in capitals, the text behind it on one line, the bodies of its here-documents."""

    __slots__ = ("bodies", "name", "span", "text")

    def __init__(self, name: str, text: Mapped, span: Span, bodies: list[Mapped]) -> None:
        self.name = name
        self.text = text
        self.span = span
        self.bodies = bodies


def instructions(source: Mapped) -> Iterator[Instruction]:
    """Every instruction in order."""
    text = source.text
    bounds = list(blocks.lines(text))
    escape = _escape(text, bounds)
    index = 0
    while index < len(bounds):
        parts: list[Mapped] = []
        first = index
        index = _logical(source, bounds, index, escape, parts)
        joined = Mapped.join(parts) if parts else Mapped("", ())
        found = _NAME.match(joined.text)
        if found is None:
            continue
        bodies: list[Mapped] = []
        if found[1].upper() in _WITH_BODIES:
            for heredoc in HEREDOC.finditer(joined.text):
                index, body = _body(source, bounds, index, heredoc)
                bodies.append(body)
        start = bounds[first][0] + len(text[slice(*bounds[first])]) - len(text[slice(*bounds[first])].lstrip())
        end = bounds[first][0] + len(text[bounds[first][0] : bounds[index - 1][1]].rstrip())
        span = source.place(start, end)
        if span is not None:
            yield Instruction(found[1].upper(), joined[found.end() : len(joined.text.rstrip())], span, bodies)


def _escape(text: str, bounds: list[tuple[int, int]]) -> str:
    """The character that continues a line, which a comment at the top may change."""
    for start, end in bounds:
        line = text[start:end].strip()
        if not _DIRECTIVE.match(line):
            break
        found = _ESCAPE.match(line)
        if found is not None:
            return found[1]
    return "\\"


def _logical(source: Mapped, bounds: list[tuple[int, int]], index: int, escape: str, parts: list[Mapped]) -> int:
    """Add the parts of the line that begins at ``index``, without what joins them; the index behind it."""
    while index < len(bounds):
        start, end = bounds[index]
        line = source.text[start:end]
        index += 1
        bare = line.rstrip()
        if not bare or bare.lstrip().startswith("#"):
            if parts:
                continue  # a comment or a blank line does not end what is continued
            return index
        if not bare.endswith(escape):
            parts.append(source[start : start + len(bare)])
            return index
        parts.append(source[start : start + len(bare) - 1])
    return index


def _body(source: Mapped, bounds: list[tuple[int, int]], index: int, heredoc: re.Match[str]) -> tuple[int, Mapped]:
    tabs, word = heredoc[1], heredoc[3]
    parts: list[Mapped] = []
    while index < len(bounds):
        start, end = bounds[index]
        index += 1
        if tabs:
            start += len(source.text[start:end]) - len(source.text[start:end].lstrip("\t"))
        if source.text[start:end].rstrip("\r\n") == word:
            break
        parts.append(source[start:end])
    return index, Mapped.join(parts) if parts else Mapped("", ())


def pairs(text: Mapped, bare: bool = False) -> Iterator[tuple[Mapped, Mapped | None]]:
    """``NAME=value`` one after the other, quotes kept; ``NAME value`` to the end; with ``bare`` also a lone name."""
    at = 0
    while at < len(text):
        found = _PAIR.match(text.text, at)
        if found is None:
            return
        name = text[found.start(1) : found.end(1)]
        if not found[2] and not bare:
            rest = text.text[found.end() :]
            yield name, text[found.end() + len(rest) - len(rest.lstrip()) :]
            return
        if not found[2]:
            yield name, None
            at = found.end()
            continue
        value = _VALUE.match(text.text, found.end())
        at = value.end() if value is not None else found.end()
        yield name, text[found.end() : at]
        if at == found.end() and at < len(text) and not text.text[at].isspace():
            return  # a quote that nothing ends


def expand(text: Mapped, env: Mapping[str, Value]) -> Value:
    """The value of a word of an instruction: quotes and backslashes taken away, variables put in."""
    parts: list[Value] = []
    at = 0
    for found in _PART.finditer(text.text):
        parts.append(Known(text[at : found.start()]))
        at = found.end()
        place = text.place(found.start(), found.end())
        if found["single"] is not None:
            parts.append(Known(text[found.start("single") : found.end("single")]))
        elif found["char"] is not None:
            parts.append(Known(text[found.start("char") : found.end("char")]))
        elif found["odd"] is not None:
            parts.append(Unknown(f"`{found['odd']}` is not followed"))
        elif found["quote"] is None:
            parts.append(spliced(_variable(found, text, env), place))
    parts.append(Known(text[at:]))
    if text.holes():
        return Unknown("a template fills it in")
    return join(part for part in parts if not (isinstance(part, Known) and not part.text.text))


def _variable(found: re.Match[str], text: Mapped, env: Mapping[str, Value]) -> Value:
    name = found["braced"] or found["bare"]
    value = env.get(name)
    how = found["how"] or ""
    if "-" in how and value is None:
        word = Known(text[found.start("word") : found.end("word")])
        choice = Choice("default", (f"`{name}` keeps its default", f"`{name}` is given"))
        return OneOf(choice, (word, Unknown(f"`{name}` may be given by the base image")))
    if "+" in how or value is None:
        return Unknown(f"`{name}` is not set in this file")
    return value
