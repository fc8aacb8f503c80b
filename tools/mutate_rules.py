"""Changes each condition of each rule and asks whether an example notices.

    python tools/mutate_rules.py [--flips] [--every N] [--only CODE,…] [--text] [--at-most N] [FOLDER]

A rule's expressions (``when``, ``if``, ``unsafe``, and the ``terms`` that these and templates of fixes use) are changed
one place at a time: a comparison turned round or moved by one, ``and`` for ``or``, an operand left out, a negation
dropped, a number one higher, ``since`` for ``before``, the arms of a conditional swapped. Each such mutant must make an
example or a recorded run of the rule fail; those that do not are printed as ``CODE place: what`` and make the exit
status 1, if there are more than ``--at-most``; those that no launch can tell from the rule stand in EQUIVALENT. What
only words a message is left alone. ``--flips`` leaves out the operands and the numbers, ``--text`` also changes words
that are compared with; ``--every`` takes one mutant of N.
"""

from __future__ import annotations

import argparse
import ast
import copy
import os
import re
import sys
from typing import TYPE_CHECKING, Any, NamedTuple

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

from speclint.rules import check, evaluate, load, replay
from speclint.rules.expr import ExpressionError
from speclint.rules.rule import Rule

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from speclint.finding import Finding
    from speclint.sglang.options import Options

_NEGATED: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Eq: ast.NotEq, ast.NotEq: ast.Eq, ast.Lt: ast.GtE, ast.GtE: ast.Lt, ast.Gt: ast.LtE, ast.LtE: ast.Gt,
    ast.In: ast.NotIn, ast.NotIn: ast.In, ast.Is: ast.IsNot, ast.IsNot: ast.Is,
}  # fmt: skip
_MOVED: dict[type[ast.cmpop], type[ast.cmpop]] = {ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt}
# What no launch can tell from the rule as it is, and why.
EQUIVALENT = {
    "SGL312 when: `page_size >= 0` for `page_size > 0`": "a remainder by 0 is unknown",
    "SGL401 when: `resolved.attn_dp_size >= 1` for `resolved.attn_dp_size > 1`": "a remainder by 1 is 0",
    "SGL402 when: `nnodes >= 1` for `nnodes > 1`": "a remainder by 1 is 0",
    "SGL413 terms.short: `expert_distribution_recorder_buffer_size >= 0` for "
    "`expert_distribution_recorder_buffer_size > 0`": "no number of iterations is below 0",
    "SGL424 when: `ranks >= 0` for `ranks > 0`": "a remainder by 0 is unknown",
    "SGL431 when: `tp_size // resolved.ep_size >= 1` for `tp_size // resolved.ep_size > 1`": "one part is whole",
}
_OTHER_CALL = {"since": "before", "before": "since"}


class Mutant(NamedTuple):
    """A rule file with one thing changed."""

    data: Mapping[str, Any]
    place: str
    told: str


# -- what can be changed


def mutants(data: Mapping[str, Any], text: bool) -> Iterator[Mutant]:
    """Every mutant of a rule file."""
    for path in _places(data):
        source = _at(data, path)
        if not isinstance(source, str):
            continue
        for changed, told in _changed(source, text):
            other = copy.copy(dict(data))
            yield Mutant(_with(other, path, changed), ".".join(map(str, path)), told)


def _places(data: Mapping[str, Any]) -> Iterator[tuple[str | int, ...]]:
    """Where the expressions of a rule file stand, those aside that only messages use."""
    conditions = list(_conditions(data))
    yield from conditions
    used = " ".join(str(_at(data, path)) for path in (*conditions, *_templates(data)))
    named: Mapping[str, str] = data.get("terms", {})
    for name in reversed(list(named)):
        if _uses(used, name):
            used += f" {named[name]}"
            yield ("terms", name)


def _owners(data: Mapping[str, Any]) -> list[tuple[tuple[str | int, ...], Mapping[str, Any]]]:
    """The rule itself and its cases."""
    return [((), data), *((("cases", i), case) for i, case in enumerate(data.get("cases", ())))]


