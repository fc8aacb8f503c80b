"""Arrays that ``mapfile`` and ``read -a`` fill with what they are given: ``<<< "$X"``, ``< <(f)``, a here-document."""

from __future__ import annotations

from speclint.hosts.bounds import MAX_WORDS
from speclint.hosts.programs import SHELLS
from speclint.hosts.shell.calls import PRINTS, strip_newlines
from speclint.hosts.shell.printing import output, output_of
from speclint.lean import pattern, re
from speclint.splitting import split
from speclint.text import Mapped
from speclint.value import EMPTY, Joined, Known, OneOf, Unknown, join
from speclint.words import Word, many

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from tree_sitter import Node

    from speclint.hosts.shell.follower import Follower
    from speclint.hosts.shell.run import Runner
    from speclint.text import Span
    from speclint.value import Value


_TEE = pattern(r"(?:sudo[ \t]+)?tee[ \t]")
_BLANKS = " \t\n"
# Stands for characters that are not known: in a line it separates nothing.
UNTOLD = "\n"
_BATCH = ("sbatch", "bsub", "qsub")
# Programs that hand on their input to the one that they start.
_HANDING_ON = frozenset(("docker", "podman", "nerdctl", "kubectl", "oc", "sudo", "srun"))
# Arguments of a shell that reads its commands from its input.
_FROM_INPUT = frozenset(("-s", "-", "-e", "-x", "-ex", "-l", "-ls", "-se", "-xe"))


def feed(runner: Runner, words: Sequence[Word], node: Node) -> None:
    """Give an array the elements that a command reads, where the text tells them."""
    texts = [word.text or "" for word in words]
    reads = texts[0] == "read"
    # Of `read` the array stands behind its option, which others may share a dash with.
    name = next((texts[i + 1] for i, text in enumerate(texts[:-1]) if text in ("-a", "-ra")), "")
    options = {"-r", "-a", "-ra"} if reads else {"-t"}
    name = name if reads else texts[-1]
    if not name.isidentifier() or not set(texts[1:]) <= {*options, name} or (not reads and "-t" not in texts):
        return
    value = given(runner, node)
    separate = separator(runner, node) if reads else None
    if value is None or separate == UNTOLD:
        return
    span = runner.syntax.span(node)
    line = strip_newlines(value)
    if not reads:
        items = list(lines(value, span))
    elif not _is_line(line):
        return
    elif separate is None:
        items = split([(line, True)], span)
    elif isinstance(line, Known):
        found = [Known(line.text[start:end], line.steps) for start, end in bounds(line.text.text, separate, MAX_WORDS)]
        items = [Word(field, field.text.place() or span) for field in found]
    else:
        return
    runner.env.assign(name, None, tuple(items))


def pipe(runner: Runner, commands: Sequence[Node]) -> None:
    """``echo "command" | ssh host bash``: what is printed is run."""
    if len(commands) == 2 and runs_input(runner, commands[1]):
        from speclint.hosts.shell.documents import run_text

        value = output_of(runner, commands[0])
        if value is not None:
            run_text(runner, value, by=commands[1])
    elif len(commands) == 2 and runner.syntax.holds(commands[0], *PRINTS):
        from speclint.hosts.shell import written

        name = _TEE.match(runner.syntax.string(commands[1]))
        if name is not None:
            written.read(runner, commands[0], name.string[name.end() :])


def runs_input(runner: Follower, node: Node) -> bool:
    """Whether a command runs what it reads: a shell, here or elsewhere."""
    command = node.child_by_field_name("body") if node.type == "redirected_statement" else node
    words = [c for c in command.named_children if c.type != "variable_assignment"] if command is not None else []
    names = [runner.syntax.string(word).strip("\"'") for word in words]
    first = names[0].rpartition("/")[2] if names else ""
    if first == "ssh":  # what is named behind the host reads it
        return any(name.rpartition("/")[2].partition(" ")[0] in SHELLS for name in names)
    if first in _HANDING_ON:
        at = next((i for i, name in enumerate(names) if name.rpartition("/")[2] in SHELLS), len(names))
        return at < len(names) and set(names[at + 1 :]) <= _FROM_INPUT
    return first in _BATCH or (first in SHELLS and set(names[1:]) <= _FROM_INPUT)


