"""Statements of a Python module, followed in order; branches are all taken and joined again."""

from __future__ import annotations

from speclint.hosts.python import assign, branches, containers, defs, expressions, inert, loops
from speclint.hosts.python.state import State, join_objs
from speclint.hosts.python.values import NEVER, known, unknown
from speclint.pyast import ast
from speclint.value import Choice

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from speclint.hosts.python.machine import Machine
    from speclint.hosts.python.values import Obj

NEXT, RETURN, RAISE, JUMP = "next", "return", "raise", "jump"
_MAX_PENDING = 40


class Outcome:
    """How a block ends: it runs on, returns ``value``, raises, or leaves the round of a loop."""

    __slots__ = ("kind", "value")

    def __init__(self, kind: str, value: Obj | None = None) -> None:
        self.kind = kind
        self.value = value


class Split:
    """An ``if`` after which only some arms run on: ``arms`` are those of the choice, ``live`` what they join to."""

    __slots__ = ("arms", "base", "choice", "live")

    def __init__(self, choice: Choice, arms: Sequence[tuple[State, Outcome]], base: State, live: State) -> None:
        self.choice = choice
        self.arms = arms
        self.base = base
        self.live = live


Result = Outcome | Split
ON, BREAK = Outcome(NEXT), Outcome(JUMP)


def block(m: Machine, body: Sequence[ast.stmt]) -> Outcome:
    """Follow statements in order."""
    pending: list[Split] = []
    outcome = ON
    for node in body:
        result = statement(m, node)
        if isinstance(result, Split):
            if len(pending) < _MAX_PENDING:
                pending.append(result)
                m.state = result.live
            else:
                m.frame.returns.extend(o.value for _, o in result.arms if o.value is not None)
                result.base.adopt(result.live)
        elif result.kind != NEXT:
            outcome = result
            break
    for split in reversed(pending):
        outcome = _closed(m, split, outcome)
    return outcome


def _closed(m: Machine, split: Split, rest: Outcome) -> Outcome:
    """How a block ends in which an ``if`` ended some arms and the ``rest`` followed in the others."""
    m.state = split.base
    ended = [(s, o) for s, o in split.arms if o.kind in (RETURN, JUMP)]
    returned = [o.value for _, o in ended if o.kind == RETURN and o.value is not None]
    if rest.kind == NEXT and returned:
        m.frame.returns.extend(returned)
    alive = [(split.live, rest) if o.kind == NEXT else (s, o) for s, o in split.arms]
    wanted = RETURN if rest.kind == RETURN or (rest.kind == RAISE and returned) else JUMP
    kinds = (NEXT, JUMP) if rest.kind in (NEXT, JUMP) else (wanted,)
    fitting = [pair for pair in alive if pair[1].kind in kinds]
    if not fitting:
        split.base.adopt(split.live)
        return rest
    filled = [pair if pair[1].kind in kinds else fitting[0] for pair in alive]
    split.base.join(split.choice, [s for s, _ in filled])
    if kinds == (RETURN,):
        return Outcome(RETURN, join_objs(split.choice, [o.value for _, o in filled]))
    return rest if rest.kind == NEXT else Outcome(kinds[-1])


def function(m: Machine, node: ast.FunctionDef | ast.AsyncFunctionDef) -> Obj:
    """What the body of a function returns."""
    outcome = block(m, node.body)
    assign.flush(m)
    none = known("None", m.source.span(node), "none")
    if outcome.kind != RETURN and not m.frame.returns:
        return none
    found = [*m.frame.returns, outcome.value if outcome.kind == RETURN and outcome.value is not None else none]
    if len(found) == 1:
        return found[0]
    labels = [f"`{node.name}` returns in case {number}" for number in range(1, len(found) + 1)]
    return join_objs(Choice("branch", labels, m.source.span(node)), found)


def statement(m: Machine, node: ast.stmt) -> Result:
    """Follow one statement."""
    if not m.record:
        m.budget -= 1
    m.statement = node
    handler = _HANDLERS.get(node.__class__)
    return handler(m, node) if handler is not None else ON


def forked(
    m: Machine, body: Sequence[ast.stmt], taken: Mapping[Choice, frozenset[int]] | None = None
) -> tuple[State, Outcome]:
    """Follow statements in a branch of the state, where choices went one of some ways."""
    base = m.state
    m.state = State(base)
    for choice, arms in (taken or {}).items():
        m.state.assume(choice, arms)
    outcome = block(m, body)
    branch, m.state = m.state, base
    return branch, outcome


def joined(m: Machine, choice: Choice, arms: Sequence[tuple[State, Outcome]]) -> Result:
    """Join the arms of a choice that were followed each in its branch of the state."""
    m.frame.jumps += any(o.kind == JUMP for _, o in arms)
    live = [s for s, o in arms if o.kind == NEXT]
    base = m.state
    if len(live) == len(arms):
        base.join(choice, live)
        return ON
    if live:
        after = State(base)
        after.join(choice, [s if o.kind == NEXT else live[0] for s, o in arms])
        if len(choice.labels) == len(arms):
            after.assume(choice, frozenset(way for way, (_, o) in enumerate(arms) if o.kind == NEXT))
        if all(o.kind in (NEXT, RAISE) for _, o in arms):
            base.adopt(after)
            base.taken = after.taken
            return ON
        return Split(choice, arms, base, after)
    returned = [(s, o) for s, o in arms if o.kind == RETURN]
    kept = returned or [(s, o) for s, o in arms if o.kind == JUMP]
    if not kept:
        return Outcome(RAISE)
    filled = [pair if pair[1].kind == kept[0][1].kind else kept[0] for pair in arms]
    base.join(choice, [s for s, _ in filled])
    if not returned:
        return Outcome(JUMP)
    return Outcome(RETURN, join_objs(choice, [o.value for _, o in filled]))


