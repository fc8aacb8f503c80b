"""The self-check of rule files: ``python -m speclint.rules.check [FOLDER ...]``.

Form, names, messages and every example of every rule: what is bad is found at its place and fixed as told, what is good
and what cannot be known is silent. Exit status 1 if anything is wrong. ``--compile FILE`` writes all rules as one file
instead (see load.compiled).
"""

from __future__ import annotations

import sys

from speclint import home
from speclint.rules import expr, load, replay, schema
from speclint.rules.found import NAME
from speclint.sglang import catalog, images, resolve

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from typing import Any

    from speclint.finding import Finding
    from speclint.rules.rule import Rule
    from speclint.sglang.options import Options
    from speclint.sglang.resolve import ModelLookup

    Analyse = Callable[[str, Mapping[str, Any], Rule], list[Finding]]

# What is left in a message where a place of it has no value.
_GAPS = ("?", "``", "None")
_SUFFIX = {"shell": ".sh", "python": ".py", "yaml": ".yaml"}


def faults(rule: Rule) -> list[str]:
    """Everything that is wrong with a rule, as sentences; empty for a good one."""
    whole = schema.rule_schema()
    found = list(schema.faults(rule.data, whole, whole))
    if found:
        return found
    try:
        found.extend(_names(rule))
        found.extend(_identity(rule))
    except (expr.ExpressionError, ValueError) as error:
        return [str(error)]
    return found or faults_of_behaviour(rule, rule.data)


def faults_of_behaviour(rule: Rule, data: Mapping[str, Any]) -> list[str]:
    """Where a rule does not do what the examples and the evidence of ``data`` say."""
    return [*_examples(rule, data["examples"]), *replay.faults(rule, data.get("evidence", ()))]


def _identity(rule: Rule) -> Iterator[str]:
    import os.path

    stem = os.path.splitext(os.path.basename(rule.path))[0]
    if stem != f"{rule.code}-{rule.name}":
        yield f"the file should be named {rule.code}-{rule.name}.yaml"
    if not {"when", "check", "find"} & rule.data.keys():
        yield "`when`, `check` or `find` is missing"
    for case in rule.data.get("cases", ({},)):
        for key in ("message", "blame"):
            if key not in rule.data and key not in case and (key != "blame" or rule.find is None):
                yield f"`{key}` is missing"
    evidence = rule.data.get("evidence", ())
    if not evidence and rule.code.startswith(home.OURS):
        yield "`evidence` is missing"
    elif evidence and rule.level == "error" and all(item["kind"] == "overridden" for item in evidence):
        yield "an error needs evidence of a refusal or of wrong output"
    if "unknown" not in rule.data["examples"] and any("." not in name for name in rule.reads):
        yield "an example of what cannot be known is missing"


def _names(rule: Rule) -> Iterator[str]:
    """Names that mean nothing: options that no release in the rule's range has, derivations that there are none of."""
    releases = [version for version in catalog.known() if rule.applies(version)]
    if not releases:
        yield f"no release lies in {rule.data['versions']}"
        return
    names = {*rule.reads}
    for case in rule.cases:
        names.update(name.removeprefix("flag.") for name in (*case.blame, *(case.related or ())))
        names.update(_template_names(case.message))
        for fix in case.fixes:
            texts = {**fix.set, **fix.add, **fix.rename, **fix.replace}
            names.update(expr.reads(fix.when.tree), texts, fix.remove, fix.split, _template_names(fix.message))
            for text in texts.values():
                names.update(_template_names(text))
    for name in sorted(names.difference((NAME,)) if rule.find is not None else names):
        if not _means_something(name, releases):
            yield f"`{name}` is no option of {releases[0]} to {releases[-1]} and nothing that speclint derives"


def _template_names(parts: Sequence[Any]) -> frozenset[str]:
    return frozenset(name for part in parts if not isinstance(part, str) for name in expr.reads(part.tree))


def _means_something(name: str, releases: Sequence[str]) -> bool:
    space, dot, rest = name.partition(".")
    if space == "resolved" and rest in resolve.derivations():
        return True
    if space == "model":
        from speclint.sglang.models import Model

        return rest in Model._fields
    if space == "launch":
        return rest in ("release", "entrypoint", "host", "fork")
    if space == "pod":
        from speclint.sglang import surroundings

        return rest in surroundings.NAMES
    if space in ("env", NAME):
        return True
    dest = rest if dot else name
    return any(catalog.release(version).by_dest(dest) is not None for version in releases)


