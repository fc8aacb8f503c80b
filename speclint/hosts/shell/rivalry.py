"""Functions that branches define: which of them a call means is known only when the script runs."""

from __future__ import annotations

from speclint.value import Choice

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from tree_sitter import Node

    from speclint.hosts.shell.run import Runner
    from speclint.hosts.shell.syntax import Syntax
    from speclint.text import Span

    Function = tuple[Syntax, Node]

_BRANCHES = frozenset(("if_statement", "case_statement", "list"))
_MAX_RIVALS = 8
# A script that asks for more is not followed any further than to the last of the definitions.
_MAX_FOLLOWED = 64


def define(runner: Runner, name: str, node: Node) -> None:
    """A function is defined again: in a branch it may also be what it was."""
    if runner.rivalries > _MAX_FOLLOWED:
        return
    old, body = runner.env.functions[name], node.child_by_field_name("body")
    if not _is_in_branch(node):
        runner.rivals.pop(name, None)
    elif body is not None and (old[0] is not runner.syntax or old[1].start_byte != body.start_byte):
        rivals = runner.rivals.setdefault(name, [])
        if len(rivals) < _MAX_RIVALS and not any(_is_same(old, rival) for rival in rivals):
            rivals.append(old)


def call(runner: Runner, name: str, functions: Sequence[Function], place: Span | None) -> None:
    """Follow a call as a branch with an arm for each of the functions."""
    runner.rivalries += len(functions)
    if runner.rivalries > _MAX_FOLLOWED:
        runner.follow(functions[-1], place)
        return
    labels = [f"`{name}` is what line {_row(function)} defines" for function in functions]
    runner.branch(Choice("branch", labels, place), [_arm(runner, function, place) for function in functions])


def _arm(runner: Runner, function: Function, place: Span | None) -> Callable[[], None]:
    def follow() -> None:
        runner.follow(function, place)
        runner.env.ended = False  # it returned

    return follow


def _is_same(one: Function, other: Function) -> bool:
    return one[0] is other[0] and one[1].start_byte == other[1].start_byte


def _is_in_branch(node: Node) -> bool:
    around = node.parent
    while around is not None and around.type not in _BRANCHES:
        around = around.parent
    return around is not None


def _row(function: Function) -> int | str:
    span = function[0].span(function[1])
    return span.file.location(span.start)[0] if span is not None else "another file"