def _try(m: Machine, node: ast.Try) -> Result:
    body, outcome = forked(m, [*node.body, *node.orelse])
    if outcome.kind == RAISE:
        m.state.adopt(body)  # which is what handles it finds
    handlers = [(h, *forked(m, _handler(m, h))) for h in node.handlers]
    m.frame.jumps += bool(handlers) and JUMP in (outcome.kind, *(ended.kind for _, _, ended in handlers))
    m.state.adopt(body)
    caught = [(handler, state, ended) for handler, state, ended in handlers if ended.kind != RAISE]
    if outcome.kind == RAISE and caught:
        return _caught(m, node, caught)
    for handler, state, ended in handlers:
        name = m.source.snippet(handler.type) if handler.type is not None else "an exception"
        if "ImportError" in name or "ModuleNotFound" in name:
            continue
        choice = Choice("branch", ("no exception is raised", f"`{name}` is raised"), m.source.span(handler))
        if ended.kind == NEXT and outcome.kind == NEXT:
            m.state.join(choice, (body, state), only=state)
        elif ended.kind == RETURN and outcome.kind == RETURN:
            outcome = Outcome(RETURN, join_objs(choice, (outcome.value, ended.value)))
    last = block(m, node.finalbody)
    return outcome if last.kind == NEXT else last


def _caught(m: Machine, node: ast.Try, handlers: Sequence[tuple[ast.ExceptHandler, State, Outcome]]) -> Result:
    """What follows a body that never runs to its end: what one of the handlers does, if it goes on."""
    going = [handled for handled in handlers if handled[2].kind == NEXT] or handlers[:1]
    if len(going) == 1:
        m.state.adopt(going[0][1])
    else:
        names = [m.source.snippet(handler.type or handler) for handler, _, _ in going]
        choice = Choice("branch", [f"`{name}` is raised" for name in names], m.source.span(node))
        m.state.join(choice, [state for _, state, _ in going])
    last = block(m, node.finalbody)
    return going[0][2] if last.kind == NEXT else last


def _handler(m: Machine, node: ast.ExceptHandler) -> Sequence[ast.stmt]:
    if node.name is not None:
        m.bind(node.name, unknown("it is an exception"))
    return node.body


def _with(m: Machine, node: ast.With | ast.AsyncWith) -> Result:
    environment = m.state.items(m.environ)
    for item in node.items:
        obj = expressions.evaluate(m, item.context_expr)
        defs.environment(m, item.context_expr)
        if item.optional_vars is not None:
            containers.unpack(m, item.optional_vars, obj)
    changed = m.state.items(m.environ) is not environment
    outcome = block(m, node.body)
    if changed:
        m.state.set(m.environ, environment)
    return outcome


def _return(m: Machine, node: ast.Return) -> Outcome:
    name = m.frame.func.node.name if m.frame.func is not None else ""
    none = known("None", m.source.span(node), "none")
    obj = none if node.value is None else expressions.named(m, name, node.value)
    m.emit(obj, "returned")
    return Outcome(RETURN, obj)


def _raise(m: Machine, node: ast.Raise) -> Outcome:
    return Outcome(RAISE)


def _jump(m: Machine, node: ast.stmt) -> Outcome:
    return BREAK if isinstance(node, ast.Break) else Outcome(JUMP)


def _expression(m: Machine, node: ast.Expr) -> Outcome:
    if not isinstance(node.value, (ast.Constant, ast.JoinedStr)) and not inert.is_inert(m, node):
        obj = expressions.evaluate(m, node.value)
        if isinstance(node.value, ast.Call) and obj is NEVER:
            return Outcome(RAISE)
    return ON


def _assign(m: Machine, node: ast.stmt) -> Outcome:
    assign.HANDLERS[type(node)](m, node)
    return ON


def _define(m: Machine, node: ast.stmt) -> Outcome:
    defs.HANDLERS[type(node)](m, node)
    return ON


def _branch(m: Machine, node: ast.stmt) -> Result:
    return branches.HANDLERS[type(node).__name__](m, node)


def _loop(m: Machine, node: ast.For | ast.AsyncFor | ast.While) -> Result:
    if isinstance(node, ast.While) and inert.is_inert(m, node):
        return ON
    return loops.loop(m, node)


_HANDLERS: dict[type[ast.stmt], Callable[..., Result]] = {
    ast.If: _branch,
    ast.For: _loop,
    ast.AsyncFor: _loop,
    ast.While: _loop,
    ast.Try: _try,
    ast.With: _with,
    ast.AsyncWith: _with,
    ast.Return: _return,
    ast.Raise: _raise,
    ast.Break: _jump,
    ast.Continue: _jump,
    ast.Expr: _expression,
    ast.Assign: _assign,
    ast.AugAssign: _assign,
    ast.AnnAssign: _assign,
    ast.Delete: _assign,
    ast.FunctionDef: _define,
    ast.AsyncFunctionDef: _define,
    ast.ClassDef: _define,
    ast.Import: _define,
    ast.ImportFrom: _define,
    ast.Global: _define,
    ast.Nonlocal: _define,
}
for _name, _function in (("TryStar", _try), ("Match", _branch)):
    if hasattr(ast, _name):
        _HANDLERS[getattr(ast, _name)] = _function
