"""Whether a module starts nothing for all that it names what could: found in its syntax, before it is followed.

A module of SGLang that is followed for nothing takes as long as twenty that are ruled out here.
"""

from __future__ import annotations

from speclint.hosts.python import prose, triggers

TYPE_CHECKING = False
if TYPE_CHECKING:
    import ast
    from collections.abc import Sequence

    from speclint.hosts.python.source import Source

# More places than these are not looked at one by one, each from the top of the module.
_MANY = 100


def is_idle(tree: ast.Module, source: Source, places: Sequence[int]) -> bool:
    """Whether what stands at the places starts nothing, nor are they options that something else is started with."""
    text = source.text.text
    starts = [at for at in places if not triggers.is_option(text, at)]
    if len(starts) > _MANY or not all(prose.is_told(tree, source, at) for at in starts):
        return False
    if len(starts) == len(places):
        return True
    from speclint.hosts.python import flags

    return not flags.hands_on(text) and not may_be_options(tree, source, flags.own(text))


def may_be_options(tree: ast.Module, source: Source, named: Sequence[int]) -> bool:
    """Whether a module may hold a list or a dictionary of SGLang's options; ``named`` are those that it names."""
    from speclint.hosts.python import listed
    from speclint.hosts.python.fragments import names_options

    if named and listed.may_be(tree, source, named):
        return True
    if not names_options(source.text.text):
        return False
    from speclint.hosts.python import keyed

    return keyed.may_be(tree, source)
