"""Walks a YAML document for what it runs: containers, lists of words, shell text, and files held in strings."""

from __future__ import annotations

from speclint.hosts import blocks
from speclint.hosts.kubernetes import Container
from speclint.hosts.parts import is_container
from speclint.hosts.yaml import options, workflow
from speclint.hosts.yaml.document import is_filled
from speclint.hosts.yaml.expand import Expansion
from speclint.hosts.yaml.node import is_scalar
from speclint.hosts.yaml.place import Place
from speclint.lean import pattern, re
from speclint.text import Mapped
from speclint.words import Command, Word, many

TYPE_CHECKING = False
if TYPE_CHECKING:
    from speclint.hosts.yaml.document import Document
    from speclint.hosts.yaml.node import Node

# YAML in YAML in … deeper than this is not read.
MAX_DEPTH = 5
_PROSE = frozenset(
    (
        *("description", "message", "prompt", "system_prompt", "title", "comment", "comments", "help", "note", "notes"),
        *("summary", "doc", "docs", "documentation", "readme", "label", "displayname", "name", "text", "usage"),
        *("example", "examples", "instructions", "warning", "error", "hint", "about", "reason", "body", "placeholder"),
        *("if", "pattern", "regex", "match", "query", "grep"),
    )
)
_MAPPING = pattern(r"(?:[ \t]*#[^\n]*\n)*[\w-]+:(?:[ \t]+[\w./\"'-]+)?[ \t]*\n")
# Options in data are looked at where a key or its neighbour has this in its name.
_NAMED = "sglang"
_LAUNCH = pattern(
    r"sglang[\w.]{0,200}\.\w|sglang\s+serve|launch_server|dynamo\.sglang(?<=-m dynamo\.sglang)\b|\n[ \t]*--sglang-\w"
    # An image, whose entry point takes what follows, or the command of the program that it is.
    r"|sglang[\w./-]{0,200}:[\w.${}-]{1,200}[\"']?[\s\\]{1,99}(?:--[a-z]|(?:sglang[\s\\]{1,99})?serve\b)"
)
_OPTION = pattern(r"\s--\w")
_MODULE = pattern(r"(?:[\w.]+\.)?sglang(?:[\w.]*\.\w+)?|[^\s]*/launch_server\.py")
# A fence, or the second line of a table.
_DOCUMENT = pattern(r"^[ \t]*(?:```|\|[ \t]?:?-{2,}[-|: \t]*$)", re.MULTILINE)
_YAML = pattern(r"\s*(?:---|apiVersion:|kind:|services:|- op:)")


