"""What a person sees: lines, marks, fixes, colours; and that a file cannot steer the terminal."""

from __future__ import annotations

from typing import Any

import pytest

from speclint.analysis import Analysis, Outcome
from speclint.finding import Edit, Finding, Fix
from speclint.report import github, json, statistics
from speclint.report.style import Style, clean, wants_colour, width
from speclint.report.text import concise, full, summary
from speclint.source import SourceFile
from speclint.text import Span

PLAIN = Style(False)


def span(file: SourceFile, part: str, nth: int = 0) -> Span:
    start = -1
    for _ in range(nth + 1):
        start = file.text.index(part, start + 1)
    return Span(file, start, start + len(part))


def finding(blamed: Span, **more: Any) -> Finding:
    return Finding("SGL201", "lightning-topk", more.pop("level", "error"), "it is wrong", blamed, **more)


def outcome(*findings: Finding) -> Outcome:
    result = Outcome()
    analysis = Analysis(findings[0].span.file if findings else SourceFile("a.sh", b""), "shell")
    analysis.findings = list(findings)
    result.analyses.append(analysis)
    return result


def shown(item: Finding) -> list[str]:
    return full(item, PLAIN).split("\n")


def test_whole_form() -> None:
    file = SourceFile("dir/a.sh", b"TOPK=4\n\n\nrun --topk $TOPK --more\n")
    value = span(file, "4")
    item = finding(
        span(file, "$TOPK"),
        related=[("value set here", value)],
        fix=Fix("safe", "set it to 1", [Edit(value, "1")]),
    )
    assert shown(item) == [
        "dir/a.sh:4:12: SGL201 [error] it is wrong",
        "  |",
        "1 | TOPK=4",
        "  |      - value set here",
        "...",
        "4 | run --topk $TOPK --more",
        "  |            ^^^^^",
        "  |",
        "fix: set it to 1",
        "  1 - TOPK=4",
        "  1 + TOPK=1",
    ]


def test_marks_stand_below_wide_characters_and_tabs() -> None:
    file = SourceFile("a.sh", "\t名前 é\u0301 --x 4\n".encode())
    lines = shown(finding(span(file, "4")))
    assert lines[2] == "1 |     名前 é\u0301 --x 4"
    assert lines[3].index("^") - 4 == 4 + 4 + 1 + 1 + 1 + 4


def test_two_marks_on_one_line() -> None:
    file = SourceFile("a.sh", b"a 1 b 2 c\n")
    lines = shown(finding(span(file, "1"), related=[("second", span(file, "2")), ("first", span(file, "a"))]))
    assert lines[2:] == ["1 | a 1 b 2 c", "  | - ^   - second", "  | first"]


def test_other_file() -> None:
    file, other = SourceFile("a.sh", b"run 4\n"), SourceFile("b.sh", b"\nX=4\n")
    lines = shown(finding(span(file, "4"), related=[("value set here", span(other, "4"))]))
    assert lines[4:] == [" --> b.sh:2:3", "  |", "2 | X=4", "  |   - value set here"]


def test_long_line_is_cut_around_the_mark() -> None:
    file = SourceFile("a.sh", b"x" * 5000 + b" 4 " + b"y" * 5000)
    lines = shown(finding(span(file, "4")))
    assert len(lines[2]) < 200
    assert lines[2][lines[3].index("^")] == "4"


@pytest.mark.parametrize("newline", ["", "\n", "\r\n"])
def test_change_of_a_long_line_is_shown_where_it_is(newline: str) -> None:
    file = SourceFile("a.sh", f"{'x' * 5000} --topk 4 {'y' * 5000}{newline}".encode())
    value = span(file, "4")
    lines = shown(finding(value, fix=Fix("safe", "set it to 1", [Edit(value, "1")])))
    before, after = lines[-2:]
    assert before.startswith("  1 - …xxx")
    assert " --topk 4 yyy" in before
    assert after == before.replace("- …", "+ …").replace("topk 4", "topk 1")
    assert len(before) < 250


def test_empty_span_and_end_of_file() -> None:
    file = SourceFile("a.sh", b"run")
    assert shown(finding(Span(file, 3, 3)))[2:4] == ["1 | run", "  |    ^"]


def test_span_over_several_rows_is_marked_to_the_end_of_the_first() -> None:
    file = SourceFile("a.sh", b"run \\\n  --x\n")
    assert shown(finding(Span(file, 0, 11)))[2:4] == ["1 | run \\", "  | ^^^^^"]


@pytest.mark.parametrize("letter", ["\x1b", "\x07", "\r", "\x00", "\x9b", "\u202e", "\udc80"])
def test_file_does_not_steer_the_terminal(letter: str) -> None:
    assert clean(f"a{letter}b") == "a\ufffdb"
    assert clean("é\t名") == "é\t名"


def test_width() -> None:
    assert [width(text) for text in ("ab", "\t", "名", "e\u0301", "")] == [2, 4, 2, 1, 0]


