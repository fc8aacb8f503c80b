"""The actions of a template (``{{ … }}``, ``{% … %}``) in YAML text, and where its block scalars lie."""

from __future__ import annotations

from bisect import bisect_right

from speclint.lean import pattern
from speclint.value import Choice

TYPE_CHECKING = False
if TYPE_CHECKING:
    import re
    from collections.abc import Sequence

    from speclint.text import Span

# Longer ones are no actions; without an end the search for one of each would take quadratic time.
_MAX_ACTION = 2000
_OPENERS = frozenset(("if", "range", "with", "define", "block", "for", "macro"))
_BODIES = ("define", "block", "macro")
_NOTES = frozenset(("set", "import", "from", "extends", "break", "continue", "fail", "raw"))
_BEGIN = pattern(r"\$?\{\{|\{[%#]")
_CLOSE = {"{{": "}}", "{%": "%}", "{#": "#}"}
_COMMENT = pattern(r"-?\s*/\*")
_FIRST = pattern(r"[$.\w]+")
_ASSIGNS = pattern(r"\$\w+(?:\s*,\s*\$\w+)?\s*:?=[^=]")
_HEADER = pattern(r"(?:^|[ \t:?-])[|>][-+0-9]{0,2}[ \t]*(?:#.*)?$")
_HELM = pattern(
    r"\{\{-?\s*(?:if|range|with|include|template|define|toYaml|end|/\*|[.$]"
    r"|(?:printf|quote|required|default|coalesce)\s+[\"`.$(\d])"
)


class Action:
    """One action: "open", "else" and "end" steer, "note" is a comment or an assignment, "hole" is filled in."""

    __slots__ = ("arms", "end", "inside", "kind", "start", "stop")

    def __init__(self, start: int, end: int, kind: str, inside: str) -> None:
        self.start = start
        self.end = end
        self.kind = kind
        self.inside = inside
        self.arms: list[int] = []  # of an opener: the indexes of its else actions
        self.stop: int | None = None  # of an opener: the index of its end

    @property
    def is_body(self) -> bool:
        """Whether it names a part for use elsewhere, and is no condition."""
        return self.inside.startswith(_BODIES)


def is_template(text: str) -> bool:
    """Whether there may be any action."""
    return "{{" in text or "{%" in text


def looks_like_helm(text: str) -> bool:
    """Whether the text has the looks of a chart's template."""
    return bool(_HELM.search(text))


def scan(text: str) -> list[Action]:
    """Every action in order, openers matched with their ends."""
    found: list[Action] = []
    opened: list[Action] = []
    done = 0
    for match in _BEGIN.finditer(text):
        if match.start() < done:
            continue
        action = _action(text, match)
        if action is None:
            continue
        done = action.end
        if action.kind == "open":
            opened.append(action)
        elif action.kind == "else" and opened:
            opened[-1].arms.append(len(found))
        elif action.kind == "end" and opened:
            opened.pop().stop = len(found)
        found.append(action)
    return found


def _action(text: str, match: re.Match[str]) -> Action | None:
    mark = match.group()[-2:]
    begin = match.end()
    if mark == "{{" and _COMMENT.match(text, begin, begin + 40):
        end = text.find("*/", begin, begin + 10 * _MAX_ACTION)
        end = text.find("}}", end, end + 40) if end >= 0 else -1
    elif mark == "{{" and text.startswith("`", begin):
        # A literal, in which braces are written for another template.
        end = text.find("`", begin + 1, begin + _MAX_ACTION)
        end = text.find("}}", end, end + 40) if end >= 0 else -1
    else:
        end = text.find(_CLOSE[mark], begin, begin + _MAX_ACTION)
    if end < 0:
        return None
    inside = text[begin:end].strip("-+ \t\r\n")
    kind = "hole" if match.group()[0] == "$" else _kind(mark, inside)
    # `{{` of other languages, its end lines below: an action of several lines begins with a blank or a dash.
    if kind == "hole" and "\n" in inside and text[begin : begin + 1] not in ("-", " ", "\n", "\r"):
        return None
    return Action(match.start(), end + 2, kind, inside)


def _kind(mark: str, inside: str) -> str:
    if mark == "{#" or inside.startswith("/*"):
        return "note"
    first = _FIRST.match(inside)
    word = first.group() if first else ""
    if word in _OPENERS:
        return "open"
    if word in ("else", "elif"):
        return "else"
    if word == "end" or (mark == "{%" and word.startswith("end")):
        return "end"
    return "note" if mark == "{%" or word in _NOTES or _ASSIGNS.match(inside) else "hole"


def choice_of(action: Action, actions: Sequence[Action], span: Span | None) -> Choice | None:
    """The choice that an ``if`` or a ``with`` makes: an arm for each condition, and one for none of them."""
    if action.inside.split(None, 1)[0] not in ("if", "with"):
        return None
    written = [action.inside, *(actions[i].inside.removeprefix("else").strip() for i in action.arms)]
    conditions = [" ".join(c.split()) for c in written if c]
    labels = [f"the template's `{c}` holds" for c in conditions]
    if len(conditions) == 1:
        labels.append(f"the template's `{conditions[0]}` does not hold")
    else:
        labels.append("none of the template's conditions holds")
    return Choice("branch", labels, span)


def blocks(text: str, actions: Sequence[Action]) -> list[tuple[int, int, int]]:
    """Where block scalars lie, told by indentation alone: start, end and indentation of each."""
    found: list[tuple[int, int, int]] = []
    starts = [a.start for a in actions]
    begin: int | None = None
    indent: int | None = None
    parent = at = 0
    for line in text.splitlines(keepends=True):
        start, at = at, at + len(line)
        lead = len(line) - len(line.lstrip(" "))
        if not line.strip() or _steers(actions, starts, start + lead, start + len(line.rstrip())):
            continue
        if begin is not None and indent is None and lead > parent:
            indent = lead
        if begin is not None and (indent is None or lead < indent):
            if indent is not None:
                found.append((begin, start, indent))
            begin = indent = None
        if begin is None and _HEADER.search(line.rstrip()):
            begin, parent = at, lead
    if begin is not None and indent is not None:
        found.append((begin, len(text), indent))
    return found


def _steers(actions: Sequence[Action], starts: Sequence[int], start: int, end: int) -> bool:
    """Whether a line is an action, or lies within one: its indentation means nothing."""
    index = bisect_right(starts, start) - 1
    if index < 0:
        return False
    action = actions[index]
    return action.start <= start < action.end and (action.kind != "hole" or action.end >= end)
