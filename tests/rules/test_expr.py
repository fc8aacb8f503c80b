"""The language of rules: what it means, and that not knowing is never taken for knowing."""

from __future__ import annotations

import itertools
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from speclint.rules.expr import ExpressionError, evaluate, parse, reads
from speclint.sglang import versions
from speclint.value import Unknown

DOUBT = Unknown("it is hidden")


class Scope:
    """Names with values; a name that is not given is not known."""

    def __init__(self, release: str = "0.5.13", **names: object) -> None:
        self.release = release
        self.names = names

    def value(self, dest: str) -> object:
        return self.names.get(dest, DOUBT)

    def is_set(self, dest: str) -> object:
        return self.names.get(f"set_{dest}", DOUBT)

    def attribute(self, space: str, name: str) -> object:
        return self.names.get(f"{space}_{name}", DOUBT)

    def in_release(self, spec: str) -> bool:
        return versions.satisfies(self.release, spec)


def ask(text: str, **names: object) -> object:
    return evaluate(parse(text), Scope(**names))


@pytest.mark.parametrize(
    ("text", "names", "value"),
    [
        ("tp_size * pp_size == 16", {"tp_size": 8, "pp_size": 2}, True),
        ("tp_size % dp_size != 0", {"tp_size": 8, "dp_size": 3}, True),
        ("tp_size // 3 + -1", {"tp_size": 8}, 1),
        ("1 < x <= 4", {"x": 4}, True),
        ("1 < x <= 4", {"x": 5}, False),
        ("x in ('fa3', 'triton')", {"x": "fa3"}, True),
        ("'trtllm_mha' in (a, b)", {"a": "fa3", "b": "trtllm_mha"}, True),
        ("x is None", {"x": None}, True),
        ("x is not None", {"x": 0}, True),
        ("upper(x) == 'NGRAM'", {"x": "ngram"}, True),
        ("starts(x, 'fa')", {"x": None}, False),
        ("at(x, 'a', 1)", {"x": {"a": 2}}, 2),
        ("at(x, 'b', 1)", {"x": {"a": 2}}, 1),
        ("at(x, 'b')", {"x": None}, None),
        ("at(at(x, 'a'), 'b', 0) > 1", {"x": {"a": {"b": 2}}}, True),
        ("(kind(x), kind(at(x, 'a')), kind(at(x, 'b')))", {"x": {"a": [1]}}, ("object", "list", "null")),
        ("(kind('a'), kind(1), kind(0.5), kind(x))", {"x": True}, ("text", "number", "number", "boolean")),
        ("matches(x, '^fa[34]$')", {"x": "fa4"}, True),
        ("max(a, b)", {"a": 2, "b": 3}, 3),
        ("set(x) and not set(y)", {"set_x": True, "set_y": False}, True),
        ("'yes' if x else 'no'", {"x": 0}, "no"),
        ("since('0.5.13') and before('0.5.14')", {}, True),
        ("since('0.5.13')", {"release": "0.5.12.post1"}, False),
        ("resolved.x + 1", {"resolved_x": 3}, 4),
    ],
)
def test_it_computes_as_python_does(text: str, names: dict[str, object], value: object) -> None:
    assert ask(text, **names) == value


@pytest.mark.parametrize("text", ["x > 1", "x >= 0", "1 < x", "x < 1", "x > 1 and y"])
def test_an_order_with_nothing_is_false(text: str) -> None:
    assert ask(text, x=None) is False


@pytest.mark.parametrize(
    "text", ["x > 1", "x == 1", "x in (1, 2)", "not x", "x + 1", "len(x)", "min(x, 1)", "x and True", "x or False", "1 in (x, 2)"]
)
def test_the_unknown_spreads_with_its_reason(text: str) -> None:
    assert ask(text) is DOUBT


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("x and False", False),
        ("False and x", False),
        ("x or True", True),
        ("2 in (x, 2)", True),
        ("x in ()", False),
        ("1 if x else 1", 1),
        ("surely(x)", False),
        ("surely(x or True)", True),
    ],
)
def test_the_unknown_does_not_matter_where_the_answer_does_not_hang_on_it(text: str, value: object) -> None:
    assert ask(text) == value


