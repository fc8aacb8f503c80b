"""The variables of a Makefile: how they are set, what targets have of their own, and how they are put into text."""

from __future__ import annotations

import re
from collections import ChainMap

from speclint.hosts.variables import assigned, defaulted, put, replaced
from speclint.lean import pattern
from speclint.text import Mapped
from speclint.value import EMPTY, Known, Unknown, join

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections import Counter
    from collections.abc import MutableMapping

    from speclint.text import Span
    from speclint.value import Value

_REFERENCE = pattern(
    r"\$\$|\$\((?P<round>[\w.-]+)\)|\$\{(?P<curly>[\w.-]+)\}|\$(?P<digit>\d)|\$(?P<char>[\w@<^*?+%|])"
    r"|\$(?:\((?:[^()$]|\$?\([^()]*\)|\$.){0,2000}\)|\{[^{}]*\})"
)
_CALL = pattern(r"\$[({]call[ \t]+(?P<name>[\w.-]+)[ \t]*(?P<given>,|(?=[)}]))")
_COMMA = pattern(r"[(){},]")
# What stands for several files.
MANY = pattern(r"[*?\[]")
_DEPTH = 8
# No file that people write puts so many variables into others.
_MOST = 20_000


class Values:
    """What variables are: ``known`` for all targets, besides what some have of their own."""

    def __init__(self, uses: Counter[str], place: Span) -> None:
        self.uses = uses
        self.place = place
        self.known: MutableMapping[str, Value] = {}
        self.varying: set[str] = set()
        self._own: dict[str, list[tuple[str, str, Mapped]]] = {}
        self._needs: dict[str, list[str]] = {}
        self._inherited: dict[str, set[str]] | None = None
        self._effort = [0]

    # -- how they are set

    def assign(self, name: str, how: str, text: Mapped, place: Span | None = None) -> None:
        """``name how text``, where ``how`` is ``=``, ``:=``, ``?=``, ``+=`` or ``!=``."""
        old = self.known.get(name)
        if how == "!=":
            self.known[name] = Unknown("a command prints it")
            return
        value = self.joined(text)
        if how in (":=", "::=", ":::="):
            value = self.final(value)
        span, uses = text.span() or self.place, self.uses[name]
        if how == "?=":
            if old is None:
                self.known[name] = defaulted(name, value, span, uses, "the caller")
        elif how == "+=" and old is not None:
            self.add(name, assigned(name, value, span, uses))
        else:
            self.known[name] = assigned(name, value, span, uses, name_span=place)

    def add(self, name: str, value: Value) -> None:
        """``name += value``."""
        self.known[name] = join([self.known[name], Known(Mapped.new(" ")), value])

    def joined(self, text: Mapped) -> Value:
        """A value over several lines, on one."""
        if "\\" not in text.text:
            return Known(text)
        expression = re.compile(r"(?<![ \t])[ \t]*\\\r?\n[ \t]*")
        return Known(replaced(text, expression, lambda found: Mapped.new(" ", text.span(*found.span()))))

    # -- what targets have of their own

    def target(self, targets: list[str], name: str, how: str, text: Mapped) -> None:
        """``targets: name how text``."""
        for target in targets:
            self._own.setdefault(target, []).append((name, how, text))

    def depends(self, targets: list[str], needed: list[str]) -> None:
        """A rule: what targets need is made with their variables, if it is made for them."""
        for target in targets:
            self._needs.setdefault(target, []).extend(needed)

    def of_targets(self, targets: list[str]) -> Values:
        """The variables of a recipe: its own, if it makes one target."""
        inherited = self._handed_down()
        if self._effort[0] > _MOST:
            return self  # nothing is put in any more
        if not any(target in self._own or target in inherited for target in targets):
            return self
        found = Values(self.uses, self.place)
        found.known, found._effort = ChainMap({}, self.known), self._effort
        if len(targets) == 1:
            for name, how, text in self._own.get(targets[0], ()):
                found.assign(name, how, text)
        for target in targets:
            own = self._own.get(target, ())
            several = {name for name, _, _ in own} if len(targets) > 1 else set()
            for name in several | (inherited.get(target, set()) - {name for name, how, _ in own if how != "+="}):
                found.known[name] = Unknown(f"`{name}` differs from target to target")
        for name in self.varying:
            found.known[name] = self.known[name]
        return found

    def _handed_down(self) -> dict[str, set[str]]:
        """Which variables of other targets what they need may be made with."""
        if self._inherited is None:
            self._inherited = {}
            for target, own in self._own.items():
                todo, met = list(self._needs.get(target, ())), set()
                while todo:
                    needed = todo.pop()
                    self._effort[0] += 1
                    if needed not in met and self._effort[0] <= _MOST:
                        met.add(needed)
                        self._inherited.setdefault(needed, set()).update(name for name, _, _ in own)
                        todo += self._needs.get(needed, ())
        return self._inherited

    # -- how they are put in

    def final(self, value: Value, depth: int = 0) -> Value:
        """The value with the variables in it put in."""
        if isinstance(value, Known) and "$" in value.text.text:
            return _as_value(self.expanded(value.text, depth + 1), value)
        return value

    def expanded(self, text: Mapped, depth: int) -> Mapped:
        """Text with the variables of make put in; what is left is for the shell."""

        def make(found: re.Match[str]) -> Mapped:
            if found.group() == "$$":
                return text[found.start() : found.start() + 1]
            place = text.place(found.start(), found.end())
            name = found["round"] or found["curly"] or found["digit"]
            self._effort[0] += 1
            if self._effort[0] > _MOST or depth > _DEPTH:
                return Mapped.hole(Unknown("it is put together from too many variables"), place)
            if name is None:
                called = self._called(text, found, depth)
                unknown = Unknown(f"`{found.group()}` is known only to make")
                return Mapped.hole(unknown, place) if called is None else called
            value = self.known.get(name)
            if value is None:
                return Mapped.hole(Unknown(f"`{name}` is not set in this file"), place)
            return put(self.final(value, depth), place)

        return replaced(text, _REFERENCE, make)

    def _called(self, text: Mapped, found: re.Match[str], depth: int) -> Mapped | None:
        """``$(call NAME,a,b)``: the value of NAME with what it is given put in for ``$(1)`` and so on."""
        call = _CALL.match(text.text, *found.span())
        value = self.known.get(call["name"]) if call is not None else None
        if call is None or not isinstance(value, Known):
            return None
        given = _arguments(text, call.end(), found.end() - 1) if call["given"] else []
        if len(given) > 9:
            return None
        arguments = {str(n + 1): _as_value(self.expanded(part, depth + 1)) for n, part in enumerate(given)}
        outer = self.known
        self.known = ChainMap({**dict.fromkeys("123456789", EMPTY), **arguments}, outer)
        made = self.final(value, depth)
        self.known = outer
        return put(made, text.place(*found.span()))


def _arguments(text: Mapped, start: int, end: int) -> list[Mapped]:
    """The parts between the commas that stand in no brackets."""
    found: list[Mapped] = []
    inside = 0
    for mark in _COMMA.finditer(text.text, start, end):
        if mark.group() != ",":
            inside += 1 if mark.group() in "({" else -1
        elif not inside:
            found.append(text[start : mark.start()])
            start = mark.end()
    return [*found, text[start:end]]


def _as_value(text: Mapped, whole: Known | None = None) -> Value:
    """Text with holes as a value."""
    steps = whole.steps if whole is not None else ()
    if not text.holes():
        return Known(text, steps)
    parts: list[Value] = []
    at = 0
    for piece in text.pieces:
        parts.append(piece.hole or Known(text[at : at + piece.length], steps))
        at += piece.length
    return join(parts)
