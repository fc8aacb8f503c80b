"""The Python host: what a module runs, read without running it.

The module is followed statement by statement. Branches are all taken and joined again, functions are followed with
the arguments of their calls, loops over literals are unrolled. A value that only the run can tell is unknown.
"""

from __future__ import annotations

from speclint.hosts.python import triggers
from speclint.lean import pattern
from speclint.source import SourceError
from speclint.text import Mapped, Span
from speclint.words import Command

TYPE_CHECKING = False
if TYPE_CHECKING:
    import ast
    from collections.abc import Sequence

    from speclint.hosts.python.counts import Counts
    from speclint.hosts.python.source import Source
    from speclint.source import SourceFile

_SURROGATE = pattern("[\ud800-\udfff]")
# A module of so many characters is parsed piece by piece; of one of so many only what can matter is read.
_LARGE = 500_000
_HUGE = 1_000_000
# To look at what surrounds the places of one that is no longer than this takes longer than to follow it.
_LONG = 4_000


def read(file: SourceFile, problems: list[SourceError] | None = None) -> list[Command]:
    """Every launch that a module holds. Raises SourceError if it cannot be parsed."""
    return read_text(Mapped.of(file), Command((), Span(file, 0, len(file.text)), "python", fixable=file.clean))


def read_text(text: Mapped, base: Command) -> list[Command]:
    """Every launch that Python source holds.

    ``base`` is what the source belongs to: its environment, image and object hold for the commands found. Raises
    SourceError, with the row and column of the text, if it cannot be parsed.
    """
    places = triggers.places(text.text)
    if not places:
        return []
    import gc

    # A tree has no cycles, but a hundred thousand nodes: to look for cycles among them takes a third of the time of
    # making it, and again as long whenever what is read makes enough objects. What is read is let go of by hand.
    collects = gc.isenabled()
    gc.disable()
    try:
        return _followed(text, base, places)
    except (RecursionError, MemoryError):
        raise SourceError("the Python source is nested too deeply") from None
    finally:
        if collects:
            gc.enable()


def _followed(text: Mapped, base: Command, places: Sequence[int]) -> list[Command]:
    """What following a module finds in which something at ``places`` may start a server."""
    whole: Counts | None = None
    if len(text) >= _HUGE:
        from speclint.hosts.python import large

        narrowed = large.narrowed(text, places)
        if narrowed is not None:
            text, places, whole = narrowed
    options = _options_alone(text.text, places)
    if options is not None and not options:
        return []
    tree = parse(text.text)
    from speclint.hosts.python import documents
    from speclint.hosts.python.source import Source

    source = Source(text)
    places = _mattering(tree, source, places, options)
    if not places:
        return list(documents.commands(source, documents.strings(tree), base))
    from speclint.hosts.python import assign, functions, statements
    from speclint.hosts.python.index import Index
    from speclint.hosts.python.machine import Machine

    index = Index(tree)
    told = documents.within(source, index.strings)
    rows = sorted({source.row(at) for at in places if not told(at)})
    runs = sorted({source.row(at) for at in triggers.runs(text.text) if not told(at)})
    index.relate(rows, runs, lambda: _option_rows(source))
    if whole is not None:
        index.take(whole)
    machine = Machine(source, index, base)
    try:
        statements.block(machine, tree.body)
        assign.flush(machine)
        functions.read_bodies(machine)
        found = machine.launches.finish()
        return [*found, *machine.fragments.commands(found), *documents.commands(source, index.strings, base)]
    finally:
        vars(machine).clear()  # it and its parts hold one another


def _options_alone(text: str, places: Sequence[int]) -> Sequence[int] | None:
    """Where options stand that may be those of a list, in a module that names nothing else; None for any other."""
    if any(text[at] != "-" for at in places):
        return None
    from speclint.hosts.python import flags

    return flags.of_lists(text)


def _mattering(tree: ast.Module, source: Source, places: Sequence[int], options: Sequence[int] | None) -> Sequence[int]:
    """Those of the places for which the module is worth following; ``options`` are all that it names, if given."""
    if options is not None:
        from speclint.hosts.python import listed

        return places if listed.may_be(tree, source, options) else ()
    if len(source.text) <= _LONG and not _may_be_told(source.text.text, places):
        return places
    from speclint.hosts.python import idle

    return idle.mattering(tree, source, places)


def _option_rows(source: Source) -> Sequence[int]:
    """The rows on which an option may stand that the module lists, or a name that such stand under."""
    from speclint.hosts.python.fragments import option_places

    found = option_places(source.text.text)
    return range(1, source.row(len(source.text)) + 1) if found is None else sorted({source.row(at) for at in found})


def _may_be_told(text: str, places: Sequence[int]) -> bool:
    """Whether all of the places may be in comments or documentation, by what stands before them on their lines."""
    for at in places:
        before = text[text.rfind("\n", 0, at) + 1 : at].lstrip()
        if "#" not in before and before[:3] not in ('"""', "'''") and any(mark in before for mark in "\"'=(["):
            return False
    return True


def parse(text: str) -> ast.Module:
    """The syntax tree of a module. Raises SourceError."""
    import warnings

    from speclint.pyast import ast

    # A lone surrogate stands for a byte that is no UTF-8; it cannot be parsed, and is one byte long to ByteIndex.
    text = text if text.isascii() else _SURROGATE.sub("?", text)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            if len(text) >= _LARGE:
                from speclint.hosts.python import pieces

                return pieces.parse(text)
            return ast.parse(text)
    except SyntaxError as error:
        raise SourceError(f"Python does not parse it: {error.msg}", error.lineno, error.offset) from None
    except (ValueError, RecursionError, MemoryError, OverflowError) as error:
        raise SourceError(f"Python does not parse it: {error or type(error).__name__}") from None
