"""Variables of build files: values with their history, and how they are put into other text."""

from __future__ import annotations

from speclint.hosts.bounds import bounded
from speclint.lean import pattern
from speclint.text import Mapped
from speclint.value import Choice, Definition, Known, OneOf, Step, Unknown, spliced, with_step

TYPE_CHECKING = False
if TYPE_CHECKING:
    import re
    from collections.abc import Callable

    from speclint.text import Span
    from speclint.value import Value

# A shell gives these a meaning: text that holds them has to be parsed where it is put in.
_SYNTAX = pattern(r"[\"'\\$`;|&<>(){}#*?~!\n]")


def assigned(
    name: str, value: Value, span: Span | None, uses: int, kind: str = "assigned", name_span: Span | None = None
) -> Value:
    """A value with the step that says where ``name`` was given it; ``uses``: how many places read the name."""
    definition = Definition(name, span, uses, name_span=name_span)
    return bounded(with_step(value, Step(kind, f"`{name}` is set here", span, definition)))


def defaulted(name: str, value: Value, span: Span | None, uses: int, giver: str) -> Value:
    """A value that holds unless ``giver`` gives another."""
    definition = Definition(name, span, uses, shared=True)
    default = with_step(value, Step("default", f"the default of `{name}` stands here", span, definition))
    choice = Choice("default", (f"`{name}` keeps its default", f"`{name}` is given by {giver}"), span)
    return OneOf(choice, (default, Unknown(f"`{name}` may be given by {giver}")))


def put(value: Value, place: Span | None) -> Mapped:
    """A value as a part of shell text, put in at ``place``."""
    if isinstance(value, Known) and _SYNTAX.search(value.text.text) and place is not None:
        return value.text.through(place)
    return Mapped.hole(spliced(value, place), place)


def replaced(text: Mapped, pattern: re.Pattern[str], make: Callable[[re.Match[str]], Mapped | None]) -> Mapped:
    """The text with every match of ``pattern`` replaced by what ``make`` says; None leaves it as it is."""
    parts: list[Mapped] = []
    at = 0
    for found in pattern.finditer(text.text):
        new = make(found)
        if new is not None:
            parts += (text[at : found.start()], new)
            at = found.end()
    return Mapped.join([*parts, text[at:]])
