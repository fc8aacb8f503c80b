"""``match``: the arms that a value can go to are followed, and what they leave is joined again."""

from __future__ import annotations

from speclint.hosts.python import calls, data, expressions, statements, strings
from speclint.hosts.python.facts import python_value
from speclint.hosts.python.state import State
from speclint.hosts.python.values import Alt, known, unknown
from speclint.pyast import ast
from speclint.value import Choice

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from speclint.hosts.python.machine import Machine
    from speclint.hosts.python.statements import Outcome, Result
    from speclint.hosts.python.values import Obj


def match(m: Machine, node: ast.Match) -> Result:
    """Follow a ``match``."""
    obj = expressions.evaluate(m, node.subject)
    cases = node.cases
    text = m.source.snippet(node.subject)
    if isinstance(obj, Alt):
        found = [_taken(m, arm, cases) for arm in obj.arms]
        if all(sure for _, sure in found):
            return _decided(m, obj, cases, [left[-1] for left, _ in found])
    left, sure = _taken(m, obj, cases)
    arms = [_followed(m, cases, way, obj) for way in left]
    # A case that raises is one in which nothing is started: it is no way that anything can go.
    going = [index for index, (_, outcome) in enumerate(arms) if outcome.kind != statements.RAISE]
    if going and len(going) < len(arms):
        left, arms, sure = [left[index] for index in going], [arms[index] for index in going], True
    if len(arms) == 1 and sure:
        state, outcome = arms[0]
        m.state.adopt(state)
        m.state.taken = state.taken
        return outcome
    labels = [f"`{text}` is `{m.source.snippet(cases[way].pattern)}`" for way in left if way < len(cases)]
    if len(labels) < len(left):
        labels.append(f"`{text}` is something else")
    return statements.joined(m, Choice("branch", labels, m.source.span(node)), arms)


def _decided(m: Machine, obj: Alt, cases: Sequence[ast.match_case], ways: Sequence[int]) -> Result:
    """A ``match`` of one of several values, of each of which it is known where it goes."""
    arms: dict[int, tuple[State, Outcome]] = {}
    for way in dict.fromkeys(ways):
        taken = {obj.choice: frozenset(arm for arm, each in enumerate(ways) if each == way)}
        arms[way] = _followed(m, cases, way, obj, taken)
    return statements.joined(m, obj.choice, [arms[way] for way in ways])


def _taken(m: Machine, obj: Obj, cases: Sequence[ast.match_case]) -> tuple[list[int], bool]:
    """The cases that an object can go to, and whether there is but one. Behind the last one stands none of them."""
    left: list[int] = []
    for way, case in enumerate(cases):
        fits = _fits(m, obj, case.pattern)
        if fits is False:
            continue
        left.append(way)
        if fits and case.guard is None:
            return left, len(left) == 1
    return [*left, len(cases)], not left


def _followed(
    m: Machine, cases: Sequence[ast.match_case], way: int, obj: Obj, taken: dict[Choice, frozenset[int]] | None = None
) -> tuple[State, Outcome]:
    """Follow one of the cases, with what its pattern binds."""
    if way == len(cases):
        return statements.forked(m, (), taken)
    outer, m.state = m.state, State(m.state)
    pattern = cases[way].pattern
    for part in ast.walk(pattern):
        name = getattr(part, "name", None) or getattr(part, "rest", None)
        if name is not None:
            m.bind(name, obj if part is pattern else unknown("it is a part of what is matched"))
    found = statements.forked(m, cases[way].body, taken)
    m.state = outer
    return found


def _fits(m: Machine, obj: Obj, pattern: ast.pattern) -> bool | None:
    """Whether a pattern matches an object; None if it cannot be told."""
    if isinstance(pattern, ast.MatchAs):
        return True if pattern.pattern is None else _fits(m, obj, pattern.pattern)
    if isinstance(pattern, ast.MatchOr):
        found = [_fits(m, obj, each) for each in pattern.patterns]
        return True if True in found else None if None in found else False
    if isinstance(pattern, ast.MatchSingleton):
        value = str(pattern.value)
        return strings.compared(ast.Is(), obj, known(value, None, "none" if value == "None" else "bool"))
    if isinstance(pattern, ast.MatchValue):
        other = expressions.evaluate(m, pattern.value)
        return None if isinstance(obj, Alt) else strings.compared(ast.Eq(), obj, other)
    if isinstance(pattern, ast.MatchClass):
        return _is_of(m, obj, pattern)
    return False if python_value(obj)[0] else None  # no part of a text is matched as that of a list is


def _is_of(m: Machine, obj: Obj, pattern: ast.MatchClass) -> bool | None:
    cls = pattern.cls.id if isinstance(pattern.cls, ast.Name) else ""
    if cls not in calls.BUILTINS or m.find(cls) is not None:
        return None
    fits = data.is_a(obj, frozenset((cls,)))
    return None if fits and (pattern.patterns or pattern.kwd_patterns) else fits
