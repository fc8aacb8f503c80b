"""What the parts of a Runner know of each other."""

from __future__ import annotations

from speclint.hosts.shell.survey import is_told
from speclint.hosts.shell.words import Expander
from speclint.value import Unknown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any, ClassVar

    from tree_sitter import Node

    from speclint.hosts.shell.env import Env
    from speclint.hosts.shell.syntax import Syntax
    from speclint.value import Choice, Value

_LABEL = 60
_PRINTS = frozenset(("echo", "printf", "cat", "seq", "basename", "dirname"))
# Programs that print what they make of the text that they read.
FILTERS = frozenset(("tr", "wc", "awk", "cut", "sed", "grep", "head", "tail", "xargs"))
_MAX_STEPS = 200_000


class Follower:
    """Follows statements in an environment; ``handlers`` tells for a type of node how it is followed."""

    handlers: ClassVar[Mapping[str, Callable[[Any, Node], None]]] = {}

    def __init__(self, syntax: Syntax, env: Env) -> None:
        self.syntax = syntax
        self.env = env
        self._steps = 0
        self.broke = False  # the loop that is being followed was left
        # What else a function may be, where branches define it, and how often one of several was followed.
        self.rivals: dict[str, list[tuple[Syntax, Node]]] = {}
        self.rivalries = 0
        self.left = False  # so was this run of it, whichever way it goes
        self.gone: Sequence[bool] = ()  # of the last branch, which ways leave it

    def run(self, node: Node) -> None:
        """Follow a node and all in it."""
        self._steps += 1
        if self._steps > _MAX_STEPS or self.env.ended or not self.syntax.wants(node):
            return
        handler = self.handlers.get(node.type)
        if handler is not None:
            handler(self, node)
            return
        for child in node.named_children:
            self.run(child)

    def charge(self, pieces: int) -> None:
        """Count values that were made, of so many pieces: long ones are followed less often than short ones."""
        self._steps += pieces >> 4

    def block(self, nodes: Sequence[Node]) -> None:
        """Follow statements one after another."""
        for node in nodes:
            self.run(node)

    def apart(self, nodes: Sequence[Node]) -> None:
        """Follow statements in a subshell: what they set is lost after them."""
        outer = self.env
        self.env = outer.copy()
        self.block(nodes)
        self.env = outer

    def branch(
        self, choice: Choice, arms: Sequence[Callable[[], None]], ways: Sequence[dict[Choice, int]] = ()
    ) -> None:
        """Take every way of a branch, each from the same start, and join them.

        ``ways``: how other choices must have gone for each arm to be taken.
        """
        before = self.env
        ends: list[Env] = []
        gone: list[bool] = []
        for index, arm in enumerate(arms):
            self.env, self.left = before.copy(), False
            if index < len(ways) and ways[index]:
                self.env.taken = {**before.taken, **ways[index]}
            arm()
            ends.append(self.env)
            gone.append(self.left)
        self.env, self.gone, self.left = before, gone, all(gone)
        self.env.take(ends, choice)

    def expander(self) -> Expander:
        """The words of this text in the present environment."""
        return Expander(self.syntax, self.env, self.substitution)

    def substitution(self, node: Node) -> Value:
        """Follow ``$(…)``; what it prints is known where the text tells it."""
        outer = self.env
        self.env = outer.copy()
        value = None
        if self.may_print(node):
            from speclint.hosts.shell.printing import printed

            value = printed(self, node)
        if value is None:
            self.block(node.named_children)
            value = Unknown(f"it is what `{self.label(node)}` prints")
        self.env = outer
        return value

    def may_print(self, node: Node) -> bool:
        """Whether what commands print may be told: it is one that shows its words, or a function of the script."""
        inner = [child for child in node.named_children if child.type != "comment"]
        while len(inner) > 1 and inner[0].type == "variable_assignment":
            inner = inner[1:]  # `$(IFS=,; echo "${A[*]}")`
        if len(inner) != 1 or (node.children[0].type == "`" and self.syntax.holds(node, b"\\")):
            return False  # between backquotes a backslash is read twice
        command = inner[0].child_by_field_name("body") if inner[0].type == "redirected_statement" else inner[0]
        if command is not None and command.type == "pipeline" and command.named_children:
            return self._passes_on(command.named_children)
        name = command.child_by_field_name("name") if command is not None and command.type == "command" else None
        text = self.syntax.string(name).strip() if name is not None else ""
        if text in _PRINTS or (text in FILTERS and command is not None and _reads_text(command)):
            return True
        function = self.env.functions.get(text) if text not in self.rivals else None
        around = function[1].parent if function is not None else None
        return around is not None and is_told(around.text or b"")

    def _passes_on(self, commands: Sequence[Node]) -> bool:
        """Whether the commands behind the first only make something else of what that prints."""
        names = [child.child_by_field_name("name") for child in commands if child.type == "command"]
        texts = [self.syntax.string(name).strip() if name is not None else "" for name in names]
        told = texts[:1] != [] and (texts[0] in _PRINTS or (texts[0] in FILTERS and _reads_text(commands[0])))
        return told and len(texts) == len(commands) and all(text in FILTERS for text in texts[1:])

    def label(self, node: Node) -> str:
        """The text of a node for messages."""
        text = " ".join(self.syntax.string(node).split())
        return text if len(text) <= _LABEL else text[: _LABEL - 1] + "…"


def _reads_text(command: Node) -> bool:
    """Whether a command is given what it reads: ``tr , ' ' <<< "$X"``."""
    return any(child.type == "herestring_redirect" for child in command.named_children)
