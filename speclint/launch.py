"""A launch: a command that starts an SGLang server, and how one is recognised among words."""

from __future__ import annotations

from speclint.text import Span
from speclint.value import Choice, Joined, Known, OneOf, Unknown
from speclint.words import Run, Word, filled_in, merge_words

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from speclint.pod import Pod
    from speclint.source import SourceFile
    from speclint.value import Value
    from speclint.words import Command

# Modules run with ``python -m`` that read SGLang's server options.
MODULES = {
    "sglang.launch_server": "sglang.launch_server",
    "sglang.srt.launch_server": "sglang.launch_server",
    "sglang.bench_one_batch": "sglang.bench_one_batch",
    "sglang.bench_offline_throughput": "sglang.bench_offline_throughput",
    "sglang.compile_deep_gemm": "sglang.compile_deep_gemm",
    "dynamo.sglang": "dynamo.sglang",
    "sglang_router.launch_server": "sglang_router.launch_server",
}
# Programs that take a command line as text to show, search or end, never to run it.
_MENTIONS = frozenset(
    (
        *("echo", "printf", "grep", "egrep", "fgrep", "rg", "pgrep", "pkill", "killall", "kill", "ps", "cat", "sed"),
        *("awk", "git", "which", "type", "alias", "man", "less", "head", "tail", "logger", "test", "[", "[[", "read"),
        *("export", "declare", "local", "typeset", "readonly", "unset", "touch", "mkdir", "rm", "ls", "cd", "wget"),
        *("curl", "trap"),
    )
)
# What every entry point begins or ends with: "-m", and these.
_ENDS = ("sglang", "launch_server.py")
_HELP = frozenset(("--help", "-h", "--version"))


class Launch:
    """One launch: ``words`` are those after the entry point, ``head`` the place of the entry point,
    ``span`` the whole launch: the statement that runs it, or what it was built from where that stands elsewhere.

    ``entrypoint``: "sglang.launch_server", "sglang serve", "dynamo.sglang", "sglang.Engine" … ``command`` is the
    command it was found in, with its host, object, image, environment and keywords. ``beside``: the launches of its
    file, itself among them.
    """

    __slots__ = ("beside", "command", "entrypoint", "head", "span", "words")

    def __init__(self, command: Command, entrypoint: str, words: Sequence[Word], head: Span) -> None:
        self.command = command
        self.entrypoint = entrypoint
        self.words = tuple([filled_in(word, command.within is not None) for word in words])
        self.head = head
        self.span = _extent(command, head)
        self.beside: Sequence[Launch] = ()

    @property
    def pod(self) -> Pod | None:
        """The container that it runs in; None where the file tells of none."""
        return self.command.pod() if self.command.pod is not None else None

    @property
    def file(self) -> SourceFile:
        """The file in which it is written."""
        return self.command.span.file

    def __repr__(self) -> str:
        return f"Launch({self.entrypoint}, {self.words!r})"


def _extent(command: Command, head: Span) -> Span:
    """The statement, or, for a command kept in an array or a string, the range from its first to its last word."""
    whole = command.span
    if head.file is not whole.file or whole.start <= head.start <= whole.end:
        return whole
    spans = [w.span for w in command.words if w.span is not None and w.span.file is head.file]
    before = head.end <= whole.start
    kept = [s for s in spans if (s.end <= whole.start) == before and not whole.start <= s.start < whole.end]
    start = max((s.start for s in kept if s.start <= head.start), default=head.start)
    return Span(head.file, min(start, head.start), max((s.end for s in kept), default=head.end))


def launches(commands: Iterable[Command]) -> list[Launch]:
    """The launches among commands; several runs of one statement are one launch with alternatives."""
    groups: dict[tuple[int, int, int, int], list[Launch]] = {}
    for command in commands:
        found = find(command)
        if found is not None:
            # A command that is kept in an array may be run by several statements: these are several launches.
            key = (id(found.head.file), found.head.start, command.site.start, command.site.end)
            groups.setdefault(key, []).append(found)
    every = [_merged(group) for group in groups.values()]
    for launch in every:
        launch.beside = every
    return every


