"""Methods of text."""

from __future__ import annotations

from speclint.hosts.bounds import TOO_MUCH
from speclint.hosts.python import calls, commands, containers, strings
from speclint.hosts.python.facts import number, plain
from speclint.hosts.python.values import Alt, Entry, Item, Map, Text, alt, known, unknown, value_of
from speclint.lean import pattern
from speclint.value import Joined, Known, Unknown, join

TYPE_CHECKING = False
if TYPE_CHECKING:
    import re
    from collections.abc import Sequence

    from speclint.hosts.python.calls import Arguments
    from speclint.hosts.python.machine import Machine
    from speclint.hosts.python.values import Obj
    from speclint.text import Span
    from speclint.value import Value

# A text with more to replace, or that would be longer, is no command.
_MAX_REPLACED = 1000
_MAX_TEXT = 1 << 17
_DOLLAR = pattern(r"\$(?:\$|(?P<name>[_a-zA-Z]\w*)|\{(?P<braced>[_a-zA-Z]\w*)\})")


def method(m: Machine, base: Text | Alt, name: str, given: Arguments) -> Obj | None:
    """What a method of text gives; None if it is not one that is known."""
    first = given.get(0)
    span = m.source.span(given.node)
    if name == "join" and first is not None:
        return commands.joined(base, m.items(first.obj, first.span))
    if name in ("encode", "decode", "as_posix", "resolve", "absolute", "expanduser"):
        return base
    if name == "split" and not given.positional and not given.keywords:
        return containers.new_seq(m, commands.pieces(base, span, False), given.node)
    if isinstance(base, Alt):
        arms = [method(m, arm, name, given) if isinstance(arm, (Text, Alt)) else None for arm in base.arms]
        if any(arm is not None for arm in arms):
            # What a method gives of what is not known is not known.
            pairs = zip(base.arms, arms, strict=True)
            arms = [_of_unknown(m, old, given) if arm is None else arm for old, arm in pairs]
        return None if None in arms else alt(base.choice, [arm for arm in arms if arm is not None])
    if base.kind != "str":
        return None
    if name in ("substitute", "safe_substitute"):
        return _substituted(m, base, given)
    if name in ("format", "format_map") and not given.open:
        return strings.formatted(base, [p.obj for p in given.positional], _names(m, name, given), span)
    if name in ("split", "rsplit", "splitlines"):
        return _split(m, base, name, given)
    return _simple(base, name, given)


def _of_unknown(m: Machine, obj: Obj, given: Arguments) -> Obj | None:
    unclear = isinstance(obj, Text) and isinstance(obj.value, Unknown)
    return unknown(f"`{m.source.snippet(given.node)}` is worked out when it runs") if unclear else None


def _names(m: Machine, name: str, given: Arguments) -> dict[str, Obj]:
    entries = given.keywords
    first = given.get(0)
    if name == "format_map" and first is not None and isinstance(first.obj, Map):
        entries = [e for e in m.state.items(first.obj) if isinstance(e, Entry)]
    return {calls.key_text(k) or "": k.obj for k in entries if not k.guard}


def _substituted(m: Machine, template: Text, given: Arguments) -> Obj | None:
    """``string.Template(template).substitute(…)``."""
    if not isinstance(template.value, Known) or given.open:
        return None
    first = given.get(0)
    entries = [*(m.state.items(first.obj) if first is not None and isinstance(first.obj, Map) else ()), *given.keywords]
    names = {calls.key_text(k): k.obj for k in entries if isinstance(k, Entry) and not k.guard}

    def field(found: re.Match[str]) -> Obj | None:
        name = found["name"] or found["braced"]
        return names.get(name) if name else known("$", m.source.span(given.node))

    return strings.filled(template.value.text, _DOLLAR, field)


