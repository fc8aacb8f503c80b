"""JSON with the place of each of its values; also JSON with comments and commas at the end of lists.

``json`` gives values without places. This reads the text token by token; strings are decoded when they are asked for.
"""

from __future__ import annotations

from speclint.lean import pattern, re
from speclint.source import SourceError
from speclint.text import Mapped
from speclint.value import as_value
from speclint.words import Word, many

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from speclint.text import Span

_STRING = r"\"[^\"\\\x00-\x1f]*(?:\\(?:[\"\\/bfnrt]|u[0-9a-fA-F]{4})[^\"\\\x00-\x1f]*)*\""
_TOKEN = pattern(rf"(?P<token>{_STRING}|[\[\]{{}}:,]|[^\s\[\]{{}}:,\"/]+|\S|\Z)", re.DOTALL)
_SPACE = pattern(r"[ \t\r\n]*")
_COMMENTS = pattern(r"(?:[ \t\r\n]+|//[^\r\n]*|/\*.*?\*/)*", re.DOTALL)
_SCALAR = pattern(r"true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][-+]?\d+)?|NaN|-?Infinity")
_ESCAPE = pattern(r"\\(?:u([0-9a-fA-F]{4})(?:\\u([dD][c-fC-F][0-9a-fA-F]{2}))?|(.))", re.DOTALL)
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f", "/": "/", "\\": "\\", '"': '"'}
_CLOSING = {"[": "]", "{": "}"}


class Node:
    """A value: ``kind`` is "object", "array", "string" or "scalar"; ``start`` and ``end`` are its bounds.

    Where more than values is written there are also a "key", an "expression", and "more": what one adds to an array.

    ``keys`` are the keys of an object, in step with its ``items``.
    """

    __slots__ = ("end", "items", "keys", "kind", "start")

    def __init__(self, kind: str, start: int, end: int) -> None:
        self.kind = kind
        self.start = start
        self.end = end
        self.items: list[Node] = []
        self.keys: list[Node] = []


class Tree:
    """A text of nested values that was read; ``root`` is the outermost one.

    ``whole_objects``: all that is in an object stands between its bounds.
    """

    whole_objects = False

    def __init__(self, text: Mapped, root: Node) -> None:
        self.text = text
        self.root = root

    def string(self, node: Node | None) -> Mapped | None:
        """The value of a string; None for another value."""
        raise NotImplementedError

    def plain(self, node: Node | None) -> str | None:
        """The value of a string as plain text."""
        mapped = self.string(node)
        return None if mapped is None else mapped.text

    def get(self, node: Node | None, *keys: str) -> Node | None:
        """The value under a path of keys."""
        for key in keys:
            node = next((value for name, value in self.pairs(node) if name == key), None)
        return node

    def fields(self, node: Node | None) -> dict[str, Node]:
        """The values of an object by their keys, of a key written twice the first one; nothing for another value."""
        found: dict[str, Node] = {}
        for name, value in self.pairs(node):
            found.setdefault(name, value)
        return found

    def pairs(self, node: Node | None) -> Iterator[tuple[str, Node]]:
        """The entries of an object; nothing for another value."""
        return ((self.plain(key) or "", value) for key, value in self.entries(node))

    def entries(self, node: Node | None) -> Iterator[tuple[Node, Node]]:
        """The keys and values of an object; nothing for another value."""
        if node is not None and node.kind == "object":
            yield from zip(node.keys, node.items, strict=True)

    def holds(self, node: Node, words: Sequence[str]) -> bool:
        """Whether a value may hold one of some words; any letter of them may be written as its number."""
        if node.kind == "object" and not self.whole_objects:
            return True
        text, start, end = self.text.text, node.start, node.end
        return any(text.find(word, start, end) >= 0 for word in (*words, "\\u", "\\U"))

    def items(self, node: Node | None) -> list[Node]:
        """The items of an array; nothing for another value."""
        return node.items if node is not None and node.kind == "array" else []

    def span(self, node: Node) -> Span | None:
        """Where a value stands, quotes included."""
        return self.text.place(node.start, node.end)

    def words(self, node: Node | None) -> list[Word] | None:
        """The words that an array of strings is; None for another value."""
        if node is None or node.kind != "array":
            return None
        words: list[Word] = []
        for item in node.items:
            text = self.string(item)
            if item.kind == "more":
                words.append(many("an expression adds to it", self.span(item)))
                continue
            if text is None:
                return None
            words.append(Word(as_value(text), self.span(item)))
        return words


