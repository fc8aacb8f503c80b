"""Shell commands as documents show them: among prompts, output and prose, with placeholders.

What stands for something that the reader fills in (``<model>``, ``{tp}``, ``PORT``, ``...``) is not known; what a
program printed is not run.
"""

from __future__ import annotations

from bisect import bisect_right

from speclint.hosts.blocks import TRIGGER, lines
from speclint.lean import pattern, re
from speclint.text import Mapped
from speclint.value import Unknown
from speclint.words import many

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from speclint.text import Span
    from speclint.words import Command

# A command that is quoted goes on over no more lines than this.
_LONGEST = 60
_PROMPT = pattern(
    r"[ \t]*(?:\([\w.-]+\)[ \t]*)?(?:\[?[\w.-]+@[\w.-][^\s$#%>]*(?:[ \t][^\s$#%>]*)?[$#%][ \t]*|[$❯➜][ \t]+)"
)
# Without one of these there is no prompt.
_MARKS = ("@", "$ ", "$\t", "❯", "➜")
_ROOT = pattern(r"[ \t]*#[ \t]+(?=\S)")
_SECOND = pattern(r"[ \t]*>[ \t]")
_CAPS = (
    r"(?:[A-Z]|X{2,}|x{2,}|PORT|HOST|IP|RANK|NUM|INT|FLOAT|PATH|MODEL|SIZE|TP|DP|EP|PP|(?:YOUR|MY)_\w+|your[-_]\w[\w-]*"
    r"|[A-Z][A-Z\d_]*_(?:PORT|HOST|IP|RANK|NUM|PATH|MODEL|SIZE|ADDR|ADDRESS|DIR|NAME|KEY|ID|COUNT|TP|DP|EP|PP))"
)
_OF_OPTION = (
    r"(?:(?<![\w.-])--[\w.-]+(?:=|[ \t]+|[ \t]*\\\n[ \t]*)|\b\w+=)"
    rf"[\"']?(?P<caps>{_CAPS}(?::{_CAPS})*)(?=[\s\"'/,;)]|$)"
)
# What placeholders begin with, and what those that stand behind an option do: few texts have any.
_PLACES = pattern(r"\{\{|\{[^\W\d]|<[^\W_]|\.\.\.|…|your[ \t]|\[[\w<-]")
_CAPITAL = pattern(r"[=\s][\"']?(?:[A-Z][A-Z\d_]*(?=[\s\"'/,;):]|\Z)|xx|(?:YOUR|MY)_|your[-_])")
_CAPITALS = pattern(_OF_OPTION)
_PLACEHOLDER = pattern(
    r"(?P<braces>(?<!\$)\{\{[^\n{}]{0,200}\}\})"
    r"|(?P<brace>(?<![${\w])\{[^\W\d][\w. -]{0,60}\}(?!\}))"
    # Terraform's, which is no expansion that a shell knows.
    r"|(?P<dotted>\$\{[A-Za-z_]\w*\.[\w.\[\]*-]+\})"
    r"|(?P<angle>(?<!<)<(?:[^\W_][^<>\n|;&\"'`$()]{0,80}(?<!\s)|[\w.-]{1,40}(?:\|[\w.-]{1,40})+)>(?!>))"
    r"|(?P<dots>(?<!\S)\[?(?:\.{3,}|…)\]?(?!\S)(?:[ \t]+[^-\s\\#&|;<>'\"()][^\s'\"()]*)*)"
    r"|(?P<phrase>(?<=[\"'/=@:])your[ \t]\w+(?:[ \t]\w+)*(?=[\"':/,]))"
    r"|(?P<optional>(?<!\S)\[(?:[^\W\d_]|[<-])(?:[^\]\[\n,]|,(?! ))*\](?!\S))"
    r"|(?P<either>(?<=[\s=])\[[\w.-]{1,40}(?:\|[\w.-]{1,40})+\](?!\S))"
    rf"|{_OF_OPTION}"
)
# A quote that begins something, or what hides one.
_QUOTE = pattern(r"\\.|(?:^|(?<=\s))#[^\n]*|(?P<mark>[\"'])", re.MULTILINE | re.DOTALL)
_SET = r"(?:[A-Za-z_]\w*=(?:\"[^\"]*\"|'[^']*'|[^\s\"']*)(?:[ \t]+|[ \t]*\\\r?\n[ \t]*))*"
_PROGRAMS = (
    r"python[\d.]*|sglang|docker|podman|nerdctl|uv|uvx|env|nohup|srun|exec|sudo|numactl|nsys|mpirun|torchrun|conda"
    r"|mamba|micromamba|pixi|poetry|pdm|rye|hatch|bash|sh|ssh|kubectl|time|timeout|tmux|screen|singularity|apptainer"
    # What SGLang's own pages call their alias for docker run.
    r"|drun|enroot|setsid|taskset|stdbuf|ray|accelerate|ncu|rocprof|deepspeed|\$\{?\w+\}?"
)
START = pattern(rf"[ \t]*{_SET}[\"']?(?:[\w.$~{{}}-]*/)*(?:{_PROGRAMS})[\"']?(?![\w:.,-])")
LAUNCHES = pattern(
    r"(?:launch_server(?:\.py)?|sglang[ \t]+serve|dynamo\.sglang|bench_one_batch|bench_offline_throughput"
    r"|compile_deep_gemm)[\"']?(?:[ \t]|\\\r?\n)*(?=[-\"'$<{\[&|>]|\.\.\.|…|[\w.-]*/|\Z|\ufffc)"
)
_OPTION = pattern(r"(?:[ \t]|^)--?[a-zA-Z]", re.MULTILINE)
_SIMPLE = pattern(
    rf"[ \t]*(?:#|\Z|{_SET}\Z|(?:export|set|source|cd|pip|pip3|apt|apt-get|git|mkdir|rm|cp|wget|curl|echo|sleep|wait"
    r"|huggingface-cli|hf|if|then|else|elif|fi|for|while|do|done|case|esac|local|unset|kill|pkill|nvidia-smi)\b|[\])}]"
    r"|[A-Za-z_]\w*\+?=)"
)


