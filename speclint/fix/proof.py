"""Words that need quotes, written so that the file reads back as meant: by trying, and reading the file again.

A word may stand in quotes in a string in a scalar, in an array that is expanded without quotes, in text that is joined
and handed to a shell: no rule for how to quote it there is right for all. So the ways to write it are tried from the
plain to the odd, and the first one counts after which the file has the words that it should have, and no other change.
"""

from __future__ import annotations

from speclint.fix import quote
from speclint.source import SourceError, SourceFile

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence

    from speclint.finding import Edit

    Check = Callable[[Sequence[Hashable], Sequence[Hashable]], bool]

# Reading a file this big (characters) a dozen times is not worth a fix.
_TOO_BIG = 1_000_000


def forms(word: str, language: str) -> Iterator[str]:
    """Ways to write a word in shell text, with whatever may be wrapped around that in a language, each once."""
    shell = [quote.shell_word(word), f'"{quote.inside_shell(word, chr(34))}"', quote.inside_shell(word, "")]
    bare = [word, quote.inside_shell(word, '"')]
    written = (wrap(form) for form in (*shell, *bare) if form is not None for wrap in _wraps(language))
    yield from dict.fromkeys(form for form in written if form is not None)


def _wraps(language: str) -> Iterable[Callable[[str], str | None]]:
    if language == "python":
        return (
            _same,
            lambda text: quote.inside_python(text, "", '"'),
            lambda text: quote.inside_python(text, "", "'"),
            lambda text: quote.inside_python(text, "f", '"'),
            lambda text: quote.inside_python(text, "f", "'"),
            _braced,
        )
    if language == "javascript":
        return (
            _same,
            lambda text: quote.inside_python(text, "", '"'),
            lambda text: quote.inside_python(text, "", "'"),
            lambda text: text.replace("\\", "\\\\").replace("`", "\\`").replace("${", "\\${"),
        )
    if language == "yaml":
        return (_same, lambda text: quote.inside_yaml(text, '"'), lambda text: quote.inside_yaml(text, "'"))
    if language == "json":
        return (_escaped, lambda text: _escaped(_braced(text)), lambda text: _escaped(_escaped(text)), _same)
    return (_same, _escaped, lambda text: text.replace("$", "$$"))


def _same(text: str) -> str:
    return text


def _braced(text: str) -> str:
    return text.replace("{", "{{").replace("}", "}}")


def _escaped(text: str) -> str:
    return quote.inside_yaml(text, '"') or text


def words_read_back(edits: Iterable[Edit], words: Sequence[str], count: int | None) -> Edit | None:
    """The first of the edits, all of one place, with which ``words`` stand in the place of ``count`` words.

    ``count`` None: of as many words, one or more, as the shell made of what stands there (JSON without quotes).
    """
    wanted = [("", ("known", word, ()), False) for word in words]

    def check(old: Sequence[Hashable], new: Sequence[Hashable]) -> bool:
        size = len(wanted)
        gone = len(old) - len(new) + size
        if gone < 1 if count is None else gone != count:
            return False
        plain = [shape[:3] if isinstance(shape, tuple) else shape for shape in new]
        return any(
            new[:at] == old[:at] and plain[at : at + size] == wanted and new[at + size :] == old[at + gone :]
            for at in range(len(old) - gone + 1)
        )

    return _first(edits, check)


def value_read_back(edits: Iterable[Edit], old: str, text: str) -> Edit | None:
    """The first of the edits with which the words that held the value ``old`` hold ``text`` in its place."""

    def check(before: Sequence[Hashable], after: Sequence[Hashable]) -> bool:
        pairs = zip(before, after, strict=False)
        return len(before) == len(after) and all(a == b or _replaced(a, b, old, text) for a, b in pairs)

    return _first(edits, check)


def _replaced(a: Hashable, b: Hashable, old: str, text: str) -> bool:
    """Whether two shapes differ in nothing but ``text`` for ``old``."""
    if isinstance(a, tuple) and isinstance(b, tuple):
        return len(a) == len(b) and all(x == y or _replaced(x, y, old, text) for x, y in zip(a, b, strict=True))
    if not isinstance(a, str) or not isinstance(b, str) or not old:
        return False
    return len(b) == len(a) - len(old) + len(text) and any(
        b == a[:at] + text + a[at + len(old) :] for at in range(len(a)) if a.startswith(old, at)
    )


def _first(edits: Iterable[Edit], check: Check) -> Edit | None:
    before: list[list[Hashable]] | None = None
    tried: set[tuple[object, ...]] = set()
    for edit in edits:
        file, start, end = edit.span.file, edit.span.start, edit.span.end
        if edit.key() in tried:
            continue
        tried.add(edit.key())
        before = _read(file) if before is None else before
        if not before or len(file.text) > _TOO_BIG:
            return None
        changed = SourceFile(file.path, file.encode(file.text[:start] + edit.content + file.text[end:]))
        after = _read(changed)
        if len(after) != len(before):
            continue
        differing = [(old, new) for old, new in zip(before, after, strict=True) if old != new]
        if differing and all(check(old, new) for old, new in differing):
            return edit
    return None


def _read(file: SourceFile) -> list[list[Hashable]]:
    """The words of every launch of a file; none where it cannot be read."""
    from speclint import hosts
    from speclint.fix.origin import host_of
    from speclint.fix.verify import words
    from speclint.hosts.nested import commands
    from speclint.launch import launches

    try:
        found = launches(inner for outer in hosts.read(file, host_of(file), []) for inner in commands(outer))
    except SourceError:
        return []
    return [list(words(launch)) for launch in found]
