"""The values of a Helm chart, for the templates of the same chart.

What `values.yaml` says holds unless whoever installs the chart gives another value, as a default does. Expressions that
put a value in as it is are followed; all others are not known.
"""

from __future__ import annotations

import os

from speclint.hosts.yaml.expression import Given, evaluate
from speclint.hosts.yaml.node import NULL
from speclint.hosts.yaml.template import GIVEN
from speclint.lean import pattern, re
from speclint.source import SourceError
from speclint.text import Mapped
from speclint.value import Choice, Definition, Known, OneOf, Step, Unknown, join

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from speclint.hosts.yaml.document import Document
    from speclint.hosts.yaml.node import Node
    from speclint.source import SourceFile
    from speclint.text import Span
    from speclint.value import Value

# Of what a part is handed under a name of its own, only the whole chart has values: `$root.Values.x`, `.root.Values.x`.
_VALUES = pattern(r"(?:\$\w*|\.[a-z]\w*)?\.Values\.")
# A part without conditions and loops, and what is done in it.
_PART = (
    r"\{{\{{-?\s{{0,50}}define\s{{1,50}}\"{name}\"\s{{0,50}}-?\}}\}}(?P<body>.*?)"
    r"\{{\{{-?\s{{0,50}}(?P<stop>end|if|with|range|else|block|template|define)\b"
)
_ACTION = pattern(
    r"(?:\s{0,200}\{\{-|\{\{)\s{0,50}(?:(?P<name>\$\w{1,100})\s{0,50}:=\s{0,50})?(?P<inside>[^{}]{1,500}?)\s{0,50}"
    r"(?:-\}\}\s{0,200}|\}\})"
)
_NUMBER = pattern(r"-?\d+(?:\.\d+)?")
# What is more than a word.
_FORBIDDEN = frozenset("{} \t\r\n")
_WHOLE = frozenset(("int", "int64"))
_TAG = "tag:yaml.org,2002:"
# From here on Helm writes a number that is not made an integer with an exponent.
_EXPONENT = 1_000_000
_MAX_ITEMS = 200
# What a chart says of itself, by the names that its templates have for it.
_OF_CHART = {".Chart.AppVersion": "appVersion", ".Chart.Version": "version", ".Chart.Name": "name"}


class Chart:
    """The values of one chart; ``choice`` is whether they hold."""

    def __init__(
        self,
        document: Document,
        name: str,
        what: str = "the chart",
        about: Callable[[], Document | None] | None = None,
        parts: Callable[[str], str | None] | None = None,
    ) -> None:
        """``about`` reads what the chart says of itself, ``parts`` the text of a part that its templates name."""
        self.document = document
        self.choice = Choice("default", (f"`{name}` holds", f"{what} is given other values"))
        self._about = about
        self._parts = parts
        self._named: dict[str, Given | None] = {}

    def value(self, expression: str, scope: str | None, place: Span | None) -> Value | None:
        """What an expression puts in; None if it is not followed. ``scope``: the path of values that the dot is."""
        found = evaluate(expression, lambda word, functions: self._look(word, functions, scope), self._part)
        if found is None or not found.parts:
            return None
        parts = [put(part, "" if part.steps else found.path, None, place) for part in found.parts]
        value = join(parts)
        return self._either(value, place) if found.hangs else value

    def items(self, expression: str, scope: str | None, place: Span | None) -> list[Value] | None:
        """The items of the list that an expression writes out, or goes through; None if they cannot be told."""
        found = evaluate(expression, lambda word, functions: self._look(word, functions, scope), self._part)
        node = found.node if found is not None else None
        if found is None or node is None:
            return None
        if (node.id == "scalar" and node.tag == NULL) or (node.id == "mapping" and not node.value):
            return []
        if node.id != "sequence" or len(node.value) > _MAX_ITEMS:
            return None
        texts = [_written(item, frozenset()) if item.id == "scalar" else None for item in node.value]
        return [
            put(Known(self.document.text(item)), found.path, self.document.span(item), place)
            if text is not None
            else Unknown("it is no plain value")
            for item, text in zip(node.value, texts, strict=True)
        ]

    def path(self, expression: str, scope: str | None) -> str | None:
        """The path of values that an expression is; None if it is another."""
        return _path(expression.strip(), scope)

    def _look(self, word: str, functions: frozenset[str], scope: str | None) -> Given | None:
        """What a path of the template stands for; None if it is not followed."""
        document, path = self.document, _path(word, scope)
        hangs = path is not None
        if path is None:
            path = _OF_CHART.get(word.removeprefix("$"))
            about = self._about() if path is not None and self._about is not None else None
            if path is None or about is None:
                return None
            document = about
        node = document.get(document.root, *path.split("."))
        if node is None or _is_empty(node):
            return Given((), True, hangs, path, node)
        text = _written(node, functions) if node.id == "scalar" else None
        if text is None:
            return Given((), False, hangs, path, node)
        mapped, span = document.text(node), document.span(node)
        known = Known(mapped if mapped.text == text else Mapped.new(text, span))
        return Given((put(known, path, span, None),), False, hangs, path, node)

    def _part(self, name: str) -> Given | None:
        """What a part comes to that puts values together and nothing else; None if it is not followed."""
        if name not in self._named:
            self._named[name] = None  # while it is looked at: one that holds itself comes to nothing
            body = self._parts(name) if self._parts is not None else None
            self._named[name] = self._put_together(body) if body is not None else None
        return self._named[name]

    def _put_together(self, body: str) -> Given | None:
        known: dict[str, Given] = {}
        parts: list[Known] = []
        hangs, at = False, 0

        def look(word: str, functions: frozenset[str]) -> Given | None:
            return known[word] if word in known else self._look(word, functions, None)

        for action in _ACTION.finditer(body):
            between, at = body[at : action.start()], action.end()
            found = evaluate(action["inside"], look, self._part)
            if found is None or not found.parts:
                return None
            hangs = hangs or found.hangs
            if action["name"]:
                known[action["name"]] = found
                found = Given(())
            parts += (Known(Mapped.new(between)), *found.parts)
        rest = body[at:].rstrip()
        parts.append(Known(Mapped.new(rest)))
        while parts and not parts[0].text.text.strip():
            del parts[0]
        text = "".join(part.text.text for part in parts)
        return Given(tuple(parts), False, hangs) if text and _FORBIDDEN.isdisjoint(text) else None

    def _either(self, known: Value, place: Span | None) -> Value:
        return OneOf(self.choice, (known, Unknown(GIVEN, place=place)), place)


