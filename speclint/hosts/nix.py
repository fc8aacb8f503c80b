"""Nix: containers of NixOS (``virtualisation.oci-containers``), services of systemd, and scripts in its strings.

What is put in (``${toString port}``) is not known, and nothing is edited: values are written in another way there.
"""

from __future__ import annotations

from itertools import islice

from speclint.hosts import blocks
from speclint.hosts.variables import assigned, defaulted, replaced
from speclint.lean import pattern, re
from speclint.text import Mapped, Span
from speclint.value import Known, Unknown, spliced
from speclint.words import Command

TYPE_CHECKING = False
if TYPE_CHECKING:
    from speclint.source import SourceError, SourceFile
    from speclint.value import Value

_INNER = r"[^{}]{0,500}(?:\{[^{}]{0,500}\}[^{}]{0,500}){0,8}"
_TAG = pattern(rf"(?P<plain>\$\$|\\\$|''\$)|\$\{{(?P<value>{_INNER})\}}")
_SCRIPT = pattern(r"''(?:[^']|'(?!')|''(?:[$']|\\[\s\S]))*(?:''|\Z)")
# What stands before a dollar sign, two quotes, or a backslash and what that tells.
_ESCAPE = pattern(r"''(?:\\|(?=\$))|'(?='')")
# Of a container the words are called otherwise than elsewhere.
_KEYS = {"cmd": "command"}
_NAME = pattern(r"(?:\(\s*)?(?:(?:builtins\.)?toString\s+)?(?P<name>[A-Za-z_][\w-]*)(?:\s*\))?")
# Where a name is bound, to what is known or not, and where it is an argument without a default.
_BOUND = (
    r"(?<![\w.'-]){name}[ \t\n]*(?P<sign>=(?!=)|\?)[ \t\n]*"
    r"(?:\"(?P<string>[^\"]*)\"(?=\s*[;,}}])|(?P<number>\d+(?:\.\d+)?)(?=\s*[;,}}]))?"
)
_ARGUMENT = r"(?<!\$)[{{,]\s*{name}\s*[,}}]"
# Nobody looks up more of them.
_MOST_NAMES = 64


def read(file: SourceFile, problems: list[SourceError] | None = None) -> list[Command]:
    """Every command that the file holds; what it only becomes later is never an error."""
    if not blocks.triggers(file.text, 0, len(file.text)):
        return []
    from speclint.hosts import settings
    from speclint.hosts.attributes import Attributes

    names = _Names(Mapped.of(file))
    text = replaced(names.text, _TAG, names.put_in) if "${" in file.text else names.text
    base = Command((), Span(file, 0, len(file.text)), "nix", fixable=False)
    found = list(settings.commands(Attributes(text, True, _KEYS, names.value), base))
    for script in _SCRIPT.finditer(text.text):
        if blocks.TRIGGER.search(script.group()):
            inner = text[script.start() + 2 : script.end() - 2]
            found += blocks.read(replaced(inner, _ESCAPE, lambda _: Mapped.new("")), "shell", base, 1)
    return sorted(found, key=lambda command: command.span.start)


class _Names:
    """What names of a file stand for: a text or number that is bound once, or the default of an argument."""

    def __init__(self, text: Mapped) -> None:
        self.text = text
        self._known: dict[str, Value | None] = {}

    def put_in(self, found: re.Match[str]) -> Mapped | None:
        """What stands for ``${name}``; None where that is a shell's."""
        if found["plain"]:
            return None
        place = self.text.place(*found.span())
        value = self.value(found["value"].strip(), place)
        return Mapped.hole(value or Unknown(f"`{found.group()[:60]}` is put in by Nix"), place)

    def value(self, written: str, place: Span | None) -> Value | None:
        """What an expression comes to that is a name, or turns one into text; None where it is not known."""
        found = _NAME.fullmatch(written)
        if found is None:
            return None
        name = found["name"]
        if name not in self._known:
            self._known[name] = self._bound(name) if len(self._known) < _MOST_NAMES else None
        value = self._known[name]
        return None if value is None else spliced(value, place)

    def _bound(self, name: str) -> Value | None:
        text = self.text.text
        bound = list(islice(re.finditer(_BOUND.format(name=name), text), 2))
        if len(bound) != 1 or re.search(_ARGUMENT.format(name=name), text):
            return None
        found = bound[0]
        start, end = found.span("string" if found["string"] is not None else "number")
        if start < 0 or not {"$", "\\"}.isdisjoint(text[start:end]):
            return None
        value = Known(self.text[start:end])
        if found["sign"] == "?":
            return defaulted(name, value, self.text.span(start, end), 2, "whoever calls this")
        return assigned(name, value, self.text.span(start, end), 2)
