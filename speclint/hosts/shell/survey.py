"""What a script reads, sets and calls, told from its syntax alone; ``need`` tells what of it a launch needs.

All is told too widely rather than too narrowly: a function is passed over only if nothing in it can matter.
"""

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
# Builtins that set the variables that their words name.
_SETTING = frozenset((b"read", b"mapfile", b"readarray", b"getopts", b"printf", b"unset", b"let"))
_OWN = frozenset((b"local", b"declare", b"typeset"))
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
NAME_IN_BYTES = pattern(rb"[A-Za-z_]\w*")


def is_told(function: bytes) -> bool:
    """Whether a function is followed for what it prints: of one that decides more often too little would be known."""
    return len(_DECIDES.findall(function)) <= _MAX_DECISIONS


def firsts(node: Node) -> list[Node]:
    """The first children of a node that has more than anybody looks at."""
    found = (node.named_child(index) for index in range(_FIRSTS))
    return [child for child in found if child is not None]


class Run:
    """A command, or a text that one may run: its name, what it reads, and whether it holds what tells a launch."""

    __slots__ = ("name", "reads", "triggers")

    def __init__(self, name: str, triggers: bool) -> None:
        self.name = name
        self.triggers = triggers
        self.reads: set[str] = set()


class Part:
    """The top level of a script, or the body of a function in it.

    ``tests`` are the names that its conditions read.
    """

    __slots__ = ("calls", "opaque", "reads", "runs", "sets", "tests", "triggers")

    def __init__(self, triggers: bool) -> None:
        self.triggers = triggers
        self.runs: list[Run] = []
        self.reads: set[str] = set()
        self.tests: set[str] = set()
        self.sets: set[str] = set()
        self.calls: set[str] = set()
        # It reads in a file: what it does cannot be told from here.
        self.opaque = False


