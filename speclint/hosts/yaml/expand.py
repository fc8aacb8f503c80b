"""The environment of a container, and what is put in for ``$(NAME)`` and ``${NAME}`` in its words."""

from __future__ import annotations

from speclint.hosts.yaml.node import is_scalar
from speclint.lean import pattern
from speclint.text import HOLE, Mapped
from speclint.value import Choice, Definition, Joined, Known, OneOf, Step, Unknown, as_value, join, spliced, with_step

TYPE_CHECKING = False
if TYPE_CHECKING:
    import re
    from collections.abc import Iterator, Mapping

    from speclint.hosts.yaml.document import Document
    from speclint.hosts.yaml.node import Node
    from speclint.text import Span
    from speclint.value import Value

ENVIRONMENTS = frozenset(("env", "environment", "Environment", "envs", "environment_variables", "variables"))
# Names that hold each other several times make a value that doubles with each; no command line is as long as this.
_MAX_SIZE = 100_000
_NAME = r"[A-Za-z_]\w*"
# What stands instead may hold others, which may do so in turn.
_PLAIN = r"[^{}$]|\$(?!\{)"
_WORD = rf"(?:{_PLAIN}|\$\{{(?:{_PLAIN}|\$\{{[^{{}}]*\}})*\}})*"
_REFERENCE = pattern(
    rf"\$\$|\$\((?P<pod>[A-Za-z_][-.\w]*)\)"
    rf"|\$\{{(?P<braced>{_NAME})(?:(?P<how>:?[-?])(?P<word>{_WORD})|(?P<plus>:?\+)[^{{}}]*)?\}}|\$(?P<bare>{_NAME})"
)
_USE = pattern(rf"\$[({{]?({_NAME})")


def environment(document: Document, mapping: Node, host: str, keys: frozenset[str] = ENVIRONMENTS) -> dict[str, Value]:
    """The variables that a container sets, by name; ``keys``: those that they stand under."""
    found: dict[str, Value] = {}
    if host == "kubernetes" and "envFrom" in document.values(mapping):
        from speclint.hosts.yaml import configmaps

        found.update(configmaps.variables(document, mapping))
    elif host == "compose" and "env_file" in document.values(mapping):
        from speclint.hosts import compose_env

        found.update(compose_env.variables(document, mapping))
    if keys.isdisjoint(document.values(mapping)):
        return found
    uses: dict[str, int] | None = None
    for key, _, node in document.pairs(mapping):
        if key not in keys:
            continue
        for written, holder, value in _entries(document, node, host == "kubernetes"):
            name = written.text
            if HOLE in name:
                continue
            if uses is None:
                uses = _uses(document, mapping)
            text = Expansion(found, host).value(document, holder, value) if isinstance(value, Mapped) else value
            count = max(uses.get(name, 0), 1) * document.uses(holder)
            span = document.span(holder)
            used = count if document.uses(holder) > 1 else uses.get(name, 0)
            definition = Definition(name, span, used, name_span=written.span())
            found[name] = with_step(text, Step("env", f"`{name}` is set here", span, definition))
            if document.guard(holder, mapping, mapping) != ():
                found[name] = Unknown(f"a template sets `{name}` under a condition")
    return found


def _entries(document: Document, node: Node, is_pod: bool) -> Iterator[tuple[Mapped, Node, Mapped | Value]]:
    """Name, node of the value, and value: of a list of ``{name, value}`` or ``NAME=value``, or of a mapping."""
    if node.id == "mapping":
        for key, written, value in document.pairs(node):
            yield document.text(written), value, _plain(document, key, value)
        return
    for item in node.value if node.id == "sequence" else ():
        if item.id == "mapping":
            title = document.get(item, "name") or document.get(item, "Name")
            inner = document.get(item, "value") or document.get(item, "Value")
            name = document.string(title)
            if title is None or not name:
                continue
            if inner is not None:
                yield document.text(title), inner, _plain(document, name, inner)
            else:
                given = _elsewhere(document, item, name, is_pod)
                yield document.text(title), item, given
        elif is_scalar(item):
            text = document.text(item)
            name, equals, _ = text.text.partition("=")
            size = len(name)
            title_text = text[size - len(name.lstrip()) : len(name.rstrip())]
            if equals:
                yield title_text, item, text[size + 1 :]
            elif name:
                yield text, item, Unknown(f"`{name}` is set where this is started")


