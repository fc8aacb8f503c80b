"""Asks a check in every way that some options can go, where branches and defaults decide them."""

from __future__ import annotations

from speclint.sglang.resolve import View
from speclint.worlds import worlds

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from speclint.rules.found import Found, World
    from speclint.text import Span


def everywhere(view: View, dests: Iterable[str], check: Callable[[View], Iterator[Found]]) -> Iterator[Found]:
    """What ``check`` finds, with the worlds in which it does; ``dests`` are the options that it asks for."""
    points = dict.fromkeys(p for dest in dests for setting in view.options.written(dest) for p in setting.choices())
    if not points:
        yield from check(view)
        return
    told: list[tuple[World, Found]] = []
    every: list[World] = []
    for world in worlds(points) or ():
        every.append(world)
        told.extend((world, found) for found in check(View(view.options, world, view.find_model)))
    places: dict[Span | None, list[World]] = {}
    for world, found in told:
        places.setdefault(found.span, []).append(world)
    for world, found in told:
        there = places[found.span]
        found.worlds, found.others = (world,), tuple(other for other in every if other not in there)
        yield found
