"""Containers: what the ``command`` and ``args`` of an object run, in pods, custom resources and compose files.

Kubernetes runs ``command`` (else the image's entry point) with ``args`` after it, each item one word, no shell, and
puts the container's environment in for ``$(NAME)``. Compose does the same with ``entrypoint`` and ``command``, splits
either at blanks where it is one string, and fills in ``${NAME}``.
"""

from __future__ import annotations

from speclint.hosts import served
from speclint.hosts.parts import Parts, is_added
from speclint.hosts.programs import SHELLS
from speclint.hosts.yaml.document import is_filled
from speclint.hosts.yaml.expand import Expansion, environment
from speclint.hosts.yaml.node import is_scalar
from speclint.lean import pattern
from speclint.value import Known, as_mapped, as_value
from speclint.words import Command, Word, as_text, many

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from speclint.hosts.yaml.document import Document
    from speclint.hosts.yaml.node import Node
    from speclint.hosts.yaml.place import Place
    from speclint.pod import Pod
    from speclint.text import Mapped, Span
    from speclint.value import Value
_LISTS = ("containers", "initContainers")
# Of KServe and OME: an InferenceService that is served by one may put words of its own behind those of its container.
_SERVING = ("ServingRuntime", "ClusterServingRuntime")
_DASH_C = pattern(r"[-+]\w*c\w*")
_MODEL = pattern(r"(?i:model(?:[_-]?(?:path|name|id|repo|uri))?)")
_NEEDLE = pattern(r"sglang|launch_server")


