"""PyYAML's parser in C, as far as it is needed: nodes with marks and tags.

Importing yaml takes 40 ms, most of it for what makes objects of nodes and text of objects. The parser needs none of
that but for the names of some errors. So in a process of our own it is loaded without the package around it; a package
that is imported later takes over what is there. The tags of plain scalars are told by a look at them: PyYAML's resolver
is called for every one of them, and takes as long as the parser.
"""

from __future__ import annotations

from _operator import is_

from speclint import lean, process
from speclint.lean import pattern

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_TAG = "tag:yaml.org,2002:"
_STR, _INT, _FLOAT = f"{_TAG}str", f"{_TAG}int", f"{_TAG}float"
# What YAML 1.1 takes for something else than text, as PyYAML does.
_WORDS = {
    **dict.fromkeys(("", "~", "null", "Null", "NULL"), f"{_TAG}null"),
    **{
        spelt: f"{_TAG}bool"
        for word in ("yes", "no", "true", "false", "on", "off")
        for spelt in (word, word.title(), word.upper())
    },
    "<<": f"{_TAG}merge",
    "=": f"{_TAG}value",
}
_COLLECTIONS = {"MappingNode": f"{_TAG}map", "SequenceNode": f"{_TAG}seq"}
_NUMBER = frozenset("0123456789.")
_BEGINS = _NUMBER | frozenset("+-")
# What YAML 1.1 takes for numbers: with underscores, in other bases, in sixties.
_FLOATS = pattern(
    r"[-+]?(?:[0-9][0-9_]*\.[0-9_]*(?:[eE][-+][0-9]+)?|[0-9][0-9_]*(?::[0-5]?[0-9])+\.[0-9_]*|\.(?:inf|Inf|INF))"
    r"|\.[0-9][0-9_]*(?:[eE][-+][0-9]+)?|\.(?:nan|NaN|NAN)"
)
_INTS = pattern(r"[-+]?(?:0b[01_]+|0[0-7_]+|0|[1-9][0-9_]*(?::[0-5]?[0-9])*|0x[0-9a-fA-F_]+)")
_TIMES = pattern(
    r"[0-9]{4}-(?:[0-9]{2}-[0-9]{2}|[0-9]{1,2}-[0-9]{1,2}(?:[Tt]|[ \t]+)[0-9]{1,2}:[0-9]{2}:[0-9]{2}(?:\.[0-9]*)?"
    r"(?:[ \t]*(?:Z|[-+][0-9]{1,2}(?::[0-9]{2})?))?)"
)
# The modules of the package that the parser takes the names of errors from.
_ERRORS = ("reader", "scanner", "parser", "composer", "constructor", "emitter", "serializer", "representer")
_loader: Any = None


def loader(text: str) -> Any:
    """A loader with ``check_node``, ``get_node`` and ``dispose``."""
    global _loader
    if _loader is None:
        _loader = _made()
    return _loader(text)


def root(nodes: Any) -> Any:
    """The root node of the next document of a loader."""
    import gc

    # All that is made stays, and has no cycles: looking for them takes as long as the rest.
    collects = gc.isenabled()
    gc.disable()
    try:
        return nodes.get_node()
    finally:
        if collects:
            gc.enable()


def errors() -> Any:
    """The module that defines ``YAMLError`` and ``MarkedYAMLError``."""
    import sys

    return sys.modules["yaml.error"]


def _made() -> Any:
    import sys

    if process.is_ours and "yaml" not in sys.modules:
        parser = _parser()
    else:
        import yaml

        parser = getattr(yaml, "CSafeLoader", None)
    if parser is None:
        from yaml import SafeLoader

        return SafeLoader

    class Loader(parser):  # type: ignore[misc, valid-type]
        """The parser with a resolver."""

        def resolve(self, kind: Any, value: Any, implicit: Any) -> str:
            """The tag of a node that has none."""
            if value is None:
                return _COLLECTIONS[kind.__name__]
            if not implicit[0] or (value[:1] not in _BEGINS and value not in _WORDS):  # as for most
                return _STR
            return tag_of(value)

        # For resolvers by path, of which there are none: called at every node, with two arguments and with none.
        descend_resolver = is_
        ascend_resolver = tuple

    return Loader


def tag_of(text: str) -> str:
    """The tag of a plain scalar."""
    found = _WORDS.get(text)
    if found is not None:
        return found
    first = text[0]
    if first not in _BEGINS:
        return _STR
    if text.isascii():
        whole, dot, rest = text.partition(".")
        if whole.isdecimal() and (not dot or not rest or rest.isdecimal()):
            if dot:
                return _FLOAT
            if first != "0" or text == "0":
                return _INT
    if first in "+-" and text[1:2] not in _NUMBER:  # an option, mostly
        return _STR
    if _FLOATS.fullmatch(text):
        return _FLOAT
    if _INTS.fullmatch(text):
        return _INT
    return f"{_TAG}timestamp" if _TIMES.fullmatch(text) else _STR


def _parser() -> Any:
    """The parser without the package; None where there is none."""
    import sys
    from _frozen_importlib_external import PathFinder

    package = PathFinder.find_spec("yaml")
    if package is None or package.submodule_search_locations is None:
        return None
    stand_in: Any = type(sys)("yaml")
    stand_in.__path__ = list(package.submodule_search_locations)
    sys.modules["yaml"] = stand_in
    try:
        for name in ("error", "tokens", "events", "nodes"):
            module = lean.module(f"yaml.{name}")
            stand_in.__dict__.update({key: value for key, value in vars(module).items() if key[0] != "_"})
        for name in _ERRORS:
            setattr(stand_in, name, _Errors(stand_in.MarkedYAMLError, stand_in.YAMLError))
        return lean.module("yaml._yaml").CParser
    except ImportError:
        return None
    finally:
        del sys.modules["yaml"]


class _Errors:
    """A module of the package, of which nothing but its errors is asked."""

    def __init__(self, marked: type, plain: type) -> None:
        self._marked = marked
        self._plain = plain

    def __getattr__(self, name: str) -> type:
        return type(name, (self._plain if name == "ReaderError" else self._marked,), {})
