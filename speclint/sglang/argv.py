"""Reads the words after an entry point as ``argparse`` does in an SGLang release, over words that may be unknown.

Python 3.11's ``argparse`` is followed; where later ones differ, nothing is reported. A word that is not known never
leads to a problem: where its place asks for a value it is that value, elsewhere it leaves open what it brings.
"""

from __future__ import annotations

from speclint.sglang import _convert
from speclint.sglang._argv_match import match
from speclint.sglang._argv_types import Parsed, Problem, Use, Word

__all__ = ("Parsed", "Problem", "Use", "Word", "fault", "parse", "verdict")

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from speclint.sglang._argv_match import Match
    from speclint.sglang._store import Option
    from speclint.sglang.catalog import Release


def parse(words: Sequence[Word], release: Release, merged: bool = False) -> Parsed:
    """Reads words, those behind the entry point, for a release.

    ``merged``: what ``--config`` names is among them, so that nothing more is to be expected of it.
    """
    return _Reader(words, release, merged).read()


def verdict(parsed: Parsed) -> Problem | None:
    """The problem that argparse would stop at; None where it accepts."""
    for kinds in (_AT_ONCE, _IN_ORDER, _AT_END, _LAST):
        found = [problem for problem in parsed.problems if problem.kind in kinds]
        if found:
            return min(found, key=lambda problem: -1 if problem.index is None else problem.index)
    return None


# ``sglang serve`` asks the repository whether a model is a diffusion model; its name is all there is to see here.
# Parts of the names in the registry of sglang/multimodal_gen, 0.5.5 to 0.5.23.
_DIFFUSION_NAMES = (
    "cosmos3", "diffus", "fasth3", "flux", "helios", "hunyuan3d", "hunyuanvideo", "i2v", "ideogram", "-image",
    "image-", "joyai-echo", "kandinsky", "krea-", "longlive", "ltx-", "minimax-h3", "sana-", "sana1", "sana_", "t2i",
    "t2v", "wan2.",
)  # fmt: skip


def fault(option: Option, value: str) -> str | None:
    """What an option has against a value: "invalid-type", "invalid-choice" or nothing."""
    kind = "lora_path" if option.action == "lora_paths" else option.type
    if option.choices is None and (kind is None or kind == "str"):  # as most are
        return None
    asked = (option, value)
    if asked in _faults:
        return _faults[asked]
    found = _fault(option, value, kind)
    if len(value) <= _MAX_LENGTH:
        if len(_faults) >= _MAX_KEPT:
            _faults.clear()
        _faults[asked] = found
    return found


def _fault(option: Option, value: str, kind: str | None) -> str | None:
    if not _convert.fits(value, kind):
        return "invalid-type"
    if option.choices is not None and _convert.normal(value, option.type) not in option.choices:
        return "invalid-choice"
    return None


# Launches share most of their values: what is wrong with so many of no more than this length is kept.
_faults: dict[tuple[Option, str], str | None] = {}
_MAX_KEPT = 4096
_MAX_LENGTH = 100
_AT_ONCE = ("config-repeated", "config-not-yaml", "ambiguous")
_IN_ORDER = ("missing-value", "unexpected-value", "invalid-type", "invalid-choice", "refused")
_AT_END = ("missing-required",)
_LAST = ("unknown", "positional")

# What a word is before its neighbours are looked at.
_BARE, _OPTION, _UNKNOWN_OPTION, _ANY, _MANY, _DASHED, _END = range(7)


