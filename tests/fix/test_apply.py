"""Rounds of fixes, with a language and rules that are small enough to be seen whole.

Every line ``sglang serve …`` is a launch; ``$X`` stands for the value in the line ``X=…``.
"""

from __future__ import annotations

import random
import re
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from speclint.finding import Edit, Finding, Fix
from speclint.fix.apply import fix_file
from speclint.fix.verify import apply
from speclint.launch import Launch
from speclint.source import SourceError, SourceFile
from speclint.text import Mapped, Span
from speclint.value import Known, Unknown
from speclint.words import Command, Word

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from speclint.fix.apply import Result

Rule = Any


def word(file: SourceFile, start: int, end: int, defined: dict[str, Mapped]) -> Word:
    text = file.text[start:end]
    span = Span(file, start, end)
    if text.startswith("$"):
        known = defined.get(text[1:])
        return Word(Known(known) if known is not None else Unknown("it is not set"), span)
    return Word(Known(Mapped.of(file, start, end)), span)


def launches(file: SourceFile) -> Iterator[Launch]:
    defined = {
        m[1]: Mapped.of(file, m.start(2), m.end(2)) for m in re.finditer(r"^(\w+)=(\S+)$", file.text, re.MULTILINE)
    }
    for line in re.finditer(r"^sglang serve(.*)$", file.text, re.MULTILINE):
        words = [
            word(file, line.start(1) + m.start(), line.start(1) + m.end(), defined)
            for m in re.finditer(r"[^\s#]+", line[1])
        ]
        head = Span(file, line.start(), line.start() + 12)
        command = Command(words, Span(file, line.start(), line.end()), "shell")
        yield Launch(command, "sglang serve", words, head)


def analyser(*rules: Rule, shuffle: int | None = None) -> Callable[[str], Any]:
    def analyse(text: str) -> Any:
        if "BROKEN" in text:
            raise SourceError("it is broken")
        file = SourceFile("a.sh", text.encode())
        found = list(launches(file))
        findings = [f for launch in found for rule in rules for f in rule(launch)]
        if shuffle is not None:
            random.Random(shuffle).shuffle(findings)
        return SimpleNamespace(file=file, host="shell", launches=found, findings=findings, unasked=[], problems=[])

    return analyse


def finding(
    code: str, launch: Launch, span: Span, edits: list[Edit], level: str = "error", how: str = "safe"
) -> Finding:
    return Finding(code, code.lower(), level, f"{code} on {span.text}", span, launch=launch, fix=Fix(how, code, edits))


def must_be(
    flag: str, value: str, code: str = "SGL900", level: str = "error", how: str = "safe", to: str | None = None
) -> Rule:
    """``flag`` must have ``value``; where it has not, the fix writes ``to``."""

    def rule(launch: Launch) -> Iterator[Finding]:
        for name, word in zip(launch.words, launch.words[1:], strict=False):
            if name.text == flag and word.text not in (None, value):
                span = word.value.text.exact()
                yield finding(code, launch, word.span, [Edit(span, to or value)], level, how)

    return rule


def must_not_be(flag: str, code: str = "SGL901", where: Callable[[Launch], bool] = lambda launch: True) -> Rule:
    """``flag``, a switch, must go."""

    def rule(launch: Launch) -> Iterator[Finding]:
        for word in launch.words:
            if word.text == flag and where(launch):
                span = Span(word.span.file, word.span.start - 1, word.span.end)
                yield finding(code, launch, word.span, [Edit(span, "")])

    return rule


def fixed(text: str, *rules: Rule, allow: str = "safe") -> Result:
    return fix_file(SourceFile("a.sh", text.encode()), analyser(*rules), allow)


TOPK = must_be("--topk", "1")


def test_a_fix_is_made_and_told() -> None:
    result = fixed("sglang serve --topk 4\n", TOPK)
    assert result.text == "sglang serve --topk 1\n"
    assert [f.code for f in result.applied] == ["SGL900"]
    assert (result.remaining.findings, result.dropped, result.error) == ([], [], None)


def test_nothing_to_do_changes_nothing() -> None:
    text = "sglang serve --topk 1\r\n\r\n# end"
    result = fixed(text, TOPK)
    assert (result.text, result.applied) == (text, [])


