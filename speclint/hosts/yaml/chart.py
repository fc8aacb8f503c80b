"""The values of a Helm chart, for the templates of the same chart.

What `values.yaml` says holds unless whoever installs the chart gives another value, as a default does. Expressions that
put a value in as it is are followed; all others are not known.
"""

from __future__ import annotations

import os

from speclint.hosts.yaml.node import NULL
from speclint.hosts.yaml.template import GIVEN
from speclint.lean import pattern
from speclint.source import SourceError
from speclint.text import Mapped
from speclint.value import Choice, Definition, Known, OneOf, Step, Unknown, with_step

TYPE_CHECKING = False
if TYPE_CHECKING:
    from speclint.hosts.yaml.document import Document
    from speclint.hosts.yaml.node import Node
    from speclint.source import SourceFile
    from speclint.text import Span
    from speclint.value import Value

_TOKEN = pattern(r"\"(?P<double>[^\"\\]*)\"|`(?P<raw>[^`]*)`|(?P<bar>\|)|(?P<word>[^\s()|\"`]+)|(?P<other>\S)")
_NUMBER = pattern(r"-?\d+(?:\.\d+)?")
# Functions that leave a value what it is, once it stands in a list of words.
_SAME = frozenset(("quote", "squote", "int", "int64", "float64", "toString", "trim", "toJson"))
_LAYOUT = frozenset(("nindent", "indent"))
_WHOLE = frozenset(("int", "int64"))
_TAG = "tag:yaml.org,2002:"
# From here on Helm writes a number that is not made an integer with an exponent.
_EXPONENT = 1_000_000
_MAX_ITEMS = 200


class Chart:
    """The values of one chart; ``choice`` is whether they hold."""

    def __init__(self, document: Document, name: str, what: str = "the chart") -> None:
        self.document = document
        self.choice = Choice("default", (f"`{name}` holds", f"{what} is given other values"))

    def value(self, expression: str, scope: str | None, place: Span | None) -> Value | None:
        """What an expression puts in; None if it is not followed. ``scope``: the path of values that the dot is."""
        found = self._node(expression, scope)
        if found is None:
            return None
        node, path, literal, functions = found
        if node is None or _is_empty(node):
            return None if literal is None else self._either(Known(Mapped.new(literal)), path, None, place)
        text = _written(node, functions) if node.id == "scalar" and "toYaml" not in functions else None
        if text is None:
            return None
        mapped = self.document.text(node)
        span = self.document.span(node)
        known = mapped if mapped.text == text else Mapped.new(text, span)
        return self._either(Known(known), path, span, place)

    def items(self, expression: str, scope: str | None, place: Span | None) -> list[Value] | None:
        """The items of the list that an expression writes out, or goes through; None if they cannot be told."""
        found = self._node(expression, scope)
        if found is None or found[2] is not None:
            return None
        node, path = found[:2]
        if node is None or (node.id == "scalar" and node.tag == NULL) or (node.id == "mapping" and not node.value):
            return [] if node is not None else None
        if node.id != "sequence" or len(node.value) > _MAX_ITEMS:
            return None
        texts = [_written(item, ()) if item.id == "scalar" else None for item in node.value]
        return [
            self._step(Known(self.document.text(item)), path, self.document.span(item), place)
            if text is not None
            else Unknown("it is no plain value")
            for item, text in zip(node.value, texts, strict=True)
        ]

    def path(self, expression: str, scope: str | None) -> str | None:
        """The path of values that an expression is; None if it is another."""
        return _path(expression.strip(), scope)

    def _node(self, expression: str, scope: str | None) -> tuple[Node | None, str, str | None, tuple[str, ...]] | None:
        """The node that an expression names, its path, the default for it, and the functions it goes through."""
        segments: list[list[str]] = [[]]
        for token in _TOKEN.finditer(expression):
            if token["bar"]:
                segments.append([])
            elif token["other"]:
                return None
            else:
                quoted = token["double"] if token["double"] is not None else token["raw"]
                segments[-1].append(token["word"] or f'"{quoted}')
        first, *rest = segments
        # `default 1 .Values.x` is `.Values.x | default 1`.
        if len(first) > 1:
            rest, first = [first[:-1], *rest], first[-1:]
        path = _path(first[0], scope) if first else None
        default: str | None = None
        functions: list[str] = []
        for name, *given in (segment or [""] for segment in rest):
            if name == "default" and len(given) == 1 and default is None:
                default = _literal(given[0])
                if default is None:
                    return None
            elif not ((name in _SAME and not given) or (name == "toYaml" and not given) or name in _LAYOUT):
                return None
            functions.append(name)
        if path is None:
            return None
        return self.document.get(self.document.root, *path.split(".")), path, default, tuple(functions)

    def _either(self, known: Value, path: str, span: Span | None, place: Span | None) -> Value:
        return OneOf(self.choice, (self._step(known, path, span, place), Unknown(GIVEN, place=place)), place)

    def _step(self, value: Value, path: str, span: Span | None, place: Span | None) -> Value:
        if place is not None and isinstance(value, Known):
            value = Known(value.text.through(place))
        note = f"`{path}` is set here" if span is not None else f"the default of `{path}` stands here"
        return with_step(value, Step("default", note, span or place, Definition(path, span, 2, shared=True)))


def of(file: SourceFile) -> Chart | None:
    """The chart that a template belongs to; None where there is none, or its values cannot be read."""
    from speclint import beside

    folder = beside.above(file, "Chart.yaml")
    source = beside.read(file, os.path.join(folder, "values.yaml")) if folder is not None else None
    if source is None or source.path == os.path.normpath(file.path):
        return None
    from speclint.hosts.yaml import compose
    from speclint.hosts.yaml.document import Document
    from speclint.hosts.yaml.template import Rendered

    text = Mapped.of(source)
    try:
        roots = list(compose(text, 0, len(text)))
    except SourceError:
        return None
    if len(roots) != 1 or roots[0].id != "mapping":
        return None
    return Chart(Document(Rendered(text), 0, len(text), roots[0]), "values.yaml")


def _path(word: str, scope: str | None) -> str | None:
    """The path below the values; with ``scope`` also of what hangs on the dot."""
    for root in ("$.Values.", ".Values."):
        if word.startswith(root):
            path = word[len(root) :]
            return path if all(path.split(".")) else None
    if scope is None or not word.startswith("."):
        return None
    inner = word[1:]
    return f"{scope}.{inner}" if inner and all(inner.split(".")) else scope if word == "." else None


def _literal(word: str) -> str | None:
    if word.startswith('"'):
        return word[1:]
    return word if _NUMBER.fullmatch(word) or word in ("true", "false") else None


def _is_empty(node: Node) -> bool:
    """Whether a template takes its default instead of a value."""
    return node.id == "scalar" and (node.tag == NULL or node.value in ("", "0", "false", "False"))


def _written(node: Node, functions: tuple[str, ...]) -> str | None:
    """A scalar as a template writes it; None where that depends on how Helm writes numbers."""
    kind = node.tag.removeprefix(_TAG)
    if kind == "str":
        return str(node.value)
    if kind == "bool":
        return str(node.value).lower() if str(node.value).lower() in ("true", "false") else None
    if kind not in ("int", "float") or not _NUMBER.fullmatch(str(node.value)):
        return None
    number = float(node.value)
    plain = f"{number:g}" == node.value or (kind == "int" and abs(number) < _EXPONENT)
    return str(node.value) if plain or (kind == "int" and not _WHOLE.isdisjoint(functions)) else None
