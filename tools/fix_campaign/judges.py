"""What a file is before and after a fix, told by parsers that speclint's own fixer does not ask.

``broken`` compares two texts by language: ``bash -n`` for shell, ``ast`` and ``tokenize`` for Python, ruamel.yaml for
YAML, ``json``, ``tomllib``. What a judge cannot read before, it does not judge.
"""

from __future__ import annotations

import ast
import io
import json
import re
import subprocess
import tokenize
import warnings
from collections import Counter
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

_TAIL = re.compile(r"(?:^|[ \t])(#[^\r\n]*)$", re.MULTILINE)
# Names that trials give to options.
NEW_NAMES = ("watchdog-timeout", "stream-interval", "log-requests-level", "random-seed", "decode-log-interval")
Edits = list[tuple[int, int, str]]


def expected_bytes(raw: bytes, edits: Edits) -> bytes:
    """The bytes after edits given in code points behind a byte order mark, worked out without speclint."""
    bom = b"\xef\xbb\xbf" if raw.startswith(b"\xef\xbb\xbf") else b""
    text = raw[len(bom) :].decode("utf-8")
    for start, end, content in sorted(edits, reverse=True):
        text = text[:start] + content + text[end:]
    return bom + text.encode("utf-8")


def broken(language: str, before: str, after: str) -> str | None:
    """What the judge of a language has against the text after a fix; None if nothing."""
    return _newlines(before, after) or _comments(before, after) or _JUDGES.get(language, _none)(before, after)


def _none(before: str, after: str) -> str | None:
    return None


def _newlines(before: str, after: str) -> str | None:
    kinds = [Counter(re.findall(r"\r\n|\n|\r", text)).keys() for text in (before, after)]
    if not kinds[1] <= kinds[0]:
        return f"newlines {sorted(kinds[1])} after {sorted(kinds[0])}"
    if before and after and (before[-1] in "\r\n") != (after[-1] in "\r\n"):
        return "the last newline came or went"
    return None


def _comments(before: str, after: str) -> str | None:
    """Comments, or what looks like one, wherever they stand: none may vanish or be changed."""
    found = [Counter(comment.rstrip(" \\") for comment in _TAIL.findall(text)) for text in (before, after)]
    lost = found[0] - found[1]
    return f"comment lost: {next(iter(lost))[:80]!r}" if lost else None


def _shell(before: str, after: str) -> str | None:
    return "bash no longer reads it" if _bash_reads(before) and not _bash_reads(after) else None


def _bash_reads(text: str) -> bool:
    raw = text.encode("utf-8", "surrogateescape")
    done = subprocess.run(["bash", "-n"], input=raw, capture_output=True, check=False, timeout=60)
    # bash ends with 0 where only the end of a here-document is missing, but says so.
    return done.returncode == 0 and b"here-document" not in done.stderr


def _python(before: str, after: str) -> str | None:
    old = _try(_parse_python, before)
    if old is None:
        return None
    new = _try(_parse_python, after)
    if new is None:
        return "Python no longer reads it"
    if old[1] != new[1]:
        return "Python sees other comments"
    # An option may have statements of its own.
    changed = [*(old[0] - new[0]).elements(), *(new[0] - old[0]).elements()]
    return "Python sees other statements" if len(changed) > 2 or set(changed) - {"Assign", "Expr"} else None


def _parse_python(text: str) -> tuple[Counter[str], list[str]]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        tree = ast.parse(text)
    statements = Counter(type(node).__name__ for node in ast.walk(tree) if isinstance(node, ast.stmt))
    tokens = tokenize.generate_tokens(io.StringIO(text, newline="").readline)
    return statements, [token.string for token in tokens if token.type == tokenize.COMMENT]


def _yaml(before: str, after: str) -> str | None:
    old = _try(_leaves, before)
    if old is None:
        return None
    new = _try(_leaves, after)
    if new is None:
        return "ruamel.yaml no longer reads it"
    return None if _same_keys(old, new) else "YAML has other keys"


def _leaves(text: str) -> list[Any]:
    from ruamel.yaml import YAML

    return list(YAML(typ="safe", pure=True).load_all(text))


def _same_keys(old: Any, new: Any) -> bool:
    """Whether no key came but those that a trial writes, and none went but one that it renames or takes out."""
    before, after = _keys(old), _keys(new)
    return after <= before and len(before - after) <= 1


def _keys(data: Any) -> set[str]:
    """Every key with its path, the numbers of items left out, once."""
    found: set[str] = set()
    todo = [("", data)]
    while todo:
        path, item = todo.pop()
        if isinstance(item, dict):
            found.update(f"{path}/{key}" for key in item)
            todo.extend((f"{path}/{key}", value) for key, value in item.items())
        elif isinstance(item, list):
            todo.extend((f"{path}[]", value) for value in item)
    return {key for key in found if "zz" not in key and key.rpartition("/")[2].replace("_", "-") not in NEW_NAMES}


def _json(before: str, after: str) -> str | None:
    old = _try(json.loads, before)
    if old is None:
        return None
    new = _try(json.loads, after)
    if new is None:
        return "it is no longer JSON"
    return None if _same_keys(old, new) else "JSON has other keys"


def _toml(before: str, after: str) -> str | None:
    try:
        import tomllib
    except ImportError:
        return None
    if _try(tomllib.loads, before) is None:
        return None
    return "it is no longer TOML" if _try(tomllib.loads, after) is None else None


def _try(function: Callable[[str], Any], text: str) -> Any:
    try:
        return function(text)
    except Exception:  # whatever a parser says to what is no text of its language
        return None


_JUDGES: dict[str, Callable[[str, str], str | None]] = {
    "shell": _shell, "python": _python, "notebook": _json, "json": _json, "toml": _toml, "yaml": _yaml,
}  # fmt: skip


# -- variants of a file


def variants(raw: bytes, host: str) -> Iterator[tuple[str, bytes]]:
    """The file, and the same file in other clothes: nothing of what it means changes."""
    yield "as it is", raw
    body = raw.removeprefix(b"\xef\xbb\xbf")
    if b"\r" not in raw:
        yield "CRLF", raw.replace(b"\n", b"\r\n")
    if body is raw:
        yield "byte order mark", b"\xef\xbb\xbf" + raw
    if raw.endswith(b"\n"):
        yield "no last newline", raw.rstrip(b"\n")
    if host == "shell":
        yield "tabs", re.sub(rb"(?m)^(?: {4})+", lambda found: b"\t" * (len(found.group()) // 4), raw)
    if host in ("shell", "yaml", "kubernetes", "python", "compose"):
        first, newline, rest = raw.partition(b"\n")
        remark = "# ünïcödé 漢字 \U0001f600\n".encode()
        top = first + newline if first.startswith(b"#!") else b""
        yield "non-ASCII", top + remark + (rest if top else raw)
        yield "a long line", top + b"# " + b"x" * 200_000 + b"\n" + (rest if top else raw)