class Survey:
    """One walk through the syntax of a script.

    ``uses``: how many places read a variable, those that only show it or give it more (``A="$A --b"``) left out.
    ``given``: every name with each text that it is given. ``top`` and ``functions`` are its parts.
    """

    __slots__ = ("_data", "_outside", "_triggers", "functions", "given", "top", "uses")

    def __init__(self, root: Node, data: bytes, telling: Telling) -> None:
        self._data = data
        self._triggers = telling.holds
        self._outside: dict[str, int] | None = None
        self.uses: dict[str, int] = {}
        self.given: list[tuple[str, bytes]] = []
        self.top = Part(False)
        self.functions: dict[str, Part] = {}
        self._walk(root)

    def outside(self, name: str) -> int:
        """How many commands read a name that are no launch and no function, as far as their own words tell."""
        if self._outside is None:
            self._outside = {}
            for part in (self.top, *self.functions.values()):
                for run in part.runs:
                    if run.triggers or not run.name or run.name in self.functions or run.name.startswith(("$", '"')):
                        continue
                    if run.name.encode("utf-8", "surrogateescape") not in _SHOWING:
                        for read in run.reads:
                            self._outside[read] = self._outside.get(read, 0) + 1
        return self._outside.get(name, 0)

    def _walk(self, root: Node) -> None:
        todo = [_Item(root, self.top, True, False, set())]
        while todo:
            item = todo.pop()
            node, part = item.node, item.part
            kind = node.type
            if kind == "variable_name":
                name = self._text(node)
                part.reads.add(name)
                item.sink.add(name)
                if item.counts:
                    self.uses[name] = self.uses.get(name, 0) + 1
                continue
            handler = _HANDLERS.get(kind)
            if kind == "array" and node.named_child_count > MAX_WORDS:
                continue  # it is not followed either
            todo.extend(self._plain(item, node.named_children) if handler is None else handler(self, item))

    def _plain(self, item: _Item, children: Iterable[Node]) -> list[_Item]:
        part, counts, sink = item.part, item.counts, item.sink
        return [_Item(child, part, counts, False, sink) for child in children if child.type not in _LEAVES]

    def _text(self, node: Node) -> str:
        return self._data[node.start_byte : node.end_byte].decode("utf-8", "surrogateescape")

    def _keyword(self, node: Node) -> bytes:
        first = node.children[0]
        return self._data[first.start_byte : first.end_byte]

    def _function(self, item: _Item) -> list[_Item]:
        node = item.node
        name = node.child_by_field_name("name")
        key = self._text(name) if name is not None else ""
        if item.part is not self.top:
            item.part.calls.add(key)  # it has to be followed for the other to be known
        found = self.functions.setdefault(key, Part(False))
        found.triggers = found.triggers or self._triggers(node)
        return [_Item(child, found, item.counts, False, set()) for child in node.named_children[1:]]

    def _assignment(self, item: _Item) -> list[_Item]:
        node = item.node
        target, value = node.child_by_field_name("name"), node.child_by_field_name("value")
        if target is None:
            return self._plain(item, node.named_children)
        index: list[Node] = []
        if target.type == "subscript":
            index = target.named_children[1:]
            target = target.child_by_field_name("name")
        if target is not None:
            name = self._text(target)
            if value is not None:
                self.given.append((name, self._data[value.start_byte : value.end_byte]))
                if item.counts and b"$" in self.given[-1][1]:
                    # Who reads it then is counted: `A="$A --b"` hands on what it had.
                    self.uses[name] = self.uses.get(name, 0) - self._handed_on(value, name)
            if not item.own:
                item.part.sets.add(name)
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
        node = item.node
        target = node.child_by_field_name("variable")
        if target is None:
            return self._plain(item, node.named_children)
        item.part.sets.add(self._text(target))
        values = node.children_by_field_name("value")
        if values:
            self.given.append((self._text(target), self._data[values[0].start_byte : values[-1].end_byte]))
        return self._plain(item, (c for c in node.named_children if c.id != target.id))

    def _declaration(self, item: _Item) -> list[_Item]:
        """``export X`` and ``unset X`` change X, ``local X`` does not."""
        node = item.node
        own = self._data[node.children[0].start_byte : node.children[0].end_byte] in _OWN
        if not own:
            item.part.sets.update(self._text(c) for c in node.named_children if c.type == "variable_name")
        inner = (c for c in node.named_children if c.type != "variable_name")
        return [_Item(c, item.part, item.counts, own, item.sink) for c in inner]

    def _command(self, item: _Item) -> list[_Item]:
        node, part = item.node, item.part
        named = node.child_by_field_name("name")
        name = self._data[named.start_byte : named.end_byte] if named is not None else b""
        run = Run(name.decode("utf-8", "surrogateescape"), self._triggers(node))
        part.calls.add(run.name)
        part.runs.append(run)
        if name in (b"source", b".") and not TOOLS.search(self._text(node).strip("\"' ")):
            part.opaque = True
        if name in _SETTING:
            part.sets.update(
                word.decode() for word in NAME_IN_BYTES.findall(self._data, node.start_byte, node.end_byte)
            )
        sink = part.tests if name in (b"[", b"test") else run.reads
        counts = item.counts and name not in _SHOWING
        children = node.named_children if node.named_child_count <= MAX_WORDS else firsts(node)
        return [_Item(child, part, counts, False, sink) for child in children if child.type not in _LEAVES]

    def _document(self, item: _Item) -> list[_Item]:
        """A here-document: it may be run."""
        run = Run("", self._triggers(item.node))
        item.part.runs.append(run)
        return [_Item(c, item.part, item.counts, False, run.reads) for c in item.node.named_children]

    def _test(self, item: _Item) -> list[_Item]:
        return [_Item(c, item.part, item.counts, False, item.part.tests) for c in item.node.named_children]

    def _case(self, item: _Item) -> list[_Item]:
        value = item.node.child_by_field_name("value")
        found = self._plain(item, (c for c in item.node.named_children if value is None or c.id != value.id))
        if value is not None:
            found.append(_Item(value, item.part, item.counts, False, item.part.tests))
        return found

    def _calculation(self, item: _Item) -> list[_Item]:
        """``$(( … ))`` and ``(( … ))``: it may set what it reads."""
        node = item.node
        changes = any(
            c.type in ("++", "--") or (c.type.endswith("=") and c.type not in ("==", "!=", "<=", ">="))
            for c in node.children
        )
        if changes:
            item.part.sets.update(self._text(c) for c in node.named_children)
        return self._test(item)

    def _expansion(self, item: _Item) -> list[_Item]:
        children = item.node.named_children
        if any(c.type in (":=", "=") for c in item.node.children):
            item.part.sets.update(self._text(c) for c in children[:1])
        return self._plain(item, children)


class _Item:
    """A node to look at: in which part, whether what it reads is used, and which set is told of that."""

    __slots__ = ("counts", "node", "own", "part", "sink")

    def __init__(self, node: Node, part: Part, counts: bool, own: bool, sink: set[str]) -> None:
        self.node = node
        self.part = part
        self.counts = counts
        self.own = own  # the name is one of the function alone
        self.sink = sink


_HANDLERS: dict[str, Callable[[Survey, _Item], list[_Item]]] = {
    "function_definition": Survey._function,
    "variable_assignment": Survey._assignment,
    "for_statement": Survey._for,
    "declaration_command": Survey._declaration,
    "unset_command": Survey._declaration,
    "command": Survey._command,
    "heredoc_body": Survey._document,
    "test_command": Survey._test,
    "case_statement": Survey._case,
    "expansion": Survey._expansion,
    "postfix_expression": Survey._calculation,
    "unary_expression": Survey._calculation,
    "binary_expression": Survey._calculation,
}
