"""Whether some dictionary of a module may be one of SGLang's options, by what it is written under and what it holds.

As in ``listed``, what cannot be ruled out is worth following the module for.
"""

from __future__ import annotations

from speclint import marked
from speclint.hosts.python.fragments import NAMES, imports_sglang, is_key, is_map_name
from speclint.hosts.python.indirect import hands_on
from speclint.hosts.python.listed import ANY, holds, key_name, target_name
from speclint.hosts.python.triggers import every
from speclint.lean import pattern
from speclint.pyast import ast

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from speclint.hosts.python.source import Source

    # A node, the names that it stands under, the calls that are given it, and its function.
    _Place = tuple[ast.AST, tuple[str, ...], tuple[ast.Call, ...], str]

_LEAVES = frozenset(
    (ast.Constant, ast.Name, ast.Load, ast.Store, ast.Pass, ast.Raise, ast.Assert, ast.Import, ast.ImportFrom)
)
# Calls that keep what they are given, or give it back, where the module makes no function of that name.
_KEEPS = frozenset(
    (
        *("append", "extend", "insert", "setdefault", "update", "dict", "list", "tuple", "copy", "deepcopy", "get"),
        *("pop", "iter", "zip", "map", "filter", "sorted", "reversed", "enumerate", "SimpleNamespace", "Namespace"),
        *("OrderedDict", "defaultdict"),
    )
)
# An expression that begins with one character is ten times as fast as one that begins with any quote.
_QUOTED = tuple(pattern(rf"{quote}(?:--)?([A-Za-z][\w-]*){quote}") for quote in "\"'")
_KEYWORD = pattern(r"(?<![\w.])([a-z]\w*)\s?=(?!=)")


class _Dict:
    """A dictionary that is written out: its ``keys``, the ``names`` it stands under, whether more may be added."""

    __slots__ = ("keys", "names", "open")

    def __init__(self, keys: Sequence[str], names: tuple[str, ...], more: bool) -> None:
        self.keys = keys
        self.names = names
        self.open = more


def may_be(tree: ast.Module, source: Source) -> bool:
    """Whether some dictionary that a module writes out may be marked as SGLang's."""
    text = source.text.text
    imports = imports_sglang(text)
    if imports is None:
        return False
    found = _Search(text, _rows(source, ("{",)))
    found.read(tree)
    least = 2 if imports else 3
    more = _options(text) if any(each.open for each in found.dicts) else []
    calls: tuple[bool, bool] | None = None
    for each in found.dicts:
        keys = [*each.keys, *more] if each.open else each.keys
        some = any("_" in key and marked.is_option(key) for key in keys)
        nearest = each.names[-1] if each.names else None
        if some and any(name == ANY or marked.is_ours(name) for name in each.names):
            return True
        if not some:
            continue
        calls = calls or _calls(tree, source)
        fits = calls[0] if nearest is None else nearest == ANY or is_map_name(nearest)
        if calls[1] or (fits and marked.are_ours(keys, least)):
            return True
    return False


def _calls(tree: ast.Module, source: Source) -> tuple[bool, bool]:
    """Whether something that stands under the name of options, or of options of SGLang's, is what a function of the
    module gives: what that writes out stands under the name too.
    """
    found = _Search(source.text.text, _rows(source, ("sglang", *(f"{name}_" for name in NAMES))), True)
    found.read(tree)
    return found.calls, found.calls_ours