def _joined(found: Sequence[Command]) -> list[Command]:
    """The commands, with options that are shown line by line, without a program, as one."""
    result: list[Command] = []
    for command in found:
        last = result[-1] if result else None
        if last is not None and _is_bare(last) and _is_bare(command) and last.span.file is command.span.file:
            between = command.span.file.text[last.span.end : command.span.start]
            if not between.strip(" \t\r\n\\>") and between.count("\n") == 1:
                result[-1] = last.replace([*last.words, *command.words])
                result[-1].span = last.span.to(command.span)
                result[-1].site = result[-1].span
                continue
        result.append(command)
    return result


def _is_bare(command: Command) -> bool:
    return bool(command.words) and command.words[0].prefix.startswith("--")


def shell(text: Mapped, base: Command, kind: str = "shell") -> list[Command]:
    """Every command of shell text in a document: ``kind`` "shell", "console" (with prompts) or "plain" (who knows)."""
    from speclint.hosts.shell import read_shown, read_text
    from speclint.hosts.shell.trigger import may_launch

    whole = text
    text, typed = _typed(text, kind == "console")
    found: list[Command] = []
    # What runs the text may give a variable that starts something.
    if base.env or may_launch(text.text.encode("utf-8", "replace")):
        text = with_holes(text)
        if kind == "plain" and not typed and not (LAUNCHES.search(text.text) and _all_commands(text.text)):
            return [c for chunk in chunks(text) for c in read_text(chunk, base)]
        commands, parses = read_shown(text, base, kind == "plain")
        found = _joined(commands)
        if not parses:
            # An apostrophe in what a program printed hides the commands behind it.
            found += _apart(text, base, found)
    if kind == "plain" and typed and may_launch(whole.text.encode("utf-8", "replace")):
        # Notes hold a session here and a command there.
        found += _apart(with_holes(whole), base, found)
    return found


def _apart(text: Mapped, base: Command, found: Sequence[Command]) -> list[Command]:
    """The commands on lines of their own that are not among those found."""
    from speclint.hosts.shell import read_text

    taken = [command.span for command in found if len(command.words) > 2]
    return [c for chunk in chunks(text) if not _covered(chunk.place(), taken) for c in read_text(chunk, base)]


def _covered(span: Span | None, taken: Sequence[Span]) -> bool:
    return span is None or any(t.start < span.end and span.start < t.end for t in taken)


