"""Rule files: finding them, reading them, and one file that holds them all with nothing left to be parsed.

A rule file is plain data (see rule.schema.json). ``compiled`` gives of that what the engine needs, with trees in place
of expressions and messages, as JSON can hold it: a build ships all rules as one file, so that neither YAML nor
expressions are parsed at run time, and of most rules no more is loaded than for which launches they may speak. What is
for people to read stays in the YAML files beside it.
"""

from __future__ import annotations

import os.path
from itertools import pairwise

from speclint import process
from speclint.rules.rule import QUESTION, Rule, parts_of, tree

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import Any

    from speclint.rules.rule import Point, Record, Terms

_PACKAGE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
_FOLDERS = (os.path.join(_PACKAGE, "_rules"), os.path.join(os.path.dirname(_PACKAGE), "rules"))
COMPILED = "rules.bin"
_FOR_PEOPLE = ("why", "evidence", "examples", "terms")
_own: tuple[Rule, ...] | None = None


class RuleError(Exception):
    """A rule file that cannot be used; ``str()`` names the file and says why."""


def rules() -> tuple[Rule, ...]:
    """speclint's own rules, by code; read once."""
    global _own
    if _own is None:
        folder = next((folder for folder in _FOLDERS if os.path.isdir(folder)), None)
        _own = () if folder is None else _compiled_rules(folder) or read_all(folder)
    return _own


def read_folder(folder: str) -> tuple[Rule, ...]:
    """The rules of a folder, by code, each checked for its form.

    Raises RuleError for a file that is none and for two with one code, OSError where there is no such folder.
    """
    found = read_all(folder)
    for rule in found:
        fault = _fault(rule)
        if fault is not None:
            raise RuleError(f"{rule.path}: {fault}")
    return found


def read_all(folder: str) -> tuple[Rule, ...]:
    """The rules of a folder, by code, as they are. Raises as ``read_folder`` does."""
    names = sorted(name for name in os.listdir(folder) if name.endswith((".yaml", ".yml")))
    found = sorted((read_file(os.path.join(folder, name)) for name in names), key=lambda rule: rule.code)
    for one, other in pairwise(found):
        if one.code == other.code:
            raise RuleError(f"{other.path}: {other.code} is the code of {one.path} too")
    return tuple(found)


def _compiled_rules(folder: str) -> tuple[Rule, ...]:
    """The rules as a build has written them down, or as a checkout keeps them; nothing where there is no such file."""
    try:
        return read_compiled(os.path.join(folder, COMPILED), folder)
    except FileNotFoundError:
        pass
    # Only the command does so: what works on rules themselves is to see the files.
    if process.is_ours and folder == _FOLDERS[-1]:
        from speclint.rules import kept

        return kept.rules(folder)
    return ()


def read_compiled(path: str, folder: str) -> tuple[Rule, ...]:
    """The rules that ``write_compiled`` wrote down, made of the files of a folder. Raises OSError."""
    from marshal import loads

    with open(path, "rb") as file:
        records: tuple[Record, ...] = loads(file.read())
    folder = os.path.join(folder, "")
    return tuple([Rule.compiled(record, folder, _document) for record in records])


def write_compiled(rules: Iterable[Rule], path: str) -> None:
    """Write the file that is read in place of the rule files.

    It is no pickle: nothing but plain data comes out of it. The form 2 of marshal is one that every Python reads, and
    reading it takes a tenth of what JSON would.
    """
    from marshal import dumps

    from speclint.sglang import catalog

    known = catalog.known()
    records: list[Any] = []
    for rule in rules:
        points: list[Point] = []
        for number, release in enumerate(known):
            gate = rule.gate(release)
            if not points or points[-1][1] != gate:
                points.append((number, gate))
        data = compiled(rule)
        question = {key: data[key] for key in QUESTION if key in data}
        file = os.path.basename(rule.path)
        bodies = dumps(question, 2), dumps(data, 2)
        gates = points[-1], dumps(tuple(points[:-1]), 2)
        records.append((rule.code, rule.name, rule.level, rule.summary, file, *gates, *bodies))
    with open(path, "wb") as stream:
        stream.write(dumps(tuple(records), 2))


def read_file(path: str) -> Rule:
    """One rule file. Raises RuleError."""
    data = _document(path)
    missing = [key for key in ("code", "name", "level", "summary") if not isinstance(data.get(key), str)]
    if missing:
        raise RuleError(f"{path}: no rule: {', '.join(missing)} missing")
    return Rule(data, path)


def _document(path: str) -> Mapping[str, Any]:
    import yaml

    try:
        with open(path, encoding="utf-8") as file:
            data = yaml.load(file, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))
    except (OSError, ValueError, RecursionError, yaml.YAMLError) as error:
        raise RuleError(f"{path}: {error}") from None
    if not isinstance(data, dict):
        raise RuleError(f"{path}: no rule: not a mapping")
    return data


def _fault(rule: Rule) -> str | None:
    """The first thing for which a rule could not be asked."""
    from speclint.rules import expr, schema

    whole = schema.rule_schema()
    fault = next(schema.faults(rule.data, whole, whole), None)
    if fault is not None:
        return fault
    try:
        compiled(rule)
        rule.applies("0.5.0")
        if not rule.cases:
            return "there is no case"
        for name in (rule.check, rule.find):
            if name is not None and not _is_check(name):
                return f"speclint has no check `{name}`"
    except (expr.ExpressionError, ValueError) as error:
        return str(error)
    except KeyError as error:
        return f"{error} is missing"
    return None


def _is_check(name: str) -> bool:
    """Whether a name is a function that a module of speclint.rules.checks itself defines for rules."""
    from importlib import import_module

    module, _, function = name.rpartition(".")
    try:
        found = getattr(import_module(f"speclint.rules.checks.{module}"), function, None)
    except ImportError:
        return False
    return callable(found) and found.__module__ == f"speclint.rules.checks.{module}" and not function.startswith("_")


def compiled(rule: Rule) -> dict[str, Any]:
    """The rule with its expressions and messages parsed, as JSON can hold it. Raises ExpressionError."""
    terms = rule.terms
    data = _compiled_case({key: value for key, value in rule.data.items() if key not in _FOR_PEOPLE}, terms)
    if "when" in data:
        data["when"] = rule.when.tree
    if "cases" in data:
        data["cases"] = [_compiled_case(case, terms) for case in data["cases"]]
    return data


def _compiled_case(source: Mapping[str, Any], terms: Terms) -> dict[str, Any]:
    data = dict(source)
    for key in ("if", "unsafe"):
        if key in data:
            data[key] = tree(data[key], terms)
    if "message" in data:
        data["message"] = parts_of(data["message"], terms)
    for key in ("set", "add", "rename", "replace"):
        if key in data:
            data[key] = {dest: parts_of(text, terms) for dest, text in data[key].items()}
    if "fix" in data:
        data["fix"] = [_compiled_case(fix, terms) for fix in data["fix"]]
    return data
