"""How text looks on a terminal: colours, the width of characters, and what must not reach it."""

from __future__ import annotations

import os
import sys

from speclint.lean import pattern

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TextIO

TAB = "    "
# Control characters, the escape among them, marks that turn the direction of text, and lone surrogates: a file that is
# linted must not steer the terminal.
_UNSAFE = pattern("[\x00-\x08\x0a-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")
_SHOWN = "\ufffd"
LEVEL_COLOURS = {"error": "1;31", "warning": "1;33", "info": "1;36"}


class Style:
    """Colours, or none: ``paint`` gives the text as it is then."""

    __slots__ = ("colour",)

    def __init__(self, colour: bool) -> None:
        self.colour = colour

    def paint(self, text: str, codes: str) -> str:
        """``text`` in the colours that the numbers of an ANSI sequence mean ("1;31")."""
        return f"\x1b[{codes}m{text}\x1b[0m" if self.colour and text else text

    def level(self, level: str) -> str:
        """The level in brackets."""
        return self.paint(f"[{level}]", LEVEL_COLOURS[level])


def wants_colour(stream: TextIO) -> bool:
    """Whether a stream is to be coloured: NO_COLOR forbids it, FORCE_COLOR asks for it, else a terminal gets it."""
    if os.environ.get("NO_COLOR"):
        return False
    if os.environ.get("FORCE_COLOR", "0") not in ("", "0", "false"):
        return True
    return bool(stream.isatty()) and os.environ.get("TERM") != "dumb" and sys.platform != "win32"


def clean(text: str) -> str:
    """Text from a file as it may be shown, as many characters as it has."""
    return _UNSAFE.sub(_SHOWN, text) if not text.isascii() or not text.isprintable() else text


def expand(text: str) -> str:
    """A tab shown as blanks."""
    return text.replace("\t", TAB)


def width(text: str) -> int:
    """How many columns text takes, tabs expanded."""
    if text.isascii():
        return len(text) + (len(TAB) - 1) * text.count("\t")
    from unicodedata import category, east_asian_width

    columns = 0
    for letter in text:
        if letter == "\t":
            columns += len(TAB)
        elif east_asian_width(letter) in "WF":
            columns += 2
        elif category(letter) not in ("Mn", "Me", "Cf"):
            columns += 1
    return columns
