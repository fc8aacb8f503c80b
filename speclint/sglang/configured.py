"""``--config FILE``: the words that SGLang makes of the file and puts before those of the launch.

0.5.23 srt/utils/server_args_config_parser.py, since 0.5.4 in srt/: every key becomes ``--key`` as it is written; true
becomes a switch where the option is one and the word ``true`` elsewhere (up to 0.5.7 a switch anywhere), a list its
items, a mapping JSON. What the command line sets holds.

The file is read where it is in the project, or in a ConfigMap of the same manifest. Nothing is ever edited there.
"""

from __future__ import annotations

from speclint.lean import NamedTuple
from speclint.sglang import versions
from speclint.source import SourceError
from speclint.text import Mapped
from speclint.value import Definition, Known, Step, Unknown
from speclint.words import Word

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any

    from speclint.hosts.yaml.document import Document
    from speclint.hosts.yaml.node import Node
    from speclint.launch import Launch
    from speclint.sglang.argv import Parsed
    from speclint.sglang.catalog import Option, Release
    from speclint.sglang.options import Options
    from speclint.source import SourceFile
    from speclint.text import Span

# Hosts whose paths are those of a container, where other files lie.
_CONTAINERS = frozenset(("kubernetes", "compose", "dockerfile"))
_MAX_PARTS = 2000
_NULLS = ("", "~", "null", "Null", "NULL")
# Releases that refuse options which they cannot make words of, and those that know an option by all its names.
_CHECKED = ">=0.5.8"
_ALL_NAMES = ">=0.5.23"
_maps: tuple[SourceFile, dict[str, list[Mapped]]] | None = None


class Entry(NamedTuple):
    """A key of the file, where it and its value stand, and whether that is YAML's null, which becomes ``None``."""

    key: str
    span: Span
    value_span: Span
    null: bool


def entries(options: Options) -> list[Entry]:
    """The entries of the file that a launch names; nothing where it is not known what is in it."""
    use = options.parsed.config if options.parsed is not None else None
    if use is None or not use.values or use.values[0] is None or options.words[use.index].guard:
        return []
    text = _text(options.launch, use.values[0])
    return [
        Entry(key, document.span(written), document.span(value), _is_null(value))
        for document in (_read(text) if text is not None else None) or ()
        for key, written, value in document.pairs(document.root)
    ]


def refuses(key: str, release: Release) -> bool:
    """Whether SGLang refuses a key of the file: it makes no words for options with an action of their own.

    0.5.8 srt/server_args_config_parser.py:33 knows an option by its destination, 0.5.23
    srt/utils/server_args_config_parser.py:51 by all its long names.
    """
    if not versions.satisfies(release.version, _CHECKED):
        return False
    refused = [not _is_plain(option, release) for option in meant(key, release) if option.action != "help"]
    return bool(refused) and (all if versions.satisfies(release.version, _ALL_NAMES) else any)(refused)


def meant(key: str, release: Release) -> list[Option]:
    """The options that a key of the file is taken for."""
    dest = key.replace("-", "_")
    found = {id(option): option for name in release.options.of_dest(dest) for option in [release.options[name]]}
    named = release.options.get(f"--{key.replace('_', '-')}")
    if named is not None and versions.satisfies(release.version, _ALL_NAMES):
        found[id(named)] = named
    return [*found.values()]


def _is_null(value: Node) -> bool:
    return value.id == "scalar" and value.value in _NULLS


def _is_plain(option: Option, release: Release) -> bool:
    if option.nargs is None and versions.satisfies(release.version, _ALL_NAMES):
        return True
    # Options that warn of themselves do so by an action of their own.
    return option.action in ("store", "store_true") and option.deprecated in (None, "documented")


def words(launch: Launch, parsed: Parsed, own: Sequence[Word], release: Release) -> list[Word] | None:
    """The words of the file that a launch names; None where it is not known what is in it.

    ``parsed`` and ``own`` are the launch's own words, as parsed; options that they set are left out.
    """
    use = parsed.config
    if use is None or not use.values or use.values[0] is None or parsed.foreign:
        return None
    text = _text(launch, use.values[0])
    if text is None or own[use.index].guard:
        return None
    from speclint.sglang import argv

    found = _Words(use.values[0], release).read(text)
    if found is None:
        return None
    taken = {option for option, last in parsed.last.items() if not own[last.index].guard}
    account = argv.parse([argv.Word(w.text, "", w.many) for w in found], release)
    hidden = {i for u in account.uses if u.option.dest in taken for i in (u.index, *u.value_indices)}
    return [word for index, word in enumerate(found) if index not in hidden]


