"""Commands in files of settings, JSON or TOML alike: editors' tasks, containers for development, scripts of packages.

What a setting means is told by its key: ``command`` with ``args``, ``module`` with ``args``, or text that begins as a
command line does.
"""

from __future__ import annotations

from itertools import pairwise

from speclint.hosts import blocks, recipes
from speclint.hosts.served import IMAGE_KEYS
from speclint.hosts.variables import assigned, replaced
from speclint.lean import pattern
from speclint.text import HOLE, Mapped
from speclint.value import Known, Unknown, as_value
from speclint.words import Command, Word, many

TYPE_CHECKING = False
if TYPE_CHECKING:
    import re
    from collections.abc import Iterator

    from speclint.hosts.json_text import Node, Tree
    from speclint.value import Value

# What starts something is written with one of these.
_WORDS = ("sglang", "launch_server")
_ENVIRONMENTS = ("env", "environment", "Environment", "containerEnv", "remoteEnv")
_IMAGES = frozenset(IMAGE_KEYS)
# The program of a container, what else starts it, and the arguments, by the keys of those that write them so.
_PARTS = (
    ("entryPoint", "entrypoint", "EntryPoint", "Entrypoint", "ContainerEntrypoint"),
    ("command", "Command", "Cmd"),
    ("args", "ContainerArguments"),
)
# What stands before a program: blanks, and the folder that something puts in.
_BEFORE = f" \t\r\n{HOLE}"
_DASH_C = pattern(r"-\w*c")
_PROSE = frozenset(
    (
        *("description", "title", "comment", "help", "note", "detail", "markdown", "text", "prompt", "doc", "message"),
        *("content", "output", "outputs", "stdout", "stderr", "log", "question", "answer", "input", "instruction"),
        *("response", "body", "summary", "readme", "label", "name", "pattern", "regex", "match"),
    )
)
# What an editor puts in; `${NAME}` alone is for the shell.
_EDITOR = pattern(
    r"\$\{(?:(?:env|localEnv|containerEnv|input|config|command|cwd):[^{}]*|(?:workspace|file|relativeFile|localWorkspace"
    r"|containerWorkspace|user|path|line|selected|exec|default|cwd)\w*)\}"
)


def commands(source: Tree, base: Command) -> Iterator[Command]:
    """Every command that settings hold."""
    todo: list[tuple[Node, str, Command]] = [(source.root, "", base)]
    while todo:
        node, key, outer = todo.pop()
        # What a variable holds may be run anywhere below it.
        if not outer.env and not source.holds(node, _WORDS):
            continue
        if node.kind == "object":
            inner = _surroundings(source, node, outer)
            taken, found = _entry(source, node, inner)
            yield from found
            todo += [(value, name, inner) for name, value in source.pairs(node) if name not in taken]
        elif key.lower() not in _PROSE:
            yield from _loose(source, node, outer)
            todo += [(item, key, outer) for item in source.items(node) if item.kind in ("object", "array")]


def _surroundings(source: Tree, node: Node, outer: Command) -> Command:
    """What an object says of the commands in it: variables, the image that they run in, and its name."""
    env: dict[str, Value] = {}
    fields = source.fields(node)
    options = fields.get("options")
    for holder in (fields, source.fields(options)) if options is not None else (fields,):
        for key in _ENVIRONMENTS:
            for written, value in _variables(source, holder.get(key)):
                name, text = source.plain(written) or "", source.string(value)
                known = _opened(text) if text is not None else Unknown(f"`{name}` is no text here")
                spelled = source.string(written)
                place = spelled.span() if spelled is not None else None
                env[name] = assigned(name, known, source.span(value), 1, "env", place)
    title = next((t for key in ("name", "label") if (t := source.plain(fields.get(key)))), None)
    return blocks.placed(outer.replace((), _image(source, fields), env), title)


def _image(source: Tree, fields: dict[str, Node]) -> Value | None:
    """The image that an object names."""
    for key in IMAGE_KEYS if not _IMAGES.isdisjoint(fields) else ():
        text = source.string(fields.get(key))
        if text is not None and text.text:
            return _opened(text)
    return None


def _variables(source: Tree, node: Node | None) -> Iterator[tuple[Node, Node]]:
    """The names and values of an object, or of a list of ``{"name": …, "value": …}``."""
    yield from source.entries(node)
    for item in source.items(node):
        fields = source.fields(item)
        name, value = fields.get("name", fields.get("Name")), fields.get("value", fields.get("Value"))
        if name is not None and value is not None:
            yield name, value


