"""The words that a shell makes of its syntax: quotes, expansions, arrays, word splitting."""

from __future__ import annotations

from speclint.hosts.shell.arith import arithmetic, changed
from speclint.hosts.shell.expansions import Expansions, Items
from speclint.hosts.shell.strings import ansi
from speclint.hosts.shell.syntax import literal, unescape
from speclint.lean import pattern
from speclint.splitting import leaves, split
from speclint.text import Mapped
from speclint.value import EMPTY, Joined, Known, Unknown, join, spliced
from speclint.words import Word, as_text, many

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from tree_sitter import Node

    from speclint.hosts.shell.syntax import Syntax
    from speclint.splitting import Part
    from speclint.text import Span
    from speclint.value import Value

_PLAIN = pattern(r"[\w./:=@%+,-]+")
_BRACES = pattern(
    r"\{(?=[^{}]*\})[^{}]*?(?:,|\.\.)|\{[^{}]*\{[^{}]*\}[^{}]*,|(?:^|[{}])[^{},]*,[^{}]*\{[^{}]*\}[^{}]*\}"
)
_GLOB = pattern(r"(?<!\\)[*?]|(?<!\\)\[[^\]]+\]")
_ODD = "`IFS` separates its words"
HOME = "`~` is the home folder of whoever runs it"
_QUOTED = frozenset(("string", "raw_string", "ansi_c_string", "translated_string"))
_MISSED = pattern(r"(?<![\\$])\$(?:([A-Za-z_]\w*|\d)|\{[^{}]*\}|\([^()]*\))")


