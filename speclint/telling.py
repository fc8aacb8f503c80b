"""How a command tells what it found: in which format, in which colours, where to."""

from __future__ import annotations

import os
import sys

from speclint.arguments import FORMATS_OF
from speclint.settings import ConfigError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from speclint.analysis import Outcome
    from speclint.arguments import Arguments
    from speclint.changed import Changed
    from speclint.progress import Shown
    from speclint.report.formats import Report
    from speclint.report.style import Style
    from speclint.rules.rule import Rule
    from speclint.run import Linter
    from speclint.settings import Settings


def harden_streams() -> None:
    """A stream that is closed, a character that its encoding lacks or a byte that is no UTF-8 must not end the run."""
    if sys.stdout is None or sys.stderr is None:
        nowhere = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115 - it lasts as long as the process
        sys.stdout, sys.stderr = sys.stdout or nowhere, sys.stderr or nowhere
    for stream in (sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(errors="backslashreplace")


def main_format(settings: Settings) -> str:
    """The format of ``check``: as set, or what shows best where it runs."""
    return settings.output_format or ("github" if os.environ.get("GITHUB_ACTIONS") == "true" else "text")


def limited_format(arguments: Arguments, settings: Settings, known: Sequence[str] = ()) -> str:
    """The format of a command that has only some; a configured one that it lacks is not meant for it."""
    form, known = settings.output_format, known or FORMATS_OF[arguments.command]
    if form in known:
        return str(form)
    if "output-format" in arguments.given:
        names = ", ".join(f"`{name}`" for name in known)
        raise ConfigError(f"--output-format must be one of {names} here, not {form!r}")
    return known[0]


def style(stream: object) -> Style:
    """The colours for a stream; none for None, a file."""
    from speclint.report.style import Style, wants_colour

    return Style(stream is not None and wants_colour(stream))  # type: ignore[arg-type]


class _Unwatched:
    """Shows nothing; that of contextlib would have to be imported."""

    def __enter__(self) -> None: ...

    def __exit__(self, *error: object) -> None: ...


def progress(linter: Linter, settings: Settings) -> _Unwatched | Shown:
    """Shows how far the linter has come while the block runs, if somebody watches."""
    watched = sys.stderr.isatty() and not settings.quiet and not os.environ.get("CI")
    if not watched or os.environ.get("TERM") == "dumb" or sys.platform == "win32":
        return _Unwatched()
    from speclint import progress

    now = progress.Progress()
    linter.over = now.over
    return progress.Shown(now)


def errors(outcome: Outcome) -> None:
    """Tell on standard error what could not be read, and what else is of note."""
    sys.stdout.flush()
    for line in (*outcome.notes, *outcome.errors):
        print(f"speclint: {line}", file=sys.stderr)


def misspelt(arguments: Arguments) -> None:
    """The first path does not exist: was it meant as a command?"""
    from speclint.arguments import command_meant

    meant = command_meant(arguments.words)
    if meant is not None:
        print(f"speclint: did you mean `speclint {meant}`?", file=sys.stderr)


def report(linter: Linter, arguments: Arguments, settings: Settings, outcome: Outcome, fixed: int) -> Report:
    """What the formats of ``check`` are made from."""
    from speclint.report.formats import Report

    def changed() -> Changed | None:
        if arguments.changed_since is None:
            return None
        from speclint.changed import since

        try:
            return since(arguments.changed_since)
        except ValueError as error:
            print(f"speclint: --changed-since: {error}", file=sys.stderr)
            return None

    return Report(outcome, settings, lambda: known_rules(linter, settings), changed, fixed)


def known_rules(linter: Linter, settings: Settings) -> list[Rule]:
    """Every rule, those that are asked of a file as a whole too."""
    from speclint import suppress
    from speclint.rules.rule import Rule

    own = (Rule(data, "") for data in suppress.rules())
    return sorted((*linter.rules(settings), *own), key=lambda rule: rule.code)


def write(path: str, content: str) -> None:
    """Write a report beside the first. Raises ConfigError where that cannot be done."""
    try:
        with open(path, "w", encoding="utf-8", errors="backslashreplace", newline="") as stream:
            stream.write(content)
    except OSError as error:
        raise ConfigError(f"--output: {path}: {error.strerror}") from None