class _Reader:
    def __init__(self, words: Sequence[Word], release: Release, merged: bool) -> None:
        self.words = words
        self.release = release
        self.merged = merged
        self.prefix = release.entrypoint.prefix
        self.foreign = release.entrypoint.foreign
        self.uses: list[Use] = []
        self.problems: list[Problem] = []
        self.strays: list[int] = []
        self.opens: list[int] = []
        self.matches: dict[int, Match] = {}
        self.kinds = self._classify()
        # A word of unknown content may have been, or ended with, an option that wants the bare words behind it.
        self.pending = False

    def read(self) -> Parsed:
        index = self._positional_model()
        while index < len(self.words):
            kind = self.kinds[index]
            if kind == _OPTION:
                index = self._option(index)
            elif kind == _UNKNOWN_OPTION:
                index = self._unknown_option(index)
            elif kind == _BARE:
                index = self._bare(index)
            else:
                if kind != _END:
                    self.opens.append(index)
                    self.pending = True
                index += 1
        return self._finish()

    def _finish(self) -> Parsed:
        last = {use.option.dest: use for use in self.uses}
        helps = [use for use in self.uses if use.option.action == "help" and not use.inline]
        help_use = helps[0] if helps else None
        config = self._config()
        foreign = self._is_diffusion()
        problems = self.problems
        waits = [config.index] if config is not None and not self.merged else []
        if not (self.opens or waits or help_use or self.foreign):
            for option in (self.release.options[name] for name in self.release.options.required):
                if option.dest not in last:
                    problems.append(Problem("missing-required", None, option.strings[0], option))
        if help_use is not None:
            stops = (*_AT_ONCE, *_IN_ORDER)
            problems = [
                one
                for one in problems
                if one.kind == "ambiguous" or (one.kind in stops and (one.index or 0) < help_use.index)
            ]
        opens = sorted([*self.opens, *waits])
        return Parsed._make((
            tuple(self.uses), last, () if foreign else tuple(problems), tuple(self.strays), bool(opens), tuple(opens),
            None not in [word[0] for word in self.words], config, help_use is not None, foreign,
        ))  # fmt: skip

    def _config(self) -> Use | None:
        """The ``--config FILE`` that is merged: only this spelling in two words is, and only one is allowed."""
        if "config" not in self.release.features or self.prefix != "--":
            return None
        found = [use for use in self.uses if use.spelling == "--config" and not use.inline and use.values]
        for use in found[1:]:
            self.problems.append(Problem("config-repeated", use.index, use.spelling, use.option))
        for use in found[:1]:
            name = use.values[0]
            if name is not None and not name.lower().endswith((".yaml", ".yml")):
                self.problems.append(Problem("config-not-yaml", use.value_indices[0], use.spelling, use.option, name))
        return found[0] if found else None

    def _is_diffusion(self) -> bool:
        """Whether ``sglang serve`` gives these words to its diffusion parser, or may well do so."""
        if "serve" not in self.release.entrypoint.programs:
            return False
        models = [value for use in self.uses if use.option.dest == "model_path" for value in use.values if value]
        if any(name in model.rstrip("/").rpartition("/")[2].lower() for model in models for name in _DIFFUSION_NAMES):
            return True
        if any(use.option.dest == "model_type" and use.values == ("diffusion",) for use in self.uses):
            return True
        strange = [match.spelling for match in self.matches.values() if match.option is None]
        return any(map(self.release.is_diffusion_option, strange))

    def _positional_model(self) -> int:
        """``sglang serve MODEL``: the first word alone may be the model."""
        if not self.release.positionals or not self.words or self.kinds[0] not in (_BARE, _ANY):
            return 0
        option = self.release.by_dest(self.release.positionals[0].dest) or self.release.positionals[0]
        self.uses.append(Use(option, "", 0, (0,), False, (self.words[0].text,)))
        return 1

    def _classify(self) -> list[int]:
        kinds: list[int] = []
        ended = False
        for index, (text, prefix, many) in enumerate(self.words):
            if text is None:
                kind = _MANY if many else _ANY
                if not ended and prefix:
                    kind = self._begun(index, prefix, many)
            elif text[:1] != "-" or ended:
                kind = _BARE
            elif text == "--":
                ended, kind = True, _END
            else:
                kind = self._dashed(index, text)
            kinds.append(kind)
        return kinds

    def _begun(self, index: int, prefix: str, many: bool) -> int:
        """What a word is of which only the beginning is known."""
        if not prefix.startswith("-"):
            return _MANY if many else _BARE
        if not prefix.startswith("--") or "=" not in prefix:
            return _DASHED
        kind = self._dashed(index, prefix)
        found = self.matches.get(index)
        if found is not None and found.inline:
            self.matches[index] = found._replace(explicit=None)
        return kind

    def _dashed(self, index: int, text: str) -> int:
        """What a word is that begins with a dash."""
        found = match(text, self.release)
        if found is None:
            return _BARE
        self.matches[index] = found
        return _UNKNOWN_OPTION if found.option is None else _OPTION

    def _bare(self, index: int) -> int:
        if not (self.pending or self.foreign):
            self.strays.append(index)
            self.problems.append(Problem("positional", index, self.words[index].text or self.words[index].prefix))
        return index + 1

    def _unknown_option(self, index: int) -> int:
        self.pending = False
        match = self.matches[index]
        end = self._run_end(index)
        following = () if match.inline else tuple(range(index + 1, end))
        if any(self.kinds[at] == _MANY for at in following):
            self.opens.extend(at for at in following if self.kinds[at] == _MANY)
            self.pending = True
        # Wrappers hand on what they do not know themselves to SGLang's parser, which refuses what it had once too.
        if not self.foreign or self.release.was_known(match.spelling):
            kind = "ambiguous" if match.candidates else "unknown"
            self.problems.append(Problem(kind, index, match.spelling, candidates=match.candidates, words=following))
        return end if not match.inline else index + 1

    def _option(self, index: int) -> int:
        self.pending = False
        match = self.matches[index]
        option = match.option
        assert option is not None
        if match.inline:
            if option.nargs == 0:
                self._blame("unexpected-value", index, match, match.explicit)
                self.uses.append(Use(option, match.spelling, index, (), True, ()))
            else:
                self._use(match, index, (index,), (match.explicit,))
            return index + 1
        if option.nargs == 0:
            self.uses.append(Use._make((option, match.spelling, index, (), False, ())))
            if option.deprecated == "refused":
                self._blame("refused", index, match)
            return index + 1
        taken = self._take(index, match)
        self._use(match, index, taken, tuple([self.words[at][0] for at in taken]))
        return index + 1 + len(taken)

    def _take(self, index: int, match: Match) -> tuple[int, ...]:
        """The words behind an option that are its values."""
        assert match.option is not None
        nargs = match.option.nargs
        if nargs is None and self.kinds[index + 1 : index + 2] == [_BARE]:  # as most are
            return (index + 1,)
        end = self._run_end(index)
        many = any(self.kinds[at] == _MANY for at in range(index + 1, end))
        wanted = nargs if isinstance(nargs, int) else {None: 1, "?": 1}.get(nargs, end - index)
        taken = tuple(range(index + 1, min(end, index + 1 + wanted)))
        needed = nargs if isinstance(nargs, int) else 0 if nargs in ("?", "*") else 1
        if len(taken) < needed and not many and not self._may_be_value(end):
            self._blame("missing-value", index, match)
        if nargs in ("+", "*"):  # behind values of a list, `$EXTRA_ARGS` may be other options as well as more of them
            self.opens.extend(at for at in taken[1:] if self.kinds[at] == _MANY)
        # An unknown word may be no value at all where none is needed, and a word of unknown number may be more.
        self.pending = any(self.kinds[at] == _MANY or (nargs == "?" and self.kinds[at] == _ANY) for at in taken)
        return taken

    def _run_end(self, index: int) -> int:
        """Behind the last of the words after an option that may be values."""
        end = index + 1
        while end < len(self.words) and self.kinds[end] in (_BARE, _ANY, _MANY):
            end += 1
        return end

    def _may_be_value(self, index: int) -> bool:
        return index < len(self.words) and self.kinds[index] == _DASHED

    def _use(self, match: Match, index: int, taken: tuple[int, ...], values: tuple[str | None, ...]) -> None:
        option = match.option
        assert option is not None
        self.uses.append(Use._make((option, match.spelling, index, taken, match.inline, values)))
        if option.deprecated == "refused":
            self._blame("refused", index, match)
        if option.choices is None and option.type in (None, "str") and option.action != "lora_paths":
            return
        for at, value in zip(taken, values, strict=True):
            if value is None or (not match.inline and self.kinds[at] in (_ANY, _MANY)):
                # What follows an unknown word in a list may belong to something that the word brought.
                break
            kind = fault(option, value)
            if kind is not None:
                self._blame(kind, at, match, value)

    def _blame(self, kind: str, index: int, match: Match, value: str | None = None) -> None:
        option = match.option
        assert option is not None
        if self.foreign and match.spelling not in option.strings:
            # A wrapper's own option may be spelled like the beginning of one of SGLang's.
            return
        expected, choices = option.type or "str", option.choices or ()
        self.problems.append(Problem(kind, index, match.spelling, option, value, expected, choices))
