"""Commands that a module's documentation shows: in the strings that stand alone as statements."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    import ast
    from collections.abc import Iterator, Sequence

    from speclint.hosts.python.source import Source
    from speclint.words import Command


def commands(source: Source, strings: Sequence[ast.Constant], base: Command) -> Iterator[Command]:
    """The commands that start a server in some strings, read as a document is."""
    from speclint.hosts import blocks

    for node in strings:
        if blocks.TRIGGER.search(str(node.value)):
            text = source.literal(node)
            yield from blocks.read(text, "markdown" if "```" in text.text else "plain", base, 1)