def _typed(text: Mapped, console: bool) -> tuple[Mapped, bool]:
    """What a person typed at the prompts of a session; the text as it stands where it shows no prompt."""
    prompt = _PROMPT
    written = text.text
    marked = any(mark in written for mark in _MARKS)
    if not marked or not any(prompt.match(written, s, e) for s, e in lines(written)):
        if not console or not any(_ROOT.match(text.text, s, e) for s, e in lines(text.text)):
            return text, False
        prompt = _ROOT
    kept: list[Mapped] = []
    going, so_far = False, ""
    for start, end in lines(text.text):
        found = prompt.match(text.text, start, end)
        if found is None and not going:
            continue
        at = found.end() if found is not None else start
        second = _SECOND.match(text.text, start, end) if found is None else None
        kept.append(text[second.end() if second is not None else at : end])
        so_far = kept[-1].text if found is not None else so_far + kept[-1].text
        going = _goes_on(so_far)
    return Mapped.join(kept), True


def _goes_on(command: str) -> bool:
    """Whether a command is not complete at the end of a line."""
    return command.rstrip("\r\n").endswith("\\") or any(command.count(quote) % 2 for quote in "\"'")


def with_holes(text: Mapped) -> Mapped:
    """The text with placeholders made unknown."""
    parts: list[Mapped] = []
    at = 0
    quoted: list[tuple[int, int]] | None = None
    if _PLACES.search(text.text):
        expression = _PLACEHOLDER
    elif _CAPITAL.search(text.text):
        expression = _CAPITALS
    else:
        return text
    for found in expression.finditer(text.text):
        if quoted is None:
            quoted = _quoted(text.text)
        start, end = found.span(found.lastgroup or 0)
        parts.append(text[at:start])
        parts.append(Mapped.hole(Unknown("it is a placeholder"), text.place(start, end)))
        if found.lastgroup not in ("dots", "optional", "dotted") and not any(s < start < e for s, e in quoted):
            parts.append(Mapped.new("''"))  # one word, whatever is filled in
        at = end
    if not parts:
        return text
    parts.append(text[at:])
    return Mapped.join(parts)


def _quoted(text: str) -> list[tuple[int, int]]:
    """The ranges in quotes; all that follows where a quote is not ended."""
    found: list[tuple[int, int]] = []
    at = 0
    while True:
        begin = _QUOTE.search(text, at)
        if begin is None:
            return found
        at = begin.end()
        mark = begin["mark"]
        if mark is None:
            continue
        stop = re.compile(r"'" if mark == "'" else r"(?<!\\)\"").search(text, at)
        at = stop.end() if stop is not None else len(text)
        found.append((begin.start(), at))


def _all_commands(text: str) -> bool:
    """Whether every line of a text looks like shell: no prose, no output."""
    joined = re.sub(r"\\\r?\n", " ", text)
    return all(START.match(line) or _SIMPLE.match(line) for line in joined.splitlines())


def chunks(text: Mapped) -> Iterator[Mapped]:
    """The commands that launch something with an option, each on lines of its own in text that is not shell."""
    told = TRIGGER.search(text.text)
    bounds = list(lines(text.text)) if told is not None else []
    done = 0
    while told is not None:
        index = bisect_right(bounds, told.start(), key=_start) - 1
        first = index
        while first > done and text.text[slice(*bounds[first - 1])].rstrip("\r\n").endswith("\\"):
            first -= 1
        begin = bounds[first][0]
        last = _last(text.text, bounds, first, index)
        done = last + 1
        told = TRIGGER.search(text.text, bounds[last][1])
        chunk = text[begin : bounds[last][1]]
        if START.match(chunk.text) and LAUNCHES.search(chunk.text) and _OPTION.search(chunk.text):
            yield chunk


def _start(bounds: tuple[int, int]) -> int:
    return bounds[0]


def _last(text: str, bounds: Sequence[tuple[int, int]], first: int, index: int) -> int:
    """The line on which the command ends that begins on ``first`` and goes on at ``index``."""
    begin = bounds[first][0]
    last = index
    while last + 1 < len(bounds) and last - index < _LONGEST and _goes_on(text[begin : bounds[last][1]]):
        last += 1
    if last - index < _LONGEST and not _goes_on(text[begin : bounds[last][1]]):
        return last
    # What looked like a quote that opens is an apostrophe.
    last = index
    while last + 1 < len(bounds) and text[slice(*bounds[last])].rstrip("\r\n").endswith("\\"):
        last += 1
    return last


def open_ended(command: Command, reason: str) -> Command:
    """The same command with more words that are not told."""
    return command.replace([*command.words, many(reason, command.span)])
