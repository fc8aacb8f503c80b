"""Tables over the releases as change points: a name with the places in a list of records, where they change."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


def pack(tables: Sequence[Mapping[str, str]], records: list[str]) -> tuple[str, list[int]]:
    """Names parted by blanks, and for each how many numbers follow and then release, record, release, record, …

    ``tables`` are the records by name, oldest release first. New records are added to ``records``; record -1: the name
    is not there. The newest release's names come first, in its order.
    """
    series: dict[str, list[int]] = {name: [] for table in reversed(tables) for name in table}
    places = {record: at for at, record in enumerate(records)}
    for index, table in enumerate(tables):
        for name, points in series.items():
            at = -1
            if name in table:
                at = places.setdefault(table[name], len(places))
                if at == len(records):
                    records.append(table[name])
            if at != (points[-1] if points else -1):
                points += [index, at]
    return " ".join(series), [number for points in series.values() for number in (len(points), *points)]


def unpack(names: str, points: Sequence[int], records: Sequence[str], releases: int) -> list[dict[str, str]]:
    """The tables that ``pack`` was given, one for each release."""
    tables: list[dict[str, str]] = [{} for _ in range(releases)]
    end = 0
    for name in names.split():
        start, end = end + 1, end + 1 + points[end]
        edges = [*points[start:end:2], releases]
        for number, at in enumerate(points[start + 1 : end : 2]):
            if at >= 0:
                for index in range(edges[number], edges[number + 1]):
                    tables[index][name] = records[at]
    return tables
