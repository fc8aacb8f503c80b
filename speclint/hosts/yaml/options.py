"""Mappings of option names to values, and lists of options, that a program turns into a command line of its own.

Whose options they are is not decided here: each comes with the keys that it stands under.
"""

from __future__ import annotations

import re

from speclint.hosts.yaml.document import NULL, is_filled, is_scalar
from speclint.lean import pattern
from speclint.text import Mapped
from speclint.value import EMPTY, Known, Unknown
from speclint.words import Command, Keyword, Word

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from speclint.hosts.yaml.document import Document, Node
    from speclint.hosts.yaml.place import Place
    from speclint.value import Value

_NAME = pattern(r"[A-Za-z][A-Za-z0-9]*(?:[_-][A-Za-z0-9]+)*")
_FLAG = pattern(r"--[A-Za-z][\w-]*(?:=.*)?", re.DOTALL)
# Neighbours that name the engine.
_ENGINES = ("backend", "engine", "framework", "runtime", "inference_engine", "engine_type", "type")
# What other programs put in: OmegaConf, Jinja, Python's format.
_REFERENCE = pattern(r"\$\{|\{\{|\{\w+\}|\$\(")
_LITERALS = {f"tag:yaml.org,2002:{name}": name for name in ("int", "float", "bool")}
_TRUE = frozenset(("true", "yes", "on"))


def mappings(document: Document, places: Sequence[Place], named: str) -> Iterator[Command]:
    """Mappings of names to plain values under a key that holds ``named``, or beside one."""
    known: dict[int, tuple[str, ...]] = {}
    for place in places:  # outer ones come first
        outer = known.get(id(place.outer), ())
        under = (*outer, place.key.lower())
        known[id(place)] = (*under, *_engines(document, place.mapping))
        if not any(named in key for key in under):
            continue
        keywords = list(_keywords(document, place.mapping))
        if keywords:
            yield _command(document, place, under, keywords=keywords)


def flags(document: Document, place: Place, key: str, items: Sequence[Node], named: str) -> Command | None:
    """A list of options under ``key``, as a command without a program."""
    if not _FLAG.fullmatch(str(items[0].value)):
        return None
    under = _under(document, place, key)
    if not any(named in key for key in under):
        return None
    words = [Word(_plain(document, item), document.span(item)) for item in items]
    return _command(document, place, under, words)


def _command(
    document: Document,
    place: Place,
    under: tuple[str, ...],
    words: Sequence[Word] = (),
    keywords: Sequence[Keyword] | None = None,
) -> Command:
    spans = [k.name_span.to(k.span) for k in keywords or ()] or [w.span for w in words if w.span is not None]
    filled = [k.value for k in keywords or ()] + [w.value for w in words]
    found = Command(
        words,
        spans[0].to(spans[-1]),
        place.host,
        place.environment(document),
        place.object,
        place.image(document),
        keywords,
        document.clean and not any(is_filled(value) for value in filled),
    )
    found.under = under
    return found


def _under(document: Document, place: Place | None, key: str) -> tuple[str, ...]:
    """The keys around something, in lower case, outermost first, with the engines that their neighbours name."""
    found = [key.lower()]
    for outer in place.around() if place is not None else ():
        found.extend((*_engines(document, outer.mapping), outer.key.lower()))
    return tuple(reversed(found))


def _engines(document: Document, mapping: Node) -> list[str]:
    """The engines that the values of a mapping name."""
    return [
        document.string(value).lower()
        for key, value in mapping.value
        if key.id == "scalar" and key.value in _ENGINES and is_scalar(value)
    ]


def _keywords(document: Document, mapping: Node) -> Iterator[Keyword]:
    for key, name, value in document.pairs(mapping):
        guard = document.guard(name, mapping, mapping)
        if not _NAME.fullmatch(key) or value.id == "mapping" or guard is None:
            continue
        literal = "list" if value.id == "sequence" else _LITERALS.get(value.tag, "str")
        if value.id == "scalar" and value.tag == NULL:
            literal = "none"
        yield Keyword(key, document.span(name), _value(document, value, literal), document.span(value), literal, guard)


def _value(document: Document, node: Node, literal: str) -> Value:
    if literal == "none":
        return EMPTY
    if literal == "bool":
        # Written in one of many ways, it becomes a switch.
        return Known(Mapped.new(str(str(node.value).lower() in _TRUE), document.span(node)))
    return _plain(document, node)


def _plain(document: Document, node: Node) -> Value:
    if not is_scalar(node):
        return Unknown("it is a list")
    text = document.text(node)
    if _REFERENCE.search(text.text):
        return Unknown("it is put in by the program that reads this")
    return document.value(node, text)
