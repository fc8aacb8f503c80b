"""Reads ``data/catalog.json``. ``tools/catalog_file.py`` writes it and describes its form.

Most launches ask for a few dozen of some six hundred options, so the file is kept as few and flat objects and an option
is made when it is asked for. That, and not the size of the file, decides how long loading takes.
"""

from __future__ import annotations

from speclint.sglang import stored, versions

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any

# Actions that take no value from the command line.
_SWITCHES = frozenset(("store_true", "store_false", "bool_optional", "help"))


class Option:
    """One option of one release, as ``argparse`` knows it.

    ``nargs`` is 0 for a switch, None for exactly one value, else as in argparse. ``type`` names the converter: int,
    float, str, bool, json, json_list, human_int (``25.6k``, ``1Ki``), nullable_str, cuda_graph_config; None is str.
    ``choices`` are texts whatever the type. ``action`` is store, store_true, store_const, bool_optional, lora_paths
    (paths, NAME=PATH or JSON objects), lora_pairs (no JSON yet), help, or model_type.

    ``deprecated``: None; documented (only its help says so); warned (works, warns); ignored (warns, does nothing);
    refused (the launch stops). ``replacement``: the options that the wheel names instead; ``catalog.replacement`` knows
    more. ``unread``: no code of the release reads it.
    """

    __slots__ = (
        "action", "choices", "const", "default", "deprecated", "dest", "nargs", "replacement", "required", "strings",
        "type", "unread",
    )  # fmt: skip

    def __init__(
        self, strings: tuple[str, ...], dest: str, action: str = "store", type: str | None = None,
        choices: tuple[str, ...] | None = None, nargs: int | str | None = None, default: Any = None, const: Any = None,
        required: bool = False, deprecated: str | None = None, replacement: str | None = None, unread: bool = False,
    ) -> None:  # fmt: skip
        self.strings = strings
        self.dest = dest
        self.action = action
        self.type = type
        self.choices = choices
        self.nargs = nargs
        self.default = default
        self.const = const
        self.required = required
        self.deprecated = deprecated
        self.replacement = replacement
        self.unread = unread

    def __repr__(self) -> str:
        return f"<Option {'/'.join(self.strings) or self.dest}>"


Template = tuple[tuple[str, ...], str, tuple[object, ...]]
Stretch = tuple[int, int, str, int]
"""The first release, the first without it, the first option string, and the record."""
# So many option strings are looked up one by one before all are.
_FEW = 8


class Store:
    """The file, parsed. Releases count from 0, oldest first."""

    __slots__ = (
        "_asked", "_keys", "_names", "_numbers", "_stored", "_stretches", "_templates", "aliased", "features",
        "releases", "required",
    )  # fmt: skip

    def __init__(self) -> None:
        self._stored: dict[str, Any] = stored.read("catalog")
        self.releases: tuple[str, ...] = tuple(self._stored["releases"].split(" "))
        self.features: dict[str, list[int]] = self._stored["features"]
        # Records with more than one option string; the others need not be looked at before their option is used.
        self.aliased = frozenset(self._stored["aliased"])
        self.required = frozenset(self._stored["required"])
        self._numbers = {release: number for number, release in enumerate(self.releases)}
        self._keys: list[versions.Key] | None = None
        self._names: dict[tuple[str, int], frozenset[str]] = {}
        self._stretches: dict[str, list[Stretch]] = {}
        self._asked = 0
        self._templates: dict[int, Template] = {}

    def index(self, version: str) -> int:
        """The newest release that is not newer than ``version``; the oldest for anything before it.

        Raises ValueError where ``version`` is no version.
        """
        found = self._numbers.get(version)
        if found is None:
            key = versions.parse(version)
            if self._keys is None:
                self._keys = [versions.parse(release) for release in self.releases]
            found = self._numbers[version] = max(0, sum(known <= key for known in self._keys) - 1)
        return found

    def table(self, name: str, at: int) -> Iterator[tuple[str, int]]:
        """The first option string and the record of every option of a table in a release, in the parser's order."""
        if name not in self._stored["tables"]:
            return
        names, points = self._stored["tables"][name]
        end = 0
        for first in names.split(" "):
            start, end = end + 1, end + 1 + points[end]
            for edge in range(end - 2, start - 1, -2):
                if points[edge] <= at:
                    if points[edge + 1] >= 0:
                        yield first, points[edge + 1]
                    break

    def names(self, name: str, at: int) -> frozenset[str]:
        """The names in a table of which nothing else counts."""
        if (name, at) not in self._names:
            self._names[name, at] = frozenset(first for first, _ in self.table(name, at))
        return self._names[name, at]

    def spellings(self) -> tuple[str, ...]:
        """The first option string of every option that the server's parser has in some release."""
        return tuple(self._stored["tables"]["server"][0].split(" "))

    def spans(self, option_string: str) -> list[tuple[int, int, Option]]:
        """The stretches of releases, first and behind last, in which the server's parser has an option string."""
        found = [(begin, end, self.option(first, record)) for begin, end, first, record in self._known(option_string)]
        return sorted(found, key=lambda span: span[0])

    def _known(self, option_string: str) -> list[Stretch]:
        """As ``spans``, by the records."""
        if self._asked <= _FEW:
            self._asked += 1
            return [stretch for name, stretch in self._all(option_string) if name == option_string]
        if not self._stretches:
            for name, stretch in self._all():
                self._stretches.setdefault(name, []).append(stretch)
        return self._stretches.get(option_string, [])

    def _all(self, wanted: str | None = None) -> Iterator[tuple[str, Stretch]]:
        """Every option string in every stretch of releases in which it is there; at least those of one that is named.

        To go through all takes 2 ms, so that it is not done for a few.
        """
        names, points = self._stored["tables"]["server"]
        records = self._stored["records"]
        aliased = self.aliased
        if wanted is not None:
            aliased = frozenset([record for record in aliased if wanted in records[record].partition("|")[0]])
        end = 0
        for first in names.split(" "):
            start, end = end + 1, end + 1 + points[end]
            if wanted is not None and wanted != first and aliased.isdisjoint(points[start + 1 : end : 2]):
                continue
            edges = points[start:end:2]
            for number, record in enumerate(points[start + 1 : end : 2]):
                if record < 0:
                    continue
                further = records[record].partition("|")[0] if record in aliased else ""
                behind = edges[number + 1] if number + 1 < len(edges) else len(self.releases)
                for name in dict.fromkeys((first, *further.split())):
                    yield name, (edges[number], behind, first, record)

    def option(self, first: str, record: int, prefix: str = "--") -> Option:
        """The option that a record describes; ``first`` is its first option string as SGLang spells it."""
        aliases, dest, rest = self.template(record)
        names = (first, *aliases)
        if prefix != "--":
            names = tuple([prefix + name.lstrip("-") for name in names])
        return Option(names, dest or first.lstrip("-").replace("-", "_"), *rest)  # type: ignore[arg-type]

    def dest(self, first: str, record: int) -> str:
        """The destination of an option, without the rest of what a record says."""
        cells = self._stored["records"][record].split("|", 2)
        return (cells[1] if len(cells) > 1 else "") or first.lstrip("-").replace("-", "_")

    def template(self, record: int) -> Template:
        """A record in full: further option strings, destination, and the arguments that follow it in ``Option``."""
        if record not in self._templates:
            cells = self._stored["records"][record].split("|")
            cells += [""] * (12 - len(cells))
            self._templates[record] = self._template(cells)
        return self._templates[record]

    def _template(self, cells: list[str]) -> Template:
        aliases, dest, action, kind, choices, nargs, default, const, required, deprecated, replacement, unread = cells
        count: int | str | None = int(nargs) if nargs.isdecimal() else nargs or None
        if action in _SWITCHES or (action == "store_const" and count is None):
            count = 0
        elif count == 1 and action == "store_const":
            count = None
        first = stored.literal(default) if default else False if action == "store_true" else None
        constant = stored.literal(const) if const else True if action == "store_true" else None
        return (
            tuple(aliases.split()),
            dest,
            (
                action or "store", kind or None, self._choices(choices), count, first, constant,
                bool(required), deprecated or None, replacement or None, bool(unread),
            ),
        )  # fmt: skip

    def _choices(self, at: str) -> tuple[str, ...] | None:
        return tuple(self._stored["choices"][int(at)].split(" ")) if at else None