def _conditions(data: Mapping[str, Any]) -> Iterator[tuple[str | int, ...]]:
    for path, owner in _owners(data):
        yield from ((*path, key) for key in ("when", "if") if key in owner)
        for number, fix in enumerate(owner.get("fix", ())):
            yield from ((*path, "fix", number, key) for key in ("if", "unsafe") if key in fix)


def _templates(data: Mapping[str, Any]) -> Iterator[tuple[str | int, ...]]:
    for path, owner in _owners(data):
        for number, fix in enumerate(owner.get("fix", ())):
            yield from ((*path, "fix", number, key) for key in ("set", "add", "rename", "replace") if key in fix)


def _uses(text: str, name: str) -> bool:
    return re.search(rf"(?<![\w.]){re.escape(name)}(?!\w)", text) is not None


def _at(data: Any, path: tuple[str | int, ...]) -> Any:
    for key in path:
        data = data[key]
    return data


def _with(data: Any, path: tuple[str | int, ...], value: object) -> Any:
    """A copy of the data in which something else stands at a place."""
    if not path:
        return value
    other = copy.copy(data)
    other[path[0]] = _with(data[path[0]], path[1:], value)
    return other


def _is_flip(told: str) -> bool:
    """Whether a mutant turns a comparison or a condition round, by what is told of it."""
    return " without " not in told and re.match(r"`-?[\dTF][\w.]*` for", told) is None


def _changed(source: str, text: bool) -> Iterator[tuple[str, str]]:
    """An expression with one thing changed, and what that is."""
    tree = ast.parse(source.strip(), mode="eval")
    for node in ast.walk(tree):
        for new, told in _ways(node, text):
            changed = _Put(node, new).visit(copy.deepcopy(tree, {id(node): node}))
            yield ast.unparse(ast.fix_missing_locations(changed)), told


class _Put(ast.NodeTransformer):
    def __init__(self, old: ast.AST, new: ast.AST) -> None:
        self.old = old
        self.new = new

    def visit(self, node: ast.AST) -> Any:
        return self.new if node is self.old else self.generic_visit(node)


def _ways(node: ast.AST, text: bool) -> Iterator[tuple[ast.expr, str]]:
    """What a node is changed into, and how that is told."""
    shown = ast.unparse(node) if isinstance(node, ast.expr) else ""
    if isinstance(node, ast.Compare) and len(node.ops) == 1:
        for sign in (table.get(type(node.ops[0])) for table in (_NEGATED, _MOVED)):
            if sign is not None:
                turned = ast.Compare(node.left, [sign()], node.comparators)
                yield turned, f"`{ast.unparse(turned)}` for `{shown}`"
    elif isinstance(node, ast.BoolOp):
        was, word = ("and", "or") if isinstance(node.op, ast.And) else ("or", "and")
        yield ast.BoolOp(ast.Or() if word == "or" else ast.And(), node.values), f"`{word}` for `{was}` in `{shown}`"
        for left in node.values:
            rest = [value for value in node.values if value is not left]
            new = rest[0] if len(rest) == 1 else ast.BoolOp(node.op, rest)
            yield new, f"`{was}` without `{ast.unparse(left)}`"
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        yield node.operand, f"no `not` before `{ast.unparse(node.operand)}`"
    elif isinstance(node, ast.IfExp):
        yield ast.IfExp(node.test, node.orelse, node.body), f"the arms of `{shown}` swapped"
    elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in _OTHER_CALL:
        yield ast.Call(ast.Name(_OTHER_CALL[node.func.id]), node.args, []), f"the other side of `{shown}`"
    elif isinstance(node, ast.Constant):
        yield from ((new, f"`{ast.unparse(new)}` for `{shown}`") for new in _other_constants(node.value, text))


def _other_constants(value: object, text: bool) -> Iterator[ast.expr]:
    if isinstance(value, bool):
        yield ast.Constant(not value)
    elif isinstance(value, (int, float)):
        yield ast.Constant(value + 1)
    elif isinstance(value, str) and text:
        yield ast.Constant(value + "zz")