class _Search:
    """The dictionaries that a module writes out; or, with ``named``, what stands under names of options."""

    def __init__(self, text: str, rows: Sequence[int], named: bool = False) -> None:
        """Only nodes on the rows are looked at."""
        self.text = text
        self.rows = rows
        self.named = named
        self.dicts: list[_Dict] = []
        self.calls = False
        self.calls_ours = False
        self._made: dict[str, bool] = {}

    def read(self, tree: ast.Module) -> None:
        # No recursion: a sum of a thousand parts is a thousand deep.
        todo: list[_Place] = [(tree, (), (), "")]
        while todo:
            node, names, given, function = todo.pop()
            if node.__class__ in _LEAVES or not holds(self.rows, node):
                continue
            if node.__class__ is ast.Dict:
                self._dict(node, names, given)
            below = _below(node, names, given, function)
            if self.named:
                for value, under, *_ in below:
                    if len(under) > len(names):
                        self._named(value, under[-1])
            todo += below

    def _dict(self, node: ast.Dict, names: tuple[str, ...], given: tuple[ast.Call, ...]) -> None:
        keys: list[str] = []
        more = False
        for key, value in zip(node.keys, node.values, strict=True):
            name = key_name(key)
            if not name or name[0] == ANY:
                more = True
            elif not isinstance(value, ast.Dict) and is_key(name[0]):
                keys.append(name[0].lstrip("-").replace("-", "_"))
        if node.keys:
            more = more or all(target_name(call.func) in _KEEPS or self._is_made(call) for call in given)
            self.dicts.append(_Dict(keys, names, more))

    def _named(self, node: ast.AST, name: str) -> None:
        """Note what is set to something that stands under a name."""
        ours = name == ANY or marked.is_ours(name)
        if (ours or is_map_name(name)) and node.__class__ not in _LEAVES:
            for inner in ast.walk(node):
                if isinstance(inner, ast.Call) and self._is_made(inner):
                    self.calls = True
                    self.calls_ours = self.calls_ours or ours

    def _is_made(self, node: ast.Call) -> bool:
        """Whether a call may be one of a function of the module, or hand one on."""
        name = target_name(node.func)
        if hands_on(name):
            return True
        key = name if isinstance(node.func, ast.Attribute) else f" {name}"
        found = self._made.get(key)
        if found is None:
            text = self.text
            found = not name or any(
                mark in text for mark in (f"def {name}(", f"class {name}", f"{name} = ", f"{name}=")
            )
            if not found and not isinstance(node.func, ast.Attribute):
                found = f"import {name}\n" not in text and f", {name}\n" not in text and name not in _KEEPS
            self._made[key] = found
        return found


def _below(node: ast.AST, names: tuple[str, ...], given: tuple[ast.Call, ...], function: str) -> list[_Place]:
    if isinstance(node, ast.Call):
        found: list[_Place] = [(node.func, names, (), function)]
        given = (*given, node)
        found += [(argument, names, given, function) for argument in node.args]
        found += [(k.value, (*names, k.arg) if k.arg else names, given, function) for k in node.keywords]
        return found
    if isinstance(node, ast.Dict):
        pairs = zip(node.keys, node.values, strict=True)
        return [(value, (*names, *key_name(key)), given, function) for key, value in pairs]
    if isinstance(node, (ast.Assign, ast.AnnAssign)) and node.value is not None:
        target = node.targets[0] if isinstance(node, ast.Assign) else node.target
        return [(node.value, (*names, target_name(target)), (), function)]
    if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
        names, given, function = (), (), node.name
    elif isinstance(node, ast.Return):
        names = (*names, function)
    return [(child, names, given, function) for child in ast.iter_child_nodes(node)]


def _rows(source: Source, words: Iterable[str]) -> list[int]:
    """The rows on which some words stand, in letters of either kind."""
    text = source.text.text.lower()
    if len(text) != len(source.text.text):
        text = source.text.text
    return sorted({source.row(at) for word in words for at in every(text, word)})


def _options(text: str) -> list[str]:
    """The options of SGLang alone that a dictionary may be given later: those in quotes, or given by keyword."""
    names = {name.replace("-", "_") for quoted in _QUOTED for name in quoted.findall(text)}
    if "dict(" in text or ".update(" in text:
        names.update(_KEYWORD.findall(text))
    return [name for name in sorted(names) if marked.is_own(name)]
