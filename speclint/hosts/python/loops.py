"""Loops: unrolled where it can be told what they go through, read once otherwise."""

from __future__ import annotations

from speclint.hosts.python import conditions, containers, edits, expressions, statements
from speclint.hosts.python.state import State, alike
from speclint.hosts.python.values import Instance, Map, Seq, Text, alt, open_entry, several, unknown, value_of
from speclint.merging import same
from speclint.pyast import ast
from speclint.text import Mapped
from speclint.value import Choice, Joined, Known, Unknown, begins_blank, join

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from speclint.hosts.python.machine import Machine
    from speclint.hosts.python.state import Cell, Key
    from speclint.hosts.python.statements import Outcome, Result
    from speclint.hosts.python.values import Item, Obj
    from speclint.value import Value
    from speclint.words import Guard

MAX_ARMS = 32


def loop(m: Machine, node: ast.For | ast.AsyncFor | ast.While) -> Result:
    """Follow a loop.

    It is first followed without noting launches, for what it leaves behind: round by round where the rounds are known.
    Then its body is read once with launches noted; what earlier rounds may have changed is unknown there, and the
    loop's variable is one of the values that it goes through.
    """
    obj: Obj = unknown("it changes from round to round")
    if isinstance(node, ast.While):
        expressions.evaluate(m, node.test)
    else:
        obj = expressions.evaluate(m, node.iter)
    values = containers.rounds(m, obj)
    jumps = m.frame.jumps
    after, broken = _effects(m, node, values)
    _read(m, node, None if values is None else [value.obj for value in values], after)
    m.frame.jumps = jumps  # those in the loop are its own
    if broken is None:
        _repeat(m, after)
    else:
        m.state.adopt(after)
    return _otherwise(m, node, broken) if node.orelse and not broken else statements.ON


def _otherwise(m: Machine, node: ast.For | ast.AsyncFor | ast.While, broken: bool | None) -> Result:
    """The ``else`` of a loop, which is there where no ``break`` ends it."""
    if broken is not None or not _breaks(node.body):
        return statements.block(m, node.orelse)
    choice = Choice("branch", ("no `break` ends the loop", "`break` ends the loop"), m.source.span(node))
    return statements.joined(m, choice, [statements.forked(m, node.orelse), (State(m.state), statements.ON)])


def _effects(
    m: Machine, node: ast.For | ast.AsyncFor | ast.While, values: list[Item] | None
) -> tuple[State, bool | None]:
    """The state after the loop, and whether ``break`` ends it; None where neither is certain."""
    record, base = m.record, m.state
    m.record = False
    try:
        if values is not None and isinstance(node, (ast.For, ast.AsyncFor)) and m.budget > 0 and _unrolls(node.body):
            m.state = State(base)
            broken = _rounds(m, node, values, _jumps_deep(node.body))
            if broken is not None:
                return m.state, broken
        m.state = State(base)
        if isinstance(node, (ast.For, ast.AsyncFor)):
            containers.unpack(m, node.target, unknown("it changes from round to round"))
        statements.block(m, node.body)
        return m.state, None
    finally:
        m.record, m.state = record, base


def _rounds(m: Machine, node: ast.For | ast.AsyncFor, values: Sequence[Item], sure: bool) -> bool | None:
    """Follow the rounds; whether ``break`` ends them, and None if they cannot be followed.

    ``sure``: each has to end in one way.
    """
    for value in values:
        jumps = m.frame.jumps
        outcome = _round(m, node, value, value.guard)
        if not m.spend() or (sure and (m.frame.jumps > jumps or value.guard or value.many)):
            return None
        if outcome is statements.BREAK:
            return True
    return False


