"""What is wrapped around a word of shell text, so that a word which needs quotes can be written there."""

from __future__ import annotations

from typing import TYPE_CHECKING

from speclint.fix.quote import inside_python, inside_yaml, python_quote, shell_word
from speclint.fix.structure import yaml_scalars
from speclint.fix.structure_python import parse_python, python_range

if TYPE_CHECKING:
    from speclint.source import SourceFile

# Nodes of the shell's grammar in which a quote is a character like others.
_INSIDE = frozenset(("string", "raw_string", "ansi_c_string", "heredoc_body", "string_content", "comment"))


def encode(word: str, file: SourceFile, language: str, offset: int) -> str | None:
    """The characters for a shell word at an offset of a file; None where what is wrapped around it is not clear.

    Known are: the text of a script, and the text of one scalar or string literal that holds shell text without
    escapes. A word in a string inside shell text is not: who reads that string is not told by its text.
    """
    written = shell_word(word)
    if language == "shell":
        return written if _free(file.text, offset) else None
    found = _scalar(file, offset) if language == "yaml" else _literal(file, offset) if language == "python" else None
    if found is None:
        return None
    start, end, prefix, style = found
    text = file.text[start:end]
    if "\\" in text.replace("\\\n", "").replace("\\\r\n", "") or (style and style in "'\"" and style in text):
        return None
    if not _free(text, offset - start):
        return None
    return inside_yaml(written, style) if language == "yaml" else inside_python(written, prefix, style)


def _free(text: str, offset: int) -> bool:
    """Whether a shell word at the offset stands in no quotes."""
    from speclint.hosts.shell.syntax import Syntax
    from speclint.text import Mapped

    at = len(text[:offset].encode("utf-8", "surrogateescape"))
    node = Syntax(Mapped.new(text)).root.descendant_for_byte_range(at, at)
    while node is not None:
        if node.type in _INSIDE and node.start_byte < at < node.end_byte:
            return False
        node = node.parent
    return True


def _scalar(file: SourceFile, offset: int) -> tuple[int, int, str, str] | None:
    import yaml

    try:
        for start, end, style in yaml_scalars(file.text):
            if start <= offset <= end:
                if style and style in "'\"":
                    start = file.text.index(style, start) + 1
                    end -= 1
                elif style:
                    start = file.text.index("\n", start) + 1
                return start, end, "", style
    except (yaml.YAMLError, ValueError):
        return None
    return None


def _literal(file: SourceFile, offset: int) -> tuple[int, int, str, str] | None:
    import ast

    try:
        tree = parse_python(file.text)
    except (SyntaxError, ValueError, RecursionError):
        return None
    for node in ast.walk(tree):
        # From the outside in: the parts of an f-string have no places of their own before Python 3.12.
        if isinstance(node, ast.JoinedStr) or (isinstance(node, ast.Constant) and isinstance(node.value, str)):
            found = python_range(file, node)
            if found is None or not found[0] < offset < found[1]:
                continue
            prefix, quote = python_quote(file.text[found[0] : found[1]])
            start, end = found[0] + len(prefix) + len(quote), found[1] - len(quote)
            body = file.text[start:end]
            return (start, end, prefix, quote) if "b" not in prefix and quote not in body else None
    return None


def in_python_string(file: SourceFile, offset: int) -> bool:
    """Whether an offset lies in a string literal; replacement fields of f-strings count as outside."""
    import ast

    try:
        nodes = list(ast.walk(parse_python(file.text)))
    except (SyntaxError, ValueError, RecursionError):
        return True
    for node in nodes:
        if isinstance(node, ast.Constant) and not isinstance(node.value, (str, bytes)):
            found = python_range(file, node)
            if found is not None and found[0] <= offset < found[1]:
                return False
    return True
