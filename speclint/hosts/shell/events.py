"""The statements of a script that do something, or decide whether others are run; ``outline`` looks them up.

Statements are looked at, not the words in them.
"""

from __future__ import annotations

from speclint.hosts.shell.arith import changed
from speclint.hosts.shell.event import Event
from speclint.hosts.shell.survey import TOOLS
from speclint.hosts.shell.syntax import TEXTS
from speclint.lean import pattern

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from tree_sitter import Node

    Walk = list[tuple[Node, "Event"]]
    """Nodes that have to be looked at, each with what it stands in."""

NAME = pattern(rb"[A-Za-z_]\w*")
# In these an expansion may run something.
_RUNS = pattern(rb"[$<>]\(|`")
_TOLD = pattern(rb"\[|\(\(|\b(?:true|false)\b")
_EXPORTS = pattern(rb"export\b|\w+[ \t]+(?:-\w+[ \t]+)*-\w*x")
# What sets a variable that the text of a word names.
_NAMING = pattern(rb"(?:read(?:array)?|mapfile|printf[ \t]+-v)\b(?:[ \t]+-?\w+){0,9}[ \t]+[\"']?\$")
_NAMEREF = pattern(rb"\w+[ \t]+-\w*n\w*[ \t]")
# Stands for what gives a variable another name.
ANOTHER = "-n"
_EXPORTING = pattern(rb"[ \t](?:[-+]\w*a\w*|allexport)(?![\w-])")
_GLOBAL = pattern(rb"\w+[ \t]+(?:-\w+[ \t]+)*-\w*g")
# Builtins that set the variables that their words name.
_SETTING = frozenset(("read", "mapfile", "readarray", "getopts", "printf", "let"))
_TEXTUAL = frozenset(("eval", "read", "mapfile", "readarray", "printf"))
_OWN = frozenset((b"local", b"declare", b"typeset"))
_LEAVING = frozenset(("exit", "return", "break"))


