"""The data files of this package, read in the form that loads fastest.

They are JSON, for people and for tools. A build writes each of them down a second time, in the form 2 of marshal, which
every Python reads (it is no pickle: nothing but plain data comes out of it): the catalogue takes 0.5 ms that way, as
JSON 2 ms and the module for JSON, which nothing else in a run on one file needs, 6.
"""

from __future__ import annotations

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

DATA = os.path.join(os.path.dirname(os.path.abspath(__file__)), "data")
_COMPILED = ".bin"
_WORDS = {"true": True, "false": False, "null": None}


def read(name: str) -> Any:
    """The content of ``data/NAME.json``."""
    path = os.path.join(DATA, name)
    try:
        with open(path + _COMPILED, "rb") as stream:
            from marshal import loads

            return loads(stream.read())
    except FileNotFoundError:
        return _json(path)


def compile_all(folder: str) -> None:
    """Write the second form of every data file of a folder, beside the first."""
    from marshal import dumps

    for entry in sorted(os.listdir(folder)):
        name, suffix = os.path.splitext(entry)
        if suffix == ".json":
            path = os.path.join(folder, name)
            with open(path + _COMPILED, "wb") as stream:
                stream.write(dumps(_json(path), 2))


def _json(path: str) -> Any:
    import json

    with open(path + ".json", encoding="utf-8") as file:
        return json.load(file)


def literal(text: str) -> Any:
    """The value of a JSON text; those that are usual are read without the module for it."""
    if text in _WORDS:
        return _WORDS[text]
    whole, dot, rest = text.removeprefix("-").partition(".")
    if whole.isdecimal() and text.isascii() and (not dot or rest.isdecimal()):
        return float(text) if dot else int(text)
    if len(text) > 1 and text[0] == text[-1] == '"' and "\\" not in text and '"' not in text[1:-1]:
        return text[1:-1]
    import json

    return json.loads(text)
