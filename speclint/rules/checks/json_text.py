"""Texts that are JSON, or were meant to be."""

from __future__ import annotations

from speclint import plain_json


def reads(text: str) -> bool:
    """Whether a text is JSON."""
    try:
        plain_json.loads(text)
    except (ValueError, RecursionError):
        return False
    return True


def is_json(text: str) -> bool:
    """Whether a text is a JSON object or list."""
    if text.lstrip()[:1] not in ("{", "["):
        return False
    try:
        return isinstance(plain_json.loads(text), (dict, list))
    except (ValueError, RecursionError):
        return False


def reason(value: str) -> str:
    """Why a text is no JSON, in a few words."""
    import json

    try:
        json.loads(value)
    except json.JSONDecodeError as error:
        return f"{error.msg[:1].lower()}{error.msg[1:]} at column {error.colno}"
    except (ValueError, RecursionError):
        return "it cannot be read"
    return "it is another kind of value than this option takes"


def from_python(value: str) -> str | None:
    """JSON for the text of a Python dict or list."""
    import ast
    import json

    try:
        found = ast.literal_eval(value.strip())
        return json.dumps(found) if isinstance(found, (dict, list)) else None
    except (ValueError, SyntaxError, TypeError, RecursionError, MemoryError):
        return None