# -- whether an example notices


class Examples:
    """The examples and recorded runs of one rule, read once."""

    def __init__(self, rule: Rule) -> None:
        self.rule = rule
        self.read: dict[tuple[str, str, str], list[Options]] = {}
        self.runs = [
            (
                replay.options_of(run["argv"], run["sglang"], run.get("env"), run.get("platform")),
                replay.finder(run.get("config"), run.get("drafts")),
                run,
            )
            for item in rule.data["evidence"]
            for run in item.get("runs", ())
        ]

    def notice(self, rule: Rule) -> bool:
        """Whether any example or run is not as it should be with a changed rule."""
        try:
            return any(self._broken(rule)) or any(self._other(rule, *run) for run in self.runs)
        except (ExpressionError, ValueError, TypeError, KeyError):
            return True

    def _broken(self, rule: Rule) -> Iterator[bool]:
        for kind, examples in self.rule.data["examples"].items():
            for example in examples:
                found = self._findings(example["text"], example, rule)
                if kind != "bad" or len(found) != 1:
                    yield len(found) != int(kind == "bad")
                else:
                    yield any(check.faults_of_finding(rule, example, found[0], self._findings))

    def _findings(self, text: str, example: Mapping[str, Any], rule: Rule) -> list[Finding]:
        return [
            finding
            for options in self._options(text, example)
            for finding in evaluate.check(options.launch, options, [rule], check.known_models(example))
            if finding.code == rule.code
        ]

    def _options(self, text: str, example: Mapping[str, Any]) -> list[Options]:
        key = (text, example["host"], example.get("sglang", ""))
        if key not in self.read:
            self.read[key] = check.launched(text, example)
        return self.read[key]

    @staticmethod
    def _other(rule: Rule, options: Options, model: Callable[[str], Any], run: Mapping[str, Any]) -> bool:
        found = bool(evaluate.check(options.launch, options, [rule], model))
        refused = run["refused"] is not None or replay._overridden(options, run.get("resolved", {}))
        return found is not run.get("told", refused)


def survivors(rules: list[Rule], every: int = 1, text: bool = False, flips: bool = False) -> tuple[int, list[str]]:
    """How many mutants were tried, and those that no example noticed, equivalent ones aside."""
    tried, found, number = 0, [], 0
    for rule in rules:
        examples: Examples | None = None
        for mutant in mutants(rule.data, text):
            if flips and not _is_flip(mutant.told):
                continue
            number += 1
            if number % every:
                continue
            if examples is None:
                examples = Examples(rule)
                if examples.notice(rule):
                    found.append(f"{rule.code}: its examples fail as it is")
            tried += 1
            told, noticed = f"{rule.code} {mutant.place}: {mutant.told}", examples.notice(Rule(mutant.data, rule.path))
            if noticed and told in EQUIVALENT:
                found.append(f"{told}: an example notices it, so it is not equivalent")
            elif not noticed and told not in EQUIVALENT:
                found.append(told)
    return tried, found


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", nargs="?", help="of rules; speclint's own if it is left out")
    parser.add_argument("--every", type=int, default=1)
    parser.add_argument("--only", default="")
    parser.add_argument("--text", action="store_true")
    parser.add_argument("--flips", action="store_true")
    parser.add_argument("--at-most", type=int, default=0)
    arguments = parser.parse_args()
    only = tuple(arguments.only.split(","))
    rules = load.read_folder(arguments.folder) if arguments.folder else load.rules()
    asked = [rule for rule in rules if rule.code.startswith(only)]
    tried, found = survivors(asked, arguments.every, arguments.text, arguments.flips)
    print("\n".join(found))
    print(f"{tried} mutants, {len(found)} of which no example noticed", file=sys.stderr)
    return int(len(found) > arguments.at_most)


if __name__ == "__main__":
    sys.exit(main())
