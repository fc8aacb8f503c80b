"""Mappings of option names to values, and lists of options, that a program turns into a command line of its own.

Whose options they are is not decided here: each comes with the keys that it stands under.
"""

from __future__ import annotations

from speclint.hosts.served import is_server_image
from speclint.hosts.yaml.document import is_filled
from speclint.hosts.yaml.expand import environment
from speclint.hosts.yaml.node import NULL, is_scalar
from speclint.lean import pattern, re
from speclint.text import Mapped
from speclint.value import EMPTY, Definition, Known, Step, Unknown, as_value, with_step
from speclint.words import Command, Keyword, Word, many

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from speclint.hosts.yaml.document import Document
    from speclint.hosts.yaml.node import Node
    from speclint.hosts.yaml.place import Place
    from speclint.value import Value
    from speclint.words import Guard

_NAME = pattern(r"[A-Za-z][A-Za-z0-9]*(?:[_-][A-Za-z0-9]+)*")
FLAG = pattern(r"--[A-Za-z][\w-]*(?=[=\s]|\Z)")
_LINE_END = pattern(r"\\?\r?\n")
# Neighbours that name the engine.
_ENGINES = pattern(r"(?:\w*_)?(?:backend|engine|framework|runtime)|(?:\w*(?:engine|server|backend|deployment)_)?type")
_ENDS = ("backend", "engine", "framework", "runtime", "type")
# What other programs put in: OmegaConf, Jinja, Python's format.
_REFERENCE = pattern(r"\$\{|\{\{|\{\w+\}|\$\(")
_WHOLE = pattern(r"\{\{.*?(?:\}\}|\Z)|\$\{.*?(?:\}|\Z)|\{\w+\}|\$\(.*?(?:\)|\Z)", re.DOTALL)
# OmegaConf's: the value of another key of the file.
_PATH = pattern(r"\$\{(\w+(?:\.\w+)*)\}")
_MAX_HOPS = 8
_LITERALS = {f"tag:yaml.org,2002:{name}": name for name in ("int", "float", "bool")}
_TRUE = frozenset(("true", "yes", "on"))


def mappings(document: Document, places: Sequence[Place], named: str) -> Iterator[Command]:
    """Mappings of names to plain values under a key that holds ``named``, or beside one."""
    known: dict[int, tuple[str, ...]] = {}
    for place in places:  # outer ones come first
        outer = known.get(id(place.outer), ())
        under = (*outer, place.key.lower())
        engines = _engines(document, place)
        known[id(place)] = (*under, *engines) if engines else under
        if place.outer is None and place.host == "yaml":
            under = (f"names {named}", *under)  # the file is about it, which its own keys may not tell
        if named not in " ".join(under):
            continue
        from speclint.marked import is_marked

        written = list(_written(document, place.mapping))
        # Most mappings hold no options, which their names tell.
        if written and is_marked(under, [key for key, *_ in written]):
            yield _command(document, place, under, keywords=[_keyword(document, *entry) for entry in written])


def flags(document: Document, place: Place, key: str, items: Sequence[Node], named: str) -> Command | None:
    """Options under ``key``, a list or text, as a command without a program."""
    under = _under(document, place, key)
    if not any(named in key for key in under):
        return None
    words = [word for item in items for word in _words(document, item, len(items) == 1)]
    return _command(document, place, under, words) if words else None


def _words(document: Document, node: Node, is_alone: bool) -> list[Word]:
    """The words of an item; text that holds several is split, whoever it is that does so."""
    value, written = _plain(document, node), str(node.value)
    starts = written.lstrip().startswith("--") and len(written.split()) > 1
    if not starts or not isinstance(value, Known) or not (is_alone or written.count(" --") or "=" not in written):
        return [Word(value, document.span(node))]
    from speclint.hosts.shell import read_text

    text = document.text(node)
    parts = [Mapped.new("x ")]
    at = 0
    for found in _LINE_END.finditer(text.text):
        parts += [text[at : found.start()], Mapped.new(" ", text.place(*found.span()))]
        at = found.end()
    read = read_text(Mapped.join([*parts, text[at:]]), Command((), document.span(node), ""))
    if len(read) != 1:
        return [many("it is no plain list of words", document.span(node))]
    return list(read[0].words[1:])


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
        _environment(document, place),
        place.object,
        place.image(document),
        keywords,
        document.clean and not any(is_filled(value) for value in filled),
    )
    found.under = under
    return found


