"""Variables that a script sets: assignments, arrays, ``export`` and ``unset``."""

from __future__ import annotations

from speclint.hosts.bounds import MAX_WORDS, TOO_MUCH, bounded, bounded_words, size
from speclint.hosts.shell.env import Variable
from speclint.hosts.shell.follower import Follower
from speclint.hosts.shell.paths import HINT, path_of
from speclint.hosts.shell.syntax import TEXTS
from speclint.lean import pattern
from speclint.value import EMPTY, Definition, Known, Step, Unknown, join, with_step
from speclint.words import Word, many
from speclint.worlds import settled

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from tree_sitter import Node

    from speclint.hosts.shell.env import Env
    from speclint.hosts.shell.syntax import Syntax
    from speclint.text import Span
    from speclint.value import Value

# What makes a name a function's own, unless it says otherwise.
_OWN = frozenset(("local", "declare", "typeset"))
_CHANGED = pattern(r"-\w*[ilu]")
# Children of a command or an array that are no words of it.
NO_WORDS = frozenset(("file_redirect", "herestring_redirect", "heredoc_redirect", "comment", "ERROR"))


class Assignments(Follower):
    """The part of a Runner that sets variables."""

    def __init__(self, syntax: Syntax, env: Env) -> None:
        super().__init__(syntax, env)
        # The place in this text at which another file is run, where one is being followed.
        self.place: Span | None = None
        self.own = syntax
        # Files that were read in, and those of them that are being followed.
        self.sources: list[Syntax] = []
        self.going: list[Syntax] = [syntax]
        self.definitions: list[Definition] = []
        self.kept: dict[str, tuple[tuple[Word, ...], Node]] = {}
        # Names whose values are changed as they are set, with what says so: `declare -i N`.
        self.odd: dict[str, str] = {}

    def words(self, nodes: Sequence[Node]) -> list[Word]:
        """The words that nodes become."""
        raise NotImplementedError

    def _assignment(self, node: Node) -> None:
        target = node.child_by_field_name("name")
        source = node.child_by_field_name("value")
        appends = any(c.type == "+=" for c in node.children)
        if target is None:
            return
        if target.type != "variable_name":
            owner = target.child_by_field_name("name")
            held = self.env.variables.get(self.syntax.string(owner)) if owner is not None else None
            if held is not None and held.keyed is not None and owner is not None:
                from speclint.hosts.shell import keyed

                keyed.given(self, node, target, self.syntax.string(owner), held.keyed)
            elif owner is not None:
                self._element(self.syntax.string(owner))
            return
        name = self.syntax.string(target)
        held = self.env.variables.get(name)
        if held is not None and held.keyed is not None:
            from speclint.hosts.shell import keyed

            keyed.declared(self, node, name)
            return
        if source is not None and source.type == "array":
            # What a branch sets is what the values are there: `[ $N -gt 1 ] && ARGS+=(--nnodes $N)`.
            items = tuple(self.env.settled(self._elements(name, source)))
            if appends:
                old = self.env.variables.get(name)
                items = bounded_words((*(old.words() if old is not None else ()), *items))
                self.charge(len(items))
            self.env.assign(name, None, items)
            if self.place is None:
                self.kept[name] = (items, node)
            return
        _, value = self._named_value(node)
        # The same of `ARGS="$ARGS --nnodes $N"`.
        value = settled(value, self.env.taken) if self.env.taken else value
        if appends:
            old = self.env.variables.get(name)
            if old is not None and old.items is not None:
                self._element(name)
                return
            value = join([old.scalar(), value]) if old is not None else Unknown(f"`{name}` is not set before", None)
        self._give(name, source, bounded(value))
        if name in self.odd:
            self._changed(name, self.odd[name], appends)

    def _give(self, name: str, source: Node | None, value: Value) -> None:
        """Set a name to a value that is written in ``source``."""
        path = None
        if source is not None and self.syntax.path is not None and HINT.match(self.syntax.string(source).lstrip('"')):
            path = path_of(source, self.expander())
        self.charge(size(value))
        self.env.assign(name, value, path=path)

    def _elements(self, name: str, source: Node) -> tuple[Word, ...]:
        """The elements of an array, told that others than launches read them if so."""
        if source.named_child_count > MAX_WORDS:
            return (many(TOO_MUCH, self.syntax.span(source)),)
        words = self.words([c for c in source.named_children if c.type not in NO_WORDS])
        outside = sum(syntax.survey.outside(name) for syntax in dict.fromkeys((self.own, *self.sources)))
        if not outside or self.place is not None:
            return tuple(words)
        place = self.syntax.span(source)
        step = Step("assigned", "", place, Definition("", place, outside + 1))
        return tuple(Word(with_step(w.value, step), w.span, w.guard, w.many) for w in words)

    def _element(self, name: str) -> None:
        """``A[k]=v``: which elements there are is not followed."""
        self.env.assign(name, None, (many(f"elements of `{name}` are set one by one", None),))

    def _named_value(self, node: Node) -> tuple[str | None, Value]:
        target = node.child_by_field_name("name")
        source = node.child_by_field_name("value")
        if target is None or target.type != "variable_name":
            return None, Unknown("it is an element of an array")
        name = self.syntax.string(target)
        if source is None:
            return name, Known(EMPTY.text)  # it is set, though to nothing
        value = self.expander().value(source)
        span = self.syntax.span(source)
        shared = self.place is not None
        syntax = self.syntax
        definition = Definition(name, span, lambda: syntax.uses(name), shared, syntax.span(target))
        if not shared:
            self.definitions.append(definition)
        step = Step("assigned", f"`{name}` is set here", span, definition)
        return name, with_step(value, step)

    def _declaration(self, node: Node) -> None:
        """``export``, ``local``, ``declare``, ``readonly``."""
        flags = "".join(self.syntax.string(c) for c in node.children if c.type == "word")
        kind = node.children[0].type
        withholds = (kind == "export" and "-n" in flags) or flags.startswith("+x")
        exports = not withholds and (kind == "export" or (flags.startswith("-") and "x" in flags))
        hides = kind in _OWN and "g" not in flags
        by_keys = flags.startswith("-") and "A" in flags
        names = flags.startswith("-") and "n" in flags
        for child in node.named_children:
            if hides:
                self._hide(child, flags)
            target = None
            if child.type == "variable_assignment":
                if not by_keys:
                    self._assignment(child)
                target = child.child_by_field_name("name")
            elif child.type == "variable_name":
                target = child
            else:
                names = names or child.type in TEXTS
            if by_keys and target is not None:
                from speclint.hosts.shell import keyed

                keyed.declared(self, child, self.syntax.string(target), _CHANGED.search(flags) is None)
            if target is not None and (exports or withholds):
                self.env.export(self.syntax.string(target), exports)
            if target is not None and _CHANGED.search(flags):
                self._changed(self.syntax.string(target), flags)
        if names:
            from speclint.hosts.shell import naming

            naming.declaration(self, node, flags, hides, exports)

    def _changed(self, name: str, flags: str, appends: bool = False) -> None:
        """What ``declare -i``, ``-l`` and ``-u`` make of a value is not followed; ``appends``: of one that is added."""
        self.odd[name] = flags
        variable = self.env.variables.get(name)
        if variable is not None and isinstance(variable.value, Known):
            text = variable.value.text.text
            same = {"i": text.isdigit() and not appends, "l": text == text.lower(), "u": text == text.upper()}
            if not all(same.get(flag, True) for flag in flags):
                self.env.assign(name, Unknown(f"`{name}` is changed as it is set"))

    def _hide(self, node: Node, flags: str) -> None:
        target = node.child_by_field_name("name") if node.type == "variable_assignment" else node
        if target is None or target.type != "variable_name" or self.env.hidden is None:
            return
        name = self.syntax.string(target)
        new = name not in self.env.hidden
        self.env.hide(name)
        if new and target is node:  # `local X`: it holds nothing of what the name had outside
            self.env.assign(name, None if "a" in flags else EMPTY, () if "a" in flags else None)

    def _unset(self, node: Node) -> None:
        # A library that takes a variable away does so for callers of another kind, and checks what the others need.
        own = self.syntax is self.going[0]
        for child in node.named_children:
            name, mark, _ = self.syntax.string(child).strip("\"'").partition("[")
            if mark and name.isidentifier():
                self._element(name)
            elif child.type == "variable_name":
                old = self.env.variables.get(name)
                nothing = Variable(EMPTY) if old is None or old.items is None else Variable(None, ())
                self.env.variables[name] = nothing if own else Variable(Unknown(f"`{name}` is unset in another script"))
