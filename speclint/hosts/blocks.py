"""Blocks of code in documents and files in files: which language one is in, and how it is read."""

from __future__ import annotations

from speclint.lean import module, pattern, re
from speclint.source import SourceError
from speclint.text import Mapped

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from speclint.words import Command

# A document in a document in … deeper than this is not read.
MAX_DEPTH = 3
TRIGGER = pattern(r"launch_server|\bsglang[ \t]+serve\b|dynamo\.sglang|sglang\.(?:bench_o|compile_)|-m[ \t]+sglang\.")
_WORDS = ("sglang", "SGLang", "launch_server")  # all that TRIGGER finds has one
# The bracket first, for which there is a quick search.
_CALL = pattern(r"\((?:(?<=\bEngine\()|(?<=\bServerArgs\()|(?<=\bRuntime\()|(?<=\bpopen_launch_server\())")
_LANGUAGES = {
    **dict.fromkeys(("bash", "sh", "shell", "zsh", "ksh", "fish", "commandline", "cli"), "shell"),
    **dict.fromkeys(("console", "shell-session", "shellsession", "sh-session", "terminal", "bash-session"), "console"),
    **dict.fromkeys(("", "text", "txt", "plain", "plaintext", "none", "code", "raw", "default"), "plain"),
    **dict.fromkeys(("python", "py", "python3", "ipython", "ipython3", "pycon", "default-python"), "python"),
    **dict.fromkeys(("yaml", "yml", "helm"), "yaml"),
    **dict.fromkeys(("dockerfile", "docker", "containerfile"), "dockerfile"),
    **dict.fromkeys(("json", "jsonc", "json5"), "json"),
    **dict.fromkeys(("make", "makefile"), "makefile"),
    **dict.fromkeys(("ini", "systemd", "service", "unit"), "units"),
    **dict.fromkeys(("markdown", "md", "mdx"), "markdown"),
    **dict.fromkeys(("rst", "restructuredtext", "eval-rst", "eval_rst"), "rst"),
    **dict.fromkeys(("asciidoc", "adoc"), "asciidoc"),
    **dict.fromkeys(("jinja", "jinja2", "j2"), "template"),
    **dict.fromkeys(("powershell", "pwsh", "ps1"), "powershell"),
    **dict.fromkeys(("bat", "batch", "cmd", "dos"), "batch"),
    "toml": "toml",
    "just": "justfile",
    "diff": "diff",
}
# What ends a line that goes on, in the shells of Windows.
_GOES_ON = {"powershell": pattern(r"`(?=\r?\n)"), "batch": pattern(r"\^(?=\r?\n)")}
_READERS = {name: f"speclint.hosts.{name}" for name in ("dockerfile", "makefile", "justfile", "units", "toml")}
_READERS |= {name: f"speclint.hosts.{name}" for name in ("markdown", "rst", "asciidoc", "template")}
_READERS["json"] = "speclint.hosts.jsonc"

_MANIFEST = pattern(r"^(?:apiVersion|kind|services):", re.MULTILINE)
_FROM = pattern(r"^FROM[ \t]+\S+[ \t]*$", re.MULTILINE)
_STARTS = pattern("^(?:CMD|ENTRYPOINT)", re.MULTILINE)
_UNIT = pattern(r"\A(?:\s*(?:[#;][^\n]*\n|\[\w+\][ \t]*\n|\w+=[^\n]*\n))*?\s*ExecStart=")
# The section of systemd, of podman, or of supervisor that starts something.
_SECTION = pattern(r"^[ \t]*\[(?:Service|Container|program:[^\]\r\n]+)\][ \t]*\r?$", re.MULTILINE)
_IMPORT = pattern(r"^[ \t]*(?:from[ \t]+\S+[ \t]+)?import[ \t]+\w", re.MULTILINE)
# The first line of code is an import.
_IMPORTS_FIRST = pattern(r"\A(?:[ \t\r]*(?:#[^\n]*)?\n)*[ \t]*(?:from[ \t]+[\w.]+[ \t]+)?import[ \t]+\w")
_OURS = pattern(r"^(?:import|from)[ \t]+[^\n(]*sglang[^\n(]*\n", re.MULTILINE)
_END = pattern(r"\r\n|[\r\n]")
_WIDTH = 1000
_LINE = pattern(r"[^\r\n]*(?:\r\n|[\r\n]|\Z)")


def language(tag: str, title: str = "") -> str | None:
    """What a block with this tag is read as; None: it is not read (a language that starts nothing)."""
    found = _LANGUAGES.get(tag.strip("{}.").lower())
    if found is not None and title.strip("\"'").lower() in ("output", "log", "logs", "result", "response"):
        return "plain"
    return found


def read(text: Mapped, kind: str, base: Command, depth: int, imports: Sequence[Mapped] = ()) -> list[Command]:
    """Every command that a block runs; ``kind`` is what ``language`` gave. What does not parse gives none.

    ``imports`` are lines of earlier Python blocks that later ones rely on.
    """
    if kind == "diff":
        text = _after(text)
        base = unfixable(base)
    if depth > MAX_DEPTH or not triggers(text.text, 0, len(text)):
        return []
    if kind in _GOES_ON:
        text = _unix(text, _GOES_ON[kind])
        kind, base = "plain", unfixable(base)
    elif kind in ("plain", "diff"):
        kind = _guess(text.text)
    if kind in ("plain", "shell") and _IMPORTS_FIRST.match(text.text):
        # Marked as of a shell, or as of none, and Python all the same.
        found = read(text, "python", base, depth, imports)
        if found:
            return found
    try:
        return _read(text, kind, base, depth, imports)
    except SourceError:
        return []


