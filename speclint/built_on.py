"""The images of SGLang that Python builds on for Modal and its likes: ``Image.from_registry("lmsysorg/sglang:…")``."""

from __future__ import annotations

from itertools import islice

from speclint.lean import pattern, re

_BUILT_ON = pattern(r"\bfrom_registry\(\s*(?:f?[\"'](?P<text>[\w./:@{}-]*)[\"']|(?P<name>[A-Za-z_]\w*)\s*[,)])")
# Where a name is given something, and what, if it is plain text.
_GIVEN = (
    r"(?<![\w.]){name}[ \t]*(?::[ \t]*\w+[ \t]*)?=(?!=)[ \t]*"
    r"(?:f?[\"'](?P<text>[\w./:@{{}}-]*)[\"'][ \t]*(?:#.*)?$)?"
)
_NAME = pattern(r"\{(\w+)\}")
_MAX_DEPTH = 3
# Nobody builds on more.
_MOST = 64


def named(text: str) -> list[str]:
    """The images that have SGLang in their names; a name that is given more than one thing is left as it is."""
    images: list[str] = []
    for found in islice(_BUILT_ON.finditer(text), _MOST):
        image: str = (found["text"] if found["name"] is None else _given(text, found["name"])) or ""
        for _ in range(_MAX_DEPTH):
            image = _NAME.sub(lambda match: _given(text, match[1]) or match[0], image)
        if "sglang" in image:
            images.append(image)
    return images


def _given(text: str, name: str) -> str | None:
    """The text that a name is given everywhere."""
    values = {found["text"] for found in re.finditer(_GIVEN.format(name=name), text, re.MULTILINE)}
    return values.pop() if len(values) == 1 else None
