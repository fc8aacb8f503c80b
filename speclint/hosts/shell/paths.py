"""Files that a script names by its own place: ``"$(dirname "$0")/lib.sh"``, ``"$SCRIPT_DIR/../lib.sh"``.

A path here is one seen from the folder of the script, whatever folder it is run in. What is not put together from the
script's own place in one of the customary ways has none.
"""

from __future__ import annotations

import posixpath

from speclint import beside
from speclint.lean import pattern
from speclint.value import Known

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from tree_sitter import Node

    from speclint.hosts.shell.words import Expander
    from speclint.source import SourceFile

# Text that names the script's place, or a variable that may hold it.
HINT = pattern(r"\$\{?(?:0\b|BASH_SOURCE|[A-Za-z_]\w*)|`|\$\(")
_THIS = frozenset(("0", "BASH_SOURCE"))
_SAME = frozenset(("realpath", "readlink", "abspath", "grealpath", "greadlink"))
_STEPS_UP = 16


class Project:
    """The files around a script: ``script`` is its own name, ``root`` the top of its repository from its folder."""

    __slots__ = ("file", "root", "script")

    def __init__(self, file: SourceFile) -> None:
        self.file = file
        self.script = posixpath.basename(file.path.replace("\\", "/"))
        self.root = beside.above(file, ".git")

    def find(self, node: Node, expander: Expander) -> SourceFile | None:
        """The file that a word names; None where it is not in the project, is several, or cannot be told."""
        path = path_of(node, expander)
        value = expander.value(node) if path is None else None
        names = [path] if path is not None else []
        if isinstance(value, Known) and value.text.text:
            # Relative to the folder that it is run in, which is mostly that of the script or the top of the project.
            names = [value.text.text]
            if self.root not in (None, ".") and not names[0].startswith("/"):
                names.append(posixpath.join(self.root or ".", names[0]))
        found = [file for name in names if name and (file := beside.read(self.file, name)) is not None]
        return found[0] if found and all(file.text == found[0].text for file in found) else None


def path_of(node: Node, expander: Expander) -> str | None:
    """The path that a word is, None where it is none of the script's own place. A folder may be ``"."``."""
    found = _path(node, expander)
    return None if found is None or found.count("..") > _STEPS_UP else posixpath.normpath(found)


def _path(node: Node, expander: Expander) -> str | None:
    kind = node.type
    if kind in ("string", "concatenation"):
        return _beginning(node, expander)
    if kind == "simple_expansion":
        return _variable(expander.syntax.string(node).strip()[1:], expander)
    if kind == "expansion":
        return _expansion(node, expander)
    if kind == "command_substitution":
        return _printed(node, expander)
    return None


def _beginning(node: Node, expander: Expander) -> str | None:
    """A path and what is written behind it: ``"$DIR/lib.sh"``."""
    children = node.named_children
    first = _path(children[0], expander) if children else None
    if first is None:
        return None
    syntax = expander.syntax
    if syntax.string(node)[:1] == '"' and children[0].start_byte > node.start_byte + 1:
        return None
    rest: list[str] = []
    for child in children[1:]:
        value = None if child.type == "string_content" else expander.value(child)
        if value is not None and not isinstance(value, Known):
            return None
        rest.append(value.text.text if isinstance(value, Known) else syntax.string(child))
    added = "".join(rest)
    return first + added if not added or added[0] == "/" else None


def _variable(name: str, expander: Expander) -> str | None:
    if name in _THIS:
        project = expander.env.project
        return expander.syntax.path if name != "0" or project is None else project.script
    variable = expander.env.variables.get(name)
    return variable.path if variable is not None else None


def _expansion(node: Node, expander: Expander) -> str | None:
    children = node.children[1:-1]
    if not children:
        return None
    first = children[0]
    target = first.child_by_field_name("name") if first.type == "subscript" else first
    if target is None or (first.type == "subscript" and not expander.syntax.string(first).endswith("[0]")):
        return None
    name = expander.syntax.string(target)
    found = _variable(name, expander)
    operator = expander.syntax.string(children[1]) if len(children) > 1 else ""
    if not operator:
        return found
    if operator in (":-", "-"):
        return found or (_path(children[2], expander) if len(children) > 2 else None)
    rest = "".join(expander.syntax.string(c) for c in children[2:])
    return _parent(found) if found is not None and operator == "%" and rest == "/*" else None


def _parent(path: str) -> str:
    path = posixpath.normpath(path)
    return posixpath.join(path, "..") if posixpath.basename(path) in (".", "..") else posixpath.dirname(path) or "."


def _printed(node: Node, expander: Expander) -> str | None:
    """What ``$(dirname …)``, ``$(realpath …)`` and ``$(cd … && pwd)`` print."""
    parts = [_bare(part) for child in node.named_children for part in _parts(child)]
    words = [_words(part) for part in parts]
    names = [expander.syntax.string(found[0]) if found else "" for found in words]
    arguments = [[w for w in found[1:] if not expander.syntax.string(w).startswith("-")] for found in words]
    if names[-1:] == ["pwd"] and len(names) > 1 and all(name in ("cd", "pushd") for name in names[:-1]):
        return _walked(arguments[:-1], expander)
    if len(names) != 1:
        return None
    if names[0] == "dirname":
        inner = _argument(arguments[0], expander)
        return None if inner is None else _parent(inner)
    if names[0] in _SAME:
        return _argument(arguments[0], expander)
    if names[0] == "git" and [expander.syntax.string(w) for w in words[0][1:]] == ["rev-parse", "--show-toplevel"]:
        return expander.env.project.root if expander.env.project is not None else None
    return None


def _walked(steps: Sequence[Sequence[Node]], expander: Expander) -> str | None:
    """Where ``cd A && cd ..`` leads."""
    path = _argument(steps[0], expander)
    for step in steps[1:]:
        written = expander.syntax.string(step[0]).strip("\"'") if len(step) == 1 else "$"
        if path is None or "$" in written or "`" in written or written.startswith(("/", "~", "-")):
            return None
        path = posixpath.join(path, written)
    return path


def _argument(words: Sequence[Node], expander: Expander) -> str | None:
    return _path(words[0], expander) if len(words) == 1 else None


def _parts(node: Node) -> list[Node]:
    """The commands of a list."""
    return [part for child in node.named_children for part in _parts(child)] if node.type == "list" else [node]


def _bare(node: Node) -> Node:
    """A command without its redirections."""
    body = node.child_by_field_name("body") if node.type == "redirected_statement" else None
    return body if body is not None else node


def _words(node: Node) -> list[Node]:
    """The words of a command; ``builtin`` and ``command`` before it left out."""
    if node.type != "command":
        return []
    words = [c for c in node.named_children if c.type not in ("variable_assignment", "file_redirect")]
    skipped = 1 if words and words[0].text in (b"builtin", b"command") else 0
    return words[skipped:]
