"""The variables of an Ansible play, or the defaults of a role, for the tasks that use them."""

from __future__ import annotations

import os

from speclint.hosts.yaml.chart import Chart, put
from speclint.lean import pattern, re
from speclint.source import SourceError
from speclint.text import Mapped
from speclint.value import Known

TYPE_CHECKING = False
if TYPE_CHECKING:
    from speclint.hosts.yaml.document import Document
    from speclint.source import SourceFile
    from speclint.text import Span
    from speclint.value import Value

_HOSTS = pattern(r"^[ -]*hosts:", re.MULTILINE)
_VARS = pattern(r"^(?P<lead>[ -]*)vars:[ \t]*(?:#[^\n]*)?\n", re.MULTILINE)
_LINE = pattern(r"(?P<lead> *)(?P<text>[^\n]*)(?:\n|\Z)")
_NAME = pattern(
    r"(?P<name>[A-Za-z_]\w*)"
    r"(?:\s*\|\s*default\(\s*(?:'(?P<text>[^'\\]*)'|(?P<number>\d+(?:\.\d+)?))\s*(?:,\s*true\s*)?\))?"
)
_PLAIN = frozenset(("tag:yaml.org,2002:str", "tag:yaml.org,2002:int", "tag:yaml.org,2002:float"))


class Play(Chart):
    """The variables of one play, which whoever runs it may set to other values."""

    def __init__(self, document: Document, name: str) -> None:
        super().__init__(document, name, "the play")

    def value(self, expression: str, scope: str | None, place: Span | None) -> Value | None:
        """What an expression puts in; None if it is not followed."""
        found = _NAME.fullmatch(expression.strip())
        if found is None:
            return None
        name = found["name"]
        node = self.document.get(self.document.root, name)
        if node is None:
            default = found["text"] if found["text"] is not None else found["number"]
            if default is None:
                return None
            return self._either(put(Known(Mapped.new(default, place)), name, None, place), place)
        if node.id != "scalar" or node.tag not in _PLAIN or "{" in node.value:
            return None
        known = put(Known(self.document.text(node)), name, self.document.span(node), place)
        return self._either(known, place)

    def items(self, expression: str, scope: str | None, place: Span | None) -> list[Value] | None:
        """No list is followed."""
        return None

    def path(self, expression: str, scope: str | None) -> str | None:
        """Nothing has a dot."""
        return None


def of(file: SourceFile, source: Mapped) -> Play | None:
    """The variables that the tasks of a file use; None where there are none, or they cannot be told."""
    text = source.text
    if _HOSTS.search(text):
        found = list(_VARS.finditer(text))
        return _read(source, found[0].end(), _end(text, found[0]), "vars") if len(found) == 1 else None
    if os.path.basename(os.path.dirname(file.path)) != "tasks":
        return None
    from speclint import beside

    for name in ("main.yml", "main.yaml"):
        defaults = beside.read(file, os.path.join(os.pardir, "defaults", name))
        if defaults is not None:
            return _read(Mapped.of(defaults), 0, len(defaults.text), f"defaults/{name}")
    return None


def _end(text: str, found: re.Match[str]) -> int:
    """Where the lines end that are deeper than the key before them."""
    at = found.end()
    while at < len(text):
        line = _LINE.match(text, at)
        assert line is not None
        if len(line["lead"]) <= len(found["lead"]) and line["text"].strip() and not line["text"].startswith("#"):
            break
        at = line.end()
    return at


def _read(source: Mapped, start: int, end: int, name: str) -> Play | None:
    from speclint.hosts.yaml import compose
    from speclint.hosts.yaml.document import Document
    from speclint.hosts.yaml.template import Rendered

    try:
        roots = list(compose(source, start, end))
    except SourceError:
        return None
    if len(roots) != 1 or roots[0].id != "mapping":
        return None
    return Play(Document(Rendered(source), start, end, roots[0]), name)
