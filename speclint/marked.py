"""Options of SGLang that stand without its launcher: a trainer's ``--sglang-…``, or a mapping or list of them in data.

The program that reads them starts the server with them, and with options of its own: what is not written may be set.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from speclint.value import Unknown
from speclint.words import Keyword, many

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from speclint.words import Command, Word

PREFIX = "--sglang-"
PREFIXED = "--sglang-"
OPTIONS = "sglang options"
_OURS = re.compile(
    r"sglang(?:[_-]?(?:engine|server|rollout|backend|worker|runtime|prefill|decode))?"
    r"(?:[_-]?(?:config|args|kwargs|overrides|options|settings|flags|params|parameters))?"
)
_OTHERS = re.compile(
    r"v?llm[_-]?(?:config|args|engine|kwargs|server)?|trt[_-]?llm.*|tensorrt.*|lmdeploy.*|tgi.*|llama[._-]?cpp.*|ollama"
    r"|hf|transformers|megatron.*|fsdp.*|deepspeed.*|router.*|gateway.*|frontend.*|client.*|benchmark.*|.*sgl[_-]?jax.*"
)
# Names that configurations of any kind have.
_COMMON = frozenset(
    (
        *("model_path", "model", "tokenizer_path", "host", "port", "device", "dtype", "api_key", "log_level", "name"),
        *("version", "tp", "dp", "pp", "ep", "revision", "config", "served_model_name", "quantization", "random_seed"),
    )
)
# What the catalogue was asked before: data of one kind has the same names again and again.
_asked: dict[str, bool] = {}
_SCRIPT = re.compile(r"[\w./${}-]*\.(?:py|sh)")


def is_marked(under: Sequence[str], names: Iterable[str]) -> bool:
    """Whether names that stand under keys are options of SGLang: the nearest key that names an engine decides.

    Most of them have to be options of some release, and one at least of those that only SGLang has.
    """
    for key in reversed(under):
        if _OURS.fullmatch(key):
            break
        if _OTHERS.fullmatch(key):
            return False
    else:
        return False
    plain = [name.lstrip("-").replace("-", "_") for name in names]
    known = [name for name in plain if is_option(name)]
    return 2 * len(known) > len(plain) and any("_" in name and name not in _COMMON for name in known)


def is_option(name: str) -> bool:
    """Whether a name is that of an option of some release; dashes count as underscores."""
    string = "--" + name.lstrip("-").replace("_", "-")
    found = _asked.get(string)
    if found is None:
        from speclint.sglang import catalog

        newest = catalog.release(catalog.newest())
        found = string in newest.options or newest.by_dest(string[2:].replace("-", "_")) is not None
        found = _asked[string] = found or catalog.history(string) is not None
    return found


def prefixed(words: Sequence[Word]) -> int | None:
    """The index of the first word that is an option of SGLang behind ``--sglang-``."""
    for index, word in enumerate(words):
        text = word.prefix
        if text.startswith(PREFIX) and not word.many and is_option(text[len(PREFIX) :].split("=")[0].split(" ")[0]):
            return index
    return None


def of_program(words: Sequence[Word], first: int) -> list[Word]:
    """The words from the program's first option on, and that it has more of its own."""
    start = next((i + 1 for i in range(first, -1, -1) if _SCRIPT.fullmatch(words[i].text or "")), first)
    return [*words[start:], many("the program that reads them sets options of its own", None)]


def with_more(command: Command) -> Command:
    """The same command, whose program sets options of its own too."""
    reason = Unknown("the program that reads them sets options of its own")
    found = command.replace(command.words)
    if command.keywords is not None:
        found.keywords = (*command.keywords, Keyword(None, command.span, reason, command.span))
    return found
