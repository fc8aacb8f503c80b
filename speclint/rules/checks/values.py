"""Values that an option does not take."""

from __future__ import annotations

from speclint.rules.checks.placeholder import is_no_name, is_offered, is_placeholder
from speclint.rules.checks.words import met
from speclint.rules.found import Found
from speclint.sglang import catalog, forks, spelling, versions
from speclint.sglang.models import Model
from speclint.sglang.stored import DATA
from speclint.sglang.wording import few, setting_of
from speclint.value import NO_CONDITION, Known

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from speclint.rules.checks.words import Met
    from speclint.sglang.catalog import History, Option
    from speclint.sglang.resolve import View
    from speclint.sglang.setting import Setting

# What a text says that somebody or something is to replace: <N>, {port}, $(NAME), %s, @TP@, YOUR_PORT, ...
JSON = ("json", "json_list", "cuda_graph_config")
# Choices that there are only where the environment says so (0.5.23 srt/server_args.py:358).
_BY_ENVIRONMENT = (("--sampling-backend", "token_oracle"),)
_TAKES = {
    "int": "a whole number",
    "float": "a number",
    "human_int": "a whole number, perhaps with a unit such as 32k or 32Ki",
}
TRUE = frozenset(("true", "1", "yes", "on"))
_FALSE = frozenset(("false", "0", "no", "off"))


def missing(view: View) -> Iterator[Found]:
    """Options without a value that need one."""
    for one in met(view.options, "missing-value"):
        setting = one.known()
        option = setting.option
        assert option is not None
        host = view.options.launch.command.host
        if (host == "python" and _is_default(one)) or (host == "javascript" and _is_not_chosen(one)):
            continue
        words = view.options.words
        at = next((at for at, word in enumerate(words) if word is one.word), len(words))
        behind = (word.text for word in words[at + 1 :] if not word.guard and word.prefix.startswith("-"))
        facts = {
            "flag": setting.flag,
            "takes": _takes(option),
            "next": next(behind, None),
        }
        yield Found(setting.flag_span, setting, facts, one.worlds, one.others)


def _is_not_chosen(one: Met) -> bool:
    """Whether it is met only where no condition of some `if` holds: a page asks for each of what it lets choose."""
    return bool(one.worlds) and all(
        any(choice.labels[arm] == NO_CONDITION for choice, arm in world.items()) for world in one.worlds
    )


def _is_default(one: Met) -> bool:
    """Whether it is met only where an argument keeps a default, which is empty since every call gives it."""
    choices = [choice for choice in (one.worlds[0] if one.worlds else ()) if choice.kind == "default"]
    return any(
        all(world.get(choice) == 0 for world in one.worlds) and not any(world.get(choice) == 0 for world in one.others)
        for choice in choices
    )


def wrong_type(view: View) -> Iterator[Found]:
    """Values of another type than the option's; JSON is told by ``json_values``."""
    for one, option, value in refused(view, "invalid-type"):
        if option.type in JSON or option.action == "lora_paths":
            continue
        new = _number(value, option)
        yield of_value(one, {"takes": _takes(option), "value": value, "new": new})


def wrong_choice(view: View) -> Iterator[Found]:
    """Values that are none of the option's choices."""
    release = view.options.release
    for one, option, value in refused(view, "invalid-choice"):
        choices = option.choices or ()
        name = _plain(option, view)
        known = catalog.choice_history(name, value)
        new, sure = _like(name, value, choices)
        before = known is not None and versions.parse(known.since) < versions.parse(release.version)
        if (name, value) in _BY_ENVIRONMENT:
            continue
        if not before and (release.entrypoint.foreign or _may_be_diffusion(view, one, known)):
            continue  # a wrapper may take further values, and so may the parser for diffusion models
        launch = view.options.launch
        if new is None and (forks.is_used(launch) or (known is None and forks.is_own(launch))):
            continue
        facts: dict[str, object] = {
            "value": value,
            "choices": few(choices),
            "new": new,
            "sure": sure,
            "since": known.since if known is not None and not before else None,
            "gone": known.removed if known is not None and before else None,
        }
        yield of_value(one, facts)


def _may_be_diffusion(view: View, one: Met, known: History | None) -> bool:
    """Whether a value may be meant for a diffusion model: which one ``sglang serve`` starts is decided by the model."""
    shared = view.options.release.shared_with_diffusion(one.problem.spelling)
    return shared and known is None and not isinstance(view.model(), Model)


def switched(view: View) -> Iterator[Found]:
    """Values given to a switch."""
    for one in met(view.options, "unexpected-value"):
        value = one.problem.value or ""
        yield _switch(one, one.known(), value)
    for one in met(view.options, "positional"):
        value = one.problem.spelling
        if of_switch(view, one):
            assert one.before is not None
            option = view.options.release.options.get(one.before.prefix)
            setting = setting_of(one.before, one.before.prefix, [one.word], option)
            yield _switch(one, setting, value)


