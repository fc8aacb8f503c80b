"""Expansions: the values of variables and positional parameters, and what ``${X:-word}`` and its like make of them."""

from __future__ import annotations

from speclint.hosts.shell import strings
from speclint.hosts.shell.env import CALLER
from speclint.hosts.shell.operands import bounds_of, element, operands, taken_of
from speclint.lean import pattern
from speclint.splitting import split
from speclint.text import Mapped
from speclint.value import EMPTY, Choice, Joined, Known, OneOf, Step, Unknown, with_step
from speclint.words import Word, many, merge_words
from speclint.worlds import choices, combine, restrict

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from tree_sitter import Node

    from speclint.hosts.shell.env import Env
    from speclint.hosts.shell.syntax import Syntax
    from speclint.splitting import Part
    from speclint.text import Span
    from speclint.value import Value

# Expansions whose words take the place of a missing value, and whether an empty value counts as missing.
_DEFAULTS = {":-": True, "-": False, ":=": True, "=": False}
_EACH = pattern(r"\$\{(?:@|\w+\[@\])")
# A value of more choices is not told apart by whether it is empty.
_MAX_CHOICES = 4


class Items:
    """The elements of an array or of ``$@`` as a part of a word; they stay apart if ``apart``."""

    __slots__ = ("apart", "words")

    def __init__(self, words: Sequence[Word], apart: bool) -> None:
        self.words = tuple(words)
        self.apart = apart


