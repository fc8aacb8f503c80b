"""Reads the environment variables of SGLang off the source of one wheel.

A variable is read where its name stands by itself in the code (``os.getenv("NAME")``, ``envs.NAME.get()``, a constant
that is handed on), not where a comment, a message or a notice of deprecation mentions it.
"""

from __future__ import annotations

import ast
import functools
import os
import re
import warnings
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

NAME = r"(?:SGLANG|SGL)_[A-Z0-9_]*[A-Z0-9]"
_FULL = re.compile(NAME)
_PREFIX = re.compile(r"(?:SGLANG|SGL)_[A-Z0-9_]+_")
_LOOKS = re.compile(rb"SGL(?:ANG)?_[A-Z]")
# Functions that take the name of a variable and give its value, by what they make of it.
GETTERS = {"get_bool_env_var": "get_bool", "get_int_env_var": "get_int"}
_NOTICES = ("_print_deprecated_env", "_warn_deprecated_env_to_cli_flag")
_TELLS = frozenset(
    ("warning", "warn", "error", "debug", "info", "print", "ValueError", "RuntimeError", "_refuse", "setenv", "delenv")
)
_DEPRECATES = re.compile(r"deprecat|remov|no longer|ignored|obsolete|instead|replaced", re.IGNORECASE)
FIELDS = {
    "EnvBool": "bool", "EnvInt": "int", "EnvFloat": "float", "EnvStr": "str", "EnvTuple": "tuple", "EnvJSON": "json",
}  # fmt: skip
ENVIRON = os.path.join("sglang", "srt", "environ.py")


class Use:
    """One place that has to do with a variable.

    ``role``: "read", "declared", "told" (a notice that it is deprecated), "refused" (that stops the launch), "copied"
    (its value becomes that of ``new``, ``changed`` where it is not the same), "mentioned", "inside" (it may be how a
    text in a compiled library begins). ``kind``: what becomes of its text (see envs_file.py). ``scope``: "main", "side"
    (benchmarks and other servers of the wheel) or "test".
    """

    __slots__ = ("changed", "default", "kind", "name", "new", "role", "scope")

    def __init__(
        self,
        name: str,
        role: str,
        scope: str,
        kind: str = "",
        default: Any = None,
        new: str = "",
        changed: bool = False,
    ) -> None:
        self.name = name
        self.role = role
        self.scope = scope
        self.kind = kind
        self.default = default
        self.new = new
        self.changed = changed


def uses(package: str) -> list[Use]:
    """Every use of a variable in the folder of the package ``sglang``; a name that ends in _ is how names begin."""
    root = os.path.dirname(package)
    found: list[Use] = []
    for folder, folders, files in os.walk(package):
        folders.sort()
        for name in sorted(files):
            path = os.path.join(folder, name)
            with open(path, "rb") as file:
                data = file.read()
            if _LOOKS.search(data):
                short = os.path.relpath(path, root)
                found += _of_file(data, os.path.splitext(name)[1], _scope(short), short == ENVIRON)
    return found


@functools.cache  # most files are the same in many releases
def _of_file(data: bytes, kind: str, scope: str, is_environ: bool) -> tuple[Use, ...]:
    if kind == ".py":
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                return tuple(_Module(ast.parse(data), scope, is_environ).uses())
            except SyntaxError:
                return ()  # a template of a file
    # Constants of a compiled library stand one behind the other, so where a name ends is not told.
    pattern = rb"(SGL(?:ANG)?_[A-Z0-9_]+)" if kind == ".so" else rb'getenv\(\s*"(SGL(?:ANG)?_[A-Z0-9_]+)"'
    role = "inside" if kind == ".so" else "read"
    return tuple(Use(one.decode(), role, scope) for one in sorted(set(re.findall(pattern, data))))


def _scope(path: str) -> str:
    parts = path.replace(os.sep, "/").split("/")
    if "test" in parts or parts[-1].startswith("test_"):
        return "test"
    side = parts[1] in ("multimodal_gen", "lang", "benchmark", "eval") or parts[1].startswith("bench_")
    return "side" if side else "main"


