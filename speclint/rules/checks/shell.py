"""What a shell, or the lack of one, takes from a launch."""

from __future__ import annotations

from speclint.finding import Edit
from speclint.lean import pattern
from speclint.rules.checks import garbled
from speclint.rules.found import Found, under
from speclint.sglang.wording import setting_of
from speclint.text import Span
from speclint.value import Known, Unknown
from speclint.words import Word

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from speclint.hosts.shell.lost import Lost
    from speclint.sglang.resolve import View
    from speclint.text import Mapped

_VARIABLE = pattern(r"\$(?:([A-Za-z_]\w*)|\{([A-Za-z_]\w*)\})")
_PLAIN = pattern(r"[\w\s./:=,@%+-]*")
_QUOTED = pattern(r"\"\$(?:\w+|\{\w+\})\"")
_NAME_END = pattern(r"[=\s]")
_CR = pattern(r"\\\r\n")
_MOST = 6


def escaped_blank(view: View) -> Iterator[Found]:
    """Backslashes that a blank follows: it becomes a word, and the line ends."""
    launch = view.options.launch
    for word in launch.words:
        span = garbled.escaped_blank(word)
        if span is None or not isinstance(word.value, Known):
            continue
        source = span.file.text
        end = source.find("\n", span.end)
        rest = source[span.end : end if end >= 0 else len(source)].strip()
        loss = _lost(view)
        ends = not rest or rest.startswith("#")
        facts = {
            "ends": ends,
            "comment": ends and bool(rest),
            "word": not word.value.text.text.strip(),
            "lost": loss is not None and loss.breaks[0].kind == "blank",
        }
        edits = _mended(view, loss) if loss is not None and facts["lost"] else _unescaped(span, rest)
        yield Found(span, None, facts, *under(word.guard), edits=edits)


def _unescaped(span: Span, rest: str) -> tuple[Edit, ...]:
    """A backslash at the end of its line, where the next one goes on; else neither it nor the blanks behind it."""
    source = span.file.text
    following = source[source.find("\n", span.end) + 1 :].lstrip(" \t") if not rest else ""
    start = span.start + (1 if following[:1] in ("-", '"', "'", "$", ">", "2", "|", "&") and following else 0)
    if start == span.start and not rest:
        start -= len(source[:start]) - len(source[:start].rstrip(" \t"))
    return (Edit(Span(span.file, start, span.end), " " if rest and start == span.start else ""),)


def lost_options(view: View) -> Iterator[Found]:
    """Options that are behind the end of the command."""
    loss = _lost(view)
    within = view.options.launch.command.within
    if loss is None or within is None:
        return
    text = within[0]
    first = loss.breaks[0]
    names = list(dict.fromkeys(name for name, _ in loss.options))
    name, at = loss.options[0]
    place = text.place(at, at + len(name))
    related: list[tuple[str, Span]] = []
    span = place
    if first.kind in ("line", "comment"):
        span = text.place(first.start, first.end)
        if place is not None:
            related.append((f"`{name}` is no longer part of it", place))
    option = view.options.release.options
    model = any(name in option and option[name].dest == "model_path" for name in names)
    facts = {
        "kind": first.kind,
        "options": ", ".join(f"`{name}`" for name in names[:_MOST]) + (" …" if len(names) > _MOST else ""),
        "first": name,
        "model": model and not view.options.written("model_path"),
    }
    yield Found(span, None, facts, related=related, edits=_mended(view, loss))


def _lost(view: View) -> Lost | None:
    from speclint.sglang import lost

    return lost.of(view.options.launch, view.options.release)


def _mended(view: View, loss: Lost) -> tuple[Edit, ...]:
    from speclint.fix.continuation import joined

    within = view.options.launch.command.within
    return joined(within[0], within[1], loss.breaks) if within is not None else ()


def carriage_return(view: View) -> Iterator[Found]:
    """Line ends of Windows in a shell script: a backslash before one continues nothing."""
    command = view.options.launch.command
    if command.within is None or command.host != "shell":
        return
    text, start, end = command.within
    first = _CR.search(text.text, start, end)
    if first is None:
        return
    span = text.exact(first.start(), first.start() + 2)
    if span is None:
        return
    edits = _without_returns(text, start, end)
    whole = text.text.count("\r\n") > text.text.count("\n") // 2
    yield Found(Span(span.file, span.start, span.start + 1), None, {"whole": whole}, edits=edits)


def _without_returns(text: Mapped, start: int, end: int) -> tuple[Edit, ...]:
    stop = text.text.find("\n", end)
    places = [at for at in range(start, stop if stop >= 0 else len(text.text)) if text.text[at] == "\r"]
    spans = [text.exact(at, at + 1) for at in places]
    return tuple(Edit(span, "") for span in spans if span is not None) if all(spans) else ()


