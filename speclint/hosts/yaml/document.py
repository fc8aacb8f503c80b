"""One document of a YAML stream: its nodes, with values and places in the file."""

from __future__ import annotations

from itertools import islice

from speclint.hosts.yaml import extending, scalar
from speclint.hosts.yaml.node import backwards, children, is_scalar
from speclint.hosts.yaml.template import FILLED, GIVEN, REPEATED
from speclint.lean import pattern
from speclint.text import HOLE, Mapped, Span
from speclint.value import Definition, Joined, Known, OneOf, Step, Unknown, as_value, with_step
from speclint.words import Word, many

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from speclint.hosts.yaml.chart import Chart
    from speclint.hosts.yaml.node import Node
    from speclint.hosts.yaml.template import Rendered
    from speclint.source import SourceFile
    from speclint.value import Value
    from speclint.words import Guard

_ANCHOR = pattern(r"&([^\s,\[\]{}]+)")
_ALIAS = pattern(r"\*(?<![^\s\[{,:]\*)[\w-]")  # the star first, for which there is a quick search
ADDED = "a template adds to this list"
# From more mappings than this none is merged in, and into all of a document no more than that many keys: it takes a
# bomb of aliases to get there.
_MAX_MERGES = 2000
_MAX_MERGED = 100_000
_QUOTES = frozenset(("'", '"'))
_BLOCKS = frozenset(("|", ">"))