class Json(Tree):
    """JSON, also with comments."""

    whole_objects = True

    def __init__(self, text: Mapped, comments: bool = False) -> None:
        """``comments``: comments and commas before a closing bracket are allowed. Raises SourceError."""
        self._space = _COMMENTS if comments else _SPACE
        self._loose = comments
        self._end = 0
        self.text = text
        super().__init__(text, self._document())

    def _error(self, message: str, at: int) -> SourceError:
        place = self.text.point(min(at, len(self.text)))
        row, column = place.file.location(place.start) if place is not None else (None, None)
        return SourceError(f"it is no JSON: {message}", row, column)

    def _next(self) -> tuple[str, int]:
        """The next token, and where it begins."""
        space = self._space.match(self.text.text, self._end)
        at = space.end() if space is not None else self._end
        found = _TOKEN.match(self.text.text, at)
        token = found["token"] if found is not None else ""
        self._end = at + len(token)
        return token, at

    def _document(self) -> Node:
        """The one value of the text, read without recursion: depth is no reason to fail."""
        open_nodes: list[Node] = []
        root: Node | None = None
        token, at = self._next()
        while True:
            node = self._begin(token, at)
            if not open_nodes:
                root = node
            else:
                open_nodes[-1].items.append(node)
            if node.kind in ("object", "array"):
                open_nodes.append(node)
                token, at = self._next()
                if token == _CLOSING[self.text.text[node.start]]:
                    self._close(open_nodes, at)
                elif node.kind == "object":
                    token, at = self._key(node, token, at)
                    continue
                else:
                    continue
            following = self._following(open_nodes)
            if following is None:
                assert root is not None
                return root
            token, at = following

    def _begin(self, token: str, at: int) -> Node:
        if token in ("[", "{"):
            return Node("array" if token == "[" else "object", at, at + 1)
        if len(token) > 1 and token[0] == '"':
            return Node("string", at, at + len(token))
        if _SCALAR.fullmatch(token):
            return Node("scalar", at, at + len(token))
        raise self._error(f"a value is missing before `{token}`" if token else "it ends too early", at)

    def _key(self, node: Node, token: str, at: int) -> tuple[str, int]:
        """Read a key and its colon; the first token of the value."""
        if len(token) < 2 or token[0] != '"':
            raise self._error("a key is missing", at)
        node.keys.append(Node("string", at, at + len(token)))
        colon, at = self._next()
        if colon != ":":
            raise self._error("a colon is missing", at)
        return self._next()

    def _following(self, open_nodes: list[Node]) -> tuple[str, int] | None:
        """Behind a value: the first token of the next one, None at the end of the text."""
        while open_nodes:
            node = open_nodes[-1]
            token, at = self._next()
            if token == ",":
                token, at = self._next()
                if not (self._loose and token == _CLOSING[self.text.text[node.start]]):
                    return self._key(node, token, at) if node.kind == "object" else (token, at)
            if token != _CLOSING[self.text.text[node.start]]:
                raise self._error("a comma or a closing bracket is missing", at)
            self._close(open_nodes, at)
        token, at = self._next()
        if token:
            raise self._error("more follows behind its end", at)
        return None

    @staticmethod
    def _close(open_nodes: list[Node], at: int) -> None:
        open_nodes.pop().end = at + 1

    def plain(self, node: Node | None) -> str | None:
        """The value of a string as plain text."""
        if node is None or node.kind != "string":
            return None
        text = self.text.text[node.start + 1 : node.end - 1]
        # Every key is asked for, and few have escapes.
        return super().plain(node) if "\\" in text else text

    def string(self, node: Node | None) -> Mapped | None:
        """The value of a string; None for another value."""
        if node is None or node.kind != "string":
            return None
        text = self.text.text
        parts: list[Mapped] = []
        at, end = node.start + 1, node.end - 1
        for found in _ESCAPE.finditer(text, at, end) if text.find("\\", at, end) >= 0 else ():
            parts.append(self.text[at : found.start()])
            parts.append(Mapped.new(_unescaped(found), self.text.span(found.start(), found.end())))
            at = found.end()
        parts.append(self.text[at:end])
        return Mapped.join(parts)


def _unescaped(found: re.Match[str]) -> str:
    first, second, char = found.groups()
    if char is not None:
        return _ESCAPES.get(char, char)
    code = int(first, 16)
    if 0xD800 <= code < 0xDC00 and second is not None:
        return chr(0x10000 + ((code - 0xD800) << 10) + int(second, 16) - 0xDC00)
    # Half of a pair stands for no character.
    return (chr(code) if not 0xD800 <= code < 0xE000 else "\ufffd") + ("\ufffd" if second is not None else "")
