"""The Makefile host: recipes, with the variables of the file put in.

Each line of a recipe is shell text of its own. A variable that a condition sets, or that only some targets have, is
not known; ``NAME ?= value`` is a default.
"""

from __future__ import annotations

import re
from collections import Counter

from speclint.hosts import blocks
from speclint.hosts.variables import assigned, defaulted, put, replaced
from speclint.lean import pattern
from speclint.text import Mapped, Span
from speclint.value import Known, Unknown, join
from speclint.words import Command

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from speclint.source import SourceError, SourceFile
    from speclint.value import Value

_ASSIGN = pattern(
    r"[ ]*(?P<export>(?:export|override|private)[ \t]+)*(?P<name>[\w.-]+)[ \t]*(?P<how>:{0,3}=|\?=|\+=|!=)[ \t]*"
)
_TARGETED = pattern(r"[^\t#=:][^=:#]*::?[ \t]*(?:export[ \t]+)?(?P<name>[\w.-]+)[ \t]*(?:::?|\?|\+|!)?=")
_RULE = pattern(r"(?![ \t#])(?P<targets>[^#=:]+):{1,2}(?!=)(?P<deps>[^;#]*)(?P<inline>;)?")
_CONDITION = pattern(r"[ \t]*(?:ifeq|ifneq|ifdef|ifndef)\b")
_EXPORT = pattern(r"[ ]*export[ \t]+(?P<names>[\w.-]+(?:[ \t]+[\w.-]+)*)[ \t]*$")
_REFERENCE = pattern(
    r"\$\$|\$\((?P<round>[\w.-]+)\)|\$\{(?P<curly>[\w.-]+)\}|\$(?P<char>[\w@<^*?+%|])"
    r"|\$(?:\((?:[^()$]|\$?\([^()]*\)|\$.){0,2000}\)|\{[^{}]*\})"
)
_USE = pattern(r"\$[({]([\w.-]+)[)}]")
_PREFIX = pattern(r"[ \t]*[@+-]*[ \t]*")
_DEPTH = 8


def read(file: SourceFile, problems: list[SourceError] | None = None) -> list[Command]:
    """Every command of the recipes. A line that is none is passed over."""
    base = Command((), Span(file, 0, len(file.text)), "makefile", fixable=file.clean)
    return read_text(Mapped.of(file), base)


def read_text(text: Mapped, base: Command, depth: int = 0) -> list[Command]:
    """Every command of the recipes of a Makefile."""
    return _Reader(text, base).run()


