"""Which rules are asked: ``select``, ``extend-select``, ``ignore`` and ``per-file-ignores``.

As in ruff the closest selector decides: ``--select SGL201 --ignore SGL2`` asks SGL201 alone of its group. Of equally
close ones, ``ignore`` wins.
"""

from __future__ import annotations

from speclint import suppress
from speclint.lean import pattern
from speclint.settings import ConfigError, clipped, nearest
from speclint.suppress import names_rule

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from speclint.settings import Settings

ALL = "ALL"
_PREFIX = pattern(r"[A-Z]{1,8}\d{0,3}")
_CODE = pattern(r"SGL\d{3}")


class Selection:
    """The choice of one file. Later selectors of a list do not matter more than earlier ones."""

    def __init__(self, settings: Settings, path: str) -> None:
        self._on = (*(settings.select if settings.select is not None else (ALL,)), *settings.extend_select)
        self._off = (*settings.ignore, *settings.ignored_for(path))
        self.all = self._on == (ALL,) and not self._off  # whether every rule is asked

    def __call__(self, code: str, name: str) -> bool:
        """Whether a rule is asked."""
        return self.all or _closest(self._on, code, name) > _closest(self._off, code, name)


def _closest(selectors: Iterable[str], code: str, name: str) -> int:
    """How close the closest of the selectors that mean a rule is: its length, a name more than any code; 0 for none."""
    best = 0
    for selector in selectors:
        if selector == ALL:
            best = max(best, 1)
        elif selector == name:
            best = 100
        elif names_rule(selector, code, name):
            best = max(best, 1 + len(selector))
    return best


def check(settings: Settings, rules: Iterable[tuple[str, str]]) -> None:
    """Raise ConfigError for a selector of the settings that means no rule; ``rules`` are codes with names."""
    lists: list[tuple[str, Sequence[str]]] = [
        ("select", settings.select or ()),
        ("extend-select", settings.extend_select),
        ("ignore", settings.ignore),
        *(("per-file-ignores", codes) for codes in settings.per_file_ignores.values()),
    ]
    if not any(selectors for _, selectors in lists):
        return
    known = [*rules, *((str(rule["code"]), str(rule["name"])) for rule in suppress.rules())]
    for key, selectors in lists:
        for selector in selectors:
            if selector == ALL or any(names_rule(selector, code, name) for code, name in known):
                continue
            if _is_open_prefix(selector):
                continue
            near = nearest(selector, [word for pair in known for word in pair])
            told = clipped(selector)
            raise ConfigError(f"{key}: no rule is called `{told}`" + (f"; did you mean `{near}`?" if near else ""))


def _is_open_prefix(selector: str) -> bool:
    """Whether it names a group of codes, which may be empty in this release of speclint."""
    return bool(_PREFIX.fullmatch(selector)) and selector.startswith("SGL") and not _CODE.fullmatch(selector)