class Document:
    """A composed document. Its nodes' marks count from ``base`` in ``rendered.text``.

    ``clean``: the file is UTF-8 throughout, so that it may be edited.
    """

    __slots__ = (
        "_bases", "_file", "_merges", "_pairs", "_room", "_shared", "_shift", "_text", "_values", "base", "clean",
        "rendered", "root",
    )  # fmt: skip

    def __init__(self, rendered: Rendered, base: int, end: int, root: Node, clean: bool = True) -> None:
        self.rendered = rendered
        self.base = base
        self.root = root
        self.clean = clean
        self._pairs: dict[int, list[tuple[str, Node, Node]]] = {}
        self._values: dict[int, dict[str, Node]] = {}
        self._shared: dict[int, tuple[Node, int]] = {}
        self._room = _MAX_MERGED
        self._text = text = rendered.text.text
        # Where the text is one stretch of a file, this far behind what the marks count from; most is.
        self._file: SourceFile | None = None
        self._shift = 0
        pieces = rendered.text.pieces
        if len(pieces) == 1 and not rendered.marks:
            piece = pieces[0]
            if piece.exact and piece.span is not None and piece.via is None and piece.hole is None:
                self._file = piece.span.file
                self._shift = base + piece.span.start
        self._merges = text.find("<<", base, end) >= 0
        extends = text.find("services", base, end) >= 0 and text.find("extends", base, end) >= 0
        self._bases = extending.bases(root) if extends else {}
        if text.find("&", base, end) >= 0 and text.find("*", base, end) >= 0 and _ALIAS.search(text, base, end):
            self._count()

    def _count(self) -> None:
        """How often each node is used: its own aliases and those of what it lies in."""
        counts: dict[int, int] = {}
        order: list[tuple[Node, Node | None]] = []
        todo: list[tuple[Node, Node | None]] = [(self.root, None)]
        while todo:
            node, parent = todo.pop()
            counts[id(node)] = counts.get(id(node), 0) + 1
            if counts[id(node)] > 1:
                continue
            order.append((node, parent))
            todo.extend((child, node) for child in reversed(children(node)))
        for node, parent in order:
            own = (node, counts[id(node)])
            outer = self._shared.get(id(parent))
            best = outer if outer is not None and outer[1] >= own[1] else own
            if best[1] > 1:
                self._shared[id(node)] = best

    @property
    def is_plain(self) -> bool:
        """Whether its text stands in the file as it is: no template has a part in it."""
        return self._file is not None

    def uses(self, node: Node) -> int:
        """How many places use a node: 1, and one for each alias of it or of what it lies in."""
        found = self._shared.get(id(node))
        return found[1] if found else 1

    def start(self, node: Node) -> int:
        """Where a node begins in the rendered text."""
        found: int = self.base + node.start_mark.index
        return found

    def end(self, node: Node) -> int:
        """Where the text of a node ends: a block is given by its last child, not by the next token."""
        while node.id != "scalar" and not node.flow_style:
            if not node.value:
                break
            first = node.start_mark.index
            inner = node.value[-1] if node.id == "sequence" else node.value[-1][1]
            if inner.start_mark.index < first:  # an alias: it stands before
                inner = next((c for c in backwards(node) if c.start_mark.index >= first), None)
                if inner is None:
                    break
            node = inner
        text = self._text
        at, start = self.base + node.end_mark.index, self.base + node.start_mark.index
        if at > start and not text[at - 1].isspace():  # as most end
            return int(at)
        return int(start + len(text[start:at].rstrip()))

    def limit(self, node: Node) -> int:
        """Where the next token after a node begins."""
        found: int = self.base + node.end_mark.index
        return found

    def span(self, node: Node) -> Span:
        """The node as written, quotes included and its anchor left out."""
        if self._file is not None and node.id == "scalar":
            at, stop, text, base = node.start_mark.index, node.end_mark.index, self._text, self.base
            if stop > at and text[base + at] not in "&!" and not text[base + stop - 1].isspace():
                return Span(self._file, self._shift + at, self._shift + stop)
        end = self.end(node)
        return self.range(scalar.skip_properties(self._text, self.start(node), end), end)

    def range(self, start: int, end: int) -> Span:
        """A range of the rendered text in the file."""
        found = self.rendered.text.span(start, end) if end > start else self.rendered.text.point(start)
        if found is None:
            found = self.rendered.text.span()
        assert found is not None
        return found

    def text(self, node: Node) -> Mapped:
        """The value of a scalar; what a template adds to it on lines of its own is a hole at its end."""
        source, start, end = self.rendered.text, self.start(node), self.limit(node)
        if self._file is not None and node.style not in _BLOCKS:
            value = node.value
            first, last = (start + 1, end - 1) if node.style in _QUOTES else (start, end)
            if value and last - first == len(value) and self._text.startswith(value, first):
                return source.part(first, last)
        mapped = scalar.read(source, start, end, node.style or "", node.value)
        if self.rendered.marks and self.rendered.marked(start + 1, end - 1):
            mapped = Mapped.join((mapped, Mapped.new(" "), Mapped.hole(Unknown(FILLED), self.span(node))))
        return mapped

    def word(self, node: Node) -> Word | None:
        """A scalar as a word, where it stands on one line as it reads; None where it takes more to tell it."""
        if self._file is None or node.style in _BLOCKS or id(node) in self._shared:
            return None
        value, start, end = node.value, node.start_mark.index, node.end_mark.index
        quote = 1 if node.style in _QUOTES else 0
        # With a tag or an anchor before it, it is longer than what it reads as.
        if not value or end - start - 2 * quote != len(value):
            return None
        if not self._text.startswith(value, self.base + start + quote):
            return None
        file, start, end = self._file, self._shift + start, self._shift + end
        return Word(Known(Mapped.of(file, start + quote, end - quote)), Span(file, start, end))

    def string(self, node: Node | None) -> str:
        """The plain text of a scalar, a template's parts shown as dots; empty for other nodes."""
        return str(node.value).replace(HOLE, "…") if node is not None and is_scalar(node) else ""

    def value(self, node: Node, text: Mapped | None = None) -> Value:
        """What is known of a scalar; an anchor that is used elsewhere too is a definition."""
        if node.id != "scalar":
            return Unknown("it is no plain value")
        value = as_value(self.text(node) if text is None else text)
        shared = self._shared.get(id(node))
        if shared is None:
            return value
        anchor, uses = shared
        head = self.rendered.text.text[self.start(anchor) : self.start(anchor) + 80]
        found = _ANCHOR.search(head)
        name = found.group(1) if found else "anchor"
        span = self.span(node)
        return with_step(value, Step("assigned", f"`&{name}` is set here", span, Definition(name, span, uses)))

    def pairs(self, mapping: Node) -> list[tuple[str, Node, Node]]:
        """Keys as text with their nodes and values: its own, then those that it does not have, which it merges in by
        ``<<`` or, as a service of compose, extends."""
        found = self._pairs.get(id(mapping))
        if found is None:  # what is inside asks again and again for what is around it
            found = self._written(mapping)
            if id(mapping) in self._bases:
                for base in extending.chain(mapping, self._bases):
                    found = extending.over(found, self._written(base))
            self._pairs[id(mapping)] = found
        return found

    def _written(self, mapping: Node) -> list[tuple[str, Node, Node]]:
        found = [(key.value, key, value) for key, value in mapping.value if key.id == "scalar"]
        if self._merges and any(key == "<<" for key, _, _ in found):
            found = list(islice(self._merged(mapping), max(self._room, len(found))))
            self._room -= len(found)
        return found

    def values(self, mapping: Node) -> dict[str, Node]:
        """The values of a mapping by their keys; of a key written twice the last, as YAML libraries take it."""
        found = self._values.get(id(mapping))
        if found is None:
            if self._merges or self._bases:
                found = {key: value for key, _, value in self.pairs(mapping)}
            else:
                found = {key.value: value for key, value in mapping.value if key.id == "scalar"}
            self._values[id(mapping)] = found
        return found

    def _merged(self, mapping: Node) -> Iterator[tuple[str, Node, Node]]:
        seen: set[str] = set()
        done: set[int] = set()
        todo = [mapping]
        while todo and len(done) < _MAX_MERGES:
            node = todo.pop(0)
            if id(node) in done:
                continue
            done.add(id(node))
            own: set[str] = set()
            for key, value in node.value:
                if key.id != "scalar":
                    continue
                if key.value == "<<":
                    todo.extend(n for n in (value.value if value.id == "sequence" else [value]) if n.id == "mapping")
                elif key.value not in seen:
                    own.add(key.value)
                    yield key.value, key, value
            seen |= own

    def get(self, mapping: Node | None, *path: str) -> Node | None:
        """The value at a path of keys."""
        node = mapping
        for name in path:
            if node is None or node.id != "mapping":
                return None
            node = self.values(node).get(name)
        return node

    def next_start(self, mapping: Node, value: Node) -> int:
        """Where the key after a value begins, or the mapping ends."""
        for key, _ in mapping.value:
            if key.start_mark.index > value.start_mark.index:
                return self.start(key)
        return self.limit(mapping)

    def is_compose(self) -> bool:
        """Whether it is a compose file: services with images or builds, or what such a file's name adds to them.

        Akash writes services much the same way, but tells beside them what they run on, and no compose reads them.
        """
        services = self.get(self.root, "services")
        if services is None or services.id != "mapping" or self.get(self.root, "profiles", "compute") is not None:
            return False
        if any(self.get(v, "image") or self.get(v, "build") for _, _, v in self.pairs(services)):
            return True
        place = self.span(services)
        return place is not None and "compose" in place.file.path.rpartition("/")[2]

    def added(self, at: int, span: Span | None) -> list[Word]:
        """The words that a template adds to a list at a place of the rendered text."""
        items, chart = self.rendered.added.get(at), self.rendered.chart
        return _either(items, chart, span) if items is not None and chart is not None else [many(ADDED, span)]

    def repeated(self, node: Node, word: Word) -> list[Word]:
        """The words that an item stands for which a template repeats."""
        items, chart = self.rendered.repeated(self.start(node)), self.rendered.chart
        return (
            _either(items, chart, word.span) if items is not None and chart is not None else [many(REPEATED, word.span)]
        )

    def guard(self, node: Node, first: Node, inside: Node) -> Guard | None:
        """The template's choices that a node hangs on, seen from ``first`` to the end of ``inside``.

        None if it is repeated.
        """
        if not self.rendered.regions:
            return ()
        return self.rendered.guard(self.start(node), self.start(first), self.end(inside))

    def guarded(self, node: Node, first: Node, inside: Node, word: Word) -> Word:
        """The word of a node, there only when the template has it."""
        guard = self.guard(node, first, inside)
        if guard is None:
            return many(REPEATED, word.span)
        for choice, arm in reversed(guard):
            word = word.when(choice, arm)
        return word


def _either(items: Sequence[Value], chart: Chart, span: Span | None) -> list[Word]:
    """The items while the values of the chart hold, else whatever words."""
    words = [Word(value, span).when(chart.choice, 0) for value in items]
    return [*words, many(GIVEN, span).when(chart.choice, 1)]


def is_filled(value: Value) -> bool:
    """Whether a template had its part in a value."""
    if isinstance(value, Known):
        return value.text.holes()
    parts = value.parts if isinstance(value, Joined) else value.arms if isinstance(value, OneOf) else (value,)
    return any(
        is_filled(p)
        if isinstance(p, OneOf | Joined)
        else p.reason in (FILLED, GIVEN)
        if isinstance(p, Unknown)
        else p.text.holes()
        for p in parts
    )
