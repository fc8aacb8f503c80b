"""Environment variables of SGLang that a file sets for a launch."""

from __future__ import annotations

from speclint.finding import Edit
from speclint.lean import NamedTuple, re
from speclint.marked import OPTIONS
from speclint.rules.found import Found
from speclint.sglang import catalog, envs, envvalues, forks
from speclint.value import Known, as_mapped
from speclint.worlds import choices, resolve, worlds

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from speclint.rules.found import World
    from speclint.sglang.envs import Meaning
    from speclint.sglang.resolve import View
    from speclint.text import Span
    from speclint.value import Definition, Unknown, Value


# What holds of releases: a build of somebody's own may read other variables.
_OTHERWISE = ("like", "unread", "newer")


class Given(NamedTuple):
    """One place where a variable is given a value.

    ``text``: the value, None where it is not known. ``worlds`` are those in which it is the one that counts, ``others``
    those in which it is not; both are empty where nothing hangs on a choice.
    """

    name: str
    name_span: Span | None
    text: str | None
    text_span: Span | None
    worlds: tuple[World, ...]
    others: tuple[World, ...]


def unknown(view: View) -> Iterator[Found]:
    """Names that no release knows, most like one that the release reads."""
    return _found(view, "like")


def unread(view: View) -> Iterator[Found]:
    """Variables that no code of the release reads any more."""
    return _found(view, "unread")


def renamed(view: View) -> Iterator[Found]:
    """Variables that the release reads under another name."""
    return _found(view, "renamed")


def deprecated(view: View) -> Iterator[Found]:
    """Variables that still work and of which SGLang warns."""
    return _found(view, "deprecated")


def newer(view: View) -> Iterator[Found]:
    """Variables that only later releases read."""
    return _found(view, "newer")


def refused(view: View) -> Iterator[Found]:
    """Variables that stop the launch, whatever their value."""
    return _found(view, "refused")


def wrong_type(view: View) -> Iterator[Found]:
    """Values that are none of what a variable can be."""
    return _misread(view, ("other", "raises"))


def opposite(view: View) -> Iterator[Found]:
    """Words for yes or no that are read as the other."""
    return _misread(view, ("opposite",))


def _found(view: View, kind: str) -> Iterator[Found]:
    launch = view.options.launch
    if launch.entrypoint == OPTIONS and (launch.command.image is None or forks.is_own(launch)):
        return  # whoever runs a recipe has the image, or what it is called by there, of whatever release
    for name, value in _variables(view):
        meaning = envs.meaning(name, view.release)
        if meaning.kind != kind or (kind in _OTHERWISE and forks.is_used(view.options.launch)):
            continue
        places: dict[Span | None, list[Given]] = {}
        for given in _given(name, value):
            places.setdefault(given.name_span, []).append(given)
        for span, group in places.items():
            where = tuple(world for given in group for world in given.worlds)
            others = [world for world in group[0].others if world not in where]
            if not others:
                where = ()
            facts, edits = _facts(view, meaning, group[0])
            yield Found(span or group[0].text_span, None, facts, where, others, edits=edits)


def _facts(view: View, meaning: Meaning, given: Given) -> tuple[dict[str, object], list[Edit]]:
    new, span = meaning.new.replace("=", " "), given.name_span
    is_option = new.startswith("-")
    if is_option and not catalog.all_known(catalog.release(view.release), new):
        new = ""
    opposite = bool(new) and not is_option and ("DISABLE" in new) != ("DISABLE" in given.name)
    edits: list[Edit] = []
    if new and not is_option and not opposite and new not in view.options.launch.command.env and span is not None:
        edits = [Edit(span, new)] if span.text == given.name else []
    facts = {
        "variable": given.name,
        "new": new,
        "option": is_option,
        "opposite": opposite,
        "since": meaning.since,
        "gone": meaning.gone,
        "fix": bool(edits),
        # What speaks of the variable by its old name elsewhere in the file would no longer find it.
        "sure": meaning.sure and not (span is not None and _is_read(given.name, span.file.text)),
    }
    return facts, edits


def _is_read(name: str, text: str) -> bool:
    """Whether a file names a variable elsewhere than where it is given a value: to read, to show or to export it."""
    given = rf"name:\s*[\"']?{name}\b|(?<![$({{]){name}[\"']?\]?\s*[:=](?!=)"
    return len(re.findall(rf"\b{name}\b", text)) > len(re.findall(given, text))


def _misread(view: View, kinds: tuple[str, ...]) -> Iterator[Found]:
    for name, value in _variables(view):
        places: dict[tuple[Span | None, str], tuple[dict[str, object], list[Given]]] = {}
        for given in _given(name, value):
            got = envvalues.reading(name, given.text, view.release) if given.text is not None else None
            if got is None or got.kind not in kinds:
                continue
            stands = got.value is not None
            shown = str(got.value).lower() if isinstance(got.value, bool) else got.value
            facts = {
                "variable": name,
                "kind": got.kind,
                "text": given.text,
                "wanted": got.wanted,
                "stands": stands,
                "value": shown,
            }
            places.setdefault((given.text_span, given.text or ""), (facts, []))[1].append(given)
        for (span, _), (facts, group) in places.items():
            where = tuple(world for given in group for world in given.worlds)
            others = [world for world in group[0].others if world not in where]
            yield Found(span, None, facts, where if others else (), others)


def _variables(view: View) -> Iterator[tuple[str, Value]]:
    """The variables that are SGLang's by their name."""
    for name, value in view.options.launch.command.env.items():
        if name.startswith(envs.PREFIXES):
            yield name, value


def _given(name: str, value: Value) -> list[Given]:
    """Every place at which a variable is given a value, by the ways that the file's choices can go."""
    points = choices(value)
    ways = worlds(points)
    every = [] if ways is None else list(ways)
    leaves = [(world, resolve(value, world)) for world in every]
    told = any(_definition(name, leaf) is not None for _, leaf in leaves)
    found: list[Given] = []
    for world, leaf in leaves:
        definition = _definition(name, leaf)
        if definition is None and told:
            continue  # it is not set in this world, as far as the file tells
        text = leaf.text.text if isinstance(leaf, Known) else None
        place = definition.span if definition is not None else as_mapped(value).place()
        others = tuple(other for other in every if other is not world)
        name_span = definition.name_span if definition is not None else None
        found.append(Given(name, name_span, text, place, (world,) if points else (), others))
    return found


def _definition(name: str, value: Known | Unknown) -> Definition | None:
    """Where a variable was given its value last."""
    for step in reversed(value.steps):
        if step.definition is not None and step.definition.name == name:
            return step.definition
    return None
