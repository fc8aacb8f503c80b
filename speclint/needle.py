"""The word that every launch holds: which files hold it, found at little more than what reading them costs.

What does not hold it is never decoded. Files are read into one buffer, since making room for each would cost as much as
reading it, and what holds the word is handed on, so that no file is read twice.
"""

from __future__ import annotations

import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from speclint.discover import Candidate

    Search = Callable[[int], bool]

NEEDLE = b"sglang"
# Data may call the engine only so: `backend: SGLang`. A second search of every file costs as much as the first.
_NAME = b"SGLang"
_DATA = frozenset(("yaml", "json", "toml", "template", "markdown", "rst", "asciidoc", "notebook"))
# A part of the word by whose last letters most files are told apart faster than by the whole.
_PART = b"lang"
# In UTF-16 and UTF-32, either end first.
_WIDE_NEEDLES = tuple(b"".join(form % byte for byte in NEEDLE) for form in (b"%c\0", b"\0%c", b"%c\0\0\0", b"\0\0\0%c"))
_BUFFER = 1 << 20
_READ = os.O_RDONLY | getattr(os, "O_BINARY", 0) | getattr(os, "O_CLOEXEC", 0)
# So many files are searched faster by the system's own library, though that has to be loaded.
_MANY = 1000


def holds_needle(raw: bytes | bytearray) -> bool:
    """Whether a file may hold a launch; one in UTF-16 or UTF-32 counts, so that it can be told that it is not read."""
    return NEEDLE in raw or _NAME in raw or (b"\0" in raw[:64] and any(needle in raw for needle in _WIDE_NEEDLES))


def commented(raw: bytes, at: int) -> bool:
    """Whether the line on which ``at`` stands is a comment as a whole, where one begins with ``#``.

    One that the line before goes on in is none: there the sign may be a part of a word.
    """
    start = raw.rfind(b"\n", 0, at) + 1
    before = raw[start:at]
    if before.lstrip(b" \t")[:1] != b"#" or b"\r" in before:
        return False
    return not raw[max(start - 3, 0) : start].rstrip(b"\r\n").endswith(b"\\")


def holding(found: Iterable[Candidate], number: int) -> Iterator[tuple[Candidate, bytes | None]]:
    """The candidates that may hold a launch, each with its bytes.

    None in place of these: it is not read here, since it was named (and may be a pipe), is large, or cannot be read,
    which whoever reads it will tell. ``number``: about how many they are.
    """
    start, stop = os.open, os.close
    buffer: _Buffer | None = None
    for candidate in found:
        _, path, host, named = candidate
        if named:
            yield candidate, None
            continue
        if buffer is None:
            buffer = _Buffer(number >= _MANY)
            holds = buffer.holds
        try:
            handle = start(path, _READ)
            try:
                size = holds(handle, host)
                raw = buffer.content(handle, size) if size else None
            finally:
                stop(handle)
        except OSError:
            yield candidate, None
        else:
            if size:
                yield candidate, raw


class _Buffer:
    """What files are read into, one after the other."""

    def __init__(self, many: bool) -> None:
        self.bytes = bytearray(_BUFFER)
        self.view = memoryview(self.bytes)
        self.room = (self.view,)
        self.fill: Callable[[int, tuple[memoryview]], int] = getattr(os, "readv", _fill)
        self.has_word, self.has_name = _searches(self.bytes, many)

    def holds(self, handle: int, host: str | None) -> int:
        """Read a file; 0 where it holds no launch, else how much of it has been read."""
        size = self.fill(handle, self.room)
        if size == _BUFFER and host == "javascript":
            return 0  # a program has made what is so large
        if self.has_word(size) or (host in _DATA and self.has_name(size)):
            return size
        head = self.bytes
        # In UTF-16 and UTF-32 it begins with a mark, or one of its first two bytes is 0.
        if (not head[0] or not head[1] or head[0] > 0xFD) and holds_needle(head[:size]):
            return size
        return self._large(handle, host) if size == _BUFFER else 0

    def _large(self, handle: int, host: str | None) -> int:
        """Go on with a file whose beginning fills the buffer and does not hold the word."""
        keep = len(_WIDE_NEEDLES[-1])
        rest = (self.view[keep:],)
        wide = b"\0" in self.bytes[:64]
        size = _BUFFER
        while True:
            self.view[:keep] = self.bytes[size - keep : size]  # the word may be cut in two
            more = self.fill(handle, rest)
            if not more:
                return 0
            size = keep + more
            if self.has_word(size) or (host in _DATA and self.has_name(size)):
                return _BUFFER
            if wide and any(self.bytes.find(needle, 0, size) >= 0 for needle in _WIDE_NEEDLES):
                return _BUFFER

    def content(self, handle: int, size: int) -> bytes | None:
        """The file that has been read as far as ``size``; None where there is more of it."""
        raw = bytes(self.view[:size])
        # Some file systems give less than they are asked for.
        return None if size == _BUFFER or os.read(handle, 1) else raw


def _searches(buffer: bytearray, many: bool) -> tuple[Search, Search]:
    """Whether as much as is given of the buffer holds the word, and the name."""
    if many and sys.platform in ("linux", "darwin"):
        try:
            return _system_searches(buffer)
        except (ImportError, OSError, AttributeError):  # not every library has it, and not every Python can ask it
            pass
    find = buffer.find

    def has_word(size: int) -> bool:
        at = find(_PART, 0, size)
        return at >= 0 and find(NEEDLE, max(at - 2, 0), size) >= 0

    return has_word, lambda size: find(_NAME, 0, size) >= 0


def _system_searches(buffer: bytearray) -> tuple[Search, Search]:
    """As ``_searches``, by the C library: in 160 MB of code, 60 ms where ``bytearray.find`` takes 140."""
    import ctypes

    search = ctypes.PyDLL(None).memmem
    search.restype = ctypes.c_void_p
    search.argtypes = ctypes.c_void_p, ctypes.c_size_t, ctypes.c_char_p, ctypes.c_size_t
    # It keeps the buffer where it is for as long as the functions below live.
    held = ctypes.c_char.from_buffer(buffer)
    start, word_size, name_size = ctypes.addressof(held), len(NEEDLE), len(_NAME)

    def has_word(size: int, held: object = held) -> bool:
        return search(start, size, NEEDLE, word_size) is not None

    def has_name(size: int, held: object = held) -> bool:
        return search(start, size, _NAME, name_size) is not None

    return has_word, has_name


def _fill(handle: int, room: tuple[memoryview]) -> int:
    text = os.read(handle, len(room[0]))
    room[0][: len(text)] = text
    return len(text)
