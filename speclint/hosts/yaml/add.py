"""Where something could be added to a block of YAML, and how it would be written there."""

from __future__ import annotations

from speclint.pod import Fact

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from speclint.hosts.yaml.document import Document
    from speclint.hosts.yaml.node import Node


def item(document: Document, sequence: Node, lines: Sequence[str]) -> Fact | None:
    """One more item, a mapping, at the end of a list; text for an empty span, None where it takes more than that."""
    last = sequence.value[-1] if sequence.id == "sequence" and sequence.value else None
    if last is None or sequence.flow_style or last.id != "mapping" or last.flow_style:
        return None
    column, dash = int(last.start_mark.column), int(sequence.start_mark.column)
    head = " " * dash + "-" + " " * (column - dash - 1)
    indented = [head + lines[0], *(" " * column + line for line in lines[1:])]
    return _at_end(document, sequence, last, column, indented) if column > dash else None


def key(document: Document, mapping: Node, lines: Sequence[str]) -> Fact | None:
    """One more key at the end of a mapping; as for ``item``."""
    if mapping.id != "mapping" or mapping.flow_style or not mapping.value:
        return None
    first = mapping.value[0][0]
    column = int(first.start_mark.column)
    return _at_end(document, mapping, first, column, [" " * column + line for line in lines])


def _at_end(document: Document, whole: Node, anchor: Node, column: int, lines: Sequence[str]) -> Fact | None:
    """Behind the last line of a node, what is remarked there included; ``anchor`` stands at ``column``."""
    start = document.span(anchor).start
    file = document.span(anchor).file
    text, end = document.rendered.text, document.end(whole)
    stop = text.text.find("\n", end)
    stop = stop if stop >= 0 else len(text.text)
    rest = text.text[end:stop].strip()
    place = text.point(stop)
    # In text within other text a line may begin with more than is seen here.
    if place is None or (rest and not rest.startswith("#")) or file.location(start)[1] != column + 1:
        return None
    if document.uses(whole) > 1 or place.file is not file:
        return None
    return Fact("".join(f"\n{line}" for line in lines), place)
