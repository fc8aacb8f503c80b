"""Here-documents: scripts, and files of other kinds that somebody runs later."""

from __future__ import annotations

from speclint.hosts import blocks
from speclint.hosts.programs import SHELLS
from speclint.hosts.shell.syntax import literal
from speclint.lean import pattern
from speclint.value import as_mapped, join

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tree_sitter import Node

    from speclint.hosts.shell.follower import Follower
    from speclint.hosts.shell.run import Runner
    from speclint.value import Value
    from speclint.words import Command

# Programs that hand their standard input to a shell.
_REMOTE = frozenset(
    ("ssh", "sbatch", "bsub", "qsub", "srun", "docker", "podman", "kubectl", "sudo", "su", "env", "nohup")
)
_SCRIPTS = (".sh", ".bash", ".zsh", ".sbatch", ".slurm")
# What a shell is told that writes what it reads to a file.
_WRITES = pattern(r"[\"']\s*(?:sudo\s+)?(?:cat\s*>|tee\s)")
# How many commands may have been met since.
_LAST_MET = 4
# Of the line that begins a here-document no more is looked at.
_MAX_HEAD = 1000
_TARGET = pattern(r"(?:>>?|\btee\b(?:[ \t]+-\w+)*)[ \t]*[\"']?(?P<path>[^\s\"'|<>&;]+)")
_STDIN = r"[^|;\n]*[ \t](?:-f|--filename|--file|--values)(?:[ \t]+|=|)-(?=[\s|;<&)]|\Z)"
_KINDS = {
    "yaml": pattern(rf"\b(?:kubectl|oc|helm|docker[ -]compose|podman[ -]compose|docker[ \t]+stack)\b{_STDIN}"),
    "dockerfile": pattern(
        rf"\b(?:docker|podman|nerdctl|buildah)[ \t]+(?:buildx[ \t]+)?build\b(?:{_STDIN}|[^|;\n]*[ \t]-(?=[\s|;<]|\Z))"
    ),
    "python": pattern(r"(?:^|[ \t/])python[\d.]*(?:[ \t]+-[A-Za-z]+)*(?:[ \t]+-(?=[\s<])|[ \t]*<<)"),
}


def value_of(runner: Follower, heredoc: Node) -> Value | None:
    """The text of a here-document, with its expansions unless its end marker is quoted."""
    start = next((c for c in heredoc.named_children if c.type == "heredoc_start"), None)
    body = next((c for c in heredoc.named_children if c.type == "heredoc_body"), None)
    if start is None or body is None:
        return None
    marker = runner.syntax.string(start)
    if marker[:1] in "'\"\\":
        return join(value for value, _ in literal(runner.syntax.mapped(body), True))
    parts = runner.expander().inside(body, body.start_byte, body.end_byte)
    return join(p[0] for p in parts if isinstance(p, tuple))


def read(runner: Runner, body: Node, heredoc: Node) -> None:
    """Read a here-document that is run, or written to a file that is."""
    command = body if body.type == "command" else next((c for c in body.named_children if c.type == "command"), None)
    if command is None:
        return
    names = [name.rsplit("/", 1)[-1] for name in _written([runner.syntax.string(c) for c in command.named_children])]
    redirects = " ".join(runner.syntax.string(c) for c in _files(heredoc))
    runs = any(n in SHELLS for n in names) or (names and names[0] in _REMOTE) or _is_piped(runner, heredoc)
    value = value_of(runner, heredoc)
    if value is None:
        return
    kind = _kind(runner, heredoc, value, names[:1] in (["cat"], ["tee"]))
    if kind is not None:
        _read_as(runner, value, kind)
    elif runs:
        run_text(runner, value, by=_piped(heredoc) if names[:1] in (["cat"], ["tee"]) else command)
    elif names[:1] in (["cat"], ["tee"]) and is_script(value, f"{redirects} {' '.join(names[1:])}"):
        run_text(runner, value)


