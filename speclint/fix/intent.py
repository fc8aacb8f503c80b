"""From what should change in a launch to the text edits that change it.

Each function gives the fixes that can be made, the best first, and nothing where none can. A fix is "safe" where the
characters that it changes are read by this launch alone, "unsafe" where others may read them (a definition used
elsewhere, a default that a caller may override), "display" where it shows what to do but must not be done blindly.
"""

from __future__ import annotations

from itertools import takewhile

from speclint.finding import APPLICABILITIES, Edit, Fix
from speclint.fix import origin
from speclint.fix.layout import Layout, apart, language, of_keyword
from speclint.fix.quote import python_value, safe
from speclint.value import Joined, Known, OneOf, Unknown
from speclint.worlds import choices, resolve

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from speclint.launch import Launch
    from speclint.sglang.options import Options
    from speclint.sglang.setting import Setting
    from speclint.text import Span
    from speclint.value import Choice, Value
    from speclint.words import Keyword, Word

Fixes = tuple[Fix, ...]


def set_value(setting: Setting, text: str, message: str, certain: bool = True) -> Fixes:
    """Give an option the value ``text``.

    ``certain``: the finding holds in every world in which this value is in force; False where in some of them only.
    """
    value = setting.value
    if value is None or not text:
        return ()
    written = [word.value for word in setting.words] if setting.keyword is None else [setting.keyword.value]
    cap = _cap([*(choice for choice, _ in setting.guard), *(c for v in written for c in choices(v))], certain)
    if isinstance(value, OneOf):
        return _one_of(setting, value, text, message, cap)
    if not isinstance(value, Known):
        return ()
    if setting.keyword is not None:
        return _keyword(setting.keyword, value, text, message, cap)
    if len(setting.values) > 1:
        return _values(setting, text, message, cap)
    return _word(setting, value, text, message, cap)


def rename_option(setting: Setting, new: str, message: str) -> Fixes:
    """Give an option another name; ``new`` is the option string, also for a keyword."""
    if setting.keyword is not None:
        name = keyword_name(new)
        # Keys of a mapping are written either way.
        name = name.replace("_", "-") if "-" in setting.keyword.name_span.text else name
        return _fix("safe", message, Edit(setting.keyword.name_span, name))
    word, known = _flag(setting)
    if word is None or known is None or not safe(new):
        return ()
    span = origin.literal(known.text[: len(setting.flag)])
    if span is not None:
        return _fix(origin.grade(known, word.span), message, Edit(span, new))
    if setting.inline or word.span is None or not origin.spelled(known.text, word.span):
        return ()
    return _fix(origin.grade(known, word.span), message, _layout([word.span]).replace([new]))


def remove_option(setting: Setting, message: str, certain: bool = True) -> Fixes:
    """Take an option and its value out."""
    layout = _whole(setting)
    return _fix(_reach(setting, certain), message, layout.remove()) if layout else ()


def replace_option(setting: Setting, words: Sequence[str], message: str, certain: bool = True) -> Fixes:
    """Put other words in the place of an option and its value."""
    layout = _whole(setting)
    if layout is None or not words or (setting.keyword is not None and len(words) > 2):
        return ()
    written = _as_written(layout, words[0], words[1:], setting.inline)
    return _fix(_reach(setting, certain), message, layout.replace(written))


def add_option(options: Options, flag: str, value: str | None, message: str) -> Fixes:
    """Add an option to a launch, beside the one whose name is most like it."""
    anchor, launch = _anchor(options, flag), options.launch
    keywords = launch.command.keywords is not None
    if anchor is not None:
        layout = _whole(anchor)
    elif keywords:
        return ()
    else:
        entry = launch.command.words[: len(launch.command.words) - len(launch.words)]
        if not entry:  # options for a program that is named elsewhere
            return ()
        layout = _layout([entry[-1].span or launch.head], launch.command.host)
    if layout is None:
        return ()
    if keywords:
        flag = next((option.dest for option in options.release.unique() if flag in option.strings), flag)
    words = _as_written(layout, flag, [] if value is None else [value], anchor is not None and anchor.inline)
    return settle(_fix(_reach(anchor, True) if anchor else "safe", message, layout.insert(words)), launch)


