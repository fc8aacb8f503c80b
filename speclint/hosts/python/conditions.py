"""Conditions: what decides an ``if``, so that what one condition rules out is ruled out wherever it is asked again."""

from __future__ import annotations

from speclint.hosts.python import expressions
from speclint.hosts.python.values import Alt, Instance, Map, Seq, Text, alt, value_of
from speclint.lean import pattern
from speclint.pyast import ast
from speclint.value import Known, Unknown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from speclint.hosts.python.machine import Machine
    from speclint.hosts.python.values import Item, Obj
    from speclint.value import Choice, Needs
    from speclint.words import Guard

# A condition of more choices than this is one choice of its own.
_MAX_CHOICES = 3
# The part of the module that a reason tells of.
_WRITTEN = pattern(r"`([^`]+)`")
_NEGATED: dict[type[ast.cmpop], type[ast.cmpop]] = {ast.NotEq: ast.Eq, ast.IsNot: ast.Is, ast.NotIn: ast.In}


class Branch:
    """What a condition is in each way that a choice can go."""

    __slots__ = ("arms", "choice")

    def __init__(self, choice: Choice, arms: Sequence[Tree]) -> None:
        self.choice = choice
        self.arms = tuple(arms)


Tree = bool | Branch


def test(m: Machine, node: ast.expr) -> Tree | None:
    """What a condition is: certain, decided by choices, or None: open, and nothing more is known of it."""
    tree = _decided(m, node)
    if isinstance(tree, Branch) and len(set(_choices(tree))) > _MAX_CHOICES:
        return None
    return tree


def branched(m: Machine, node: ast.expr) -> Tree:
    """What a condition is, where one that is open is a choice of its own."""
    tree = test(m, node)
    return Branch(condition(m, node), (True, False)) if tree is None else tree


def _decided(m: Machine, node: ast.expr) -> Tree | None:
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        return _each(_sure(m, node.operand), lambda leaf: not leaf)
    if isinstance(node, ast.BoolOp) and len(node.values) <= 2 * _MAX_CHOICES:
        stops = isinstance(node.op, ast.Or)
        tree = _sure(m, node.values[0])
        for value in node.values[1:]:
            if tree is stops:
                return tree
            right = _sure(m, value)
            tree = _each(tree, {stops: stops, not stops: right}.__getitem__)
        return tree
    obj = expressions.evaluate(m, node)
    sure = m.truth(obj)
    if sure is not None:
        return sure
    truths = [m.truth(arm) for arm in obj.arms] if isinstance(obj, Alt) else []
    if isinstance(obj, Alt) and any(truth is not None for truth in truths):
        arms = [_within(m, node, obj.choice, way) if known is None else known for way, known in enumerate(truths)]
        return Branch(obj.choice, arms)
    return _asked(m, node) if _is_negated(node) else None


def _sure(m: Machine, node: ast.expr) -> Tree:
    tree = _decided(m, node)
    return _asked(m, node) if tree is None else tree


def _asked(m: Machine, node: ast.expr) -> Branch:
    """The branch of a condition of which nothing is known; ``a != b`` is the contrary of ``a == b``."""
    known = m.plain.get(node)
    if known is None:
        known = m.plain[node] = _plain(node)
    plain, shown = known
    if plain is node:
        return Branch(condition(m, node), (True, False))
    return Branch(condition(m, plain, shown), (False, True))


def _within(m: Machine, node: ast.expr, choice: Choice, way: int) -> Branch:
    """The branch of a condition of which nothing is known where a choice goes one way."""
    held = m.state.taken
    m.state.assume(choice, frozenset((way,)))
    found = _asked(m, node)
    m.state.taken = held
    return found


def _is_negated(node: ast.expr) -> bool:
    return isinstance(node, ast.Compare) and len(node.ops) == 1 and type(node.ops[0]) in _NEGATED


def _plain(node: ast.expr) -> tuple[ast.expr, str]:
    """The condition that one negates, and how it reads; itself, if it negates none."""
    if not isinstance(node, ast.Compare) or not _is_negated(node):
        return node, ""
    plain = ast.copy_location(ast.Compare(node.left, [_NEGATED[type(node.ops[0])]()], node.comparators), node)
    try:
        return plain, ast.unparse(plain)[:48]
    except RecursionError:
        return node, ""


def _each(tree: Tree, function: Callable[[bool], Tree]) -> Tree:
    if isinstance(tree, bool):
        return function(tree)
    arms = [_where(_each(arm, function), tree.choice, way) for way, arm in enumerate(tree.arms)]
    return arms[0] if all(isinstance(arm, bool) and arm is arms[0] for arm in arms) else Branch(tree.choice, arms)


def _where(tree: Tree, choice: Choice, way: int) -> Tree:
    """What a condition is where a choice went one way."""
    if isinstance(tree, bool):
        return tree
    if tree.choice is choice:
        return _where(tree.arms[way], choice, way)
    return Branch(tree.choice, [_where(arm, choice, way) for arm in tree.arms])


def _choices(tree: Tree) -> Iterator[Choice]:
    if isinstance(tree, Branch):
        yield tree.choice
        for arm in tree.arms:
            yield from _choices(arm)


