"""``if``: every arm is followed, and what they leave is joined again."""

from __future__ import annotations

from speclint.hosts.python import conditions, statements
from speclint.hosts.python.state import State
from speclint.pyast import ast
from speclint.value import NO_CONDITION, Choice

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from speclint.hosts.python.conditions import Branch, Tree
    from speclint.hosts.python.machine import Machine
    from speclint.hosts.python.statements import Outcome, Result
    from speclint.value import Needs

# An `if` of more conditions than this is one choice.
_MAX_CONDITIONS = 40


def _if(m: Machine, node: ast.If) -> Result:
    tests: list[ast.expr] = []
    verdicts: list[Tree | None] = []
    bodies: list[Sequence[ast.stmt]] = []
    current: Sequence[ast.stmt] = [node]
    while len(current) == 1 and isinstance(current[0], ast.If):
        head = current[0]
        verdict = conditions.test(m, head.test)
        if isinstance(verdict, conditions.Branch) and not tests and _length(head) <= _MAX_CONDITIONS:
            return _settled(m, head, verdict)
        if verdict is True:
            current = head.body
            break
        if verdict is not False:
            tests.append(head.test)
            verdicts.append(verdict)
            bodies.append(head.body)
        current = head.orelse
    if not tests:
        return _inline(m, current)
    if len(tests) == 1:
        choice = conditions.condition(m, tests[0])
        arms = [statements.forked(m, body, {choice: frozenset((way,))}) for way, body in enumerate((*bodies, current))]
        return statements.joined(m, choice, arms)
    trees = [
        conditions.Branch(conditions.condition(m, test), (True, False)) if verdict is None else verdict
        for test, verdict in zip(tests, verdicts, strict=True)
    ]
    arms = [statements.forked(m, body) for body in (*bodies, current)]
    labels = [*(f"`{m.source.snippet(t)}` holds" for t in tests), NO_CONDITION]
    # Where an arm raises, there is nothing after it to tell apart.
    left = [index for index, (_, outcome) in enumerate(arms) if outcome.kind != statements.RAISE]
    if not left:
        return statements.Outcome(statements.RAISE)
    choice = Choice("branch", labels, m.source.span(node), lambda: _chained(trees)).some(left)
    return statements.joined(m, choice, [arms[index] for index in left])


def _chained(trees: Sequence[Tree]) -> Sequence[Needs]:
    """What must be so in each arm of an ``if`` of several conditions, and in that of none of them."""
    from speclint.hosts.python import needs

    return needs.chain([(conditions.ways(tree, True), conditions.ways(tree, False)) for tree in trees])


def _length(node: ast.If) -> int:
    """How many conditions an ``if`` has."""
    count = 1
    while len(node.orelse) == 1 and isinstance(node.orelse[0], ast.If):
        node = node.orelse[0]
        count += 1
    return count


def _inline(m: Machine, body: Sequence[ast.stmt]) -> Outcome:
    return statements.block(m, body) if body else statements.ON


def _settled(m: Machine, node: ast.If, tree: Branch) -> Result:
    """An ``if`` that choices decide which were there before."""
    taken = conditions.ways(tree, True), conditions.ways(tree, False)
    holds, fails = statements.forked(m, node.body, taken[0]), statements.forked(m, node.orelse, taken[1])
    if all(isinstance(arm, bool) for arm in tree.arms):
        return statements.joined(m, tree.choice, [holds if arm else fails for arm in tree.arms])
    if holds[1].kind == fails[1].kind == statements.NEXT:
        return statements.joined(
            m, tree.choice, [(_state(m, arm, holds[0], fails[0]), statements.ON) for arm in tree.arms]
        )
    result = statements.joined(m, conditions.condition(m, node.test), [holds, fails])
    if result is statements.ON:
        for choice, arms in taken[holds[1].kind == statements.RAISE].items():
            m.state.assume(choice, arms)
    return result


def _state(m: Machine, tree: Tree, holds: State, fails: State) -> State:
    """The state after an ``if``, in one way of its condition."""
    if isinstance(tree, bool):
        return holds if tree else fails
    state = State(m.state)
    state.join(tree.choice, [_state(m, arm, holds, fails) for arm in tree.arms])
    return state


def _match(m: Machine, node: ast.Match) -> Result:
    from speclint.hosts.python import matching

    return matching.match(m, node)


HANDLERS: dict[str, Callable[..., Result]] = {"If": _if, "Match": _match}
