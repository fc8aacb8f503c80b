"""llama-swap's configuration: the commands that start models, over several lines, with macros put in for ``${name}``.

No shell reads such a command: a line break is one blank more, a line that begins with ``#`` is left out. Macros are put
in first, a model's own before those of all.
Source: llama-swap (internal/config: ``SanitizeCommand``, ``resolveConfigMacros``).
"""

from __future__ import annotations

from speclint.hosts.compose import LINE_BREAK
from speclint.hosts.variables import replaced
from speclint.hosts.yaml.node import is_scalar
from speclint.lean import pattern, re
from speclint.text import Mapped
from speclint.value import Unknown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from speclint.hosts.yaml.document import Document
    from speclint.hosts.yaml.node import Node
    from speclint.hosts.yaml.place import Place

_MACROS = "macros"
# What tells that a model is started by llama-swap, which otherwise gives it a port to serve at.
_OWN = frozenset(("proxy", "cmdStop", "ttl", "checkEndpoint", "useModelName", "unlisted", "concurrencyLimit"))
_MACRO = pattern(r"\$\{([\w.-]+)\}")
_COMMENT = pattern(r"^[ \t]*#[^\n]*(?:\n|\Z)", re.MULTILINE)
# Macros hold others that stand before them; more than these are none that anybody wrote.
_MAX_DEPTH = 8
_MAX_PUT_IN = 1000


def command(document: Document, node: Node, place: Place) -> Mapped | None:
    """The command of a model as the words of one line; None where it is none of llama-swap's.

    ``place``: what the model has, an entry of ``models``, which stand at the root.
    """
    text = document.text(node)
    macros = _macros(document, place)
    if not macros and _OWN.isdisjoint(place.keys) and "${PORT}" not in text.text:
        return None
    if "${" in text.text:
        text = _Filling(document, place, macros).filled(text)
    if "#" in text.text:
        text = replaced(text, _COMMENT, lambda found: Mapped.new(""))
    return Mapped(LINE_BREAK.sub(lambda m: " " if m.group() == "\n" else m.group(), text.text), text.pieces)


def _macros(document: Document, place: Place) -> dict[str, Node]:
    found: dict[str, Node] = {}
    for holder in (document.get(document.root, _MACROS), document.get(place.mapping, _MACROS)):
        if holder is not None and holder.id == "mapping":
            found.update((key, value) for key, value in document.values(holder).items() if is_scalar(value))
    return found


class _Filling:
    """Puts macros in, those that they hold too."""

    def __init__(self, document: Document, place: Place, macros: dict[str, Node]) -> None:
        self.document = document
        self.place = place
        self.macros = macros
        self.room = _MAX_PUT_IN

    def filled(self, text: Mapped, depth: int = 0) -> Mapped:
        """The text with what is put in; what nobody can know is a hole."""

        def make(found: re.Match[str]) -> Mapped:
            span, node = text.place(*found.span()), self.macros.get(found[1])
            if found[1] == "MODEL_ID":
                return Mapped.new(self.place.name, span)
            self.room -= 1
            if node is None or depth >= _MAX_DEPTH or span is None or self.room < 0:
                return Mapped.hole(Unknown(f"`{found[1]}` is put in by what starts this"), span)
            return self.filled(self.document.text(node), depth + 1).through(span)

        return replaced(text, _MACRO, make)