def _split(m: Machine, base: Text, name: str, given: Arguments) -> Obj | None:
    """``text.split(separator, maxsplit)`` and ``text.splitlines()``."""
    separator = "\n" if name == "splitlines" else plain(given.positional[0].obj) if given.positional else None
    limit = given.get(1, "maxsplit")
    most = number(limit.obj) if limit is not None else -1
    if not separator or most is None or (name == "splitlines" and given.positional):
        return None
    span = m.source.span(given.node)
    if not isinstance(base.value, Known):
        words = commands.pieces(base, span, False)
        return containers.new_seq(m, words, given.node) if separator == " " and most < 0 else None
    text, at = base.value.text, 0
    if name == "rsplit" and most > 0:
        at = _after(text.text, separator, most)
        before = [_part(base.value, 0, at - len(separator), span)] if at else []
        return containers.new_seq(m, [*before, *_parts(base.value, separator, at, span)], given.node)
    parts: list[Item] = []
    while most < 0 or len(parts) < most:
        end = text.text.find(separator, at)
        if end < 0:
            break
        parts.append(_part(base.value, at, end, span))
        at = end + len(separator)
    if name != "splitlines" or at < len(text):
        parts.append(_part(base.value, at, len(text), span))
    return containers.new_seq(m, parts, given.node)


def _after(text: str, separator: str, most: int) -> int:
    """Where the last of the separators that ``rsplit`` leaves alone ends; 0 where it leaves none alone."""
    at = len(text)
    for _ in range(most):
        at = text.rfind(separator, 0, at)
        if at < 0:
            return 0
    return at + len(separator)


def _parts(value: Known, separator: str, at: int, span: Span) -> list[Item]:
    """What stands between the separators behind a place."""
    found: list[Item] = []
    for part in value.text.text[at:].split(separator):
        found.append(_part(value, at, at + len(part), span))
        at += len(part) + len(separator)
    return found


def _part(value: Known, start: int, end: int, span: Span) -> Item:
    text = value.text[start:end]
    return Item(Text(Known(text, value.steps), "str"), text.span() or span)


def _simple(base: Text, name: str, given: Arguments) -> Obj | None:
    """Methods that need only the text itself."""
    args = [plain(p.obj) for p in given.positional]
    if name == "replace" and len(args) == 2 and args[0] and not given.keywords and isinstance(base.value, Known):
        return _replaced(base, base.value, args[0], value_of(given.positional[1].obj))
    if None in args or given.keywords:
        return None
    plain_args = [a for a in args if a is not None]
    if name in ("strip", "lstrip", "rstrip"):
        return _stripped(base.value, name, plain_args)
    if not isinstance(base.value, Known):
        return None
    text = base.value.text
    if name in ("removeprefix", "removesuffix") and len(plain_args) == 1:
        return _cut(base, base.value, name, plain_args[0])
    if name in ("lower", "upper", "replace", "title"):
        try:
            result = getattr(text.text, name)(*plain_args)
        except TypeError:
            return None
        return base if result == text.text else known(result, text.span())
    if name in ("startswith", "endswith") and plain_args:
        return known(str(getattr(text.text, name)(plain_args[0])), text.span(), "bool")
    return None


def _cut(base: Text, value: Known, name: str, part: str) -> Text:
    """Text without what it begins or ends with; what is left stands where it stood."""
    text = value.text
    if name == "removeprefix":
        return Text(Known(text[len(part) :], value.steps), "str") if text.text.startswith(part) else base
    return Text(Known(text[: len(text) - len(part)], value.steps), "str") if text.text.endswith(part) else base


def _replaced(base: Text, value: Known, old: str, new: Value) -> Obj:
    """Text with other text in the place of some; what is left stands where it stood."""
    text, at = value.text, 0
    parts: list[Value] = []
    end = text.text.find(old)
    if end < 0:
        return base
    count = text.text.count(old)
    if count > _MAX_REPLACED or len(text) + count * (len(new.text) if isinstance(new, Known) else 1) > _MAX_TEXT:
        return unknown(TOO_MUCH)  # what is replaced by more of itself doubles with each line
    while end >= 0:
        parts += [Known(text[at:end], value.steps), new]
        at = end + len(old)
        end = text.text.find(old, at)
    return Text(join([*parts, Known(text[at:], value.steps)]), "str")


def _stripped(value: Value, name: str, args: Sequence[str]) -> Obj | None:
    """Text without what its ends are to be freed of; what is not known of it is left as it is."""
    parts = list(value.parts) if isinstance(value, Joined) else [value]
    if not any(isinstance(part, Known) for part in parts):
        return None
    first, last = parts[0], parts[-1]
    if name != "rstrip" and isinstance(first, Known):
        text = first.text
        parts[0] = Known(text[len(text) - len(text.text.lstrip(*args)) :], first.steps)
        last = parts[-1]
    if name != "lstrip" and isinstance(last, Known):
        parts[-1] = Known(last.text[: len(last.text.text.rstrip(*args))], last.steps)
    return Text(join(parts), "str")
