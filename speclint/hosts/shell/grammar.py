"""The grammar of shell scripts: tree-sitter's, loaded without what a linter does not need of it."""

from __future__ import annotations

from speclint import lean, process
from speclint.lean import pattern

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from importlib.machinery import ModuleSpec
    from re import Match, Pattern
    from types import ModuleType
    from typing import Any

    from tree_sitter import Node, Parser

_parser: Parser | None = None
# What tree_sitter takes of Python's library as it is loaded.
_STAND_INS: dict[str, dict[str, Callable[..., Any]]] = {
    "re": {"compile": lambda *arguments: lean.re.compile(*arguments)},
    "enum": {"IntEnum": lambda name, members: type(name, (int,), members)},
}
# A dollar sign that begins no expansion, which the grammar takes for one of all words up to the next.
_LONE = pattern(rb"\$(?<!\$\$)(?=[:/.,+=~^%])")
# A shift in a calculation, whose sign the grammar takes for that of a here-document where a default is calculated:
# `${A:-$((1 << 30))}`. A comparison has the same place among the operators, and its sign as many characters.
_SHIFT = pattern(rb"\$\(\([^)\n]{0,200}?(?<!<)<<(?![<=])(?=[^\n]{0,200}\)\))")
# The end of a pipeline: of one with three commands, the last may run on into the next line where that one redirects.
_PIPED = pattern(rb"(?<!\|)\|(?!\|)[^\n]*(?:(?<=\|)\n[^\n]*)*")
# A line that does nothing but set several names, for all that its beginning tells: the grammar takes them to be set for
# the command on the next line.
_SETTING = pattern(rb"(?m)^[ \t]*[A-Za-z_]\w*\+?=[^\n]*[ \t][A-Za-z_]\w*\+?=[^\n]*")
_QUOTED = frozenset(("string", "string_content", "raw_string", "ansi_c_string"))
_MAX_REPAIRS = 4


def _shared_parser() -> Parser:
    global _parser
    if _parser is None:
        library = binding("tree_sitter")
        _parser = library.Parser(library.Language(binding("tree_sitter_bash").language()))
    return _parser


def binding(package: str) -> Any:
    """The binary part of a package, without the Python around it.

    tree_sitter imports typing (4 ms), tree_sitter_bash importlib.resources for its queries (12 ms): as much as all
    else that is needed to read a script.
    """
    import sys
    from _frozen_importlib_external import PathFinder

    name = f"{package}._binding"
    if name in sys.modules:
        return sys.modules[name]
    around = PathFinder.find_spec(package)
    places = around.submodule_search_locations if around is not None else None
    spec = PathFinder.find_spec(name, places) if places else None
    module = _created(spec) if spec is not None and spec.loader is not None else None
    if spec is None or spec.loader is None or module is None:
        return lean.module(package)
    sys.modules[name] = module  # there is one of it, whoever imports the package later
    spec.loader.exec_module(module)
    return module


def _created(spec: ModuleSpec) -> ModuleType | None:
    """The module, not yet run.

    tree_sitter looks up ``re.compile``, for queries, and ``enum.IntEnum``, for a logger, of which there are none here:
    in a process of our own it finds something in their places, and 6 ms are saved.
    """
    import sys

    assert spec.loader is not None
    hidden = [name for name in _STAND_INS if process.is_ours and name not in sys.modules]
    for name in hidden:
        sys.modules[name] = stand_in = type(sys)(name)
        vars(stand_in).update(_STAND_INS[name])
    try:
        return spec.loader.create_module(spec)
    finally:
        for name in hidden:
            del sys.modules[name]


def parsed(data: bytes) -> Node:
    """The tree of shell text."""
    data = _LONE.sub(b"%", data)
    while data.find(b"<<") >= 0 and _SHIFT.search(data) is not None:
        data = _SHIFT.sub(_compared, data)
    root = _shared_parser().parse(data).root_node
    for wanted in (_PIPED, _SETTING) if data.find(b"|") >= 0 else (_SETTING,):
        for _ in range(_MAX_REPAIRS):
            ended = _ended(root, data, wanted)
            if ended is None:
                break
            data = ended
            root = _shared_parser().parse(data).root_node
    return root


def _compared(shift: Match[bytes]) -> bytes:
    return shift[0][:-1] + b"="


def _ended(root: Node, data: bytes, wanted: Pattern[bytes]) -> bytes | None:
    """The text with a semicolon behind each of ``wanted`` that the grammar lets run on into the next line, if any."""
    ended: bytearray | None = None
    for found in wanted.finditer(data):
        at = found.end()
        node = root.descendant_for_byte_range(at, at + 1) if at < len(data) else None
        while node is not None and node.type in _QUOTED:
            at = data.find(b"\n", node.end_byte)
            node = root.descendant_for_byte_range(at, at + 1) if at >= 0 else None
        if node is None or node.type != "command" or data[at - 1 : at] == b"\\":
            continue
        end = max((c.end_byte for c in node.children if c.end_byte <= at and c.type != "comment"), default=at)
        ended = bytearray(data) if ended is None else ended
        ended[end] = ord(";")
    return bytes(ended) if ended is not None else None
