"""The words of a command, from the nodes that the grammar makes of it."""

from __future__ import annotations

from speclint.hosts.bounds import MAX_WORDS, TOO_MUCH, size_of
from speclint.hosts.shell.assign import NO_WORDS, Assignments
from speclint.hosts.shell.survey import firsts
from speclint.words import many

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from tree_sitter import Node

    from speclint.value import Value
    from speclint.words import Word

_UNREAD = frozenset(("ERROR", "concatenation", "simple_expansion", "expansion"))


class Reading(Assignments):
    """Reads the words of commands, and what they set for themselves."""

    def read(self, node: Node, more: Sequence[Node]) -> tuple[dict[str, Value], list[Word]]:
        """The variables set for a command, and its words."""
        env: dict[str, Value] = {}
        nodes: list[Node] = []
        if node.named_child_count > MAX_WORDS:
            # Each child is an object that is made when it is asked for: of millions, the first are enough.
            return env, [*self.words(firsts(node)), many(TOO_MUCH, self.syntax.span(node))]
        last: Node | None = None
        for child in [*node.named_children, *more]:
            if last is not None:
                if self.syntax.ends_line(last, child):
                    # The grammar reads on over an empty line behind a backslash, which ends the command of a shell.
                    for key, given in env.items():
                        self.env.assign(key, given)
                    env = {}
                last = None
            if child.type == "variable_assignment":
                last = child
                name, value = self._after(env, child) if env else self._named_value(child)
                if name is not None:
                    env[name] = value
            elif child.type not in NO_WORDS or child.type == "ERROR":
                nodes.append(child)
        behind = node.next_sibling if self.syntax.root.has_error else None  # it is looked for from the root on
        if behind is not None and behind.type == "ERROR" and not self.syntax.apart(node, behind):
            nodes.append(behind)
        stray = None
        if self.syntax.holds(node, b"==", b"=~"):
            stray = next((c for c in node.children if c.type in ("==", "=~")), None)
        if stray is None:
            return env, self.words(nodes)
        # The grammar takes these words for operators and reads on over the end of the line.
        words = self.words([c for c in nodes if c.end_byte <= stray.start_byte])
        return env, [*words, many("the grammar does not tell where the command ends", self.syntax.span(stray))]

    def _after(self, env: dict[str, Value], node: Node) -> tuple[str | None, Value]:
        """What an assignment gives behind others for the same command, which it sees: ``A=1 B=$A program``."""
        outer, self.env = self.env, self.env.copy()
        for name, value in env.items():
            self.env.assign(name, value)
        found = self._named_value(node)
        self.env = outer
        return found

    def words(self, nodes: Sequence[Node]) -> list[Word]:
        """The words that nodes become."""
        at = next((i for i, node in enumerate(nodes) if node.type in _UNREAD and self._unread(node)), None)
        if at is not None:
            # What it is part of cannot be told either.
            before = [n for n in nodes[:at] if n.end_byte < nodes[at].start_byte]
            after = [n for n in nodes[at + 1 :] if n.start_byte > nodes[at].end_byte]
            unread = many("the grammar does not tell what it is", self.syntax.span(nodes[at]))
            return [*self.words(before), unread, *self.words(after)]
        expander = self.expander()
        words: list[Word] = []
        for group in self.syntax.words(nodes):
            word = expander.usual(group[0]) if len(group) == 1 else None
            if word is not None:
                words.append(word)
            else:
                words.extend(expander.expanded(group))
            if len(words) > MAX_WORDS:
                words = [*words[:MAX_WORDS], many(TOO_MUCH, words[MAX_WORDS].span)]
                break
        self.charge(size_of(words))
        return words

    def _unread(self, node: Node) -> bool:
        """Whether the grammar does not tell what it is, or has put several words into one expansion."""
        if node.type == "ERROR":
            return True
        return node.has_error and any(blank in self.syntax.string(node) for blank in " \t\n")