class _Module:
    def __init__(self, tree: ast.Module, scope: str, is_environ: bool) -> None:
        self.tree = tree
        self.scope = scope
        self.is_environ = is_environ
        self.above: dict[ast.AST, ast.AST] = {}
        self.order: list[ast.AST] = [tree]
        for node in self.order:
            for child in ast.iter_child_nodes(node):
                self.above[child] = node
                self.order.append(child)

    def uses(self) -> Iterator[Use]:
        for node in self.order:
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                yield from self._text(node, node.value)
            elif isinstance(node, ast.Attribute) and _FULL.fullmatch(node.attr) and _last(node.value) == "envs":
                yield self._use(node.attr, self._only_told(node) or "read")
            elif isinstance(node, ast.Assign) and self.is_environ:
                yield from self._declared(node)

    def _use(self, name: str, role: str, kind: str = "", **more: Any) -> Use:
        return Use(name, role, self.scope, kind, **more)

    def _text(self, node: ast.Constant, text: str) -> Iterator[Use]:
        parent = self.above[node]
        if _FULL.fullmatch(text):
            if not isinstance(parent, (ast.Expr, ast.JoinedStr)):
                yield self._named(node, text)
            elif isinstance(parent, ast.JoinedStr) and _begins(parent, node):
                yield self._use(text + "_", "read")
        elif _PREFIX.fullmatch(text):
            begins = not isinstance(parent, ast.JoinedStr) or _begins(parent, node)
            if begins and text not in ("SGLANG_", "SGL_"):
                yield self._use(text, "read")
        elif "environ" in text or "getenv" in text:
            # Code that is kept as text.
            for name in re.findall(rf"(?:environ|getenv)[^\n]{{0,8}}[\"']({NAME})[\"']", text):
                yield self._use(name, "read")

    def _named(self, node: ast.Constant, name: str) -> Use:
        parent = self.above[node]
        if isinstance(parent, ast.keyword) and parent.arg == "deprecated_name":
            target = self.above[self.above[parent]]
            first = target.targets[0] if isinstance(target, ast.Assign) else None
            return self._use(name, "copied", new=first.id if isinstance(first, ast.Name) else "")
        call = self.above[parent] if isinstance(parent, ast.keyword) else parent
        if isinstance(call, ast.Call) and _last(call.func) == "_DeprecatedEnv":
            return self._use(name, "mentioned")  # as what takes another's place
        if isinstance(parent, ast.Dict) and node in parent.keys:
            return self._entry(parent, node, name)
        if isinstance(parent, ast.Dict) and self.is_environ:
            return self._use(name, "mentioned")
        if isinstance(parent, ast.Call):
            called = _last(parent.func)
            if called in _NOTICES:
                return self._notice(parent, node, name)
            if called in _TELLS:
                return self._use(name, "mentioned")
            told = self._only_told(node)
            if told:
                return self._use(name, told)
            if parent.args[:1] == [node]:
                kind, default = _reading(self, parent, called)
                return self._use(name, "read", kind, default=default)
        return self._use(name, self._only_told(node) or "read")

    def _entry(self, table: ast.Dict, key: ast.Constant, name: str) -> Use:
        """A key of a dictionary: of the table of deprecated variables, or of whatever else."""
        value = table.values[table.keys.index(key)]
        if isinstance(value, ast.Call) and _last(value.func) == "_DeprecatedEnv":
            given = {word.arg: word.value for word in value.keywords}
            new = given.get("replacement", value.args[0] if value.args else None)
            if isinstance(new, ast.Constant) and isinstance(new.value, str):
                return self._use(name, "copied", new=new.value, changed="transform" in given)
            return self._use(name, "told", new=_option(given.get("note")))
        if self.is_environ and isinstance(value, ast.Constant) and _FULL.fullmatch(str(value.value)):
            return self._use(name, "copied", new=value.value, changed=True)
        return self._use(name, "read" if self.scope != "test" else "mentioned")

    def _notice(self, call: ast.Call, node: ast.Constant, name: str) -> Use:
        """``_print_deprecated_env`` took the new name first, later the old one."""
        if _last(call.func) != "_print_deprecated_env":
            return self._use(name, "told", new=_option(call))
        function = next(
            one for one in ast.walk(self.tree) if isinstance(one, ast.FunctionDef) and one.name == _last(call.func)
        )
        order = [one.arg for one in function.args.args]
        given = dict(zip(order, call.args, strict=False), **{word.arg or "": word.value for word in call.keywords})
        if given.get("old_name") is not node:
            return self._use(name, "mentioned")
        new = given.get("new_name")
        if isinstance(new, ast.Constant) and new.value:
            return self._use(name, "copied", new=new.value)
        return self._use(name, "told")

    def _only_told(self, node: ast.AST) -> str:
        """Whether it is asked only whether it is set: "told" of to warn, "refused" to stop the launch; else ""."""
        test, parent = node, self.above.get(node)
        while isinstance(parent, (ast.Call, ast.Attribute, ast.Compare)):
            if isinstance(parent, ast.Compare) and not isinstance(parent.ops[0], (ast.In, ast.IsNot)):
                return ""
            if isinstance(parent, ast.Attribute) and parent.attr != "is_set":
                return ""
            test, parent = parent, self.above.get(parent)
        if not isinstance(parent, ast.If) or parent.test is not test or parent.orelse:
            return ""
        if all(isinstance(one, ast.Raise) for one in parent.body):
            return "refused"
        tells = [one.value for one in parent.body if isinstance(one, ast.Expr)]
        if len(tells) == len(parent.body) and all(isinstance(c, ast.Call) and _last(c.func) in _TELLS for c in tells):
            # Where it says that what the variable asks for is not done this time, the variable is there to stay.
            return "told" if any(_DEPRECATES.search(ast.unparse(call)) for call in tells) else "mentioned"
        return ""

    def _declared(self, node: ast.Assign) -> Iterator[Use]:
        """``NAME = EnvBool(False)`` in the registry."""
        target, call = node.targets[0], node.value
        if not (isinstance(target, ast.Name) and isinstance(call, ast.Call) and _last(call.func).startswith("Env")):
            return
        if not _FULL.fullmatch(target.id):
            return
        kind = _last(call.func).removesuffix("WithAlias")
        default = call.args[0] if call.args else next((k.value for k in call.keywords if k.arg == "default"), None)
        yield self._use(target.id, "declared", FIELDS.get(kind, kind), default=_constant(default))