def _environment(document: Document, place: Place) -> dict[str, Value]:
    """The variables around a mapping, with those that are set for what has its name: ``prefill_environment``."""
    found, name = place.environment(document), f"{place.key}_environment"
    holder = next((outer for outer in place.around() if name in outer.keys), None)
    if holder is None:
        return found
    own = environment(document, holder.mapping, place.host, frozenset((name,)))
    filled = Unknown("it is put in by the program that reads this")
    return {**found, **{name: filled if _is_referring(value) else value for name, value in own.items()}}


def _is_referring(value: Value) -> bool:
    return isinstance(value, Known) and _REFERENCE.search(value.text.text) is not None


def _under(document: Document, place: Place | None, key: str) -> tuple[str, ...]:
    """The keys around something, in lower case, outermost first, with the engines that their neighbours name."""
    found = [key.lower()]
    for outer in place.around() if place is not None else ():
        found.extend((*_engines(document, outer), outer.key.lower()))
    return tuple(reversed(found))


def _engines(document: Document, place: Place) -> list[str]:
    """The engines that the values of a mapping name, or its image."""
    keys, mapping = place.keys, place.mapping
    found: list[str] = []
    for name in keys:
        if name.endswith(_ENDS):
            found = list(_told(document, mapping))
            break
    if "image" in keys:
        for path in (("image",), ("image", "repository")):
            if is_server_image(document.string(document.get(mapping, *path))):
                found.append("sglang")
    if place.host == "yaml" and any("command" in name and _starts(document, mapping, name) for name in keys):
        found.append("sglang")
    return found


def _starts(document: Document, mapping: Node, key: str) -> bool:
    """Whether a list of words starts SGLang and gives it no option: these stand beside it."""
    node = document.get(mapping, key)
    words = (
        [str(item.value) for item in node.value if is_scalar(item)]
        if node is not None and node.id == "sequence"
        else []
    )
    return words[-1:] == ["sglang.launch_server"] or words[-2:] == ["sglang", "serve"]


def _told(document: Document, mapping: Node) -> Iterator[str]:
    for key, value in mapping.value:
        if key.id == "scalar" and key.value.endswith(_ENDS) and _ENGINES.fullmatch(key.value) and is_scalar(value):
            yield document.string(value).lower()


def _written(document: Document, mapping: Node) -> Iterator[tuple[str, Node, Node, Guard]]:
    """The entries of a mapping that may be options: key, its node, value, and what it hangs on."""
    for key, name, value in document.pairs(mapping):
        if value.id != "mapping" and _NAME.fullmatch(key):
            guard = document.guard(name, mapping, mapping)
            if guard is not None:
                yield key, name, value, guard


def _keyword(document: Document, key: str, name: Node, value: Node, guard: Guard) -> Keyword:
    place, path = value, ""
    if value.id == "scalar" and "$" in value.value:
        value, path = _followed(document, value)
    literal = "list" if value.id == "sequence" else _LITERALS.get(value.tag, "str")
    if value.id == "scalar" and value.tag == NULL:
        literal = "none"
    told = _value(document, value, literal)
    if path:
        span = document.span(value)
        shared = Definition(path, span, 2, shared=True)
        told = with_step(told, Step("assigned", f"`{path}` is set here", span, shared))
    return Keyword(key, document.span(name), told, document.span(place), literal, guard)


def _followed(document: Document, node: Node) -> tuple[Node, str]:
    """What a reference to another key of the file leads to, and that key; the node itself where there is none."""
    path = ""
    for _ in range(_MAX_HOPS):
        found = _PATH.fullmatch(str(node.value)) if node.id == "scalar" else None
        target = document.get(document.root, *found[1].split(".")) if found is not None else None
        if found is None or target is None or target.id != "scalar":
            break
        node, path = target, found[1]
    return node, path


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
    if "{" not in node.value and "$" not in node.value:
        plain = document.word(node)
        if plain is not None:
            return plain.value
    text = document.text(node)
    if not _REFERENCE.search(text.text):
        return document.value(node, text)
    parts: list[Mapped] = []
    at = 0
    for found in _WHOLE.finditer(text.text):
        place = text.place(*found.span())
        hole = Unknown("it is put in by the program that reads this", place=place)
        parts += [text[at : found.start()], Mapped.hole(hole, place)]
        at = found.end()
    return as_value(Mapped.join([*parts, text[at:]]))
