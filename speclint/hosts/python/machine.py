"""The reader's view of a module while it goes through it: names, containers, functions and what was run."""

from __future__ import annotations

from speclint.hosts.python.facts import plain, truth
from speclint.hosts.python.fragments import Fragments
from speclint.hosts.python.launches import Launches
from speclint.hosts.python.state import State, merge_items
from speclint.hosts.python.values import (
    MAX_ITEMS,
    Alt,
    Args,
    Class,
    Func,
    Instance,
    Map,
    Scope,
    Seq,
    Text,
    alt,
    several,
    unknown,
    value_of,
)
from speclint.pyast import ast
from speclint.value import Choice, Definition, Known, Step, Unknown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from speclint.hosts.python.calls import Arguments
    from speclint.hosts.python.index import Index
    from speclint.hosts.python.source import Source
    from speclint.hosts.python.state import Cell, Key
    from speclint.hosts.python.values import Item, Obj
    from speclint.text import Span
    from speclint.value import Needs
    from speclint.words import Command

# Nodes that may be looked at more than once (loops unrolled, functions followed) before the rest is read once only.
BUDGET = 8_000
MAX_DEPTH = 4
# What differs between more classes than this that derive from one another is not known.
_MAX_CLASSES = 8


class Frame:
    """A function as it is followed: ``returns`` are results of branches that the rest could not be told from,
    ``kept`` the variables that hold a command, ``asked`` whether anyone asks for what it returns, ``jumps`` how often
    the round of a loop may or may not end before its end, ``yields`` what a generator has yielded so far.
    """

    __slots__ = ("asked", "func", "jumps", "kept", "returns", "yields")

    def __init__(self, func: Func | None, asked: bool = True) -> None:
        self.func = func
        self.asked = asked
        self.jumps = 0
        self.yields: Seq | None = None
        self.returns: list[Obj] = []
        self.kept: dict[Key, ast.stmt] = {}


