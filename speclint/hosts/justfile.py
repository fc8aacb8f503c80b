"""The justfile host: recipes, line by line or as scripts, with the variables and parameters of the file put in."""

from __future__ import annotations

from collections import Counter

from speclint.hosts import blocks
from speclint.hosts.just_expressions import evaluated
from speclint.hosts.variables import assigned, defaulted, put, replaced
from speclint.lean import pattern
from speclint.text import Mapped, Span
from speclint.value import Known, Unknown
from speclint.words import Command

TYPE_CHECKING = False
if TYPE_CHECKING:
    import re

    from speclint.source import SourceError, SourceFile
    from speclint.value import Value

_ASSIGN = pattern(r"(?P<export>export[ \t]+)?(?P<name>[A-Za-z_][\w-]*)[ \t]*:=[ \t]*(?P<value>[^\r\n]*)")
_QUOTED = r"'[^'\r\n]*'|\"(?:[^\"\\\r\n]|\\.)*\""
_RECIPE = pattern(rf"@?(?P<name>[A-Za-z_][\w-]*)(?P<parameters>(?:[ \t](?:{_QUOTED}|[^:\r\n'\"])*)?):(?!=)")
_PARAMETER = pattern(
    rf"(?<![$*+])(?P<kind>[$*+]*)(?P<name>[A-Za-z_][\w-]*)(?:[ \t]*=[ \t]*"
    rf"(?P<value>{_QUOTED}|\((?:{_QUOTED}|[^()\r\n'\"])*\)|[^\s'\"()]+))?"
)
_FIELD = pattern(
    rf"\{{\{{\{{\{{|\{{\{{(?!\{{)(?P<inside>(?:{_QUOTED}|[^{{}}'\"\r\n]"
    rf"|\{{(?:{_QUOTED}|[^{{}}'\"\r\n]|\{{(?:{_QUOTED}|[^{{}}'\"\r\n])*\}})*\}})*)\}}\}}"
)
_BRACES = pattern(r"\{\{([^}]*)")
_NAME = pattern(r"[A-Za-z_][\w-]*")
_PREFIX = pattern(r"[ \t]*[@-]*")
_DEPTH = 20


def read(file: SourceFile, problems: list[SourceError] | None = None) -> list[Command]:
    """Every command of the recipes. A line that is none is passed over."""
    base = Command((), Span(file, 0, len(file.text)), "justfile", fixable=file.clean)
    return read_text(Mapped.of(file), base)


def read_text(text: Mapped, base: Command, depth: int = 0) -> list[Command]:
    """Every command of the recipes of a justfile."""
    return _Reader(text, base, depth).run()


class _Parameter:
    """A parameter of a recipe, with the expression that is its default."""

    def __init__(self, text: Mapped, found: re.Match[str]) -> None:
        self.name = found["name"]
        self.exported = "$" in found["kind"]
        self.default = text[found.start("value") : found.end("value")] if found["value"] else None


class _Reader:
    def __init__(self, text: Mapped, base: Command, depth: int) -> None:
        self.text = text
        # A variable counts once in what stands in one pair of braces.
        self._counted = Counter(name for inside in _BRACES.findall(text.text) for name in set(_NAME.findall(inside)))
        self.base = base
        self.depth = depth
        self.values: dict[str, Value] = {}
        self.written: dict[str, Mapped] = {}  # what variables are given that are not yet looked up
        self.exported: list[str] = []
        self._depth = 0
        self.recipes: list[tuple[list[_Parameter], list[tuple[int, int]]]] = []

    def run(self) -> list[Command]:
        """The commands; variables may be set below the recipes that use them."""
        for start, end in blocks.lines(self.text.text):
            line = self.text.text[start:end]
            if line[:1] in (" ", "\t") or not line.strip():
                if self.recipes:
                    self.recipes[-1][1].append((start, end))
            elif not line.startswith("#"):
                self._statement(start, end)
        base = self.base.replace((), env={name: self._lookup(name) for name in self.exported})
        return [command for parameters, lines in self.recipes for command in self._recipe(parameters, lines, base)]

    def _statement(self, start: int, end: int) -> None:
        found = _ASSIGN.match(self.text.text, start, end)
        if found is not None:
            name = found["name"]
            self.written[name] = self._expression(found.start("value"), found.end("value"))
            if found["export"]:
                self.exported.append(name)
            return
        recipe = _RECIPE.match(self.text.text, start, end)
        if recipe is not None:
            given = _PARAMETER.finditer(self.text.text, recipe.start("parameters"), recipe.end("parameters"))
            self.recipes.append(([_Parameter(self.text, found) for found in given], []))
            self._counted.update(_NAME.findall(recipe["parameters"]))

    def _expression(self, start: int, end: int) -> Mapped:
        """What a variable is given, without the comment behind it."""
        written = self.text.text[start:end].split(" #")[0].rstrip()
        self._counted.update(set(_NAME.findall(written)))
        return self.text[start : start + len(written)]

    def _lookup(self, name: str) -> Value:
        """The value of a variable."""
        text = self.written.pop(name, None) if self._depth < _DEPTH else None
        if text is not None:
            # One that holds itself is found unknown.
            self._depth += 1
            value = evaluated(text, self._lookup)
            self._depth -= 1
            self.values[name] = assigned(name, value, _inner(value, text), self._uses(name))
        return self.values.get(name, Unknown(f"`{name}` is not followed"))

    def _given(self, parameters: list[_Parameter]) -> dict[str, Value]:
        """The values of the parameters of a recipe: their defaults, which see those before them."""
        found: dict[str, Value] = {}
        for parameter in parameters:
            name, text = parameter.name, parameter.default
            found[name] = Unknown(f"`{name}` is given by the caller")
            if text is not None:
                value = evaluated(text, lambda known: found[known] if known in found else self._lookup(known))
                if not isinstance(value, Unknown):
                    found[name] = defaulted(name, value, _inner(value, text), self._uses(name), "the caller")
        return found

    def _uses(self, name: str) -> int:
        return self._counted[name]

    def _recipe(self, parameters: list[_Parameter], bounds: list[tuple[int, int]], base: Command) -> list[Command]:
        from speclint.hosts.shell import read_text

        if not bounds:
            return []
        values = self._given(parameters)
        base = base.replace((), env={p.name: values[p.name] for p in parameters if p.exported})
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
            field = text[found.start("inside") : found.end("inside")]
            return put(evaluated(field, lambda name: values[name] if name in values else self._lookup(name)), place)

        return replaced(text, _FIELD, make)


def _inner(value: Value, text: Mapped) -> Span | None:
    """The place of a value that is written out in an expression; else of the expression."""
    place, inner = text.place(), value.text.span() if isinstance(value, Known) else None
    if inner is None or place is None or inner.file is not place.file:
        return place
    return inner if place.start <= inner.start and inner.end <= place.end else place


def _logical(body: Mapped) -> list[Mapped]:
    """The lines of a recipe, each with those that a backslash joins to it."""
    found: list[Mapped] = []
    begin = 0
    for _, end in blocks.lines(body.text):
        if not body.text[begin:end].rstrip("\r\n").endswith("\\"):
            found.append(body[begin:end])
            begin = end
    return [*found, body[begin:]] if begin < len(body) else found