@pytest.mark.parametrize(
    ("how", "allow", "made"),
    [
        ("safe", "safe", True),
        ("safe", "unsafe", True),
        ("unsafe", "safe", False),
        ("unsafe", "unsafe", True),
        ("display", "unsafe", False),
    ],
)
def test_only_what_is_allowed(how: str, allow: str, made: bool) -> None:
    result = fixed("sglang serve --topk 4\n", must_be("--topk", "1", how=how), allow=allow)
    assert bool(result.applied) is made
    assert result.text.endswith("1\n" if made else "4\n")


def test_many_values_share_a_round() -> None:
    calls: list[str] = []
    inner = analyser(TOPK, must_be("--tp", "2", "SGL902"))

    def analyse(text: str) -> Any:
        calls.append(text)
        return inner(text)

    text = "sglang serve --topk 4 --tp 8\nsglang serve --topk 4\n"
    result = fix_file(SourceFile("a.sh", text.encode()), analyse, "safe")
    assert result.text == "sglang serve --topk 1 --tp 2\nsglang serve --topk 1\n"
    assert len(calls) == 2


def test_what_was_found_before_is_not_looked_for_again() -> None:
    calls: list[str] = []
    inner = analyser(TOPK)
    file = SourceFile("a.sh", b"sglang serve --topk 1\n")
    first = inner(file.text)
    fix_file(file, lambda text: calls.append(text) or inner(text), "safe", first=first)
    assert calls == []


# -- edits that meddle


def test_overlapping_fixes_wait_for_each_other() -> None:
    result = fixed("sglang serve --a --b --c\n", must_not_be("--a"), must_not_be("--b"), must_not_be("--c"))
    assert result.text == "sglang serve\n"
    assert len(result.applied) == 3


def test_more_removals_than_spare_rounds() -> None:
    flags = [f"--x{i}" for i in range(30)]
    result = fixed(f"sglang serve {' '.join(flags)}\n", *(must_not_be(flag) for flag in flags))
    assert (result.text, result.error) == ("sglang serve\n", None)


def test_two_removals_that_are_right_one_at_a_time_only() -> None:
    """Each of two options goes only as long as the other is there: one must stay."""

    def both(launch: Launch) -> bool:
        return {"--a", "--b"} <= {w.text for w in launch.words}

    result = fixed(
        "sglang serve --a --k 1 --b\n", must_not_be("--a", "SGL901", both), must_not_be("--b", "SGL902", both)
    )
    assert result.text == "sglang serve --k 1 --b\n"


def removal(code: str, flag: str, ground: str) -> Rule:
    """Takes ``flag`` out, since ``ground`` is there, which is named."""

    def rule(launch: Launch) -> Iterator[Finding]:
        by_text = {item.span.text: item.span for item in launch.words if item.span is not None}
        if flag in by_text and ground in by_text:
            span = by_text[flag]
            edit = Edit(Span(span.file, span.start - 1, span.end), "")
            fix = Fix("safe", code, [edit])
            yield Finding(code, code, "error", code, span, launch=launch, fix=fix, related=[("it", by_text[ground])])

    return rule


@pytest.mark.parametrize(
    ("rules", "rounds"),
    [
        ([removal("SGL900", "--a", "--d"), removal("SGL900", "--b", "--d"), removal("SGL900", "--c", "--d")], 1),
        ([removal("SGL900", "--b", "--a"), removal("SGL900", "--c", "--b"), removal("SGL900", "--a", "--c")], 2),
        ([removal("SGL900", "--a", "--d"), removal("SGL901", "--b", "--d"), removal("SGL902", "--c", "--d")], 3),
        ([removal("SGL900", "--a", "--d"), must_not_be("--b", "SGL900"), must_not_be("--c", "SGL900")], 3),
    ],
    ids=["one ground", "a circle", "of several rules", "no ground"],
)
def test_removals_share_a_round_where_none_takes_the_ground_of_another(rules: list[Rule], rounds: int) -> None:
    looks = []
    analyse = analyser(*rules)
    text = "sglang serve --a 1 --b 1 --c 1 --d 1\n"
    result = fix_file(SourceFile("a.sh", text.encode()), lambda t: (looks.append(t), analyse(t))[1], "safe")
    assert len(looks) == 1 + rounds
    assert result.error is None
    assert not result.dropped