def _entry(source: Tree, node: Node, base: Command) -> tuple[set[str], list[Command]]:
    """The command that an object describes, and the keys that tell of it."""
    fields = source.fields(node)
    module, program = fields.get("module"), fields.get("program")
    keys = [next((key for key in names if key in fields), "") for names in _PARTS]
    entry, command, args = (fields.get(key) for key in keys)
    head: list[Word]
    if module is not None and source.plain(module):
        head = [_word("python", module, source), _word("-m", module, source), _written(source, module)]
    elif program is not None and (source.plain(program) or "").endswith(".py"):
        # A folder that the editor puts in changes nothing about which script it is.
        path = source.string(program) or Mapped("", ())
        head = [_word("python", program, source), Word(Known(path), source.span(program))]
    elif entry is not None and entry.kind == "array":
        head = _arguments(source, entry)
        if command is not None and command.kind == "string" and head and _DASH_C.fullmatch(head[-1].prefix):
            head.append(_written(source, command))
        else:
            head += _arguments(source, command)
    elif command is None:
        return set(), []
    elif command.kind == "array":
        words = source.words(command) or []
        head = [_opened_word(word) for word in words]
        if entry is not None and entry.kind == "string" and " " not in (source.plain(entry) or " "):
            head.insert(0, _written(source, entry))
    else:
        text = source.string(command)
        if text is None or args is None:
            return set(), []
        if " " in text.text.strip():
            return set(keys), _shell(source, node, text, _arguments(source, args), base)
        head = [_written(source, command)]
    taken = {"module", "program", *keys}
    return taken, [_run(base, source, node, [*head, *_arguments(source, args)])] if head else []


def _run(base: Command, source: Tree, node: Node, words: list[Word]) -> Command:
    """The command of words; of one that ends with what is started the arguments stand elsewhere."""
    before, last = (word.prefix for word in words[-2:]) if len(words) > 1 else ("", "")
    if _starts(before, last) and not blocks.TRIGGER.search(before):
        words = [*words, many("its arguments stand elsewhere", words[-1].span)]
    return _at(base, source, node).replace(words)


def _arguments(source: Tree, node: Node | None) -> list[Word]:
    """The items of ``args``: strings, or objects with a ``value``; a single string is read as a shell does."""
    if node is None:
        return []
    if node.kind == "string":
        from speclint.hosts.shell import read_text

        text = source.string(node)
        span = source.span(node)
        if text is None or span is None:
            return []
        found = read_text(Mapped.join([Mapped.new("x "), _holes(text)]), Command((), span, ""))
        return list(found[0].words[1:]) if len(found) == 1 else []
    return [_written(source, source.get(item, "value") or item) for item in source.items(node)]


def _shell(source: Tree, node: Node, text: Mapped, words: list[Word], base: Command) -> list[Command]:
    """Shell text with words behind it, which whoever runs it puts in quotes."""
    from speclint.hosts.shell import read_text

    parts = [_holes(text)]
    for word in words:
        parts += [Mapped.new(' "'), Mapped.hole(word.value, word.span), Mapped.new('"')]
    return read_text(Mapped.join(parts), _at(base, source, node))


def _loose(source: Tree, node: Node, base: Command) -> Iterator[Command]:
    """A string that is a command line, or an array that is the words of one."""
    from speclint.hosts.shell import read_text

    text = source.string(node)
    if text is not None:
        if recipes.START.match(text.text.lstrip(_BEFORE)) and blocks.TRIGGER.search(text.text) and " -" in text.text:
            yield from read_text(_holes(text), _at(base, source, node))
        return
    words = source.words(node)
    if not words:
        return
    if any(_starts(before.prefix, word.prefix) for before, word in pairwise(words)):
        yield _run(base, source, node, [_opened_word(word) for word in words])
        return
    for item in source.items(node):
        yield from _loose(source, item, base)


def _starts(before: str, text: str) -> bool:
    """Whether two words after each other run a module or a command that starts something."""
    return " " not in text and bool(blocks.TRIGGER.search(f"{before} {text}"))


def _at(base: Command, source: Tree, node: Node) -> Command:
    span = source.span(node) or base.span
    return Command((), span, base.host, base.env, base.object, base.image, None, base.fixable)


def _holes(text: Mapped) -> Mapped:
    def make(found: re.Match[str]) -> Mapped:
        place = text.place(found.start(), found.end())
        return Mapped.hole(Unknown(f"`{found.group()}` is put in by the editor"), place)

    return replaced(text, _EDITOR, make)


def _opened(text: Mapped) -> Value:
    return as_value(_holes(text))


def _opened_word(word: Word) -> Word:
    return Word(_opened(word.value.text), word.span) if isinstance(word.value, Known) else word


def _written(source: Tree, node: Node) -> Word:
    if node.kind == "more":
        return many("an expression adds to it", source.span(node))
    text = source.string(node)
    if text is None:  # a number or a truth value
        text = source.text[node.start : node.end]
    return Word(_opened(text), source.span(node))


def _word(text: str, node: Node, source: Tree) -> Word:
    span = source.span(node)
    return Word(Known(Mapped.new(text, span)), span)