def _elsewhere(document: Document, item: Node, name: str, is_pod: bool) -> Value:
    """What a variable comes to that is not given its value beside its name."""
    source = document.get(item, "valueFrom")
    if is_pod and document.get(source, "configMapKeyRef") is not None:
        from speclint.hosts.yaml import configmaps

        found = configmaps.entry(document, item, name)
        if found is not None:
            return found
    given = Unknown(f"`{name}` comes from {'the pod' if is_pod else 'elsewhere'}, not from this file")
    # A part of a text is no less than text: a default that a shell has for it never stands.
    return given if document.get(source, "fieldRef") is None else Joined((given,))


def _plain(document: Document, name: str, node: Node) -> Mapped | Unknown:
    return document.text(node) if is_scalar(node) else Unknown(f"`{name}` has no plain value here")


def _uses(document: Document, mapping: Node) -> dict[str, int]:
    """How often each name is read in the text of a container."""
    counts: dict[str, int] = {}
    for found in _USE.finditer(document.rendered.text.text, document.start(mapping), document.limit(mapping)):
        counts[found.group(1)] = counts.get(found.group(1), 0) + 1
    return counts


class Expansion:
    """Puts values in for references, as what reads a file of ``host`` does."""

    def __init__(self, env: Mapping[str, Value], host: str) -> None:
        self.env = env
        self.is_pod = host == "kubernetes"
        self.is_compose = host == "compose"
        self.given: dict[str, Choice] = {}

    def value(self, document: Document, node: Node, text: Mapped, in_script: bool = False) -> Value:
        """The value of a scalar; ``in_script``: a shell reads it afterwards, so what is left is its own."""
        found = self._put_in(text, in_script) if "$" in text.text else None
        return document.value(node, text) if found is None else found

    def _put_in(self, text: Mapped, in_script: bool) -> Value | None:
        """The text with what its references stand for; None if none of them is put in."""
        parts: list[Value] = []
        at = size = 0
        for found in _REFERENCE.finditer(text.text):
            value = self._reference(found, text, in_script)
            if value is None:
                continue
            parts.append(as_value(text[at : found.start()]))
            parts.append(value)
            at = found.end()
            size += _size(value)
            if size > _MAX_SIZE:
                return Unknown("it grows too long")
        return join([*parts, as_value(text[at:])]) if parts else None

    def _reference(self, found: re.Match[str], text: Mapped, in_script: bool) -> Value | None:
        """What stands for a reference; None if it stays as it is."""
        place = text.place(found.start(), found.end())
        if found.group() == "$$":
            return Known(Mapped.new("$", place))
        pod = found.group("pod")
        if pod is not None:
            known = self.env.get(pod) if self.is_pod else None
            if known is not None:
                return spliced(known, place)
            # In a script, `$(date)` is the shell's; the variables that controllers set have names in capitals.
            if in_script and not (self.is_pod and pod.isupper()):
                return None
            return Unknown(f"`{pod}` is not set in this container", place=place)
        if in_script and not self.is_compose:
            return None
        name = found.group("braced") or found.group("bare")
        how = found.group("how") or ""
        if self.is_compose and not found.group("plus") and place is not None:
            filled = self._filled(name, how.startswith(":"), place)
            if filled is not None:
                return filled
        if self.is_pod or "-" not in how:
            return Unknown(f"`{name}` is set outside of this file", place=place)
        return self._default(name, found, text, place, in_script)

    def _filled(self, name: str, needs_text: bool, place: Span) -> Value | None:
        """What the file that compose reads says of a variable, or what the caller gives."""
        from speclint.hosts import compose_env

        value = compose_env.filling(name, place)
        if not isinstance(value, Known) or (needs_text and not value.text.text):
            return None
        given: Value = Unknown(f"`{name}` is set outside of this file", place=place)
        ways = (f"`{name}` is as `.env` has it", f"`{name}` is given")
        choice = self.given.setdefault(name, Choice("default", ways))
        return OneOf(choice, (value, given), place)

    def _default(self, name: str, found: re.Match[str], text: Mapped, place: Span | None, in_script: bool) -> Value:
        """``${NAME:-4}``: the default, or what the caller gives."""
        given: Value = Unknown(f"`{name}` is set outside of this file", place=place)
        word = text[found.start("word") : found.end("word")]
        inner = self._put_in(word, in_script) if "$" in word.text else None
        default: Value = Known(word) if inner is None else inner
        span = text.span(found.start("word"), found.end("word"))
        default = with_step(default, Step("default", f"the default of `{name}` stands here", span))
        choice = self.given.setdefault(name, Choice("default", (f"`{name}` keeps its default", f"`{name}` is given")))
        return OneOf(choice, (default, given), place)


def _size(value: Value) -> int:
    if isinstance(value, Known):
        return len(value.text)
    return sum(map(_size, value.parts)) if isinstance(value, Joined) else 1
