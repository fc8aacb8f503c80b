"""The YAML host: manifests, compose files, workflows, and templates of them.

A stream is split into its documents before it is parsed, and only documents that mention SGLang are: a file of
fifty megabytes with one launch costs a search for that word and the parsing of one document.
"""

from __future__ import annotations

from itertools import pairwise

from speclint.lean import pattern, re
from speclint.source import SourceError
from speclint.text import Mapped, Piece, Span

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from speclint.hosts.yaml.chart import Chart
    from speclint.hosts.yaml.template import Rendered
    from speclint.source import SourceFile
    from speclint.words import Command

_NAMES = ("sglang", "SGLang")
# What a launch or an image of SGLang is written with; prose about it, of which there is more, is not parsed.
_TELLING = ("launch_server", "/sglang", ".sglang")
# Each of these begins with letters, which are found many times faster than what begins in one way or another.
_TOLD = pattern(
    # In a list comments may stand between the two.
    r"sglang(?:\.\w|(?:\W{1,40}|[^\w#]{1,40}(?:#[^\n]{0,400}\n[^\w#]{0,80}){1,20})serve\b"
    r"|(?<=\bsglang)[\w-]{0,200}[\"']?:|(?<=--sglang)-\w)"
)
_NAMED = pattern(
    r"(?:image\b.{0,200}sglang|(?P<engine>backend|engine|framework|runtime|type)[\"']?:[ \t]*[\"']?(?:sglang|SGLang))\Z"
)
_LINE = 210
# The file that SGLang's own `--config` reads.
_KEYS = r"(?:model|mem|tensor|chunked|speculative|attention|max|kv|enable|cuda)[-_][\w-]+:"
_FIRST_KEY, _KEY = pattern(_KEYS), pattern("\n" + _KEYS)
# A line that begins so starts a document wherever it stands: no scalar can hold one.
_DOCUMENT = pattern(r"\n---(?=\s|$)")
_DIRECTIVE = pattern(r"^%", re.MULTILINE)
# Of text that is ASCII; the expression for all others takes 14 ms to compile.
_CONTROL = pattern("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")
_FORBIDDEN = pattern("[^\t\n\r\x20-\x7e\x85\xa0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_BROKEN = pattern("[\ud800-\udfff]+")


def read(file: SourceFile, problems: list[SourceError] | None = None) -> list[Command]:
    """Every command that the documents of a file run.

    Documents that cannot be parsed are told in ``problems``; SourceError is raised if none could be.
    """
    source = Mapped.of(file)
    if not file.clean:
        source = _mended(file)
    found: list[SourceError] = []
    if file.path.endswith(".tpl"):
        return _named_parts(source, file)
    commands, read_any = _read(source, found, file.clean, 0, file)
    if found and not read_any:
        raise found[0]
    if problems is not None:
        problems.extend(found)
    return commands


def _named_parts(source: Mapped, file: SourceFile) -> list[Command]:
    """Every command of the parts that a file of a chart names for use in its templates; what is no YAML gives none."""
    from speclint.hosts.yaml.actions import scan

    commands: list[Command] = []
    actions = scan(source.text)
    for action in actions:
        if action.is_body and action.stop is not None:
            part = source[action.end : actions[action.stop].start]
            # By itself it is the value of a key that another file writes.
            commands.extend(_read(part, [], file.clean, 0, file)[0])
    return commands


def read_text(source: Mapped, problems: list[SourceError], clean: bool, depth: int) -> list[Command]:
    """Every command of YAML that stands in other text."""
    return _read(source, problems, clean, depth)[0]


def _mended(file: SourceFile) -> Mapped:
    """The text with what is no UTF-8 replaced, which is in comments where it is met; nothing is written back."""
    pieces: list[Piece] = []
    at = 0
    for found in _BROKEN.finditer(file.text):
        pieces.append(Piece(found.start() - at, Span(file, at, found.start()), True))
        pieces.append(Piece(found.end() - found.start(), Span(file, found.start(), found.end())))
        at = found.end()
    pieces.append(Piece(len(file.text) - at, Span(file, at, len(file.text)), True))
    return Mapped(_BROKEN.sub(lambda m: "\ufffd" * len(m.group()), file.text), pieces)


def _read(
    source: Mapped, problems: list[SourceError], clean: bool, depth: int, file: SourceFile | None = None
) -> tuple[list[Command], bool]:
    """The commands, and whether any document could be read."""
    from speclint.hosts.yaml.actions import is_template, looks_like_helm
    from speclint.hosts.yaml.template import Rendered, render

    plain = Rendered(source)
    if not is_template(source.text):
        return _stream(plain, problems, clean, depth)
    found: list[SourceError] = []
    values = _values(source, file) if file is not None else None
    result = _stream(render(source, values), found, clean, depth)
    if found:
        # Braces of another language may have looked like a template.
        again: list[SourceError] = []
        other = _stream(plain, again, clean, depth)
        if not again:
            return other
        if looks_like_helm(source.text):
            found = [_as_template(error) for error in found]
    problems.extend(found)
    return result


def _values(source: Mapped, file: SourceFile) -> Chart | None:
    """What a template is filled in with, where it can be told: a chart's values, or a play's variables."""
    from speclint.hosts.yaml.actions import looks_like_helm

    if looks_like_helm(source.text):
        from speclint.hosts.yaml import chart

        return chart.of(file)
    from speclint.hosts.yaml import play

    return play.of(file, source)


def _as_template(error: SourceError) -> SourceError:
    return SourceError(f"this looks like a Helm template that is no YAML: {error}", error.row, error.column)


def _stream(rendered: Rendered, problems: list[SourceError], clean: bool, depth: int) -> tuple[list[Command], bool]:
    from speclint.hosts.yaml.document import Document
    from speclint.hosts.yaml.walk import Walker

    commands: list[Command] = []
    read_any = False
    for start, end in _chunks(rendered.text.text):
        try:
            for root in compose(rendered.text, start, end):
                read_any = True
                document = Document(rendered, start, end, root, clean)
                commands.extend(Walker(document, "yaml", depth).run())
        except SourceError as error:
            problems.append(error)
    return commands, read_any


def _chunks(text: str) -> Iterator[tuple[int, int]]:
    """The documents that mention SGLang; the whole stream where directives belong to what follows them."""
    if "%" in text and _DIRECTIVE.search(text):
        starts = [0, len(text)]
    else:
        starts = [0, *[m.start() + 1 for m in _DOCUMENT.finditer(text)], len(text)]
    for start, end in pairwise(starts):
        if _is_told(text, start, end):
            yield start, end


def _is_told(text: str, start: int, end: int) -> bool:
    """Whether a part of the text may hold a launch; what most launches have is looked for first."""
    if any(text.find(word, start, end) >= 0 for word in _TELLING):
        return True
    if not any(text.find(word, start, end) >= 0 for word in _NAMES):
        return False
    if _TOLD.search(text, start, end) is not None or any(_is_named(text, word, start, end) for word in _NAMES):
        return True
    return (not start and _FIRST_KEY.match(text, 0, end) is not None) or _KEY.search(text, start, end) is not None


def _is_named(text: str, word: str, start: int, end: int) -> bool:
    """Whether the word stands behind the key of an engine, or in the line of an image."""
    at = text.find(word, start, end)
    while at >= 0:
        first, behind = max(start, at - _LINE), at + len(word)
        found = _NAMED.search(text, max(text.rfind("\n", first, at) + 1, first), behind)
        if found is not None and (found["engine"] is None or not _is_word(text[behind : min(behind + 1, end)])):
            return True
        at = text.find(word, behind, end)
    return False


def _is_word(letter: str) -> bool:
    return letter == "_" or letter.isalnum()


def compose(source: Mapped, start: int, end: int) -> Iterator[Any]:
    """The root nodes of a part of the text. Raises SourceError with the place where it is broken."""
    from speclint.hosts.yaml import loader

    text = source.text[start:end]
    bad = (_CONTROL if text.isascii() else _FORBIDDEN).search(text)
    if bad is not None:
        raise _error(source, start + bad.start(), f"the character U+{ord(bad.group()):04X} is not allowed in YAML")
    try:
        nodes = loader.loader(text)
        try:
            while nodes.check_node():
                yield loader.root(nodes)
        finally:
            nodes.dispose()
    except loader.errors().MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        message = ", ".join(str(m) for m in (error.context, error.problem) if m)
        raise _error(source, start + (mark.index if mark is not None else 0), message) from None
    except (loader.errors().YAMLError, RecursionError, ValueError) as error:
        what = "it is nested too deeply" if isinstance(error, RecursionError) else str(error).split("\n", 1)[0]
        raise _error(source, start, what) from None


def _error(source: Mapped, offset: int, message: str) -> SourceError:
    place = source.point(min(offset, len(source.text)))
    if place is None:
        return SourceError(message)
    row, column = place.file.location(place.start)
    return SourceError(message, row, column)