def glued(view: View) -> Iterator[Found]:
    """Options that are written onto the word before them."""
    words, release = view.options.launch.words, view.options.release
    for index, word in enumerate(words):
        at = garbled.glued(word, release)
        if at is None or not isinstance(word.value, Known) or word.span is None:
            continue
        text = word.value.text
        name = _NAME_END.split(text.text[at:], 1)[0]
        after = words[index + 1].text if index + 1 < len(words) else None
        head = text.text.startswith("--")
        facts = {
            "name": name,
            "before": text.text[:at].split()[-1],
            "refused": head or (after is not None and not after.startswith("-")),
        }
        point = text.exact(at, at + 1)
        inside = view.options.launch.command.host != "python" and _is_one(text, at)
        parts = f"{text.text[:at]} {text.text[at:]}".split() if inside else []
        edits = (Edit(Span(point.file, point.start, point.start), " "),) if point is not None and not inside else ()
        setting = setting_of(word, text.text, [], None)
        span = text.place(at, at + len(name)) or word.span
        yield Found(span, setting, facts, *under(word.guard), words=parts, edits=edits)


def _is_one(text: Mapped, at: int) -> bool:
    """Whether the characters before and behind an offset stand in one word of the file."""
    left, right = text.exact(at - 1, at), text.exact(at, at + 1)
    if left is None or right is None or left.file is not right.file or left.end > right.start:
        return False
    return not left.file.text[left.end : right.start].strip("\"'")


def braces(view: View) -> Iterator[Found]:
    """JSON that a shell reads without quotes around it."""
    words = view.options.launch.words
    for one in garbled.braces(words):
        before = words[one.first - 1].text if one.first else None
        flag = one.option.rstrip("=") or (before if before is not None and before.startswith("--") else "")
        whole = Word(Unknown("it is JSON without quotes"), one.span)
        setting = setting_of(whole, "", [], None)
        setting.flag = flag
        facts = {"flag": flag}
        yield Found(one.span, setting, facts, *under(words[one.first].guard), words=[one.option + one.json])


def flawed(view: View) -> Iterator[Found]:
    """A shell without ``-c`` before a command, a command as one word that no shell reads, and a list that one does.

    Likewise options of the program of ENTRYPOINT that are text for a shell.
    """
    flaw = view.options.launch.command.flaw
    if flaw is None:
        return
    kind, word = flaw
    text = word.text or ""
    parts = [text, "-c"] if kind == "shell" else text.split() if _PLAIN.fullmatch(text) else []
    quoted = word.span is not None and _dollar(word.span.text)
    edits = (Edit(word.span, word.span.text[1:-1]),) if quoted and word.span is not None and parts else ()
    if kind == "cmd" and parts and word.span is not None and word.span.text.split() == parts:
        edits = (Edit(word.span, "[" + ", ".join(f'"{part}"' for part in parts) + "]"),)
    facts = {"kind": kind, "word": text, "quoted": quoted, "listed": kind == "cmd" and bool(edits)}
    yield Found(word.span, setting_of(word, "", [], None), facts, words=[] if quoted else parts, edits=edits)


def _dollar(text: str) -> bool:
    return text.startswith('"$') and _QUOTED.fullmatch(text) is not None


def unexpanded(view: View) -> Iterator[Found]:
    """Variables of a shell in words that no shell reads."""
    launch = view.options.launch
    command = launch.command
    if command.within is not None or command.host not in ("kubernetes", "dockerfile"):
        return
    settings = {id(word): setting for setting in view.options.settings for word in setting.words}
    for word in launch.words:
        span = word.span
        found = _VARIABLE.search(span.text) if span is not None else None
        name = (found[1] or found[2]) if found is not None else ""
        # A manifest may be filled in before it is applied, but hardly with a name that the container sets itself.
        if span is None or found is None or (command.host == "kubernetes" and name not in command.env):
            continue
        setting = settings.get(id(word))
        option = setting.option if setting is not None else None
        typed = option is not None and (option.type in ("int", "float") or bool(option.choices))
        facts = {
            "name": name,
            "written": found[0],
            "pod": command.host == "kubernetes",
            "refused": typed or (option is not None and option.dest == "model_path"),
        }
        place = Span(span.file, span.start + found.start(), span.start + found.end())
        edits = (Edit(place, f"$({name})"),) if facts["pod"] else ()
        yield Found(place, setting, facts, *under(word.guard), edits=edits)


def quoted_splice(view: View) -> Iterator[Found]:
    """Quotes around a variable that holds several options."""
    for word in view.options.launch.words:
        if not garbled.spliced(word, view.options.release) or word.span is None:
            continue
        variable = word.span.text.strip('"')
        several = all(head.lstrip().startswith("--") for head in garbled.heads(word.value))
        text = word.text
        # Without quotes, quotes in the value stay as they are, and patterns become the names of files.
        plain = text is None or _PLAIN.fullmatch(text) is not None
        edits = (Edit(word.span, variable),) if plain else ()
        facts = {"variable": variable, "always": several, "known": text is not None}
        yield Found(word.span, setting_of(word, "", [], None), facts, *under(word.guard), edits=edits)
