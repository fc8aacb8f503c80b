"""What commands print, where the text tells it: ``echo`` and ``printf`` of words, ``cat`` of a here-document, and
functions that do nothing else, and what programs make of it that it is passed on to.

What was printed is kept as a variable of a name that no script has, so that branches join it as they join all others.
"""

from __future__ import annotations

from speclint.hosts.bounds import bounded
from speclint.hosts.shell.calls import builtin, strip_newlines
from speclint.hosts.shell.follower import FILTERS
from speclint.hosts.shell.printers import PRINTERS, UntoldError, echo
from speclint.hosts.shell.run import Runner
from speclint.hosts.shell.survey import is_told
from speclint.lean import pattern
from speclint.value import EMPTY, Joined, Unknown, join
from speclint.worlds import choices

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any, ClassVar

    from tree_sitter import Node

    from speclint.hosts.shell.env import Env
    from speclint.hosts.shell.follower import Follower
    from speclint.hosts.shell.syntax import Syntax
    from speclint.value import Choice, Value
    from speclint.words import Word

_OUT = " printed"
_SILENT = frozenset(("true", ":", "false", "test", "[", "cd", "mkdir", "touch", "rm", "sleep", "shopt"))
# Where something other than errors goes elsewhere than to where it is read.
_AWAY = pattern(r"(?:1?>|&>)")
_MAX_CALLS = 6
_MAX_STEPS = 4_000
_MAX_CHOICES = 3


def printed(runner: Follower, node: Node) -> Value | None:
    """What ``$(…)`` stands for: what its commands print, without newlines at its end; None where that is not told."""
    value = output(runner, node)
    return None if value is None else strip_newlines(value)


def output(runner: Follower, node: Node) -> Value | None:
    """All that the commands in ``$(…)`` or ``<(…)`` print; None where that is not told."""
    return output_of(runner, *node.named_children) if runner.may_print(node) else None


def output_of(runner: Follower, *nodes: Node) -> Value | None:
    """The same of statements."""
    if not isinstance(runner, Runner) or (isinstance(runner, Printer) and runner.inside >= _MAX_CALLS):
        return None
    printer = Printer(runner)
    try:
        printer.block(nodes)
        found = printer.out
        # An option is asked of in every world that the choices of its value make: of many it would not be at all.
        parts = found.parts if isinstance(found, Joined) else (found,)
        return found if all(len(choices(part)) <= _MAX_CHOICES for part in parts) else None
    except UntoldError:
        return None
    finally:
        if isinstance(runner, Printer):
            runner.steps = printer.steps  # what others print counts for the whole
        else:
            runner.charge(printer.steps << 4)


