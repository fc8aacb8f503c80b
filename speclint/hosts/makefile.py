"""The Makefile host: recipes, with the variables of the file and of those that it includes put in.

Each line of a recipe is shell text of its own. A variable that a condition sets is not known, what one adds is there in
one of its branches; what only some targets have holds for these. ``NAME ?= value`` is a default.
"""

from __future__ import annotations

import re
from collections import Counter

from speclint.hosts import blocks
from speclint.hosts.make_values import MANY, Values
from speclint.lean import pattern
from speclint.text import Mapped, Span
from speclint.value import EMPTY, Choice, Known, OneOf, Unknown
from speclint.words import Command

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from speclint.source import SourceError, SourceFile

_ASSIGN = pattern(
    r"[ ]*(?P<export>(?:export|override|private)[ \t]+)*(?P<name>[\w.-]+)[ \t]*(?P<how>:{0,3}=|\?=|\+=|!=)[ \t]*"
)
_TARGETED = pattern(
    r"(?P<targets>[^\t#=:][^=:#]*)::?[ \t]*(?P<export>export[ \t]+)?(?:(?:override|private)[ \t]+)*"
    r"(?P<name>[\w.-]+)[ \t]*(?P<how>:{0,3}=|\?=|\+=|!=)[ \t]*"
)
_RULE = pattern(r"(?![ \t#])(?P<targets>[^#=:]+):{1,2}(?!=)(?P<deps>[^;#]*)(?P<inline>;)?")
_CONDITION = pattern(r"[ \t]*(?:ifeq|ifneq|ifdef|ifndef)\b")
_EXPORT = pattern(r"[ ]*export[ \t]+(?P<names>[\w.-]+(?:[ \t]+[\w.-]+)*)[ \t]*$")
_INCLUDE = pattern(r"[ ]*(?:-|s)?include[ \t]+(?P<names>[^#]*)")
_DEFINE = pattern(r"[ ]*(?:override[ \t]+|export[ \t]+)*define[ \t]+(?P<name>[\w.-]+)[ \t]*(?P<how>[:?+]*=)?[ \t]*$")
_ELSE = pattern(r"[ \t]*else\b[ \t]*(?P<more>[^#\s])?")
_USE = pattern(r"\$[({](?:call[ \t]+)?([\w.-]+)[,)}]")
_PREFIX = pattern(r"[ \t]*[@+-]*[ \t]*")
# The same in a block of lines, which may also be put into the middle of one: options are no such marks.
_MARKS = pattern(r"[ \t]*(?:(?!-(?:-|\w[ \t]))[@+-])*[ \t]*")
_MAX_INCLUDED = 16


def read(file: SourceFile, problems: list[SourceError] | None = None) -> list[Command]:
    """Every command of the recipes. A line that is none is passed over."""
    base = Command((), Span(file, 0, len(file.text)), "makefile", fixable=file.clean)
    return read_text(Mapped.of(file), base)


def read_text(text: Mapped, base: Command, depth: int = 0) -> list[Command]:
    """Every command of the recipes of a Makefile."""
    return _Reader(text, base).run()


class _Condition:
    """A condition, and in which of its branches a line stands; None where there are more than two."""

    def __init__(self, line: str, span: Span | None) -> None:
        asked = line.strip()
        self.choice = Choice("branch", (f"`{asked}` holds", f"`{asked}` does not hold"), span)
        self.arm: int | None = 0


class _Recipe:
    """The lines of a recipe, and the targets that it makes."""

    def __init__(self, targets: list[str]) -> None:
        self.targets = targets
        self.lines: list[Mapped] = []