def test_of_two_that_are_each_others_ground_one_stays() -> None:
    result = fixed("sglang serve --a --b --c\n", removal("SGL900", "--a", "--b"), removal("SGL900", "--b", "--a"))
    assert result.text == "sglang serve --b --c\n"


def test_equal_edits_of_two_rules_are_made_once() -> None:
    result = fixed("sglang serve --topk 4\n", TOPK, must_be("--topk", "1", "SGL902"))
    assert result.text == "sglang serve --topk 1\n"
    assert sorted(f.code for f in result.applied) == ["SGL900", "SGL902"]


def test_all_edits_of_a_fix_or_none() -> None:
    def rule(launch: Launch) -> Iterator[Finding]:
        topk, tp = launch.words[1], launch.words[3]
        if topk.text == "4":
            yield finding("SGL903", launch, topk.span, [Edit(topk.span, "1"), Edit(tp.span, "BROKEN")])

    result = fixed("sglang serve --topk 4 --tp 8\n", rule)
    assert result.text == "sglang serve --topk 4 --tp 8\n"
    assert [(f.code, reason) for f, reason in result.dropped] == [
        ("SGL903", "the file would no longer be read: it is broken")
    ]


# -- promises


def test_a_fix_that_breaks_a_promise_does_not_hold_back_others() -> None:
    result = fixed(
        "sglang serve --topk 4 --tp 8 --dp 3\n",
        TOPK,
        must_be("--tp", "2", "SGL902", to="BROKEN"),
        must_be("--dp", "1", "SGL904"),
    )
    assert result.text == "sglang serve --topk 1 --tp 8 --dp 1\n"
    assert [f.code for f, _ in result.dropped] == ["SGL902"]


def test_one_bad_fix_among_many_is_found_without_trying_each() -> None:
    calls: list[str] = []
    inner = analyser(TOPK, must_be("--bad", "1", "SGL902", to="BROKEN"))

    def analyse(text: str) -> Any:
        calls.append(text)
        return inner(text)

    good = "sglang serve --topk 4\n" * 60
    text = f"{good}sglang serve --bad 2\n{good}"
    result = fix_file(SourceFile("a.sh", text.encode()), analyse, "safe")
    assert result.text == text.replace("topk 4", "topk 1")
    assert len(result.applied) == 120
    assert len(calls) < 25


def test_finding_must_be_gone() -> None:
    result = fixed("sglang serve --topk 4\n", must_be("--topk", "1", to="3"))
    assert result.text == "sglang serve --topk 4\n"
    assert [reason for _, reason in result.dropped] == ["SGL900 would still be found"]


@pytest.mark.parametrize(("level", "made"), [("error", False), ("warning", True), ("info", True)])
def test_nothing_new_of_its_level(level: str, made: bool) -> None:
    def rule(launch: Launch) -> Iterator[Finding]:
        if launch.words[1].text == "1":
            yield Finding("SGL905", "x", level, "1 is bad too", launch.words[1].span, launch=launch)

    result = fixed("sglang serve --topk 4\n", TOPK, rule)
    assert bool(result.applied) is made
    if not made:
        assert result.dropped[0][1] == "SGL905 would be found"


def test_level_of_another_finding_must_not_rise() -> None:
    def rule(launch: Launch) -> Iterator[Finding]:
        yield Finding(
            "SGL905", "x", "error" if launch.words[1].text == "1" else "info", "x", launch.head, launch=launch
        )

    assert fixed("sglang serve --topk 4\n", TOPK, rule).applied == []


def test_suppression_that_is_no_longer_needed_is_no_obstacle() -> None:
    def rule(launch: Launch) -> Iterator[Finding]:
        if launch.words[1].text == "1":
            yield Finding("SGL002", "unused-suppression", "error", "x", launch.head)

    assert fixed("sglang serve --topk 4\n", TOPK, rule).text == "sglang serve --topk 1\n"


def test_other_launch_must_not_change() -> None:
    text = "X=4\nsglang serve --topk $X\nsglang serve --k $X\n"
    result = fixed(text, TOPK)
    assert result.text == text
    assert [reason for _, reason in result.dropped] == ["another launch would change"]


def test_shared_definition_changes_where_every_launch_is_to_change() -> None:
    result = fixed("X=4\nsglang serve --topk $X\nsglang serve --topk $X --tp 2\n", TOPK)
    assert result.text == "X=1\nsglang serve --topk $X\nsglang serve --topk $X --tp 2\n"
    assert len(result.applied) == 2