class Printer(Runner):
    """Follows commands for what they print, in an environment of their own."""

    def __init__(self, runner: Runner) -> None:
        super().__init__(runner.syntax, runner.env.copy(), runner.base, runner.depth)
        self.definitions = runner.definitions
        self.own = runner.own
        self.odd = runner.odd
        self.sources = runner.sources
        self.rivals = runner.rivals
        self.place = runner.place
        self.out = EMPTY
        # What the command before in a pipeline prints.
        self._fed: Value | None = None
        # What functions print that others print in turn is told again and again.
        self.steps: int = runner.steps if isinstance(runner, Printer) else 0
        self.inside: int = runner.inside + 1 if isinstance(runner, Printer) else 0

    @property
    def out(self) -> Value:
        """What was printed so far."""
        variable = self.env.variables.get(_OUT)
        return variable.scalar() if variable is not None else EMPTY

    @out.setter
    def out(self, value: Value) -> None:
        self.env.assign(_OUT, value)

    def run(self, node: Node) -> None:
        """Follow a node and all in it, whether it matters for something else or not."""
        self.steps += 1
        if self.steps > _MAX_STEPS:
            raise UntoldError
        if self.env.ended:
            return
        handler = self.handlers.get(node.type)
        if handler is None:
            for child in node.named_children:
                self.run(child)
        else:
            handler(self, node)

    def branch(
        self, choice: Choice, arms: Sequence[Callable[[], None]], ways: Sequence[dict[Choice, int]] = ()
    ) -> None:
        """Take every way of a branch; what one printed that ends what it is a part of would be lost."""

        def checked(arm: Callable[[], None]) -> Callable[[], None]:
            def run() -> None:
                arm()
                if self.env.ended:
                    raise UntoldError

            return run

        # What was printed before is no part of the alternatives.
        before, self.out = self.out, EMPTY
        super().branch(choice, [checked(arm) for arm in arms], ways)
        self.out = join([before, self.out])

    def substitution(self, node: Node) -> Value:
        """What ``$(…)`` prints, in what is printed."""
        value = printed(self, node)
        return Unknown(f"it is what `{self.label(node)}` prints") if value is None else value

    def apart(self, nodes: Sequence[Node]) -> None:
        """Follow statements in a subshell: of what they do only what they print stays."""
        outer: Env = self.env
        self.env = outer.copy()
        self.block(nodes)
        value, self.env = self.out, outer
        self.out = value

    def _program(self, node: Node, more: Sequence[Node], words: Sequence[Word], env: dict[str, Value]) -> None:
        name = words[0].text or ""
        if name in FILTERS:
            self._filter(node, name, words[1:])
        elif name in PRINTERS and not (name == "printf" and any(w.text == "-v" for w in words[:2])):
            printed = echo(words[1:], self.base.host == "dockerfile") if name == "echo" else PRINTERS[name](words[1:])
            self.out = bounded(join([self.out, *printed]))
        elif name not in _SILENT and not builtin(self, name, words, node):
            raise UntoldError

    def _call(self, node: Node, function: tuple[Syntax, Node], words: Sequence[Word], env: dict[str, Value]) -> None:
        syntax, body = function
        around = body.parent if words[0].text not in self.rivals else None
        if syntax is not self.syntax or self.calls >= _MAX_CALLS or around is None or not is_told(around.text or b""):
            raise UntoldError
        self.calls += 1
        outer = self.env.positional, self.env.taken
        self.env.forget(n for n in self.env.outside if not n.isidentifier())
        hidden = self.env.enter()
        for key, value in env.items():
            self.env.hide(key)
            self.env.assign(key, value)
        self.env.positional = tuple(words[1:])
        self.run(body)
        self.env.leave(hidden)
        self.env.positional, self.env.taken = outer
        self.env.ended = False
        self.calls -= 1

    def _filter(self, node: Node, name: str, words: Sequence[Word]) -> None:
        """A program that prints what it makes of what it reads."""
        from speclint.hosts.shell import feeding, filters

        given, self._fed = feeding.given(self, node) or self._fed, None
        found = filters.passed(name, words, given) if given is not None else None
        if found is None:
            raise UntoldError
        self.out = join([self.out, found])

    def _pipeline(self, node: Node) -> None:
        """``echo $GPUS | tr , '\\n' | wc -l``: each command prints what it makes of what the one before it printed."""
        commands = [child for child in node.named_children if child.type != "comment"]
        if any(child.type == "|&" for child in node.children):
            raise UntoldError
        before, self.out = self.out, EMPTY
        for i, command in enumerate(commands):
            name = command.child_by_field_name("name")
            if i and (command.type != "command" or name is None or self.syntax.string(name) not in FILTERS):
                raise UntoldError
            self._fed, self.out = self.out if i else None, EMPTY
            self.apart([command])
        self.out = join([before, self.out])

    def _simple(self, node: Node) -> None:
        self.emit(node, [])

    def _redirected(self, node: Node) -> None:
        from speclint.hosts.shell.documents import value_of

        body, redirects = node.child_by_field_name("body"), node.children_by_field_name("redirect")
        heredoc = next((r for r in redirects if r.type == "heredoc_redirect"), None)
        if body is None:
            raise UntoldError
        if heredoc is not None:
            value = value_of(self, heredoc) if len(redirects) == 1 else None
            if value is None or self.syntax.string(body).strip() != "cat":
                raise UntoldError
            self.out = join([self.out, value])
            return
        if any(len(r.children_by_field_name("destination")) > 1 for r in redirects):
            raise UntoldError  # words of the command stand behind it
        before = self.out
        self.run(body)
        if any(_AWAY.match(self.syntax.string(redirect).strip()) for redirect in redirects):
            self.out = before

    def _untold(self, node: Node) -> None:
        raise UntoldError

    handlers: ClassVar[Mapping[str, Callable[[Any, Node], None]]] = {
        **Runner.handlers,
        "command": _simple,
        "redirected_statement": _redirected,
        "pipeline": _pipeline,
        **dict.fromkeys(("for_statement", "while_statement", "c_style_for_statement"), _untold),
        "function_definition": _untold,
    }
