"""Commands of the shell that need more than their words: builtins, here-documents, what a substitution prints."""

from __future__ import annotations

from speclint.hosts.programs import SHELLS
from speclint.hosts.shell.arith import changed
from speclint.lean import pattern
from speclint.value import Joined, Known, OneOf, Unknown, join
from speclint.words import many

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from tree_sitter import Node

    from speclint.hosts.shell.env import Env
    from speclint.hosts.shell.run import Runner
    from speclint.value import Value
    from speclint.words import Word

_ARRAY = pattern(r"-\w*a")


def builtin(runner: Runner, name: str, words: Sequence[Word], node: Node) -> bool:
    """Follow a builtin that changes the environment; whether ``name`` was one."""
    if name in ("exit", "return"):
        runner.env.ended = True
    elif name == "exec":
        # Nothing behind it runs, unless it is the redirections alone that it is there for.
        runner.env.ended = _replaces(words) and not goes_on(node)
        return False
    elif name in ("break", "continue"):
        runner.broke = runner.broke or name == "break"
        runner.left = True
    elif name in _SETTERS:
        _SETTERS[name](runner.env, words)
        if name in ("mapfile", "readarray", "read"):
            from speclint.hosts.shell import feeding

            feeding.feed(runner, words, node)
        if name == "read":
            from speclint.hosts.shell import lines

            lines.single(runner, node)
        if name in ("printf", "read"):
            from speclint.hosts.shell import naming

            naming.named(runner, node, words)
    else:
        if name == "eval":
            from speclint.hosts.shell import naming

            naming.evaluated(runner, node, words)
        return False
    return True


def _replaces(words: Sequence[Word]) -> bool:
    """Whether ``exec`` is given a program, as far as can be told."""
    at = 1
    while at < len(words) and words[at].prefix.startswith("-"):
        at += 2 if words[at].prefix.endswith("a") else 1
    program = words[at] if at < len(words) else None
    return program is not None and not (program.many or program.guard or program.prefix[:1] in ("", "{"))


def goes_on(node: Node) -> bool:
    """Whether the script does not wait for a command: ``program &``."""
    around: Node | None = node
    while around is not None and around.type in ("command", "redirected_statement", "list"):
        behind = around.next_sibling
        if behind is not None and behind.type == "&":
            return True
        around = around.parent
    return False


def _shift(env: Env, words: Sequence[Word]) -> None:
    count = words[1].text if len(words) > 1 else "1"
    if env.positional is None:
        return
    off = int(count) if count is not None and count.isdigit() and len(count) < 9 else None
    if off is None or any(w.guard or w.many for w in env.positional[:off]):
        env.positional = (many("how many arguments are taken off is not known", None),)
    else:
        env.positional = env.positional[off:]


def _set(env: Env, words: Sequence[Word]) -> None:
    texts = [w.text for w in words]
    options = texts[1 : texts.index("--")] if "--" in texts else texts[1:]
    for before, text in zip((None, *options), options, strict=False):
        if text == "allexport" and before is not None and before[1:].endswith("o"):
            env.exporting = before[0] == "-"
        elif text is not None and text[:1] in ("-", "+") and "a" in text:
            env.exporting = text[0] == "-"
    if "--" in texts:
        env.positional = tuple(words[texts.index("--") + 1 :])


def _let(env: Env, words: Sequence[Word]) -> None:
    for word in words[1:]:
        for name in changed(word.prefix):
            env.assign(name, Unknown(f"`{name}` is set by arithmetic that is not followed"))


def _read(env: Env, words: Sequence[Word]) -> None:
    array = False
    for word in words[1:]:
        name = word.text or ""
        if name.isidentifier():
            reason = f"`{name}` is read when it runs"
            env.assign(name, None if array else Unknown(reason), (many(reason, word.span),) if array else None)
        # Of `read -r -a A` only what the option names is an array.
        array = _ARRAY.fullmatch(name) is not None