def test_other_words_of_the_launch_must_not_change() -> None:
    text = "X=4\nsglang serve --topk $X --steps $X\n"

    def rule(launch: Launch) -> Iterator[Finding]:
        yield from must_be("--topk", "1")(launch)

    # The edit of X touches both words, and both are the finding's own launch: that is seen as one change.
    assert fixed(text, rule).text == "X=1\nsglang serve --topk $X --steps $X\n"

    def fuses(launch: Launch) -> Iterator[Finding]:
        topk = launch.words[1]
        if topk.text == "4":
            span = Span(topk.span.file, topk.span.start, topk.span.end + 1)
            yield finding("SGL906", launch, topk.span, [Edit(span, "1")])

    result = fixed("sglang serve --topk 4 --steps 3\n", fuses)
    assert result.text == "sglang serve --topk 4 --steps 3\n"
    assert result.dropped[0][1] == "other words of the launch would change"


def test_edit_of_one_launch_must_not_hide_behind_a_fix_of_another() -> None:
    """Both launches have a fix, but X is wrong in the first only."""
    text = "X=4\nsglang serve --topk $X\nsglang serve --k $X --tp 8\n"
    result = fixed(text, TOPK, must_be("--tp", "2", "SGL902"))
    assert result.text == "X=4\nsglang serve --topk $X\nsglang serve --k $X --tp 2\n"


def test_launches_must_not_vanish() -> None:
    def rule(launch: Launch) -> Iterator[Finding]:
        if launch.words[0].text == "--bad":
            yield finding("SGL907", launch, launch.head, [Edit(launch.head, "sglang")])

    result = fixed("sglang serve --bad\n", rule)
    assert result.dropped[0][1] == "launches would appear or vanish"


def test_duplicate_words_may_go() -> None:
    def rule(launch: Launch) -> Iterator[Finding]:
        seen = [w for w in launch.words if w.text == "--a"]
        if len(seen) > 1:
            span = seen[0].span
            yield finding("SGL908", launch, span, [Edit(Span(span.file, span.start - 1, span.end), "")])

    assert fixed("sglang serve --a --k --a\n", rule).text == "sglang serve --k --a\n"


def test_comment_must_stay() -> None:
    def swallow(launch: Launch) -> Iterator[Finding]:
        span = launch.words[1].span
        if span.text == "4":
            yield finding("SGL909", launch, span, [Edit(Span(span.file, span.start, span.end + 1), "1")])

    text = "sglang serve --topk 4 # why\n"
    result = fixed(text, swallow)
    assert result.text == text
    assert result.dropped[0][1] == "the script would no longer parse"


# -- ends


def test_a_fix_that_calls_for_its_undoing_is_not_made() -> None:
    result = fixed("sglang serve --m a --topk 4\n", must_be("--m", "b", "SGL910"), must_be("--m", "a", "SGL911"), TOPK)
    assert (result.text, result.error) == ("sglang serve --m a --topk 1\n", None)
    assert [reason for _, reason in result.dropped] == ["SGL911 would be found"]


def test_rules_that_undo_each_other_leave_the_file_alone() -> None:
    """Promises rule this out for rules that look at the text alone; these look at the clock, so to speak."""
    clock = iter(range(100))

    def rule(launch: Launch) -> Iterator[Finding]:
        now, value = next(clock), launch.words[1]
        if now % 2 == 0:
            to = "b" if value.text == "a" else "a"
            yield finding(f"SGL91{now % 4}", launch, value.span, [Edit(value.span, to)])

    text = "sglang serve --m a\n"
    clock_free = analyser()

    def analyse(source: str) -> Any:
        result = clock_free(source)
        asked = [*rule(result.launches[0])]
        # One look finds something, and its promise holds by what is looked at next.
        result.findings = asked or result.findings
        if not asked:
            result.findings = LateFindings(lambda: [*rule(result.launches[0])])
        return result

    result = fix_file(SourceFile("a.sh", text.encode()), analyse, "safe")
    assert (result.text, result.applied) == (text, [])
    assert result.error == "a.sh: the fixes of SGL910, SGL912 undo each other; nothing was changed"


