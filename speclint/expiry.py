"""Suppressions that end: ``until=2027-01-31`` (that day is the last) and ``until=sglang>=0.6`` in their reason.

Where one has ended, what it would have suppressed is told again, and so is the comment, as SGL003.
"""

from __future__ import annotations

from speclint.lean import NamedTuple, pattern, re
from speclint.text import Span

TYPE_CHECKING = False
if TYPE_CHECKING:
    from speclint.source import SourceFile

CODE = "SGL003"
NAME = "expired-suppression"
RULE: dict[str, object] = {
    "code": CODE,
    "name": NAME,
    "level": "warning",
    "summary": "A suppression that was to hold for a time should go when that time is over.",
    "why": (
        "`until=2027-01-31` or `until=sglang>=0.6` behind the brackets says how long a suppression holds. When the\n"
        "day has passed, or the launch is judged by such a release, the findings that it named are told again, and so\n"
        "is the comment itself. One whose `until` cannot be read goes on to hold and is told as well."
    ),
    "examples": {
        "bad": [
            {
                "host": "shell",
                "text": (
                    "python -m sglang.launch_server --model-path x --no-such-option"
                    "  # speclint: ignore[SGL101] until=2020-01-01\n"
                ),
                "fixed": "python -m sglang.launch_server --model-path x --no-such-option\n",
            }
        ]
    },
}
_UNTIL = pattern(r"(?<!\S)until=(\S+)")
_DAY = pattern(r"\d{4}-\d{2}-\d{2}")


class Until(NamedTuple):
    """How long a suppression holds: the last ``day``, or while the release is not in ``releases``; neither where it
    cannot be read."""

    span: Span
    day: str | None
    releases: str | None

    @property
    def readable(self) -> bool:
        """Whether it says anything."""
        return self.day is not None or self.releases is not None

    def over(self, release: str | None) -> bool:
        """Whether it has ended for a launch that is judged by a release."""
        if self.day is not None:
            from time import strftime

            return strftime("%Y-%m-%d") > self.day
        if self.releases is None or release is None:
            return False
        from speclint.sglang.versions import satisfies

        return satisfies(release, self.releases)


def read(file: SourceFile, start: int, end: int) -> Until | None:
    """What the text of a comment says of its end; None where it says nothing."""
    found = _UNTIL.search(file.text, start, end)
    if found is None:
        return None
    span = Span(file, found.start(), found.end())
    return Until(span, _day(found[1]), _releases(found[1]))


def _day(text: str) -> str | None:
    if not _DAY.fullmatch(text):
        return None
    from time import strptime

    try:
        strptime(text, "%Y-%m-%d")
    except ValueError:
        return None
    return text


def _releases(text: str) -> str | None:
    if not re.match(r"sglang[<>=!~]", text):
        return None
    from speclint.sglang.versions import satisfies

    wanted = text.removeprefix("sglang")
    try:
        satisfies("0.5.0", wanted)
    except ValueError:
        return None
    return wanted
