"""From what a rule would change to fixes, as the fix engine can make them."""

from __future__ import annotations

from speclint.finding import APPLICABILITIES, Fix
from speclint.fix import intent as make
from speclint.rules import expr
from speclint.rules.found import NAME
from speclint.rules.hits import render
from speclint.sglang.setting import Setting, Unsettled

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from speclint.rules.hits import Hit
    from speclint.rules.rule import FixIntent
    from speclint.sglang.resolve import View


def fixes(group: Sequence[Hit], others: Sequence[View]) -> tuple[Fix, ...]:
    """The fixes for one finding, best first. It is made in the worlds of ``group`` and in none of ``others``."""
    view = group[0].view
    found: list[Fix] = []
    for wanted in group[0].case.fixes:
        # Some have dozens of them, of which one fits.
        if expr.truth(wanted.when(view)) is not True:
            continue
        if not all(expr.truth(wanted.when(hit.view)) is True for hit in group[1:]):
            continue
        message = render(wanted.message, *(hit.view for hit in group))
        mender = _Mender(wanted, group, others, message)
        parts = [*mender.set(), *mender.add(), *mender.rewrite(), *mender.mend()]
        if parts and all(parts):
            whole = parts[0] if len(parts) == 1 else [_merged([part[0] for part in parts], message)]
            guess = expr.truth(wanted.unsafe(view)) is not False
            found.extend(_capped(fix) if guess else fix for fix in whole)
    return make.settle(found, view.options.launch)


class _Mender:
    """One fix of a rule. Each method gives, for each thing to do, the ways to do it; none where there is no way."""

    def __init__(self, wanted: FixIntent, group: Sequence[Hit], others: Sequence[View], message: str) -> None:
        self.wanted = wanted
        self.group = group
        self.others = others
        self.message = message

    def set(self) -> list[tuple[Fix, ...]]:
        return [self._set(dest) for dest in self.wanted.set]

    def _set(self, dest: str) -> tuple[Fix, ...]:
        """Sets each value that the option has in the worlds of the finding."""
        wrong: dict[object, tuple[Setting, str]] = {}
        for hit in self.group:
            setting = _written(hit, dest)
            if setting is None:
                return ()
            text = render(self.wanted.set[dest], hit.view)
            narrow = setting.narrow(hit.view.world)
            if wrong.setdefault(_key(narrow), (narrow, text))[1] != text:
                return ()
        parts = [
            make.set_value(narrow, text, self.message, not any(_stands(view, dest, key) for view in self.others))
            for key, (narrow, text) in wrong.items()
        ]
        if len(parts) == 1:
            return parts[0]
        return (_merged([part[0] for part in parts], self.message),) if all(parts) else ()

    def add(self) -> list[tuple[Fix, ...]]:
        found: list[tuple[Fix, ...]] = []
        options = self.group[0].view.options
        for dest, template in self.wanted.add.items():
            texts = {render(template, hit.view) for hit in self.group}
            # An open launch may hold it already, and a setting of another world would be overridden.
            known = options.open is None and dest not in options.lost and dest not in options.meant
            if len(texts) > 1 or options.written(dest) or not known:
                return [()]
            added = make.add_option(options, options.spelling(dest), texts.pop() or None, self.message)
            found.append(tuple(_capped(fix) for fix in added) if self.others else added)
        return found

    def rewrite(self) -> list[tuple[Fix, ...]]:
        """Everything that gives whole options or words another form."""
        wanted, hit = self.wanted, self.group[0]
        found: list[tuple[Fix, ...]] = []
        for dest in (*wanted.rename, *wanted.replace, *wanted.remove, *wanted.split):
            setting = _written(hit, dest)
            if setting is None:
                return [()]
            if dest in wanted.rename:
                found.append(make.rename_option(setting, render(wanted.rename[dest], hit.view), self.message))
            elif dest in wanted.replace:
                words = render(wanted.replace[dest], hit.view).split()
                found.append(make.replace_option(setting, words, self.message, self._surely(setting)))
            elif dest in wanted.split:
                words = list(hit.found.words) if hit.found is not None else []
                found.append(make.split_word(setting.words[0], words, self.message) if words else ())
            else:
                found.append(make.remove_option(setting, self.message, self._surely(setting)))
        return found

    def mend(self) -> list[tuple[Fix, ...]]:
        """The edits that were found."""
        if not self.wanted.mend:
            return []
        found = self.group[0].found
        return [(Fix("safe", self.message, found.edits),) if found is not None and found.edits else ()]

    def _surely(self, setting: Setting) -> bool:
        """Whether it is wrong wherever it is there: what a rule found hangs on no more than the words that it found."""
        return not self.others or (self.group[0].found is not None and setting is self.group[0].setting)


def _written(hit: Hit, dest: str) -> Setting | None:
    if dest == NAME:
        return hit.setting
    setting = hit.view.setting(dest, foreign=True)
    return setting if isinstance(setting, Setting) else None


def _stands(view: View, dest: str, key: object) -> bool:
    """Whether an option has a value in a world, or may have it as the world leaves that open."""
    setting = view.setting(dest, foreign=True)
    if not isinstance(setting, Setting):
        return isinstance(setting, Unsettled)
    return any(point not in view.world for point in setting.choices()) or _key(setting.narrow(view.world)) == key


def _key(setting: Setting) -> object:
    """What tells one written value of an option from another: the use, and where its characters stand."""
    return (setting.value_span, setting.origin({}))


def _capped(fix: Fix) -> Fix:
    """The fix, unsafe at most: it changes worlds in which nothing is wrong too."""
    return Fix("unsafe", fix.message, fix.edits) if fix.applicability == "safe" else fix


def _merged(parts: Sequence[Fix], message: str) -> Fix:
    """All of the fixes as one, as safe as the least safe of them."""
    edits = {edit.key(): edit for part in parts for edit in part.edits}
    return Fix(min((part.applicability for part in parts), key=APPLICABILITIES.index), message, edits.values())
