"""Terraform's strings and templates: ``${var.x}``, ``%{ if x }``; in ``.tf``, and in the files that it fills in.

What is put in is not known. Conditions and loops are read as those of Jinja, which mean the same.
"""

from __future__ import annotations

import os

from speclint.hosts import blocks
from speclint.hosts.variables import replaced
from speclint.lean import pattern
from speclint.source import SourceError
from speclint.text import Mapped, Span
from speclint.value import Unknown
from speclint.words import Command

TYPE_CHECKING = False
if TYPE_CHECKING:
    import re

    from speclint.source import SourceFile

_TEMPLATE = ".tftpl"
# Braces stand in braces where a name is looked up, or in a string. What is longer is none.
_INNER = r"[^{}]{0,500}(?:\{[^{}]{0,500}\}[^{}]{0,500}){0,8}"
_TAG = pattern(
    rf"(?P<escaped>\$\$\{{|%%\{{)|\$\{{(?P<value>{_INNER})\}}"
    r"|%\{~?[ \t]*(?P<tag>(?:if|for)\b[^{}~]{0,500}|else|endif|endfor)[ \t]*~?\}"
)
# What a shell puts in is no expression of Terraform: `${TP:-8}`.
_OF_SHELL = pattern(r"[\w@*#?!-]*(?::?[-+?=](?![=\s])|[#%/^,@]|:\d)")
_CLOUD = ("#cloud-config", "## template: jinja\n#cloud-config")


def read(file: SourceFile, problems: list[SourceError] | None = None) -> list[Command]:
    """Every command that the file holds. What it only becomes later is never an error."""
    from speclint.hosts import of_name, template

    name = os.path.basename(file.path)
    stem = name.removesuffix(_TEMPLATE)
    kind = (of_name(stem) if stem != name else None) or _kind(file.text)
    text = filled(Mapped.of(file))
    base = Command((), Span(file, 0, len(file.text)), kind, fixable=file.clean)
    try:
        if kind == "text" and "{%" not in text.text:
            return [*blocks.read(text, "plain", base, 0), *_attributes(text, file)]
        if kind == "shell" and "{%" not in text.text:
            from speclint.hosts.shell import read_text

            return read_text(text, base) if blocks.TRIGGER.search(text.text) else []
        base.host = "template"
        return template.read_as(text, base, kind, 0)
    except SourceError:
        return []


def _attributes(text: Mapped, file: SourceFile) -> list[Command]:
    """What containers of Kubernetes, ECS and Nomad run, and commands in strings."""
    if not blocks.triggers(file.text, 0, len(file.text)) or file.path.endswith(_TEMPLATE):
        return []
    from speclint.hosts import settings
    from speclint.hosts.attributes import Attributes

    base = Command((), Span(file, 0, len(file.text)), "terraform", fixable=False)
    return sorted(settings.commands(Attributes(text, False), base), key=lambda command: command.span.start)


def _kind(text: str) -> str:
    if text.startswith(_CLOUD):
        return "yaml"
    return "shell" if text.startswith("#!") else "text"


def filled(text: Mapped) -> Mapped:
    """The text with what is put in unknown, and tags of Jinja where Terraform has its own."""
    if "${" not in text.text and "%{" not in text.text:
        return text

    def make(found: re.Match[str]) -> Mapped | None:
        place = text.place(*found.span())
        if found["escaped"]:
            return text[found.start() + 1 : found.end()]
        if found["tag"]:
            return Mapped.new(f"{{% {found['tag'].strip()} %}}", place)
        if _OF_SHELL.match(found["value"]):
            return None
        return Mapped.hole(Unknown(f"`{found.group()[:60]}` is put in by Terraform"), place)

    return replaced(text, _TAG, make)
