"""Service files: systemd units and containers, supervisor programs, Procfiles.

systemd and supervisor start programs without a shell, so quotes are read as they read them.
"""

from __future__ import annotations

from speclint.hosts import blocks
from speclint.hosts.variables import assigned
from speclint.lean import pattern, re
from speclint.splitting import split
from speclint.text import HOLE, Mapped, Span
from speclint.value import Known, Unknown, as_value, spliced
from speclint.words import Command

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from speclint.source import SourceError, SourceFile
    from speclint.splitting import Part
    from speclint.value import Value
    from speclint.words import Word

_SECTION = pattern(r"\[(?P<name>[^\]\r\n]+)\][ \t]*$")
_ENTRY = pattern(r"(?P<key>[A-Za-z_][\w.-]*)[ \t]*=[ \t]*")
_STARTS = pattern(r"^[ \t]*ExecStart[ \t]*=", re.MULTILINE)
_PROCESS = pattern(r"(?P<name>[\w-]+):[ \t]*")
_TOKEN = pattern(
    r"(?P<blank>[ \t\r\n]+)|(?P<quote>[\"'])|\\(?P<char>\r?\n|.)|\$\$|\$\{(?P<braced>\w+)\}|\$(?P<bare>[A-Za-z_]\w*)"
    r"|%%|%\((?P<python>\w+)\)\d*[sd]|%(?P<specifier>[A-Za-z])|(?P<text>[^\s\"'\\$%]+|.)",
    re.DOTALL,
)
# supervisor looks for comments within quotes too.
_COMMENT = pattern(r"[;#](?<=[ \t].)")
_PAIR = pattern(r"(?<!\s)\s*(?:,\s*)?(?<![\w\ufffc])(?P<name>[A-Za-z_]\w*)=(?P<value>\"[^\"]*\"|'[^']*'|[^,\s]*)")


def read(file: SourceFile, problems: list[SourceError] | None = None) -> list[Command]:
    """Every command of the services. A line that is none is passed over."""
    base = Command((), Span(file, 0, len(file.text)), "units", fixable=file.clean)
    return read_text(Mapped.of(file), base)


def read_text(text: Mapped, base: Command, depth: int = 0) -> list[Command]:
    """Every command of the services of a file."""
    sections = list(_sections(text))
    if not sections and depth and _STARTS.search(text.text):
        # A document shows the lines that matter.
        sections = list(_sections(text, _Section("Service")))
    if not sections:
        return _processes(text, base)
    return [command for section in sections for command in section.commands(base)]


def _processes(text: Mapped, base: Command) -> list[Command]:
    """The lines ``name: command`` of a Procfile."""
    from speclint.hosts.shell import read_text as shell

    found: list[Command] = []
    for start, end in blocks.lines(text.text):
        process = _PROCESS.match(text.text, start, end)
        if process is not None and blocks.TRIGGER.search(text.text, process.end(), end):
            found.extend(blocks.placed(c, process["name"]) for c in shell(text[process.end() : end], base))
    return found


