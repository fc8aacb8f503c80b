"""Whether edits left a file what it was, as its own parser sees it: everything but the edited words, and comments."""

from __future__ import annotations

from speclint.fix.regions import Edited, comments_kept, differences
from speclint.lean import pattern

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from tree_sitter import Node

    from speclint.fix.regions import Range, Region
    from speclint.source import SourceFile

    # What an event is (its kind, anchor, tag and value), and where it stands.
    _Event = tuple[tuple[str, ...], int, int]

_KINDS = ("Mapping", "Sequence")
_COMMENT = pattern(r"#[^\r\n]*")
_TAIL = pattern(r"(?:^|(?<=[ \t\r\n]))(#[^\r\n]*)")


def broken(language: str, old: SourceFile, new: SourceFile, regions: Sequence[Region]) -> str | None:
    """What is wrong with the text after edits, for people; None if nothing is.

    ``language`` is "shell", "python", "yaml" or "document"; other texts have no parser here and pass.
    """
    try:
        if language == "python":
            from speclint.fix import structure_python

            return structure_python.broken(old, new, regions)
        check = {"shell": _shell, "yaml": _yaml, "document": _document}.get(language)
        return check(old, new, regions) if check is not None else None
    except RecursionError:
        return "the file is nested too deeply to be compared"


# -- shell


def shell_nodes(root: Node) -> Iterator[Node]:
    """A node and all below it, in the order of the text."""
    todo = [root]
    while todo:
        node = todo.pop()
        yield node
        todo.extend(reversed(node.children))


def _shell(old: SourceFile, new: SourceFile, regions: Sequence[Region]) -> str | None:
    from speclint.hosts.shell.syntax import Syntax
    from speclint.text import Mapped

    errors: list[int] = []
    comments: list[list[Range]] = []
    for file in (old, new):
        syntax = Syntax(Mapped.of(file))
        nodes = list(shell_nodes(syntax.root))
        errors.append(sum(1 for node in nodes if node.is_error or node.is_missing))
        spans = [syntax.span(node) for node in nodes if node.type == "comment"]
        comments.append([(span.start, span.end) for span in spans if span is not None])
    if errors[1] > errors[0]:
        return "the script would no longer parse"
    if not comments_kept(comments[0], comments[1], old.text, new.text, regions):
        return "a comment would change"
    return None


def _document(old: SourceFile, new: SourceFile, regions: Sequence[Region]) -> str | None:
    """Prose and code of any language have no parser; what looks like a comment is told from the rest all the same."""
    comments = [[found.span(1) for found in _TAIL.finditer(file.text)] for file in (old, new)]
    kept = comments_kept(comments[0], comments[1], old.text, new.text, regions)
    return None if kept else "a comment would change"


# -- YAML


def _yaml(old: SourceFile, new: SourceFile, regions: Sequence[Region]) -> str | None:
    import yaml

    try:
        before = _events(old.text)
    except yaml.YAMLError:
        return None  # a template; nothing to compare with
    try:
        after = _events(new.text)
    except yaml.YAMLError:
        return "the file would no longer be YAML"
    replaced, written = Edited(regions, False), Edited(regions, True)
    # What an edit took out or put in whole is told by its place, since what is there may equal it.
    rest = [event for event in before if not _is_word(event, replaced)]
    now = [event for event in after if not _is_word(event, written)]
    if not (_same(rest, now, replaced, written, True) or _same(before, after, replaced, written, False)):
        return "more than the edited scalars would change"
    comments = [_yaml_comments(f.text) for f in (old, new)]
    if not comments_kept(comments[0], comments[1], old.text, new.text, regions):
        return "a comment would change"
    return None


def _is_word(event: _Event, edited: Edited) -> bool:
    """Whether an event is a scalar, without an anchor and a tag, that stands within what an edit replaced or wrote."""
    key, start, end = event
    return key[:3] == ("ScalarEvent", "None", "None") and edited.whole(start, end)


def _same(
    before: Sequence[_Event], after: Sequence[_Event], replaced: Edited, written: Edited, words_only: bool
) -> bool:
    """Whether nothing but scalars at an edit differs and, if not ``words_only``, mappings and lists that one put in."""
    for a, b in differences([e[0] for e in before], [e[0] for e in after]):
        deleted, added = before[slice(*a)], after[slice(*b)]
        if not (deleted or words_only) and _is_whole(added, written):
            continue
        named = {key[1:3] for key, _, _ in deleted}  # anchors and tags
        if not (
            all(key[0] == "ScalarEvent" for key, _, _ in (*deleted, *added))
            and all(replaced.near(start, end) for _, start, end in deleted)
            and (deleted or all(written.near(start, end) for _, start, end in added))
            and all(key[1:3] in (named or {("None", "None")}) for key, _, _ in added)
        ):
            return False
    return True


def _is_whole(added: Sequence[_Event], written: Edited) -> bool:
    """Whether what was put in is whole mappings and lists; where these end by themselves may lie behind the edit."""
    kinds = [key[0] for key, _, _ in added]
    scalars = [event for event in added if event[0][0] == "ScalarEvent"]
    return (
        "MappingStartEvent" in kinds
        and set(kinds) <= {"ScalarEvent", *(f"{kind}{end}Event" for kind in _KINDS for end in ("Start", "End"))}
        and all(kinds.count(f"{kind}StartEvent") == kinds.count(f"{kind}EndEvent") for kind in _KINDS)
        and all(key[1:3] == ("None", "None") for key, _, _ in added)
        and all(written.near(start, end) for _, start, end in scalars)
    )


def _events(text: str) -> list[_Event]:
    import yaml

    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    found = []
    for event in yaml.parse(text, Loader=loader):
        key = (type(event).__name__, *(str(getattr(event, name, None)) for name in ("anchor", "tag", "value")))
        start, end = event.start_mark, event.end_mark
        found.append((key, start.index if start else 0, end.index if end else 0))
    return found


def _yaml_comments(text: str) -> list[Range]:
    """Comments between tokens; what looks like one in a scalar is text."""
    import yaml

    found: list[Range] = []
    at = 0
    for token in yaml.scan(text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader)):
        start = token.start_mark.index
        found.extend((m.start(), m.end()) for m in _COMMENT.finditer(text, at, max(at, start)))
        at = max(at, token.end_mark.index)
    found.extend((m.start(), m.end()) for m in _COMMENT.finditer(text, at))
    return found