def given(runner: Follower, node: Node) -> Value | None:
    """What a command reads; None where that is not told."""
    around = node.parent
    inputs = [*node.named_children]
    inner = node
    while around is not None and around.type == "list" and around.named_children[-1].id == inner.id:
        inner, around = around, around.parent
    if around is not None and around.type == "redirected_statement":
        inputs += [child for child in around.named_children if child.id != inner.id]
    for source in inputs:
        if source.type == "herestring_redirect" and source.named_children:
            return join([runner.expander().value(source.named_children[-1]), Known(Mapped.new("\n"))])
        if source.type == "heredoc_redirect":
            from speclint.hosts.shell.documents import value_of

            return value_of(runner, source)
        if source.type == "file_redirect":
            target = source.child_by_field_name("destination")
            if target is not None and target.type == "process_substitution":
                return output(runner, target)
    return None


def separator(runner: Follower, node: Node) -> str | None:
    """The characters of ``IFS``; None for blanks, UNTOLD where they are not known."""
    value: Value | None = None
    for child in node.named_children:
        name = child.child_by_field_name("name") if child.type == "variable_assignment" else None
        if name is not None and runner.syntax.string(name) == "IFS":
            given = child.child_by_field_name("value")
            value = EMPTY if given is None else runner.expander().value(given)
    if value is None:
        held = runner.env.variables.get("IFS")
        if held is None:
            return None
        value = held.scalar()
    if not isinstance(value, Known):
        return UNTOLD
    text = value.text.text
    if text and not text.strip(_BLANKS):
        return None if " " in text or "\t" in text else UNTOLD
    return text if not any(char in _BLANKS for char in text) else UNTOLD


def bounds(line: str, separate: str | None, count: int) -> list[tuple[int, int]]:
    """Where the fields of a line stand; the last of ``count`` takes what is left."""
    if separate == "":
        return [(0, len(line))]
    ends = re.compile(r"[ \t]+" if separate is None else f"[{re.escape(separate)}]")
    at = len(line) - len(line.lstrip(" \t")) if separate is None else 0
    stop = len(line.rstrip(" \t")) if separate is None else len(line)
    found: list[tuple[int, int]] = []
    while len(found) < count - 1 and at < stop:
        met = ends.search(line, at, stop)
        if met is None:
            break
        found.append((at, met.start()))
        at = met.end()
    if at < stop:
        last = line[at:stop]
        # One that ends the last field is none of it.
        inner = ends.search(last)
        short = separate is not None and inner is not None and inner.end() == len(last)
        found.append((at, stop - short))
    return found


def _is_line(value: Value) -> bool:
    """Whether a value is surely no more than a line; one that is not known is taken for one, as who reads it does."""
    if isinstance(value, Joined | OneOf):
        return all(map(_is_line, value.parts if isinstance(value, Joined) else value.arms))
    return not isinstance(value, Known) or "\n" not in value.text.text


def lines(value: Value, span: Span | None) -> Iterator[Word]:
    """The lines of a value as words; alternatives of whole lines are words that are there in one case."""
    line: Value = EMPTY
    for part in value.parts if isinstance(value, Joined) else (value,):
        if isinstance(part, Known):
            *whole, rest = _split(part)
            for text in whole:
                yield _word(join([line, text]), span)
                line = EMPTY
            line = join([line, rest]) if rest.text.text else line
        elif isinstance(part, OneOf) and line is EMPTY and all(map(_is_whole, part.arms)):
            for index, arm in enumerate(part.arms):
                yield from (word.when(part.choice, index) for word in lines(arm, span))
        else:
            line = join([line, part])
    if line is not EMPTY and not (isinstance(line, Known) and not line.text.text):
        yield _word(line, span)


def _is_whole(value: Value) -> bool:
    """Whether a value is nothing but whole lines, whatever is chosen."""
    last = value.parts[-1] if isinstance(value, Joined) else value
    if isinstance(last, OneOf):
        return all(map(_is_whole, last.arms))
    return isinstance(last, Known) and (last.text.text.endswith("\n") or (last is value and not last.text.text))


def _split(part: Known) -> list[Known]:
    found: list[Known] = []
    at = 0
    for text in part.text.text.split("\n"):
        found.append(Known(part.text[at : at + len(text)], part.steps))
        at += len(text) + 1
    return found


def _word(line: Value, span: Span | None) -> Word:
    if isinstance(line, Unknown):
        return many(line.reason, span)
    written = line.text.place() if isinstance(line, Known) else None
    return Word(line, written or span) if _is_line(line) else many("how many lines it has is not known", span)