def _examples(rule: Rule, kinds: Mapping[str, Any]) -> Iterator[str]:
    for kind, examples in kinds.items():
        for number, example in enumerate(examples, 1):
            where = f"examples.{kind} {number} ({example['host']})"
            try:
                found = [f for f in analyse(example["text"], example, rule) if f.code == rule.code]
            except Exception as error:  # whatever goes wrong here is a fault of the example or of speclint, to be told
                yield f"{where}: {type(error).__name__}: {error}"
                continue
            if kind != "bad":
                yield from (f"{where}: {finding.message}" for finding in found)
            elif len(found) != 1:
                yield f"{where}: {len(found)} findings, not one"
            else:
                yield from (f"{where}: {fault}" for fault in faults_of_finding(rule, example, found[0], analyse))


def faults_of_finding(rule: Rule, example: Mapping[str, Any], finding: Finding, analyse: Analyse) -> Iterator[str]:
    """Where the finding of a bad example is not as the example says; ``analyse`` is asked of the fixed text."""
    place = list(finding.span.file.location(finding.span.start))
    fix = _offered(finding)
    expected = (
        ("at", place, example["at"]),
        ("flag", finding.flag, example.get("flag", finding.flag)),
        ("level", finding.level, example.get("level", rule.level)),
        ("fix", fix, example.get("fix", fix)),
    )
    for what, got, wanted in expected:
        if got != wanted:
            yield f"{what} is {got}, not {wanted}"
    if any(gap in finding.message for gap in _GAPS):
        yield f"the message has a gap: {finding.message}"
    if finding.message.endswith("."):
        yield f"the message ends with a full stop: {finding.message}"
    if " ".join(example.get("says", "").split()) not in " ".join(finding.message.split()):
        yield f"the message is {finding.message!r}"
    if "fixed" in example:
        yield from _fixed(rule, example, finding, analyse)


def _offered(finding: Finding) -> str | list[str]:
    """How sure the fixes of a finding are, as an example says it."""
    grades = [fix.applicability for fix in (finding.fix, *finding.others) if fix is not None]
    return grades if len(grades) > 1 else grades[0] if grades else "none"


def _fixed(rule: Rule, example: Mapping[str, Any], finding: Finding, analyse: Analyse) -> Iterator[str]:
    if finding.fix is None:
        yield "there is no fix"
        return
    text = finding.span.file.text
    for edit in reversed(finding.fix.edits):
        text = text[: edit.span.start] + edit.content + text[edit.span.end :]
    if text != example["fixed"]:
        yield f"the fix gives {text!r}"
    elif any(f.code == rule.code for f in analyse(text, example, rule)):
        yield "the fixed text is found again"


def analyse(text: str, example: Mapping[str, Any], rule: Rule) -> list[Finding]:
    """The findings of one rule on an example's text. Raises ValueError where it holds no launch."""
    from speclint.rules import evaluate

    find = known_models(example)
    return [f for options in launched(text, example) for f in evaluate.check(options.launch, options, [rule], find)]


def known_models(example: Mapping[str, Any]) -> ModelLookup | None:
    """What is known of the models that an example names; None where it is what speclint itself knows."""
    told = example.get("models")
    if told is None:
        return None
    from speclint.sglang import models

    table = {name: known for name, known in told.items() if isinstance(known, str)}
    configs = {name: replay.finder(known)(name) for name, known in told.items() if not isinstance(known, str)}
    return lambda name: configs[name] if name in configs else models.lookup(name, table)


def launched(text: str, example: Mapping[str, Any]) -> list[Options]:
    """The options of each launch of an example's text. Raises ValueError where there is none."""
    from speclint import hosts
    from speclint.hosts.nested import commands
    from speclint.launch import launches
    from speclint.sglang.options import Options
    from speclint.source import SourceFile
    from speclint.worlds import default_text

    file = SourceFile(f"example{_SUFFIX.get(example['host'], '')}", text.encode())
    found: list[Options] = []
    for launch in launches(inner for outer in hosts.read(file, example["host"]) for inner in commands(outer)):
        image = launch.command.image
        stated = images.build((default_text(image) if image is not None else None) or "")
        version = stated.version if stated else example.get("sglang", catalog.newest())
        found.append(Options.read(launch, catalog.release(version, launch.entrypoint)))
    if not found:
        raise ValueError("no launch in it")
    return found


def main(arguments: Sequence[str]) -> int:
    """Checks speclint's own rules, or those of the folders given; 2 where a folder cannot be read."""
    if arguments[:1] == ["--compile"]:
        load.write_compiled(load.rules(), arguments[1])
        return 0
    status = 0
    try:
        rules = [rule for folder in arguments for rule in load.read_folder(folder)] if arguments else load.rules()
    except load.RuleError as error:
        print(error, file=sys.stderr)
        return 1
    except OSError as error:
        print(f"{error.filename}: {error.strerror}", file=sys.stderr)
        return 2
    for rule in rules:
        for fault in faults(rule):
            print(f"{rule.path}: {fault}")
            status = 1
    if not status:
        print(f"{len(rules)} rule{'' if len(rules) == 1 else 's'} checked")
    return status


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
