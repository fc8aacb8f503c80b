"""The variables of a shell script at one point of it."""

from __future__ import annotations

from speclint.hosts.bounds import bounded, bounded_words
from speclint.merging import merge
from speclint.value import EMPTY, OneOf, Unknown
from speclint.words import Word, many, merge_words
from speclint.worlds import choices, only

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

    from tree_sitter import Node

    from speclint.hosts.shell.paths import Project
    from speclint.hosts.shell.syntax import Syntax
    from speclint.value import Choice, Value

# How the names of variables begin that are SGLang's own.
_SERVERS = ("SGLANG_", "SGL_")
# The words of `"$@"` where a script sets none.
CALLER = many("`$@` is given by the caller", None)


class Variable:
    """What a name holds: a ``value``, or the ``items`` of an array. Never changed, only replaced.

    ``path``: of a value that names a file by the place of the script, the path seen from there. ``keyed``: of an array
    by keys its elements, where they are known.
    """

    __slots__ = ("exported", "items", "keyed", "path", "value")

    def __init__(
        self,
        value: Value | None,
        items: tuple[Word, ...] | None = None,
        exported: bool = False,
        path: str | None = None,
        keyed: dict[str, Value] | None = None,
    ) -> None:
        self.keyed = keyed
        self.value = value
        self.items = items
        self.exported = exported
        self.path = path

    def scalar(self) -> Value:
        """The value; of an array its first element, as the shell takes it."""
        if self.value is not None:
            return self.value
        if self.items == ():
            return EMPTY
        if self.items and not self.items[0].guard and not self.items[0].many:
            return self.items[0].value
        return Unknown("it is the first element of an array that is not known")

    def words(self) -> tuple[Word, ...]:
        """The elements; a plain value is an array of one."""
        if self.items is not None:
            return self.items
        return (Word(self.scalar(), None),)


class Variables:
    """Names to variables: what is set here, above what was set before.

    What lies below stays as it is while this is in use, so that a branch costs what it sets and not what there is.
    """

    __slots__ = ("_below", "own")

    def __init__(self, below: Variables | None = None) -> None:
        self._below = below
        self.own: dict[str, Variable] = {}

    def get(self, name: str) -> Variable | None:
        """What a name holds."""
        layer: Variables | None = self
        while layer is not None:
            found = layer.own.get(name)
            if found is not None:
                return found
            layer = layer._below
        return None

    def __setitem__(self, name: str, variable: Variable) -> None:
        self.own[name] = variable

    def every(self) -> dict[str, Variable]:
        """All names, those set first in front."""
        layers: list[Variables] = [self]
        while layers[-1]._below is not None:
            layers.append(layers[-1]._below)
        found: dict[str, Variable] = {}
        for layer in reversed(layers):
            found.update(layer.own)
        return found