def split_word(word: Word, words: Sequence[str], message: str, host: str | None = None) -> Fixes:
    """Write ``words`` where one word stands: two options in one item of a list, a value that needs quotes."""
    if word.span is None:
        return ()
    value = word.value
    written = isinstance(value, Known) and origin.within(value.text, word.span)
    applicability = origin.grade(value, word.span) if written and isinstance(value, Known) else "safe"
    return _fix(applicability, message, _layout([word.span], host).replace(words))


def settle(fixes: Iterable[Fix], launch: Launch) -> Fixes:
    """The fixes, display only where they must not be made: in a template, another encoding, another file."""
    free = launch.command.fixable and launch.file.clean
    return tuple(
        fix if free and all(e.span.file is launch.file for e in fix.edits) else Fix("display", fix.message, fix.edits)
        for fix in fixes
    )


def keyword_name(option: str) -> str:
    """The keyword of ``sglang.Engine`` that an option string is."""
    return option.lstrip("-").replace("-", "_")


# -- values


def _word(setting: Setting, value: Known, text: str, message: str, cap: str) -> Fixes:
    word = setting.words[-1] if setting.words else None
    place = word.span if word is not None else setting.value_span
    applicability = _least(origin.grade(value, place), cap)
    edit = _edit(value, text) if safe(text) else None
    if edit is None and place is not None and origin.within(value.text, place):
        written = [f"{setting.flag}={text}"] if setting.inline else [text]
        edit = _layout([place]).replace(written)
    edit = edit or _edit(value, text)
    fixes = _fix(applicability, message, edit)
    if fixes and applicability == "safe":
        return fixes
    return (*fixes, *_at_use(setting, place, value, text, message))


def _edit(value: Known, text: str, alone: bool = False) -> Edit | None:
    """The edit of the characters of a value where they stand; ``alone``: no other text is made of them."""
    span = origin.literal(value.text) or origin.cover(value.text)
    if span is None or not span.file.clean:
        return None
    constant = origin.bare_constant(span)
    if safe(text) and not constant and span.file.text[span.start - 1 : span.start].isspace():
        return Edit(span, text + apart(span.file.text, span.end, text))
    if safe(text) or (constant and alone):
        return Edit(span, python_value(text) if constant else text)
    from speclint.fix import proof

    forms = (python_value(text),) if constant else (text, *proof.forms(text, origin.language_of(span)))
    content = proof.value_read_back(span.file, span.start, span.end, forms, value.text.text, text)
    return None if content is None else Edit(span, content)


def _at_use(setting: Setting, place: Span | None, value: Known, text: str, message: str) -> Fixes:
    """What could be written in the launch in place of a name; whoever reads it decides."""
    if place is None or setting.inline or origin.within(value.text, place) or len(setting.words) < 2:
        return ()
    return _fix("display", message, _layout([place]).replace([text]))


def _values(setting: Setting, text: str, message: str, cap: str) -> Fixes:
    """Several values of one option: all of them are written anew."""
    spans = [word.span for word in setting.words[1:] if word.span is not None]
    known = [value for value in setting.values if isinstance(value, Known)]
    if len(spans) != len(setting.values) or len(known) != len(spans):
        return ()
    if not all(origin.within(value.text, span) for value, span in zip(known, spans, strict=True)):
        return ()
    grade = _least(*(origin.grade(value, span) for value, span in zip(known, spans, strict=True)), cap)
    return _fix(grade, message, _layout(spans).replace(text.split()))


def _keyword(keyword: Keyword, value: Known, text: str, message: str, cap: str) -> Fixes:
    applicability = _least(origin.grade(value, keyword.span), cap)
    edit = None if keyword.literal == "none" else _edit(value, text, alone=True)
    written = not value.text.text or origin.within(value.text, keyword.span)
    if edit is None and keyword.literal is not None and written:
        edit = Edit(keyword.span, python_value(text, keyword.span.text))
    fixes = _fix(applicability, message, edit)
    if (fixes and applicability == "safe") or origin.within(value.text, keyword.span):
        return fixes
    return (*fixes, *_fix("display", message, Edit(keyword.span, python_value(text))))


