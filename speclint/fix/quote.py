"""How text is written so that a shell, YAML or Python reads it back as it is.

An encoder gives the characters to write, or None where the text cannot be written in that place. Encoders compose from
the inside out: a shell word in a double-quoted YAML scalar is ``inside_yaml(shell_word(text), '"')``.
"""

from __future__ import annotations

from speclint.lean import pattern, re

# Characters that mean themselves in every place where a value can stand, whatever is wrapped around it.
_SAFE = pattern(r"[A-Za-z0-9_./:=,@%+-]+\Z")
_PLAIN = pattern(r"(?:--?[A-Za-z]|[A-Za-z/])[A-Za-z0-9_./=+-]*\Z")
# Plain scalars that are no strings for YAML 1.1 or 1.2.
_TYPED = frozenset(("true", "false", "yes", "no", "on", "off", "y", "n", "null"))
_INT = pattern(r"-?(?:0|[1-9][0-9]*)\Z")
_FLOAT = pattern(r"-?(?:[0-9]+\.[0-9]*|\.[0-9]+|[0-9]+(?:\.[0-9]*)?[eE][+-]?[0-9]+)\Z")
_PYTHON_OPEN = pattern(r"([A-Za-z]{0,2})('''|\"\"\"|'|\")")
_YAML_MARKS = '\\"'
_YAML_ESCAPES = {"\\": "\\\\", '"': '\\"', "\n": "\\n", "\r": "\\r", "\t": "\\t"}
_PYTHON_ESCAPES = {"\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t"}


def safe(text: str) -> bool:
    """Whether the text means itself in a shell word, in a scalar and in a string, quoted or not."""
    # At the end of a plain scalar a colon makes a mapping of it.
    return bool(_SAFE.match(text)) and not text.endswith(":")


def shell_word(text: str) -> str:
    """One shell word: bare if that can be, else in single quotes."""
    if _SAFE.match(text):
        return text
    return "'" + text.replace("'", "'\\''") + "'"


def inside_shell(text: str, quote: str) -> str | None:
    """Text within a shell word whose quote ``quote`` (``'``, ``"`` or none) is open."""
    if quote == '"':
        return re.sub(r'([$`"\\])', r"\\\1", text)
    if quote == "'":
        return None if "'" in text else text
    return None if "\n" in text else re.sub(r"([^A-Za-z0-9_./:=,@%+-])", r"\\\1", text)


def yaml_scalar(text: str, quote: str = "") -> str:
    """A whole scalar that is a string, in the style ``quote`` (``'``, ``"`` or plain) if it can be written in it."""
    if not quote and _PLAIN.match(text) and text.lower() not in _TYPED:
        return text
    inner = inside_yaml(text, "'") if quote == "'" else None
    if inner is not None:
        return f"'{inner}'"
    return f'"{inside_yaml(text, chr(34))}"'


def inside_yaml(text: str, style: str, flow: bool = False) -> str | None:
    """Text within a scalar of a style: ``'``, ``"``, ``|``, ``>`` or none for plain."""
    if style == '"':
        return "".join(_yaml_char(char) for char in text)
    if any(_yaml_char(char) != char for char in text if char not in _YAML_MARKS):
        return None  # only a double-quoted scalar has escapes
    if style == "'":
        return text.replace("'", "''")
    if style in ("|", ">"):
        return text
    special = re.search(r":(\s|\Z)|(\A|\s)#|[\[\]{},?]" if flow else r":(\s|\Z)|(\A|\s)#", text)
    return None if special or text != text.strip() else text


def _yaml_char(char: str) -> str:
    if char in _YAML_ESCAPES:
        return _YAML_ESCAPES[char]
    code = ord(char)
    # A line separator breaks the line, a byte order mark and what is no character may not stand in YAML.
    printable = 32 <= code < 127 or 0xA0 <= code < 0xD800 or 0xE000 <= code < 0xFFFE or code > 0xFFFF
    if printable and char not in "\u2028\u2029\ufeff":
        return char
    return f"\\x{code:02x}" if code < 256 else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def python_string(text: str, like: str = '"') -> str:
    """A Python string literal, with the quotes that the literal ``like`` has."""
    quote = python_quote(like)[1][0]
    inner = inside_python(text, "", quote)
    return f"{quote}{inner}{quote}"


def python_quote(token: str) -> tuple[str, str]:
    """Prefix (in small letters) and quote that a string literal begins with; a double quote for other expressions."""
    found = _PYTHON_OPEN.match(token)
    return (found[1].lower(), found[2]) if found else ("", '"')


def inside_python(text: str, prefix: str, quote: str) -> str | None:
    """Text within a Python string literal of a prefix and quote; not within a replacement field."""
    if "b" in prefix and not text.isascii():
        return None
    if "f" in prefix or "t" in prefix:
        text = text.replace("{", "{{").replace("}", "}}")
    if "r" in prefix:
        return None if re.search(r"[\\\r\n]", text) or quote[0] in text else text
    # In three quotes a quote could join those that end the literal, so each is escaped there too.
    return "".join(_python_char(char, quote[0]) for char in text)


def _python_char(char: str, quote: str) -> str:
    if char == quote:
        return "\\" + char
    if char in _PYTHON_ESCAPES:
        return _PYTHON_ESCAPES[char]
    code = ord(char)
    if char.isprintable():
        return char
    return f"\\x{code:02x}" if code < 256 else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def python_value(text: str, like: str = '"') -> str:
    """The Python expression for the value of an option: a number, True, False or None as such, else a string."""
    if text in ("True", "False", "None") or _INT.match(text) or _FLOAT.match(text):
        return text
    return python_string(text, like)