class Events:
    """The events of a script as they are met.

    ``setters``, ``calls`` and ``functions``: events by the names that they set, call and define. ``dynamic``: calls of
    what variables name; ``naming``: what sets a variable that text names. ``over``: loops over arguments. ``sources``:
    the commands that read in another file, ``opaque`` those of them that read in more than tools. ``broken``: the
    bounds of statements that the grammar does not tell whole. ``exporting``: somewhere all that is set is exported.
    """

    __slots__ = (
        "_data", "broken", "calls", "dynamic", "events", "exporting", "functions", "naming", "opaque", "over",
        "setters", "sources", "top",
    )  # fmt: skip

    def __init__(self, root: Node, data: bytes) -> None:
        self._data = data
        self.top = Event("script", 0, len(data) + 1, None)
        self.events = [self.top]
        self.setters: dict[str, list[Event]] = {}
        self.calls: dict[str, list[Event]] = {}
        self.functions: dict[str, list[Event]] = {}
        self.dynamic: list[Event] = []
        self.naming: list[Event] = []
        self.over: list[Event] = []
        self.sources: list[Event] = []
        self.opaque: list[Event] = []
        self.exporting = False
        self.broken = _broken(root) if root.has_error else []
        self._walk(root)

    def dissolve(self) -> None:
        """Let go of what the events hold of one another; nothing can be asked of them any more."""
        for event in self.events:
            del event.up, event.part, event.home

    def _walk(self, root: Node) -> None:
        todo = [(root, self.top)]
        while todo:
            node, up = todo.pop()
            handler = _HANDLERS.get(node.type)
            if handler is not None:
                todo.extend((child, inner) for child, inner in handler(self, node, up))
            else:
                todo.extend((child, up) for child in node.named_children)

    def _text(self, node: Node) -> str:
        return self._data[node.start_byte : node.end_byte].decode("utf-8", "surrogateescape")

    def _runs(self, start: int, end: int) -> bool:
        """Whether an expansion in a stretch of text may run something."""
        return _RUNS.search(self._data, start, end) is not None

    def _add(self, kind: str, node: Node, up: Event, name: str = "") -> Event:
        event = Event(kind, node.start_byte, node.end_byte, up, name)
        self.events.append(event)
        return event

    def _sets(self, event: Event, names: Iterable[str]) -> None:
        event.sets = (*event.sets, *names)
        for name in names:
            self.setters.setdefault(name, []).append(event)

    def _nothing(self, node: Node, up: Event) -> Walk:
        return []

    def _words(self, node: Node, up: Event) -> Walk:
        """What runs something only by an expansion."""
        inside = self._runs(node.start_byte, node.end_byte)
        return [(child, up) for child in node.named_children] if inside else []

    def _assignment(self, node: Node, up: Event) -> Walk:
        target, value = node.child_by_field_name("name"), node.child_by_field_name("value")
        event = self._add("sets", node, up)
        event.asks = ((node.start_byte, node.end_byte),)
        event.own = up.kind == "sets" and up.own
        if target is not None and target.type == "subscript":
            target = target.child_by_field_name("name")
        name = self._text(target) if target is not None else ""
        if name:  # the parser makes up what is missing
            self._sets(event, (name,))
        inside = self._runs(node.start_byte, node.end_byte)
        return [(value, event)] if value is not None and inside else []

    def _declaration(self, node: Node, up: Event) -> Walk:
        """``export X`` and ``unset X`` change X, ``local X`` makes it the function's own."""
        event = self._add("sets", node, up)
        first = node.children[0]
        start, end = node.start_byte, node.end_byte
        event.own = self._data[first.start_byte : first.end_byte] in _OWN and not _GLOBAL.match(self._data, start, end)
        children = node.named_children
        if _NAMEREF.match(self._data, start, end):
            event.name = ANOTHER
        if event.name or any(c.type in TEXTS for c in children):
            event.asks = ((start, end),)
            self.naming.append(event)
        self._sets(event, [self._text(c) for c in children if c.type == "variable_name"])
        if _EXPORTS.match(self._data, start, end):
            # Whatever is started may read it.
            targets = [c.child_by_field_name("name") if c.type == "variable_assignment" else c for c in children]
            event.sets = tuple(self._text(c) for c in targets if c is not None and c.type == "variable_name")
            event.part.keep(event)
        return [(child, event) for child in children if child.type != "variable_name"]

    def _command(self, node: Node, up: Event) -> Walk:
        named = node.child_by_field_name("name")
        event = self._add("command", node, up, self._text(named).strip("\"'\\ \t\n") if named is not None else "")
        event.asks = ((node.start_byte, node.end_byte),)
        self._known(event)
        start = named.start_byte if named is not None else node.end_byte
        if start > node.start_byte or self._runs(node.start_byte, node.end_byte):
            return [(child, event) for child in node.named_children if child.type not in ("word", "comment")]
        return []

    def _known(self, event: Event) -> None:
        """Take up what is known of a command by its name."""
        name, data = event.name, self._data
        self.calls.setdefault(name, []).append(event)
        if "$" in name:
            self.dynamic.append(event)
        if name in _TEXTUAL and self._by_text(name, event):
            self.naming.append(event)
        if name in ("source", "."):
            text = data[event.start : event.end].decode("utf-8", "surrogateescape").strip("\"' ")
            if not TOOLS.search(text):
                self.opaque.append(event)
            self.sources.append(event)
            event.part.keep(event)
        elif name in _SETTING and (name != "printf" or data.find(b"-v", event.start, event.end) >= 0):
            self._sets(event, {found.decode() for found in NAME.findall(data, event.start, event.end)})
        elif name in _LEAVING:
            event.decides = True
            event.until().keep(event)
        elif name == "set" and _EXPORTING.search(data, event.start, event.end):
            self.exporting = True
            event.apart().keep(event)
        elif name == "shift" or (
            name == "set" and any(sign in data[event.start : event.end] for sign in (b"--", b"$"))
        ):
            event.apart().keep(event)

    def _by_text(self, name: str, event: Event) -> bool:
        """Whether the text of a command's words may name a variable that it sets."""
        if name == "eval":
            return self._data.find(b"=", event.start, event.end) >= 0
        at = self._data.find(name.encode(), event.start, event.end)
        return _NAMING.match(self._data, at, event.end) is not None

    def _redirected(self, node: Node, up: Event) -> Walk:
        """Words behind a redirection belong to the command; a here-document may be what it runs."""
        body = node.child_by_field_name("body")
        redirects = node.children_by_field_name("redirect")
        found: Walk = []
        if body is not None and body.type == "command":
            found = self._command(body, up)
            event = self.events[-1]
        else:
            found = [(body, up)] if body is not None else []
            event = self._add("command", redirects[0] if redirects else node, up)
        event.end = node.end_byte
        event.asks = ((event.start, node.end_byte),)
        return [*found, *((child, event) for child in redirects)]

    def _if(self, node: Node, up: Event) -> Walk:
        children = node.named_children
        asked = node.children_by_field_name("condition") or children[:1]
        clauses = (child.named_children[:1] for child in children if child.type == "elif_clause")
        return self._branch(node, up, [*asked, *(first for clause in clauses for first in clause)])

    def _branch(self, node: Node, up: Event, asked: Iterable[Node], name: str = "") -> Walk:
        event = self._add("branch", node, up, name)
        event.asks = tuple((c.start_byte, c.end_byte) for c in asked)
        event.decides = any(_TOLD.search(self._data, start, end) for start, end in event.asks)
        return [(child, event) for child in node.named_children]

    def _list(self, node: Node, up: Event) -> Walk:
        found = self._branch(node, up, node.named_children[:1])
        event = self.events[-1]
        # What comes before `&&` is taken to succeed.
        event.decides = event.decides or any(c.type == "&&" for c in node.children)
        return found

    def _case(self, node: Node, up: Event) -> Walk:
        found = self._branch(node, up, node.children_by_field_name("value"))
        self.events[-1].decides = True
        return found

    def _while(self, node: Node, up: Event) -> Walk:
        found = self._branch(node, up, node.children_by_field_name("condition"), "loop")
        event = self.events[-1]
        if node.parent is not None and any(self._data.find(b"read", *bounds) >= 0 for bounds in event.asks):
            # What it reads is given behind it, or before it in a pipeline.
            around = node.parent.named_children if node.parent.type in ("redirected_statement", "pipeline") else []
            event.asks += tuple((c.start_byte, c.end_byte) for c in around if c.id != node.id)
        return found

    def _for(self, node: Node, up: Event) -> Walk:
        target = node.child_by_field_name("variable")
        values = node.children_by_field_name("value")
        found = self._branch(node, up, values, "loop")
        event = self.events[-1]
        if target is not None:
            self._sets(event, (self._text(target),))
            if not values:
                self.over.append(event)
        return [pair for pair in found if target is None or pair[0].id != target.id]

    def _counted(self, node: Node, up: Event) -> Walk:
        body = node.child_by_field_name("body")
        end = body.start_byte if body is not None else node.end_byte
        found = self._branch(node, up, (), "loop")
        event = self.events[-1]
        event.asks = ((node.start_byte, end),)
        self._sets(event, changed(self._data[node.start_byte : end].decode("utf-8", "replace")))
        return found

    def _compound(self, node: Node, up: Event) -> Walk:
        if not self._data.startswith(b"((", node.start_byte):
            return [(child, up) for child in node.named_children]
        return self._arithmetic(node, up)

    def _arithmetic(self, node: Node, up: Event) -> Walk:
        event = self._add("sets", node, up)
        event.asks = ((node.start_byte, node.end_byte),)
        self._sets(event, changed(self._text(node)))
        return self._words(node, event)

    def _apart(self, node: Node, up: Event) -> Walk:
        event = self._add("apart", node, up)
        return [(child, event) for child in node.named_children]

    def _function(self, node: Node, up: Event) -> Walk:
        name = node.child_by_field_name("name")
        event = self._add("function", node, up, self._text(name) if name is not None else "")
        event.asks = ((node.start_byte, node.end_byte),)
        self.functions.setdefault(event.name, []).append(event)
        return [(child, event) for child in node.named_children[1:]]


def _broken(root: Node) -> list[tuple[int, int]]:
    """The bounds of statements with a part that the grammar does not tell; it may belong to the one before it."""
    found: list[tuple[int, int]] = []
    before = 0
    for node in root.children:
        if node.has_error:
            found.append((before, node.end_byte))
        before = node.start_byte
    return found


_HANDLERS: dict[str, Callable[[Events, Node, Event], Walk]] = {
    "command": Events._command,
    "redirected_statement": Events._redirected,
    "variable_assignment": Events._assignment,
    "declaration_command": Events._declaration,
    "unset_command": Events._declaration,
    "if_statement": Events._if,
    "list": Events._list,
    "case_statement": Events._case,
    "while_statement": Events._while,
    "for_statement": Events._for,
    "c_style_for_statement": Events._counted,
    "compound_statement": Events._compound,
    "arithmetic_expansion": Events._arithmetic,
    "subshell": Events._apart,
    "pipeline": Events._apart,
    "command_substitution": Events._apart,
    "process_substitution": Events._apart,
    "function_definition": Events._function,
    **dict.fromkeys(("test_command", "string", "concatenation", "array"), Events._words),
    **dict.fromkeys(("comment", "word", "raw_string"), Events._nothing),
}