def _merged(group: Sequence[Launch]) -> Launch:
    if len(group) == 1:
        return group[0]
    from speclint import runs

    different: dict[object, Launch] = {}
    for launch in group:
        words = tuple((id(w.value) if w.text is None else w.text, w.many, w.guard) for w in launch.words)
        key = words, launch.command.keywords, runs.surroundings(launch.command)
        different.setdefault(key, launch)
    found = list(different.values())
    first = found[0]
    if len(found) == 1 or first.command.keywords is not None:
        return first
    merged = _of_ways(group, 0)
    if merged is None:
        labels = [launch.command.run or f"it is run {n} times before" for n, launch in enumerate(found)]
        merged = _of_choice(Choice("branch", labels, first.command.span), found)
    return merged


def _of_choice(choice: Choice, arms: Sequence[Launch]) -> Launch:
    """The launch that several are between which a choice decides."""
    from speclint import runs

    command = runs.together(choice, [launch.command for launch in arms])
    return Launch(command, arms[0].entrypoint, _joined(choice, [launch.words for launch in arms]), arms[0].head)


def _joined(choice: Choice, arms: Sequence[Sequence[Word]]) -> Sequence[Word]:
    """The words of one launch that a choice decides."""
    size = _in_line(arms)
    start = [_one_of(choice, column) for column in zip(*(words[:size] for words in arms), strict=True)]
    rest = [words[size:] for words in arms]
    shortest = min(map(len, rest))
    last = 0
    while last < shortest and _are_equal([words[-1 - last] for words in rest]):
        last += 1
    while last and not _is_option(rest[0][-last]):
        last -= 1  # an option and its values are there together
    merged = merge_words(choice, [words[: len(words) - last] for words in rest])
    return (*start, *merged, *rest[0][len(rest[0]) - last :])


def _in_line(arms: Sequence[Sequence[Word]]) -> int:
    """How many words from the start on are options, and values of them, that all arms have."""
    size, shortest = 0, min(map(len, arms))
    while size < shortest and _are_in_line([words[size] for words in arms], size > 0 and _is_option(arms[0][size - 1])):
        size += 1
    while size and _is_option(arms[0][size - 1]) and any(not _is_option(w) for words in arms for w in words[size:][:1]):
        size -= 1  # an option and its values are there together
    return size


def _of_ways(found: Sequence[Launch], depth: int) -> Launch | None:
    """One launch that was read for each way that choices of the file go; None if others tell the ways apart.

    A way in which it is no launch has the words of another, since nothing is told of it.
    """
    if len(found) == 1:
        return found[0]
    taken = [launch.command.run.taken[depth:] for launch in found if isinstance(launch.command.run, Run)]
    if len(taken) < len(found) or not all(taken) or len({ways[0][0] for ways in taken}) > 1:
        return None
    choice = taken[0][0][0]
    arms: list[Launch | None] = []
    for arm in range(len(choice.labels)):
        group = [launch for launch, ways in zip(found, taken, strict=True) if ways[0][1] == arm]
        merged = _of_ways(group, depth + 1) if group else None
        if group and merged is None:
            return None
        arms.append(merged)
    other = next((launch for launch in arms if launch is not None), found[0])
    return _of_choice(choice, [other if launch is None else launch for launch in arms])


def _one_of(choice: Choice, column: Sequence[Word]) -> Word:
    first = column[0]
    if all(_equal(w, first) for w in column):
        return first
    if any(w.many for w in column):
        return Word(Unknown("it differs from run to run"), first.span, many=True)
    return Word(OneOf(choice, [w.value for w in column]), first.span)


def _are_in_line(words: Sequence[Word], valued: bool) -> bool:
    """Whether words of several ways are one option, or values of one; ``valued``: they stand behind an option."""
    if any(map(_is_option, words)) or any(word.guard for word in words):
        return _are_equal(words)
    return valued or all(word.many is words[0].many for word in words)


def _are_equal(words: Sequence[Word]) -> bool:
    """Whether words are one and the same, and there in the same ways."""
    return all(word.guard == words[0].guard and _equal(word, words[0]) for word in words[1:])


def _equal(a: Word, b: Word) -> bool:
    if a.many != b.many:
        return False
    from speclint import runs
    from speclint.merging import same

    if same(a.value, b.value) or (a.text is not None and a.text == b.text):
        return True
    return a.span is not None and a.span == b.span and runs.alike(a.value, b.value)