def _one_of(setting: Setting, value: OneOf, text: str, message: str, cap: str) -> Fixes:
    """A default: its literal. Branches: the literals of all that have another value. Both may be right as they are."""
    points = choices(value)
    if all(point.kind == "default" for point in points):
        found = resolve(value, dict.fromkeys(points, 0))
        return set_value(_with(setting, found), text, message, False) if isinstance(found, Known) else ()
    if any(point.kind != "branch" for point in points) or not all(isinstance(arm, Known) for arm in value.arms):
        return ()
    parts = [
        set_value(_with(setting, arm), text, message, False)
        for arm in value.arms
        if isinstance(arm, Known) and arm.text.text != text
    ]
    if not parts or not all(parts):
        return ()
    grade = _least(*(part[0].applicability for part in parts), cap)
    return _fix(grade, message, *(edit for part in parts for edit in part[0].edits))


def _with(setting: Setting, value: Value) -> Setting:
    from speclint.sglang.setting import Setting

    return Setting(
        setting.dest, setting.flag, setting.flag_span, setting.option, (value,), setting.value_span, setting.guard,
        setting.inline, setting.foreign, setting.words, setting.keyword,
    )  # fmt: skip


# -- where and how far


def _fix(applicability: str, message: str, *edits: Edit | None) -> Fixes:
    found = {edit.key(): edit for edit in edits if edit is not None}
    if not edits or len(found) < len({None if e is None else e.key() for e in edits}):
        return ()
    clean = all(edit.span.file.clean for edit in found.values())
    return (Fix(applicability if clean else "display", message, found.values()),)


def _least(*applicabilities: str) -> str:
    return min(applicabilities, key=APPLICABILITIES.index)


def _cap(points: Iterable[Choice], certain: bool) -> str:
    """What hangs on a choice may be right as it is: the conditions of branches are not all understood."""
    kinds = {point.kind for point in points}
    return "display" if "loop" in kinds else "unsafe" if kinds or not certain else "safe"


def _reach(setting: Setting, certain: bool) -> str:
    """How far an edit of the whole option reaches: as far as its flag is read, if that is written elsewhere."""
    cap = _cap((choice for choice, _ in setting.guard), certain)
    word, known = _flag(setting)
    if word is None or known is None or word.span is None:
        return cap
    return _least(origin.grade(known, word.span), cap) if origin.within(known.text, word.span) else cap


def _flag(setting: Setting) -> tuple[Word | None, Known | None]:
    """The word of the flag and the part of it that is the flag."""
    word = setting.words[0] if setting.words else None
    if word is None or not word.prefix.startswith(setting.flag):
        return None, None
    value = word.value
    first = value.parts[0] if isinstance(value, Joined) else value
    if isinstance(first, Known):
        return word, first
    if isinstance(first, Unknown) and first.prefix is not None:
        return word, Known(first.prefix, first.steps)
    return word, None


def _whole(setting: Setting) -> Layout | None:
    """The layout of an option with its values."""
    if setting.keyword is not None:
        return of_keyword(setting.keyword)
    spans = [word.span for word in setting.words if word.span is not None]
    if not spans or len(spans) < len(setting.words) or any(span.file is not spans[0].file for span in spans):
        return None
    return _layout(spans)


def _layout(spans: Sequence[Span], host: str | None = None) -> Layout:
    return Layout(spans, language(host) if host is not None else origin.language_of(spans[0]))


def _as_written(layout: Layout, flag: str, values: Sequence[str], inline: bool) -> list[str]:
    """An option as its neighbours are written."""
    if layout.keyword is not None:
        return [layout.pair(keyword_name(flag), python_value(values[0]) if values else "True")]
    return [f"{flag}={values[0]}"] if inline and len(values) == 1 else [flag, *values]


def _anchor(options: Options, flag: str) -> Setting | None:
    """The option after which another one is best put: one of every world, of a like name, the last of those."""
    found: Setting | None = None
    best = -1
    for setting in options.settings:
        if setting.guard or setting.flag_span is None or _whole(setting) is None:
            continue
        alike = _common(setting.flag.replace("_", "-").strip("-"), flag.replace("_", "-").strip("-"))
        if alike >= best:
            found, best = setting, alike
    return found


def _common(a: str, b: str) -> int:
    """How many words two names begin with in common."""
    pairs = zip(a.split("-"), b.split("-"), strict=False)
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))
