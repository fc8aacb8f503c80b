"""What zsh makes of variables: it splits no value, ``$ARRAY`` is all of its elements, and they count from one.

Unless a script asks for the ways of other shells, by ``setopt`` or ``emulate``.
"""

from __future__ import annotations

from speclint.hosts.shell.expansions import Items
from speclint.lean import pattern, re
from speclint.value import Joined, Known, OneOf, Unknown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from tree_sitter import Node

    from speclint.hosts.shell.words import Expander
    from speclint.source import SourceFile
    from speclint.splitting import Part
    from speclint.value import Value

_FIRST = pattern(r"#![^\n]*\bzsh\b")
_OTHERWISE = pattern(r"sh_?word_?split|ksh_?arrays|\bemulate[ \t]+(?:-\w+[ \t]+)*k?sh\b|[ \t]-y\b", re.IGNORECASE)
_NAME = pattern(r"\s*\$(?:\{[#!^=~]*)?(?P<name>[A-Za-z_]\w*|[@*])")
_PLAIN = pattern(r"\s*\$(?:\w+|[@*]|\{(?:\w+|[@*])(?:\[(?P<index>[^\[\]]*)\])?\})")
_MAX_DIGITS = 4


def is_used(file: SourceFile) -> bool:
    """Whether zsh runs a script."""
    return (file.path.endswith(".zsh") or _FIRST.match(file.text) is not None) and not _OTHERWISE.search(file.text)


def parts(expander: Expander, node: Node, quoted: bool, usual: Iterable[Part | Items]) -> Iterator[Part | Items]:
    """The parts of a word that an expansion becomes; ``usual`` are those that it becomes in other shells."""
    written = expander.syntax.string(node)
    named, plain = _NAME.match(written), _PLAIN.fullmatch(written)
    name = named["name"] if named is not None else ""
    variable = expander.env.variables.get(name)
    if name in ("@", "*") or (variable is not None and variable.items is not None):
        index = (plain["index"] or "@") if plain is not None else ""
        behind = expander.syntax.slice(node.end_byte, node.end_byte + 1).text
        if index not in ("@", "*"):
            yield _element(expander, name, index), not quoted
        elif behind == "[" and not written.endswith("}"):
            yield Unknown(f"`{written.strip()}[` is not followed"), not quoted
        else:
            yield from usual if quoted and name == "@" else _all(expander, name, index, quoted and "[@]" not in written)
        return
    for part in usual:
        yield part if isinstance(part, Items) or not part[1] else _whole(part[0])


def _all(expander: Expander, name: str, index: str, joined: bool) -> Iterator[Part | Items]:
    """All elements as they are, or as one text."""
    yield expander._list(name, "*", True) if joined else Items(expander._all(name), True)


def _element(expander: Expander, name: str, index: str) -> Value:
    """The element at a number."""
    words = expander._all(name)
    number = int(index) if index.isdecimal() and len(index) <= _MAX_DIGITS else 0
    if 0 < number <= len(words) and not any(word.guard or word.many for word in words[:number]):
        return words[number - 1].value
    return Unknown(f"an element of `{name}` is not followed")


def _whole(value: Value) -> Part:
    """A value that is one word, or none where it is empty."""
    leaves = list(_leaves(value))
    texts = [leaf.text.text for leaf in leaves if isinstance(leaf, Known)]
    if texts and len(texts) == len(leaves) and all(texts):
        return value, False
    if any(len(text.split()) > 1 for text in texts):
        return Unknown("it is empty or one word with blanks in it"), True
    return value, True


def _leaves(value: Value) -> Iterator[Value]:
    if isinstance(value, OneOf | Joined):
        for part in value.arms if isinstance(value, OneOf) else value.parts:
            yield from _leaves(part)
    else:
        yield value