class _Section:
    """A section and its entries: key, value over all its lines without what joins them."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.entries: list[tuple[str, Mapped]] = []

    def commands(self, base: Command) -> Iterator[Command]:
        """What it starts."""
        is_supervisor = ":" in self.name
        env: dict[str, Value] = {}
        image: Value | None = None
        for key, value in self.entries:
            if key == "Environment" and value.text:
                env.update(_environment(value))
            elif key == "environment" and is_supervisor:
                env.update(_pairs(value))
            elif key == "Image":
                image = as_value(value)
        for key, value in self.entries:
            runs = key == "command" if is_supervisor else key.startswith("Exec") and key != "ExecStop"
            span = value.span()
            if not runs or span is None or not blocks.TRIGGER.search(value.text):
                continue
            known = {} if is_supervisor else env
            at = 0 if is_supervisor else len(value.text) - len(value.text.lstrip("@:+!-|"))
            words = _words(value[at:], known, self.name)
            outer = {**base.env, **env}
            name = self.name.replace(HOLE, "…")
            for part in (words,) if is_supervisor else _apart(words):
                yield Command(part, span, base.host, outer, f"[{name}]", image or base.image, None, base.fixable)


def _apart(words: list[Word]) -> Iterator[list[Word]]:
    """The commands of a line of systemd, between which a semicolon stands as a word."""
    start = 0
    for at, word in enumerate(words):
        if word.text == ";" and word.span is not None and word.span.text == ";":
            yield words[start:at]
            start = at + 1
    yield words[start:]


def _sections(text: Mapped, section: _Section | None = None) -> Iterator[_Section]:
    """``section``: the one that the first lines belong to."""
    key, parts, going = "", [Mapped("", ())][:0], False
    for start, end in blocks.lines(text.text):
        line = text.text[start:end].rstrip()
        if line.lstrip()[:1] in ("#", ";"):
            continue  # also between the lines of one entry
        head = _SECTION.match(line)
        entry = _ENTRY.match(line)
        if going or (section is not None and parts and line[:1] in (" ", "\t") and line.strip()):
            begin = start
        elif head is not None or (section is not None and entry is not None):
            if section is not None and key:
                section.entries.append((key, Mapped.join(parts)))
            key, parts = "", []
            if head is not None:
                if section is not None:
                    yield section
                section = _Section(head["name"])
                continue
            assert entry is not None
            key, begin = entry["key"], start + entry.end()
        else:
            continue
        going = line.endswith("\\")
        if section is not None and ":" in section.name and (comment := _COMMENT.search(line)) is not None:
            line = line[: comment.start()].rstrip()
        stop = start + len(line) - going
        parts += [text[begin:stop], Mapped.new(" ", text.span(stop, end))] if going else [text[begin:stop]]
    if section is not None:
        if key:
            section.entries.append((key, Mapped.join(parts)))
        yield section


def _environment(text: Mapped) -> dict[str, Value]:
    """``Environment="A=1" B=2`` of systemd."""
    found: dict[str, Value] = {}
    for word in _words(text, {}, ""):
        value = word.value
        name, equals, _ = word.prefix.partition("=")
        if equals and isinstance(value, Known):
            known = Known(value.text[len(name) + 1 :])
            found[name] = assigned(name, known, word.span, 1, "env", value.text.span(0, len(name)))
        elif equals:
            found[name] = Unknown(f"`{name}` is not followed")
    return found


def _pairs(text: Mapped) -> dict[str, Value]:
    """``environment=A="1",B=2`` of supervisor."""
    found: dict[str, Value] = {}
    for pair in _PAIR.finditer(text.text):
        start, end = pair.span("value")
        if pair["value"][:1] in ("'", '"') and len(pair["value"]) > 1:
            start, end = start + 1, end - 1
        name = pair["name"]
        known = as_value(text[start:end])
        if "%(" in text.text[start:end]:
            known = Unknown(f"`{name}` is not followed")
        found[name] = assigned(name, known, text.span(*pair.span("value")), 1, "env", text.span(*pair.span("name")))
    return found


def _words(text: Mapped, env: dict[str, Value], section: str) -> list[Word]:
    """The words of a command line that no shell reads."""
    words: list[Word] = []
    parts: list[Part] = []
    begin = 0
    quote = ""
    for found in _TOKEN.finditer(text.text):
        at = found.start()
        if found["blank"] and not quote:
            words.extend(split(parts, text.place(begin, at)) if parts else ())
            parts = []
            continue
        begin = at if not parts else begin
        if found["quote"] and quote in ("", found["quote"]):
            quote = "" if quote else found["quote"]
            parts.append((Known(Mapped("", ())), False))
        elif found["text"]:
            parts.extend(_plain(text[at : found.end()], bool(quote)))
        else:
            parts.append(_part(text, found, env, ":" in section, bool(quote)))
    words.extend(split(parts, text.place(begin, len(text))) if parts else ())
    return words


def _plain(text: Mapped, quoted: bool) -> Iterator[Part]:
    """Text between what has a meaning; what a template puts in may be several words."""
    if not text.holes():
        yield Known(text), False
        return
    from speclint.hosts.shell.syntax import literal

    yield from literal(text, quoted)


def _part(text: Mapped, found: re.Match[str], env: dict[str, Value], is_supervisor: bool, quoted: bool) -> Part:
    """What one token stands for, and whether blanks in it separate words."""
    at, end = found.span()
    place = text.place(at, end)
    name = found["braced"] or found["bare"]
    if found.group() in ("$$", "%%"):
        return Known(text[at : at + 1]), False
    if found["python"] or (found["specifier"] and not is_supervisor):
        return spliced(Unknown(f"`{found.group()}` is known where it is started"), place), False
    if name and not is_supervisor:
        value = env.get(name, Unknown(f"`{name}` is not set in this file"))
        return spliced(value, place), bool(found["bare"]) and not quoted
    if found["char"]:
        kept = found["char"] if found["char"] in "\"'\\ $%" else found.group()
        return as_value(text[end - len(kept) : end]), False
    return Known(text[at:end]), False