class _Reader:
    def __init__(self, text: Mapped, base: Command) -> None:
        self.text = text
        self.base = base
        self.values = Values(Counter(_USE.findall(text.text)), base.span)
        self.exported: set[str] = set()
        self.overriding: set[str] = set()
        self.recipes: list[_Recipe] = []
        self.conditions: list[_Condition] = []
        self.included = 0

    def run(self) -> list[Command]:
        """The commands, read when all variables are known, as make does."""
        from speclint.hosts.shell import read_text

        self._scan()
        found: list[Command] = []
        whole = re.search(r"^\.ONESHELL:", self.text.text, re.MULTILINE) is not None
        values, base = self.values, self._base(self.values)
        for recipe in self.recipes:
            own = values.of_targets(recipe.targets)
            under = base if own is values else self._base(own)
            for line in [Mapped.join(recipe.lines)] if whole and recipe.lines else recipe.lines:
                expanded = own.expanded(line, 0)
                if blocks.TRIGGER.search(expanded.text) or expanded.holes():
                    found.extend(read_text(expanded, under))
        return found

    def _base(self, values: Values) -> Command:
        env = {n: values.final(values.known[n]) for n in self.exported if n in values.known}
        return self.base.replace((), env=env)

    # -- the lines of the file

    def _scan(self, foreign: bool = False) -> None:
        """``foreign``: of a file that is included only the variables are wanted."""
        defining: tuple[re.Match[str], int] | None = None
        in_rule = False
        for start, end in self._logical():
            line = self.text.text[start:end]
            if defining is not None:
                if line.lstrip(" ").startswith("endef"):
                    self._defined(defining[0], defining[1], start)
                    defining = None
            elif line.startswith("\t") and in_rule:
                if not foreign:
                    self._recipe(start, end)
            elif (block := _DEFINE.match(line.rstrip("\r\n"))) is not None:
                defining = (block, end)
            elif not self._conditional(line, start, end) and not re.match(r"[ \t]*(?:#|$)", line):
                in_rule = self._statement(start, end, foreign) or in_rule

    def _conditional(self, line: str, start: int, end: int) -> bool:
        """Whether a line is a part of a condition."""
        if _CONDITION.match(line):
            self.conditions.append(_Condition(line, self.text.span(start, end)))
        elif re.match(r"[ \t]*endif\b", line):
            self.conditions = self.conditions[:-1]
        elif (other := _ELSE.match(line)) is not None:
            if self.conditions:
                last = self.conditions[-1]
                last.arm = None if other["more"] or last.arm != 0 else 1
        else:
            return False
        return True

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

    def _statement(self, start: int, end: int, foreign: bool) -> bool:
        """A line outside recipes; whether a recipe begins behind it."""
        line = self.text.text[start:end]
        target = _TARGETED.match(line)
        if target is not None:
            self._targeted(target, start, end)
            return False
        found = _ASSIGN.match(line)
        if found is not None:
            self._assign(found, start, end)
            return False
        exports = _EXPORT.match(line)
        if exports is not None:
            self.exported.update(exports["names"].split())
            return False
        include = _INCLUDE.match(line)
        if include is not None:
            self._include(include["names"].split())
            return False
        rule = _RULE.match(line)
        if rule is None:
            return False
        self.values.depends(rule["targets"].split(), rule["deps"].split())
        if not foreign:
            self.recipes.append(_Recipe(rule["targets"].split()))
            if rule["inline"]:
                self._recipe(start + rule.end(), end)
        return True

    def _recipe(self, start: int, end: int) -> None:
        prefix = _PREFIX.match(self.text.text, start, end)
        if self.recipes:
            self.recipes[-1].lines.append(self.text[prefix.end() if prefix is not None else start : end])

    # -- what sets variables

    def _written(self, start: int, end: int) -> Mapped:
        """What a variable is given, without the comment behind it."""
        written = re.split(r"(?<!\\)[ \t]#|\Z", self.text.text[start:end], maxsplit=1)[0].rstrip()
        return self.text[start : start + len(written)]

    def _assign(self, found: re.Match[str], start: int, end: int) -> None:
        name, how = found["name"], found["how"]
        if found["export"] and "export" in found.group():
            self.exported.add(name)
        text = self._written(start + found.end(), end)
        if "override" in found.group()[: found.start("name") - found.start()]:
            self.overriding.add(name)
        elif name in self.overriding:
            return
        if not self.conditions:
            place = self.text.span(start + found.start("name"), start + found.end("name"))
            self.values.assign(name, how, text, place)
        elif how == "+=" and name in self.values.known:
            self.values.add(name, self._branched(name, text))
        else:
            self.values.known[name] = Unknown(f"`{name}` is set under a condition")

    def _branched(self, name: str, text: Mapped) -> OneOf | Unknown:
        """What is added in one branch."""
        last = self.conditions[-1]
        if len(self.conditions) > 1 or last.arm is None:
            return Unknown(f"what is added to `{name}` depends on conditions")
        arms = [self.values.joined(text), EMPTY]
        return OneOf(last.choice, arms if last.arm == 0 else arms[::-1])

    def _targeted(self, found: re.Match[str], start: int, end: int) -> None:
        """A variable that only some targets have, and what these depend on."""
        name = found["name"]
        if found["export"]:
            self.exported.add(name)
        targets = found["targets"].split()
        if self.conditions or any(mark in found["targets"] for mark in "$%"):
            self.values.known[name] = Unknown(f"`{name}` differs from target to target")
            self.values.varying.add(name)
        else:
            self.values.target(targets, name, found["how"], self._written(start + found.end(), end))

    def _defined(self, found: re.Match[str], start: int, end: int) -> None:
        """A block of lines, each without what make takes off the line of a recipe."""
        parts: list[Mapped] = []
        goes_on = False
        for begin, stop in blocks.lines(self.text.text[start:end]):
            line = self.text[start + begin : start + stop]
            prefix = _MARKS.match(line.text) if not goes_on else None
            goes_on = line.text.rstrip("\r\n").endswith("\\")
            parts.append(line[prefix.end() :] if prefix is not None else line)
        unknown = self.conditions or found["how"] not in (None, "=", ":=")
        name = found["name"]
        self.values.known[name] = Unknown("it is a block of lines") if unknown else Known(Mapped.join(parts))

    def _include(self, names: list[str]) -> None:
        """The variables of other files."""
        from speclint import beside

        for name in names:
            self.included += 1
            other = beside.read(self.base.span.file, name) if self.included <= _MAX_INCLUDED else None
            if other is None or "$" in name or MANY.search(name):
                continue
            outer = self.text, self.conditions
            self.text = Mapped.of(other)
            self._scan(foreign=True)
            self.text, self.conditions = outer
