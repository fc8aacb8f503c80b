"""A text edit may change the words it was made for, and nothing else that the parser of the language sees."""

from __future__ import annotations

import pytest

from speclint.fix.regions import Region
from speclint.fix.structure import broken
from speclint.fix.verify import apply
from speclint.source import SourceFile

PYTHON = """\
# é first
import sglang


def f(x="é", *, y=4):
    # about it
    return g(["--tp", "8", *x], f"--dp {y} é", k=4)  # end
"""
YAML = """\
# é first
a: &x "é 8"   # why
b:
  - --tp
  - '8'   # eight
  - |
    run --tp 8 # not a comment of YAML
c: [--dp, 2]
d: *x
"""
SHELL = """\
# é first
A=(--tp 8) # why
run "é" ${A[@]} --dp 2 # end
cat <<EOF
# text
EOF
"""
LANGUAGES = {"python": PYTHON, "yaml": YAML, "shell": SHELL}


def check(language: str, old: str, new: str, first: bool = True, text: str | None = None) -> str | None:
    """What is said of the replacement of one place of ``old`` in the language's text."""
    source = LANGUAGES[language] if text is None else text
    at = source.index(old) if first else source.rindex(old)
    after, regions = apply(source, [(at, at + len(old), new)])
    files = [SourceFile("x", t.encode()) for t in (source, after)]
    return broken(language, files[0], files[1], list(regions.values()))


@pytest.mark.parametrize(
    ("language", "old", "new"),
    [
        ("python", "8", "4"),
        ("python", '"8"', '"a\\n"'),
        ("python", "y=4", "y=5"),
        ("python", "k=4", "j=4"),
        ("python", "k=4", 'k="x"'),
        ("python", ', "8"', ""),
        ("python", '"8"', '"8", "--x"'),
        ("python", "--dp", "--d"),
        ("python", ", k=4", ""),
        ("python", "k=4", "k=4, z=1"),
        ("yaml", "8'", "4'"),
        ("yaml", "  - '8'   # eight\n", "  # eight\n"),
        ("yaml", "--tp\n", "--tp-size\n"),
        ("yaml", "run --tp 8", "run --tp 4"),
        ("yaml", "--dp, 2", "--dp, 4"),
        ("yaml", ", 2", ""),
        ("yaml", "2]", "2, --x]"),
        ("yaml", "--dp, 2]", "--dp, 2, --dp, 2, --dp, 2]"),
        ("yaml", '"é 8"', "é"),
        ("shell", "8", "4"),
        ("shell", " --dp 2", ""),
        ("shell", "--dp 2", "--dp 2 --x"),
        ("shell", " # why", ""),
    ],
)
def test_edits_of_words_pass(language: str, old: str, new: str) -> None:
    assert check(language, old, new) is None


@pytest.mark.parametrize(
    ("language", "old", "new", "reason"),
    [
        ("python", '"8"', '"8', "the file would no longer be Python"),
        ("python", "def f", "def g", "more than the edited values would change"),
        ("python", "import sglang", "import sglang, os", "more than the edited values would change"),
        ("python", "return ", "", "more than the edited values would change"),
        ("python", '"8", ', '"8", #', "the file would no longer be Python"),
        ("python", "k=4)  # end", "k=4)  ", None),
        ("python", "k=4)  ", "k=4)  # x ", "a comment would change"),
        ("yaml", "8'", "8", "the file would no longer be YAML"),
        ("yaml", "  - --tp\n", "  - --tp: 8\n", "more than the edited scalars would change"),
        ("yaml", "&x ", "", "more than the edited scalars would change"),
        ("yaml", "&x ", "!!str ", "more than the edited scalars would change"),
        ("yaml", "b:", "b2:", None),
        ("yaml", "--tp\n", "--tp # x\n", None),
        ("yaml", "c: [--dp, 2]", "c: # [--dp, 2]", "more than the edited scalars would change"),
        ("shell", '"é"', '"é', "the script would no longer parse"),
        ("shell", "${A[@]}", "${A[@]} # ", "a comment would change"),
        ("shell", "--dp 2 # end", "--dp 2# end", "the script would no longer parse"),
        ("shell", "(--tp", "( # --tp", "the script would no longer parse"),
    ],
)
def test_edits_of_more_do_not(language: str, old: str, new: str, reason: str | None) -> None:
    assert check(language, old, new) == reason


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_place_that_no_edit_touches_must_not_change(language: str) -> None:
    """The regions are what was said to change; the texts tell what did."""
    source = LANGUAGES[language]
    at = source.index("8")
    after, regions = apply(source, [(at, at + 1, "4")])
    files = [SourceFile("x", t.encode()) for t in (source, after.replace("é", "e"))]
    assert broken(language, files[0], files[1], list(regions.values())) is not None


def test_comments_are_kept_where_an_edit_is_beside_them() -> None:
    assert check("yaml", "'8'   # eight", "'4'   # eight") is None
    assert check("python", "k=4)  # end", "k=5)  # end") is None


def test_template_that_never_parsed_is_not_held_against_an_edit() -> None:
    assert check("yaml", "8", "4", text="a: {{ .x }}: 8\n") is None
    assert check("python", "8", "4", text="print 8\n") is None
    assert check("shell", "8", "4", text="if x; run --tp 8\n") is None


def test_depth_is_no_crash() -> None:
    deep = "x = " + "-" * 3000 + "8\n"
    assert check("python", "8", "4", text=deep) in (None, "the file is nested too deeply to be compared")


def test_text_of_another_language_passes() -> None:
    files = [SourceFile("x", t) for t in (b"a", b"b")]
    assert broken("json", files[0], files[1], []) is None


def test_document_keeps_what_looks_like_a_comment() -> None:
    text = "# Title\n\n```bash\nsglang serve --tp 8 # why\n```\n"
    at = text.index(" # why")
    file = SourceFile("a.md", text.encode())
    regions = [Region(at, at + 6, at, at)]
    shorter = SourceFile("a.md", (text[:at] + text[at + 6 :]).encode())
    assert broken("document", file, shorter, regions) is None  # it is what the edit takes out
    assert broken("document", file, SourceFile("a.md", shorter.raw.replace(b"# Title", b"Title")), regions) is not None
    assert broken("document", file, SourceFile("a.md", text.replace("8", "'8 9'").encode()), []) is None


def test_what_is_taken_out_of_yaml_may_equal_what_stays() -> None:
    source = "a: [x" + ", --tp, '2'" * 6 + "]\n"
    places = [at for at in range(len(source)) if source.startswith(", --tp", at)]
    after, regions = apply(source, [(at, at + len(", --tp, '2'"), "") for at in places[1::2]])
    files = [SourceFile("x", t.encode()) for t in (source, after)]
    assert broken("yaml", files[0], files[1], list(regions.values())) is None
    less = SourceFile("x", after.replace(", --tp, '2'", "", 1).encode())
    assert broken("yaml", files[0], less, list(regions.values())) is not None