class _Reader:
    def __init__(self, text: Mapped, base: Command) -> None:
        self.text = text
        self.uses = Counter(_USE.findall(text.text))
        self.base = base
        self.values: dict[str, Value] = {}
        self.exported: set[str] = set()
        self.recipes: list[list[Mapped]] = []

    def run(self) -> list[Command]:
        """The commands, read when all variables are known, as make does."""
        from speclint.hosts.shell import read_text

        self._scan()
        base = self.base.replace((), env={n: self._final(self.values[n]) for n in self.exported if n in self.values})
        found: list[Command] = []
        whole = re.search(r"^\.ONESHELL:", self.text.text, re.MULTILINE) is not None
        for recipe in self.recipes:
            for line in [Mapped.join(recipe)] if whole and recipe else recipe:
                expanded = self._expanded(line, 0)
                if blocks.TRIGGER.search(expanded.text) or expanded.holes():
                    found.extend(read_text(expanded, base))
        return found

    # -- the lines of the file

    def _scan(self) -> None:
        conditions = 0
        defining = in_rule = False
        for start, end in self._logical():
            line = self.text.text[start:end]
            if defining:
                defining = not line.startswith("endef")
            elif line.startswith("\t") and in_rule:
                self._recipe(start, end)
            elif line.startswith("define "):
                defining = True
                self.values[line.split()[1].rstrip("=")] = Unknown("it is a block of lines")
            elif _CONDITION.match(line):
                conditions += 1
            elif re.match(r"[ \t]*endif\b", line):
                conditions = max(conditions - 1, 0)
            elif not re.match(r"[ \t]*(?:else\b|#|$)", line):
                in_rule = self._statement(start, end, conditions > 0) or in_rule

    def _logical(self) -> Iterator[tuple[int, int]]:
        """The bounds of each line with those that a backslash joins to it."""
        begin: int | None = None
        for start, end in blocks.lines(self.text.text):
            begin = start if begin is None else begin
            if not self.text.text[start:end].rstrip("\r\n").endswith("\\"):
                yield begin, end
                begin = None
        if begin is not None:
            yield begin, len(self.text)

    def _statement(self, start: int, end: int, conditional: bool) -> bool:
        """A line outside recipes; whether a recipe begins behind it."""
        line = self.text.text[start:end]
        target = _TARGETED.match(line)
        if target is not None:
            self.values[target["name"]] = Unknown(f"`{target['name']}` differs from target to target")
            return False
        found = _ASSIGN.match(line)
        if found is not None:
            self._assign(found, start, end, conditional)
            return False
        exports = _EXPORT.match(line)
        if exports is not None:
            self.exported.update(exports["names"].split())
            return False
        rule = _RULE.match(line)
        if rule is None:
            return False
        self.recipes.append([])
        if rule["inline"]:
            self._recipe(start + rule.end(), end)
        return True

    def _recipe(self, start: int, end: int) -> None:
        prefix = _PREFIX.match(self.text.text, start, end)
        if self.recipes:
            self.recipes[-1].append(self.text[prefix.end() if prefix is not None else start : end])

    def _assign(self, found: re.Match[str], start: int, end: int, conditional: bool) -> None:
        name, how = found["name"], found["how"]
        if found["export"] and "export" in found.group():
            self.exported.add(name)
        begin = start + found.end()
        written = re.split(r"(?<!\\)[ \t]#|\Z", self.text.text[begin:end], maxsplit=1)[0].rstrip()
        text = self.text[begin : begin + len(written)]
        span = text.span() or self.base.span
        old = self.values.get(name)
        if conditional or how == "!=":
            self.values[name] = Unknown(f"`{name}` is set under a condition" if conditional else "a command prints it")
            return
        value: Value = Known(_joined(text))
        if how in (":=", "::=", ":::="):
            value = self._final(value)
        uses = self.uses[name]
        if how == "?=":
            if old is None:
                self.values[name] = defaulted(name, value, span, uses, "the caller")
        elif how == "+=" and old is not None:
            self.values[name] = join([old, Known(Mapped.new(" ")), assigned(name, value, span, uses)])
        else:
            place = self.text.span(start + found.start("name"), start + found.end("name"))
            self.values[name] = assigned(name, value, span, uses, name_span=place)

    # -- variables

    def _final(self, value: Value, depth: int = 0) -> Value:
        """The value with the variables in it put in."""
        if isinstance(value, Known) and "$" in value.text.text:
            text = self._expanded(value.text, depth + 1)
            if text.holes():
                parts: list[Value] = []
                at = 0
                for piece in text.pieces:
                    parts.append(piece.hole or Known(text[at : at + piece.length], value.steps))
                    at += piece.length
                return join(parts)
            return Known(text, value.steps)
        return value

    def _expanded(self, text: Mapped, depth: int) -> Mapped:
        """Text with the variables of make put in; what is left is for the shell."""

        def make(found: re.Match[str]) -> Mapped:
            if found.group() == "$$":
                return text[found.start() : found.start() + 1]
            place = text.place(found.start(), found.end())
            name = found["round"] or found["curly"]
            if name is None:
                return Mapped.hole(Unknown(f"`{found.group()}` is known only to make"), place)
            value = self.values.get(name)
            if value is None or depth > _DEPTH:
                return Mapped.hole(Unknown(f"`{name}` is not set in this file"), place)
            return put(self._final(value, depth), place)

        return replaced(text, _REFERENCE, make)


def _joined(text: Mapped) -> Mapped:
    """A value over several lines, on one."""
    if "\\" not in text.text:
        return text
    return replaced(text, re.compile(r"[ \t]*\\\r?\n[ \t]*"), lambda found: Mapped.new(" ", text.span(*found.span())))
