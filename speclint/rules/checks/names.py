"""Names of options that a release does not have, or will not have for long."""

from __future__ import annotations

from speclint.rules.checks import replaced
from speclint.rules.checks.asked import asked
from speclint.rules.checks.words import met
from speclint.rules.found import Found, under
from speclint.sglang import catalog, forks, spelling, versions
from speclint.sglang.wording import few, most

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from speclint.rules.checks.words import Met
    from speclint.sglang.catalog import Release
    from speclint.sglang.resolve import View
    from speclint.sglang.setting import Setting
    from speclint.sglang.spelling import Meaning

    Named = tuple[Meaning, Setting, Met | None]

# What a name may come to that a build which is no release has after all.
_OTHERWISE = ("unknown", "newer", "removed")
# Keyword arguments that are taken by the classes themselves.
_OWN = {"sglang.Engine": ("server_args",), "sglang.Runtime": ("launch_timeout",), "sglang.ServerArgs": ()}


# Of abbreviations, which are few: what later releases take them for, and what earlier ones did.
_later: dict[tuple[str, str, str, str], tuple[str, list[str]] | None] = {}
_before: dict[tuple[str, str, str], tuple[str, str] | None] = {}


def unknown(view: View) -> Iterator[Found]:
    """Options that no release has."""
    return _found(view, "unknown", ("written", "opposite", "like", "unknown"))


def other_engine(view: View) -> Iterator[Found]:
    """Options of other engines."""
    return _found(view, "unknown", ("engine",))


def newer(view: View) -> Iterator[Found]:
    """Options that only later releases have; a wrapper may have had one of that name before."""
    point = view.options.release.entrypoint
    return _found(view, "unknown", () if point.foreign and point.prefix == "--" else ("newer",))


def renamed(view: View) -> Iterator[Found]:
    """Options that are gone and for which other words say the same."""
    return (one for one in _found(view, "unknown", ("removed",)) if one.facts["how"] == "safe")


def removed(view: View) -> Iterator[Found]:
    """Options that are gone and have no equal."""
    yield from (one for one in _found(view, "unknown", ("removed",)) if one.facts["how"] != "safe")
    for one in met(view.options, "refused"):
        yield _of_use(view, one.known(), one)


def ambiguous(view: View) -> Iterator[Found]:
    """Options whose names are short for several."""
    for one, found in _each(view, "ambiguous"):
        if one[2] is not None:
            found.facts["candidates"] = few(f"`{name}`" for name in one[2].problem.candidates)
            if one[0].kind not in ("removed", "engine"):
                _as_it_was(view, found, one)
            yield found


def deprecated(view: View) -> Iterator[Found]:
    """Options that still work and are on their way out."""
    for setting in view.options.settings:
        option = setting.option
        if option is None or setting.keyword is not None or option.deprecated in (None, "refused"):
            continue
        if not asked(setting) and not forks.is_used(view.options.launch):
            yield _of_use(view, setting, None)


def short_lived(view: View) -> Iterator[Found]:
    """Abbreviations that some later release does not read as this one does."""
    release = view.options.release
    for setting in view.options.settings:
        option = setting.option
        if option is None or setting.keyword is not None or setting.flag in ("", *option.strings):
            continue
        full = option.strings[0]
        asked_of = (setting.flag, full, release.version, release.entrypoint.name)
        if asked_of not in _later:
            _later[asked_of] = _first_other(setting.flag, full, release)
        later = _later[asked_of]
        if later is None or option.deprecated is not None:
            continue
        at, candidates = later
        facts = {
            "flag": setting.flag,
            "full": full,
            "words": full,
            "since": at,
            "candidates": few(f"`{name}`" for name in candidates),
        }
        yield Found(setting.flag_span, setting, facts, *under(setting.guard))


def _first_other(flag: str, full: str, release: Release) -> tuple[str, list[str]] | None:
    """The first later release that takes an abbreviation for something else, and for what."""
    for version in catalog.known()[catalog.number(release.version) + 1 :]:
        options = catalog.release(version, release.entrypoint.name).options
        candidates = [name for name in options if name.startswith(flag)]
        if flag not in options and candidates != [full]:
            return (version, candidates) if full in candidates else None
    return None


def _as_it_was(view: View, found: Found, named: Named) -> None:
    """What an abbreviation meant in the last release that took it for one option, if that is one of those it may be."""
    assert named[2] is not None
    release = view.options.release
    key = (named[1].flag, release.version, release.entrypoint.name)
    if key not in _before:
        _before[key] = _last_meant(named[1].flag, named[2].problem.candidates, release)
    known = _before[key]
    if known is not None:
        found.facts.update(new=known[0], words=known[0], fix="rename", sure=False, last=known[1])


def _last_meant(flag: str, candidates: tuple[str, ...], release: Release) -> tuple[str, str] | None:
    for version in reversed(catalog.known()):
        if versions.parse(version) >= versions.parse(release.version):
            continue
        options = catalog.release(version, release.entrypoint.name).options
        meant = [name for name in options if name.startswith(flag)]
        if len(meant) == 1 and meant[0] in candidates:
            return meant[0], version
    return None


def _found(view: View, kind: str, meanings: tuple[str, ...]) -> Iterator[Found]:
    return (found for named, found in _each(view, kind) if named[0].kind in meanings)


def _each(view: View, kind: str) -> Iterator[tuple[Named, Found]]:
    for named in _named(view, kind):
        meaning, setting, one = named
        yield named, _found_of(setting, _facts(view, meaning, setting), one)