def is_unit(text: str) -> bool:
    """Whether a file that other text holds is one of services."""
    return ("Exec" in text or "command" in text) and _SECTION.search(text) is not None


def triggers(text: str, start: int, end: int) -> bool:
    """Whether a part of a text may start something."""
    if any(text.find(word, start, end) >= 0 for word in _WORDS):
        return True
    return _CALL.search(text, start, end) is not None


def _read(text: Mapped, kind: str, base: Command, depth: int, imports: Sequence[Mapped]) -> list[Command]:
    if kind == "python":
        return _python(text, base, imports)
    if kind == "yaml":
        from speclint.hosts import yaml

        return yaml.read_text(text, [], base.fixable, depth + 1)
    if kind in _READERS:
        found: list[Command] = module(_READERS[kind]).read_text(text, base, depth + 1)
        return found
    from speclint.hosts.recipes import shell

    return shell(text, base, kind)


def _guess(text: str) -> str:
    """The language of a block that does not tell it."""
    if _MANIFEST.search(text):
        return "yaml"
    if "FROM" in text and _FROM.search(text) and _STARTS.search(text):
        return "dockerfile"
    if "import" in text and _IMPORT.search(text) and _CALL.search(text):
        return "python"
    if "ExecStart" in text and _UNIT.search(text):
        return "units"
    return "plain"


def _after(text: Mapped) -> Mapped:
    """The text that a diff leads to."""
    kept = [text[s + 1 : e] for s, e in lines(text.text) if text.text[s : s + 1] in ("+", " ")]
    return Mapped.join([part for part in kept if not part.text.startswith("++ ")])


def _unix(text: Mapped, marks: re.Pattern[str]) -> Mapped:
    """The text with a backslash where a line goes on."""
    parts: list[Mapped] = []
    at = 0
    for found in marks.finditer(text.text):
        parts += [text[at : found.start()], Mapped.new("\\", text.place(*found.span()))]
        at = found.end()
    return Mapped.join([*parts, text[at:]]) if parts else text


def _python(text: Mapped, base: Command, imports: Sequence[Mapped]) -> list[Command]:
    from speclint.hosts import python

    if ">>> " in text.text:
        kept = [text[s + 4 : e] for s, e in lines(text.text) if text.text.startswith((">>> ", "... "), s)]
        text = Mapped.join(kept)
    head = list(imports)
    if "sglang" not in "".join(part.text for part in head) and not re.search("import.*sglang", text.text):
        # Documents leave out the customary first line.
        head.append(Mapped.new("import sglang as sgl, sglang\n"))
    return python.read_text(Mapped.join([*head, dedent(text)]), base)


def import_lines(text: Mapped) -> list[Mapped]:
    """The lines of a Python block that import something of SGLang."""
    return [text[m.start() : m.end()] for m in _OURS.finditer(text.text)] if "sglang" in text.text else []


def lines(text: str, start: int = 0, end: int | None = None) -> Iterator[tuple[int, int]]:
    """The bounds of each line, its end included."""
    end = len(text) if end is None else end
    if text.find("\r", start, end) >= 0:
        for found in _LINE.finditer(text, start, end):
            if found.end() > found.start():
                yield found.span()
        return
    while start < end:
        stop = text.find("\n", start, end) + 1 or end
        yield start, stop
        start = stop


def line_start(text: str, at: int, least: int = 0) -> int:
    """Where the line begins that a character belongs to, its end being a part of it; ``least`` where before that."""
    stop = at - 1 if at > least and text.startswith("\r\n", at - 1) else at
    # Either end may not occur at all, which is not to be found out for each line.
    for begin in (max(least, at - _WIDTH), least):
        found = max(text.rfind("\n", begin, stop), text.rfind("\r", begin, stop)) + 1
        if found:
            return found
    return least


def line_end(text: str, at: int) -> int:
    """Where the line ends that a character belongs to."""
    found = text.find("\n", at, at + _WIDTH) + 1
    if found and text.find("\r", at, found) < 0:
        return found
    end = _END.search(text, at)
    return end.end() if end is not None else len(text)


def dedent(text: Mapped) -> Mapped:
    """The text without the white space that all of its lines begin with."""
    bounds = list(lines(text.text))
    leads = [_lead(text.text[s:e]) for s, e in bounds if text.text[s:e].strip()]
    width = min(leads, default=0)
    if not width:
        return text
    return Mapped.join(text[s + min(width, _lead(text.text[s:e])) : e] for s, e in bounds)


def _lead(line: str) -> int:
    return len(line) - len(line.lstrip(" \t"))


def unfixable(command: Command) -> Command:
    """The same command, whose text must not be edited as its host would."""
    return placed(command, fixable=False)


def placed(command: Command, object: str | None = None, fixable: bool = True) -> Command:
    """The same command, in another place."""
    found = command.replace(command.words)
    found.object = object or command.object
    found.fixable = command.fixable and fixable
    return found
