"""The justfile host: recipes, line by line or as scripts, with the variables and parameters of the file put in."""

from __future__ import annotations

import re
from collections import Counter

from speclint.hosts import blocks
from speclint.hosts.variables import assigned, defaulted, put, replaced
from speclint.lean import pattern
from speclint.text import Mapped, Span
from speclint.value import Known, Unknown
from speclint.words import Command

TYPE_CHECKING = False
if TYPE_CHECKING:
    from speclint.source import SourceError, SourceFile
    from speclint.value import Value

_ASSIGN = pattern(r"(?P<export>export[ \t]+)?(?P<name>[A-Za-z_][\w-]*)[ \t]*:=[ \t]*(?P<value>[^\r\n]*)")
_RECIPE = pattern(r"@?(?P<name>[A-Za-z_][\w-]*)(?P<parameters>(?:[ \t][^:\r\n]*)?):(?!=)")
_PARAMETER = pattern(r"(?<![$*+])[$*+]*(?P<name>[A-Za-z_][\w-]*)(?:=(?P<value>'[^']*'|\"[^\"]*\"|[^\s'\"]+))?")
_FIELD = pattern(r"\{\{\{\{|\{\{(?!\{)(?P<inside>[^{}\r\n]*)\}\}")
_STRING = pattern(r"'(?P<raw>[^']*)'|\"(?P<escaped>[^\"\\]*)\"")
_BRACES = pattern(r"\{\{([^}]*)")
_NAME = pattern(r"[A-Za-z_][\w-]*")
_PREFIX = pattern(r"[ \t]*[@-]*")


def read(file: SourceFile, problems: list[SourceError] | None = None) -> list[Command]:
    """Every command of the recipes. A line that is none is passed over."""
    base = Command((), Span(file, 0, len(file.text)), "justfile", fixable=file.clean)
    return read_text(Mapped.of(file), base)


def read_text(text: Mapped, base: Command, depth: int = 0) -> list[Command]:
    """Every command of the recipes of a justfile."""
    return _Reader(text, base, depth).run()


class _Reader:
    def __init__(self, text: Mapped, base: Command, depth: int) -> None:
        self.text = text
        # A variable counts once in what stands in one pair of braces.
        self._counted = Counter(name for inside in _BRACES.findall(text.text) for name in set(_NAME.findall(inside)))
        self.base = base
        self.depth = depth
        self.values: dict[str, Value] = {}
        self.exported: dict[str, Value] = {}
        self.recipes: list[tuple[dict[str, Value], list[tuple[int, int]]]] = []

    def run(self) -> list[Command]:
        """The commands; variables may be set below the recipes that use them."""
        for start, end in blocks.lines(self.text.text):
            line = self.text.text[start:end]
            if line[:1] in (" ", "\t") or not line.strip():
                if self.recipes:
                    self.recipes[-1][1].append((start, end))
            elif not line.startswith("#"):
                self._statement(start, end)
        base = self.base.replace((), env=self.exported)
        return [command for parameters, lines in self.recipes for command in self._recipe(parameters, lines, base)]

    def _statement(self, start: int, end: int) -> None:
        found = _ASSIGN.match(self.text.text, start, end)
        if found is not None:
            name = found["name"]
            self.values[name] = self._value(name, found.start("value"), found.end("value"))
            if found["export"]:
                self.exported[name] = self.values[name]
            return
        recipe = _RECIPE.match(self.text.text, start, end)
        if recipe is None:
            return
        parameters: dict[str, Value] = {}
        for given in _PARAMETER.finditer(self.text.text, recipe.start("parameters"), recipe.end("parameters")):
            name = given["name"]
            parameters[name] = Unknown(f"`{name}` is given by the caller")
            if given["value"]:
                value = self._value(name, given.start("value"), given.end("value"))
                if isinstance(value, Known):
                    span = value.text.span() or self.base.span
                    parameters[name] = defaulted(name, Known(value.text), span, self._uses(name), "the caller")
        self.recipes.append((parameters, []))

    def _value(self, name: str, start: int, end: int) -> Value:
        """The value of an expression that is one string or a bare default; others are not followed."""
        written = self.text.text[start:end].split(" #")[0].rstrip()
        string = _STRING.fullmatch(written)
        if string is not None:
            text = self.text[start + 1 : start + len(written) - 1]
        elif re.fullmatch(r"[\w./:-]+", written) and self.text.text[start - 1 : start] == "=" and start > 1:
            if self.text.text[start - 2] == ":":
                return Unknown(f"`{written}` is not followed")
            text = self.text[start : start + len(written)]
        else:
            return Unknown(f"`{written}` is not followed")
        return assigned(name, Known(text), text.span(), self._uses(name))

    def _uses(self, name: str) -> int:
        return self._counted[name]

    def _recipe(self, parameters: dict[str, Value], bounds: list[tuple[int, int]], base: Command) -> list[Command]:
        from speclint.hosts.shell import read_text

        if not bounds:
            return []
        values = {**self.values, **parameters}
        body = blocks.dedent(Mapped.join(self.text[s:e] for s, e in bounds))
        if body.text.startswith("#!"):
            first = body.text.split("\n", 1)[0]
            kind = "python" if "python" in first else "shell"
            return blocks.read(self._expanded(body, values), kind, base, self.depth)
        found: list[Command] = []
        for line in _logical(body):
            prefix = _PREFIX.match(line.text)
            expanded = self._expanded(line[prefix.end() if prefix is not None else 0 :], values)
            found.extend(read_text(expanded, base))
        return found

    def _expanded(self, text: Mapped, values: dict[str, Value]) -> Mapped:
        def make(found: re.Match[str]) -> Mapped:
            place = text.place(found.start(), found.end())
            inside = found["inside"]
            if inside is None:
                return Mapped.new("{{", place)
            inside = inside.strip(" \t")
            string = _STRING.fullmatch(inside)
            if string is not None:
                return Mapped.new(inside[1:-1], place)
            return put(values.get(inside, Unknown(f"`{inside}` is not followed")), place)

        return replaced(text, _FIELD, make)


def _logical(body: Mapped) -> list[Mapped]:
    """The lines of a recipe, each with those that a backslash joins to it."""
    found: list[Mapped] = []
    begin = 0
    for _, end in blocks.lines(body.text):
        if not body.text[begin:end].rstrip("\r\n").endswith("\\"):
            found.append(body[begin:end])
            begin = end
    return [*found, body[begin:]] if begin < len(body) else found
