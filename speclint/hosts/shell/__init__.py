"""The shell host: what a script runs, read without running it.

The script is followed statement by statement with the variables it sets. Branches are all taken and joined again,
functions are followed where they are called, loops are read once. A value that only the run can tell is unknown.
"""

from __future__ import annotations

from speclint.hosts.shell.env import Env
from speclint.hosts.shell.run import Runner
from speclint.hosts.shell.syntax import Syntax
from speclint.hosts.shell.trigger import may_launch
from speclint.lean import pattern
from speclint.text import Mapped, Span
from speclint.words import Command

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from speclint.source import SourceError, SourceFile
    from speclint.words import Word

# Shell text inside shell text inside … deeper than this is not read.
MAX_DEPTH = 8
# Of a script of fewer bytes it takes longer to tell what matters than to follow all of it.
_SMALL = 1500
# Of a script of so many characters what matters is told part by part, before all of it is parsed at once.
_HUGE = 1_000_000
# Where a first line is looked at that names the shell.
_FIRST_LINE = 80
_BARE = pattern(r"(?:(?<!\\)\n|\A)[ \t]*[\"']?--")
# What reads in another script. Expressions that begin with a word take a tenth of the time of any that do not.
_SOURCES = (
    pattern(r"source(?:(?<=^source)|(?<=[\s;&|({]source))[ \t]+\S"),
    pattern(r"\.(?:(?<=^\.)|(?<=[\s;&|({]\.))[ \t]+\S"),
)


def read(file: SourceFile, problems: list[SourceError] | None = None) -> list[Command]:
    """Every command that a script runs and that may be a launch, and others before the last of these.

    A shell reads on after an error, so nothing is ever unreadable here.
    """
    if not may_launch(file.text.encode("utf-8", "surrogateescape")):
        return []
    base = Command((), Span(file, 0, len(file.text)), "shell", fixable=file.clean)
    if "--container-image" in file.text:
        from speclint.hosts import containers

        base.image = containers.of_job(file)
    env = Env()
    if "zsh" in file.text[:_FIRST_LINE] or file.path.endswith(".zsh"):
        from speclint.hosts.shell import zsh

        env.zsh = zsh.is_used(file)
    path: str | None = None
    if any(sources.search(file.text) for sources in _SOURCES):
        from speclint.hosts.shell.paths import Project

        env.project = Project(file)
        path = env.project.script
    text = Mapped.of(file)
    if "{{" in file.text or "{%" in file.text or _is_angled(file.text):
        from speclint.hosts.shell import filled

        known = filled.template(text)
        if known is not None:
            text, base.fixable = known, False
        text = filled.angles(text)
    if path is None and len(file.text) >= _HUGE:
        from speclint.hosts.shell.large import narrowed

        text = narrowed(text)
    syntax = Syntax(text, path)
    return _run(syntax, env, base, 0, whole=False, narrows=path is not None or syntax.size > _SMALL)


def _is_angled(text: str) -> bool:
    """Whether a name in angles may stand at the end of a line or before an option."""
    return "<" in text and ("> \\" in text or ">\n" in text or "> --" in text)


def read_text(text: Mapped, base: Command, positional: Sequence[Word] | None = None, depth: int = 0) -> list[Command]:
    """Every command that shell text runs.

    ``base`` is what runs the text: its environment, image and object hold for the commands inside. ``positional`` are
    the words that the text sees as ``$1`` and so on; None where the caller gives them.
    """
    if depth > MAX_DEPTH:
        return []
    if _is_angled(text.text):
        from speclint.hosts.shell import filled

        text = filled.angles(text)
    return _run(Syntax(text), _given(base, positional), base, depth)


def read_shown(text: Mapped, base: Command, every: bool = False) -> tuple[list[Command], bool]:
    """Every command of shell text in a document, up to the last one that may be a launch; whether all of it parses.

    ``every``: also those that certainly are none.
    """
    syntax = Syntax(text)
    broken = syntax.root.has_error
    # Commands that are options alone may go on on the next line, see recipes.
    whole = broken or _BARE.search(text.text) is not None
    return _run(syntax, _given(base, None), base, 0, whole, shown=True, every=every), not broken


def _given(base: Command, positional: Sequence[Word] | None) -> Env:
    env = Env()
    env.positional = None if positional is None else tuple(positional)
    for name, value in base.env.items():
        env.given(name, value)
    return env


def _run(
    syntax: Syntax,
    env: Env,
    base: Command,
    depth: int,
    whole: bool = True,
    shown: bool = False,
    every: bool = False,
    narrows: bool = False,
) -> list[Command]:
    try:
        runner = Runner(syntax, env, base, depth)
        if narrows:
            runner.narrow(_SMALL)
        if whole:
            runner.run(syntax.root)
        else:
            runner.script(shown, every)
        return runner.finish()
    except RecursionError:
        return []
