"""Places that parsers count in bytes."""

from __future__ import annotations

from bisect import bisect_right

from speclint.lean import pattern

_WIDE = pattern(r"[^\x00-\x7f]+")


class ByteIndex:
    """Offsets in UTF-8 bytes to offsets in code points, for parsers that count bytes."""

    __slots__ = ("_chars", "_marks")

    def __init__(self, text: str) -> None:
        self._marks: list[int] = []
        self._chars: list[int] = []
        if text.isascii():
            return
        # The difference changes only at characters longer than a byte; a mark before and after each is enough.
        byte = char = 0
        for found in _WIDE.finditer(text):
            byte += found.start() - char
            char = found.start()
            for letter in found.group():
                self._marks.append(byte)
                self._chars.append(char)
                byte += len(letter.encode("utf-8", "surrogateescape"))
                char += 1
            self._marks.append(byte)
            self._chars.append(char)

    def __call__(self, offset: int) -> int:
        """The code point offset of a byte offset."""
        index = bisect_right(self._marks, offset) - 1
        return offset if index < 0 else self._chars[index] + offset - self._marks[index]
