"""Scripts that somebody or something fills in before they are run: ``--tp {{ tp }}``, ``{% if x %}``, ``--tp <N>``."""

from __future__ import annotations

from speclint.hosts.variables import replaced
from speclint.lean import pattern, re
from speclint.text import Mapped
from speclint.value import Unknown

# An option that is given what a template puts in, or a tag of one.
_TEMPLATE = pattern(
    r"--[\w-]+[ \t=]+[\"']?[\w./:-]*\{\{[-+]?[ \t]*[A-Za-z_][\w.]*[ \t]*(?:\||[-+]?\}\})"
    r"|\{%[-+]?[ \t]*(?:if|for|set|else|elif|endif|endfor)\b"
)
# An option that is given a name in angles, which the shell takes for two redirections.
_ANGLES = pattern(
    r"(?<=\s)(?P<option>--[\w-]+[ \t=]+)<[A-Za-z][\w ./-]*>(?=[ \t]*(?:\\?\r?$|\\?\n|[ \t]--))", re.MULTILINE
)


def template(text: Mapped) -> Mapped | None:
    """The text of a template with what is put in unknown; None for a script that is none."""
    written = text.text
    if not ("{{" in written or "{%" in written) or not _TEMPLATE.search(written):
        return None
    from speclint.hosts.template_text import render

    return render(text, True)


def angles(text: Mapped) -> Mapped:
    """The text with names in angles unknown, where an option is given them."""
    return replaced(text, _ANGLES, lambda match: _opened(text, match)) if "<" in text.text else text


def _opened(text: Mapped, match: re.Match[str]) -> Mapped:
    start, end = match.span()
    at = match.end("option")
    place = text.place(at, end)
    # One word, whatever is filled in.
    return Mapped.join([text[start:at], Mapped.hole(Unknown("it is a placeholder"), place), Mapped.new("''")])
