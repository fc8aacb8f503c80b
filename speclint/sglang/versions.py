"""SGLang version numbers: order and ranges."""

from __future__ import annotations

from speclint.lean import pattern, re

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

Key = tuple[tuple[int, ...], tuple[int, int], int, tuple[int, int]]
"""A sortable version: release numbers, pre-release, post-release, development release."""

_VERSION = pattern(
    r"v?(\d+(?:\.\d+)*)"
    r"(?:[._-]?(a|b|c|rc|alpha|beta|pre|preview)[._-]?(\d*))?"
    r"(?:(?:[._-]?(?:post|rev|r)|-(?=\d))[._-]?(\d*))?"
    r"(?:[._-]?dev[._-]?(\d*))?"
    r"(?:\+[a-z0-9._-]+)?",
    re.IGNORECASE,
)
_PRE = {"a": -3, "alpha": -3, "b": -2, "beta": -2, "c": -1, "rc": -1, "pre": -1, "preview": -1}

_satisfied: dict[tuple[str, str], bool] = {}
_MOST_ASKED = 10_000
_CLAUSE = pattern(r"\s*(~=|===?|!=|<=|>=|<|>)\s*([^\s,]+)\s*")


def parse(version: str) -> Key:
    """The sortable key of a version such as ``0.5.10``, ``0.5.10.post1`` or ``v0.5.10rc0``.

    Order is that of PEP 440: development and release candidates before the release, post releases behind it.
    A local part (``+cu129``) does not count. Raises ValueError where the text is no version.
    """
    text = version.strip()
    return _parse_usual(text) or _parse_any(text)


def satisfies(version: str, spec: str) -> bool:
    """Whether a version lies in a range such as ``>=0.5.9,<0.5.13``; an empty range holds always.

    Plain order decides: ``<0.5.10`` holds for 0.5.10rc0, ``>0.5.10`` for 0.5.10.post1. ``==0.5.*`` and ``~=0.5.9``
    are understood. Raises ValueError where the version or the range is malformed.
    """
    # The same few hundred questions are asked of every launch.
    asked = (version, spec)
    found = _satisfied.get(asked)
    if found is None:
        key = parse(version)
        found = all(_clause_holds(key, clause) for clause in spec.split(",") if clause.strip())
        if len(_satisfied) < _MOST_ASKED:
            _satisfied[asked] = found
    return found


def _parse_usual(text: str) -> Key | None:
    """The key of 0.5.10, 0.5.10.post1 or 0.5.10rc0, None for any other form."""
    rest, _, post = text.partition(".post")
    rest, _, candidate = rest.partition("rc")
    parts = rest.split(".")
    if not all(part.isdecimal() for part in parts) or (post and candidate) or text[-1:].isalpha():
        return None
    if not (post or "0").isdecimal() or not (candidate or "0").isdecimal():
        return None
    return (
        _release_numbers(parts),
        (-1, int(candidate)) if candidate else (0, 0),
        int(post) if post else -1,
        (1, 0),
    )


def _parse_any(text: str) -> Key:
    match = _VERSION.fullmatch(text)
    if match is None:
        raise ValueError(f"not a version: {text!r}")
    numbers, phase, pre, post, dev = match.groups()
    if phase is not None:
        pre_key = (_PRE[phase.lower()], int(pre or 0))
    elif dev is not None and post is None:
        pre_key = (-4, 0)
    else:
        pre_key = (0, 0)
    return (
        _release_numbers(numbers.split(".")),
        pre_key,
        -1 if post is None else int(post or 0),
        (1, 0) if dev is None else (0, int(dev or 0)),
    )


def _release_numbers(parts: list[str]) -> tuple[int, ...]:
    numbers = [int(part) for part in parts]
    while len(numbers) > 1 and numbers[-1] == 0:
        numbers.pop()
    return tuple(numbers)


def _clause_holds(key: Key, clause: str) -> bool:
    match = _CLAUSE.fullmatch(clause)
    if match is None:
        raise ValueError(f"not a version range: {clause.strip()!r}")
    operator, text = match.groups()
    if operator in ("==", "!=") and text.endswith(".*"):
        return _starts_with(key, text[:-2]) is (operator == "==")
    bound = parse(text)
    if operator == "~=":
        series = re.match(r"[vV]?(\d+(?:\.\d+)+)", text)
        if series is None:
            raise ValueError(f"not a version range: {clause.strip()!r}")
        return key >= bound and _starts_with(key, series[1].rpartition(".")[0])
    return _COMPARE[operator](key, bound)


def _starts_with(key: Key, numbers: str) -> bool:
    parts = numbers.lstrip("vV").split(".")
    if not all(part.isdecimal() for part in parts):
        raise ValueError(f"not a version range: {numbers!r}")
    wanted = tuple(int(part) for part in parts)
    release = key[0] + (0,) * (len(wanted) - len(key[0]))
    return release[: len(wanted)] == wanted


_COMPARE: dict[str, Callable[[Key, Key], bool]] = {
    "==": lambda left, right: left == right,
    "===": lambda left, right: left == right,
    "!=": lambda left, right: left != right,
    "<": lambda left, right: left < right,
    "<=": lambda left, right: left <= right,
    ">": lambda left, right: left > right,
    ">=": lambda left, right: left >= right,
}
