"""When a finding holds that does not hold in every world: the conditions that are told with it."""

from __future__ import annotations

from speclint.worlds import possible

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from speclint.rules.hits import Hit
    from speclint.rules.rule import Rule
    from speclint.sglang.resolve import View
    from speclint.value import Choice


def conditions(group: Sequence[Hit], others: Sequence[View]) -> list[str] | None:
    """When the worlds of the hits come about, in the words of the choices that tell them from the others.

    None for one condition of a loop, asked of one option and then of another: options are handed on as they are given,
    and nothing says that those which clash are.
    """
    views = [hit.view for hit in group]
    met: dict[Choice, list[int]] = {}
    for point in dict.fromkeys(point for view in (*views, *others) for point in view.world):
        arms = list(dict.fromkeys(view.world.get(point) for view in views))
        if None not in arms and len(arms) < len(point.labels):
            met[point] = [arm for arm in arms if arm is not None]
    if not met:
        met = {point: [arm] for point, arm in views[0].world.items()}
    told: dict[str, Choice] = {}
    for point in _needed(met):
        labels = dict.fromkeys(point.labels[arm] for arm in met[point])
        if any(label in labels for arm, label in enumerate(point.labels) if arm not in met[point]):
            continue  # runs that something else tells apart
        label = " or ".join(labels)
        if not _asks_as(told.setdefault(label, point), point):
            return None
    return list(told)


def is_handed_on(rule: Rule, hit: Hit) -> bool:
    """Whether one option is there by one condition, and another is not by another condition that has to do with no part
    of it: both are handed on as they are given, and nothing says that one is given without the other.
    """
    setting, world = hit.setting, hit.view.world
    if setting is None or not any(choice.kind == "branch" for choice, _ in setting.guard):
        return False
    own = setting.choices()
    apart = [
        point
        for point in world
        if point.kind == "branch" and point not in own and not any(_asks_as(point, other) for other in own)
    ]
    missing = {
        other.dest
        for other in hit.view.options.settings
        for choice, arm in other.guard
        if choice in apart and world[choice] != arm and other.dest in rule.reads
    }
    return any(hit.view.setting(dest) is None for dest in missing)


def _needed(met: dict[Choice, list[int]]) -> list[Choice]:
    """The choices without those that can have gone no other way where the rest went theirs."""
    world = {point: arms[0] for point, arms in met.items() if len(arms) == 1}
    left = dict.fromkeys(met)
    for point in reversed(met):
        rest = {other: arm for other, arm in world.items() if other is not point and other in left}
        if (
            point in world
            and rest
            and not any(possible(rest, point, arm) for arm in range(len(point.labels)) if arm != world[point])
        ):
            del left[point]
    return list(left)


def _asks_as(one: Choice, other: Choice) -> bool:
    """Whether two choices are made by one condition on the very same values."""
    return one is other or any(
        key in theirs for mine, theirs in zip(one.needs, other.needs, strict=False) for key in mine
    )