def _named(view: View, kind: str) -> Iterator[Named]:
    """The names that the release does not have, each with what it was meant to be."""
    release = view.options.release
    prefix = release.entrypoint.prefix
    for one in met(view.options, kind):
        flag = one.problem.spelling
        name = flag if prefix == "--" else "--" + flag.removeprefix(prefix)
        meaning = spelling.meaning(name, release)
        known = catalog.history(meaning.name)
        option = catalog.release(known.since).options.get(meaning.name) if known is not None else None
        setting = one.unknown(option, most(option) if option is not None else None)
        if not asked(setting) and not _may_be(view, meaning) and not _of_another(view, meaning, setting):
            yield meaning, setting, one
    if kind == "unknown":
        for setting in _keywords(view):
            if not release.has_field(setting.flag) and not asked(setting):
                meaning = spelling.meaning_of_keyword(setting.flag, release)
                if not _may_be(view, meaning):
                    yield meaning, setting, None


def _may_be(view: View, meaning: Meaning) -> bool:
    """Whether the build that is launched is no release, and may have such a name."""
    launch = view.options.launch
    return (meaning.kind in _OTHERWISE and forks.is_used(launch)) or (
        meaning.kind == "unknown" and forks.is_own(launch)
    )


def _of_another(view: View, meaning: Meaning, setting: Setting) -> bool:
    """Whether a name that no release has may be meant for another program, which the same command may be."""
    mixed = view.options.launch.command.mixed and bool(setting.guard)
    return mixed and meaning.kind in ("unknown", "engine", "like")


def _keywords(view: View) -> Iterator[Setting]:
    """The keyword arguments that are handed on to ``ServerArgs``."""
    options = view.options
    own = _OWN.get(options.launch.entrypoint)
    call = options.launch.command.span
    for setting in (*options.settings, *options.foreign):
        if setting.keyword is None or own is None or setting.flag in own or setting.flag_span is None:
            continue
        here = setting.flag_span.file is call.file and call.start <= setting.flag_span.start < call.end
        # What is not known of a dict may also have taken the key out of it again.
        if here or options.open is None:
            yield setting


def _found_of(setting: Setting, facts: Mapping[str, object], one: Met | None) -> Found:
    worlds = (one.worlds, one.others) if one is not None else under(setting.guard)
    return Found(setting.flag_span, setting, facts, *worlds)


def _facts(view: View, meaning: Meaning, setting: Setting) -> dict[str, object]:
    keyword = setting.keyword is not None
    words = _spelled(_filled(view, meaning.new), view.options.release, keyword)
    fix, sure = replaced.fix(view, meaning.how if meaning.kind != "like" else "like", words, setting)
    return {
        "kind": meaning.kind,
        "keyword": keyword,
        "what": "argument" if keyword else "option",
        "flag": setting.flag,
        "alias": "" if keyword or view.options.release.entrypoint.prefix == "--" else f" (SGLang's `{meaning.name}`)",
        "name": meaning.name.lstrip("-").replace("-", "_") if keyword else meaning.name,
        "new": _shown(words, keyword) if words is not None else None,
        "words": words,
        "how": meaning.how,
        "fix": fix,
        "sure": sure,
        "since": meaning.since,
        "gone": meaning.gone,
        "engine": meaning.engine,
    }


def _filled(view: View, new: str | None) -> str | None:
    """Words with the values of other options in the places that stand for them (``<dp-size>``)."""
    if new is None or "<" not in new:
        return new
    before, _, rest = new.partition("<")
    name, _, after = rest.partition(">")
    dest = {"tp": "tp_size"}.get(name, name.replace("-", "_"))
    value = view.value(dest) if view.is_set(dest) is True else None
    return f"{before}{value}{after}" if isinstance(value, int) else new


def _spelled(new: str | None, release: Release, keyword: bool) -> str | None:
    """Words of the plain server's command line as this entry point takes them."""
    if new is None:
        return None
    words = new.split(" ")
    if keyword:
        options = spelling.server(release).options
        words = ["--" + options[w].dest.replace("_", "-") if w in options else w for w in words]
    elif release.entrypoint.prefix != "--":
        words = [release.entrypoint.prefix + w[2:] if w.startswith("--") else w for w in words]
    return " ".join(words)


def _shown(words: str, keyword: bool) -> str:
    if not keyword:
        return f"`{words}`"
    from speclint.fix.quote import python_value

    parts = words.split(" ")
    if len(parts) == 1:
        return f"`{parts[0].lstrip('-').replace('-', '_')}`"
    pairs = zip(parts[::2], parts[1::2], strict=False)
    return ", ".join(f"`{name.lstrip('-').replace('-', '_')}={python_value(value)}`" for name, value in pairs)


def _of_use(view: View, setting: Setting, one: Met | None) -> Found:
    """An option that the release has, and that something else should take the place of."""
    option, release = setting.option, view.options.release
    assert option is not None
    prefix = release.entrypoint.prefix
    name = option.strings[0] if prefix == "--" else "--" + option.strings[0].removeprefix(prefix)
    known, found = catalog.history(name), catalog.replacement(name, release.version)
    new, how = (found.words, found.kind) if found is not None else (None, "")
    since = (known.deprecated_since if known is not None else None) or ""
    meaning = spelling.Meaning("removed", name, new, how, since, known.removed if known is not None else None)
    facts = {**_facts(view, meaning, setting), "kind": option.deprecated}
    if prefix == "--" and setting.flag not in option.strings:
        facts["alias"] = f" (short for `{name}`)"
    return _found_of(setting, facts, one)