@pytest.mark.parametrize("text", ["x < 'a'", "x // 0", "x % 0", "len(x)", "lower(x)", "int('a')"])
def test_what_cannot_be_computed_is_not_known(text: str) -> None:
    assert isinstance(ask(text, x=1), Unknown)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "x =",
        "x == ",
        "__import__('os')",
        "x.y",
        "resolved.x.y",
        "resolved[0]",
        "lambda: 1",
        "[y for y in x]",
        "f'{x}'",
        "b'1'",
        "x ** 9",
        "x is 3",
        "open('/etc/passwd')",
        "x(1)",
        "set(1)",
        "set(x, y)",
        "len(*x)",
        "len(x=1)",
        "since(x)",
        "since('0.5.13', '0.5.14')",
        "~x",
        "x; y",
        "(" * 300 + "x" + ")" * 300,
    ],
)
def test_what_the_language_does_not_have_is_refused_when_it_is_read(text: str) -> None:
    with pytest.raises(ExpressionError):
        parse(text)


def test_it_tells_what_it_reads() -> None:
    tree = parse("set(a) and resolved.b > 1 and lower(c) in (d, 'e') and since('0.5.9') and surely(model.f)")
    assert reads(tree) == {"a", "resolved.b", "c", "d", "model.f"}


def test_terms_stand_for_trees() -> None:
    assert evaluate(parse("top > 1", {"top": parse("x + 1")}), Scope(x=1)) is True


_ATOMS = st.sampled_from(["True", "False", "x", "y", "a > 1", "b in (1, 2)", "a == b"])
_EXPRESSIONS = st.recursive(
    _ATOMS,
    lambda inner: st.one_of(
        st.tuples(inner, inner).map(lambda pair: f"({pair[0]} and {pair[1]})"),
        st.tuples(inner, inner).map(lambda pair: f"({pair[0]} or {pair[1]})"),
        st.tuples(inner, inner, inner).map(lambda three: f"({three[0]} if {three[1]} else {three[2]})"),
        inner.map(lambda one: f"(not {one})"),
    ),
    max_leaves=8,
)
_VALUES: dict[str, tuple[object, ...]] = {"x": (True, False), "y": (True, False), "a": (0, 1, 2), "b": (0, 1, 2)}


@given(_EXPRESSIONS, st.sets(st.sampled_from(sorted(_VALUES))))
def test_an_answer_given_with_something_hidden_holds_whatever_is_hidden(text: str, hidden: set[str]) -> None:
    tree = parse(text)
    shown = {name: values[-1] for name, values in _VALUES.items() if name not in hidden}
    answer = evaluate(tree, Scope(**shown))
    if isinstance(answer, Unknown):
        return
    for values in itertools.product(*(_VALUES[name] for name in sorted(hidden))):
        assert evaluate(tree, Scope(**shown, **dict(zip(sorted(hidden), values, strict=True)))) == answer


@given(_EXPRESSIONS)
def test_a_tree_is_the_same_after_json(text: str) -> None:
    tree = parse(text)
    scope = Scope(x=True, y=False, a=1, b=2)
    stored = json.loads(json.dumps(tree))
    assert evaluate(stored, scope) == evaluate(tree, scope)
    assert reads(stored) == reads(tree)


@pytest.mark.parametrize(
    "pattern",
    [r"(a+)+$", r"(a*)*b", r"(a|a)*b", r"(?:a?){1,50}b", r"((ab)*c*)*d", r"(a{1,20}){1,20}b", r"(x+x+)+y", r"(a)\\1+"],
)
def test_a_pattern_that_may_take_forever_is_refused(pattern: str) -> None:
    with pytest.raises(ExpressionError, match="may take forever"):
        parse(f'matches(model_path, "{pattern}")', {})


@pytest.mark.parametrize("pattern", ["^[a-z]+://", r"^\\d{1,3}(\\.\\d{1,3}){3}$", "a|b", "(ab)+c?", "(foo|bar)?x*"])
def test_a_pattern_that_reads_its_text_in_one_way_is_taken(pattern: str) -> None:
    assert parse(f'matches(model_path, "{pattern}")', {})
