"""What commands print, where the text tells it: ``echo`` and ``printf`` of words, ``cat`` of a here-document, and
functions that do nothing else.

What was printed is kept as a variable of a name that no script has, so that branches join it as they join all others.
"""

from __future__ import annotations

from speclint.hosts.bounds import bounded
from speclint.hosts.shell.calls import builtin, strip_newlines
from speclint.hosts.shell.run import Runner
from speclint.hosts.shell.survey import is_told
from speclint.hosts.shell.syntax import literal
from speclint.lean import pattern, re
from speclint.text import Mapped
from speclint.value import EMPTY, Joined, Known, OneOf, Unknown, join
from speclint.words import as_text
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
_ECHO = pattern(r"-[neE]+")
# Where something other than errors goes elsewhere than to where it is read.
_AWAY = pattern(r"(?:1?>|&>)")
_ESCAPE = pattern(r"\\.", re.DOTALL)
_FORMAT = pattern(r"%(?:[sd]|%)|\\.|%|[^%\\]+")
_ESCAPES = {"\\n": "\n", "\\t": "\t", "\\\\": "\\", '\\"': '"'}
_NUMBER = pattern(r"0|-?[1-9]\d{0,6}")
_MAX_NUMBERS = 512
_MAX_CALLS = 6
_MAX_STEPS = 4_000
_MAX_CHOICES = 3


class _UntoldError(Exception):
    """What is printed cannot be told from the text."""


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
    except _UntoldError:
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
            raise _UntoldError
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
                    raise _UntoldError

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
        if name in _PRINTERS and not (name == "printf" and any(w.text == "-v" for w in words[:2])):
            printed = _echo(words[1:], self.base.host == "dockerfile") if name == "echo" else _PRINTERS[name](words[1:])
            self.out = bounded(join([self.out, *printed]))
        elif name not in _SILENT and not builtin(self, name, words, node):
            raise _UntoldError

    def _call(self, node: Node, function: tuple[Syntax, Node], words: Sequence[Word], env: dict[str, Value]) -> None:
        syntax, body = function
        around = body.parent if words[0].text not in self.rivals else None
        if syntax is not self.syntax or self.calls >= _MAX_CALLS or around is None or not is_told(around.text or b""):
            raise _UntoldError
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

    def _simple(self, node: Node) -> None:
        self.emit(node, [])

    def _redirected(self, node: Node) -> None:
        from speclint.hosts.shell.documents import value_of

        body, redirects = node.child_by_field_name("body"), node.children_by_field_name("redirect")
        heredoc = next((r for r in redirects if r.type == "heredoc_redirect"), None)
        if body is None:
            raise _UntoldError
        if heredoc is not None:
            value = value_of(self, heredoc) if len(redirects) == 1 else None
            if value is None or self.syntax.string(body).strip() != "cat":
                raise _UntoldError
            self.out = join([self.out, value])
            return
        if any(len(r.children_by_field_name("destination")) > 1 for r in redirects):
            raise _UntoldError  # words of the command stand behind it
        before = self.out
        self.run(body)
        if any(_AWAY.match(self.syntax.string(redirect).strip()) for redirect in redirects):
            self.out = before

    def _untold(self, node: Node) -> None:
        raise _UntoldError

    handlers: ClassVar[Mapping[str, Callable[[Any, Node], None]]] = {
        **Runner.handlers,
        "command": _simple,
        "redirected_statement": _redirected,
        **dict.fromkeys(("pipeline", "for_statement", "while_statement", "c_style_for_statement"), _untold),
        "function_definition": _untold,
    }


def _echo(words: Sequence[Word], escapes: bool = False) -> list[Value]:
    """``escapes``: the shell has an ``echo`` that reads them unasked, as ``sh`` of an image mostly does."""
    end = "\n"
    while words and _ECHO.fullmatch(words[0].text or ""):
        escapes = escapes or "e" in (words[0].text or "")
        end = "" if "n" in (words[0].text or "") else end
        words = words[1:]
    text = as_text(words)
    if escapes and "\\" in text.text:
        text = _escaped(text)
    return [*_values(text), Known(Mapped.new(end))]