def _round(m: Machine, node: ast.For | ast.AsyncFor, value: Item, guard: Guard) -> Outcome:
    """One round, or any number of them, which is there only where choices go the ways of ``guard``."""
    base = m.state
    if not guard:
        m.state = State(base) if value.many else base
        containers.unpack(m, node.target, m.state.settled(value.obj))
        outcome = statements.block(m, node.body)
        after, m.state = m.state, base
        if value.many:
            _repeat(m, after)
        return outcome
    choice, arm = guard[0]
    m.state = State(base)
    m.state.assume(choice, frozenset((arm,)))
    _round(m, node, value, guard[1:])
    taken, m.state = m.state, base
    base.join(choice, [taken if way == arm else State(base) for way in range(len(choice.labels))])
    return statements.ON


def _unrolls(body: Sequence[ast.stmt]) -> bool:
    """Whether no round ends the function that the loop stands in."""
    return not any(isinstance(node, ast.Return) for node, _ in _statements(body, True))


def _breaks(body: Sequence[ast.stmt]) -> bool:
    return any(isinstance(node, ast.Break) for node, _ in _statements(body))


def _jumps_deep(body: Sequence[ast.stmt]) -> bool:
    """Whether rounds end elsewhere than at the end of the body or in an ``if`` directly in it."""
    return any(
        isinstance(node, ast.Break) or (isinstance(node, ast.Continue) and depth > 1)
        for node, depth in _statements(body)
    )