def _is_option(word: Word) -> bool:
    return word.prefix.startswith("-")


def find(command: Command) -> Launch | None:
    """The launch that a command is; None if it is none.

    Programs that run another program (``nohup``, ``srun``, ``docker run`` …) are not listed: whatever stands before
    ``python -m sglang.launch_server`` runs it, unless it is known to only show or search text.
    """
    words = command.words
    if command.under:
        return _marked(command)
    if not words:
        return None
    if command.keywords is not None:
        return Launch(command, words[0].text or "", (), words[0].span or command.span)
    if _basename(words[0].text or "") in _MENTIONS:
        return None
    for index, word in enumerate(words):
        text = word.text
        if text is None:
            text = end_of(word.value)
        if text is None or not (text.startswith("-m") or text.endswith(_ENDS)):
            continue
        # Arguments without a program, in a list or for a container, go to one that is named elsewhere.
        found = _entry(words, index, text, index > 0 or command.image is not None or command.within is None)
        if found is None:
            continue
        name, after = found
        rest = words[after:]
        if rest and rest[0].text in _HELP:
            return None
        return Launch(command, name, rest, _here(word, command))
    return _prefixed(command)


def end_of(value: Value) -> str | None:
    """The path from a folder that is not known on: ``$VENV/bin/sglang``."""
    last = value.parts[-1] if isinstance(value, Joined) else None
    return last.text.text if isinstance(last, Known) and last.text.text.startswith("/") else None


def _here(word: Word, command: Command) -> Span:
    """Where a word stands in the file of its command; the command, for one that another file defines."""
    return word.span if word.span is not None and word.span.file is command.span.file else command.span


def _marked(command: Command) -> Launch | None:
    """Options in data, for a program that starts the server with them."""
    from speclint import marked

    keywords = command.keywords
    if keywords is not None and all(keyword.literal in ("list", "none") for keyword in keywords):
        return None  # what is to be tried out
    if any(isinstance(k.value, Known) and k.value.text.text.startswith("--") for k in keywords or ()):
        return None  # how options are spelled
    names = [w.prefix.split("=")[0] for w in command.words if w.prefix.startswith("-")] if keywords is None else ()
    if not marked.is_marked(command.under, names or [k.name for k in keywords or () if k.name is not None]):
        return None
    head = keywords[0].name_span if keywords else command.words[0].span or command.span
    words = marked.of_program(command.words, 0) if keywords is None else ()
    return Launch(marked.with_more(command), marked.OPTIONS, words, head)


def _prefixed(command: Command) -> Launch | None:
    """A program, a trainer mostly, that takes SGLang's options with a prefix among its own."""
    words = command.words
    if not any(word.prefix.startswith("--sglang-") for word in words):
        return None
    from speclint import marked

    first = marked.prefixed(words)
    if first is None:
        return None
    return Launch(command, marked.PREFIXED, marked.of_program(words, first), _here(words[first], command))


def _entry(words: Sequence[Word], index: int, text: str, runs: bool) -> tuple[str, int] | None:
    """The entry point that begins at ``index``, and the index of the word after it.

    ``runs``: whether a program may stand before it.
    """
    following = words[index + 1].text if index + 1 < len(words) else None
    if text == "-m" and following in MODULES and runs:
        return MODULES[following], index + 2
    if text.startswith("-m") and text[2:] in MODULES and runs:
        return MODULES[text[2:]], index + 1
    if _basename(text) == "sglang" and following == "serve":
        return "sglang serve", index + 2
    if _is_script(text) and index and _is_python(words[:index]):
        return "sglang.launch_server", index + 1
    return None


def _is_script(text: str) -> bool:
    """A checkout's launch_server.py run by its path."""
    return text.endswith("launch_server.py") and text.split("/")[-2:-1] in ([], ["sglang"]) and "/" in text


def _is_python(words: Sequence[Word]) -> bool:
    for word in reversed(words):
        text = word.text
        if text is None:
            return True
        if not text.startswith("-"):
            return _basename(text).startswith("python")
    return False


def _basename(text: str) -> str:
    return text.rsplit("/", 1)[-1]
