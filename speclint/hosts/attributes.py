"""Attributes as HCL and Nix write them, each with its place: ``args = ["--tp", "2"]``, ``cmd = [ "--tp" "2" ];``.

Neither language is understood: what is no string, list or set is an expression, of which nothing is known. Any text can
be read, and what is broken in it gives less.
"""

from __future__ import annotations

from speclint.hosts.json_text import Node, Tree
from speclint.lean import pattern, re
from speclint.text import Mapped
from speclint.value import Unknown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from speclint.text import Span
    from speclint.value import Value

# What is not ended is ended by the end of the text, so that each is tried once.
_STRING = r"\"(?:[^\"\\]|\\[\s\S]?)*(?:\"|\Z)"
_NIX = pattern(
    r"(?P<skip>[ \t\r\n]+|\#[^\n]*|/\*(?:[^*]|\*(?!/))*(?:\*/|\Z))"
    rf"|(?P<string>{_STRING}|''(?:[^']|'(?!')|''(?:[$']|\\[\s\S]))*(?:''|\Z))"
    r"|(?P<sign>\+\+|[=!<>]=|=>|->)|(?P<mark>[\[\]{}(),;:=])|(?P<bare>[^\s\[\]{}(),;:=\"'\#]+|[\s\S])"
)
_HCL = pattern(
    r"(?P<skip>[ \t\r]+|\#[^\n]*|//[^\n]*|/\*(?:[^*]|\*(?!/))*(?:\*/|\Z))"
    rf"|(?P<string>{_STRING})|(?P<heredoc><<-?[A-Za-z_]\w*\r?\n)"
    r"|(?P<sign>[=!<>]=|=>)|(?P<mark>[\[\]{}(),:=])|(?P<line>\n)|(?P<bare>[^\s\[\]{}(),:=\"\#]+|[\s\S])"
)
_ESCAPE = pattern(r"\\(?P<char>[\s\S])")
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r"}
_LITERAL = pattern(r"-?\d+(?:\.\d+)?|true|false|null")
_OPEN, _CLOSE = "[{(", "]})"
# What a call of these makes holds no more than what it is given.
_WHOLE = frozenset(("jsonencode", "yamlencode", "tolist", "toset"))
# What stands for the key of what has none.
_NAMELESS = "()"
# Deeper than this is no file that anybody wrote.
_MAX_DEPTH = 200


class Attributes(Tree):
    """A text of nested attributes.

    ``names``: what keys stand for that are called otherwise elsewhere; ``value``: what an expression comes to.
    """

    whole_objects = True

    def __init__(
        self,
        text: Mapped,
        is_nix: bool,
        names: dict[str, str] | None = None,
        value: Callable[[str, Span | None], Value | None] | None = None,
    ) -> None:
        self.names = names or {}
        self.value = value
        self.is_nix = is_nix
        super().__init__(text, _Reader(text.text, is_nix).document())

    def plain(self, node: Node | None) -> str | None:
        """A string as plain text; a key by its last part, and by the name that it has elsewhere."""
        if node is not None and node.kind == "key":
            name = self.text.text[node.start : node.end].strip('"')
            return self.names.get(name, name) or _NAMELESS
        return super().plain(node) if node is not None and node.kind == "string" else None

    def string(self, node: Node | None) -> Mapped | None:
        """The value of a string, or of an expression, which is not known; None for a script and for other values."""
        if node is None or node.kind not in ("string", "key", "expression"):
            return None
        text = self.text
        if node.kind == "expression":
            return self._expression(node)
        first = text.text[node.start]
        if first == '"':
            return _unescaped(text, node.start + 1, max(node.end - 1, node.start + 1))
        if node.kind == "key":
            return text[node.start : node.end]
        if text.text.startswith(("''", "<<"), node.start):
            return None
        return self._expression(node)

    def _expression(self, node: Node) -> Mapped:
        place = self.text.place(node.start, node.end)
        known = self.value(self.text.text[node.start : node.end], place) if self.value is not None else None
        return Mapped.hole(known or Unknown("an expression gives it"), place)


def _unescaped(text: Mapped, start: int, end: int) -> Mapped:
    parts: list[Mapped] = []
    at = start
    for found in _ESCAPE.finditer(text.text, start, end) if text.text.find("\\", start, end) >= 0 else ():
        parts.append(text[at : found.start()])
        char = _ESCAPES.get(found["char"], found["char"])
        parts.append(Mapped.new(char, text.span(*found.span())))
        at = found.end()
    return Mapped.join([*parts, text[at:end]])


class _Frame:
    """An open bracket: what is read into it, and what stands there since the last value ended.

    ``key``: the key whose value comes, ``first`` the first bracket of that. ``call``: a parenthesis behind a name that
    may add to what it is given. ``variables``: what blocks of variables are collected in.
    """

    __slots__ = ("call", "first", "key", "node", "recent", "variables")

    def __init__(self, node: Node, call: bool = False) -> None:
        self.node = node
        self.call = call
        self.key: Node | None = None
        self.first: Node | None = None
        self.variables: Node | None = None
        self.recent: list[Node] = []


