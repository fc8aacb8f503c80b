"""Another value for an option: where its characters stand, and how they are written there."""

from __future__ import annotations

from speclint.finding import Edit
from speclint.fix import origin
from speclint.fix.entry import value_of
from speclint.fix.grading import cap, least, made
from speclint.fix.layout import apart
from speclint.fix.place import layout_of
from speclint.fix.quote import python_value, safe
from speclint.value import Known, OneOf
from speclint.worlds import choices, resolve

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from speclint.fix.grading import Fixes
    from speclint.sglang.setting import Setting
    from speclint.text import Span
    from speclint.value import Value
    from speclint.words import Keyword


def set_value(setting: Setting, text: str, message: str, certain: bool = True) -> Fixes:
    """Give an option the value ``text``.

    ``certain``: the finding holds in every world in which this value is in force; False where in some of them only.
    """
    value = setting.value
    if value is None or not text:
        return ()
    written = [word.value for word in setting.words] if setting.keyword is None else [setting.keyword.value]
    limit = cap([*(choice for choice, _ in setting.guard), *(c for v in written for c in choices(v))], certain)
    if isinstance(value, OneOf):
        return _one_of(setting, value, text, message, limit)
    if not isinstance(value, Known):
        return ()
    if setting.keyword is not None:
        return _keyword(setting.keyword, value, text, message, limit)
    if len(setting.values) > 1:
        return _values(setting, text, message, limit)
    return _word(setting, value, text, message, limit)


def _word(setting: Setting, value: Known, text: str, message: str, limit: str) -> Fixes:
    word = setting.words[-1] if setting.words else None
    place = word.span if word is not None else setting.value_span
    applicability = least(origin.grade(value, place), limit)
    edits = _edit(value, text) if safe(text) else ()
    if not edits and place is not None and origin.within(value.text, place):
        written = [f"{setting.flag}={text}"] if setting.inline else [text]
        edits = layout_of([place]).replace(written)
    fixes = made(applicability, message, *(edits or _edit(value, text)))
    if fixes and applicability == "safe":
        return fixes
    return (*fixes, *_at_use(setting, place, value, text, message))


def _edit(value: Known, text: str, alone: bool = False) -> tuple[Edit, ...]:
    """The edit of the characters of a value where they stand; ``alone``: no other text is made of them."""
    found = origin.literal(value.text) or origin.cover(value.text)
    if found is None or not found.file.clean:
        return ()
    span, frame = origin.framed(found)
    constant = origin.bare_constant(span)
    forms: Iterable[str]
    if safe(text) and not constant and span.file.text[span.start - 1 : span.start].isspace():
        forms = (text + apart(span.file.text, span.end, text),)
    elif safe(text) or (constant and alone):
        forms = (value_of(text, "python") if constant else text,)
    else:
        from speclint.fix import proof

        forms = (python_value(text),) if constant else (text, *proof.forms(text, origin.language_of(span)))
        every = (Edit(span, form) for form in forms)
        placed = (edit if frame is None else frame.out(edit) for edit in every)
        proven = proof.value_read_back((e for e in placed if e is not None), value.text.text, text)
        return () if proven is None else (proven,)
    edit = Edit(span, next(iter(forms)))
    edit_in_file = edit if frame is None else frame.out(edit)
    return () if edit_in_file is None else (edit_in_file,)


def _at_use(setting: Setting, place: Span | None, value: Known, text: str, message: str) -> Fixes:
    """What could be written in the launch in place of a name; whoever reads it decides."""
    if place is None or setting.inline or origin.within(value.text, place) or len(setting.words) < 2:
        return ()
    return made("display", message, *layout_of([place]).replace([text]))


def _values(setting: Setting, text: str, message: str, limit: str) -> Fixes:
    """Several values of one option: all of them are written anew."""
    spans = [word.span for word in setting.words[1:] if word.span is not None]
    known = [value for value in setting.values if isinstance(value, Known)]
    if len(spans) != len(setting.values) or len(known) != len(spans):
        return ()
    if not all(origin.within(value.text, span) for value, span in zip(known, spans, strict=True)):
        return ()
    grade = least(*(origin.grade(value, span) for value, span in zip(known, spans, strict=True)), limit)
    return made(grade, message, *layout_of(spans).replace(text.split()))


def _keyword(keyword: Keyword, value: Known, text: str, message: str, limit: str) -> Fixes:
    applicability = least(origin.grade(value, keyword.span), limit)
    edits = () if keyword.literal == "none" else _edit(value, text, alone=True)
    written = not value.text.text or origin.within(value.text, keyword.span)
    if not edits and keyword.literal is not None and written:
        edits = _rewritten(keyword, text)
    fixes = made(applicability, message, *edits)
    if (fixes and applicability == "safe") or origin.within(value.text, keyword.span):
        return fixes
    return (*fixes, *made("display", message, *_rewritten(keyword, text)))


def _rewritten(keyword: Keyword, text: str) -> tuple[Edit, ...]:
    """The edit that writes the value of a keyword anew, as its language has it."""
    span, frame = origin.framed(keyword.span)
    language = origin.language_of(span)
    edit = Edit(span, python_value(text, span.text) if language == "python" else value_of(text, language))
    placed = edit if frame is None else frame.out(edit)
    return () if placed is None else (placed,)


def _one_of(setting: Setting, value: OneOf, text: str, message: str, limit: str) -> Fixes:
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
    grade = least(*(part[0].applicability for part in parts), limit)
    return made(grade, message, *(edit for part in parts for edit in part[0].edits))


def _with(setting: Setting, value: Value) -> Setting:
    from speclint.sglang.setting import Setting

    return Setting(
        setting.dest, setting.flag, setting.flag_span, setting.option, (value,), setting.value_span, setting.guard,
        setting.inline, setting.foreign, setting.words, setting.keyword,
    )  # fmt: skip