def _text(launch: Launch, name: str) -> Mapped | None:
    """The text of the one file that a name can mean here."""
    command = launch.command
    if command.host == "kubernetes":
        found = _config_maps(launch.file).get(name.rsplit("/", 1)[-1], [])
        return found[0] if len(found) == 1 else None
    if command.host in _CONTAINERS or command.image is not None:
        return None
    from speclint import beside

    file = beside.read(launch.file, name)
    return Mapped.of(file) if file is not None else None


def _config_maps(file: SourceFile) -> dict[str, list[Mapped]]:
    """The texts that the ConfigMaps of a manifest hold, by key."""
    global _maps
    if _maps is None or _maps[0] is not file:
        found: dict[str, list[Mapped]] = {}
        if "ConfigMap" in file.text:
            try:
                for key, text in _entries(Mapped.of(file)):
                    found.setdefault(key, []).append(text)
            except SourceError:
                found.clear()
        _maps = (file, found)
    return _maps[1]


def _entries(source: Mapped) -> Iterator[tuple[str, Mapped]]:
    for document in _documents(source):
        if document.string(document.get(document.root, "kind")) != "ConfigMap":
            continue
        data = document.get(document.root, "data")
        for key, _, value in document.pairs(data) if data is not None and data.id == "mapping" else ():
            if value.id == "scalar":
                yield key, document.text(value)


def _documents(source: Mapped) -> Iterator[Document]:
    from speclint.hosts.yaml import compose
    from speclint.hosts.yaml.document import Document
    from speclint.hosts.yaml.template import Rendered

    for root in compose(source, 0, len(source)):
        yield Document(Rendered(source), 0, len(source), root)


def _read(text: Mapped) -> list[Document] | None:
    """The one mapping that a text is, none where it is blank; None where it is a template, or something else."""
    if "{{" in text.text or text.holes():
        return None
    try:
        documents = list(_documents(text))
    except SourceError:
        return None
    return documents if not documents or (len(documents) == 1 and documents[0].root.id == "mapping") else None


class _Words:
    """Makes words of a file that a launch names as ``name``."""

    def __init__(self, name: str, release: Release) -> None:
        self.name = name
        self.release = release

    def read(self, text: Mapped) -> list[Word] | None:
        """The words; None where the file is no mapping of plain keys, a template, or more than that."""
        documents = _read(text)
        if not documents:
            return None if documents is None else []
        document = documents[0]
        pairs = {key: (written, value) for key, written, value in document.pairs(document.root)}
        return [word for key, (written, value) in pairs.items() for word in self._entry(document, key, written, value)]

    def _entry(self, document: Document, key: str, written: Node, value: Node) -> Iterator[Word]:
        made = _made(value)
        if isinstance(made, bool) and self._is_switch(key):
            if made:
                yield self._word(f"--{key}", document.span(written))
            return
        if made == []:
            return
        yield self._word(f"--{key}", document.span(written))
        if isinstance(made, list):
            for node, item in zip(value.value, made, strict=False):
                yield self._value(document.span(node), node, item, str(item))
        else:
            text = str(made).lower() if isinstance(made, bool) else _json(made) if isinstance(made, dict) else str(made)
            yield self._value(document.span(value), value, made, text)

    def _is_switch(self, key: str) -> bool:
        # Before that, whatever is true is taken for a switch.
        if not versions.satisfies(self.release.version, _CHECKED):
            return True
        return any(option.nargs == 0 for option in meant(key, self.release))

    def _value(self, span: Span, node: Node, made: Any, text: str) -> Word:
        if made is None and not _is_null(node):
            return Word(Unknown(f"`{self.name}` holds no plain value for it"), span)
        return self._word(text, span)

    def _word(self, text: str, span: Span) -> Word:
        step = Step("assigned", f"`{self.name}` sets it", span, Definition(self.name, span, 1, shared=True))
        return Word(Known(Mapped.new(text, span), (step,)), span)


def _made(node: Node) -> Any:
    """The value as SGLang loads it; None where it cannot be made, or is larger than anyone writes."""
    import yaml

    if not _is_small(node):
        return None
    try:
        return yaml.SafeLoader("").construct_object(node, deep=True)
    except (yaml.YAMLError, ValueError, TypeError, RecursionError, OverflowError):
        return None


def _is_small(node: Node) -> bool:
    """Whether a value has no more parts than that, those that aliases repeat counted each time."""
    from speclint.hosts.yaml.node import children

    todo, count = [node], 0
    while todo and count < _MAX_PARTS:
        count += 1
        todo.extend(children(todo.pop()))
    return not todo


def _json(made: Any) -> str:
    import json

    try:
        return json.dumps(made)
    except (TypeError, ValueError, RecursionError):
        return "{}"
