"""The JavaScript host: what a script, or a page that makes a command of what is chosen on it, gives to run.

The script is followed as a Python module is, by the same machine: its syntax tree becomes that of Python.
"""

from __future__ import annotations

from speclint.byteindex import ByteIndex
from speclint.hosts.blocks import TRIGGER
from speclint.lean import pattern
from speclint.source import SourceError
from speclint.text import Mapped, Span
from speclint.words import Command, as_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tree_sitter import Node, Parser

    from speclint.hosts.javascript.source import Script
    from speclint.source import SourceFile

_parser: Parser | None = None
# What may begin or belong to a launch, and what runs a command.
_OPTION = pattern(r"[\"'`]\s*--([a-z][\w-]*)")
# The program and its command as two words.
_WORDS = pattern(r"sglang[\"'`][\s,\[]{1,40}[\"'`]serve\b")
_NAMED = pattern(r"sglang|launch_server|[\"'`]\s*--[a-z]")
_RUNS = pattern(r"\b(?:exec|spawn)\w*\s*\(|\$`")
# What has longer lines than this, on average, or more text, was made by a program; nobody edits it.
_WIDTH, _LENGTH = 400, 500_000
# A list of options names so many at least that only SGLang has.
_LEAST = 3


def read(file: SourceFile, problems: list[SourceError] | None = None) -> list[Command]:
    """Every launch that a script holds. Raises SourceError if it cannot be parsed."""
    base = Command((), Span(file, 0, len(file.text)), "javascript", fixable=file.clean)
    return read_text(Mapped.of(file), base)


def read_text(text: Mapped, base: Command) -> list[Command]:
    """Every launch that JavaScript holds. Raises SourceError."""
    if len(text) > _LENGTH or len(text) > _WIDTH * (text.text.count("\n") + 5):
        return []
    starts = TRIGGER.search(text.text) or _WORDS.search(text.text)
    if starts is None and not _lists_options(text.text):
        return []
    try:
        return _followed(text, base)
    except (RecursionError, MemoryError):
        raise SourceError("the JavaScript source is nested too deeply") from None


def _lists_options(text: str) -> bool:
    """Whether a script may list options of SGLang."""
    from speclint.marked import is_own

    return sum(map(is_own, set(_OPTION.findall(text)))) >= _LEAST


def _followed(text: Mapped, base: Command) -> list[Command]:
    from speclint.hosts.javascript import statements
    from speclint.hosts.javascript.nodes import Follower
    from speclint.hosts.javascript.source import Script
    from speclint.hosts.javascript.translation import OS, SUBPROCESS, Translation
    from speclint.hosts.python import assign, functions
    from speclint.hosts.python import statements as followed
    from speclint.hosts.python.index import Index
    from speclint.pyast import ast

    source = Script(text)
    root = _parse(text.text, source)
    imports = [ast.alias("subprocess", SUBPROCESS), ast.alias("os", OS)]
    body = [ast.Import(imports), *statements.block(Translation(source), root.named_children)]
    index = Index(ast.Module(body, []))
    rows, runs = ([source.row(found.start()) for found in each.finditer(text.text)] for each in (_NAMED, _RUNS))
    index.relate(rows, runs)
    machine = Follower(source, index, base)
    try:
        followed.block(machine, body)
        assign.flush(machine)
        functions.read_bodies(machine)
        found = machine.launches.finish()
        lists = [each for each in machine.fragments.commands(found) if not _names(each)]
        return [*found, *map(_split, lists)]
    finally:
        vars(machine).clear()  # it and its parts hold one another


def _names(command: Command) -> bool:
    """Whether a list only names options, of which some are to be left out or looked for."""
    return all(word.text is not None and " " not in word.text and "=" not in word.text for word in command.words)


def _split(command: Command) -> Command:
    """A list of options whose elements are parts of a command line, ``"--tp 8"``, word by word."""
    if not any(" " in word.prefix.strip() for word in command.words):
        return command
    from speclint.hosts.shell import read_text as read_shell

    base = command.replace(())
    base.under = ()
    read = read_shell(Mapped.join((Mapped.new("sglang serve "), as_text(command.words))), base)
    return command.replace(read[0].words[2:]) if len(read) == 1 else command


def _parse(text: str, source: Script) -> Node:
    """The syntax tree of a script. Raises SourceError."""
    global _parser
    from speclint.hosts.shell.grammar import binding

    if _parser is None:
        library = binding("tree_sitter")
        _parser = library.Parser(library.Language(binding("tree_sitter_javascript").language()))
    root = _parser.parse(text.encode("utf-8", "replace")).root_node
    if root.has_error:
        at = ByteIndex(text)(_fault(root))
        raise SourceError("it is no JavaScript that can be parsed", source.row(at), at - text.rfind("\n", 0, at))
    return root


def _fault(root: Node) -> int:
    """The offset in bytes of the first thing that is no JavaScript."""
    todo = [root]
    while todo:
        node = todo.pop()
        if node.is_error or node.is_missing:
            return node.start_byte
        todo += [child for child in reversed(node.children) if child.has_error or child.is_missing]
    return 0
