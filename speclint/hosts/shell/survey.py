"""Who reads the variables of a script, told from its syntax: a fix changes what is set only if nobody else does."""

from __future__ import annotations

from speclint.hosts.bounds import MAX_WORDS
from speclint.lean import pattern

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from tree_sitter import Node

    from speclint.hosts.shell.trigger import Telling

# Files that set up a shell or a tool, and leave the variables of a script alone.
TOOLS = pattern(
    r"(?:^|[/ ])(?:activate\S*|\.?\w*(?:bashrc|profile|zshrc)\w*|conda\.sh|setvars\.sh|set_env\.sh)$|/env$"
    r"|^(?:(?:source|\.) +)?[\"']?/(?:etc|opt|usr)/"
)
# Read in text, they do not use a value: they show it.
_SHOWING = frozenset((b"echo", b"printf", b"log", b"logger", b"info", b"warn"))
# Nodes without a node in them, most of all.
_LEAVES = frozenset(
    (
        *("word", "raw_string", "string_content", "ansi_c_string", "comment", "file_descriptor"),
        *("special_variable_name", "heredoc_start", "heredoc_end", "heredoc_content", "test_operator"),
    )
)
_FIRSTS = 64
_DECIDES = pattern(rb"\bif\b|&&|\|\||:-")
_MAX_DECISIONS = 6


def is_told(function: bytes) -> bool:
    """Whether a function is followed for what it prints: of one that decides more often too little would be known."""
    return len(_DECIDES.findall(function)) <= _MAX_DECISIONS


def firsts(node: Node) -> list[Node]:
    """The first children of a node that has more than anybody looks at."""
    found = (node.named_child(index) for index in range(_FIRSTS))
    return [child for child in found if child is not None]


class Survey:
    """One walk through the syntax of a script.

    ``uses``: how many places read a variable, those that only show it or give it more (``A="$A --b"``) left out.
    """

    __slots__ = ("_data", "_functions", "_outside", "_runs", "_triggers", "uses")

    def __init__(self, root: Node, data: bytes, telling: Telling) -> None:
        self._data = data
        self._triggers = telling.holds
        self._functions: set[str] = set()
        # Commands that start no launch as far as their own words tell, each with the names that it reads.
        self._runs: list[tuple[str, set[str]]] = []
        self._outside: dict[str, int] | None = None
        self.uses: dict[str, int] = {}
        self._walk(root)

    def outside(self, name: str) -> int:
        """How many commands read a name that are no launch and no function, as far as their own words tell."""
        if self._outside is None:
            self._outside = {}
            for run, reads in self._runs:
                for read in reads if run not in self._functions else ():
                    self._outside[read] = self._outside.get(read, 0) + 1
        return self._outside.get(name, 0)

    def _walk(self, root: Node) -> None:
        todo = [_Item(root, True, set())]
        while todo:
            item = todo.pop()
            node, kind = item.node, item.node.type
            if kind == "variable_name":
                name = self._text(node)
                item.reads.add(name)
                if item.counts:
                    self.uses[name] = self.uses.get(name, 0) + 1
                continue
            handler = _HANDLERS.get(kind)
            if kind == "array" and node.named_child_count > MAX_WORDS:
                continue  # it is not followed either
            todo.extend(self._plain(item, node.named_children) if handler is None else handler(self, item))

    def _plain(self, item: _Item, children: Iterable[Node]) -> list[_Item]:
        return [_Item(child, item.counts, item.reads) for child in children if child.type not in _LEAVES]

    def _text(self, node: Node) -> str:
        return self._data[node.start_byte : node.end_byte].decode("utf-8", "surrogateescape")

    def _function(self, item: _Item) -> list[_Item]:
        name = item.node.child_by_field_name("name")
        self._functions.add(self._text(name) if name is not None else "")
        return [_Item(child, item.counts, set()) for child in item.node.named_children[1:]]

    def _assignment(self, item: _Item) -> list[_Item]:
        node = item.node
        target, value = node.child_by_field_name("name"), node.child_by_field_name("value")
        if target is None:
            return self._plain(item, node.named_children)
        index: list[Node] = []
        if target.type == "subscript":
            index = target.named_children[1:]
            target = target.child_by_field_name("name")
        if target is not None and value is not None and item.counts:
            name = self._text(target)
            if self._data.find(b"$", value.start_byte, value.end_byte) >= 0:
                # Who reads it then is counted: `A="$A --b"` hands on what it had.
                self.uses[name] = self.uses.get(name, 0) - self._handed_on(value, name)
        return self._plain(item, [*index, *([value] if value is not None else [])])

    def _handed_on(self, value: Node, name: str) -> int:
        """How often a variable is read as a part of a value, not counting what commands in it read."""
        count, todo = 0, [value]
        while todo:
            node = todo.pop()
            if node.type in ("string", "concatenation", "array"):
                todo.extend(node.named_children)
            elif node.type in ("simple_expansion", "expansion"):
                first = node.named_children[0] if node.named_children else None
                if first is not None and first.type == "subscript":
                    first = first.child_by_field_name("name")
                count += first is not None and first.type == "variable_name" and self._text(first) == name
        return count

    def _for(self, item: _Item) -> list[_Item]:
        target = item.node.child_by_field_name("variable")
        return self._plain(item, (c for c in item.node.named_children if target is None or c.id != target.id))

    def _declaration(self, item: _Item) -> list[_Item]:
        """``export X`` and ``unset X`` read nothing."""
        return self._plain(item, (c for c in item.node.named_children if c.type != "variable_name"))

    def _command(self, item: _Item) -> list[_Item]:
        node = item.node
        named = node.child_by_field_name("name")
        name = self._data[named.start_byte : named.end_byte] if named is not None else b""
        reads: set[str] = set()
        shows = name in _SHOWING
        if name and not shows and not name.startswith((b"$", b'"')) and not self._triggers(node):
            self._runs.append((name.decode("utf-8", "surrogateescape"), reads))
        if name in (b"[", b"test"):
            reads = set()
        children = node.named_children if node.named_child_count <= MAX_WORDS else firsts(node)
        return [_Item(child, item.counts and not shows, reads) for child in children if child.type not in _LEAVES]

    def _apart(self, item: _Item) -> list[_Item]:
        """What the command around does not read: a condition, a calculation, a here-document."""
        return [_Item(c, item.counts, set()) for c in item.node.named_children]

    def _case(self, item: _Item) -> list[_Item]:
        value = item.node.child_by_field_name("value")
        found = self._plain(item, (c for c in item.node.named_children if value is None or c.id != value.id))
        if value is not None:
            found.append(_Item(value, item.counts, set()))
        return found


class _Item:
    """A node to look at: whether what it reads is used, and what the command around it reads."""

    __slots__ = ("counts", "node", "reads")

    def __init__(self, node: Node, counts: bool, reads: set[str]) -> None:
        self.node = node
        self.counts = counts
        self.reads = reads


_HANDLERS: dict[str, Callable[[Survey, _Item], list[_Item]]] = {
    "function_definition": Survey._function,
    "variable_assignment": Survey._assignment,
    "for_statement": Survey._for,
    "declaration_command": Survey._declaration,
    "unset_command": Survey._declaration,
    "command": Survey._command,
    "case_statement": Survey._case,
    **dict.fromkeys(("heredoc_body", "test_command"), Survey._apart),
    **dict.fromkeys(("postfix_expression", "unary_expression", "binary_expression"), Survey._apart),
}
