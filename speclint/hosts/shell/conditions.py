"""Conditions of the shell, where the values in them are known."""

from __future__ import annotations

from speclint.value import Known

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from tree_sitter import Node

    from speclint.hosts.shell.words import Expander

_NUMBERS = {
    "-eq": lambda a, b: a == b,
    "-ne": lambda a, b: a != b,
    "-gt": lambda a, b: a > b,
    "-ge": lambda a, b: a >= b,
    "-lt": lambda a, b: a < b,
    "-le": lambda a, b: a <= b,
}


def holds(condition: Sequence[Node], expander: Expander) -> bool | None:
    """Whether a condition holds: True or False where that is certain, None where only the run can tell."""
    nodes = [n for n in condition if n.is_named]
    if len(nodes) != 1:
        return None
    return _node(nodes[0], expander)


def _node(node: Node, expander: Expander) -> bool | None:
    if node.type in ("test_command", "parenthesized_expression") and len(node.named_children) == 1:
        return _node(node.named_children[0], expander)
    if node.type == "unary_expression":
        return _unary(node, expander)
    if node.type == "binary_expression":
        return _binary(node, expander)
    if node.type == "command":
        return {"true": True, "false": False}.get(expander.syntax.string(node))
    return None


def _text(node: Node | None, expander: Expander) -> str | None:
    if node is None:
        return None
    value = expander.value(node)
    return value.text.text if isinstance(value, Known) else None


def _unary(node: Node, expander: Expander) -> bool | None:
    operator = node.child_by_field_name("operator")
    operand = node.named_children[-1] if node.named_children else None
    sign = expander.syntax.string(operator) if operator is not None else ""
    if sign == "!" and operand is not None:
        inner = _node(operand, expander)
        return None if inner is None else not inner
    if sign in ("-e", "-f", "-r") and operand is not None:
        # Whether a file is there that is not here cannot be told.
        project = expander.env.project
        return True if project is not None and project.find(operand, expander) is not None else None
    if sign not in ("-z", "-n"):
        return None
    text = _text(operand, expander)
    return None if text is None else (text == "") == (sign == "-z")


def _binary(node: Node, expander: Expander) -> bool | None:
    left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
    operator = node.child_by_field_name("operator")
    sign = expander.syntax.string(operator) if operator is not None else ""
    if sign in ("&&", "||") and left is not None and right is not None:
        a, b = _node(left, expander), _node(right, expander)
        if sign == "&&":
            return False if a is False or b is False else True if a and b else None
        return True if a or b else False if a is False and b is False else None
    a_text, b_text = _text(left, expander), _text(right, expander)
    if a_text is None or b_text is None:
        return None
    if sign in ("=", "==", "!="):
        if any(c in b_text for c in "*?["):
            return None
        return (a_text == b_text) == (sign != "!=")
    compare = _NUMBERS.get(sign)
    if compare is not None and a_text.isdigit() and b_text.isdigit():
        return bool(compare(int(a_text), int(b_text)))
    return None