class Env:
    """Names to variables, the words of ``$@`` (None at the level of a script: the caller's), and functions.

    ``project``: the files around the script; None where nothing asks for them. ``taken``: the ways that choices can
    only have gone where this is the environment; replaced, never changed. ``exporting``: whatever is set is exported
    (``set -a``); ``later``: names that are exported once they are set. ``hidden``: in a function, what the names that
    are its own had before. ``zsh``: whether variables are expanded as zsh does.
    """

    __slots__ = (
        "_exports", "_own", "ended", "exporting", "functions", "hidden", "later", "outside", "positional", "project",
        "taken", "variables", "zsh",
    )  # fmt: skip

    def __init__(self) -> None:
        self.variables = Variables()
        # Every name that anything exports, in one branch or another: few of many variables are.
        self._exports: dict[str, None] = {}
        # Every name by which a server would be told something and that is set, exported or not.
        self._own: dict[str, None] = {}
        self.functions: dict[str, tuple[Syntax, Node]] = {}
        self.project: Project | None = None
        self.positional: tuple[Word, ...] | None = None
        # Whether a name that the file never sets was set by the caller: one choice a name, for the whole file.
        self.outside: dict[str, Choice] = {}
        self.taken: dict[Choice, int] = {}
        self.hidden: dict[str, Variable | None] | None = None
        self.ended = False
        self.exporting = False
        self.later: frozenset[str] = frozenset()
        self.zsh = False

    def copy(self) -> Env:
        """A copy that a branch may change, while this one stays as it is."""
        new = Env()
        new.variables = Variables(self.variables)
        new._exports = self._exports
        new._own = self._own
        new.functions = self.functions
        new.positional = self.positional
        new.outside = self.outside
        new.taken = self.taken
        new.hidden = self.hidden
        new.ended = self.ended
        new.exporting = self.exporting
        new.later = self.later
        new.project = self.project
        new.zsh = self.zsh
        return new

    def assign(
        self, name: str, value: Value | None, items: tuple[Word, ...] | None = None, path: str | None = None
    ) -> None:
        """Give a name a value or elements; it stays exported if it was."""
        old = self.variables.get(name)
        self.variables[name] = Variable(value, items, old is not None and old.exported, path)
        if name.startswith(_SERVERS):
            self._own[name] = None
        if self.exporting or (old is None and name in self.later):
            self.export(name)
        if self.taken:
            self.forget((name,))

    def hide(self, name: str) -> None:
        """Make a name one of the function's own."""
        if self.hidden is not None:
            self.hidden.setdefault(name, self.variables.get(name))

    def enter(self) -> dict[str, Variable | None] | None:
        """Go on in a function. Returns what ``leave`` is to be given."""
        outer, self.hidden = self.hidden, {}
        return outer

    def leave(self, outer: dict[str, Variable | None] | None) -> None:
        """Go on behind a function: names that were its own are again what they were."""
        for name, variable in (self.hidden or {}).items():
            if variable is not None:
                self.variables[name] = variable
            else:
                self.variables.own.pop(name, None)
        self.hidden = outer

    def settled(self, words: Sequence[Word]) -> Sequence[Word]:
        """The words as they are in the branch that is followed."""
        return [word.settled(self.taken) for word in words if word.holds(self.taken)] if self.taken else words

    def forget(self, names: Iterable[str]) -> None:
        """What was found out of the values that the caller gave to names tells nothing of those they have now."""
        gone = {self.outside.get(name) for name in names}
        self.taken = {choice: arm for choice, arm in self.taken.items() if choice not in gone}

    def export(self, name: str, exported: bool = True) -> None:
        """Hand a name on to the programs that are started, or no longer."""
        old = self.variables.get(name)
        if old is None:
            self.later = self.later | {name} if exported else self.later - {name}
            return
        for value in (old.value,) if not isinstance(old.value, OneOf) else old.value.arms:
            for step in getattr(value, "steps", ()):
                if step.definition is not None and step.definition.name == name:
                    step.definition.shared = True  # every program that is started may read it
        self._exports[name] = None
        self.variables[name] = Variable(old.value, old.items, exported, old.path, old.keyed)

    def given(self, name: str, value: Value) -> None:
        """A variable that whoever runs the text exports to it."""
        self._exports[name] = None
        self.variables[name] = Variable(value, None, True)

    def exported(self) -> dict[str, Value]:
        """The environment that the file sets for the programs it starts."""
        found = ((name, self.variables.get(name)) for name in self._exports)
        return {name: v.value for name, v in found if v is not None and v.exported and v.value is not None}

    def kept(self) -> dict[str, Value]:
        """What would tell a server something and is not handed on to the programs that are started."""
        found = ((name, self.variables.get(name)) for name in self._own)
        return {name: v.value for name, v in found if v is not None and not v.exported and v.value is not None}

    def rule_out(self, choice: Choice, left: Collection[int]) -> None:
        """Go on where a choice can only have gone one of the ways that are left."""
        for name, held in self.variables.every().items():
            if held.value is not None and choice in choices(held.value):
                value = only(held.value, choice, left)
                self.variables[name] = Variable(value, None, held.exported, held.path, held.keyed)

    def take(self, arms: Sequence[Env], choice: Choice) -> None:
        """Go on after a branch: what the arms agree on stays, the rest hangs on ``choice``."""
        going = [(i, arm) for i, arm in enumerate(arms) if not arm.ended]
        if not going:
            self.ended = True
            return
        self.exporting = all(arm.exporting for _, arm in going)
        if len(going) == 1:
            self.variables.own.update(going[0][1].variables.own)
            self.positional = going[0][1].positional
            self.taken = going[0][1].taken
            return
        if len(going) < len(arms):
            choice = choice.some([i for i, _ in going])
        envs = [arm for _, arm in going]
        start = self.variables
        changed = dict.fromkeys(n for env in envs for n, v in env.variables.own.items() if start.get(n) is not v)
        merged = {name: _merge(name, [e.variables.get(name) for e in envs], choice) for name in changed}
        start.own.update(merged)
        if self.taken:
            self.forget(changed)
        first = envs[0].positional
        if all(e.positional is first for e in envs):
            self.positional = first
        else:
            given = [(CALLER,) if e.positional is None else e.positional for e in envs]
            self.positional = bounded_words(merge_words(choice, given))


def _merge(name: str, found: Sequence[Variable | None], choice: Choice) -> Variable:
    first = found[0]
    if first is not None and all(v is first for v in found):
        return first
    exported = any(v is not None and v.exported for v in found)
    if any(v is not None and v.items is not None for v in found):
        words = merge_words(choice, [v.words() if v is not None else () for v in found])
        return Variable(None, bounded_words(words), exported)
    missing = Unknown(f"`{name}` is set in one branch only")
    value = merge(choice, [v.scalar() if v is not None else missing for v in found])
    return Variable(bounded(value), None, exported)