def _statements(body: Sequence[ast.stmt], loops: bool = False) -> Iterator[tuple[ast.AST, int]]:
    """The statements of the body of a loop, each with how many are around it; those in other ``loops`` too, if asked.

    Their breaks and continues are their own.
    """
    todo: list[tuple[ast.AST, int]] = [(s, 0) for s in body]
    while todo:
        node, depth = todo.pop()
        yield node, depth
        if isinstance(node, (ast.expr, ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            continue
        if isinstance(node, (ast.For, ast.While, ast.AsyncFor)) and not loops:
            todo.extend((child, depth + 1) for child in node.orelse)
            continue
        todo.extend((child, depth + isinstance(node, ast.stmt)) for child in ast.iter_child_nodes(node))


def _read(m: Machine, node: ast.For | ast.AsyncFor | ast.While, values: list[Obj] | None, after: State) -> None:
    """Read the body with launches noted."""
    if not m.record:
        return
    base = m.state
    m.state = State(base)
    _repeat(m, after)
    if isinstance(node, (ast.For, ast.AsyncFor)):
        _bind(m, node, values)
    statements.block(m, node.body)
    _leave(m, base)


def read_comprehension(m: Machine, generators: Sequence[ast.comprehension], parts: Sequence[ast.expr]) -> None:
    """Read what a comprehension makes in each round, with launches noted."""
    base = m.state
    m.state = State(base)
    for each in generators:
        values = containers.rounds(m, expressions.evaluate(m, each.iter))
        kept = None if values is None else [v.obj for v in values if _passes(m, each, v.obj)]
        if kept is not None and not kept:
            break
        _bind(m, each, kept)
    else:
        for part in parts:
            expressions.evaluate(m, part)
    _leave(m, base)


def _passes(m: Machine, node: ast.comprehension, value: Obj) -> bool:
    """Whether a round of a comprehension may pass its conditions."""
    if not node.ifs:
        return True
    containers.unpack(m, node.target, value)
    return all(conditions.test(m, test) is not False for test in node.ifs)


def _leave(m: Machine, base: State) -> None:
    """Leave what was read of a loop for the state before it."""
    inner, m.state = m.state, base
    # What was made in the body may be looked at when the functions that it was passed to are read.
    for key, cell in inner.writes.items():
        made = isinstance(key, (Seq, Map)) or isinstance(key[0], Instance)
        if made and base.get(key) is None:
            base.set(key, cell)


def _bind(m: Machine, node: ast.For | ast.AsyncFor | ast.comprehension, values: list[Obj] | None) -> None:
    """Bind the loop's variable to one of its values."""
    if not values or len(values) > MAX_ARMS:
        containers.unpack(m, node.target, unknown(f"`{m.source.snippet(node.target)}` changes from round to round"))
        return
    if len(values) == 1:
        containers.unpack(m, node.target, values[0])
        return
    _unpack_arms(m, node.target, choice_of(m, m.source.snippet(node.target), node.iter, values), values)


def choice_of(m: Machine, name: str, iterated: ast.expr, values: Sequence[Obj]) -> Choice:
    """The choice between the values that ``name`` has in the rounds over something."""
    labels = [f"`{name}` is {_label(value, index)}" for index, value in enumerate(values)]
    return Choice("loop", labels, m.source.span(iterated))


def _label(value: Obj, index: int) -> str:
    text = value_of(value)
    return f"`{text.text.text}`" if isinstance(text, Known) else f"value {index + 1} of the loop"


def _unpack_arms(m: Machine, target: ast.expr, choice: Choice, values: Sequence[Obj]) -> None:
    if isinstance(target, ast.Name):
        m.bind(target.id, alt(choice, values))
        return
    if isinstance(target, (ast.Tuple, ast.List)):
        rows = [containers.elements(m, value) for value in values]
        for index, part in enumerate(target.elts):
            column = [
                row[index] if row is not None and len(row) == len(target.elts) else unknown("its parts are not known")
                for row in rows
            ]
            _unpack_arms(m, part, choice, column)


def _repeat(m: Machine, after: State) -> None:
    """Make what a loop may have changed any number of times unknown; what it first sets stays as it set it."""
    for key, cell in list(after.writes.items()):
        old = m.state.get(key)
        if old is None or cell is old:
            m.state.set(key, cell)
        elif isinstance(old, tuple) or isinstance(cell, tuple):
            m.state.set(key, _grown(key, old, cell))
        elif not alike(old, cell):
            m.state.set(key, edits.varied(m, old, cell, after) or _varied(old, cell))


def _grown(key: Key, old: Cell, new: Cell) -> Cell:
    """The contents of a container that a loop adds to or changes."""
    if not isinstance(old, tuple) or not isinstance(new, tuple):
        return new
    if isinstance(key, Seq) and len(new) == len(old):
        return tuple([a if a is b else edits.replaced(a, b) for a, b in zip(old, new, strict=True)])
    reason = "a loop adds to it"
    kept = old if len(new) >= len(old) and all(a is b for a, b in zip(old, new, strict=False)) else ()
    return (*kept, open_entry(reason, None) if isinstance(key, Map) else several(reason, None))


def _varied(old: Obj, new: Obj) -> Obj:
    """A variable that a loop adds to or changes."""
    before, after = value_of(old), value_of(new)
    added = _added(before, after)
    if added is None:
        return unknown("it changes from round to round")
    parts: list[Value] = [before, Unknown("a loop adds to it")]
    if begins_blank(added):
        parts.insert(1, Known(Mapped.new(" ")))  # so that what stands before is a word of its own
    # Rounds that end in a blank leave one at the end, however many there are.
    if _ends_blank(added) and _ends_blank(before):
        parts.append(Known(Mapped.new(" ")))
    return Text(join(parts), "str")


def _added(before: Value, after: Value) -> Value | None:
    """What ``after`` has beyond ``before``; None if it does not begin with it."""
    old = before.parts if isinstance(before, Joined) else (before,)
    new = after.parts if isinstance(after, Joined) else (after,)
    head, last = old[:-1], old[-1]
    if len(new) < len(old) or not all(same(a, b) for a, b in zip(head, new, strict=False)):
        return None
    first = new[len(head)]
    if isinstance(last, Known) and isinstance(first, Known) and first.text.text.startswith(last.text.text):
        return join((Known(first.text[len(last.text) :]), *new[len(old) :]))
    return join(new[len(old) :]) if same(last, first) else None


def _ends_blank(value: Value) -> bool:
    last = value.parts[-1] if isinstance(value, Joined) else value
    return isinstance(last, Known) and last.text.text[-1:].isspace()
