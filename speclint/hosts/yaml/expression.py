"""Expressions of Go's templates that put in a value as it is, another one in its place, or several put together.

What is not listed here makes nothing that is followed.
"""

from __future__ import annotations

from speclint.lean import NamedTuple, pattern
from speclint.text import Mapped
from speclint.value import Known

TYPE_CHECKING = False
if TYPE_CHECKING:
    import re
    from collections.abc import Callable, Sequence

    from speclint.hosts.yaml.node import Node

    # What a path stands for; the functions of the expression tell how a number is written.
    Look = Callable[[str, frozenset[str]], "Given | None"]
    # What a named part of the chart comes to.
    Named = Callable[[str], "Given | None"]

_TOKEN = pattern(r"\"(?P<double>[^\"\\]*)\"|`(?P<raw>[^`]*)`|(?P<mark>[|()])|(?P<word>[^\s()|\"`]+)|(?P<other>\S)")
_FUNCTION = pattern(r"[A-Za-z]\w*")
_NUMBER = pattern(r"-?\d+(?:\.\d+)?")
_FIELD = pattern(r"%(?:[svd]|(?P<percent>%)|(?P<other>))")
_TRUTHS = ("true", "false")
_MAX_DEPTH = 20
# Functions that leave a value what it is, once it stands in a list of words.
_SAME = frozenset(("quote", "squote", "int", "int64", "float64", "toString", "trim", "toJson"))
_LAYOUT = frozenset(("nindent", "indent"))


class Given(NamedTuple):
    """What an expression comes to: text in ``parts``, none where it is not told, or is no text.

    ``empty``: a default is taken in its place. ``hangs``: on values that may be others. ``path``: the value that it is,
    or is the default of. ``node``: where that is written.
    """

    parts: tuple[Known, ...]
    empty: bool = False
    hangs: bool = False
    path: str = ""
    node: Node | None = None


def evaluate(expression: str, look: Look, named: Named | None = None) -> Given | None:
    """What an expression comes to; None if it is not followed."""
    tokens = list(_TOKEN.finditer(expression))
    if any(token["other"] for token in tokens):
        return None
    return _Reader(tokens, look, named).whole()


def _literal(text: str) -> Given:
    if "{{" in text:
        return Given(())  # it is written for another template
    return Given((Known(Mapped.new(text)),), text in ("", "0", "false"))


class _Reader:
    """Reads tokens; ``at`` is the next one."""

    def __init__(self, tokens: Sequence[re.Match[str]], look: Look, named: Named | None) -> None:
        self.tokens = tokens
        self.look = look
        self.named = named
        self.functions = frozenset(token["word"] or "" for token in tokens)
        self.at = 0

    def whole(self) -> Given | None:
        found = self.pipeline(0)
        return found if self.at == len(self.tokens) else None

    def pipeline(self, depth: int) -> Given | None:
        """Commands between bars, each of which is given what comes out of the one before."""
        last: Given | None = None
        while depth < _MAX_DEPTH:
            function = ""
            operands: list[Given | None] = []
            while self.at < len(self.tokens) and self.tokens[self.at]["mark"] not in ("|", ")"):
                word = self.tokens[self.at]["word"] or ""
                if not operands and not function and word not in _TRUTHS and _FUNCTION.fullmatch(word):
                    function = word
                    self.at += 1
                elif function in ("tpl", "include") and operands and word[:1] in ("$", "."):
                    self.at += 1  # what the text is filled in with
                else:
                    operands.append(self.operand(depth))
            if last is not None:
                operands.append(last)
            known = [operand for operand in operands if operand is not None]
            last = self.applied(function, known) if len(known) == len(operands) else None
            if last is None or self.at >= len(self.tokens) or self.tokens[self.at]["mark"] == ")":
                return last
            self.at += 1
        return None

    def applied(self, function: str, given: Sequence[Given]) -> Given | None:
        """What a function makes of its operands; None if it is not followed."""
        if function != "include":
            return _applied(function, given)
        name = given[0].parts[0].text.text if len(given) == 1 and given[0].parts else ""
        return self.named(name) if self.named is not None and name and not given[0].hangs else None

    def operand(self, depth: int) -> Given | None:
        token = self.tokens[self.at]
        self.at += 1
        if token["mark"]:  # an opening one
            found = self.pipeline(depth + 1)
            self.at += 1
            return found
        word = token["word"]
        if word is None:
            return _literal(token["double"] if token["double"] is not None else token["raw"])
        if _NUMBER.fullmatch(word) or word in _TRUTHS:
            return _literal(word)
        return self.look(word, self.functions)


def _applied(function: str, given: Sequence[Given]) -> Given | None:
    """What a function makes of its operands; None if it is not followed."""
    if not given:
        return None
    *before, last = given
    if function == "toYaml" and not before:
        return last._replace(parts=())
    if not before and (not function or function in _SAME):
        return last
    if function == "tpl" and not before:
        return None if any("{{" in part.text.text for part in last.parts) else last
    if function in _LAYOUT and len(before) == 1:
        return last
    if function == "default" and len(before) == 1:
        return _defaulted(before[0], last)
    if function == "coalesce":
        return next((one for one in given if not one.empty), None)
    if function == "required" and len(before) == 1:
        return last if not last.empty else None
    return _printed(given[0], given[1:]) if function == "printf" else None


def _defaulted(default: Given, given: Given) -> Given:
    hangs = default.hangs or given.hangs
    if not given.empty:
        return given._replace(hangs=hangs)
    return default._replace(hangs=hangs, path=default.path or given.path)


def _printed(form: Given, given: Sequence[Given]) -> Given | None:
    """``printf "%s:%s" a b``."""
    text = "".join(part.text.text for part in form.parts)
    if form.path or any(not one.parts for one in (form, *given)):
        return None
    parts: list[Known] = []
    rest = list(given)
    at = 0
    for field in _FIELD.finditer(text):
        if field["other"] is not None or (field["percent"] is None and not rest):
            return None
        parts.append(Known(Mapped.new(text[at : field.start()] + (field["percent"] or ""))))
        at = field.end()
        if field["percent"] is None:
            parts.extend(rest.pop(0).parts)
    if rest:
        return None
    parts.append(Known(Mapped.new(text[at:])))
    return Given(tuple(parts), not any(part.text.text for part in parts), any(one.hangs for one in given))
