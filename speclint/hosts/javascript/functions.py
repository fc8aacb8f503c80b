"""Functions of a script, and calls: of functions, of what starts a process, and of methods."""

from __future__ import annotations

from speclint.hosts.javascript import expressions, methods, patterns, statements
from speclint.hosts.javascript.translation import SUBPROCESS
from speclint.pyast import ast

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from tree_sitter import Node

    from speclint.hosts.javascript.translation import Translation

_FUNCTIONS = frozenset(("arrow_function", "function_expression", "generator_function"))
# What runs a command line, and what runs a program with a list of arguments.
_SHELL = frozenset(("execSync", "exec"))
_PROGRAM = frozenset(("spawn", "spawnSync", "execFile", "execFileSync", "execa", "execaSync"))
_PROCESSES = frozenset(("child_process", "childProcess", "cp", ""))


def definition(t: Translation, node: Node, name: str, method: bool = False) -> ast.stmt:
    """A function that is defined."""
    parameters, first = _parameters(t, node)
    if method:
        parameters.args.insert(0, t.at(node, ast.arg("this")))
    outer = t.each, t.hoisted
    t.each, t.hoisted = False, []
    inner = [*first, *_body(t, node, _returned)]
    t.each, t.hoisted = outer
    return t.at(node, ast.FunctionDef(name, parameters, statements.filled(t, node, inner), []))


def _body(t: Translation, node: Node, of: Callable[[Translation, Node], list[ast.stmt]]) -> list[ast.stmt]:
    """What a function does; ``of`` tells it of one that is an expression."""
    body = node.child_by_field_name("body")
    if body is None:
        return []
    return statements.block(t, body.named_children) if body.type == "statement_block" else of(t, body)


def _returned(t: Translation, body: Node) -> list[ast.stmt]:
    value = expressions.expression(t, body)
    return [*t.hoisted, t.at(body, ast.Return(value))]


def _parameters(t: Translation, node: Node) -> tuple[ast.arguments, list[ast.stmt]]:
    """The parameters of a function, and what sets the variables that take parts of them."""
    only, listed = node.child_by_field_name("parameter"), node.child_by_field_name("parameters")
    nodes = [only] if only is not None else [] if listed is None else listed.named_children
    made = ast.arguments([], [], None, [], [], None, [])
    first: list[ast.stmt] = []
    for each in nodes:
        if each.type == "comment":
            continue
        inner, default = each, None
        if each.type == "assignment_pattern":
            inner, default = each.child_by_field_name("left") or each, each.child_by_field_name("right")
        rest = each.type == "rest_pattern"
        name, more = patterns.variable(t, inner.named_children[0] if rest else inner)
        first += more
        argument = t.at(each, ast.arg(name.id))
        if rest:
            made.vararg = argument
            continue
        made.args.append(argument)
        if default is not None or made.defaults:
            made.defaults.append(expressions.expression(t, default) if default is not None else t.opaque(each))
    return made, first


def value(t: Translation, node: Node) -> ast.expr:
    """A function that is no statement: it is defined before the statement that it stands in."""
    name = t.fresh()
    made = definition(t, node, name)
    t.hoisted.append(made)
    return t.load(node, name)


def given(t: Translation, node: Node) -> list[ast.expr]:
    """The arguments of a call."""
    listed = node.child_by_field_name("arguments")
    found: list[ast.expr] = []
    for child in arguments(listed):
        if child.type == "spread_element":
            found.append(t.at(child, ast.Starred(expressions.expression(t, child.named_children[0]), ast.Load())))
        else:
            found.append(expressions.expression(t, child))
    return found


def arguments(listed: Node | None) -> list[Node]:
    """The nodes of arguments."""
    if listed is None or listed.type == "template_string":
        return []
    return [child for child in listed.named_children if child.type != "comment"]


