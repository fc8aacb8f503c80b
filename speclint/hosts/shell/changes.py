"""What changes from one run of a loop to the next: names that it reads before it sets them, and those it adds to."""

from __future__ import annotations

from bisect import bisect_left
from itertools import islice

from speclint.hosts.shell.arith import changed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from tree_sitter import Node

    from speclint.hosts.shell.syntax import Syntax

    Event = tuple[int, str, int, int]
    """Where a node begins that reads or sets a name, the name, where that is done, and which of both it does."""

# What an event does: it reads a name, sets it, or adds to it, words of their own, text that goes on or elements.
_READS, _WRITES, ADDS_WORDS, ADDS_TEXT, ADDS_ELEMENTS = range(5)
# Through how many functions that call each other names are looked for, and of each one how many.
_MAX_DEPTH = 20
_MAX_NAMES = 200
_OWN = ("local", "declare", "typeset")


class Changes:
    """What statements of a text read and set, themselves or by the ``functions`` that they call."""

    def __init__(self, syntax: Syntax, functions: Mapping[str, tuple[Syntax, Node]], depth: int = 0) -> None:
        self._syntax = syntax
        self._functions = functions
        self._depth = depth

    def restless(self, nodes: Sequence[Node]) -> set[str]:
        """The names that a loop reads before it sets them anew, so that each run sees what the one before has set."""
        written: dict[str, int] = {}
        read: dict[str, int] = {}
        events = self._within(nodes)
        for node in nodes:
            for _, name, at, does in _part(events, node):
                if does == _WRITES:
                    written[name] = max(at, written.get(name, at))
                elif does == _READS:
                    read[name] = min(at, read.get(name, at))
        return {name for name, at in written.items() if read.get(name, at) < at}

    def growing(self, body: Node) -> dict[str, int]:
        """The names that a loop adds to without setting them anew before, and what it adds."""
        return self._growing(body, _part(self._within([body]), body))

    def _growing(self, body: Node, events: Sequence[Event]) -> dict[str, int]:
        anew: dict[str, int] = {}
        for child in body.named_children:
            for node in child.named_children if child.type == "declaration_command" else (child,):
                if node.type == "variable_assignment" and _added(node, self._syntax) is None:
                    anew.setdefault(_name(node, self._syntax), node.start_byte)
        found: dict[str, int] = {}
        for start, name, _, does in events:
            if does >= ADDS_WORDS and anew.get(name, start) >= start:
                found[name] = max(does, found.get(name, does))
        return found

    def _within(self, nodes: Sequence[Node]) -> list[Event]:
        """What nodes of a loop read and set, in order; looked up once for a loop and those in it."""
        start, end = min(node.start_byte for node in nodes), max(node.end_byte for node in nodes)
        for (first, last), events in self._syntax.events.items():
            if first <= start and end <= last:
                return events
        found = self._syntax.events[start, end] = sorted(self._events(nodes))
        return found

    def _events(self, nodes: Sequence[Node]) -> Iterator[Event]:
        """The start of each node that reads or sets a name, and where that is done: at the end of what it is given."""
        syntax = self._syntax
        todo = list(nodes)
        while todo:
            node = todo.pop()
            start, end = node.start_byte, node.end_byte
            if node.type == "variable_name":
                yield start, syntax.string(node), start, _READS
                continue
            if node.type == "variable_assignment":
                name, value = _name(node, syntax), node.child_by_field_name("value")
                if name:
                    added = _added(node, syntax)
                    if added is not None:
                        yield start, name, end, _adds(added, value)
                        continue
                    yield start, name, end, _WRITES
                    todo.extend([value] if value is not None else [])
                    continue
            elif _calculates(node, syntax):
                for name in changed(syntax.string(node)):
                    yield start, name, end, _WRITES
                    yield start, name, start, _READS
            elif node.type == "command":
                for name, does in self._called(node):
                    yield start, name, start if does == _READS else end, does
            todo.extend(node.named_children)

    def _called(self, command: Node) -> Sequence[tuple[str, int]]:
        """What a command does if it calls a function: the names that it reads or changes for those around it."""
        name = command.child_by_field_name("name")
        function = self._functions.get(self._syntax.string(name)) if name is not None else None
        if function is None or self._depth > _MAX_DEPTH:
            return ()
        syntax, body = function
        found = syntax.effects.get(body.start_byte)
        if found is None:
            syntax.effects[body.start_byte] = found = []  # one that calls itself does nothing more
            found += islice(Changes(syntax, self._functions, self._depth + 1)._effects(body), _MAX_NAMES)
        return found

    def _effects(self, body: Node) -> Iterator[tuple[str, int]]:
        own = _own(body, self._syntax)
        events = sorted(self._events([body]))
        growing = self._growing(body, events)
        read: dict[str, int] = {}
        written: dict[str, int] = {}
        for _, name, at, does in events:
            where = read if does == _READS else written
            if does in (_READS, _WRITES) and name not in own:
                where[name] = min(at, where.get(name, at))
        yield from ((name, _READS) for name, at in read.items() if at < written.get(name, at + 1))
        yield from ((name, _WRITES) for name in written)
        yield from ((name, does) for name, does in growing.items() if name not in own)


def _part(events: Sequence[Event], node: Node) -> Sequence[Event]:
    first, last = (bisect_left(events, (at,)) for at in (node.start_byte, node.end_byte))
    return events[first:last]


def _own(body: Node, syntax: Syntax) -> set[str]:
    """The names that a function makes its own."""
    found: set[str] = set()
    todo = [body]
    while todo:
        node = todo.pop()
        if node.type != "declaration_command":
            todo.extend(node.named_children)
        elif node.children[0].type in _OWN:
            named = (child.child_by_field_name("name") or child for child in node.named_children)
            found.update(syntax.string(name) for name in named if name.type == "variable_name")
    return found


def _calculates(node: Node, syntax: Syntax) -> bool:
    start = syntax.head(node, 4)
    if node.type == "compound_statement":
        return start.startswith("((")
    return node.type == "arithmetic_expansion" or (node.type == "command" and start == "let ")


def _name(node: Node, syntax: Syntax) -> str:
    """The name that an assignment sets; empty for an element of an array."""
    target = node.child_by_field_name("name")
    return syntax.string(target) if target is not None and target.type == "variable_name" else ""


def _adds(added: str, value: Node | None) -> int:
    if value is not None and value.type == "array":
        return ADDS_ELEMENTS
    return ADDS_WORDS if added[:1].isspace() else ADDS_TEXT


def _added(node: Node, syntax: Syntax) -> str | None:
    """The text that an assignment adds to what a name holds; None where it sets the name anew.

    ``X="$X more"``, ``X+=" more"``, ``A=("${A[@]}" more)``, ``X="${X:+$X,}more"``.
    """
    name, value = _name(node, syntax), node.child_by_field_name("value")
    text = syntax.string(value).lstrip('("') if value is not None else ""
    if any(c.type == "+=" for c in node.children):
        return text
    starts = (f"${name} ", f"${{{name}}}", f"${{{name}[@]}}", f'${name}"', f"${name},", f"${name}$")
    start = next((start for start in starts if text.startswith(start)), None)
    if start is not None:
        return text[len(start.rstrip(" ,$")) :]
    return "," if text.startswith((f"${{{name}:+${name}", f"${{{name}:+${{{name}}}")) else None
