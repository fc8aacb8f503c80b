"""From Python's syntax tree to the trees of expr; whatever is not listed here is no expression of a rule."""

from __future__ import annotations

import ast

from speclint.rules.expr import NAMED_FORMS, SPACES, ExpressionError
from speclint.rules.operations import FUNCTIONS, expression

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from speclint.rules.expr import Tree

_COMPARE: dict[type[ast.cmpop], str] = {
    ast.Eq: "==",
    ast.NotEq: "!=",
    ast.Lt: "<",
    ast.LtE: "<=",
    ast.Gt: ">",
    ast.GtE: ">=",
    ast.In: "in",
    ast.NotIn: "not in",
}
_BINARY: dict[type[ast.operator], str] = {
    ast.Add: "+",
    ast.Sub: "-",
    ast.Mult: "*",
    ast.Div: "/",
    ast.FloorDiv: "//",
    ast.Mod: "%",
}


def convert(node: ast.expr, terms: Mapping[str, Tree]) -> Tree:
    """The tree of a node; ``terms`` are names that stand for trees. Raises ExpressionError."""
    return _Converter(terms).convert(node)


class _Converter:
    def __init__(self, terms: Mapping[str, Tree]) -> None:
        self.terms = terms
        self.forms: dict[type[ast.expr], Callable[..., Tree]] = {
            ast.Constant: self._constant,
            ast.Name: self._name,
            ast.Attribute: self._name,
            ast.BoolOp: self._bool,
            ast.UnaryOp: self._unary,
            ast.Compare: self._comparison,
            ast.BinOp: self._binary,
            ast.Call: self._call,
            ast.IfExp: self._conditional,
            ast.Tuple: self._sequence,
            ast.List: self._sequence,
            ast.Set: self._sequence,
        }

    def convert(self, node: ast.expr) -> Tree:
        form = self.forms.get(type(node))
        if form is None:
            raise _not_allowed(node)
        return form(node)

    def _constant(self, node: ast.Constant) -> Tree:
        if node.value is None or isinstance(node.value, (str, int, float)):
            return ("const", node.value)
        raise _not_allowed(node)

    def _name(self, node: ast.Name | ast.Attribute) -> Tree:
        if isinstance(node, ast.Name) and node.id in self.terms:
            return self.terms[node.id]
        return ("name", _reference(node))

    def _bool(self, node: ast.BoolOp) -> Tree:
        return ("and" if isinstance(node.op, ast.And) else "or", *map(self.convert, node.values))

    def _unary(self, node: ast.UnaryOp) -> Tree:
        if isinstance(node.op, ast.Not):
            return ("not", self.convert(node.operand))
        if isinstance(node.op, ast.USub):
            return ("binary", "-", ("const", 0), self.convert(node.operand))
        raise _not_allowed(node)

    def _comparison(self, node: ast.Compare) -> Tree:
        sides = [node.left, *node.comparators]
        parts: list[Tree] = []
        for sign, left, right in zip(node.ops, sides, sides[1:], strict=False):
            if not isinstance(sign, (ast.Is, ast.IsNot)):
                parts.append(("compare", _COMPARE[type(sign)], self.convert(left), self.convert(right)))
            elif isinstance(right, ast.Constant) and right.value is None:
                equal = "==" if isinstance(sign, ast.Is) else "!="
                parts.append(("compare", equal, self.convert(left), ("const", None)))
            else:
                raise ExpressionError("`is` compares with None only")
        return parts[0] if len(parts) == 1 else ("and", *parts)

    def _binary(self, node: ast.BinOp) -> Tree:
        sign = _BINARY.get(type(node.op))
        if sign is None:
            raise _not_allowed(node)
        return ("binary", sign, self.convert(node.left), self.convert(node.right))

    def _call(self, node: ast.Call) -> Tree:
        name = node.func.id if isinstance(node.func, ast.Name) else ""
        arguments = node.args
        if node.keywords or any(isinstance(argument, ast.Starred) for argument in arguments):
            raise ExpressionError(f"`{ast.unparse(node)}`: functions take plain arguments only")
        if name in NAMED_FORMS or name in ("since", "before", "surely"):
            if len(arguments) != 1:
                raise ExpressionError(f"`{name}` takes one argument")
            return self._special(name, arguments[0])
        if name == "matches" and len(arguments) == 2 and isinstance(arguments[1], ast.Constant):
            _is_pattern(arguments[1].value)
        if name not in FUNCTIONS:
            raise ExpressionError(f"no function `{ast.unparse(node.func)}`")
        return ("call", name, *map(self.convert, arguments))

    def _special(self, name: str, argument: ast.expr) -> Tree:
        if name in NAMED_FORMS:
            return ("form", name, _reference(argument))
        if name == "surely":
            return ("surely", self.convert(argument))
        if isinstance(argument, ast.Constant) and isinstance(argument.value, str):
            return ("call", name, ("const", argument.value))
        raise ExpressionError(f"`{name}` takes one release, as text")

    def _conditional(self, node: ast.IfExp) -> Tree:
        return ("if", self.convert(node.test), self.convert(node.body), self.convert(node.orelse))

    def _sequence(self, node: ast.Tuple | ast.List | ast.Set) -> Tree:
        return ("list", *map(self.convert, node.elts))


# A repetition of more is taken for one without an end.
_MOST_REPEATED = 10


def _is_pattern(source: object) -> None:
    import re

    try:
        re.compile(str(source))
        hard = _may_blow_up(str(source))
    except (re.error, RecursionError, OverflowError) as error:
        raise ExpressionError(f"no regular expression: {error}: {source!r}") from None
    if hard:
        raise ExpressionError(f"a regular expression that may take forever, as it repeats what repeats: {source!r}")
    expression(str(source))


def _may_blow_up(source: str) -> bool:
    """Whether a pattern repeats something that can be read in several ways: what repeats itself, or alternatives.

    The time of such a pattern may double with each character, and a repository's own rules are not ours to trust.
    """
    import sys
    import warnings

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        if sys.version_info >= (3, 11):
            from re import _parser as parser  # type: ignore[attr-defined]
        else:
            import sre_parse as parser
    todo: list[tuple[object, bool]] = [(parser.parse(source), False)]
    while todo:
        part, repeated = todo.pop()
        name = str(part[0]) if isinstance(part, tuple) and part else ""
        if name in ("MAX_REPEAT", "MIN_REPEAT", "POSSESSIVE_REPEAT"):
            if repeated and part[1][1] != part[1][0]:  # type: ignore[index]
                return True
            repeated = repeated or part[1][1] > _MOST_REPEATED  # type: ignore[index]
        elif name == "GROUPREF" or (name == "BRANCH" and repeated):
            return True
        if not isinstance(part, (str, int)) and hasattr(part, "__iter__"):
            todo.extend((inner, repeated) for inner in part)
        elif hasattr(part, "data"):
            todo.append((part.data, repeated))
    return False


def _reference(node: ast.expr) -> str:
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id in SPACES:
        return f"{node.value.id}.{node.attr}"
    raise ExpressionError(f"`{ast.unparse(node)}` is no option and none of {', '.join(f'{s}.…' for s in SPACES)}")


def _not_allowed(node: ast.expr) -> ExpressionError:
    return ExpressionError(f"`{ast.unparse(node)}` is not allowed in a rule")
