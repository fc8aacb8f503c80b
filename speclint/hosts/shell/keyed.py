"""Arrays by keys: ``declare -A TP=([small]=1 [big]=8)``, ``TP[x]=4``, ``${TP[big]}``.

Only single elements are followed. What all of them are together is not known, nor in which order they come.
"""

from __future__ import annotations

from speclint.hosts.shell.env import Variable
from speclint.value import Definition, Known, Step, join, with_step
from speclint.words import many

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tree_sitter import Node

    from speclint.hosts.shell.assign import Assignments
    from speclint.value import Value

# Each that is set makes all of them anew; arrays of more are not followed.
_MOST = 500


def declared(runner: Assignments, node: Node, name: str, kept: bool = True) -> None:
    """``declare -A NAME``, ``declare -A NAME=(…)``; ``kept``: values are taken as they are given."""
    old = runner.env.variables.get(name)
    source = node.child_by_field_name("value") if node.type == "variable_assignment" else None
    elements = (old.keyed if old is not None else None) or {}
    if source is not None or not kept:
        found = _elements(runner, name, source) if source is not None and kept else None
        appends = any(child.type == "+=" for child in node.children)
        _set(runner, name, None if found is None else {**elements, **found} if appends else found)
    elif node.type == "variable_name" and not elements:
        _set(runner, name, {})


def given(runner: Assignments, node: Node, target: Node, name: str, elements: dict[str, Value]) -> None:
    """``NAME[key]=value``, for a NAME that has ``elements``."""
    index, source = target.child_by_field_name("index"), node.child_by_field_name("value")
    key = _key(runner, index) if index is not None else None
    if key is None or source is None or any(child.type == "+=" for child in node.children):
        _set(runner, name, None)
    else:
        _set(runner, name, {**elements, key: _stepped(runner, name, source, runner.expander().value(source))})


def _set(runner: Assignments, name: str, elements: dict[str, Value] | None) -> None:
    """Give a name its elements; None where they are not known."""
    runner.env.assign(name, None, (many(f"elements of `{name}` are set by keys", None),))
    held = runner.env.variables.get(name)
    if held is not None and elements is not None and len(elements) <= _MOST:
        runner.env.variables[name] = Variable(None, held.items, held.exported, None, elements)


def _elements(runner: Assignments, name: str, source: Node) -> dict[str, Value] | None:
    if source.type != "array" or source.named_child_count > _MOST or source.has_error:
        return None
    found: dict[str, Value] = {}
    for node in source.named_children:
        if node.type == "comment":
            continue
        pair = _pair(runner, node)
        if pair is None:
            return None
        key, value = pair
        found[key] = _stepped(runner, name, node, value)
    return found


def _pair(runner: Assignments, node: Node) -> tuple[str, Value] | None:
    """``[key]=value``."""
    parts = node.children
    texts = [runner.syntax.string(part) for part in parts]
    if node.type != "concatenation" or texts[0] != "[" or len(texts) < 4 or texts[2] != "]" or texts[3][:1] != "=":
        return None
    key = _key(runner, parts[1])
    written = runner.syntax.slice(parts[3].start_byte + 1, parts[3].end_byte)
    if key is None or "\\" in written.text:
        return None
    return key, join([Known(written), *map(runner.expander().value, parts[4:])])


def _key(runner: Assignments, node: Node) -> str | None:
    value = runner.expander().value(node)
    return value.text.text if isinstance(value, Known) else None


def _stepped(runner: Assignments, name: str, node: Node, value: Value) -> Value:
    """A value with the place where it is set; who else reads the element is not counted."""
    place = runner.syntax.span(node)
    return with_step(value, Step("assigned", f"`{name}` is set here", place, Definition(name, place, 2, True)))
