"""A rule as the engine sees it: what is text in its file becomes trees the first time that it is asked."""

from __future__ import annotations

from speclint.lean import pattern
from speclint.rules import checks, expr
from speclint.sglang import catalog, versions
from speclint.sglang.setting import Unsettled

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from typing import Any, Literal

    from speclint.rules.expr import Expression, Tree
    from speclint.rules.found import Found
    from speclint.sglang.resolve import View

    Terms = dict[str, tuple[Any, ...]]
    Needs = tuple[tuple[str, ...], ...]
    """Names: a launch has to write some of each."""
    Gate = tuple[Needs, ...]
    """What is needed for each of the ways in which a rule speaks: see speclint.rules.gate."""
    Point = tuple[int, Gate | Literal[False]]
    """The first release (its number) of a stretch of releases, and their gate; False where the rule does not hold."""
    Record = tuple[str, str, str, str, str, Point, bytes, bytes, bytes]
    """The last point, which counts for most launches, stands apart from those before it, which are still packed."""
    Template = tuple[str | Expression, ...]
    """Literal text and expressions, in turn as they stand in a message."""

# What is needed of a rule to ask it.
QUESTION = ("terms", "when", "find", "check", "reads", "versions")
_FIELD = pattern(r"\{\{|\}\}|\{([^{}]+)\}|[{}]")


class FixIntent:
    """What a fix would change, before it is known where.

    ``set``, ``add``, ``rename`` and ``replace`` map options to templates; ``mend``: whether the edits that were found
    are made; ``unsafe``: whether it is a guess.
    """

    __slots__ = ("add", "mend", "message", "remove", "rename", "replace", "set", "split", "unsafe", "when")

    def __init__(self, data: Mapping[str, Any], terms: Terms) -> None:
        self.when = expression(data.get("if", True), terms)
        self.message = template(data["message"], terms)
        self.set = {dest: template(text, terms) for dest, text in data.get("set", {}).items()}
        self.add = {dest: template(text, terms) for dest, text in data.get("add", {}).items()}
        self.rename = {dest: template(text, terms) for dest, text in data.get("rename", {}).items()}
        self.replace = {dest: template(text, terms) for dest, text in data.get("replace", {}).items()}
        self.remove: tuple[str, ...] = tuple(data.get("remove", ()))
        self.split: tuple[str, ...] = tuple(data.get("split", ()))
        self.mend = bool(data.get("mend", False))
        self.unsafe = expression(data.get("unsafe", False), terms)


class Case:
    """One of the ways in which a rule speaks: the first whose ``if`` holds is told."""

    __slots__ = ("blame", "fixes", "level", "message", "related", "when")

    def __init__(self, data: Mapping[str, Any], shared: Mapping[str, Any], terms: Terms) -> None:
        whole = {**shared, **data}
        self.when = expression(data.get("if", True), terms)
        self.level: str = whole["level"]
        self.message = template(whole["message"], terms)
        # What a rule finds by itself brings its place along.
        self.blame = () if "find" in whole else _list(whole["blame"])
        self.related = _list(whole["related"]) if "related" in whole else None
        self.fixes = tuple(FixIntent(fix, terms) for fix in whole.get("fix", ()))


