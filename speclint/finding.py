"""What speclint says: findings, and the fixes that go with them."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from speclint.launch import Launch
    from speclint.text import Span

LEVELS = ("info", "warning", "error")
APPLICABILITIES = ("display", "unsafe", "safe")


class Edit:
    """Replace the characters of ``span`` by ``content``; an empty span inserts, empty content deletes."""

    __slots__ = ("content", "span")

    def __init__(self, span: Span, content: str) -> None:
        self.span = span
        self.content = content

    def key(self) -> tuple[str, int, int, str]:
        """For sorting and comparing."""
        return (*self.span.key(), self.content)


class Fix:
    """Edits that belong together: all are made or none.

    ``applicability``: "safe" (what the user surely meant), "unsafe" (valid, meaning may change) or "display" (shown,
    never applied). ``message`` completes "fix:" ("set `--speculative-eagle-topk` to 1").
    """

    __slots__ = ("applicability", "edits", "message")

    def __init__(self, applicability: str, message: str, edits: Iterable[Edit]) -> None:
        self.applicability = applicability
        self.message = message
        self.edits = tuple(sorted(edits, key=Edit.key))


class Finding:
    """One thing that is wrong with one launch.

    ``code``, ``name``: of the rule. ``level``: "error", "warning" or "info". ``span``: the token to blame. ``flag``:
    the spelling used in the file, or None. ``version``: the SGLang release judged by. ``related``: other places, each
    with what stands there. ``launch``: None for findings on a file as a whole. ``fix``: the fix, or None; ``others``:
    alternatives to it that editors may offer. ``sharers``: further launches with the same words and so the same
    finding, which is told once.
    """

    __slots__ = (
        "code", "fix", "flag", "launch", "level", "message", "name", "others", "related", "sharers", "span", "version",
    )  # fmt: skip

    def __init__(
        self,
        code: str,
        name: str,
        level: str,
        message: str,
        span: Span,
        flag: str | None = None,
        version: str | None = None,
        related: Sequence[tuple[str, Span]] = (),
        launch: Launch | None = None,
        fix: Fix | None = None,
        others: Sequence[Fix] = (),
    ) -> None:
        self.code = code
        self.name = name
        self.level = level
        self.message = message
        self.span = span
        self.flag = flag
        self.version = version
        self.related = tuple(related)
        self.launch = launch
        self.fix = fix
        self.others = tuple(others)
        self.sharers: list[Launch] = []

    def key(self) -> tuple[str, int, int, str]:
        """Findings are told in the order of their places."""
        return (*self.span.key(), self.code)

    def __repr__(self) -> str:
        return f"Finding({self.code}, {self.level}, {self.span!r}, {self.message!r})"


def unique(findings: Iterable[Finding]) -> list[Finding]:
    """Findings by place, each once though several launches may share the words.

    One launch may have a word with the quotes around it, another the text between them.
    """
    found: list[Finding] = []
    last: dict[tuple[str, str], Finding] = {}
    for finding in sorted(findings, key=Finding.key):
        first = last.get((finding.code, finding.message))
        if first is None or not _is_within(finding.span, first.span):
            last[finding.code, finding.message] = finding
            found.append(finding)
        elif finding.launch is not None:
            first.sharers.append(finding.launch)
    return found


def _is_within(inner: Span, outer: Span) -> bool:
    return inner.file is outer.file and outer.start <= inner.start and inner.end <= outer.end