def put(value: Known, path: str, span: Span | None, place: Span | None) -> Known:
    """A value that is put in at ``place``, with the step that it is that of ``path``, unless this is empty."""
    text = value.text.through(place) if place is not None else value.text
    if not path:
        return Known(text, value.steps)
    note = f"`{path}` is set here" if span is not None else f"the default of `{path}` stands here"
    step = Step("default", note, span or place, Definition(path, span, 2, shared=True))
    return Known(text, (*value.steps, step))


def of(file: SourceFile) -> Chart | None:
    """The chart that a template belongs to; None where there is none, or its values cannot be read."""
    from speclint import beside

    folder = beside.above(file, "Chart.yaml")
    source = beside.read(file, os.path.join(folder, "values.yaml")) if folder is not None else None
    if source is None or source.path == os.path.normpath(file.path):
        return None
    values = _document(source)
    if values is None:
        return None

    def about() -> Document | None:
        named = beside.read(file, os.path.join(folder or "", "Chart.yaml"))
        return _document(named) if named is not None else None

    def parts(name: str) -> str | None:
        helpers = beside.read(file, os.path.join(folder or "", "templates", "_helpers.tpl"))
        if helpers is None:
            return None
        found = re.search(_PART.format(name=re.escape(name)), helpers.text, re.DOTALL)
        return found["body"].lstrip() if found is not None and found["stop"] == "end" else None

    return Chart(values, "values.yaml", about=about, parts=parts)


def _document(source: SourceFile) -> Document | None:
    """The one mapping that a file is; None for any other file."""
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
    return Document(Rendered(text), 0, len(text), roots[0])


def _path(word: str, scope: str | None) -> str | None:
    """The path below the values; with ``scope`` also of what hangs on the dot."""
    root = _VALUES.match(word)
    if root is not None:
        path = word[root.end() :]
        return path if all(path.split(".")) else None
    if scope is None or not word.startswith("."):
        return None
    inner = word[1:]
    return f"{scope}.{inner}" if inner and all(inner.split(".")) else scope if word == "." else None


def _is_empty(node: Node) -> bool:
    """Whether a template takes its default instead of a value."""
    if node.id != "scalar":
        return not node.value
    return node.tag == NULL or node.value in ("", "0", "false", "False")


def _written(node: Node, functions: frozenset[str]) -> str | None:
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