class Options:
    """Every option string of a release; an option is made when it is asked for, one object for all its strings."""

    __slots__ = ("_dests", "_made", "_store", "prefix", "required")

    def __init__(self, store: Store, prefix: str) -> None:
        self._store = store
        self._dests: dict[str, list[str]] | None = None
        self.prefix = prefix
        # The first strings of the options that a launch must have.
        self.required: list[str] = []
        # A record, or the first option string of the option that a further string belongs to.
        self._made: dict[str, Option | int | str] = {}

    def add_table(self, name: str, at: int) -> None:
        """Adds the options of a table in a release."""
        aliased, required = self._store.aliased, self._store.required
        for first, record in self._store.table(name, at):
            if self.prefix != "--" and not first.startswith("--"):
                # Its help is the wrapper's.
                continue
            key = first if self.prefix == "--" else self.prefix + first.lstrip("-")
            self._made[key] = record
            if record in required:
                self.required.append(key)
            if record in aliased:
                for alias in self._store.template(record)[0]:
                    self._made[alias if self.prefix == "--" else self.prefix + alias.lstrip("-")] = key

    def add(self, option: Option) -> None:
        """Adds one option."""
        for string in option.strings:
            self._made[string] = option

    def of_dest(self, dest: str) -> Sequence[str]:
        """The option strings that set a destination, in the parser's order; no option is made to tell (4 ms of 600)."""
        if self._dests is None:
            self._dests = {}
            for key in self._made:
                self._dests.setdefault(self._dest(key), []).append(key)
        return self._dests.get(dest, ())

    def _dest(self, key: str) -> str:
        made = self._made[key]
        if isinstance(made, str):
            return self._dest(made)
        if isinstance(made, Option):
            return made.dest
        return self._store.dest(key if self.prefix == "--" else "--" + key[len(self.prefix) :], made)

    def __getitem__(self, string: str) -> Option:
        made = self._made[string]
        if isinstance(made, Option):
            return made
        if isinstance(made, str):
            made = self[made]
        else:
            first = string if self.prefix == "--" else "--" + string[len(self.prefix) :]
            made = self._store.option(first, made, self.prefix)
        self._made[string] = made
        return made

    def __contains__(self, string: object) -> bool:
        return string in self._made

    def __iter__(self) -> Iterator[str]:
        return iter(self._made)

    def __len__(self) -> int:
        return len(self._made)

    # What collections.abc would add for a mapping; importing it takes 2 ms.
    def get(self, string: str) -> Option | None:
        """The option of a string; None where there is none."""
        return self[string] if string in self._made else None

    def keys(self) -> Iterator[str]:
        """Every option string, in the parser's order."""
        return iter(self._made)

    def values(self) -> Iterator[Option]:
        """The option of each string."""
        return (self[string] for string in self._made)

    def items(self) -> Iterator[tuple[str, Option]]:
        """Each string with its option."""
        return ((string, self[string]) for string in self._made)
