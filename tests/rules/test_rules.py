"""Every rule file: its form, its names, its examples in every host, and its own evidence."""

from __future__ import annotations

import json
import pathlib
import subprocess
import sys

import pytest

from speclint.rules import check, load
from speclint.rules.rule import Rule

RULES = load.rules()
FOUNDING = next(rule for rule in RULES if rule.code == "SGL201")


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.code)
def test_a_rule_is_sound(rule: Rule) -> None:
    assert check.faults(rule) == []


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.code)
def test_a_rule_is_the_same_after_it_was_compiled(rule: Rule) -> None:
    again = Rule(json.loads(json.dumps(load.compiled(rule))), rule.path)
    assert "why" not in again.data
    assert check.faults_of_behaviour(again, rule.data) == []


def test_compiled_rules_are_read_in_place_of_the_files(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = pathlib.Path(FOUNDING.path).parent
    for path in folder.glob("*.yaml"):
        (tmp_path / path.name).write_bytes(path.read_bytes())
    check.main(["--compile", str(tmp_path / load.COMPILED)])
    monkeypatch.setattr(load, "_own", None)
    monkeypatch.setattr(load, "_FOLDERS", (str(tmp_path / "nowhere"), str(tmp_path)))
    monkeypatch.setattr(load, "read_file", None)
    found = load.rules()
    assert [rule.code for rule in found] == [rule.code for rule in RULES]
    assert [rule.reads for rule in found] == [rule.reads for rule in RULES]
    assert found[0].data == RULES[0].data


def test_the_folder_holds_what_is_loaded() -> None:
    folder = pathlib.Path(__file__).parents[2] / "rules"
    assert sorted(path.stem for path in folder.glob("*.yaml")) == sorted(f"{r.code}-{r.name}" for r in RULES)


def test_the_self_check_fails_for_what_is_wrong(tmp_path: pathlib.Path, capsys: pytest.CaptureFixture[str]) -> None:
    good = pathlib.Path(FOUNDING.path).read_text(encoding="utf-8")
    name = pathlib.Path(FOUNDING.path).name
    spoiled = {
        "level: error": "level: fatal",
        "when: >-\n  resolved": "when: >-\n  no_such_option == 1 and resolved",
        "resolved.linear_backend == \"lightning\"": "resolved.linear_backend == \"lightnin\"",
        "at: [2, 28]": "at: [2, 29]",
        "--speculative-eagle-topk 1 --linear-attn-backend lightning\n    - host": "--speculative-eagle-topk 2 --linear-attn-backend lightning\n    - host",
        "refused: null": "refused: ValueError",
        "blame: resolved": "blame: resolved.x.y",
        "terms:": "term:",
        "as a chain: {": "as a chain: {1 +",
    }
    for text, other in spoiled.items():
        assert text in good, text
        (tmp_path / name).write_text(good.replace(text, other, 1), encoding="utf-8")
        assert check.main([str(tmp_path)]) == 1, text
        assert str(tmp_path / name) in "".join(capsys.readouterr()), text


@pytest.mark.parametrize(
    ("key", "good", "bad", "told"),
    [
        ("says", "top-k is 4", "top-k is 5", "the message is "),
        ("fix", "safe", "unsafe", "fix is safe, not unsafe"),
        ("fix", "safe", "none", "fix is safe, not none"),
        ("fix", "safe", ["safe", "unsafe"], "fix is safe, not ['safe', 'unsafe']"),
    ],
)
def test_an_example_says_what_is_told_and_how_sure_its_fix_is(key: str, good: object, bad: object, told: str) -> None:
    rule, first = FOUNDING, FOUNDING.data["examples"]["bad"][0]
    for value, expected in ((good, []), (bad, [True])):
        data = {**rule.data, "examples": {**rule.data["examples"], "bad": [{**first, key: value}]}}
        found = check.faults(Rule(data, rule.path))
        assert [told in fault for fault in found] == expected


def test_compiled_rules_are_asked_without_any_parser(tmp_path: pathlib.Path) -> None:
    check.main(["--compile", str(tmp_path / load.COMPILED)])
    script = (
        "import sys\n"
        "from speclint.rules import evaluate, load, replay\n"
        f"load._FOLDERS = ({str(tmp_path)!r},)\n"
        "options = replay.options_of('--model-path a/b --tp 8', '0.5.23')\n"
        "assert len(load.rules()) and not evaluate.check(options.launch, options, load.rules())\n"
        "print([name for name in ('ast', 'yaml', 'dataclasses', 'inspect') if name in sys.modules])\n"
    )
    root = str(pathlib.Path(load.__file__).parents[2])
    done = subprocess.run(
        [sys.executable, "-S", "-c", script], env={"PYTHONPATH": root}, capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "[]"


@pytest.mark.parametrize(
    "text",
    ["", "[]", "a: b: c", "code: SGL999", "code: 1\nname: x\nlevel: error\nsummary: x.", "\tcode", "code: !!python/object:os.system x"],
)
def test_a_file_that_is_no_rule_is_refused_in_one_sentence(tmp_path: pathlib.Path, text: str) -> None:
    (tmp_path / "SGL999-x.yaml").write_text(text, encoding="utf-8")
    with pytest.raises(load.RuleError, match=r"SGL999-x\.yaml"):
        load.read_folder(str(tmp_path))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("message: >-\n  top-k", "message: >-\n  {top-k"),
        ("message: >-\n  top-k is", "message: >-\n  {open('x')}"),
        ("when: >-", "when: >-\n  __import__('os') and"),
        ("level: error", "level: error\nversions: newest"),
        ("level: error", "level: error\ncases: []"),
        ("blame: resolved.speculative_eagle_topk", ""),
        ("blame: resolved.speculative_eagle_topk", "blame: []"),
        ("blame: resolved.speculative_eagle_topk", "blame: {a: b}"),
    ],
)
def test_a_rule_that_could_not_be_asked_is_refused_when_it_is_read(tmp_path: pathlib.Path, old: str, new: str) -> None:
    good = pathlib.Path(FOUNDING.path).read_text(encoding="utf-8")
    assert old in good
    (tmp_path / "SGL201-lightning-topk.yaml").write_text(good.replace(old, new, 1), encoding="utf-8")
    with pytest.raises(load.RuleError, match="SGL201-lightning-topk"):
        load.read_folder(str(tmp_path))


def test_two_rules_with_one_code_are_refused(tmp_path: pathlib.Path) -> None:
    good = pathlib.Path(FOUNDING.path).read_text(encoding="utf-8")
    for name in ("a.yaml", "b.yaml"):
        (tmp_path / name).write_text(good, encoding="utf-8")
    with pytest.raises(load.RuleError, match="SGL201"):
        load.read_folder(str(tmp_path))
