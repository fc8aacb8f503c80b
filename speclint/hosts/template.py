"""The host of templates that are filled in before they are read: ``run.sh.j2``, ``serve.yaml.jinja``.

What is put in is not known. A condition around statements of a shell script becomes a branch of that script; one
within a command gives words that may be there.
"""

from __future__ import annotations

import os

from speclint.hosts import blocks
from speclint.hosts.template_text import render
from speclint.lean import pattern, re
from speclint.source import SourceError
from speclint.text import Mapped, Span
from speclint.words import Command

TYPE_CHECKING = False
if TYPE_CHECKING:
    from speclint.source import SourceFile

_PUT_IN = pattern(r"\bserve\b|(?:\{\{[-+]?\s*|[=(]\s*)[\"'][^\"'\n]*(?:sglang|launch_server)")
_SUFFIXES = (".j2", ".jinja", ".jinja2", ".tmpl", ".gotmpl", ".template", ".tpl")


def read(file: SourceFile, problems: list[SourceError] | None = None) -> list[Command]:
    """Every command that the text holds. A template in a language that it only becomes later is never an error."""
    base = Command((), Span(file, 0, len(file.text)), "template", fixable=file.clean)
    name = os.path.basename(file.path)
    while name.lower().endswith(_SUFFIXES):
        name = name.rpartition(".")[0]
    try:
        return _read(Mapped.of(file), base, name, 0)
    except SourceError:
        return []


def read_text(text: Mapped, base: Command, depth: int = 0) -> list[Command]:
    """Every command that a template of unknown purpose holds."""
    return _read(text, base, "", depth)


def _read(text: Mapped, base: Command, name: str, depth: int) -> list[Command]:
    from speclint.hosts import of_name

    if not blocks.TRIGGER.search(text.text) and "sglang" not in text.text:
        return []
    kind = of_name(name) if name else None
    if kind is None:
        kind = "yaml" if re.search(r"^(?:apiVersion|kind|services):", text.text, re.MULTILINE) else "shell"
    return read_as(text, base, kind, depth)


def read_as(text: Mapped, base: Command, kind: str, depth: int) -> list[Command]:
    """Every command that a template of a file of some kind holds. Raises SourceError."""
    # An edit may be right for one way of filling the template in and wrong for another.
    base = blocks.unfixable(base)
    if kind == "yaml":
        from speclint.hosts import yaml

        return yaml.read_text(text, [], False, depth + 1)
    if kind == "shell":
        from speclint.hosts.shell import read_text as shell
        from speclint.hosts.shell.trigger import may_launch

        # What tags put in is known where it is a literal.
        if not may_launch(text.text.encode("utf-8", "replace")) and not _PUT_IN.search(text.text):
            return []
        return shell(render(text, True), base)
    rendered = render(text, False, by_line=kind in ("units", "text"))
    return blocks.read(rendered, "plain" if kind == "text" else kind, base, depth)
