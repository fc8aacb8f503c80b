"""Values that should be JSON and are not."""

from __future__ import annotations

from speclint.rules.checks import json_text
from speclint.rules.checks.placeholder import is_placeholder
from speclint.rules.checks.values import JSON, of_value, refused
from speclint.rules.checks.words import is_garbled
from speclint.rules.found import Found, under
from speclint.sglang.wording import setting_of
from speclint.value import Known

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from speclint.sglang.catalog import Option
    from speclint.sglang.resolve import View
    from speclint.sglang.setting import Setting
    from speclint.words import Word

# What the parser takes as text and something else then reads as JSON (0.5.23: srt/configs/model_config.py:612,
# srt/configs/load_config.py:137, srt/disaggregation/kv_events.py:732,
# srt/mem_cache/hybrid_cache/hybrid_cache_controller.py:400, srt/mem_cache/sparsity/factory.py:73; 0.5.6:
# srt/managers/tokenizer_manager.py:188), with the option without which nothing reads it.
_LATE = {
    "json_model_override_args": None,
    "model_loader_extra_config": None,
    "kv_events_config": None,
    "preferred_sampling_params": None,
    "hicache_storage_backend_extra_config": "hicache_storage_backend",
    "hisparse_config": "enable_hisparse",
}


def bad(view: View) -> Iterator[Found]:
    """Values that should be JSON and are not."""
    for one, option, value in refused(view, "invalid-type"):
        if option.type not in JSON and option.action != "lora_paths":
            continue
        found = of_value(one, _facts(value, one.word))
        if found.facts["fix"] == "quote":
            _quote(found, one.word, one.problem.spelling, option)
        yield found
    yield from _late(view)
    yield from _bare(view)


def _facts(value: str, word: Word) -> dict[str, object]:
    """What is wrong with a value, and how it is mended: by quotes around what is written, or by writing it anew."""
    written = word.span.text if word.span is not None else ""
    facts: dict[str, object] = {"value": value, "reason": json_text.reason(value), "braces": False, "fix": None}
    if written != value and json_text.is_json(written):
        facts.update(braces=True, fix="quote")
    elif (new := json_text.from_python(value)) is not None:
        facts.update(fix="set", new=new)
    return facts


def _quote(found: Found, word: Word, flag: str, option: Option | None) -> None:
    """Have the word alone written anew, not the option."""
    found.facts["flag"] = flag
    found.setting = setting_of(word, flag, [], option)
    found.words = (word.span.text,) if word.span is not None else ()


def _bare(view: View) -> Iterator[Found]:
    """JSON that stands in a script without quotes and has commas: the shell makes several words of it."""
    for setting in view.options.settings:
        option = setting.option
        if option is None or len(setting.words) != 2 or not (option.type in JSON or setting.dest in _LATE):
            continue
        word = setting.words[1]
        if word.text is None and word.span is not None and json_text.is_json(word.span.text):
            written = word.span.text
            facts = {"flag": setting.flag, "value": written, "braces": True, "fix": "quote"}
            alone = setting_of(word, setting.flag, [], option)
            yield Found(word.span, alone, facts, *under(setting.guard), words=(written,))


def _late(view: View) -> Iterator[Found]:
    """Values that the parser takes as text."""
    for setting in (one for dest in _LATE for one in view.options.written(dest)):
        value = setting.value
        if setting.keyword is not None or not isinstance(value, Known) or is_placeholder(value.text.text):
            continue
        if setting.option is not None and setting.option.type in JSON:
            continue  # in this release the parser reads it
        if is_garbled(view.options, setting.words[-1]) or not _is_read(view, setting, value.text.text):
            continue
        text = value.text.text
        if json_text.reads(text):
            continue
        word = setting.words[-1]
        found = Found(setting.value_span, setting, {"flag": setting.flag, **_facts(text, word)}, *under(setting.guard))
        if found.facts["fix"] == "quote":
            _quote(found, word, setting.flag, setting.option)
        yield found


def _is_read(view: View, setting: Setting, text: str) -> bool:
    """Whether something reads the value as JSON."""
    if setting.dest == "json_model_override_args":
        return True
    needs = _LATE[setting.dest]
    if not text or needs is None:
        return bool(text)
    given = view.value(needs)
    return (isinstance(given, str) and not text.startswith("@")) or given is True
