"""The words that a shell makes of its syntax: quotes, expansions, arrays, word splitting."""

from __future__ import annotations

from speclint.hosts.shell.arith import arithmetic
from speclint.hosts.shell.syntax import ansi, literal, unescape
from speclint.lean import pattern
from speclint.splitting import split
from speclint.text import Mapped
from speclint.value import EMPTY, Choice, Joined, Known, OneOf, Step, Unknown, join, spliced, with_step
from speclint.words import Word, as_text, many

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from tree_sitter import Node

    from speclint.hosts.shell.env import Env
    from speclint.hosts.shell.syntax import Syntax
    from speclint.splitting import Part
    from speclint.text import Span
    from speclint.value import Value

_PLAIN = pattern(r"[\w./:=@%+,-]+")
_BRACES = pattern(r"\{[^{}]*(,|\.\.)[^{}]*\}|\{[^{}]*\{[^{}]*\}[^{}]*,|,[^{}]*\{[^{}]*\}[^{}]*\}")
_GLOB = pattern(r"(?<!\\)[*?]|(?<!\\)\[[^\]]+\]")
_QUOTED = frozenset(("string", "raw_string", "ansi_c_string", "translated_string"))
_MISSED = pattern(r"(?<![\\$])\$(?:([A-Za-z_]\w*|\d)|\{[^{}]*\}|\([^()]*\))")
# Expansions whose words take the place of a missing value, and whether an empty value counts as missing.
_DEFAULTS = {":-": True, "-": False, ":=": True, "=": False}


class Items:
    """The elements of an array or of ``$@`` as a part of a word; they stay apart if ``apart``."""

    __slots__ = ("apart", "words")

    def __init__(self, words: Sequence[Word], apart: bool) -> None:
        self.words = tuple(words)
        self.apart = apart


