"""Words that are there in some worlds only, made fit for a parser that sees the words of all worlds at once."""

from __future__ import annotations

from _operator import attrgetter  # the one around it is slower to import

from speclint.words import Word

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from speclint.value import Choice

# How many values an option is taken to have at most.
_LOOKED_BACK = 128
_guard = attrgetter("guard")


def guarded(words: Sequence[Word]) -> bool:
    """Whether any word is there in some worlds only."""
    return any(map(_guard, words))


def distributed(words: Sequence[Word], depth: int = 0) -> list[Word]:
    """The words, with an option repeated for each of the alternative values that stand behind it.

    ``--tp`` and then ``4`` in one branch, ``8`` in the other become ``--tp 4`` in the one and ``--tp 8`` in the other,
    so that each alternative is whole in itself. ``depth`` is how many choices the words have in common.
    """
    if not guarded(words):
        return list(words)
    result: list[Word] = []
    index = 0
    while index < len(words):
        word = words[index]
        arms = _arms(words, index + 1, depth) if len(word.guard) == depth and _is_option(word) else []
        for arm in arms:
            flag = Word(word.value, word.span, arm[0].guard[: depth + 1], word.many)
            result += distributed([flag, *arm], depth + 1)
        if not arms:
            result.append(word)
        index += 1 + sum(map(len, arms))
    return result


def _arms(words: Sequence[Word], start: int, depth: int) -> list[list[Word]]:
    """The words from ``start`` on that hang on one choice, by arm; empty unless every arm begins with a bare word."""
    if start >= len(words) or len(words[start].guard) <= depth:
        return []
    choice = words[start].guard[depth][0]
    arms: dict[int, list[Word]] = {}
    for word in words[start:]:
        if len(word.guard) <= depth or word.guard[depth][0] is not choice:
            break
        arms.setdefault(word.guard[depth][1], []).append(word)
    whole = list(arms) == list(range(len(choice.labels)))
    return list(arms.values()) if whole and not any(_is_option(arm[0]) for arm in arms.values()) else []


def _is_option(word: Word) -> bool:
    return word.prefix.startswith("-")


def instead(words: Sequence[Word], at: int) -> bool:
    """Whether a word stands behind an option in place of the values before it: ``--x ${SIZES:-1 2}``."""
    guard = dict(words[at].guard)
    if not guard or at < 2 or _is_option(words[at - 1]) or not _excludes(guard, words[at - 1]):
        return False
    flag = next((word for word in reversed(words[max(at - _LOOKED_BACK, 0) : at - 1]) if _is_option(word)), None)
    return flag is not None and not _excludes(guard, flag)


def _excludes(guard: Mapping[Choice, int], word: Word) -> bool:
    return any(guard.get(choice, arm) != arm for choice, arm in word.guard)


def doubtful(words: Sequence[Word]) -> set[Word]:
    """The options to which a bare word belongs in some worlds only, since words between come and go."""
    found: set[Word] = set()
    if not guarded(words):
        return found
    options: list[Word] = []
    for word in words:
        if _is_option(word):
            options.append(word)
            continue
        if word.many:
            continue
        mine = dict(word.guard)
        owners: list[Word] = []
        for before in reversed(options):
            if _excludes(mine, before):
                continue
            owners.append(before)
            if all(choice in mine for choice, _ in before.guard):
                break
        if len(owners) > 1 or any(len(owner.guard) != len(word.guard) for owner in owners):
            found.update(owners)
    return found