def of_switch(view: View, one: Met) -> bool:
    """Whether a stray word is a truth value behind a switch."""
    before = one.before
    option = view.options.release.options.get(before.prefix) if before is not None and before.text is not None else None
    return option is not None and option.nargs == 0 and one.problem.spelling.lower() in TRUE | _FALSE


def _switch(one: Met, setting: Setting, value: str) -> Found:
    option = setting.option
    on = value.lower() in TRUE
    off = value.lower() in _FALSE
    negative = None
    if option is not None and option.action == "bool_optional":
        negative = next((string for string in option.strings if string.startswith("--no-")), None)
    facts = {"flag": setting.flag, "value": value, "on": on, "off": off, "negative": negative}
    return Found(setting.value_span or setting.flag_span, setting, facts, one.worlds, one.others)


def refused(view: View, kind: str) -> Iterator[tuple[Met, Option, str]]:
    """The values that the parser refuses for one reason."""
    for one in met(view.options, kind):
        option, value = one.problem.option, one.problem.value
        if option is None or value is None or is_fused(view, value):
            continue
        if value in ("", "None") and not _is_written(one):
            continue  # a default that somebody fills in, an argument that was not given
        if value[:1] == "$" and value[1:].isidentifier() and view.options.launch.command.host == "python":
            continue  # of a script that the module writes
        choices = option.choices or ()
        if _is_blank(value, choices) or is_offered(value, choices, view.options.launch.command.host):
            continue
        yield one, option, value


def _is_written(one: Met) -> bool:
    """Whether the value stands in the launch itself, in every world."""
    from speclint.fix.origin import within

    word = one.word
    if one.worlds or word.span is None or not isinstance(word.value, Known):
        return False
    return not word.value.steps and (word.value.text.text == "" or within(word.value.text, word.span))


def of_value(one: Met, facts: dict[str, object]) -> Found:
    """What is found of a value."""
    setting = one.known()
    return Found(setting.value_span, setting, {"flag": setting.flag, **facts}, one.worlds, one.others)


def _is_blank(value: str, choices: tuple[str, ...]) -> bool:
    """Whether a text stands for one of the choices; words in capitals do unless these are such too."""
    if any(_folded(value) == _folded(choice) for choice in choices):
        return False
    return is_no_name(value) if choices and all(choice.isupper() for choice in choices) else is_placeholder(value)


def is_fused(view: View, value: str) -> bool:
    """Whether a word holds an option and its value, or several options."""
    first, blank, _ = value.strip().partition(" ")
    return bool(blank) and first.startswith("--") and any(o.startswith(first) for o in view.options.release.options)


def _takes(option: Option) -> str:
    if option.choices:
        return f"one of {', '.join(option.choices)}" if len(option.choices) <= 8 else "one of its choices"
    if option.type in JSON:
        return "JSON"
    return _TAKES.get(option.type or "", "a value")


def _number(value: str, option: Option) -> str | None:
    """A number that is written as another one, or with a comma for the point or between thousands."""
    text = value.strip()
    groups = text.lstrip("+-").split(",")
    if len(groups) > 1 and groups[0] not in ("", "0") and all(len(group.split(".")[0]) == 3 for group in groups[1:]):
        text = text.replace(",", "")
    elif len(groups) == 2 and "." not in text:
        text = text.replace(",", ".")
    try:
        number = float(text)
    except ValueError:
        return None
    if option.type == "float":
        return text
    return str(int(number)) if number.is_integer() and abs(number) < 1e15 else None


def _plain(option: Option, view: View) -> str:
    prefix = view.options.release.entrypoint.prefix
    first = option.strings[0]
    return first if prefix == "--" else "--" + first.removeprefix(prefix)


def _like(name: str, value: str, choices: tuple[str, ...]) -> tuple[str | None, bool]:
    """The choice that a value is most like, and whether it says the same."""
    usual = [choice for choice in choices if _folded(choice) == _folded(value)]
    if len(usual) == 1:
        return usual[0], True
    import os.path

    with open(os.path.join(DATA, "values.tsv"), encoding="utf-8") as file:
        for line in file:
            option, old, new = line.rstrip("\n").split("\t")
            if (option, old) == (name, value) and new in choices:
                return new, False
    allowed = max(1, min(2, len(value) // 4))
    near = sorted((spelling.distance(value.lower(), choice.lower(), allowed), choice) for choice in choices)
    if near and near[0][0] <= allowed and (len(near) == 1 or near[1][0] > near[0][0]):
        return near[0][1], False
    return None, False


def _folded(text: str) -> str:
    return text.lower().replace("-", "").replace("_", "")