def _mapfile(env: Env, words: Sequence[Word]) -> None:
    for word in words[-1:]:
        if word.text and word.text.isidentifier():
            env.assign(word.text, None, (many(f"`{word.text}` is read when it runs", word.span),))


def _getopts(env: Env, words: Sequence[Word]) -> None:
    for name in (*(w.text for w in words[2:3]), "OPTARG", "OPTIND"):
        if name and name.isidentifier():
            env.assign(name, Unknown(f"`{name}` is set from an argument"))


def _printf(env: Env, words: Sequence[Word]) -> None:
    """``printf -v NAME``."""
    texts = [w.text for w in words]
    at = texts.index("-v") + 1 if "-v" in texts else len(texts)
    name = texts[at] if at < len(texts) else None
    if name and name.isidentifier():
        env.assign(name, Unknown(f"`{name}` is what `printf` prints"))


_SETTERS: dict[str, Callable[[Env, Sequence[Word]], None]] = {
    "shift": _shift,
    "set": _set,
    "let": _let,
    "read": _read,
    "mapfile": _mapfile,
    "readarray": _mapfile,
    "getopts": _getopts,
    "printf": _printf,
}
# Builtins that print what they are given.
PRINTS = (b"echo", b"printf")
# Builtins that change what the commands behind them see, in bytes: as they stand in a script.
_LEAVING = ("exit", "return", "break", "continue", "exec")
CHANGING = frozenset(name.encode() for name in (*_LEAVING, "source", ".", "eval", *_SETTERS))


def redirected(runner: Runner, node: Node) -> None:
    """A statement with redirections: words after them belong to the command, here-documents may be scripts."""
    body = node.child_by_field_name("body")
    more: list[Node] = []
    heredoc: Node | None = None
    for redirect in node.children_by_field_name("redirect"):
        _collect(redirect, more)
        if redirect.type == "heredoc_redirect":
            heredoc = redirect
            for inner in redirect.named_children:
                if inner.type in ("pipeline", "list", "command"):
                    runner.run(inner)
    if body is None:
        return
    if body.type == "command":
        runner.emit(body, more)
    else:
        runner.run(body)
    while body.type == "list":
        body = body.named_children[-1]  # the grammar takes a redirection of the last command for one of all of them
    if heredoc is not None:
        from speclint.hosts.shell import documents

        documents.read(runner, body, heredoc)
    elif runner.syntax.holds(body, *PRINTS) and body.type in ("command", "compound_statement"):
        from speclint.hosts.shell import written

        written.read(runner, body, written.target(runner, node.children_by_field_name("redirect")))


def _collect(redirect: Node, more: list[Node]) -> None:
    """The grammar counts every word after ``> file`` to the redirection; only the first is."""
    if redirect.type == "file_redirect":
        more.extend(redirect.children_by_field_name("destination")[1:])
    elif redirect.type == "heredoc_redirect":
        more.extend(redirect.children_by_field_name("argument"))


def herestring(runner: Runner, node: Node) -> None:
    """``bash <<< "command"``."""
    redirect = next((c for c in node.named_children if c.type == "herestring_redirect"), None)
    if redirect is None:
        return
    names = [runner.syntax.string(c).rsplit("/", 1)[-1] for c in node.named_children]
    word = redirect.named_children[-1] if redirect.named_children else None
    if word is not None and (any(n in SHELLS for n in names) or names[:1] == ["ssh"]):
        from speclint.hosts.shell import documents

        documents.run_text(runner, runner.expander().value(word), by=node)


def strip_newlines(value: Value) -> Value:
    """The value without newlines at its end, as a substitution gives it."""
    if isinstance(value, Known):
        return Known(value.text[: len(value.text.text.rstrip("\n"))], value.steps)
    if isinstance(value, Joined) and value.parts:
        return join([*value.parts[:-1], strip_newlines(value.parts[-1])])
    if isinstance(value, OneOf):
        return OneOf(value.choice, [strip_newlines(arm) for arm in value.arms], value.place)
    return value