class Expander(Expansions):
    """Expands nodes of one piece of shell text in an environment."""

    def words(self, group: Sequence[Node | Mapped]) -> list[Word]:
        """The words that a word becomes. ``group`` are its pieces: nodes, and text that the grammar leaves out."""
        word = self.usual(group[0]) if len(group) == 1 else None
        return self.expanded(group) if word is None else [word]

    def expanded(self, group: Sequence[Node | Mapped]) -> list[Word]:
        """The same for words that are not ``usual``."""
        span = self._span(group)
        for node in group:
            reason = None if isinstance(node, Mapped) else self._pattern(node)
            if reason is not None and (reason is not HOME or node is not group[0]):
                return [many(reason, span)]
        parts: list[Part | Items] = []
        for node in group:
            parts.extend([(Known(node), False)] if isinstance(node, Mapped) else self._parts(node, False))
        if not isinstance(group[0], Mapped) and self._pattern(group[0]) is HOME:
            parts = _at_home(parts)
        items = [p for p in parts if isinstance(p, Items)]
        if not items:
            plain = [p for p in parts if not isinstance(p, Items)]
            odd = self._is_odd([value for value, splits in plain if splits])
            return [many(_ODD, span)] if odd else split(plain, span)
        if len(parts) == 1:
            return self._spread(items[0], span)
        if len(items) == 1 and items[0].words and not any(w.guard or w.many for w in items[0].words):
            return self._around(parts, items[0], span)
        return [many("array elements are joined to other text", span)]

    def usual(self, node: Node | Mapped) -> Word | None:
        """A word in which nothing is expanded, as most are; None for others."""
        if isinstance(node, Mapped):
            return None
        kind = node.type
        bare = kind == "word" or kind == "number"
        if not bare and kind != "string" and kind != "raw_string":
            return None
        syntax = self.syntax
        start, end = node.start_byte, node.end_byte
        if syntax.wide:
            start, end = syntax.index(start), syntax.index(end)
        written = syntax.text.text[start:end]
        if bare:
            return syntax.word(start, end, 0) if _PLAIN.fullmatch(written) is not None else None
        quote = written[:1]
        if len(written) < 3 or quote not in "\"'" or written[-1] != quote:  # it is not closed
            return None
        if quote == '"' and ("$" in written or "`" in written or "\\" in written):
            return None
        return syntax.word(start, end, 1)

    def _span(self, group: Sequence[Node | Mapped]) -> Span | None:
        first, last = (g.place() if isinstance(g, Mapped) else self.syntax.span(g) for g in (group[0], group[-1]))
        return first.to(last) if first is not None and len(group) > 1 else first

    def value(self, node: Node) -> Value:
        """The value of a word where the shell does not split it, as in an assignment or a condition."""
        parts: Iterable[Part | Items] = self._parts(node, False)
        if node.type not in _QUOTED and self.syntax.string(node).lstrip().startswith("~"):
            parts = _at_home(list(parts))
        return self._join(iter(parts))

    def _join(self, parts: Iterator[Part | Items]) -> Value:
        values: list[Value] = []
        for part in parts:
            if isinstance(part, Items):
                text = as_text(part.words)
                values.extend(value for value, _ in literal(text, True))
            else:
                values.append(part[0])
        return join(values)

    def _is_odd(self, values: Sequence[Value]) -> bool:
        """Whether ``IFS`` separates the words in values otherwise than blanks do."""
        if not values or self.env.variables.get("IFS") is None:
            return False
        between = self._lookup("IFS")
        if not isinstance(between, Known):
            return True
        signs = between.text.text
        if between is EMPTY or " " in signs:
            return False
        parts = (part for value in values for leaf in leaves(value) for part in _parts_of(leaf))
        texts = [part.text.text for part in parts if isinstance(part, Known)]
        return any(sign in text for text in texts for sign in (*signs, " "))

    def _spread(self, items: Items, span: Span | None) -> list[Word]:
        words: list[Word] = []
        for word in items.words:
            if items.apart or word.many:
                words.append(word if word.span is not None else Word(word.value, span, word.guard, word.many))
                continue
            if self._is_odd((word.value,)):
                words.append(Word(Unknown(_ODD), word.span or span, word.guard, True))
                continue
            pieces = split([(word.value, True)], word.span or span)
            words.extend(Word(p.value, p.span, (*word.guard, *p.guard), p.many) for p in pieces)
        return words

    def _around(self, parts: Sequence[Part | Items], items: Items, span: Span | None) -> list[Word]:
        """``a"${A[@]}"b``: what stands before joins the first element, what stands after the last."""
        at = next(i for i, p in enumerate(parts) if p is items)
        before = [p[0] for p in parts[:at] if not isinstance(p, Items)]
        after = [p[0] for p in parts[at + 1 :] if not isinstance(p, Items)]
        words = self._spread(items, span)
        if not words or any(w.guard or w.many for w in words):
            return [many("array elements are joined to other text", span)]
        values: list[Value] = [w.value for w in words]
        values[0] = join([*before, values[0]])
        values[-1] = join([values[-1], *after])
        return [Word(v, w.span or span) for v, w in zip(values, words, strict=True)]

    def _pattern(self, node: Node) -> str | None:
        """Why a word may become other words than its text: braces, file name patterns, the home folder."""
        if node.type in _QUOTED or node.type in ("simple_expansion", "expansion", "number"):
            return None
        if node.type == "brace_expression":
            return "braces are expanded to several words"
        bare = self._bare(node)
        if _BRACES.search(bare):
            return "braces are expanded to several words"
        if _GLOB.search(bare):
            return "it is a pattern of file names"
        if bare.startswith("~"):
            return HOME
        return None

    def _bare(self, node: Node) -> str:
        """The text with all that is quoted or expanded taken out."""
        if node.type == "concatenation":
            return "".join(self._bare(child) for child in node.children)
        return self.syntax.string(node) if node.type in ("word", "brace_expression") else "_"

    def _parts(self, node: Node, quoted: bool) -> Iterator[Part | Items]:
        kind = node.type
        syntax = self.syntax
        if kind in ("word", "number", "extglob_pattern", "regex", "variable_name", "special_variable_name"):
            yield from literal(unescape(syntax.mapped(node), '$`"\\' if quoted else None), quoted)
        elif kind in ("concatenation", "command_name"):
            for child in node.children:
                yield from self._parts(child, quoted)
        elif kind in ("string", "translated_string"):
            yield from self._string(node)
        elif kind == "raw_string":
            text = syntax.mapped(node)
            yield from literal(text[1:-1], True)
        elif kind == "ansi_c_string":
            yield from literal(ansi(syntax.mapped(node)[2:-1]), True)
        elif kind == "simple_expansion":
            yield from self._of_shell(node, quoted, (self._simple(node, quoted),))
        elif kind == "expansion":
            yield from self._of_shell(node, quoted, self._expansion(node, quoted))
        elif kind == "command_substitution":
            yield self._substituted(node), not quoted
        elif kind == "arithmetic_expansion":
            yield self._calculated(node, self.syntax), not quoted
        elif kind == "process_substitution":
            yield Unknown("it is a process substitution"), False
        else:
            yield from literal(syntax.mapped(node), quoted)

    def _of_shell(self, node: Node, quoted: bool, usual: Iterable[Part | Items]) -> Iterable[Part | Items]:
        """What an expansion is in the shell that runs the script."""
        if not self.env.zsh:
            return usual
        from speclint.hosts.shell import zsh

        return zsh.parts(self, node, quoted, usual)

    def _substituted(self, node: Node) -> Value:
        """``$(…)``, for which the grammar takes a calculation in ``${X:-$((…))}`` too."""
        if self.syntax.head(node, 3) == "$((" and self.syntax.string(node).endswith("))"):
            syntax = type(self.syntax)(self.syntax.slice(node.start_byte, node.end_byte))
            words = syntax.root.named_children[:1]
            while words and words[0].type in ("command", "command_name"):
                words = words[0].named_children
            if len(words) == 1 and words[0].type == "arithmetic_expansion":
                return self._calculated(words[0], syntax)
        return self.run(node)

    def _calculated(self, node: Node, syntax: Syntax) -> Value:
        value = arithmetic(node, syntax, self._lookup, self.run if syntax is self.syntax else None)
        for name in changed(syntax.string(node)[3:-2]):
            self.env.assign(name, Unknown(f"`{name}` is set by arithmetic that is not followed"))
        return value

    def counted(self, node: Node) -> Value:
        """The value of ``(( … ))``; unknown where it sets something."""
        if changed(self.syntax.string(node)):
            return Unknown("it sets what it counts with")
        return arithmetic(node, self.syntax, self._lookup, self.run)

    def _string(self, node: Node) -> Iterator[Part | Items]:
        """A double-quoted string; the grammar leaves blanks between two expansions out of every node."""
        if node.type == "translated_string":
            yield from self._string(node.named_children[0])
            return
        closed = not node.children[-1].is_missing
        yield from self.inside(node, node.start_byte + 1, node.end_byte - closed)

    def inside(self, node: Node, at: int, end: int) -> Iterator[Part | Items]:
        """The parts of text in which only expansions are special, between two byte offsets of ``node``."""
        children = [c for c in node.named_children if c.type not in ("string_content", "heredoc_content")]
        for child in children:
            lead = len(self.syntax.string(child)) - len(self.syntax.string(child).lstrip())
            start = child.start_byte + lead
            if start > at:
                yield from self._between(self.syntax.slice(at, start))
            place = self.syntax.span(child)
            for part in self._parts(child, True):
                yield part if isinstance(part, Items) else (spliced(part[0], place), part[1])
            at = child.end_byte
        if at < end or not children:
            yield from self._between(self.syntax.slice(at, end))

    def _between(self, text: Mapped) -> Iterator[Part | Items]:
        """Text between expansions; after a continued line in a here-document the grammar misses some of them."""
        at = 0
        for found in _MISSED.finditer(text.text):
            yield from literal(unescape(text[at : found.start()], '$`"\\'), True)
            name = found.group(1)
            value = self._lookup(name) if name else Unknown("it is an expansion that is not followed")
            yield spliced(value, text.place(found.start(), found.end())), False
            at = found.end()
        if at < len(text.text) or not at:
            yield from literal(unescape(text[at:], '$`"\\'), True)


def _parts_of(value: Value) -> Iterable[Value]:
    return [leaf for part in value.parts for leaf in leaves(part)] if isinstance(value, Joined) else (value,)


def _at_home(parts: Sequence[Part | Items]) -> list[Part | Items]:
    """The parts of a word that begins with ``~``: up to the first slash it is a folder that is not known."""
    first = parts[0]
    if isinstance(first, Items) or not isinstance(first[0], Known) or not first[0].text.text.startswith("~"):
        return [(Unknown(HOME), False)]
    text, slash, _ = first[0].text.text.partition("/")
    if not slash and len(parts) > 1:
        return [(Unknown(HOME), False)]
    return [(Unknown(HOME), False), (Known(first[0].text[len(text) :], first[0].steps), False), *parts[1:]]
