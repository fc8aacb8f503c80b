"""``launch_server_cmd`` of SGLang, which runs a command line that no shell reads, and a port behind it."""

from __future__ import annotations

from speclint.hosts.python.commands import unescaped, words
from speclint.hosts.python.values import Alt, Ref, Seq, Text, value_of
from speclint.pyast import ast
from speclint.text import Mapped
from speclint.value import Known, Unknown
from speclint.words import Word, many

TYPE_CHECKING = False
if TYPE_CHECKING:
    from speclint.hosts.python.calls import Arguments
    from speclint.hosts.python.machine import Machine
    from speclint.hosts.python.values import Obj
    from speclint.value import Value

# Where users have it from; that of SGLang's own documentation adds options for its machines.
_PLAIN = "sglang.utils"


def words_of(m: Machine, name: str, given: Arguments, command: Obj) -> list[Word]:
    """The words that a call runs: backslashes count as blanks, and each run of blanks ends a word."""
    first = given.get(0, "command")
    if first is None:
        return []
    span = first.span or m.source.span(given.node)
    found = [first] if isinstance(command, Seq) else words(unescaped(value_of(command)), span, False)
    module = _module(m, name, given.node.func)
    more = _added(m, module, given) if module.startswith("sglang.") or module == "patch" else []
    return [*(Word(i.value, i.span, i.guard, i.many) for i in found), *more]


def _module(m: Machine, name: str, func: ast.expr) -> str:
    """The module that the function is imported from; of several the one that is not for SGLang's own machines."""
    module = name.rpartition(".")[0]
    if module or not isinstance(func, ast.Name):
        return module
    found = m.find(func.id)
    arms = found[1].arms if found is not None and isinstance(found[1], Alt) else ()
    modules = [arm.name.rpartition(".")[0] for arm in arms if isinstance(arm, Ref)]
    return "" if len(modules) < len(arms) or not modules else _PLAIN if _PLAIN in modules else modules[0]


def _added(m: Machine, module: str, given: Arguments) -> list[Word]:
    """What stands behind the command: a port, and in SGLang's documentation more."""
    span = m.source.span(given.node.func)
    value: Value = Unknown("it is a port that is free when it runs")
    port = given.get(2, "port")
    if port is not None and not (isinstance(port.obj, Text) and port.obj.kind == "none"):
        span, value = port.span or span, port.value
    found = [Word(Known(Mapped.new("--port", span)), span), Word(value, span)]
    return found if module == _PLAIN else [*found, many(f"`{module}` adds options of its own", span)]