class Rule:
    """One rule.

    ``path`` is its file. What takes work is made on first use.
    """

    __slots__ = (
        "_arms", "_asked", "_body", "_cases", "_compiled", "_condition", "_document", "_earlier", "_finder", "_gates",
        "_latest", "_reads", "_terms", "_when", "_whole", "code", "level", "name", "path", "summary",
    )  # fmt: skip

    def __init__(self, data: Mapping[str, Any], path: str) -> None:
        self.path = path
        self.code: str = data["code"]
        self.name: str = data["name"]
        self.level: str = data["level"]
        self.summary: str = data["summary"]
        self._whole: Mapping[str, Any] | None = data
        self._body: Mapping[str, Any] | None = data
        self._asked: Mapping[str, Any] | None = data
        self._compiled = (b"", b"")
        self._document: Callable[[str], Mapping[str, Any]] | None = None
        self._terms: Terms | None = None
        self._when: Expression | None = None
        self._condition: Callable[[View], object] | None = None
        self._arms: list[Expression] | None = None
        self._finder: Callable[[View], Iterable[Found]] | Literal[False] | None = None
        self._cases: tuple[Case, ...] | None = None
        self._reads: tuple[str, ...] | None = None
        self._latest: Point | None = None
        self._earlier = b""
        self._gates: dict[str, Gate | Literal[False]] = {}

    @classmethod
    def compiled(cls, record: Record, folder: str, document: Callable[[str], Mapping[str, Any]]) -> Rule:
        """A rule as a build has written it down; ``document`` reads the file that it was made of."""
        code, name, level, summary, path, latest, earlier, *bodies = record
        rule = cls({"code": code, "name": name, "level": level, "summary": summary}, folder + path)
        rule._compiled, rule._document = (bodies[0], bodies[1]), document
        rule._latest, rule._earlier = latest, earlier
        rule._whole = rule._asked = rule._body = None
        return rule

    @property
    def data(self) -> Mapping[str, Any]:
        """The whole file: what it means, why, evidence and examples too."""
        if self._whole is None:
            assert self._document is not None
            self._whole = self._document(self.path)
        return self._whole

    @property
    def _question(self) -> Mapping[str, Any]:
        """What the engine needs of it to ask it: ``QUESTION``."""
        if self._asked is None:
            # Not a pickle: plain data, and 2 is a form that every Python reads. JSON takes ten times as long.
            from marshal import loads

            self._asked = loads(self._compiled[0])
        return self._asked

    @property
    def _data(self) -> Mapping[str, Any]:
        """What the engine needs of it to tell what it says; of most rules that are asked, nothing of this is loaded."""
        if self._body is None:
            from marshal import loads

            self._body = loads(self._compiled[1])
        return self._body

    @property
    def terms(self) -> Terms:
        """Names that stand for expressions in this rule; each may use those before it."""
        if self._terms is None:
            self._terms = {}
            for name, text in self._question.get("terms", {}).items():
                self._terms = {**self._terms, name: tree(text, self._terms)}
        return self._terms

    @property
    def when(self) -> Expression:
        """The condition under which it speaks."""
        if self._when is None:
            self._when = expression(self._question.get("when", True), self.terms)
        return self._when

    @property
    def cases(self) -> tuple[Case, ...]:
        """What it says, by case; at least one."""
        if self._cases is None:
            self._cases = tuple(Case(case, self._data, self.terms) for case in self._data.get("cases", ({},)))
        return self._cases

    @property
    def reads(self) -> tuple[str, ...]:
        """Every name that its condition and the choice of its case can ask for; of a check, those that it states."""
        if self._reads is None:
            conditions = (self.when, *(case.when for case in self.cases))
            names = {name for part in conditions for name in expr.reads(part.tree)}
            self._reads = tuple(sorted(names.union(self._question.get("reads", ()))))
        return self._reads

    @property
    def find(self) -> str | None:
        """``module.function`` under speclint.rules.checks, for a rule that speaks of each place that it finds."""
        found: str | None = self._question.get("find")
        return found

    @property
    def check(self) -> str | None:
        """``module.function`` under speclint.rules.checks, for a rule that data cannot say."""
        found: str | None = self._question.get("check")
        return found

    @property
    def finder(self) -> Callable[[View], Iterable[Found]] | None:
        """The function that ``find`` names."""
        if self._finder is None:
            self._finder = False if self.find is None else checks.function(self.find)
        return self._finder or None

    def condition(self, arms: Sequence[int] | None = None) -> Callable[[View], object]:
        """Whether it speaks of a launch in a world, by ``when`` or by the function that ``check`` names.

        ``arms``: those of the condition (``expr.arms``) that may hold; None for all.
        """
        if arms is not None:
            return self._any_of(arms)
        if self._condition is None:
            name = self.check
            self._condition = expr.compiled(self.when.tree) if name is None else _trusted(checks.function(name))
        return self._condition

    def _any_of(self, arms: Sequence[int]) -> Callable[[View], object]:
        if self._arms is None:
            self._arms = [expr.Expression(arm) for arm in expr.arms(self.when.tree)]
        return self._arms[arms[0]] if len(arms) == 1 else expr.any_of([self._arms[arm] for arm in arms])

    def applies(self, release: str) -> bool:
        """Whether it holds for a release."""
        if self._latest is not None:
            return self.gate(release) is not False
        return versions.satisfies(release, self._question.get("versions", ""))

    def gate(self, release: str) -> Gate | Literal[False]:
        """What a launch of a release must write for the rule to speak; False where it does not hold for the release."""
        if self._latest is not None and self._latest[0] <= catalog.number(release):
            return self._latest[1]
        if release not in self._gates:
            self._gates[release] = self._gate(release)
        return self._gates[release]

    def _gate(self, release: str) -> Gate | Literal[False]:
        if self._latest is not None:
            from marshal import loads

            at = catalog.number(release)
            return next((gate for first, gate in reversed(loads(self._earlier)) if first <= at), False)
        if not self.applies(release):
            return False
        from speclint.rules.gate import silent

        return silent(self, release)

    def __repr__(self) -> str:
        return f"Rule({self.code})"


def _trusted(check: Callable[[View], object]) -> Callable[[View], object]:
    def condition(view: View) -> object:
        answer = check(view)
        # What a check makes of a choice that is open yet is not to be trusted, whatever it answers.
        return Unsettled(view.pending[0]) if view.pending else answer

    return condition


def expression(source: str | bool | Sequence[Any], terms: Terms) -> Expression:
    """An expression as it stands in a rule file, or as it was compiled. Raises ExpressionError."""
    return expr.Expression(tree(source, terms))


def tree(source: str | bool | Sequence[Any], terms: Terms) -> Tree:
    """The tree of an expression as it stands in a rule file, or as it was compiled. Raises ExpressionError."""
    if isinstance(source, bool):
        return ("const", source)
    return expr.parse(source, terms) if isinstance(source, str) else tuple(source)


def template(source: str | Sequence[Any], terms: Terms) -> Template:
    """The parts of a message: text, and what stands in braces (``{{`` is a brace). Raises ExpressionError."""
    return tuple([part if isinstance(part, str) else expr.Expression(part) for part in parts_of(source, terms)])


def parts_of(source: str | Sequence[Any], terms: Terms) -> tuple[Any, ...]:
    """The same with trees, as it is written down. Raises ExpressionError."""
    if not isinstance(source, str):
        return tuple(source)
    parts: list[Any] = []
    at = 0
    for found in _FIELD.finditer(source):
        parts.append(source[at : found.start()])
        if found[1] is None and len(found.group()) == 1:
            raise expr.ExpressionError(f"a lone brace (write it twice): {source!r}")
        parts.append(found.group()[0] if found[1] is None else expr.parse(found[1], terms))
        at = found.end()
    parts.append(source[at:])
    return tuple(part for part in parts if part != "")


def _list(value: str | Iterable[str]) -> tuple[str, ...]:
    return (value,) if isinstance(value, str) else tuple(value)