def call(t: Translation, node: Node) -> ast.expr:
    """What a call gives."""
    function = node.child_by_field_name("function")
    nodes = arguments(node.child_by_field_name("arguments"))
    if function is None:
        return _made(t, node, nodes)
    if function.type == "member_expression":
        base, name = function.child_by_field_name("object"), function.child_by_field_name("property")
        if base is not None and name is not None:
            found = _process(t, node, t.text(name), t.text(base), nodes)
            return found if found is not None else methods.call(t, node, base, t.text(name), nodes)
    listed = node.child_by_field_name("arguments")
    if function.type == "identifier":
        name_written = t.text(function)
        if listed is not None and listed.type == "template_string":
            return _run(t, node, expressions.expression(t, listed)) if name_written == "$" else t.opaque(node)
        found = _process(t, node, name_written, "", nodes) or _function(t, node, name_written, nodes)
        if found is not None:
            return found
    return t.called(node, expressions.expression(t, function), *given(t, node))


def _made(t: Translation, node: Node, nodes: Sequence[Node]) -> ast.expr:
    """What ``new`` gives."""
    constructor = node.child_by_field_name("constructor")
    written = t.text(constructor) if constructor is not None else ""
    if written == "Set" and len(nodes) == 1:
        return expressions.expression(t, nodes[0])
    if constructor is None or written in ("Map", "Set", "Error"):
        return t.opaque(node, given(t, node))
    return t.called(node, expressions.expression(t, constructor), *given(t, node))


def _function(t: Translation, node: Node, name: str, nodes: Sequence[Node]) -> ast.expr | None:
    if name == "String" and len(nodes) == 1:
        return t.called(node, t.load(node, "str"), expressions.expression(t, nodes[0]))
    return t.opaque(node, given(t, node)) if name in ("Number", "parseInt", "Boolean", "require") else None


def _process(t: Translation, node: Node, name: str, base: str, nodes: Sequence[Node]) -> ast.expr | None:
    """A process that is started."""
    if not nodes or (name not in _SHELL and name not in _PROGRAM) or base.rpartition(".")[2] not in _PROCESSES:
        return None
    if name in _SHELL:
        return _run(t, node, expressions.expression(t, nodes[0]), _environment(t, nodes))
    words: list[ast.expr] = [expressions.expression(t, nodes[0])]
    if len(nodes) > 1 and nodes[1].type != "object":
        words.append(t.at(nodes[1], ast.Starred(expressions.expression(t, nodes[1]), ast.Load())))
    return _run(t, node, t.at(node, ast.List(words, ast.Load())), _environment(t, nodes))


def _environment(t: Translation, nodes: Sequence[Node]) -> list[ast.keyword]:
    options = next((each for each in nodes[1:] if each.type == "object"), None)
    for pair in options.named_children if options is not None else ():
        key, held = pair.child_by_field_name("key"), pair.child_by_field_name("value")
        if key is not None and held is not None and t.text(key) == "env":
            return [t.at(pair, ast.keyword("env", expressions.expression(t, held)))]
    return []


def _run(t: Translation, node: Node, what: ast.expr, keywords: Sequence[ast.keyword] = ()) -> ast.expr:
    run = t.at(node, ast.Attribute(t.load(node, SUBPROCESS), "run", ast.Load()))
    return t.at(node, ast.Call(run, [what], list(keywords)))


def statement(t: Translation, node: Node) -> list[ast.stmt] | None:
    """A call that is a statement: ``list.forEach(function)`` is a loop; None for any other."""
    function = node.child_by_field_name("function")
    nodes = arguments(node.child_by_field_name("arguments"))
    if function is None or function.type != "member_expression" or not nodes or nodes[0].type not in _FUNCTIONS:
        return None
    base, name = function.child_by_field_name("object"), function.child_by_field_name("property")
    if base is None or name is None or t.text(name) != "forEach":
        return None
    made, first = _parameters(t, nodes[0])
    names = [argument.arg for argument in made.args] or [t.fresh()]
    target = t.at(node, ast.Name(names[0], ast.Store()))
    first = [*(t.assigned(node, each, t.opaque(node)) for each in names[1:]), *first]
    outer, t.each = t.each, True
    inner = [*first, *_body(t, nodes[0], statements.expressed)]
    t.each = outer
    iterated = expressions.expression(t, base)
    return [t.at(node, ast.For(target, iterated, statements.filled(t, node, inner), []))]