@pytest.mark.parametrize(
    ("env", "terminal", "expected"),
    [
        ({}, True, True),
        ({}, False, False),
        ({"NO_COLOR": "1"}, True, False),
        ({"NO_COLOR": ""}, True, True),
        ({"FORCE_COLOR": "1"}, False, True),
        ({"FORCE_COLOR": "0"}, False, False),
        ({"NO_COLOR": "1", "FORCE_COLOR": "1"}, True, False),
        ({"TERM": "dumb"}, True, False),
    ],
)
def test_colour(monkeypatch: pytest.MonkeyPatch, env: dict[str, str], terminal: bool, expected: bool) -> None:
    for name in ("NO_COLOR", "FORCE_COLOR", "TERM"):
        monkeypatch.delenv(name, raising=False)
    for name, value in env.items():
        monkeypatch.setenv(name, value)

    class Stream:
        def isatty(self) -> bool:
            return terminal

    assert wants_colour(Stream()) is expected  # type: ignore[arg-type]


def test_colours_change_nothing_else() -> None:
    import re

    file = SourceFile("a.sh", b"TOPK=4\nrun $TOPK\n")
    value = span(file, "4")
    item = finding(span(file, "$TOPK"), related=[("here", value)], fix=Fix("safe", "set", [Edit(value, "1")]))
    coloured = full(item, Style(True))
    assert "\x1b[1;31m" in coloured
    assert re.sub(r"\x1b\[[\d;]*m", "", coloured) == full(item, PLAIN)


def test_fix_that_deletes_a_line() -> None:
    file = SourceFile("a.sh", b"a\nb\nc\n")
    item = finding(span(file, "b"), fix=Fix("unsafe", "remove it", [Edit(Span(file, 2, 4), "")]))
    assert shown(item)[5:] == ["fix: remove it (unsafe: apply with --unsafe-fixes)", "  2 - b"]


def test_summary() -> None:
    file = SourceFile("a.sh", b"a 1 2 3\n")
    safe, unsafe = (Fix(kind, "set", [Edit(span(file, "1"), "9")]) for kind in ("safe", "unsafe"))
    items = [finding(span(file, "1"), fix=safe), finding(span(file, "2"), fix=unsafe, level="warning")]
    items.append(finding(span(file, "3"), level="info"))
    assert summary(outcome(*items), False, PLAIN) == (
        "Found 3 problems (1 error, 1 warning, 1 info) in 0 launches in 0 files.\n"
        "1 fixable with --fix (1 more with --unsafe-fixes).\n"
    )
    assert summary(outcome(*items), True, PLAIN).endswith("2 fixable with --fix --unsafe-fixes.\n")
    assert summary(outcome(items[1]), False, PLAIN).endswith("None fixable with --fix (1 with --fix --unsafe-fixes).\n")


def test_concise() -> None:
    file = SourceFile("a.sh", b"a 1 2\n")
    fix = Fix("safe", "set", [Edit(span(file, "1"), "9")])
    items = [finding(span(file, "1"), fix=fix), finding(span(file, "2"), level="info")]
    assert concise(outcome(*items), PLAIN) == (
        "a.sh:1:3: SGL201 [error] it is wrong [*]\na.sh:1:5: SGL201 [info] it is wrong\n"
    )


def test_statistics() -> None:
    import json as reader

    file = SourceFile("a.sh", b"a 1 2\n")
    fix = Fix("safe", "set", [Edit(span(file, "1"), "9")])
    result = outcome(finding(span(file, "1"), fix=fix), finding(span(file, "2")))
    assert statistics.text(result) == "2\tSGL201\t[-]\tlightning-topk\n"
    assert reader.loads(statistics.to_json(result))[0]["fixable_count"] == 1


def test_github_escapes_and_order() -> None:
    file = SourceFile("./a,b:c%.sh", "é\nrun 4\n".encode())
    item = Finding("SGL201", "n", "error", "50% of\nit, now: x", span(file, "4"))
    other = Finding("SGL202", "n", "info", "m", Span(file, 0, 5))
    lines = github.findings(outcome(other, item)).splitlines()
    assert lines == [
        "::error title=speclint (SGL201),file=a%2Cb%3Ac%25.sh,line=2,col=5,endLine=2,endColumn=6"
        "::a,b:c%25.sh:2:5: SGL201 50%25 of%0Ait, now: x",
        "::notice title=speclint (SGL202),file=a%2Cb%3Ac%25.sh,line=1,endLine=2::a,b:c%25.sh:1:1: SGL202 m",
    ]


def test_json_counts_code_points() -> None:
    import json as reader

    file = SourceFile("é.sh", "😀 4\r\n".encode())
    (item,) = reader.loads(json.findings(outcome(finding(span(file, "4")))))
    assert (item["location"], item["end_location"]) == ({"row": 1, "column": 3}, {"row": 1, "column": 4})
    assert item["filename"] == "é.sh"
    assert item["fix"] is None