def _escaped(text: Mapped) -> Mapped:
    """The text with what its backslashes stand for."""
    parts: list[Mapped] = []
    at = 0
    for found in _ESCAPE.finditer(text.text):
        made = _ESCAPES.get(found.group())
        if made is None or made == '"':
            raise _UntoldError
        parts += [text[at : found.start()], Mapped.new(made)]
        at = found.end()
    return Mapped.join([*parts, text[at:]])


def _printf(words: Sequence[Word]) -> list[Value]:
    """``printf FORMAT WORD …``: the format is gone through until no word is left."""
    if words and words[0].text == "--":
        words = words[1:]
    given = words[0].value if words and not words[0].guard else None
    if not isinstance(given, Known):
        raise _UntoldError
    pieces = [(found.group(), *found.span()) for found in _FORMAT.finditer(given.text.text)]
    takes = sum(text in ("%s", "%d") for text, _, _ in pieces)
    open_ = any(word.many or word.guard for word in words)
    # Any number of words, each with text of the format around it, is no word of which that text is a part.
    fixed = any(text.strip() and text[0] not in "%\\" for text, _, _ in pieces)
    if open_ and (takes != 1 or (fixed and any(word.many for word in words))):
        raise _UntoldError
    if not open_:
        return _printed(given, pieces, list(words[1:]), takes)
    done: list[Value] = []
    for word in words[1:]:  # each has the format for itself
        value = join(_printed(given, pieces, [word], takes))
        for choice, arm in reversed(word.guard):
            value = OneOf(choice, [value if i == arm else EMPTY for i in range(len(choice.labels))])
        done.append(value)
    return done


def _printed(given: Known, pieces: Sequence[tuple[str, int, int]], rest: list[Word], takes: int) -> list[Value]:
    """What a format makes of words that are there."""
    done: list[Value] = []
    while True:
        for text, start, end in pieces:
            if text in ("%s", "%d"):
                done += [rest.pop(0).value] if rest else []
            elif text == "%" or (text[0] == "\\" and text not in _ESCAPES):
                raise _UntoldError
            elif text == "%%" or text in _ESCAPES:
                done.append(Known(Mapped.new(_ESCAPES.get(text, "%"))))
            else:
                done.append(Known(given.text[start:end], given.steps))
        if not rest or not takes:
            return done


def _seq(words: Sequence[Word]) -> list[Value]:
    """``seq -s, FIRST STEP LAST``: whole numbers, each on a line of its own or with something between them."""
    texts = [word.text or "" if not word.guard else "" for word in words]
    between = "\n"
    if texts and texts[0].startswith("-s"):
        between = texts[0][2:] or "".join(texts[1:2])
        texts = texts[1:] if texts[0] != "-s" else texts[2:]
    if not (1 <= len(texts) <= 3 and between and all(_NUMBER.fullmatch(text) for text in texts)):
        raise _UntoldError
    numbers = [int(text) for text in texts]
    first, step, last = (1, 1, *numbers)[-3:] if len(numbers) != 2 else (numbers[0], 1, numbers[1])
    found = range(first, last + (1 if step > 0 else -1), step) if step else range(0)
    if not 0 < len(found) <= _MAX_NUMBERS:
        raise _UntoldError
    return [Known(Mapped.new(between.join(map(str, found)) + "\n"))]


def _cat(words: Sequence[Word]) -> list[Value]:
    raise _UntoldError  # of a file; here-documents are met before


def _path(name: str, words: Sequence[Word]) -> list[Value]:
    """``basename PATH``, ``dirname PATH``."""
    from speclint.hosts.shell import pathnames

    value = pathnames.printed(name, words)
    if value is None:
        raise _UntoldError
    return [value, Known(Mapped.new("\n"))]


_PRINTERS: dict[str, Callable[[Sequence[Word]], list[Value]]] = {
    "echo": _echo,
    "printf": _printf,
    "cat": _cat,
    "seq": _seq,
    "basename": lambda words: _path("basename", words),
    "dirname": lambda words: _path("dirname", words),
}


def _values(text: Mapped) -> list[Value]:
    return [value for value, _ in literal(text, True)]