class Expansions:
    """The part of an Expander that looks variables up.

    ``run`` reads the commands of a substitution and returns what it prints where that is told by the text itself.
    """

    def __init__(self, syntax: Syntax, env: Env, run: Callable[[Node], Value]) -> None:
        self.syntax = syntax
        self.env = env
        self.run = run

    def value(self, node: Node) -> Value:
        """The value of a word where the shell does not split it."""
        raise NotImplementedError

    def _parts(self, node: Node, quoted: bool) -> Iterator[Part | Items]:
        raise NotImplementedError

    def _join(self, parts: Iterator[Part | Items]) -> Value:
        raise NotImplementedError

    def _lookup(self, name: str) -> Value:
        """The value of a variable or positional parameter."""
        if name.isdigit() and name != "0":
            return self._positional(int(name))
        if name == "#" and self.env.positional is not None and not any(w.many or w.guard for w in self.env.positional):
            return Known(Mapped.new(str(len(self.env.positional))))
        variable = self.env.variables.get(name)
        if variable is not None:
            return variable.scalar()
        if name == "IFS":
            return Known(Mapped.new(" \t\n"))
        if not (name[:1].isalpha() or name[:1] == "_"):
            return Unknown(f"`${name}` is known only when it runs")
        return Unknown(f"`{name}` is not set in this file")

    def _positional(self, number: int) -> Value:
        words = self.env.positional
        if words is None:
            return Unknown(f"`${number}` is given by the caller")
        if any(w.many or w.guard for w in words[:number]):
            told = element(words, number - 1)
            return Unknown(f"`${number}` is not known where the function is called") if told is None else told
        return words[number - 1].value if number <= len(words) else EMPTY

    def _all(self, name: str) -> Sequence[Word]:
        if name in ("@", "*"):
            return (CALLER,) if self.env.positional is None else self.env.positional
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
            return self._together(self._all(name)), False
        return Items(self._all(name), quoted)

    def _together(self, words: Sequence[Word]) -> Value:
        """Words as one text, between them the first character of ``IFS``."""
        between = strings.separator(self.syntax, self.env)
        return self._join(iter((Items(words, True),))) if between == " " else strings.linked(words, between)

    def _expansion(self, node: Node, quoted: bool) -> Iterator[Part | Items]:
        children = [c for c in node.children[1:-1] if c.type != "comment"]
        sign = children.pop(0).type if children and children[0].type in ("#", "!") and len(children) > 1 else ""
        first = children[0] if children else None
        if node.has_error or not self.syntax.string(node).endswith("}"):
            # The grammar takes `${A[@]:$N}` apart.
            unknown = self._not_followed(node)
            several = _EACH.match(self.syntax.string(node).lstrip()) is not None
            yield Items((many(unknown.reason, None),), True) if several else (unknown, not quoted)
            return
        special = first is not None and first.type == "special_variable_name" and first.text not in (b"@", b"*")
        if first is None or special or first.type not in ("variable_name", "subscript", "special_variable_name"):
            yield Unknown("it is an expansion that is not followed"), not quoted
            return
        operator = self.syntax.string(children[1]) if len(children) > 1 else ""
        index = first.child_by_field_name("index") if first.type == "subscript" else None
        target = first.child_by_field_name("name") if first.type == "subscript" else first
        name = self.syntax.string(target) if target is not None else ""
        every = "@" if index is None and name in ("@", "*") else self.syntax.string(index) if index is not None else ""
        if sign:
            yield self._signed(sign, name, every, operator, node, quoted)
        elif every in ("@", "*"):
            yield from self._of_list(name, name if index is None else every, children[1:], node, quoted)
        elif operator in (":+", "+"):
            value = self._one(name, index)
            set_ = operator == "+" and isinstance(value, Known) and value is not EMPTY
            yield from self._alternative(name, Known(Mapped.new("x")) if set_ else value, children[2:], quoted)
        elif operator in _DEFAULTS and index is None:
            yield self._default(name, operator, children[2:], node, quoted)
        elif not operator or operator in (":?", "?"):
            yield self._one(name, index), not quoted
        else:
            words = operands(operator, children[1:], node, self.syntax)
            made = strings.edited(self._one(name, index), operator, words, self.syntax.span(node))
            yield made or self._not_followed(node), not quoted

    def _not_followed(self, node: Node) -> Unknown:
        return Unknown(f"`{self.syntax.string(node).strip()}` is not followed")

    def _one(self, name: str, index: Node | None) -> Value:
        """The value of ``$X`` or ``${X[index]}``."""
        if index is None:
            return self._lookup(name)
        written = self.syntax.string(index)
        held = self.env.variables.get(name)
        if held is not None and held.keyed is not None:
            keyed, missing = held.keyed, Unknown(f"`{name}[{written}]` is not followed")
            return combine([self.value(index)], lambda key: keyed.get(key[0].text.text, missing))
        words = self._all(name)

        def at(known: Sequence[Known]) -> Value:
            text = known[0].text.text
            number = int(text) if text.lstrip("-").isdigit() and text.isascii() and len(text) < 9 else len(words)
            if number < 0 and not any(w.guard or w.many for w in words):
                number += len(words)  # counted from the end
            told = element(words, number) if number >= 0 else None
            return Unknown(f"`{name}[{written}]` is not followed") if told is None else told

        if index.type in ("number", "word") and not written.isidentifier():
            return at([Known(Mapped.new(written))])
        return combine([self._lookup(written) if written.isidentifier() else self.value(index)], at)

    def _of_list(self, name: str, every: str, rest: Sequence[Node], node: Node, quoted: bool) -> Iterator[Part | Items]:
        """``${A[@]}``, ``${@:2}``, ``${A[@]:-word}``, ``${A[@]+word}``, ``${A[@]/x/y}``; ``rest``: behind the name."""
        operator, nodes = self.syntax.string(rest[0]) if rest else "", rest[1:]
        if operator in (":+", "+") and f"{name}[@]" in "".join(self.syntax.string(n) for n in nodes):
            for inner in nodes:
                yield from self._parts(inner, False)
        elif operator in (":+", "+"):
            words = self._all(name)
            certain = any(not w.many and not w.guard for w in words)
            value: Value = Known(Mapped.new("x")) if certain else Unknown("") if words else EMPTY
            yield from self._alternative(name, value, nodes, quoted)
        elif operator == ":":
            bounds = bounds_of(nodes, node, self.syntax)
            variable = self.env.variables.get(name)
            plain = variable is not None and variable.items is None  # of a value it takes characters
            taken = None if plain else taken_of(self._all(name), bounds, name in ("@", "*"))
            yield Items(taken if taken is not None else (many(self._not_followed(node).reason, None),), quoted)
        elif operator in _DEFAULTS and not self._all(name):
            yield from self._loose(nodes, quoted)
        elif not operator or operator in _DEFAULTS:
            yield self._list(name, every, quoted)
        else:
            found = self._edited(self._all(name), operator, rest, node)
            if every == "*" and quoted:
                yield self._not_followed(node) if found is None else self._together(found), False
            else:
                yield Items((many(self._not_followed(node).reason, None),) if found is None else found, quoted)

    def _edited(self, words: Sequence[Word], operator: str, rest: Sequence[Node], node: Node) -> list[Word] | None:
        """What an operator makes of each element; None where that is not followed."""
        given, place = operands(operator, rest, node, self.syntax), self.syntax.span(node)
        found: list[Word] = []
        for word in words:
            value = None if word.many else strings.edited(word.value, operator, given, place)
            if value is None:
                return None
            found.append(Word(value, word.span, word.guard))
        return found

    def _signed(self, sign: str, name: str, every: str, operator: str, node: Node, quoted: bool) -> Part | Items:
        """``${#X}``, ``${#A[@]}``, ``${!A[@]}``, ``${!X}``."""
        if operator:
            return self._not_followed(node), not quoted
        place = self.syntax.span(node)
        if every in ("@", "*"):
            words = self._all(name)
            if any(w.many or w.guard for w in words):
                return self._not_followed(node), not quoted
            if sign == "#":
                return Known(Mapped.new(str(len(words)), place)), False
            return Items([Word(Known(Mapped.new(str(n))), place) for n in range(len(words))], quoted)
        if every:
            return self._not_followed(node), not quoted
        if sign == "#":
            return combine([self._lookup(name)], lambda k: Known(Mapped.new(str(len(k[0].text.text)), place))), False
        return combine([self._lookup(name)], lambda k: self._lookup(k[0].text.text)), not quoted

    def _loose(self, nodes: Sequence[Node], quoted: bool) -> Iterator[Part | Items]:
        """The parts of a word in ``${X:+word}``: outside of quotes blanks in it separate words."""
        for node in self._pieces(nodes):
            if isinstance(node, Mapped):
                yield Known(node), not quoted
            elif node.type == "word" and not quoted:
                yield from ((p[0], True) if isinstance(p, tuple) else p for p in self._parts(node, False))
            else:
                yield from self._parts(node, quoted)

    def _pieces(self, nodes: Sequence[Node]) -> Iterator[Node | Mapped]:
        """The nodes of a word in ``${X:+word}``, and the blanks between them, which the grammar counts to none."""
        end = None
        for node in nodes:
            for piece in node.children if node.type == "concatenation" else (node,):
                if end is not None and piece.start_byte > end:
                    gap = self.syntax.slice(end, piece.start_byte)
                    # A line that goes on here is a blank like those beside it.
                    yield Mapped.new(" ", gap.place()) if gap.text.strip(" \t") else gap
                end = piece.end_byte
                yield piece

    def _default(self, name: str, operator: str, nodes: Sequence[Node], node: Node, quoted: bool) -> Part | Items:
        """``${X:-word}``: the value of X, or the word where X is missing; who runs the file may set X."""
        old = self._lookup(name)
        parts = list(self._loose(nodes, False))
        word = self._join(iter(parts)) if parts else EMPTY
        shown = name if name.isidentifier() else f"${name}"
        span = self.syntax.span(node)
        step = Step("default", f"the default of `{self.syntax.string(node).strip()}`", span)
        value = self._missing(old, name, shown, with_step(word, step), operator, span)
        if operator in (":=", "="):
            self.env.assign(name, value)
        if not quoted and _keep_blanks(parts):
            return Items((many(self._not_followed(node).reason, None),), True)
        return value, not quoted

    def _missing(
        self,
        old: Value,
        name: str,
        shown: str,
        word: Value,
        operator: str,
        span: Span | None,
        made: dict[int, Value] | None = None,
    ) -> Value:
        """``made``: what became of the alternatives met so far, which others share."""
        if isinstance(old, Known):
            missing = _DEFAULTS[operator] or old is EMPTY  # it is not set
            return word if not old.text.text and missing else old
        if isinstance(old, Joined):
            return old
        choice = self.env.outside.get(name)
        if isinstance(old, OneOf):
            made = {} if made is None else made
            for arm in old.arms:
                # What the caller gives is settled by the first default.
                given = old.choice is choice and isinstance(arm, Unknown)
                if id(arm) not in made or given:
                    made[id(arm)] = arm if given else self._missing(arm, name, shown, word, operator, span, made)
            return OneOf(old.choice, [made[id(arm)] for arm in old.arms])
        if choice is None:
            labels = (f"`{shown}` keeps its default", f"`{shown}` is given by the caller")
            choice = self.env.outside[name] = Choice("default", labels, span)
        return OneOf(choice, (word, Unknown(f"`{shown}` may be given by the caller", old.prefix, old.steps)))

    def _alternative(self, name: str, value: Value, nodes: Sequence[Node], quoted: bool) -> Iterator[Part | Items]:
        """``${X:+word}``: the word where X is set and not empty."""
        if isinstance(value, Known):
            if not value.text.text:
                yield EMPTY, not quoted
                return
            yield from self._loose(nodes, quoted)
            return
        choice = Choice("branch", (f"`{name}` is set", f"`{name}` is not set"))
        parts = list(self._loose(nodes, quoted))
        plain = [part for part in parts if not isinstance(part, Items)]
        if not quoted and len(plain) == len(parts) and _keep_blanks(parts):
            yield Items(merge_words(choice, (split(plain, None), ())), True)
        else:
            word = self._join(iter(parts)) if parts else EMPTY
            told = len(choices(value)) <= _MAX_CHOICES
            yield _where_set(value, word, choice) if told else OneOf(choice, (word, EMPTY)), not quoted


def _where_set(value: Value, word: Value, choice: Choice) -> Value:
    """A word where a value is not empty; ``choice`` decides that where it is not told."""
    if isinstance(value, OneOf) and value.choice.kind != "default":
        arms = enumerate(value.arms)
        return OneOf(value.choice, [_where_set(arm, restrict(word, value.choice, at), choice) for at, arm in arms])
    if isinstance(value, Known):
        return word if value.text.text else EMPTY
    return OneOf(choice, (word, EMPTY))


def _keep_blanks(parts: Sequence[Part | Items]) -> bool:
    """Whether there are blanks in quotes, which do not separate words."""
    quoted = [part[0] for part in parts if not isinstance(part, Items) and not part[1]]
    return any(isinstance(value, Known) and len(value.text.text.split()) > 1 for value in quoted)
