"""String literals: the value that Python gives them, and where each character was written."""

from __future__ import annotations

import ast
import sysconfig
import warnings
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from speclint.hosts import python
from speclint.hosts.python import literal
from speclint.hosts.python.source import Source
from speclint.source import SourceError, SourceFile
from speclint.text import Mapped

PIECES = st.sampled_from(
    [
        *(
            "a",
            " ",
            "\n",
            "\r\n",
            "é",
            "漢",
            "'",
            '"',
            "{",
            "}",
            "#",
            "%",
            "\\\\",
            "\\'",
            '\\"',
            "\\n",
            "\\\n",
            "\\\r\n",
        ),
        *(
            "\\t",
            "\\0",
            "\\12",
            "\\377",
            "\\x41",
            "\\u00e9",
            "\\U0001F600",
            "\\N{BULLET}",
            "\\d",
            "\\{",
            "\\8",
            "--tp 2",
        ),
    ]
)
PREFIXES = st.sampled_from(["", "r", "R", "u", "U", "b", "B", "rb", "Rb", "bR"])
QUOTES = st.sampled_from(["'", '"', "'''", '"""'])
GAPS = st.sampled_from([" ", "", "\n", "  # 'no'\n", "\\\n", "\r\n"])


def read(text: str, start: int = 0, end: int | None = None) -> list[literal.Part]:
    file = SourceFile("x.py", text.encode())
    return literal.read(Mapped.of(file), start, len(text) if end is None else end)


def value(text: str) -> str:
    (part,) = read(text)
    assert isinstance(part, Mapped)
    return part.text


def expected(text: str) -> str | None:
    """What Python makes of it; None if it is no literal."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            result = ast.literal_eval(f"({text}\n)")
    except (SyntaxError, ValueError):
        return None
    if isinstance(result, bytes):
        return result.decode("latin-1")
    return result if isinstance(result, str) else None


@st.composite
def literals(draw: st.DrawFn) -> str:
    quote = draw(QUOTES)
    return draw(PREFIXES) + quote + "".join(draw(st.lists(PIECES, max_size=8))) + quote


@settings(max_examples=600, deadline=None)
@given(st.lists(literals(), min_size=1, max_size=3), GAPS)
def test_a_literal_has_the_value_that_python_gives_it(parts: list[str], gap: str) -> None:
    text = gap.join(parts)
    wanted = expected(text)
    if wanted is not None:
        assert value(text) == wanted


@settings(max_examples=300, deadline=None)
@given(literals())
def test_exact_characters_stand_where_they_are_said_to(text: str) -> None:
    if expected(text) is None:
        return
    (part,) = read(text)
    assert isinstance(part, Mapped)
    at = 0
    for piece in part.pieces:
        assert piece.span is not None
        if piece.exact:
            assert piece.span.text == part.text[at : at + piece.length]
        at += piece.length


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        (r"'a\x41\101é\N{LATIN SMALL LETTER A}\u0041'", "aAAéaA"),
        ("'a\\\n  b'", "a  b"),
        ("'''a\r\nb\rc'''", "a\nb\nc"),
        (r"r'\n\''", "\\n\\'"),
        (r"b'\xff\u0041'", "\xff\\u0041"),
        ("'--tp '  # eight\n  '8'", "--tp 8"),
    ],
)
def test_escapes_and_newlines(text: str, wanted: str) -> None:
    assert value(text) == wanted == expected(text)


def test_an_escape_is_not_exact_and_its_neighbours_are() -> None:
    (part,) = read(r"'ab\ncd'")
    assert isinstance(part, Mapped)
    assert part.exact(0, 2) is not None
    assert part.exact(0, 3) is None
    span = part.span(2, 3)
    assert span is not None
    assert span.text == r"\n"


def fields(text: str) -> list[str]:
    return [
        f"<{text[p.start : p.end]}|{p.conversion or ''}|{'' if p.spec is None else len(p.spec)}>"
        if isinstance(p, literal.Field)
        else p.text
        for p in read(text)
    ]


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("f'--tp {tp}'", ["--tp ", "<tp||>"]),
        ("f'{{x}} {a!r:>{w}} '", ["{x} ", "<a|r|2>", " "]),
        ("f'{a != b}{c:{d}}'", ["<a != b||>", "<c||1>"]),
        ("rf'\\d{x}\\n'", ["\\d", "<x||>", "\\n"]),
        ("f'{x = }'", ["<x |r|>"]),
        ("f'{x=:>5}'", ["<x||1>"]),
        ("f\"{d['k']}\" 'tail'", ["<d['k']||>", "tail"]),
        ("f'''{\na\n}'''", ["<\na\n||>"]),
        ("f'{(lambda: 1)()}'", ["<(lambda: 1)()||>"]),
        ("f'\\N{BULLET}{x}'", ["•", "<x||>"]),
        ('f\'{f"{d["}"]}"}\'', ['<f"{d["}"]}"||>']),
        ("f'{'a' 'b'}'", ["<'a' 'b'||>"]),
    ],
)
def test_the_fields_of_f_strings(text: str, wanted: list[str]) -> None:
    assert fields(text) == wanted


@pytest.mark.parametrize("text", ["t'{x}'", "f'{x'", "f'}'", "'a", "f'{x!z}'", "x", "f'{a:{b}'"])
def test_what_is_not_understood_is_said_so(text: str) -> None:
    with pytest.raises(literal.LiteralError):
        read(text)


def python_files(limit: int) -> list[Path]:
    found = sorted(Path(sysconfig.get_paths()["purelib"]).rglob("*.py"))
    step = max(len(found) // limit, 1)
    return found[::step]


def test_every_literal_of_installed_packages() -> None:
    seen = 0
    for path in python_files(60):
        file = SourceFile(str(path), path.read_bytes())
        try:
            tree = python.parse(file.text)
        except SourceError:
            continue
        if not file.text:
            continue
        source = Source(Mapped.of(file))
        inside = {c for n in ast.walk(tree) if isinstance(n, ast.JoinedStr) for c in ast.walk(n) if c is not n}
        for node in ast.walk(tree):
            if node in inside:
                continue
            if isinstance(node, ast.Constant) and isinstance(node.value, (str, bytes)):
                seen += 1
                (part,) = literal.read(source.text, *source.bounds(node))
                assert isinstance(part, Mapped)
                wanted = node.value if isinstance(node.value, str) else node.value.decode("latin-1")
                assert part.text == wanted, (path, node.lineno)
            elif isinstance(node, ast.JoinedStr):
                assert source.formatted(node) is not None, (path, node.lineno)
    assert seen > 500
