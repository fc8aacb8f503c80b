"""``source FILE``: scripts of the same project that a script reads in, with the functions and variables they define.

What they set is followed as if it stood in the script. What they run is a launch of the script only where the script
gives it words: all else is found where it is written. Nothing is ever edited there.
"""

from __future__ import annotations

import posixpath

from speclint.hosts.shell.env import Env
from speclint.hosts.shell.survey import TOOLS
from speclint.hosts.shell.syntax import Syntax
from speclint.text import Mapped
from speclint.value import Joined, Known, OneOf

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from tree_sitter import Node

    from speclint.hosts.shell.run import Runner
    from speclint.source import SourceFile
    from speclint.value import Value
    from speclint.words import Command, Word

_MAX_FILES = 16
_MAX_KEPT = 32
_kept: dict[int, tuple[SourceFile, Syntax]] = {}


def follow(runner: Runner, node: Node, words: Sequence[Word]) -> None:
    """Go through the file that a ``source`` names as if it stood here."""
    if len(words) < 2:
        return
    syntax = _found(runner, node)
    if syntax is None:
        _doubt(runner, node, words[1])
        return
    if any(syntax is s for s in runner.going) or len(runner.sources) >= _MAX_FILES:
        return
    outer = runner.syntax, runner.place, runner.env.positional
    runner.sources.append(syntax)
    _expect(runner, syntax)
    runner.going.append(syntax)
    runner.place = runner.place or runner.syntax.span(node)
    runner.syntax = syntax
    if len(words) > 2:
        runner.env.positional = tuple(words[2:])
    runner.run(syntax.root)
    runner.syntax, runner.place, runner.env.positional = outer
    runner.going.pop()
    runner.env.ended = False


def gather(runner: Runner) -> list[Syntax]:
    """The files that a script reads in, found by following what leads to them and nothing else."""
    if not runner.own.outline.sources:
        return []
    env = Env()
    env.project = runner.env.project
    scout = type(runner)(runner.own, env, runner.base, runner.depth)
    scout.scouts = True
    _look_for_sources(scout)
    scout.run(runner.own.root)
    for name, (syntax, body) in list(env.functions.items()):
        if syntax is scout.own and name not in scout.called:
            scout.alone(body)
    found = list(dict.fromkeys(scout.sources))
    for script in (scout.own, *found):
        script.wanted = None
    return found


def _look_for_sources(scout: Runner) -> None:
    from speclint.hosts.shell.marks import Marks

    scripts = tuple(dict.fromkeys((scout.own, *scout.sources)))
    marks = Marks(scripts, (), sources=True)
    for script, spots in zip(scripts, marks.spots, strict=True):
        script.wanted = spots


def _expect(runner: Runner, syntax: Syntax) -> None:
    """Prepare for a script that is read in: one that was not foreseen is followed as a whole, and all from here on."""
    if runner.scouts:
        _look_for_sources(runner)
    elif runner.before is None:
        syntax.wanted = None
    elif syntax not in runner.before:
        runner.before = None
        for script in (runner.own, *runner.sources):
            script.wanted = None


def _found(runner: Runner, node: Node) -> Syntax | None:
    """The file that a ``source`` names, parsed; None where it is not in the project or cannot be told."""
    project = runner.env.project
    named = [c for c in node.named_children if c.type not in ("variable_assignment", "file_redirect")]
    if project is None or runner.syntax.path is None or len(named) < 2:
        return None
    file = project.find(named[1], runner.expander())
    if file is None:
        return None
    return _parsed(file, posixpath.relpath(file.path, posixpath.dirname(project.file.path) or "."))


def _parsed(file: SourceFile, path: str) -> Syntax:
    kept = _kept.get(id(file))
    if kept is None or kept[0] is not file:
        if len(_kept) >= _MAX_KEPT:
            _kept.clear()
        kept = _kept[id(file)] = (file, Syntax(Mapped.of(file), path))
    kept[1].path = path
    return kept[1]


def _doubt(runner: Runner, node: Node, word: Word) -> None:
    """A file that cannot be read may set every variable anew."""
    text = runner.label(node).partition(" ")[2]
    if TOOLS.search(word.text or text.strip("\"'")):
        return
    from speclint.hosts.shell import naming

    naming.doubt(runner, node, text)


def concerns(command: Command, file: SourceFile) -> bool:
    """Whether any word of a command that stands in another file comes from ``file``."""
    return any(_touches(word.value, file) for word in command.words)


def _touches(value: Value, file: SourceFile) -> bool:
    if isinstance(value, OneOf | Joined):
        return any(_touches(part, file) for part in (value.arms if isinstance(value, OneOf) else value.parts))
    if any(step.span is not None and step.span.file is file for step in value.steps):
        return True
    text = value.text if isinstance(value, Known) else value.prefix
    return text is not None and any(p.span is not None and p.span.file is file for p in text.pieces)


def settle(runner: Runner) -> None:
    """Tell the definitions of the script who reads them in the files that it sources."""
    for syntax in dict.fromkeys(runner.sources):
        for definition in runner.definitions:
            definition.uses += syntax.uses(definition.name)
