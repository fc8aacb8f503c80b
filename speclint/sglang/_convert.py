"""Whether a text is a value of an option's type, as SGLang's converters decide it."""

from __future__ import annotations

from speclint import plain_json

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

_SUFFIXES = {"k": 10**3, "M": 10**6, "G": 10**9, "T": 10**12}
_BINARY_SUFFIXES = {"Ki": 2**10, "Mi": 2**20, "Gi": 2**30, "Ti": 2**40}


def fits(text: str, kind: str | None) -> bool:
    """Whether the converter of a type takes a text. A type that is not known here takes every text."""
    check = _CHECKS.get(kind or "str")
    if check is None:
        return True
    try:
        return check(text)
    except (ValueError, RecursionError):
        return False


def normal(text: str, kind: str | None) -> str:
    """A text that fits, as it compares with the choices: ``01`` of type int is the choice ``1``."""
    if kind == "int":
        return str(int(text))
    if kind == "human_int" and text.strip().lstrip("+-").isdecimal():
        return str(int(text))
    return text


def human_integer(text: str) -> int:
    """The number that a text of type human_int stands for (0.5.23 srt/utils/common.py:3394). Raises ValueError."""
    if not _human_integer(text):
        raise ValueError(text)
    text = text.strip()
    suffix = text.lstrip("0123456789.")
    number = text[: len(text) - len(suffix)]
    if suffix in _BINARY_SUFFIXES:
        return int(number) * _BINARY_SUFFIXES[suffix]
    if suffix in _SUFFIXES:
        whole, _, part = number.partition(".")
        return int(int(whole + part) * _SUFFIXES[suffix] // 10 ** len(part))
    return int(text)


def _integer(text: str) -> bool:
    int(text)
    return True


def _number(text: str) -> bool:
    float(text)
    return True


def _human_integer(text: str) -> bool:
    text = text.strip()
    suffix = text.lstrip("0123456789.")
    number = text[: len(text) - len(suffix)]
    if suffix in _BINARY_SUFFIXES:
        return number.isdecimal()
    if suffix in _SUFFIXES:
        whole, dot, part = number.partition(".")
        return whole.isdecimal() and (part.isdecimal() if dot else True)
    return _integer(text)


def _json(text: str) -> bool:
    plain_json.loads(text)
    return True


def _strict_json(text: str) -> bool:
    def refuse(_name: str) -> None:
        raise ValueError

    plain_json.loads(text, refuse)
    return True


def _cuda_graph_config(text: str) -> bool:
    """An object of settings by phase; which settings there are differs between releases and is left open."""
    phases = plain_json.loads(text)
    if not isinstance(phases, dict) or not phases.keys() <= {"decode", "prefill"}:
        return False
    return all(isinstance(settings, dict) for settings in phases.values())


def _lora_path(text: str) -> bool:
    text = text.strip()
    if not (text.startswith("{") and text.endswith("}")):
        return True
    return bool({"lora_name", "lora_path"} <= plain_json.loads(text).keys())


_CHECKS: dict[str, Callable[[str], bool]] = {
    "int": _integer,
    "float": _number,
    "human_int": _human_integer,
    "json": _json,
    "json_list": _strict_json,
    "cuda_graph_config": _cuda_graph_config,
    "lora_path": _lora_path,
}