class _Reader:
    """Tokens to nodes, without recursion."""

    def __init__(self, text: str, is_nix: bool) -> None:
        self.text = text
        self.is_nix = is_nix
        self.frames = [_Frame(Node("object", 0, len(text)))]

    def document(self) -> Node:
        """The outermost set."""
        tokens, at, size = _NIX if self.is_nix else _HCL, 0, len(self.text)
        while at < size:
            found = tokens.match(self.text, at)
            if found is None or (found.lastgroup != "skip" and not self._token(found)):
                break
            at = self._heredoc(found) if found.lastgroup == "heredoc" else found.end()
        while len(self.frames) > 1:
            self._close(size)
        self._separate()
        return self.frames[0].node

    def _heredoc(self, found: re.Match[str]) -> int:
        """Where a text over several lines ends, which is read by itself."""
        name = found.group().strip("<-\r\n")
        end = re.compile(rf"^[ \t]*{name}[ \t]*\r?$", re.MULTILINE).search(self.text, found.end())
        return end.end() if end is not None else len(self.text)

    def _token(self, found: re.Match[str]) -> bool:
        """Take a token; False where the text is nested too deeply."""
        frame, kind, token = self.frames[-1], found.lastgroup, found.group()
        if kind == "line":
            if frame.node.kind == "object":
                self._separate()
        elif kind != "mark":
            self._word(frame, found)
        elif token in _OPEN:
            self._begin(frame, token, found.start())
        elif token in _CLOSE:
            if len(self.frames) > 1:
                self._close(found.end())
        elif token in "=:":
            self._name(frame, token)
        else:
            self._separate()
        return len(self.frames) <= _MAX_DEPTH

    def _word(self, frame: _Frame, found: re.Match[str]) -> None:
        kind = "string" if found.lastgroup == "string" or not _LITERAL.fullmatch(found.group()) else "scalar"
        frame.recent.append(Node(kind, *found.span()))
        if self.is_nix and frame.node.kind == "array":
            self._separate()

    def _name(self, frame: _Frame, token: str) -> None:
        """What stands before ``=`` is a key; before a colon it may be a part of an expression."""
        if frame.key is not None or frame.node.kind != "object" or not frame.recent:
            return
        if token == ":" and (self.is_nix or len(frame.recent) > 1):
            frame.recent.clear()
            return
        frame.key, frame.recent = _key(self.text, frame.recent[-1]), []

    def _begin(self, frame: _Frame, token: str, start: int) -> None:
        recent = frame.recent
        before = self.text[recent[-1].start : recent[-1].end] if recent else ""
        node = Node("object" if token == "{" else "array", start, start + 1)
        if frame.node.kind == "object":
            key = frame.key if token != "(" else None
            if key is not None and recent and token == "[":
                node.items.append(Node("more", start, start))  # `base ++ [`
            if key is None and recent and token == "{" and not self.is_nix:
                key = _key(self.text, recent[0])  # a block, with its labels
            if key is not None and key is frame.key:
                frame.first = frame.first or node
            frame.node.keys.append(key or Node("key", start, start))
            frame.node.items.append(node)
        elif not recent:  # else it is an index, or what something is called with
            frame.node.items.append(node)
        recent.append(Node("expression", start, start + 1))
        self.frames.append(_Frame(node, token == "(" and before not in _WHOLE))

    def _close(self, end: int) -> None:
        self._separate()
        frame = self.frames.pop()
        node, outer = frame.node, self.frames[-1]
        node.end = end
        if node.kind == "array" and outer.call:
            node.items.append(Node("more", end - 1, end))
        if outer.node.kind == "array":
            if self.text[node.start] == "(":
                node.kind = "expression"
            if self.is_nix:
                outer.recent.clear()
        elif not self.is_nix and outer.key is None and node.kind == "object":
            self._collect(outer)
            outer.recent.clear()

    def _collect(self, outer: _Frame) -> None:
        """Blocks of variables, ``env { name = …, value = … }``, are the items of one list."""
        keys, items = outer.node.keys, outer.node.items
        if not self._is(keys[-1], "env") or not any(self._is(key, "name") for key in items[-1].keys):
            return
        block = items.pop()
        if outer.variables is None:
            outer.variables = Node("array", block.start, block.end)
            items.append(outer.variables)
        else:
            keys.pop()
        outer.variables.items.append(block)

    def _is(self, key: Node, name: str) -> bool:
        return self.text[key.start : key.end] == name

    def _separate(self) -> None:
        """The end of a value: a string by itself is one, a list or set is told already, all else is an expression."""
        frame = self.frames[-1]
        recent, key, first = frame.recent, frame.key, frame.first
        frame.recent, frame.first = [], None
        if frame.node.kind == "object":
            frame.key = None
            if key is None or not recent:
                return
            if first is not None:  # brackets are told where they begin
                if first.kind == "array" and recent[-1].start != first.start:
                    first.items.append(Node("more", recent[-1].start, recent[-1].end))  # `] ++ other`
                return
            frame.node.keys.append(key)
            frame.node.items.append(_value(recent))
        elif recent and recent[0].kind != "expression":
            frame.node.items.append(_value(recent))


def _value(recent: list[Node]) -> Node:
    """One token as it is, several as an expression."""
    if len(recent) == 1 and recent[0].kind != "expression":
        return recent[0]
    return Node("expression", recent[0].start, recent[-1].end)


def _key(text: str, node: Node) -> Node:
    """The last part of a name with dots."""
    written = text[node.start : node.end]
    start = node.start if written[0] == '"' else node.start + written.rfind(".") + 1
    return Node("key", start, node.end)
