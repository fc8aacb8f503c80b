"""What goes into and what comes out of ``speclint.sglang.argv``."""

from __future__ import annotations

from speclint.lean import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from speclint.sglang._store import Option


class Word(NamedTuple):
    """One word of a command line.

    ``text``: None where it is not known; ``prefix``: what an unknown word is known to begin with, such as ``--port=``;
    ``many``: it may stand for any number of words, none included (an unquoted ``$EXTRA``, ``"$@"``, ``*args``).
    """

    text: str | None
    prefix: str = ""
    many: bool = False


class Use(NamedTuple):
    """One use of an option. Indices count the words that were given to ``parse``.

    ``spelling``: the option as written, without ``=value``, possibly shortened; empty for a positional.
    ``values``: None for one that is not known. ``inline``: written ``--option=value``.
    """

    option: Option
    spelling: str
    index: int  # type: ignore[assignment]
    value_indices: tuple[int, ...]
    inline: bool
    values: tuple[str | None, ...]

    @property
    def shortened(self) -> bool:
        """Whether the option was written as the beginning of its name."""
        return bool(self.spelling) and self.spelling not in self.option.strings


class Problem(NamedTuple):
    """One reason why the release refuses the words.

    ``kind``: unknown, ambiguous (see ``candidates``), missing-value, unexpected-value (a switch was given one),
    invalid-type (see ``expected``), invalid-choice (see ``choices``), positional (a stray word), missing-required,
    refused (a retired option that stops the launch), config-repeated, config-not-yaml.
    ``index``: the word to blame, None where something is missing as a whole. ``spelling``: the option as written, or
    the stray word. ``value``: the value at fault. ``words``: bare words behind an unknown option, its values by all
    appearance.
    """

    kind: str
    index: int | None  # type: ignore[assignment]
    spelling: str
    option: Option | None = None
    value: str | None = None
    expected: str | None = None
    choices: tuple[str, ...] = ()
    candidates: tuple[str, ...] = ()
    words: tuple[int, ...] = ()


class Parsed(NamedTuple):
    """What the words come to.

    ``uses``: in order of writing; ``last``: destination -> the use that counts; ``positionals``: indices of bare words
    that no option takes. ``open``: words of unknown number or kind occur, so the absence of an option is not known;
    ``opens``: their indices. ``certain``: every word was known. ``config``: the use of ``--config FILE`` whose file is
    merged, which also makes it open. ``help``: SGLang prints its help and ends. ``foreign``: another parser reads this
    (a diffusion model's), nothing is reported.
    """

    uses: tuple[Use, ...]
    last: dict[str, Use]
    problems: tuple[Problem, ...]
    positionals: tuple[int, ...]
    open: bool
    opens: tuple[int, ...]
    certain: bool
    config: Use | None
    help: bool
    foreign: bool
