"""A launch: a command that starts an SGLang server, and how one is recognised among words."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from speclint.source import SourceFile
    from speclint.text import Span
    from speclint.words import Command, Word

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
    "echo printf grep egrep fgrep rg pgrep pkill killall kill ps cat sed awk git which type alias man less head tail "
    "logger notify-send test [ [[ read export declare local typeset readonly unset touch mkdir rm ls cd wget curl "
    "trap".split()
)
_HELP = frozenset(("--help", "-h", "--version"))


class Launch:
    """One launch: ``words`` are those after the entry point, ``head`` the place of the entry point.

    ``entrypoint``: "sglang.launch_server", "sglang serve", "dynamo.sglang", "sglang.Engine" … ``command`` is the
    command it was found in, with its host, object, image, environment and keywords.
    """

    __slots__ = ("command", "entrypoint", "head", "words")

    def __init__(self, command: Command, entrypoint: str, words: Sequence[Word], head: Span) -> None:
        self.command = command
        self.entrypoint = entrypoint
        self.words = tuple(words)
        self.head = head

    @property
    def file(self) -> SourceFile:
        """The file in which it is written."""
        return self.command.span.file

    @property
    def span(self) -> Span:
        """The whole launch."""
        return self.command.span

    def __repr__(self) -> str:
        return f"Launch({self.entrypoint}, {self.words!r})"


def find(command: Command) -> Launch | None:
    """The launch that a command is; None if it is none.

    Programs that run another program (``nohup``, ``srun``, ``docker run`` …) are not listed: whatever stands before
    ``python -m sglang.launch_server`` runs it, unless it is known to only show or search text.
    """
    words = command.words
    if not words:
        return None
    if _basename(words[0].text or "") in _MENTIONS:
        return None
    for index, word in enumerate(words):
        text = word.text
        if text is None:
            continue
        found = _entry(words, index, text)
        if found is None:
            continue
        name, after = found
        rest = words[after:]
        if rest and rest[0].text in _HELP:
            return None
        return Launch(command, name, rest, word.span or command.span)
    return None


def _entry(words: Sequence[Word], index: int, text: str) -> tuple[str, int] | None:
    """The entry point that begins at ``index``, and the index of the word after it."""
    following = words[index + 1].text if index + 1 < len(words) else None
    if text == "-m" and following in MODULES and index:
        return MODULES[following], index + 2
    if text.startswith("-m") and text[2:] in MODULES and index:
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
