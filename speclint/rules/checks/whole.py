"""What only a look at all words of a launch shows."""

from __future__ import annotations

from speclint.lean import pattern
from speclint.rules.checks.garbled import glued, spliced
from speclint.rules.checks.placeholder import is_placeholder
from speclint.rules.checks.values import is_fused, of_switch
from speclint.rules.checks.words import met
from speclint.rules.found import Found, under
from speclint.sglang.wording import setting_of
from speclint.value import Known

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from speclint.rules.checks.words import Met
    from speclint.sglang.resolve import View
    from speclint.sglang.setting import Setting
    from speclint.text import Span
    from speclint.words import Word

# Dashes of typesetters, which text processors and chats put in the place of two hyphens.
_DASHES = "\u2010\u2011\u2012\u2013\u2014\u2015\u2212"
# So many words of one launch are told; the rest is more of the same.
_MOST = 100
_MODEL = pattern(r"[\w.-]+/[\w./-]+|/[\w./-]+")


def duplicate(view: View) -> Iterator[Found]:
    """Options that are given again."""
    last: dict[object, Setting] = {}
    for setting in view.options.settings:
        option = setting.option
        if setting.keyword is not None or option is None:
            continue
        before = last.get(option)
        last[option] = setting
        # What a branch adds is there to override what stands before it.
        if before is None or setting.guard != before.guard or not setting.flag or not before.flag:
            continue
        if setting.flag_span is None or before.flag_span is None or setting.flag_span == before.flag_span:
            continue
        one, other = _value(before), _value(setting)
        facts = {
            "flag": setting.flag,
            "before": before.shown({}),
            "name": option.strings[0],
            "switch": not setting.values and setting.flag == before.flag,
            "same": one is not None and one == other,
            "shown": setting.shown({}),
        }
        related = [("it is given here already", before.flag_span)]
        yield Found(setting.flag_span, setting, facts, *under(setting.guard), related=related)


def _value(setting: Setting) -> str | None:
    value = setting.value
    if value is None:
        return setting.flag
    return value.text.text if isinstance(value, Known) else None


def stray(view: View) -> Iterator[Found]:
    """Words that no option takes."""
    told: set[Span] = {one.word.span for one in met(view.options, "invalid-type") if one.word.span is not None}
    strays = list(met(view.options, "positional"))
    if any(is_placeholder(one.problem.spelling) for one in strays):
        return  # the launch is not written out
    for one in strays:
        text, span = one.problem.spelling, one.word.span
        if of_switch(view, one) or is_fused(view, text) or span is None or span in told:
            continue
        if one.before is not None and one.before.prefix.startswith(tuple(_DASHES)):
            continue  # its value
        told.add(span)
        if len(told) > _MOST:
            return
        yield _stray(view, one, text)


def _stray(view: View, one: Met, text: str) -> Found:
    setting = setting_of(one.word, "", [], None)
    release, before = view.options.release, one.before
    facts: dict[str, object] = {"flag": None, "word": text, "kind": "plain"}
    words: list[str] = []
    if not text.strip():
        facts["kind"] = "blank"
    elif text[0] in _DASHES:
        words = ["--" + text.lstrip(_DASHES + "-")]
        facts["kind"] = "dash"
    elif one.at == 0 and one.word is view.options.launch.words[0] and _is_model(view, text):
        words = ["--model-path", text]
        facts["kind"] = "model"
    else:
        before_it = (one.held[at] for at in range(one.at - 1, -1, -1))
        flag = next((word for word in before_it if word.prefix.startswith("--")), None)
        option = release.options.get(flag.prefix.split("=", 1)[0]) if flag is not None else None
        if option is not None and before is not None and flag is not None:
            facts.update(kind="switch" if option.nargs == 0 else "more", option=flag.prefix.split("=", 1)[0])
    facts["words"] = " ".join(words)
    return Found(one.word.span, setting, facts, one.worlds, one.others, words)


def _is_model(view: View, text: str) -> bool:
    return _MODEL.fullmatch(text) is not None and not view.options.written("model_path")


def fused(view: View) -> Iterator[Found]:
    """Words that hold an option and its value, or several options."""
    options = view.options
    if options.parsed is None or options.parsed.foreign or options.release.entrypoint.foreign:
        return
    for word in options.launch.words:
        text = word.text
        if text is None or not is_fused(view, text) or spliced(word, options.release) or glued(word, options.release):
            continue
        parts = _split(text)
        inside = _within(word)
        # What a variable holds is one word for its quotes; an element of a list, or a line that is read, has none.
        quoted = not inside and word.span is not None and word.span.text.startswith(('"', "'"))
        facts = {"flag": parts[0] if parts else None, "word": text, "quoted": quoted}
        setting = setting_of(word, text, [], None)
        yield Found(word.span, setting, facts, *under(word.guard), words=parts if inside else ())


def _split(text: str) -> list[str]:
    import shlex

    try:
        return shlex.split(text)
    except ValueError:
        return []


def _within(word: Word) -> bool:
    from speclint.fix.origin import within

    return isinstance(word.value, Known) and word.span is not None and within(word.value.text, word.span)


def no_model(view: View) -> Iterator[Found]:
    """Launches that name no model."""
    options = view.options
    if options.open is not None or options.written("model_path"):
        return
    if options.parsed is None:
        keywords = options.launch.command.keywords or ()
        given = [keyword.name for keyword in keywords]
        wanted = options.launch.entrypoint in ("sglang.Engine", "sglang.ServerArgs")
        if wanted and given and "server_args" not in given:
            yield Found(None, None, {"keyword": True, "option": "model_path"})
        return
    if not options.launch.words or options.parsed.foreign or options.parsed.help or options.parsed.positionals:
        return
    for problem in options.parsed.problems:
        if problem.kind == "missing-required" and problem.option is not None and problem.option.dest == "model_path":
            yield Found(None, None, {"keyword": False, "option": problem.spelling})


def config_file(view: View) -> Iterator[Found]:
    """Configuration files that SGLang refuses, or never reads."""
    options = view.options
    release = options.release
    if options.parsed is None or release.entrypoint.foreign or "config" not in release.features:
        return  # a wrapper may have a file of its own
    for problem in options.parsed.problems:
        if problem.kind in ("config-repeated", "config-not-yaml") and problem.index is not None:
            word = options.words[problem.index]
            facts: dict[str, object] = {"flag": "--config", "kind": problem.kind, "value": problem.value}
            yield Found(word.span, setting_of(word, problem.spelling, [], None), facts, *under(word.guard))
    for setting in options.written("config"):
        if setting.inline or setting.flag != "--config":
            value = _value(setting)
            facts = {"flag": setting.flag, "kind": "unread", "inline": setting.inline, "value": value}
            words = ("--config", value) if value is not None else ()
            yield Found(setting.flag_span, setting, facts, *under(setting.guard), words=words)