def _written(words: list[str]) -> list[str]:
    """The words of a command without ``sudo``; of a shell, here or elsewhere, that only writes a file, its text's."""
    last = _WRITES.match(words[-1]) if len(words) > 1 else None
    if last is not None:
        return _written(words[-1].strip("\"'").split())
    at = 1
    while words[:1] == ["sudo"] and at < len(words) and words[at].startswith("-"):
        at += 2 if words[at] in ("-u", "-g") else 1
    return words[at:] if words[:1] == ["sudo"] and words[at:] else words


def _is_piped(runner: Runner, heredoc: Node) -> bool:
    """``cat <<EOF | ssh host bash``."""
    piped = _piped(heredoc)
    if piped is None:
        return False
    from speclint.hosts.shell.feeding import runs_input

    return runs_input(runner, piped)


def _piped(heredoc: Node) -> Node | None:
    """The one command that a here-document is piped to."""
    piped = next((c for c in heredoc.named_children if c.type == "pipeline"), None)
    return piped.named_children[0] if piped is not None and piped.named_child_count == 1 else None


def run_text(runner: Runner, value: Value, fixable: bool = True, by: Node | None = None) -> None:
    """Follow text that is handed to a shell, in the surroundings that the command ``by`` gives it."""
    from speclint.hosts.shell import read_text

    text = as_mapped(value)
    if runner.place is None and text.text.strip():
        base = (_surroundings(runner, by) or runner.base).replace((), run=runner.caller)
        base.fixable = base.fixable and fixable
        runner.found.extend(read_text(text, base, None, runner.depth + 1))


def _surroundings(runner: Runner, node: Node | None) -> Command | None:
    """A command that was just met, with what it says of where its text runs: ``docker run -e A=1 image bash``."""
    from speclint.hosts.wrappers import unwrapped

    body = node.child_by_field_name("body") if node is not None and node.type == "redirected_statement" else node
    if body is None or body.type != "command":
        return None
    at = runner.syntax.index(body.start_byte)
    for again in (False, True):
        if again:  # one that starts nothing by itself may have been passed over
            runner.emit(body, [])
        for found in runner.found[: -_LAST_MET - 1 : -1]:
            if found.within is not None and found.within[1] == at:
                return unwrapped(found)
    return None


def _read_as(runner: Runner, value: Value, kind: str) -> None:
    """Read text as a file of some kind. Nothing in it is edited, for it lies in a file of another kind."""
    if runner.place is None:
        base = runner.base.replace((), run=runner.caller)
        base.fixable = False
        runner.found.extend(blocks.read(as_mapped(value), kind, base, runner.depth + 1))


def _kind(runner: Runner, heredoc: Node, value: Value, written: bool) -> str | None:
    """The kind of file that a here-document is, told by where it goes; None for a script and what starts nothing."""
    statement = heredoc.parent if heredoc.parent is not None else heredoc
    head = runner.syntax.string(statement).split("\n", 1)[0][:_MAX_HEAD]
    for kind, gives in _KINDS.items():
        if gives.search(head):
            return kind
    for target in _TARGET.finditer(head):
        name = target["path"].rpartition("/")[2].lower()
        if name.endswith((".yaml", ".yml")):
            return "yaml"
        if name.endswith(".py"):
            return "python"
        if name.startswith(("dockerfile", "containerfile")) or name.endswith(".dockerfile"):
            return "dockerfile"
    return "units" if written and blocks.is_unit(as_mapped(value).text) else None


def _files(heredoc: Node) -> list[Node]:
    parent = heredoc.parent
    found = [c for c in heredoc.named_children if c.type == "file_redirect"]
    return found + ([c for c in parent.named_children if c.type == "file_redirect"] if parent is not None else [])


def is_script(value: Value, target: str) -> bool:
    """Whether text that is written to a file is a script of the shell, by the name of the file or by its first line."""
    names = [name.strip("\"'") for name in target.split()]
    text = as_mapped(value).text
    return any(name.endswith(_SCRIPTS) for name in names) or (
        any(names) and text.startswith("#!") and "sh" in text[:40]
    )