class LateFindings(list[Finding]):
    """Findings that come up only after the first time somebody has asked for them."""

    def __init__(self, later: Callable[[], list[Finding]]) -> None:
        super().__init__()
        self.later = later
        self.asked = 0

    def __iter__(self) -> Iterator[Finding]:
        self.asked += 1
        return super().__iter__() if self.asked == 1 else iter(self.later())


def test_file_that_is_no_utf8_is_left_alone() -> None:
    file = SourceFile("a.sh", b"# \xff\nsglang serve --topk 4\n")
    analyse = analyser(TOPK)
    first = analyse("sglang serve --topk 4\n")
    result = fix_file(file, analyse, "unsafe", first=first)
    assert (result.text, result.applied) == (file.text, [])


def test_launch_in_a_template_is_left_alone() -> None:
    def rule(launch: Launch) -> Iterator[Finding]:
        launch.command.fixable = False
        yield from TOPK(launch)

    assert fixed("sglang serve --topk 4\n", rule).applied == []


def test_edits_in_another_file_are_not_made() -> None:
    other = SourceFile("env.sh", b"X=4\n")

    def rule(launch: Launch) -> Iterator[Finding]:
        yield finding("SGL912", launch, launch.head, [Edit(Span(other, 2, 3), "1")])

    assert fixed("sglang serve --topk $X\n", rule).applied == []


# -- properties

WORDS = st.sampled_from(
    ["--topk 4", "--topk 1", "--tp 8", "--a", "--b", "--m x", "--topk $X", "--tp $X", "--k é", "# c"]
)
LINE = st.lists(WORDS, max_size=6).map(lambda words: "sglang serve " + " ".join(words)) | st.sampled_from(
    ["echo x", "X=4", "X=1", "", "# --topk 4"]
)
FILES = st.tuples(st.lists(LINE, max_size=6), st.sampled_from(["\n", "\r\n"]), st.booleans()).map(
    lambda t: t[1].join(t[0]) + t[1] * t[2]
)
RULES = [
    TOPK,
    must_be("--tp", "2", "SGL902", "warning"),
    must_not_be("--a"),
    must_not_be("--b", "SGL902"),
    must_be("--m", "y", "SGL913", to="z"),
    must_be("--topk", "1", "SGL914", "info"),
]


@given(FILES)
@settings(max_examples=80, deadline=None)
def test_fixing_twice_is_fixing_once(text: str) -> None:
    once = fixed(text, *RULES)
    assert once.error is None
    again = fixed(once.text, *RULES)
    assert (again.text, again.applied) == (once.text, [])


@given(FILES, st.integers(0, 5))
@settings(max_examples=80, deadline=None)
def test_order_of_findings_does_not_matter(text: str, seed: int) -> None:
    file = SourceFile("a.sh", text.encode())
    straight = fix_file(file, analyser(*RULES), "safe")
    mixed = fix_file(file, analyser(*reversed(RULES), shuffle=seed), "safe")
    assert mixed.text == straight.text
    assert sorted(f.message for f in mixed.applied) == sorted(f.message for f in straight.applied)


@given(FILES)
@settings(max_examples=80, deadline=None)
def test_lines_without_a_launch_or_a_value_stay(text: str) -> None:
    result = fixed(text, *RULES)

    def others(whole: str) -> list[str]:
        return [x for x in re.split(r"(\r?\n)", whole) if not x.startswith(("sglang", "X="))]

    assert others(result.text) == others(text)


@given(
    st.text(max_size=30), st.lists(st.tuples(st.integers(0, 30), st.integers(0, 30), st.text(max_size=3)), max_size=5)
)
def test_edits_are_applied_as_if_one_by_one_from_the_end(text: str, wanted: list[tuple[int, int, str]]) -> None:
    edits: list[tuple[int, int, str]] = []
    for a, b, content in sorted((min(a, b, len(text)), min(max(a, b), len(text)), c) for a, b, c in wanted):
        if not edits or edits[-1][1] < a:
            edits.append((a, b, content))
    expected = text
    for start, end, content in reversed(edits):
        expected = expected[:start] + content + expected[end:]
    got, regions = apply(text, edits)
    assert got == expected
    for key, region in regions.items():
        assert got[region.new_start : region.new_end] == key[2]
        assert text[: region.start] == "" or len(got[: region.new_start]) >= 0


def test_overlapping_edits_are_an_error() -> None:
    with pytest.raises(ValueError, match="overlap"):
        apply("abc", [(0, 2, "x"), (1, 3, "y")])