class Container(Parts):
    """One container of a document."""

    def __init__(self, document: Document, place: Place) -> None:
        super().__init__(document, place)
        self.surroundings: Pod | None = None

    def commands(self) -> list[Command]:
        """What it runs, with what that runs in turn; empty where there is no trace of SGLang."""
        image, below = self.place.image(self.document), None
        if image is None and self.place.key == "containers":
            from speclint.hosts.yaml import patched

            below = patched.bases(self.document, self.place)
            image = patched.image(self.document, self.place, below)
        if not self._has_trace(image):
            return []
        if self.is_pod and self.place.key in _LISTS:
            from speclint.hosts.yaml import kustomized

            image = kustomized.image(self.document, self.place, image) or image
        env = environment(self.document, self.place.mapping, self.place.host)
        if below:
            env = {**patched.variables(self.document, self.place, below), **env}
        found: list[Command] = []
        for parts, run in self.variants():
            self.parts = parts
            self.run = run
            found.extend(self._variant(env, image))
        return found

    def _variant(self, env: dict[str, Value], image: Value | None) -> list[Command]:
        expansion = Expansion(env, self.place.host)
        # A pod runs lists as they stand.
        base = self._command((), env, image) if not self.is_pod else None
        if base is not None and all(is_scalar(value) for _, _, value in self.parts):
            words = self._strings(expansion, base)
            if words is None:
                return self._opened(self._shell(expansion, base))
        else:
            words = self._words(expansion, base)
        words = self._with_entrypoint(words, image)
        command = self._command(words, env, image)
        if self.is_runtime or self._is_serving():
            command = command.replace([*words, many("whoever runs this adds to it", None)])
        from speclint.hosts.nested import commands

        return self._opened(list(commands(command)))

    def _opened(self, found: list[Command]) -> list[Command]:
        """The commands, open where they name no model, but data around them does: the program that reads it adds it.

        The values of a chart are such.
        """
        if self.place.host != "yaml" or not any(map(_tells_model, self.place.around())):
            return found
        return [c if any(map(_names_model, c.words)) else self._with_more(c) for c in found]

    def _with_more(self, command: Command) -> Command:
        return command.replace([*command.words, many("the program that reads this may add options", command.span)])

    def _is_serving(self) -> bool:
        return self.is_pod and (self.place.object or "").partition("/")[0] in _SERVING

    def _has_trace(self, image: Value | None) -> bool:
        if isinstance(image, Known) and _NEEDLE.search(image.text.text):
            return True
        if image is None and is_added(self.place) and _NEEDLE.search(self.place.name):
            return True
        return any(_NEEDLE.search(text) for node in self.nodes() for text in _texts(node))

    def _command(self, words: Sequence[Word], env: dict[str, Value], image: Value | None) -> Command:
        clean = self.document.clean
        if clean and self.document.is_plain:
            clean = not any(word.guard or word.many for word in words)
        elif clean:
            clean = all(map(_is_written, words))
        found = Command(words, self._span(), self.place.host, env, self._object(), image, None, clean, self.run)
        found.pod = self._pod
        return found

    def _pod(self) -> Pod | None:
        """What surrounds it, read once for all that it runs."""
        if self.surroundings is None:
            from speclint.hosts import compose, pods

            self.surroundings = (pods if self.is_pod else compose).read(self.document, self.place)
        return self.surroundings

    def _object(self) -> str | None:
        keys = self.place.keys
        name = self.document.string(keys.get("name") or keys.get("Name")) or self.place.name
        if self.place.object is None:
            return f"service {name}" if name and self.place.host == "compose" else None
        return f"{self.place.object} container {name}" if name else self.place.object

    def _span(self) -> Span:
        """From the first part to the end of the last; those written elsewhere count only where all are."""
        document, mapping = self.document, self.place.mapping
        first, last = document.start(mapping), document.limit(mapping)
        own = [p for p in self.parts if first <= document.start(p[1]) < last]
        spans = own or self.parts
        start = min(document.start(key) for _, key, _ in spans)
        end = max((document.end(v) for _, _, v in spans if document.start(v) >= start), default=start)
        return document.range(start, max(end, max(document.end(key) for _, key, _ in spans)))

    def _words(self, expansion: Expansion, base: Command | None) -> list[Word]:
        """``base``: what runs text that is split, None for a pod."""
        words: list[Word] = []
        for part, key, value in self.parts:
            if value.id == "sequence":
                found = self._items(key, value, expansion, words)
            elif is_scalar(value) and self.document.start(value) in self.document.rendered.added:
                found = self.document.added(self.document.start(value), self.document.span(value))
            elif is_scalar(value):
                runs = _names_shell(words) and _is_dash_c(words[-1:])
                found = [self._one(value, expansion, runs)] if base is None else self._split(value, expansion, base)
            else:
                found = self._template_lines(key, value)
            # Where the launcher or the part itself is conditional, so is the launch: its words are there in it.
            if part == "args" and len(self.written[part]) == 1 and self.document.rendered.regions:
                found = [self.document.guarded(key, self.place.mapping, self.place.mapping, word) for word in found]
            words.extend(found)
        return words

    def _items(self, key: Node, sequence: Node, expansion: Expansion, before: Sequence[Word]) -> list[Word]:
        """The words of a list, and any number of them where a template adds lines to it."""
        last, shell = before[-1:], _names_shell(before)
        document = self.document
        marks = document.rendered.marked(document.end(key), document.limit(sequence))
        words: list[Word] = []
        for item in sequence.value:
            while marks and marks[0] <= document.start(item):
                mark = marks.pop(0)
                words.extend(document.added(mark, document.rendered.marks[mark]))
            word = self._one(item, expansion, shell and _is_dash_c(last))
            if shell or _is_shell(word):
                shell, last = True, (word,)
            if not document.rendered.regions:
                words.append(word)
                continue
            guarded = document.guarded(item, key, sequence, word)
            words.extend(document.repeated(item, word) if guarded.many and not word.many else [guarded])
        for mark in marks:
            words.extend(document.added(mark, document.rendered.marks[mark]))
        return words

    def _one(self, node: Node, expansion: Expansion, in_script: bool) -> Word:
        """A scalar as one word; ``in_script``: it is text for a shell."""
        document = self.document
        if node.id != "scalar":
            return many("it is no plain list of words", document.span(node))
        plain = document.word(node) if "$" not in node.value else None
        if plain is not None:
            return plain
        return Word(expansion.value(document, node, document.text(node), in_script), document.span(node))

    def _template_lines(self, key: Node, value: Node) -> list[Word]:
        """Nothing, or lines that only a template knows."""
        document = self.document
        marks = document.rendered.marked(document.end(key), document.next_start(self.place.mapping, value))
        return [word for mark in marks for word in document.added(mark, document.rendered.marks[mark])]

    def _split(self, node: Node, expansion: Expansion, base: Command) -> list[Word]:
        """A string that is split at blanks as a shell does."""
        from speclint.hosts.shell import read_text

        found = read_text(self._line(node, expansion), base.replace(()), (), 0)
        if len(found) == 1:
            return list(found[0].words)
        return [many("it is a command line of its own", self.document.span(node))]

    def _line(self, node: Node, expansion: Expansion) -> Mapped:
        """A string as the text of a command line."""
        text = self.document.text(node)
        line = as_mapped(expansion.value(self.document, node, text, in_script=True))
        if self.place.host != "compose" or not ("\n" in line.text or "\\" in line.text):
            return line
        from speclint.hosts import compose

        return compose.one_line(line)

    def _strings(self, expansion: Expansion, base: Command) -> list[Word] | None:
        """The words of parts that are all strings; None if together they are shell text with a launch in it."""
        text = " ".join(str(value.value) for _, _, value in self.parts)
        if _NEEDLE.search(text):
            return None
        return [word for _, _, value in self.parts for word in self._split(value, expansion, base)]

    def _shell(self, expansion: Expansion, base: Command) -> list[Command]:
        from speclint.hosts.shell import read_text

        words = [Word(Known(self._line(value, expansion)), None) for _, _, value in self.parts]
        text = as_text(words)
        fixable = base.fixable and not is_filled(as_value(text))
        command = Command((), base.span, base.host, base.env, base.object, base.image, None, fixable, self.run)
        command.pod = base.pod
        found = read_text(text, command)
        # The words stand in two places; the statement is both.
        for inner in found:
            inner.span = base.span.to(inner.span) if len(self.parts) > 1 else inner.span
        return found

    def _with_entrypoint(self, words: list[Word], image: Value | None) -> list[Word]:
        """The words with the launcher before them that the image has as its entry point."""
        starts = {"entrypoint", "command"} if self.is_pod else {"entrypoint"}
        if any(key in starts for key, _, _ in self.parts) or not self.parts:
            return words
        place = self.document.span(self.parts[0][1])
        if image is None and self.place.host == "compose":
            return served.by_name(words, self.place.name, place)
        return served.with_launcher(words, image, place)


def _is_written(word: Word) -> bool:
    """Whether a word stands in the file as it is, whatever becomes of the file."""
    return not (word.guard or word.many or is_filled(word.value))


def _tells_model(place: Place) -> bool:
    return any(key[:5].lower() == "model" and _MODEL.fullmatch(key) for key in place.keys)


def _names_model(word: Word) -> bool:
    return word.prefix.startswith(("--model", "--config")) or bool(word.many)


def _names_shell(words: Sequence[Word]) -> bool:
    return any(map(_is_shell, words))


def _is_shell(word: Word) -> bool:
    value = word.value
    text = value.text.text if isinstance(value, Known) else word.prefix
    return text.endswith("sh") and text.rpartition("/")[2] in SHELLS  # all of them end so


def _is_dash_c(words: Sequence[Word]) -> bool:
    return bool(words and _DASH_C.fullmatch(words[-1].prefix))


def _texts(node: Node) -> Iterator[str]:
    if node.id == "scalar":
        yield str(node.value)
    elif node.id == "sequence":
        yield from (str(item.value) for item in node.value if item.id == "scalar")
