"""From what should change in a launch to the text edits that change it.

Each function gives the fixes that can be made, the best first, and nothing where none can. A fix is "safe" where the
characters that it changes are read by this launch alone, "unsafe" where others may read them (a definition used
elsewhere, a default that a caller may override), "display" where it shows what to do but must not be done blindly.
"""

from __future__ import annotations

from itertools import takewhile

from speclint.finding import Edit, Fix
from speclint.fix import origin
from speclint.fix.grading import cap, least, made
from speclint.fix.place import as_written, entry_at, flag_of, keyword_name, layout_of, whole
from speclint.fix.quote import safe
from speclint.fix.values import set_value
from speclint.lean import re
from speclint.value import Known

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from speclint.fix.entry import Entry
    from speclint.fix.grading import Fixes
    from speclint.fix.layout import Layout
    from speclint.launch import Launch
    from speclint.sglang.options import Options
    from speclint.sglang.setting import Setting
    from speclint.words import Keyword, Word

__all__ = (
    "add_option", "remove_option", "rename_option", "replace_option", "set_value", "settle", "split_word",
)  # fmt: skip


def rename_option(setting: Setting, new: str, message: str) -> Fixes:
    """Give an option another name; ``new`` is the option string, also for a keyword."""
    if setting.keyword is not None:
        return _rename_keyword(setting.keyword, new, message)
    word, known = flag_of(setting)
    if word is None or known is None or not safe(new):
        return ()
    span = origin.literal(known.text[: len(setting.flag)])
    if span is not None:
        return made(origin.grade(known, word.span), message, Edit(span, new))
    if setting.inline or word.span is None or not origin.spelled(known.text, word.span):
        return ()
    return made(origin.grade(known, word.span), message, *layout_of([word.span]).replace([new]))


def _rename_keyword(keyword: Keyword, new: str, message: str) -> Fixes:
    """The name is written anew where it is written as a name: an argument without one has none to be changed."""
    entry, frame = entry_at(keyword)
    if entry is None:
        return ()
    # Keys of a mapping are written either way.
    name = keyword_name(new).replace("_", "-") if "-" in entry.name.text.strip("-") else keyword_name(new)
    edit = Edit(entry.name, name)
    return made(_asked_for(entry), message, frame.out(edit) if frame is not None else edit)


def remove_option(setting: Setting, message: str, certain: bool = True) -> Fixes:
    """Take an option and its value out."""
    layout = whole(setting)
    return made(_reach(setting, certain), message, *layout.remove()) if layout else ()


def replace_option(setting: Setting, words: Sequence[str], message: str, certain: bool = True) -> Fixes:
    """Put other words in the place of an option and its value."""
    layout = whole(setting)
    if layout is None or not words or (setting.keyword is not None and len(words) > 2):
        return ()
    written = as_written(layout, words[0], words[1:], setting.inline)
    return made(_reach(setting, certain), message, *layout.replace(written))


def add_option(options: Options, flag: str, value: str | None, message: str) -> Fixes:
    """Add an option to a launch, beside the one whose name is most like it."""
    anchor, layout = _anchor(options, flag)
    launch = options.launch
    keywords = launch.command.keywords is not None
    if anchor is None:
        if keywords:
            return ()
        entry = launch.command.words[: len(launch.command.words) - len(launch.words)]
        if not entry:  # options for a program that is named elsewhere
            return ()
        layout = layout_of([entry[-1].span or launch.head], launch.command.host)
    if layout is None:
        return ()
    if keywords:
        flag = next((option.dest for option in options.release.unique() if flag in option.strings), flag)
    words = as_written(layout, flag, [] if value is None else [value], anchor is not None and anchor.inline)
    return settle(made(_reach(anchor, True) if anchor else "safe", message, *layout.insert(words)), launch)


def split_word(word: Word, words: Sequence[str], message: str, host: str | None = None) -> Fixes:
    """Write ``words`` where one word stands: two options in one item of a list, a value that needs quotes."""
    if word.span is None:
        return ()
    value = word.value
    written = isinstance(value, Known) and origin.within(value.text, word.span)
    applicability = origin.grade(value, word.span) if written and isinstance(value, Known) else "safe"
    return made(applicability, message, *layout_of([word.span], host).replace(words))


def settle(fixes: Iterable[Fix], launch: Launch) -> Fixes:
    """The fixes, display only where they must not be made: in a template, another encoding, another file."""
    free = launch.command.fixable and launch.file.clean
    return tuple(
        fix if free and all(e.span.file is launch.file for e in fix.edits) else Fix("display", fix.message, fix.edits)
        for fix in fixes
    )


# -- where and how far


def _reach(setting: Setting, certain: bool) -> str:
    """How far an edit of the whole option reaches: as far as its flag is read, if that is written elsewhere."""
    limit = cap((choice for choice, _ in setting.guard), certain)
    if setting.keyword is not None:
        entry, _ = entry_at(setting.keyword)
        return limit if entry is None else least(limit, _asked_for(entry))
    word, known = flag_of(setting)
    if word is None or known is None or word.span is None:
        return limit
    return least(origin.grade(known, word.span), limit) if origin.within(known.text, word.span) else limit


def _asked_for(entry: Entry) -> str:
    """How sure an edit of a key is: a dictionary may be asked for it elsewhere."""
    if not entry.lead.endswith(("'", '"')) or entry.language != "python":
        return "safe"
    name = re.escape(entry.name.text)
    asked = rf"\[\s*[\"']{name}[\"']\s*\](?!\s*=[^=])|\.(?:get|pop)\(\s*[\"']{name}[\"']"
    return "unsafe" if re.search(asked, entry.name.file.text) else "safe"


def _anchor(options: Options, flag: str) -> tuple[Setting | None, Layout | None]:
    """The option after which another one is best put: one of every world, of a like name, the last of those."""
    name = flag.replace("_", "-").strip("-")
    found = [setting for setting in options.settings if not setting.guard and setting.flag_span is not None]
    found.reverse()
    found.sort(key=lambda setting: -_common(setting.flag.replace("_", "-").strip("-"), name))
    for setting in found:
        layout = whole(setting)
        if layout is not None:
            return setting, layout
    return None, None


def _common(a: str, b: str) -> int:
    """How many words two names begin with in common."""
    pairs = zip(a.split("-"), b.split("-"), strict=False)
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))