class Machine:
    """State of one reading.

    ``objects``: dictionaries are objects, and what they hold is called as their methods are. ``record``: launches met
    are noted. It is off while a loop or function is followed only for what it leaves behind, so that each place is
    noted once.
    """

    objects = False

    def __init__(self, source: Source, index: Index, base: Command) -> None:
        self.source = source
        self.index = index
        self.base = base
        self.state = State()
        self.module = Scope(None, None)
        self.scope = self.module
        self.frame = Frame(None)
        self.record = True
        self.depth = 0
        self.budget = BUDGET
        self.environ = self.state.new_map(())
        self.funcs: list[Func] = []
        # What the constructor of an engine was given last, by a class that derives from it.
        self.passed: Arguments | None = None
        self.classes: list[Class] = []
        # Attributes that are set of one of several objects by others than its methods.
        self.apart: set[str] = set()
        self.active: set[ast.AST] = set()
        self.done: set[ast.AST] = set()
        # What cells held that a function sets, where it was followed first and is read later.
        self.before: dict[ast.AST, list[tuple[Key, Cell]]] = {}
        self.calls: dict[ast.AST, list[tuple[dict[str, Obj], Span, str]]] = {}
        self.statement: ast.stmt | None = None
        self.launches = Launches(self)
        self.fragments = Fragments(self)
        # What conditions ask, and those that others negate: they are asked again wherever code is followed again.
        self.asked: dict[ast.expr, tuple[object, list[ast.Name | ast.Attribute]]] = {}
        self.plain: dict[ast.expr, tuple[ast.expr, str]] = {}
        # What is read again wherever code is followed again.
        self.constants: dict[ast.Constant, Obj] = {}
        self.inert: dict[ast.stmt, frozenset[str] | None] = {}
        self.keys: dict[ast.keyword, tuple[Text, Span]] = {}
        self.calling: dict[ast.expr, bool] = {}
        self.stored: dict[ast.AST, dict[str, list[ast.expr | None]]] = {}
        self.picked: dict[tuple[Map, Text], Choice] = {}
        self._defaults: dict[str, Choice] = {}
        self._tests: dict[object, tuple[Choice, Sequence[object]]] = {}
        self._families: dict[Class, Choice] = {}

    # ---- names

    def find(self, name: str, scope: Scope | None = None) -> tuple[Scope, Obj] | None:
        """The scope that binds a name, and what it holds."""
        here = scope or self.scope
        at: Scope | None = here
        while at is not None:
            # A class body's names are not seen from its methods.
            if at is here or at.node.__class__ is not ast.ClassDef:
                key = (at, name)
                state: State | None = self.state
                while state is not None:  # as State.get does: nothing is asked as often as this
                    found = state.writes.get(key)
                    if found is not None:
                        return at, found  # type: ignore[return-value]
                    state = state.parent
            at = at.outer
        return None

    def bind(self, name: str, obj: Obj) -> None:
        """Bind a name in the scope that is being read; in the body of a class it is an attribute too."""
        scope = self.scope.elsewhere.get(name, self.scope)
        self.state.set((scope, name), obj)
        if scope.cls is not None:
            self.state.set((scope.cls, name), obj)

    def attribute(self, cls: Class, name: str) -> Obj | None:
        """An attribute of a class or of its bases in the module."""
        for each in lineage(cls):
            found = self.state.obj((each, name))
            if found is not None:
                return found
        return None

    def member(self, instance: Instance, name: str) -> Obj | None:
        """An attribute seen through ``self`` or ``cls``."""
        found = self.state.obj((instance, name)) if instance.own else None
        if found is not None:
            return found
        if name in self.apart and not instance.own:
            return unknown(f"`{name}` is set of one of several objects")
        if instance.family is None:
            found = self._bound(self.attribute(instance.cls, name), instance)
            return self._overridable(instance.cls, name, found)
        choice, classes = instance.family
        arms = [self.attribute(cls, name) for cls in classes]
        if self.index.stores_attribute(name):
            from speclint.hosts.python import families

            arms = [families.own(self, cls, name) or arm for cls, arm in zip(classes, arms, strict=True)]
        first = arms[0]
        if all(arm is first for arm in arms):
            return self._bound(first, instance)
        if len(arms) > _MAX_CLASSES or any(isinstance(arm, Func) for arm in arms):
            return unknown(f"`{name}` differs between the classes derived from `{instance.cls.name}`")
        missing = unknown(f"`{name}` is not set in every class")
        return alt(choice, [missing if arm is None else arm for arm in arms])

    def held(self, base: Obj, name: str) -> Obj | None:
        """What an attribute of an object of the module holds."""
        if isinstance(base, Instance):
            return self.member(base, name)
        if isinstance(base, Class):
            found = self.attribute(base, name)
            return self._bound(found, Instance(base)) if isinstance(found, Func) and found.has("classmethod") else found
        if isinstance(base, Map):  # a configuration whose keys are attributes
            from speclint.hosts.python.containers import lookup

            return lookup(self, base, name)
        return self.state.obj((base.parser, name)) if isinstance(base, Args) else None

    def _overridable(self, cls: Class, name: str, found: Obj | None) -> Obj | None:
        """A class attribute that a derived class in another file may set: it is only a default there."""
        if (
            not isinstance(found, (Text, Alt, Seq, Map))
            or self.index.stores_attribute(name)
            or self.index.is_final(cls.node)
        ):
            return found
        nothing = isinstance(found, (Seq, Map)) and not self.state.items(found)
        if nothing or (isinstance(found, Text) and (found.kind == "none" or plain(found) == "")):
            return unknown(f"`{name}` is set by a derived class")
        span = self.source.span(cls.node)
        choice = self.default_choice(
            f"{cls.name}.{name}@{span.start}",
            f"`{name}` is that of `{cls.name}`",
            f"a derived class sets `{name}`",
            span,
        )
        given = unknown(f"a derived class may set another `{name}`")
        return found if isinstance(found, Alt) and found.choice.kind == "default" else alt(choice, [found, given])

    def _bound(self, obj: Obj | None, instance: Instance) -> Obj | None:
        return Func(obj.node, obj.scope, obj.owner, instance) if isinstance(obj, Func) and obj.owner else obj

    # ---- containers

    def items(self, obj: Obj, span: Span | None) -> tuple[Item, ...]:
        """The elements of a list as they are spliced into another."""
        if isinstance(obj, Seq):
            return self.state.items(obj)
        if isinstance(obj, Map):
            return tuple(e for e in self.state.items(obj))
        if isinstance(obj, Alt):
            arms = [self.items(arm, span) for arm in obj.arms]
            if sum(map(len, arms)) > MAX_ITEMS:
                return (several("the list is too long to follow", span),)
            return merge_items(obj.choice, arms)
        if isinstance(obj, Text) and obj.kind == "none":
            return ()
        value = value_of(obj)
        reason = value.reason if isinstance(value, Unknown) else "it is not a list that can be followed"
        return (several(reason, span),)

    def containers(self, obj: Obj, kind: type[Seq] | type[Map]) -> list[Seq | Map]:
        """The lists (or dictionaries) that an object may be, each once, however many ways lead to it."""
        if isinstance(obj, Alt):
            return list(dict.fromkeys(c for arm in obj.arms for c in self.containers(arm, kind)))
        return [obj] if isinstance(obj, kind) else []

    def extend(self, obj: Obj, items: Sequence[Item], at: int | None = None) -> None:
        """Add items to a list, at its end or before index ``at``."""
        for seq in self.containers(obj, Seq):
            old = self.state.items(seq)
            if at is None:
                self.state.set(seq, (*old, *items))
            elif any(i.guard or i.many for i in old[: at if at >= 0 else None]):
                self.state.set(seq, (*old, several("the place of insertion is not known", None)))
            else:
                self.state.set(seq, (*old[:at], *items, *old[at:]))

    # ---- choices

    def default_choice(self, key: str, keeps: str, other: str, span: Span | None) -> Choice:
        """The choice between a default and another value, one for each ``key``."""
        if key not in self._defaults:
            self._defaults[key] = Choice("default", (keeps, other), span)
        return self._defaults[key]

    def default(self, name: str, obj: Obj, span: Span | None) -> Obj:
        """A parameter or option that has a default."""
        key = f"{name}@{span.start if span else 0}"
        choice = self._defaults.get(key)
        if choice is None:
            choice = self.default_choice(key, f"`{name}` keeps its default", f"`{name}` is given", span)
        given = Text(Unknown(f"`{name}` may be given another value than its default"), _kind(obj))
        return alt(choice, [stepped_default(obj, name, span), given])

    def test_choice(
        self,
        form: object,
        asked: Sequence[object],
        shown: str,
        span: Span,
        needs: Callable[[], Sequence[Needs]],
        asks: Callable[[], str],
    ) -> Choice:
        """The choice that a condition makes, which reads as ``shown``; the same for the same one of the same values."""
        key = (form, tuple(map(id, asked)))
        found = self._tests.get(key)
        if found is None:
            labels = (f"`{shown}` holds", f"`{shown}` does not hold")
            # What was asked is kept, so that no other object takes its identity.
            found = self._tests[key] = (Choice("branch", labels, span, needs, asks()), asked)
        return found[0]

    def emit(self, obj: Obj, how: str) -> None:
        """Note a command that is kept ("bound"), passed on ("passed") or returned ("returned")."""
        self.launches.note(obj, how)

    def family_choice(self, cls: Class, names: Sequence[str]) -> Choice:
        """The choice between a class and those derived from it."""
        if cls not in self._families:
            self._families[cls] = Choice("branch", [f"the class is `{n}`" for n in names], self.source.span(cls.node))
        return self._families[cls]

    # ---- steps

    def definition(self, name: str, node: ast.AST, uses: int) -> Step:
        """The step of a value that is bound to a name."""
        span = self.source.span(node)
        shared = self.scope is self.module and not name.isupper() and name.startswith("__")
        note = f"set by `{self.source.snippet(node)}`"
        return Step("assigned", note, span, Definition(name, span, uses, shared or name in self.index.exported))

    def truth(self, obj: Obj) -> bool | None:
        """Whether an object is true; None if it cannot be told."""
        if isinstance(obj, (Seq, Map)):
            items = self.state.items(obj)
            if any(not i.guard and not i.many for i in items):
                return True
            return None if items else False
        if isinstance(obj, Alt):
            found = {self.truth(arm) for arm in obj.arms}
            return found.pop() if len(found) == 1 else None
        return truth(obj)

    def spend(self) -> bool:
        """Count a node that is looked at once more; False when too many were."""
        self.budget -= not self.record
        return self.budget > 0


def lineage(cls: Class) -> list[Class]:
    """A class and its bases in the module, nearest first."""
    found: dict[Class, None] = {}
    todo = [cls]
    while todo:
        item = todo.pop(0)
        if item not in found:
            found[item] = None
            todo.extend(item.bases)
    return list(found)


def _kind(obj: Obj) -> str | None:
    if not isinstance(obj, Text):
        return None
    return "given" if obj.kind == "none" else obj.kind if obj.kind in ("int", "float", "str") else None


def stepped_default(obj: Obj, name: str, span: Span | None) -> Obj:
    """A default with the step that says so."""
    if isinstance(obj, Text) and isinstance(obj.value, Known):
        step = Step("default", f"the default of `{name}`", span)
        return Text(Known(obj.value.text, (*obj.value.steps, step)), obj.kind)
    return obj
