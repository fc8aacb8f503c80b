"""The language of ``when``: Python's expression syntax, few forms of it, and a third truth value.

A name is an option by SGLang's own destination name (``tp_size``) and has the value that SGLang's parser would give it:
what is written, else the release's default, else None. ``resolved.x`` is the value after SGLang's own derivations,
``model.x`` a fact of the model, ``pod.x`` one of the container that it runs in, ``found.x`` what a rule with ``find``
tells of what it found. What cannot be known is an ``Unknown`` and spreads, except where the answer does not depend on
it: false ``and`` unknown is false. An order comparison with None is false: SGLang has no number there.
``surely(x)`` is true where x is known to be true, else false. Of an option that takes JSON ``at(x, "key", default)`` is
what stands there under a key, and ``kind(x)`` what it is: object, list, text, number, boolean, null.

Text is parsed into nested tuples of strings, numbers and None, which JSON can hold; ``compiled`` makes functions of
those. So the parser (and Python's ``ast``) is needed only where rules are read from YAML.
"""

from __future__ import annotations

from speclint.rules.operations import ARITHMETIC, COMPARISONS, FUNCTIONS, computed, first_doubt
from speclint.sglang.setting import Unsettled
from speclint.value import Unknown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from typing import Any, Protocol

    Tree = tuple[Any, ...]
    Ask = Callable[["Scope"], object]

    class Scope(Protocol):
        """What an expression can ask."""

        def value(self, dest: str) -> object:
            """The value of an option after parsing, or an Unknown."""

        def is_set(self, dest: str) -> object:
            """Whether it is written, or an Unknown."""

        def attribute(self, space: str, name: str) -> object:
            """``space.name``, or an Unknown."""

        def in_release(self, spec: str) -> bool:
            """Whether the release lies in a range such as ``>=0.5.13``."""


SPACES = ("resolved", "model", "env", "launch", "pod", "found")
NAMED_FORMS = ("set", "flag", "note")
_NO_TERMS: Mapping[str, Tree] = {}


class ExpressionError(Exception):
    """An expression that the language has no meaning for; ``str()`` says what and where."""


def parse(text: str, terms: Mapping[str, Tree] = _NO_TERMS) -> Tree:
    """The tree of an expression, in which ``terms`` stand for what they are short for. Raises ExpressionError."""
    import ast

    from speclint.rules.grammar import convert

    try:
        return convert(ast.parse(text.strip(), mode="eval").body, terms)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise ExpressionError(f"not an expression: {error}: {text.strip()[:200]!r}") from None


def reads(tree: Tree) -> frozenset[str]:
    """Every name that the expression can ask for: ``tp_size``, ``resolved.speculative_eagle_topk``."""
    return frozenset(_names(tree))


def _names(tree: Tree) -> Iterator[str]:
    kind = tree[0]
    if kind in ("name", "form"):
        yield tree[-1]
        return
    for part in tree[1:]:
        if isinstance(part, (tuple, list)):
            yield from _names(tuple(part))


class Expression:
    """An expression as a rule holds it; ``tree`` is what was parsed."""

    __slots__ = ("_ask", "tree")

    def __init__(self, tree: Tree) -> None:
        self.tree = tree
        self._ask: Ask | None = None

    def __call__(self, scope: Scope) -> object:
        """Its value in a scope: True, False, a number, text, None, a tuple, or an Unknown."""
        if self._ask is None:
            self._ask = compiled(self.tree)
        return self._ask(scope)


def arms(tree: Tree) -> list[Tree]:
    """The expressions of which one has to be true for the whole to be: it is these with ``or`` between them."""
    if tree[0] != "or":
        return [tree]
    return [arm for part in tree[1:] for arm in arms(tuple(part))]


def any_of(asks: Sequence[Ask]) -> Ask:
    """The expressions with ``or`` between them."""

    def ask(scope: Scope) -> object:
        doubt = None
        for part in asks:
            got = part(scope)
            if isinstance(got, Unknown):
                doubt = first_doubt((doubt, got))
            elif got:
                return True
        return False if doubt is None else doubt

    return ask


def evaluate(tree: Tree, scope: Scope) -> object:
    """The value of an expression that is asked for once."""
    return compiled(tree)(scope)


def compiled(tree: Tree) -> Ask:
    """A function that gives the value of an expression in a scope.

    It is made of one small function for each part, and those only once they are asked: most conditions are false for
    their first part.
    """
    return _COMPILED[tree[0]](tree)


