"""TOML with the place of each of its strings. Whether a text is TOML at all is for ``tomllib`` to say."""

from __future__ import annotations

import sys

from speclint.hosts.json_text import Node, Tree
from speclint.lean import pattern, re
from speclint.source import SourceError
from speclint.text import Mapped

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

_TOKEN = pattern(
    r"(?P<skip>[ \t\r]+|#[^\n]*)|(?P<newline>\n)"
    r"|(?P<string>\"\"\"[^\"\\]*(?:(?:\\.|\"(?!\"\"))[^\"\\]*)*\"{3,5}|'''(?:.*?)'{3,5}"
    r"|\"[^\"\\\n]*(?:\\.[^\"\\\n]*)*\"|'[^'\n]*')|(?P<mark>[\[\]{},=.])|(?P<bare>[^\s\[\]{},=.#\"']+)",
    re.DOTALL,
)
_ESCAPE = pattern(
    r"\\(?:(?P<fold>[ \t]*\r?\n\s*)|u(?P<short>[0-9a-fA-F]{4})|U(?P<long>[0-9a-fA-F]{8})|(?P<char>.))", re.DOTALL
)
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f", "e": "\x1b"}


class Toml(Tree):
    """A TOML text that was read."""

    def __init__(self, text: Mapped) -> None:
        """Raises SourceError for what is no TOML."""
        _check(text)
        found = [m for m in _TOKEN.finditer(text.text) if m.lastgroup != "skip"]
        super().__init__(text, _Reader(text, found).document())

    def string(self, node: Node | None) -> Mapped | None:
        """The value of a string, or of a key without quotes; None for another value."""
        if node is None or node.kind not in ("string", "bare"):
            return None
        written = self.text.text[node.start : node.end]
        if node.kind == "bare":
            return self.text[node.start : node.end]
        width = 3 if written[:3] in ('"""', "'''") and len(written) >= 6 else 1
        start, end = node.start + width, node.end - width
        if width == 3:
            first = re.match(r"\r?\n", self.text.text[start:end])
            start += first.end() if first is not None else 0
        return self.text[start:end] if written[0] == "'" else self._unescaped(start, end)

    def _unescaped(self, start: int, end: int) -> Mapped:
        parts: list[Mapped] = []
        at = start
        for found in _ESCAPE.finditer(self.text.text, start, end):
            parts.append(self.text[at : found.start()])
            at = found.end()
            if found["fold"] is None:
                code = found["short"] or found["long"]
                char = chr(int(code, 16)) if code else _ESCAPES.get(found["char"], found["char"])
                parts.append(Mapped.new(char, self.text.span(found.start(), at)))
        return Mapped.join([*parts, self.text[at:end]])


class _Reader:
    """Tokens to nodes; the text is known to be TOML."""

    def __init__(self, text: Mapped, tokens: list[re.Match[str]]) -> None:
        self.text = text
        self.tokens = tokens
        self.at = 0

    def document(self) -> Node:
        root = Node("object", 0, len(self.text))
        table = root
        while self.at < len(self.tokens):
            token = self.tokens[self.at]
            if token.group() == "\n":
                self.at += 1
            elif token.group() == "[":
                double = self._is("[", 1)
                self.at += 2 if double else 1
                table = _under(root, self._path())
                self.at += 2 if double else 1
            else:
                self._entry(table)
        return root

    def _is(self, text: str, ahead: int = 0) -> bool:
        at = self.at + ahead
        return at < len(self.tokens) and self.tokens[at].group() == text

    def _path(self) -> list[Node]:
        """The keys up to ``=`` or a bracket."""
        path: list[Node] = []
        while self.at < len(self.tokens) and self.tokens[self.at].group() not in ("=", "]", "\n"):
            token = self.tokens[self.at]
            if token.group() != ".":
                path.append(Node(token.lastgroup or "bare", token.start(), token.end()))
            self.at += 1
        return path

    def _entry(self, table: Node) -> None:
        path = self._path()
        self.at += 1
        if path and self.at < len(self.tokens):
            holder = _under(table, path[:-1])
            holder.keys.append(path[-1])
            holder.items.append(self._value())

    def _value(self) -> Node:
        token = self.tokens[self.at]
        self.at += 1
        if token.group() in ("[", "{"):
            return self._nested(token)
        node = Node("string" if token.lastgroup == "string" else "scalar", token.start(), token.end())
        while (
            node.kind == "scalar"
            and self.at < len(self.tokens)
            and self.tokens[self.at].group() not in ("\n", ",", "]", "}")
        ):
            self.at += 1
        return node

    def _nested(self, token: re.Match[str]) -> Node:
        is_array = token.group() == "["
        node = Node("array" if is_array else "object", token.start(), token.end())
        closing = "]" if is_array else "}"
        while self.at < len(self.tokens) and not self._is(closing):
            if self._is(",") or self._is("\n"):
                self.at += 1
            elif is_array:
                node.items.append(self._value())
            else:
                self._entry(node)
        if self.at < len(self.tokens):
            node.end = self.tokens[self.at].end()
        self.at += 1
        return node


def _under(table: Node, path: Iterable[Node]) -> Node:
    """A table for what stands under a path; tables of one name are kept apart, which loses nothing here."""
    keys = list(path)
    for key in keys:
        node = Node("object", key.start, key.end)
        table.keys.append(key)
        table.items.append(node)
        table = node
    return table


def _check(text: Mapped) -> None:
    if sys.version_info >= (3, 11):
        import tomllib
    else:
        import tomli as tomllib
    try:
        tomllib.loads(text.text)
    except (ValueError, RecursionError) as error:
        place = re.search(r"line (\d+), column (\d+)", str(error))
        row, column = (int(place[1]), int(place[2])) if place is not None else (text.text.count("\n") + 1, None)
        raise SourceError(f"it is no TOML: {str(error).split(' (at')[0]}", row, column) from None
