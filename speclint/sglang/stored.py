"""The data files of this package, read in the form that loads fastest.

They are JSON, for people and for tools. A build writes each of them down a second time, in the form 2 of marshal, which
every Python reads (it is no pickle: nothing but plain data comes out of it): the catalogue takes 0.5 ms that way, as
JSON 2 ms and the module for JSON, which nothing else in a run on one file needs, 6. A checkout keeps them so in its
folder ``build``.
"""

from __future__ import annotations

import os

from speclint import process

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

DATA = os.path.join(os.path.dirname(os.path.abspath(__file__)), "data")
_COMPILED = ".bin"
_WORDS = {"true": True, "false": False, "null": None}


def read(name: str) -> Any:
    """The content of ``data/NAME.json``."""
    from marshal import loads

    path = os.path.join(DATA, name)
    try:
        with open(path + _COMPILED, "rb") as stream:
            return loads(stream.read())
    except FileNotFoundError:
        return _kept(path, name) if process.is_ours else _json(path)


def _kept(path: str, name: str) -> Any:
    """A data file of a checkout, whose second form is kept as long as the file is what that was made of."""
    from marshal import dumps, loads

    from speclint.prepared import PACKAGE, place, stamp

    folder, made_of = os.path.dirname(place()), stamp(path + ".json")
    kept = os.path.join(folder, name + _COMPILED)
    if folder == PACKAGE or made_of is None:
        return _json(path)
    try:
        with open(kept, "rb") as stream:
            before, data = loads(stream.read())
        if before == made_of:
            return data
    except (OSError, EOFError, ValueError, TypeError):
        pass
    data = _json(path)
    mine = f"{kept}.{os.getpid()}"
    try:
        os.makedirs(folder, exist_ok=True)
        with open(mine, "wb") as stream:
            stream.write(dumps((made_of, data), 2))
        os.replace(mine, kept)
    except OSError:
        pass
    return data


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
