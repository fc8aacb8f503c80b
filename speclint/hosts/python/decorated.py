"""What is told of parameters beside a function: the cases of a test, the options of a command line, annotations."""

from __future__ import annotations

from speclint.hosts.python import containers, expressions
from speclint.hosts.python.values import Class, Instance, Text, alt, known, unknown, value_of
from speclint.pyast import ast
from speclint.value import Choice, Known, Unknown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from speclint.hosts.python.machine import Machine
    from speclint.hosts.python.values import Func, Obj

# More cases of a test than this are not told apart.
_MAX_CASES = 32


def parameters(m: Machine, func: Func) -> dict[str, Obj]:
    """What decorators give the parameters of a function: one of the cases of a test, or the default of an option."""
    found: dict[str, Obj] = {}
    for node in func.node.decorator_list:
        if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
            continue
        if node.func.attr == "parametrize" and len(node.args) > 1:
            found.update(_cases(m, node))
        elif node.func.attr in ("option", "argument"):
            found.update(_option(m, node))
    return found


def annotated(m: Machine, arg: ast.arg, obj: Obj) -> Obj:
    """What a parameter holds: of what is not known else, an object of the record that its annotation names."""
    node = arg.annotation
    if node is None or not isinstance(obj, Text) or obj.kind is not None or not isinstance(obj.value, Unknown):
        return obj
    name = getattr(node, "id", "") or getattr(node, "value", "")
    found = m.find(name) if isinstance(name, str) and name else None
    cls = None if found is None else found[1]
    return Instance(cls) if isinstance(cls, Class) and cls.fields else obj


def _cases(m: Machine, node: ast.Call) -> dict[str, Obj]:
    """``@pytest.mark.parametrize("a,b", [(1, 2), …])``."""
    try:
        written = ast.literal_eval(node.args[0])
    except ValueError:
        return {}
    names = [str(name).strip() for name in (written.split(",") if isinstance(written, str) else written)]
    rows = containers.elements(m, expressions.evaluate(m, node.args[1]))
    if not rows or len(rows) > _MAX_CASES:
        return {}
    labels = [f"`{', '.join(names)}` is {_label(row, number)}" for number, row in enumerate(rows, 1)]
    choice = Choice("loop", labels, m.source.span(node.args[1]))
    if len(names) == 1:
        return {names[0]: alt(choice, rows)}
    parts = [containers.elements(m, row) for row in rows]
    unclear = unknown("its parts are not known")
    return {
        name: alt(choice, [row[index] if row is not None and len(row) == len(names) else unclear for row in parts])
        for index, name in enumerate(names)
    }


def _label(row: Obj, number: int) -> str:
    value = value_of(row)
    return f"`{value.text.text}`" if isinstance(value, Known) else f"case {number} of the test"


def _option(m: Machine, node: ast.Call) -> dict[str, Obj]:
    """``@click.option("--tp", default=8)``."""
    flags = [arg.value for arg in node.args if isinstance(arg, ast.Constant) and isinstance(arg.value, str)]
    name = next((f for f in flags if not f.startswith("-")), None) or next((f for f in flags if f.startswith("--")), "")
    given = {keyword.arg: keyword.value for keyword in node.keywords}
    flag = name.split("/")[0].lstrip("-")
    if not flag or "required" in given:
        return {}
    default = given.get("default")
    is_flag = isinstance(given.get("is_flag"), ast.Constant)
    if default is None:
        obj: Obj = known("False" if is_flag else "None", m.source.span(node), "bool" if is_flag else "none")
    else:
        obj = expressions.evaluate(m, default)
    return {flag.replace("-", "_"): m.default(f"--{flag}", obj, m.source.span(default or node))}