class Walker:
    """Finds the commands of one document."""

    def __init__(self, document: Document, host: str, depth: int) -> None:
        self.document = document
        self.host = host
        self.depth = depth
        self.places: list[Place] = []
        self.merged: set[int] = set()  # mappings that others merge in
        self.taken: set[int] = set()  # nodes whose words are told
        self.found: list[Command] = []

    def run(self) -> list[Command]:
        """The commands, in the order of their places."""
        self._collect()
        self._containers()
        self._texts()
        self.found.extend(options.mappings(self.document, self.places, _NAMED))
        self.found.sort(key=lambda command: command.span.start)
        return self.found

    def _collect(self) -> None:
        seen: set[int] = set()
        root = self.document.root
        todo: list[tuple[Node, str, str, Place | None]] = [(root, "", "", None)] if root.id != "scalar" else []
        while todo:
            node, key, name, outer = todo.pop()
            if id(node) in seen:
                continue
            seen.add(id(node))
            if node.id == "sequence":
                todo.extend([(child, key, "", outer) for child in reversed(node.value) if child.id != "scalar"])
                continue
            place = Place(self.document, node, key, name, outer, self.host)
            self.places.append(place)
            listed = outer is None and (place.object or "").partition("/")[0].endswith("List")
            for inner, value in reversed(node.value):
                if value.id == "scalar" or inner.id != "scalar":
                    continue
                if inner.value == "<<":
                    self.merged.update(id(n) for n in (value.value if value.id == "sequence" else [value]))
                # Of compose's services the name is the key; of Kubernetes' holders (`runner`) the key is as good.
                around = None if listed and inner.value == "items" else place  # a list of objects is none around them
                todo.append((value, key if key == "services" else inner.value, inner.value, around))

    def _containers(self) -> None:
        """Those with words of their own first: what they share by an anchor is told where it is used."""
        found = [Container(self.document, p) for p in self.places if is_container(p)]
        first = [c for c in found if c.is_own() and id(c.place.mapping) not in self.merged]
        chosen = {id(c) for c in first}
        for container in [*first, *(c for c in found if id(c) not in chosen)]:
            nodes = list(container.nodes())
            if all(id(node) in self.taken for node in nodes):
                continue
            commands = container.commands()
            if commands:
                self.taken.update(id(node) for node in nodes)
                self.found.extend(commands)

    def _texts(self) -> None:
        """Strings and lists under any key."""
        if self.document.root.id == "sequence":
            self._value("", self.document.root, None)
        for place in self.places:
            for key, value in place.mapping.value:
                kind = value.id
                if kind == "mapping" or key.id != "scalar":
                    continue
                if kind == "sequence" or _may_run(value.value):
                    self._value(key.value, value, place)

    def _value(self, key: str, node: Node, place: Place | None) -> None:
        if id(node) in self.taken or key.lower().replace("-", "_") in _PROSE:
            return
        self.taken.add(id(node))
        if is_scalar(node):
            self._scalar(key, node, place)
        elif node.id == "sequence":
            items = [n for n in node.value if is_scalar(n) and id(n) not in self.taken]
            if items and len(items) == len(node.value):
                self._list(key, items, place)
            else:
                for item in node.value:
                    if item.id == "sequence" or is_scalar(item):
                        self._value(key, item, place)

    def _list(self, key: str, items: list[Node], place: Place | None) -> None:
        texts = [str(item.value) for item in items]
        if not any(map(_may_run, texts)):
            return
        if options.FLAG.match(texts[0].lstrip()) and place is not None:
            command = options.flags(self.document, place, key, items, _NAMED)
            self.found.extend(() if command is None else (command,))
            return
        if not any("sglang" in text or "launch_server" in text for text in texts):
            return
        if any(_is_module(texts, i) for i in range(len(texts))):
            self._argv(items, place)
        elif any(_is_script(text) for text in texts):
            parts = [p for item in items for p in (self.document.text(item), Mapped.new("\n"))]
            self._shell(Mapped.join(parts), items[0], items[-1], place)

    def _argv(self, items: list[Node], place: Place | None) -> None:
        from speclint.hosts.nested import commands

        document = self.document
        base = self._base(items[0], items[-1], place, document.clean)
        expansion = Expansion(base.env, base.host)
        values = [expansion.value(document, item, document.text(item)) for item in items]
        base.fixable = base.fixable and not any(is_filled(value) for value in values)
        words = [Word(value, document.span(item)) for value, item in zip(values, items, strict=True)]
        texts = [str(item.value) for item in items]
        if _is_module(texts, len(texts) - (2 if texts[-1] == "serve" else 1)):
            words.append(many("its arguments stand elsewhere", document.span(items[-1])))
        self.found.extend(commands(base.replace(words)))

    def _shell(self, text: Mapped, first: Node, last: Node, place: Place | None) -> None:
        from speclint.hosts.shell import read_text

        base = self._base(first, last, place, not text.holes())
        # A step may set others for those that follow.
        if text.holes() and "GITHUB_ENV" not in self.document.rendered.text.text:
            text = workflow.put_in(text, base.env)
        self.found.extend(read_text(text, base))

    def _base(self, first: Node, last: Node, place: Place | None, fixable: bool) -> Command:
        document = self.document
        start, end = document.start(first), document.end(last)
        span = document.range(start, end) if end > start else document.span(first)
        if place is None:
            return Command((), span, self.host, fixable=fixable and document.clean)
        env, image = place.environment(document), place.image(document)
        return Command((), span, place.host, env, place.object, image, None, fixable and document.clean)

    def _scalar(self, key: str, node: Node, place: Place | None) -> None:
        text = str(node.value)
        if place is not None and place.outer is not None and self._is_started(key, node, place, place.outer):
            return
        if "--" in text and options.FLAG.match(text.lstrip()) and place is not None:
            command = options.flags(self.document, place, key, [node], _NAMED)
            self.found.extend(() if command is None else (command,))
            return
        if "sglang" not in text and "launch_server" not in text:
            return
        if key.endswith((".json", ".txt")):
            return
        if self._is_python(key, text, place):
            base = self._base(node, node, place, node.style == "|")
            self.found.extend(blocks.read(self.document.text(node), "python", base, self.depth))
            return
        # A script names its own options so as well: `-h|--help)`.
        if "```" in text or (("|--" in text or "| --" in text) and _DOCUMENT.search(text)):
            self._shown(node, place)
            return
        # As cloud-init and Ansible write them; a script that writes one is a script.
        if blocks.is_unit(text) and "<<" not in text:
            from speclint.hosts import units

            base = self._base(node, node, place, False)
            self.found.extend(units.read_text(self.document.text(node), base, self.depth + 1))
            return
        # Of Argo's applications the values of a chart are text.
        may = "config" in key or key == "values"
        embeds = key.endswith((".yaml", ".yml")) or _YAML.match(text) or (may and _MAPPING.match(text))
        if "\n" in text and embeds:
            self._embedded(node)
        elif _is_script(text):
            self._shell(self.document.text(node), node, node, place)

    def _is_started(self, key: str, node: Node, place: Place, outer: Place) -> bool:
        """Whether it is a command of llama-swap, which is told, or a part that these put in."""
        if place.key == "macros":
            return "models" in outer.keys
        if key != "cmd" or outer.key != "models":
            return False
        from speclint.hosts.yaml import swap

        text = swap.command(self.document, node, place)
        if text is not None and _is_script(text.text):
            self._shell(text, node, node, place)
        return text is not None

    def _is_python(self, key: str, text: str, place: Place | None) -> bool:
        """Whether a text is Python: by its name or first line, or since a step of a workflow names what runs it."""
        program = {"run": "shell", "source": "command"}.get(key)
        if program is None or place is None or program not in place.keys:
            return key.endswith(".py") or _runs_python(text)
        named: Node | None = place.keys[program]
        if named is not None and named.id == "sequence":
            named = named.value[0] if len(named.value) == 1 else None
        return self.document.string(named).rpartition("/")[2].startswith("python")

    def _shown(self, node: Node, place: Place | None) -> None:
        """A document held in a string: what its fences and its prose show. A script that prints one gives nothing."""
        if _DOCUMENT.search(str(node.value)):
            from speclint.hosts import markdown

            text = self.document.text(node)
            self.found.extend(markdown.read_text(text, self._base(node, node, place, not text.holes()), 1))

    def _embedded(self, node: Node) -> None:
        """A YAML file held in a string: its own documents, with places through both."""
        if self.depth < MAX_DEPTH:
            from speclint.hosts.yaml import read_text

            self.found.extend(read_text(self.document.text(node), [], self.document.clean, self.depth + 1))


def _may_run(text: str) -> bool:
    """Whether text may be a part of a launch, or an option."""
    return "sglang" in text or "--" in text or "launch_server" in text


def _is_module(texts: list[str], index: int) -> bool:
    text = texts[index]
    if text == "sglang" or text.endswith("/sglang"):
        return texts[index + 1 : index + 2] == ["serve"]
    return "." in text and ("sglang" in text or "launch_server" in text) and bool(_MODULE.fullmatch(text))


def _is_script(text: str) -> bool:
    """Whether text holds a launch with an option."""
    return bool(_LAUNCH.search(text) and _OPTION.search(text))


def _runs_python(text: str) -> bool:
    first = text.split("\n", 1)[0]
    return first.startswith("#!") and "python" in first
