"""Options of SGLang that stand without its launcher: a trainer's ``--sglang-…``, or a mapping or list of them in data.

The program that reads them starts the server with them, and with options of its own: what is not written may be set.
"""

from __future__ import annotations

from speclint.lean import pattern
from speclint.value import Unknown
from speclint.words import Keyword, many

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from speclint.words import Command, Word

PREFIX = "--sglang-"
PREFIXED = "--sglang-"
OPTIONS = "sglang options"
# Keys under which options of SGLang stand, in lower case.
OURS = (
    r"sglang(?:[_-]?(?:engine|server|rollout|backend|worker|runtime|prefill|decode))?"
    r"(?:[_-]?(?:config|args|kwargs|overrides|options|settings|flags|params|parameters))?"
)
_OURS = pattern(OURS)
_OTHERS = pattern(
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
# Names of options that other engines have too.
_SHARED = frozenset(
    (
        *("tensor_parallel_size", "pipeline_parallel_size", "data_parallel_size", "trust_remote_code", "load_format"),
        *("kv_cache_dtype", "tokenizer_mode", "chat_template", "download_dir", "enable_lora", "max_lora_rank"),
        *("reasoning_parser", "tool_call_parser", "attention_backend", "model_impl", "node_rank", "lora_paths"),
        *("skip_tokenizer_init", "enable_metrics", "context_length", "max_new_tokens", "batch_size", "json_schema"),
    )
)
# What a program says that it is about, and how many options of SGLang alone its lists of options hold then.
_LEAST = {"import sglang": 1, "about sglang": 2, "names sglang": 3}
# What the catalogue was asked before: data of one kind has the same names again and again.
_asked: dict[str, bool] = {}
# What a client is told, behind the prefix.
_ADDRESS = pattern(r"(?:base-|server-)?(?:url|endpoint)s?|api-(?:base|key|url)")
_SCRIPT = pattern(r"[\w./${}-]*\.(?:py|sh)")


def is_ours(key: str) -> bool:
    """Whether what stands under a key is said to be SGLang's."""
    return _OURS.fullmatch(key.lower()) is not None


def is_marked(under: Sequence[str], names: Iterable[str]) -> bool:
    """Whether names that stand under keys are options of SGLang: the nearest key that names an engine decides.

    Most of them have to be options of some release, and one at least of those that only SGLang has.
    """
    plain = [name.lstrip("-").replace("-", "_") for name in names]
    for key in reversed(under):
        if _OURS.fullmatch(key):
            break
        if key in _LEAST:
            return are_ours(plain, _LEAST[key])
        if _OTHERS.fullmatch(key):
            return False
    else:
        return False
    telling = [name for name in plain if name not in _COMMON]
    known = [name for name in telling if is_option(name)]
    return 2 * len(known) > len(telling) and any("_" in name for name in known)


def are_ours(names: Sequence[str], least: int) -> bool:
    """Whether nearly all names are options of SGLang, and ``least`` of them of no other engine by all appearance."""
    telling = [name for name in names if name not in _COMMON]
    known = [name for name in telling if is_option(name)]
    own = {name for name in known if "_" in name and name not in _SHARED}
    return len(own) >= least and 5 * len(known) >= 4 * len(telling)


def is_own(name: str) -> bool:
    """Whether an option of that name tells by itself that it is one of SGLang; dashes count as underscores."""
    plain = name.lstrip("-").replace("-", "_")
    return "_" in plain and plain not in _COMMON and plain not in _SHARED and is_option(name)


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
    """The index of the first word that is an option of SGLang behind ``--sglang-``.

    Where a program is told of a server by its address, it starts none for the name of a model, and one that is told of
    no more than a host and a port may start none either.
    """
    texts = {i: w.prefix[len(PREFIX) :] for i, w in enumerate(words) if w.prefix.startswith(PREFIX) and not w.many}
    names = {index: text.split("=")[0].split(" ")[0] for index, text in texts.items()}
    asks = any(_ADDRESS.fullmatch(name) for name in names.values()) or {"host", "port"}.issuperset(names.values())
    return next((index for index, name in names.items() if (is_own(name) if asks else is_option(name))), None)


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
