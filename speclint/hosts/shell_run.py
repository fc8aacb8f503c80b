"""Statements of the shell: assignments, branches, loops, functions, and the commands they lead to."""

from __future__ import annotations

from typing import TYPE_CHECKING

from speclint.hosts.shell_env import Variable, grown
from speclint.hosts.shell_loops import Loops
from speclint.hosts.shell_test import holds
from speclint.hosts.shell_words import Expander
from speclint.text import Span
from speclint.value import Choice, Definition, Known, OneOf, Step, Unknown, join, with_step
from speclint.words import Command, Word

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from tree_sitter import Node

    from speclint.hosts.shell_env import Env
    from speclint.hosts.shell_syntax import Syntax
    from speclint.value import Value

_MAX_CALLS = 6
_MAX_STEPS = 200_000
_LABEL = 60


class Runner(Loops):
    """Follows one piece of shell text.

    Commands are collected by the node they come from: a function called twice gives each of its commands once, with
    alternatives.
    """

    def __init__(self, syntax: Syntax, env: Env, base: Command, depth: int) -> None:
        self.syntax = syntax
        self.env = env
        self.base = base
        self.depth = depth
        self.found: dict[tuple[int, int], list[tuple[str, Command]]] = {}
        self.caller = "the script"
        self.called: set[str] = set()
        self.calls = 0
        self.steps = 0
        self._handlers: dict[str, Callable[[Node], None]] = {
            "command": self._command,
            "variable_assignment": self._assignment,
            "declaration_command": self._declaration,
            "unset_command": self._unset,
            "if_statement": self._if,
            "case_statement": self._case,
            "for_statement": self._for,
            "while_statement": self._while,
            "c_style_for_statement": self._while,
            "list": self._list,
            "function_definition": self._define,
            "subshell": self._apart,
            "pipeline": self._pipeline,
            "redirected_statement": self._redirected,
            "comment": lambda node: None,
            "test_command": lambda node: None,
        }

    def run(self, node: Node) -> None:
        """Follow a node and all in it."""
        self.steps += 1
        if self.steps > _MAX_STEPS or self.env.ended:
            return
        handler = self._handlers.get(node.type)
        if handler is not None:
            handler(node)
            return
        for child in node.named_children:
            self.run(child)

    def finish(self) -> list[Command]:
        """The commands found, with those of functions that nobody calls here."""
        from speclint.hosts.nested import commands
        from speclint.hosts.shell_calls import merged

        for name, body in list(self.env.functions.items()):
            if name not in self.called:
                outer = self.env
                self.env = outer.copy()
                self.env.ended = False
                self.env.positional = None
                self.run(body)
                self.env = outer
        result: list[Command] = []
        for group in self.found.values():
            result.extend(commands(merged(group), self.depth))
        return result

    def expander(self) -> Expander:
        """The words of this text in the present environment."""
        return Expander(self.syntax, self.env, self.substitution)

    def substitution(self, node: Node) -> Value:
        """Follow ``$(…)``; what it prints is known only for ``cat`` of a here-document and ``echo`` of known text."""
        from speclint.hosts.shell_calls import printed

        outer = self.env
        self.env = outer.copy()
        value = printed(self, node)
        if value is None:
            for child in node.named_children:
                self.run(child)
            value = Unknown(f"it is what `{self._label(node)}` prints")
        self.env = outer
        return value

    def label(self, node: Node) -> str:
        """The text of a node for messages."""
        return self._label(node)

    def _label(self, node: Node) -> str:
        text = " ".join(self.syntax.string(node).split())
        return text if len(text) <= _LABEL else text[: _LABEL - 1] + "…"

    def _command(self, node: Node) -> None:
        self.emit(node, [])

    def emit(self, node: Node, more: Sequence[Node], stdin: Value | None = None) -> None:
        """A command and the words after its redirections."""
        from speclint.hosts.shell_calls import builtin

        expander = self.expander()
        env: dict[str, Value] = {}
        words: list[Word] = []
        for child in [*node.named_children, *more]:
            if child.type == "variable_assignment":
                name, value = self._named_value(child)
                if name is not None and isinstance(value, (Known, OneOf, Unknown)):
                    env[name] = value
            elif child.type not in ("file_redirect", "herestring_redirect", "heredoc_redirect", "comment", "ERROR"):
                words.extend(expander.words(child))
        if not words:
            for name, value in env.items():
                self.env.assign(name, value)
            return
        name = words[0].text
        body = self.env.functions.get(name) if name is not None else None
        if body is not None and name is not None:
            outer = self.caller
            self.caller = self._label(node)
            self._call(name, body, words[1:], env)
            self.caller = outer
            return
        if name is not None and builtin(self, name, words):
            return
        span = self._span(node, more)
        if span is None:
            return
        base = self.base
        fixable = base.fixable and not node.has_error
        command = Command(
            words, span, base.host, {**self.env.exported(), **env}, base.object, base.image, None, fixable
        )
        self.found.setdefault((node.start_byte, node.end_byte), []).append((self.caller, command))

    def _span(self, node: Node, more: Sequence[Node]) -> Span | None:
        span = self.syntax.span(node)
        if span is not None and more:
            return span.to(self.syntax.span(more[-1]))
        return span if span is not None else self.base.span

    def _call(self, name: str, body: Node, words: Sequence[Word], env: dict[str, Value]) -> None:
        """A function of this file: its body with the words of the call as ``$1`` and so on."""
        self.called.add(name)
        if self.calls >= _MAX_CALLS:
            return
        self.calls += 1
        outer = self.env.positional
        for key, value in env.items():
            self.env.assign(key, value)
        self.env.positional = tuple(words)
        self.run(body)
        self.env.positional = outer
        self.env.ended = False
        self.calls -= 1

    def _define(self, node: Node) -> None:
        name, body = node.child_by_field_name("name"), node.child_by_field_name("body")
        if name is not None and body is not None:
            self.env.functions[self.syntax.string(name)] = body

    def _assignment(self, node: Node) -> None:
        target = node.child_by_field_name("name")
        source = node.child_by_field_name("value")
        appends = any(c.type == "+=" for c in node.children)
        if target is None:
            return
        if target.type != "variable_name":
            owner = target.child_by_field_name("name")
            if owner is not None:
                self._element(self.syntax.string(owner))
            return
        name = self.syntax.string(target)
        if source is not None and source.type == "array":
            items = self._array(source)
            if appends:
                old = self.env.variables.get(name)
                items = (*(old.words() if old is not None else ()), *items)
            self.env.assign(name, None, items)
            return
        _, value = self._named_value(node)
        if appends:
            old = self.env.variables.get(name)
            if old is not None and old.items is not None:
                self._element(name)
                return
            value = join([old.scalar(), value]) if old is not None else Unknown(f"`{name}` is not set before", None)
        self.env.assign(name, value)

    def _element(self, name: str) -> None:
        """``A[k]=v``: which elements there are is not followed."""
        from speclint.words import many

        self.env.assign(name, None, (many(f"elements of `{name}` are set one by one", None),))

    def _named_value(self, node: Node) -> tuple[str | None, Value]:
        target = node.child_by_field_name("name")
        source = node.child_by_field_name("value")
        if target is None or target.type != "variable_name":
            return None, Unknown("it is an element of an array")
        name = self.syntax.string(target)
        if source is None:
            from speclint.value import EMPTY

            return name, EMPTY
        value = self.expander().value(source)
        span = self.syntax.span(source)
        definition = Definition(name, span, self.syntax.uses(name))
        step = Step("assigned", f"`{name}` is set here", span, definition)
        return name, with_step(value, step)

    def _array(self, node: Node) -> tuple[Word, ...]:
        expander = self.expander()
        words: list[Word] = []
        for child in node.named_children:
            if child.type != "comment":
                words.extend(expander.words(child))
        return tuple(words)

    def _declaration(self, node: Node) -> None:
        """``export``, ``local``, ``declare``, ``readonly``."""
        exports = node.children[0].type == "export" or any(
            c.type == "word" and c.text and b"x" in c.text and c.text.startswith(b"-") for c in node.children
        )
        for child in node.named_children:
            if child.type == "variable_assignment":
                self._assignment(child)
                target = child.child_by_field_name("name")
            else:
                target = child if child.type == "variable_name" else None
            if exports and target is not None:
                self.env.export(self.syntax.string(target))

    def _unset(self, node: Node) -> None:
        from speclint.value import EMPTY

        for child in node.named_children:
            if child.type == "variable_name":
                self.env.variables[self.syntax.string(child)] = Variable(EMPTY)

    def branch(self, choice: Choice, arms: Sequence[Callable[[], None]]) -> None:
        """Take every way of a branch, each from the same start, and join them."""
        before = self.env
        ends: list[Env] = []
        for arm in arms:
            self.env = before.copy()
            arm()
            ends.append(self.env)
        self.env = before
        self.env.take(ends, choice)

    def _if(self, node: Node) -> None:
        """``if``: conditions are run, then one arm for each branch and one for none of them."""
        condition = node.children_by_field_name("condition")
        if not condition:
            condition = [c for c in node.named_children[:1]]
        skip = {c.id for c in condition}
        self._arms(node, condition, [c for c in node.named_children if c.id not in skip])

    def _arms(self, node: Node, condition: Sequence[Node], body: Sequence[Node]) -> None:
        clauses = [c for c in body if c.type in ("elif_clause", "else_clause")]
        then = [c for c in body if c.type not in ("elif_clause", "else_clause")]
        for child in condition:
            self.run(child)
        verdict = holds(condition, self.expander())
        if verdict is True:
            self._block(then)
            return
        if verdict is False:
            self._otherwise(clauses)
            return
        text = self._label(condition[0]) if condition else "the condition"
        choice = Choice("branch", (f"`{text}` holds", f"`{text}` does not hold"), self.syntax.span(node))
        self.branch(choice, (lambda: self._block(then), lambda: self._otherwise(clauses)))

    def _otherwise(self, clauses: Sequence[Node]) -> None:
        if not clauses:
            return
        first, rest = clauses[0], clauses[1:]
        children = first.named_children
        if first.type == "else_clause":
            self._block(children)
        elif children:
            self._arms(first, children[:1], [*children[1:], *rest])

    def _block(self, nodes: Sequence[Node]) -> None:
        for node in nodes:
            self.run(node)

    def _case(self, node: Node) -> None:
        value = node.child_by_field_name("value")
        items = [c for c in node.named_children if c.type == "case_item"]
        if value is None or not items:
            return
        subject = self.expander().value(value)
        patterns = [[self.syntax.string(p).strip("\"'") for p in i.children_by_field_name("value")] for i in items]
        if isinstance(subject, Known) and all(_plain(p) or p == "*" for ps in patterns for p in ps):
            for item, names in zip(items, patterns):
                if subject.text.text in names or "*" in names:
                    self._case_body(item)
                    return
            return
        shown = self._label(value)
        labels = [f"`{shown}` is `{'|'.join(names)}`" for names in patterns]
        arms: list[Callable[[], None]] = [lambda item=item: self._case_body(item) for item in items]  # type: ignore[misc]
        if not any("*" in names for names in patterns):
            labels.append(f"`{shown}` is none of these")
            arms.append(lambda: None)
        self.branch(Choice("branch", labels, self.syntax.span(node)), arms)

    def _case_body(self, item: Node) -> None:
        skip = {c.id for c in item.children_by_field_name("value")}
        self._block([c for c in item.named_children if c.id not in skip])

    def _list(self, node: Node) -> None:
        """``a && b``, ``a || b``: the right side may not run."""
        parts = node.named_children
        if len(parts) != 2:
            self._block(parts)
            return
        left, right = parts
        is_and = any(c.type == "&&" for c in node.children)
        self.run(left)
        verdict = holds([left], self.expander())
        if verdict is not None and verdict is not is_and:
            return
        if verdict is is_and or _is_plain_command(left):
            # A command that comes before (`cd x &&`, `mkdir x &&`) is taken to succeed.
            if is_and:
                self.run(right)
                return
        text = self._label(left)
        labels = (f"`{text}` holds", f"`{text}` does not hold")
        choice = Choice("branch", labels if is_and else labels[::-1], self.syntax.span(node))
        self.branch(choice, (lambda: self.run(right), lambda: None))

    def _apart(self, node: Node) -> None:
        """A subshell: what it sets is lost after it."""
        outer = self.env
        self.env = outer.copy()
        self._block(node.named_children)
        self.env = outer

    def _pipeline(self, node: Node) -> None:
        for child in node.named_children:
            self._apart_one(child)

    def _apart_one(self, node: Node) -> None:
        outer = self.env
        self.env = outer.copy()
        self.run(node)
        self.env = outer

    def _redirected(self, node: Node) -> None:
        from speclint.hosts.shell_calls import redirected

        redirected(self, node)

    def joined(self, before: dict[str, Variable], reason: str) -> None:
        """After a loop body: what grew may have grown any number of times."""
        for name, variable in list(self.env.variables.items()):
            self.env.variables[name] = grown(before.get(name), variable, reason)


def _plain(pattern: str) -> bool:
    return not any(c in pattern for c in "*?[$")


def _is_plain_command(node: Node) -> bool:
    return node.type in ("command", "redirected_statement", "list", "pipeline", "variable_assignment")