def truth(value: object) -> bool | Unknown:
    """Whether a value counts as true."""
    return value if isinstance(value, Unknown) else bool(value)


def _const(tree: Tree) -> Ask:
    value = tree[1]
    return lambda _: value


def _name(tree: Tree) -> Ask:
    name = tree[1]
    space, dot, rest = name.partition(".")
    if dot:
        return lambda scope: scope.attribute(space, rest)
    return lambda scope: scope.value(name)


def _form(tree: Tree) -> Ask:
    _, form, name = tree
    if form == "set":
        return lambda scope: scope.is_set(name)
    return lambda scope: scope.attribute(form, name)


def _and(tree: Tree) -> Ask:
    return _all(tree[1:], True)


def _or(tree: Tree) -> Ask:
    return _all(tree[1:], False)


def _all(parts: Tree, wanted: bool) -> Ask:
    """Whether all parts are ``wanted``, else that they are not; in order, and no part behind one that is not."""
    count = len(parts)
    asks = [compiled(parts[0])]

    def ask(scope: Scope) -> object:
        doubt = None
        for part in asks:  # which grows as it is gone through
            got = part(scope)
            if isinstance(got, Unknown):
                doubt = first_doubt((doubt, got))
            elif (not got) is wanted:
                return not wanted
            if len(asks) < count:
                asks.append(compiled(parts[len(asks)]))
        return wanted if doubt is None else doubt

    return ask


def _not(tree: Tree) -> Ask:
    part = compiled(tree[1])

    def ask(scope: Scope) -> object:
        got = part(scope)
        return got if isinstance(got, Unknown) else not got

    return ask


def _surely(tree: Tree) -> Ask:
    """True only where it is known to be true."""
    part = compiled(tree[1])

    def ask(scope: Scope) -> object:
        got = truth(part(scope))
        return got if isinstance(got, Unsettled) else got is True

    return ask


def _if(tree: Tree) -> Ask:
    condition, then, otherwise = (compiled(part) for part in tree[1:])

    def ask(scope: Scope) -> object:
        test = truth(condition(scope))
        if not isinstance(test, Unknown):
            return then(scope) if test else otherwise(scope)
        yes, no = then(scope), otherwise(scope)
        return yes if not isinstance(yes, Unknown) and yes == no else first_doubt((test, yes, no))

    return ask


def _list(tree: Tree) -> Ask:
    if all(part[0] == "const" for part in tree[1:]):
        values = tuple([part[1] for part in tree[1:]])
        return lambda _: values
    parts = [compiled(part) for part in tree[1:]]
    return lambda scope: tuple([part(scope) for part in parts])


def _compare(tree: Tree) -> Ask:
    _, sign, left_tree, right_tree = tree
    if sign in ("==", "!=") and right_tree[0] == "const":
        return _equal(compiled(left_tree), right_tree[1], sign == "==")
    left, right, compare = compiled(left_tree), compiled(right_tree), COMPARISONS[sign]
    return lambda scope: compare(left(scope), right(scope))


def _equal(side: Ask, value: object, wanted: bool) -> Ask:
    """What most comparisons are: with something that the rule states."""

    def ask(scope: Scope) -> object:
        got = side(scope)
        return got if isinstance(got, Unknown) else (got == value) is wanted

    return ask


def _binary(tree: Tree) -> Ask:
    _, sign, left_tree, right_tree = tree
    left, right, compute = compiled(left_tree), compiled(right_tree), ARITHMETIC[sign]
    return lambda scope: compute(left(scope), right(scope))


def _call(tree: Tree) -> Ask:
    _, name, *arguments = tree
    if name in ("since", "before"):
        spec = f"{'>=' if name == 'since' else '<'}{arguments[0][1]}"
        return lambda scope: scope.in_release(spec)
    function, parts = FUNCTIONS[name], [compiled(argument) for argument in arguments]

    def ask(scope: Scope) -> object:
        values = [part(scope) for part in parts]
        for value in values:
            if isinstance(value, Unknown):
                return value
            doubt = first_doubt(value) if isinstance(value, tuple) else None
            if doubt is not None:
                return doubt
        return computed(function, *values)

    return ask


_COMPILED: dict[str, Callable[[Tree], Ask]] = {
    "const": _const,
    "name": _name,
    "form": _form,
    "and": _and,
    "or": _or,
    "not": _not,
    "surely": _surely,
    "if": _if,
    "list": _list,
    "compare": _compare,
    "binary": _binary,
    "call": _call,
}