def ways(tree: Tree, wanted: bool) -> dict[Choice, frozenset[int]]:
    """The ways that choices can go where a condition is as wanted; a choice that does not matter then is left out."""
    if isinstance(tree, Branch) and all(isinstance(arm, bool) for arm in tree.arms):  # most of them
        arms = frozenset([way for way, arm in enumerate(tree.arms) if arm is wanted])
        return {tree.choice: arms} if arms else {}
    found: dict[Choice, frozenset[int]] | None = None
    for guard in paths(tree, wanted):
        this: dict[Choice, frozenset[int]] = {}
        for choice, arm in guard:
            this[choice] = frozenset((arm,))
        found = this if found is None else {c: found[c] | this[c] for c in found if c in this}
    return found or {}


def paths(tree: Tree, wanted: bool = True) -> Iterator[Guard]:
    """How choices go together where a condition is as wanted."""
    if isinstance(tree, bool):
        if tree is wanted:
            yield ()
        return
    for index, arm in enumerate(tree.arms):
        for path in paths(arm, wanted):
            yield ((tree.choice, index), *path)


def chosen(tree: Tree, one: Obj, other: Obj) -> Obj:
    """One object where a condition holds and another where it does not."""
    if isinstance(tree, bool):
        return one if tree else other
    return alt(tree.choice, [chosen(arm, one, other) for arm in tree.arms])


def under(m: Machine, node: ast.expr, taken: Mapping[Choice, frozenset[int]]) -> Obj:
    """The object that an expression gives where choices go one of some ways."""
    held = m.state.taken
    for choice, arms in taken.items():
        m.state.assume(choice, arms)
    try:
        return expressions.evaluate(m, node)
    finally:
        m.state.taken = held


def condition(m: Machine, node: ast.expr, shown: str = "") -> Choice:
    """The choice that a condition makes: the same one wherever the same is asked of the same names.

    ``shown`` is how it reads where it is not written as such.
    """
    known = m.asked.get(node)
    if known is None:
        known = m.asked[node] = _form(node)
    held = {id(name): found for name in known[1] if (found := _asked_of(m, name)) is not None}
    # What a parameter is called does not matter where the caller has asked the same of what it is.
    form = known[0], *[None if id(name) in held else getattr(name, "id", None) for name in known[1]]

    def work() -> Sequence[Needs]:
        from speclint.hosts.python import needs

        return needs.asked(node, lambda part: _key(part, held))

    shown = shown or m.source.snippet(node)
    return m.test_choice(form, [*held.values()], shown, m.source.span(node), work, lambda: _sought(m, node))


def _sought(m: Machine, node: ast.expr) -> str:
    """What a condition asks for that asks whether a name is among others: as it reads with what is known of them."""
    if isinstance(node, ast.Compare) and len(node.ops) == 1 and isinstance(node.ops[0], ast.In):
        parts = [node.left, node.comparators[0]]
    elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "hasattr":
        parts = [node.func, *node.args]
    else:
        return ""
    return " ".join([_read(m, part) for part in parts])


def _read(m: Machine, node: ast.expr) -> str:
    """What an expression is where that is known, or what it was set to; else as it is written."""
    if isinstance(node, (ast.Name, ast.JoinedStr)):
        obj = expressions.evaluate(m, node)
        items = m.state.items(obj) if isinstance(obj, Seq) else ()
        value = items[0].value if len(items) == 1 and items[0].many else value_of(obj)
        if isinstance(value, Known):
            return value.text.text
        written = _WRITTEN.search(value.reason) if isinstance(value, Unknown) else None
        if written is not None:
            return written[1]
    return m.source.snippet(node)


def _key(node: ast.expr, held: Mapping[int, object]) -> object:
    """What a name or an attribute is known by where conditions ask for it: how it reads, and what it holds."""
    found = held.get(id(node))
    return None if found is None else (_form(node)[0], id(found))


def _form(node: ast.expr) -> tuple[tuple[object, ...], list[ast.Name | ast.Attribute]]:
    """What makes a condition the same as another that stands elsewhere, and the names in it."""
    names: list[ast.Name | ast.Attribute] = []
    form: list[object] = []
    todo: list[object] = [node]
    while todo:  # no recursion: a sum of a thousand parts is a thousand deep
        item = todo.pop()
        if isinstance(item, ast.AST):
            form.append(item.__class__)
            if isinstance(item, ast.Name):
                names.append(item)
                continue
            todo.extend([getattr(item, name, None) for name in item._fields])
            if isinstance(item, ast.Attribute):
                names.append(item)
        elif item.__class__ is list:
            form.append(len(item))
            todo.extend(item)
        else:  # 1, 1.0 and True are different questions
            form.append(item if item is None or item.__class__ is str else repr(item))
    return tuple(form), names


def _asked_of(m: Machine, node: ast.AST) -> Obj | tuple[Item, ...] | None:
    """What a name or an attribute in a condition holds."""
    obj: Obj | None = None
    if isinstance(node, ast.Name):
        found = m.find(node.id)
        obj = found[1] if found is not None else None
    elif isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
        base = m.find(node.value.id)
        if base is not None:
            obj = m.attribute(base[1].cls, node.attr) if isinstance(base[1], Instance) else m.held(base[1], node.attr)
    # A list that was added to is another one.
    return m.state.items(obj) if isinstance(obj, (Seq, Map)) else _itself(m, obj)


def _itself(m: Machine, obj: Obj | None) -> Obj | None:
    """The object that one is a copy of; of several, where a condition can be told of some, the one that it is here."""
    while isinstance(obj, Alt):
        ways = m.state.taken.get(obj.choice)
        if ways is None or len(ways) != 1 or all(m.truth(arm) is None for arm in obj.arms):
            return obj
        obj = obj.arms[next(iter(ways))]
    return obj.first or obj if isinstance(obj, Text) else obj