class Expander:
    """Expands nodes of one piece of shell text in an environment.

    ``run`` reads the commands of a substitution and returns what it prints where that is told by the text itself.
    """

    def __init__(self, syntax: Syntax, env: Env, run: Callable[[Node], Value]) -> None:
        self.syntax = syntax
        self.env = env
        self.run = run

    def words(self, group: Sequence[Node | Mapped]) -> list[Word]:
        """The words that a word becomes. ``group`` are its pieces: nodes, and text that the grammar leaves out."""
        first = group[0]
        if len(group) == 1 and not isinstance(first, Mapped) and first.type in ("word", "number"):
            text = self.syntax.mapped(first)
            if _PLAIN.fullmatch(text.text):  # as most are
                return [Word(Known(text), text.place())]
        span = self._span(group)
        for node in group:
            reason = None if isinstance(node, Mapped) else self._pattern(node)
            if reason is not None:
                return [many(reason, span)]
        parts: list[Part | Items] = []
        for node in group:
            parts.extend([(Known(node), False)] if isinstance(node, Mapped) else self._parts(node, False))
        items = [p for p in parts if isinstance(p, Items)]
        if not items:
            return split([p for p in parts if not isinstance(p, Items)], span)
        if len(parts) == 1:
            return self._spread(items[0], span)
        if len(items) == 1 and items[0].words and not any(w.guard or w.many for w in items[0].words):
            return self._around(parts, items[0], span)
        return [many("array elements are joined to other text", span)]

    def _span(self, group: Sequence[Node | Mapped]) -> Span | None:
        first, last = (g.place() if isinstance(g, Mapped) else self.syntax.span(g) for g in (group[0], group[-1]))
        return first.to(last) if first is not None and len(group) > 1 else first

    def value(self, node: Node) -> Value:
        """The value of a word where the shell does not split it, as in an assignment or a condition."""
        if node.type not in _QUOTED and self.syntax.string(node).lstrip().startswith("~"):
            return Unknown("`~` is the home folder of whoever runs it")
        return self._join(self._parts(node, False))

    def _join(self, parts: Iterator[Part | Items]) -> Value:
        values: list[Value] = []
        for part in parts:
            if isinstance(part, Items):
                text = as_text(part.words)
                values.extend(value for value, _ in literal(text, True))
            else:
                values.append(part[0])
        return join(values)

    def _spread(self, items: Items, span: Span | None) -> list[Word]:
        words: list[Word] = []
        for word in items.words:
            if items.apart or word.many:
                words.append(word if word.span is not None else Word(word.value, span, word.guard, word.many))
                continue
            pieces = split([(word.value, True)], word.span or span)
            words.extend(Word(p.value, p.span, (*word.guard, *p.guard), p.many) for p in pieces)
        return words

    def _around(self, parts: Sequence[Part | Items], items: Items, span: Span | None) -> list[Word]:
        """``a"${A[@]}"b``: what stands before joins the first element, what stands after the last."""
        at = next(i for i, p in enumerate(parts) if p is items)
        before = [p[0] for p in parts[:at] if not isinstance(p, Items)]
        after = [p[0] for p in parts[at + 1 :] if not isinstance(p, Items)]
        values: list[Value] = [w.value for w in items.words]
        values[0] = join([*before, values[0]])
        values[-1] = join([values[-1], *after])
        return [Word(v, w.span or span) for v, w in zip(values, items.words, strict=True)]

    def _pattern(self, node: Node) -> str | None:
        """Why a word may become other words than its text: braces, file name patterns, the home folder."""
        if node.type in _QUOTED or node.type in ("simple_expansion", "expansion", "number"):
            return None
        if node.type == "brace_expression":
            return "braces are expanded to several words"
        bare = self._bare(node)
        if _BRACES.search(bare):
            return "braces are expanded to several words"
        if bare.startswith("~"):
            return "`~` is the home folder of whoever runs it"
        if _GLOB.search(bare):
            return "it is a pattern of file names"
        return None

    def _bare(self, node: Node) -> str:
        """The text with all that is quoted or expanded taken out."""
        if node.type == "concatenation":
            return "".join(self._bare(child) for child in node.children)
        return self.syntax.string(node) if node.type == "word" else "_"

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
            yield self._simple(node, quoted)
        elif kind == "expansion":
            yield from self._expansion(node, quoted)
        elif kind == "command_substitution":
            yield self.run(node), not quoted
        elif kind == "arithmetic_expansion":
            yield arithmetic(node, syntax, self._lookup), not quoted
        elif kind == "process_substitution":
            yield Unknown("it is a process substitution"), False
        else:
            yield from literal(syntax.mapped(node), quoted)

    def _string(self, node: Node) -> Iterator[Part | Items]:
        """A double-quoted string; the grammar leaves blanks between two expansions out of every node."""
        if node.type == "translated_string":
            yield from self._string(node.named_children[0])
            return
        yield from self.inside(node, node.start_byte + 1, node.end_byte - 1)

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

    def _lookup(self, name: str) -> Value:
        """The value of a variable or positional parameter."""
        if name.isdigit() and name != "0":
            return self._positional(int(name))
        variable = self.env.variables.get(name)
        if variable is not None:
            return variable.scalar()
        if not (name[:1].isalpha() or name[:1] == "_"):
            return Unknown(f"`${name}` is known only when it runs")
        return Unknown(f"`{name}` is not set in this file")

    def _positional(self, number: int) -> Value:
        words = self.env.positional
        if words is None:
            return Unknown(f"`${number}` is given by the caller")
        if any(w.many or w.guard for w in words[:number]):
            return Unknown(f"`${number}` is not known where the function is called")
        return words[number - 1].value if number <= len(words) else EMPTY

    def _all(self, name: str) -> Sequence[Word]:
        if name in ("@", "*"):
            if self.env.positional is None:
                return (many(f"`${name}` is given by the caller", None),)
            return self.env.positional
        variable = self.env.variables.get(name)
        if variable is None:
            return (many(f"`{name}` is not set in this file", None),)
        return variable.words()

    def _simple(self, node: Node, quoted: bool) -> Part | Items:
        name = self.syntax.string(node).lstrip()[1:]
        return self._list(name, name, quoted) if name in ("@", "*") else (self._lookup(name), not quoted)

    def _list(self, name: str, index: str, quoted: bool) -> Part | Items:
        """All elements: apart in ``"${A[@]}"``, one text in ``"${A[*]}"``, split again without quotes."""
        if index == "*" and quoted:
            return self._join(iter((Items(self._all(name), True),))), False
        return Items(self._all(name), quoted)

    def _expansion(self, node: Node, quoted: bool) -> Iterator[Part | Items]:
        children = [c for c in node.children[1:-1] if c.type != "comment"]
        first = children[0] if children else None
        if first is None or first.type not in ("variable_name", "subscript", "special_variable_name"):
            yield Unknown("it is an expansion that is not followed"), not quoted
            return
        operator = self.syntax.string(children[1]) if len(children) > 1 else ""
        index = first.child_by_field_name("index") if first.type == "subscript" else None
        target = first.child_by_field_name("name") if first.type == "subscript" else first
        name = self.syntax.string(target) if target is not None else ""
        if index is not None and not operator:
            yield self._element(name, self.syntax.string(index), quoted)
        elif name in ("@", "*") and not operator:
            yield self._list(name, name, quoted)
        elif index is None and not operator:
            yield self._lookup(name), not quoted
        elif index is None and operator in _DEFAULTS:
            value = self._default(name, operator, children[2:], node)
            yield value, not quoted
        elif operator in (":+", "+"):
            yield from self._alternative(name, index, children[2:], quoted)
        elif operator in (":?", "?") and index is None:
            yield self._lookup(name), not quoted
        elif index is not None and operator in _DEFAULTS and self.syntax.string(index) == "@":
            yield Items(self._all(name), quoted)
        else:
            yield Unknown(f"`{self.syntax.string(node).strip()}` is not followed"), not quoted

    def _element(self, name: str, index: str, quoted: bool) -> Part | Items:
        if index in ("@", "*"):
            return self._list(name, index, quoted)
        words = self._all(name)
        if index.isdigit() and int(index) < len(words) and not any(w.guard or w.many for w in words[: int(index) + 1]):
            return words[int(index)].value, not quoted
        return Unknown(f"`{name}[{index}]` is not followed"), not quoted

    def _word_of(self, nodes: Sequence[Node]) -> Value:
        """The value of the word in ``${X:-word}``."""
        if not nodes:
            return EMPTY
        return join(self._join(self._parts(node, False)) for node in nodes)

    def _default(self, name: str, operator: str, nodes: Sequence[Node], node: Node) -> Value:
        """``${X:-word}``: the value of X, or the word where X is missing; who runs the file may set X."""
        old = self._lookup(name)
        word = self._word_of(nodes)
        shown = name if name.isidentifier() else f"${name}"
        span = self.syntax.span(node)
        step = Step("default", f"the default of `{self.syntax.string(node).strip()}`", span)
        value = self._missing(old, name, shown, with_step(word, step), operator, span)
        if operator in (":=", "="):
            self.env.assign(name, value)
        return value

    def _missing(self, old: Value, name: str, shown: str, word: Value, operator: str, span: Span | None) -> Value:
        if isinstance(old, Known):
            return word if not old.text.text and _DEFAULTS[operator] else old
        if isinstance(old, OneOf):
            return OneOf(old.choice, [self._missing(a, name, shown, word, operator, span) for a in old.arms])
        if isinstance(old, Joined):
            return old
        choice = self.env.outside.get(name)
        if choice is None:
            labels = (f"`{shown}` keeps its default", f"`{shown}` is given by the caller")
            choice = self.env.outside[name] = Choice("default", labels, span)
        return OneOf(choice, (word, Unknown(f"`{shown}` may be given by the caller", old.prefix, old.steps)))

    def _alternative(
        self, name: str, index: Node | None, nodes: Sequence[Node], quoted: bool
    ) -> Iterator[Part | Items]:
        """``${X:+word}``: the word where X is set and not empty."""
        if index is not None:
            words = self._all(name)
            known = words and not any(w.many or w.guard for w in words)
            value: Value = Known(Mapped.new("x")) if known else Unknown("") if words else EMPTY
        else:
            value = self._lookup(name)
        if isinstance(value, Known):
            if not value.text.text:
                yield EMPTY, not quoted
                return
            for node in nodes:
                yield from self._parts(node, quoted)
            return
        choice = Choice("branch", (f"`{name}` is set", f"`{name}` is not set"))
        yield OneOf(choice, (self._word_of(nodes), EMPTY)), not quoted
