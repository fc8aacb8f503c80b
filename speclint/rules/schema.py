"""Enough of JSON Schema to check a rule file against rule.schema.json, so that users' rules need no further package."""

from __future__ import annotations

from speclint.lean import re

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

_TYPES: dict[str, tuple[type, ...]] = {
    "string": (str,),
    "boolean": (bool,),
    "integer": (int,),
    "object": (dict,),
    "array": (list,),
    "null": (type(None),),
}


def rule_schema() -> dict[str, Any]:
    """The schema of a rule file."""
    import json
    import os.path

    with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "rule.schema.json"), encoding="utf-8") as file:
        found: dict[str, Any] = json.load(file)
    return found


def faults(value: Any, schema: dict[str, Any], root: dict[str, Any], where: str = "") -> Iterator[str]:
    """What is wrong with a value, one sentence each, beginning with the path to the place."""
    if "$ref" in schema:
        schema = root["$defs"][schema["$ref"].rpartition("/")[2]]
    if "anyOf" in schema:
        if all(any(faults(value, one, root, where)) for one in schema["anyOf"]):
            yield f"{where or 'the file'}: fits none of the forms that are allowed here"
        return
    if "enum" in schema:
        if value not in schema["enum"]:
            yield f"{where}: must be one of {', '.join(schema['enum'])}, not {value!r}"
        return
    kinds = schema.get("type", [])
    kinds = [kinds] if isinstance(kinds, str) else kinds
    if kinds and not any(_is(value, kind) for kind in kinds):
        yield f"{where or 'the file'}: must be of type {' or '.join(kinds)}, not {value!r}"
    elif isinstance(value, str):
        if "pattern" in schema and re.search(schema["pattern"], value.strip()) is None:
            yield f"{where}: {value!r} does not match {schema['pattern']}"
    elif isinstance(value, list):
        yield from _list(value, schema, root, where)
    elif isinstance(value, dict):
        yield from _object(value, schema, root, where)


def _is(value: Any, kind: str) -> bool:
    return isinstance(value, _TYPES[kind]) and not (kind == "integer" and isinstance(value, bool))


def _list(value: list[Any], schema: dict[str, Any], root: dict[str, Any], where: str) -> Iterator[str]:
    if not schema.get("minItems", 0) <= len(value) <= schema.get("maxItems", len(value)):
        yield f"{where}: has {len(value)} items"
    for index, item in enumerate(value):
        yield from faults(item, schema.get("items", {}), root, f"{where}[{index}]")


def _object(value: dict[str, Any], schema: dict[str, Any], root: dict[str, Any], where: str) -> Iterator[str]:
    known = schema.get("properties", {})
    other = schema.get("additionalProperties", {})
    for key in schema.get("required", ()):
        if key not in value:
            yield f"{where or 'the file'}: `{key}` is missing"
    if len(value) < schema.get("minProperties", 0):
        yield f"{where}: is empty"
    for key, item in value.items():
        place = f"{where}.{key}" if where else str(key)
        if key in known:
            yield from faults(item, known[key], root, place)
        elif other is False:
            yield f"{place}: there is no such key"
        else:
            yield from faults(item, other, root, place)
