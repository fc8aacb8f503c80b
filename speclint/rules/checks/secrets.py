"""Secrets that are written out in a launch."""

from __future__ import annotations

from speclint.lean import pattern, re
from speclint.rules.found import Found, under
from speclint.value import Known

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from speclint.sglang.resolve import View

_OPTIONS = ("api_key", "admin_api_key", "ssl_keyfile_password")
_TOKEN = pattern(r"(?:hf_[A-Za-z0-9]{30,}|sk-[\w-]{20,}|ghp_[A-Za-z0-9]{30,}|nvapi-[\w-]{30,})")
# What stands in documents for a secret.
_PLACEHOLDER = pattern(
    r"your|example|x{3}|\*{3}|change|token|secret|key|test|dummy|empty|none|1234|abcd|sglang|placeholder|[<>${}]|\.\.",
    re.IGNORECASE,
)
_LETTER = pattern("[A-Za-z]")
_SIZE, _VARIETY = 16, 10


def written_out(view: View) -> Iterator[Found]:
    """Keys and tokens by all appearance, not by name: what is a placeholder is left alone."""
    options = view.options
    for dest in _OPTIONS:
        for setting in options.written(dest):
            value = setting.value
            if isinstance(value, Known) and _is_secret(value.text.text):
                facts = {"where": f"`{setting.flag}`", "variable": None}
                yield Found(setting.value_span, setting, facts, *under(setting.guard))
    for name, value in options.launch.command.env.items():
        text = value.text.text if isinstance(value, Known) else ""
        if isinstance(value, Known) and _TOKEN.fullmatch(text) and _is_secret(text):
            yield Found(value.text.span(), None, {"where": f"`{name}`", "variable": name})


def _is_secret(text: str) -> bool:
    body = text.removeprefix("sk-").removeprefix("hf_")
    if len(body) < _SIZE or len(set(body)) < _VARIETY or _PLACEHOLDER.search(body):
        return False
    return any(map(str.isdecimal, body)) and _LETTER.search(body) is not None
