"""Commands that set a variable whose name stands in a word: ``eval``, ``declare "$NAME=…"``, ``printf -v "$NAME"``; and
other names for one (``local -n``)."""

from __future__ import annotations

from speclint.hosts.shell.env import Variable
from speclint.hosts.shell.events import ANOTHER
from speclint.hosts.shell.syntax import TEXTS
from speclint.lean import pattern, re
from speclint.text import HOLE
from speclint.value import Choice, Joined, Known, OneOf, Step, Unknown, as_mapped
from speclint.words import many

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from tree_sitter import Node

    from speclint.hosts.shell.assign import Assignments
    from speclint.hosts.shell.follower import Follower
    from speclint.text import Mapped
    from speclint.value import Value
    from speclint.words import Word

_NAME = rf"(?P<name>[A-Za-z_{HOLE}][\w{HOLE}]*)(?P<more>\+?)="
_ASSIGNED = pattern(rf"{_NAME}(?P<value>.*)", re.DOTALL)
# Of a text that sets more variables than this the others are not told apart.
_MAX_SET = 64
# Statements of a text that do nothing else; of a value only what means itself is taken.
_STATEMENT = pattern(
    rf"(?:\A|[;&|\n({{])[ \t]*(?:(?:export|declare|typeset|readonly|local)\s+(?:-\w+\s+)*)?{_NAME}"
    r"(?:(?P<quote>[\"']?)(?P<value>[\w./:,%+@-]*)(?P=quote)(?=[\s;&|)}]|\Z))?"
)


def doubt(runner: Follower, node: Node, text: str, prefix: str = "") -> None:
    """What a text names may be any variable that begins with ``prefix``: each may keep what it has, or not."""
    labels = (f"`{text}` leaves it as it is", f"`{text}` sets it")
    choice = Choice("default", labels, runner.syntax.span(node))
    for name, variable in runner.env.variables.every().items():
        if name.startswith(prefix) and isinstance(variable.value, Known | Joined):
            other = Unknown(f"`{text}` may set `{name}`")
            value = OneOf(choice, (variable.value, other))
            runner.env.variables[name] = Variable(value, None, variable.exported, variable.path)


def evaluated(runner: Follower, node: Node, words: Sequence[Word]) -> None:
    """``eval``: the variables that its text sets."""
    from speclint.words import as_text

    text, label = as_text(words[1:]), runner.label(node)
    for count, found in enumerate(_STATEMENT.finditer(text.text)):
        if count == _MAX_SET:
            doubt(runner, node, label)
            break
        bounds = found.span("value") if found["value"] is not None and not found["more"] else None
        _give(runner, node, label, found["name"], text, bounds)


def declaration(runner: Assignments, node: Node, flags: str, hides: bool, exports: bool) -> None:
    """What ``declare``, ``export`` and ``local`` set beside plain assignments, and which names are others for some.

    ``hides``: in a function the names are its own. ``exports``: what is set is handed on to programs.
    """
    for child in node.named_children:
        if child.type in TEXTS:
            for word in runner.words([child]):
                _declared(runner, node, word, hides, exports)
        elif flags.startswith("-") and "n" in flags and child.type == "variable_assignment":
            _alias(runner, child)


def _declared(runner: Assignments, node: Node, word: Word, hides: bool, exports: bool) -> None:
    text = as_mapped(word.value)
    found = _ASSIGNED.fullmatch(text.text)
    if found is None:
        if text.text.startswith(HOLE):
            doubt(runner, node, runner.label(node))
        return
    if hides:
        runner.env.hide(found["name"])
    bounds = None if found["more"] or word.guard else found.span("value")
    _give(runner, node, runner.label(node), found["name"], text, bounds)
    if exports and HOLE not in found["name"]:
        runner.env.export(found["name"])


def named(runner: Follower, node: Node, words: Sequence[Word]) -> None:
    """``printf -v`` and ``read`` where the name is not known."""
    texts = [word.text for word in words]
    if texts[0] == "printf":
        at = texts.index("-v") + 1 if "-v" in texts else len(texts)
        words = words[at : at + 1]
    else:
        words = [word for word, text in zip(words[1:], texts[1:], strict=True) if text is None]
    for word in words:
        if word.text is None:
            doubt(runner, node, runner.label(node), word.prefix)


def _give(runner: Follower, node: Node, label: str, name: str, text: Mapped, bounds: tuple[int, int] | None) -> None:
    """Set a variable to a part of a text, or to what is not known."""
    if HOLE in name:
        doubt(runner, node, label, name.partition(HOLE)[0])
        return
    value: Value = Unknown(f"`{name}` is set by `{label}`")
    if bounds is not None and not text[bounds[0] : bounds[1]].holes():
        step = Step("assigned", f"`{name}` is set here", runner.syntax.span(node))
        value = Known(text[bounds[0] : bounds[1]], (step,))
    runner.env.assign(name, value)


def _alias(runner: Follower, node: Node) -> None:
    """``local -n NAME=OTHER``: it reads what the other has; where it is ever set, the other is not known."""
    name, source = node.child_by_field_name("name"), node.child_by_field_name("value")
    if name is None or source is None:
        return
    own, value = runner.syntax.string(name), runner.expander().value(source)
    other = value.text.text if isinstance(value, Known) else ""
    variable = runner.env.variables.get(other)
    reason = f"`{own}` is another name of it"
    if not other.isidentifier() or variable is None:
        runner.env.assign(own, None, (many(f"`{own}` is another name of what is not known", None),))
    elif all(event.up is not None and event.up.name == ANOTHER for event in runner.syntax.outline.setters.get(own, ())):
        runner.env.variables[own] = variable
    else:
        for one in (own, other):
            is_array = variable.items is not None
            runner.env.assign(one, None if is_array else Unknown(reason), (many(reason, None),) if is_array else None)