def _reading(module: _Module, call: ast.Call, called: str) -> tuple[str, Any]:
    """What becomes of the text of a variable, and the default, where ``call`` asks for it."""
    default = _constant(call.args[1] if len(call.args) > 1 else None)
    if called in GETTERS:
        return GETTERS[called], default
    if called not in ("getenv", "get"):
        return "?", default
    node: ast.AST = call
    lowered = False
    while True:
        parent = module.above[node]
        if isinstance(parent, ast.Attribute) and parent.attr in ("lower", "strip"):
            lowered = lowered or parent.attr == "lower"
            node = module.above[parent]
            continue
        if isinstance(parent, ast.Call) and parent.args == [node] and _last(parent.func) in ("int", "float"):
            return f"{_last(parent.func)}!", default
        if isinstance(parent, ast.Compare) and len(parent.ops) == 1 and parent.left is node:
            words = _words(parent.comparators[0])
            operator = _OPERATORS.get(type(parent.ops[0]))
            if words and operator:
                return f"{operator}{'~' if lowered else ''}{','.join(words)}", default
        return "str", default


_OPERATORS = {ast.Eq: "=", ast.In: "=", ast.NotEq: "!", ast.NotIn: "!"}


def _words(node: ast.AST) -> list[str]:
    parts = node.elts if isinstance(node, (ast.Tuple, ast.List, ast.Set)) else [node]
    words = [part.value for part in parts if isinstance(part, ast.Constant) and isinstance(part.value, str)]
    return words if len(words) == len(parts) and all(word.isalnum() for word in words) else []


def _begins(joined: ast.JoinedStr, node: ast.AST) -> bool:
    """Whether an f-string makes a name: nothing in it but what names are made of."""
    texts = [str(part.value) for part in joined.values if isinstance(part, ast.Constant)]
    return joined.values[0] is node and len(joined.values) > 1 and all(re.fullmatch(r"[A-Z0-9_]*", t) for t in texts)


def _option(node: ast.AST | None) -> str:
    """The first option that a notice names."""
    import catalog_file

    texts = [one.value for one in ast.walk(node) if isinstance(one, ast.Constant)] if node is not None else []
    return catalog_file.replacement(" ".join(text for text in texts if isinstance(text, str)), [])


def _constant(node: ast.AST | None) -> Any:
    try:
        value = ast.literal_eval(node) if isinstance(node, ast.expr) else None
    except ValueError:
        return None
    return list(value) if isinstance(value, (tuple, set)) else value


def _last(node: ast.AST) -> str:
    return node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""
