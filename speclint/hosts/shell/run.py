"""Statements of the shell: assignments, branches, loops, functions, and the commands they lead to."""

from __future__ import annotations

from speclint.hosts.shell import sourcing
from speclint.hosts.shell.assign import Assignments
from speclint.hosts.shell.branches import Branches
from speclint.hosts.shell.calls import CHANGING, builtin, goes_on, herestring, redirected
from speclint.hosts.shell.loops import Loops
from speclint.hosts.shell.need import TRIGGER, Need, tells
from speclint.hosts.shell.reading import Reading
from speclint.lean import pattern
from speclint.words import Command
from speclint.worlds import settled

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any, ClassVar

    from tree_sitter import Node

    from speclint.hosts.shell.env import Env
    from speclint.hosts.shell.syntax import Syntax
    from speclint.text import Span
    from speclint.value import Value
    from speclint.words import Word

_MAX_CALLS = 6
_EXPORTS = pattern(rb"\bexport\b|[ \t]-\w*x")
# The name of a command as most are written, and what sets a variable within its words.
_NAME = pattern(rb"[\w./][\w./-]*")
_SETS = pattern(rb":=|\(\(|\$\[|\$\{\w+=")
# What runs that which it reads.
_READERS = (b"sh", b"sbatch")


class Runner(Branches, Loops, Reading):
    """Follows one piece of shell text.

    A function that is called twice gives each of its commands twice, each with the call that led to it.
    """

    def __init__(self, syntax: Syntax, env: Env, base: Command, depth: int) -> None:
        super().__init__(syntax, env)
        self.base = base
        self.depth = depth
        self.found: list[Command] = []
        self.caller = base.run
        self._need: tuple[int, Need] | None = None
        self.called: set[str] = set()
        self.calls = 0
        # All scripts that are read in, where that is known before; what does not matter is passed over then.
        self.before: list[Syntax] | None = None
        self.scouts = False  # only what is read in is looked for
        self._plain = False  # a command starts something only if its own text tells that

    @property
    def need(self) -> Need:
        """Which functions matter; told anew when a file was read in."""
        count = len(self.sources if self.before is None else self.before)
        if self._need is None or self._need[0] != count:
            tainted = [name for name, value in self.base.env.items() if tells(value)]
            need = Need(
                (self.own, *(self.sources if self.before is None else self.before)), tainted, self.own.text.holes()
            )
            self._need = count, need
        return self._need[1]

    def script(self, shown: bool = False, every: bool = False) -> None:
        """Follow the text up to the last statement that may start a launch; if ``shown``, to one that exports.

        ``every``: commands that start nothing are wanted too.
        """
        statements = self.own.root.named_children
        end, told = len(statements) - 1, -1
        for index, node in enumerate(statements):
            if told != len(self.sources) and (self.before is None or told < 0):
                end, told = self.need.last(statements), len(self.sources)
                self._plain = not every and self.need.is_plain(statements)
                if shown and any(_EXPORTS.search(node.text or b"") for node in statements[end + 1 :]):
                    end = len(statements) - 1
            if index > end:
                return
            self.run(node)

    def narrow(self, small: int = 0) -> None:
        """Pass over what does not matter, as all scripts say together that are read in; not in ``small`` bytes."""
        statements = self.own.root.named_children
        if self.own.path is None and self.need.is_plain(statements):
            last = self.need.last(statements)
            if last < 0 or statements[last].end_byte <= small:
                return
        self.before = sourcing.gather(self)
        self.need.narrow()

    def finish(self) -> list[Command]:
        """The commands found, with those of functions, or of branches of them, that no call here leads to."""
        from speclint.hosts.nested import commands

        every = [*self.env.functions.items(), *((n, other) for n, others in self.rivals.items() for other in others)]
        for name, (syntax, body) in every:
            if syntax is not self.own or not self.need.launches(name):
                continue
            if name not in self.called:
                self.alone(body)
            elif self._misses(body):
                found, self.found = self.found, []
                self.alone(body)
                met = {command.span for command in found}
                self.found = [*found, *(command for command in self.found if command.span not in met)]
        self._unused()
        if self.sources:
            sourcing.settle(self)
        return [inner for command in self.found for fork in command.forks() for inner in commands(fork, self.depth)]

    def alone(self, body: Node) -> None:
        """Follow the body of a function with arguments that are not known."""
        outer = self.env
        self.env = outer.copy()
        self.env.ended, self.env.positional = False, None
        self.run(body)
        self.env = outer

    def _misses(self, body: Node) -> bool:
        """Whether a function holds what tells a launch where no command was found."""
        text = self.syntax.mapped(body)
        spans = [command.span for command in self.found]
        for told in TRIGGER.finditer(text.text):
            place = text.place(*told.span())
            if place is not None and not any(
                span.file is place.file and span.start <= place.start and place.end <= span.end for span in spans
            ):
                return True
        return False

    def _unused(self) -> None:
        """Arrays that nothing here reads: words of a command that stands elsewhere."""
        for name, (items, node) in self.kept.items():
            span = self.syntax.span(node)
            if span is not None and items and not any(s.uses(name) for s in (self.syntax, *self.sources)):
                found = self.base.replace(items)
                found.span = found.site = span
                self.found.append(found)

    def _command(self, node: Node) -> None:
        if not (self._plain and self._is_idle(node)):
            self.emit(node, [])

    def _is_idle(self, node: Node) -> bool:
        """Whether a command of a script that is plain starts no launch, and changes nothing that one reads."""
        first = node.named_child(0)
        if first is None or first.type != "command_name" or self.syntax.tells(node) or node.has_error:
            return False
        name, text = first.text or b"", node.text or b""
        return _NAME.fullmatch(name) is not None and name not in CHANGING and _SETS.search(text) is None

    def emit(self, node: Node, more: Sequence[Node]) -> None:
        """A command and the words after its redirections."""
        env, words = self.read(node, more)
        if not words:
            for name, value in env.items():
                self.env.assign(name, value)
            return
        function = self.env.functions.get(words[0].text or "")
        if function is not None:
            outer = self.env
            if goes_on(node):  # what it sets is lost, as in a subshell
                self.env = outer.copy()
            self._call(node, function, words, env)
            self.env = outer
        else:
            self._program(node, more, words, env)

    def _program(self, node: Node, more: Sequence[Node], words: Sequence[Word], env: dict[str, Value]) -> None:
        """A command that is no function of the scripts."""
        name = words[0].text or ""
        if name in ("source", "."):
            sourcing.follow(self, node, words)
        elif not builtin(self, name, words, node):
            self._found(node, more, words, env)

    def _found(self, node: Node, more: Sequence[Node], words: Sequence[Word], env: dict[str, Value]) -> None:
        base = self.base
        span = self.place or self._span(node, more)
        away = self.place is not None
        if span.file is not base.span.file:
            # Text of another file, run from here.
            span, away = base.span, True
        env = {**self.env.exported(), **env}
        words = self.env.settled(words)
        env = {name: settled(value, self.env.taken) for name, value in env.items()} if self.env.taken else env
        fixable = base.fixable and not node.has_error and not away
        site = None if self.depth == 0 else base.site
        found = Command(words, span, base.host, env, base.object, base.image, None, fixable, self.caller, site)
        found.flaw, found.pod, found.kept = base.flaw, base.pod, self.env.kept()
        found.done = base.done if base.image is None else base.done or ()
        if not away:
            found.within = self.syntax.bounds(node, more[-1] if more else node)
        elif self.place is not None and not sourcing.concerns(found, span.file):
            return
        self.found.append(found)
        herestring(self, node)

    def _span(self, node: Node, more: Sequence[Node]) -> Span:
        span = self.syntax.span(node)
        if span is not None and more:
            return span.to(self.syntax.span(more[-1]))
        return span if span is not None else self.base.span

    def _call(self, node: Node, function: tuple[Syntax, Node], words: Sequence[Word], env: dict[str, Value]) -> None:
        """A function of this file: its body with the words of the call as ``$1`` and so on."""
        name = words[0].text or ""
        self.called.add(name)
        given = any(w.many or tells(w.value) for w in words[1:])
        if self.calls >= _MAX_CALLS or not (given or self.need.matters(name)):
            return
        self.calls += 1
        outer = self.env.positional, self.caller
        taken = self.env.taken
        self.env.forget(n for n in self.env.outside if not n.isidentifier())
        written = self.syntax, self.place
        hidden = self.env.enter()
        for key, value in env.items():
            self.env.hide(key)
            self.env.assign(key, value)
            self.env.export(key)
        self.env.positional, self.caller = tuple(words[1:]), f"`{self.label(node)}` calls it"
        place = self.place or written[0].span(node)
        rivals = self.rivals.get(name)
        if rivals:
            from speclint.hosts.shell import rivalry

            rivalry.call(self, name, [*rivals, function], place)
        else:
            self.follow(function, place)
        self.env.leave(hidden)
        self.syntax, self.place = written
        self.env.positional, self.caller = outer
        self.env.taken, self.env.ended = taken, False
        self.calls -= 1

    def follow(self, function: tuple[Syntax, Node], place: Span | None) -> None:
        """The body of a function that is called from a place."""
        self.syntax, body = function
        self.place = None if self.syntax is self.own else place
        self.run(body)

    def _define(self, node: Node) -> None:
        name, body = node.child_by_field_name("name"), node.child_by_field_name("body")
        if name is not None and body is not None:
            key = self.syntax.string(name)
            if key in self.env.functions:
                from speclint.hosts.shell import rivalry

                rivalry.define(self, key, node)
            self.env.functions[key] = (self.syntax, body)

    def _pipeline(self, node: Node) -> None:
        children = node.named_children
        for child in children:
            self.apart([child])
        if len(children) > 1 and self.syntax.holds(children[-1], *_READERS):
            from speclint.hosts.shell import feeding

            feeding.pipe(self, children)

    def _redirected(self, node: Node) -> None:
        redirected(self, node)

    def _subshell(self, node: Node) -> None:
        self.apart(node.named_children)

    def _nothing(self, node: Node) -> None:
        """What starts nothing and sets nothing."""

    handlers: ClassVar[Mapping[str, Callable[[Any, Node], None]]] = {
        "command": _command,
        "variable_assignment": Assignments._assignment,
        "declaration_command": Assignments._declaration,
        "unset_command": Assignments._unset,
        "if_statement": Branches._if,
        "case_statement": Branches._case,
        "for_statement": Loops._for,
        "while_statement": Loops._while,
        "c_style_for_statement": Loops._counted,
        "compound_statement": Loops._compound,
        "list": Branches._list,
        "function_definition": _define,
        "subshell": _subshell,
        "pipeline": _pipeline,
        "redirected_statement": _redirected,
        "comment": _nothing,
        "test_command": _nothing,
    }
