"""Whether some dictionary of a module may be one of SGLang's options, by what it is written under and what it holds.

As in ``listed``, what cannot be ruled out is worth following the module for.
"""

from __future__ import annotations

from speclint import marked
from speclint.hosts.python.documents import statements
from speclint.hosts.python.fragments import NAMES, imports_sglang, is_key, is_map_name
from speclint.hosts.python.indirect import hands_on
from speclint.hosts.python.listed import ANY, holds, key_name, target_name
from speclint.hosts.python.triggers import every
from speclint.lean import pattern
from speclint.pyast import ast

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Container, Iterable, Mapping, Sequence

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
    """A dictionary that is written out in a ``function``: its ``keys``, and the ``names`` that it stands under.

    ``open``: more may be added to it.
    """

    __slots__ = ("function", "keys", "names", "open")

    def __init__(self, keys: Sequence[str], names: tuple[str, ...], more: bool, function: str) -> None:
        self.keys = keys
        self.names = names
        self.open = more
        self.function = function


def may_be(tree: ast.Module, source: Source) -> bool:
    """Whether some dictionary that a module writes out may be marked as SGLang's."""
    text = source.text.text
    imports = imports_sglang(text)
    if imports is None:
        return False
    found = _Search(text, _rows(source, ("{",)))
    found.read(tree)
    # What a function gives stands under the name that the result is set to, and so does what it writes out.
    called, called_ours = _called(tree, source) if found.dicts else ((), ())
    more: list[str] | None = None
    for each in found.dicts:
        nearest = each.names[-1] if each.names else None
        ours = each.function in called_ours or any(name == ANY or marked.is_ours(name) for name in each.names)
        fits = each.function in called if nearest is None else nearest == ANY or is_map_name(nearest)
        if not ours and not fits:
            continue
        if each.open and more is None:
            more = _options(text)
        keys = [*each.keys, *(more or ())] if each.open else each.keys
        if ours and any("_" in key and marked.is_option(key) for key in keys):
            return True
        if fits and marked.are_ours(keys, 2 if imports else 3):
            return True
    return False


def _called(tree: ast.Module, source: Source) -> tuple[Container[str], Container[str]]:
    """The functions that may run for something that stands under the name of options, or of options of SGLang's."""
    found = _Search(source.text.text, _rows(source, ("sglang", *(f"{name}_" for name in NAMES))), True)
    found.read(tree)
    made = _definitions(tree) if found.called else {}
    return _reached(made, found.called), _reached(made, found.called_ours)


def _definitions(tree: ast.Module) -> dict[str, list[ast.AST]]:
    """The functions and classes of a module by their names."""
    found: dict[str, list[ast.AST]] = {}
    for node in statements(tree):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            found.setdefault(node.name, []).append(node)
    return found


def _reached(made: Mapping[str, Sequence[ast.AST]], names: Iterable[str]) -> Container[str]:
    """The names of what some functions may call, and what that may call."""
    found: set[str] = set()
    todo = [name for name in names if name in made]
    while todo:
        name = todo.pop()
        if name not in found:
            found.add(name)
            for definition in made[name]:
                for node in ast.walk(definition):
                    if isinstance(node, (ast.Name, ast.Attribute)):
                        todo += [n for n in (target_name(node),) if n in made]
                    elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
                        found.add(node.name)
    return found


class _Search:
    """The dictionaries that a module writes out; or, with ``named``, what stands under names of options."""

    def __init__(self, text: str, rows: Sequence[int], named: bool = False) -> None:
        """Only nodes on the rows are looked at."""
        self.text = text
        self.rows = rows
        self.named = named
        self.dicts: list[_Dict] = []
        # What is called for something that stands under the name of options, or of options of SGLang's.
        self.called: set[str] = set()
        self.called_ours: set[str] = set()
        self._made: dict[str, bool] = {}

    def read(self, tree: ast.Module) -> None:
        # No recursion: a sum of a thousand parts is a thousand deep.
        todo: list[_Place] = [(tree, (), (), "")]
        while todo:
            node, names, given, function = todo.pop()
            if node.__class__ in _LEAVES or not holds(self.rows, node):
                continue
            if node.__class__ is ast.Dict:
                self._dict(node, names, given, function)
            below = _below(node, names, given, function)
            if self.named:
                for value, under, *_ in below:
                    if len(under) > len(names):
                        self._named(value, under[-1])
            todo += below

    def _dict(self, node: ast.Dict, names: tuple[str, ...], given: tuple[ast.Call, ...], function: str) -> None:
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
            self.dicts.append(_Dict(keys, names, more, function))

    def _named(self, node: ast.AST, name: str) -> None:
        """Note what is set to something that stands under a name."""
        ours = name == ANY or marked.is_ours(name)
        if (ours or is_map_name(name)) and node.__class__ not in _LEAVES:
            called = [target_name(n) for n in ast.walk(node) if isinstance(n, (ast.Name, ast.Attribute))]
            self.called.update(called)
            self.called_ours.update(called if ours else ())

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
