"""Nix: containers of NixOS (``virtualisation.oci-containers``), services of systemd, and scripts in its strings.

What is put in (``${toString port}``) is not known, and nothing is edited: values are written in another way there.
"""

from __future__ import annotations

from speclint.hosts import blocks
from speclint.hosts.variables import replaced
from speclint.lean import pattern
from speclint.text import Mapped, Span
from speclint.value import Unknown
from speclint.words import Command

TYPE_CHECKING = False
if TYPE_CHECKING:
    import re

    from speclint.source import SourceError, SourceFile

_INNER = r"[^{}]{0,500}(?:\{[^{}]{0,500}\}[^{}]{0,500}){0,8}"
_TAG = pattern(rf"(?P<plain>\$\$|\\\$|''\$)|\$\{{(?P<value>{_INNER})\}}")
_SCRIPT = pattern(r"''(?:[^']|'(?!')|''(?:[$']|\\[\s\S]))*(?:''|\Z)")
# What stands before a dollar sign, two quotes, or a backslash and what that tells.
_ESCAPE = pattern(r"''(?:\\|(?=\$))|'(?='')")
# Of a container the words are called otherwise than elsewhere.
_NAMES = {"cmd": "command"}


def read(file: SourceFile, problems: list[SourceError] | None = None) -> list[Command]:
    """Every command that the file holds; what it only becomes later is never an error."""
    if not blocks.triggers(file.text, 0, len(file.text)):
        return []
    from speclint.hosts import settings
    from speclint.hosts.attributes import Attributes

    whole = Mapped.of(file)

    def put_in(found: re.Match[str]) -> Mapped | None:
        if found["plain"]:
            return None
        place = whole.place(*found.span())
        return Mapped.hole(Unknown(f"`{found.group()[:60]}` is put in by Nix"), place)

    text = replaced(whole, _TAG, put_in) if "${" in file.text else whole
    base = Command((), Span(file, 0, len(file.text)), "nix", fixable=False)
    found = list(settings.commands(Attributes(text, True, _NAMES), base))
    for script in _SCRIPT.finditer(text.text):
        if blocks.TRIGGER.search(script.group()):
            inner = text[script.start() + 2 : script.end() - 2]
            found += blocks.read(replaced(inner, _ESCAPE, lambda _: Mapped.new("")), "shell", base, 1)
    return sorted(found, key=lambda command: command.span.start)
