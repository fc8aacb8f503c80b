"""One option as it is written in a launch: its flag, its value, and where they stand."""

from __future__ import annotations

from speclint import plain_json
from speclint.value import Known, Unknown, join
from speclint.worlds import choices, resolve

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from speclint.sglang.catalog import Option
    from speclint.text import Span
    from speclint.value import Choice, Step, Value
    from speclint.words import Guard, Keyword, Word


class Unsettled(Unknown):
    """What hangs on a choice that the world at hand leaves open; ``choice`` is that one."""

    __slots__ = ("choice",)

    def __init__(self, choice: Choice) -> None:
        super().__init__(f"it depends on whether {choice.labels[0]}")
        self.choice = choice


class Setting:
    """One use of an option.

    ``dest``: SGLang's destination name; ``flag``: the spelling in the file (``--tp``, or a keyword's name), at
    ``flag_span``. ``values``: one for each value given, none for a switch; ``value_span``: the token to blame for the
    value, None for a switch. ``inline``: written ``--x=y``. ``guard``: it is there only when these choices went so.
    ``foreign``: the release at hand has no such option. ``words`` are the flag's word and those of its values;
    ``keyword`` is the keyword argument instead.
    """

    __slots__ = (
        "dest", "flag", "flag_span", "foreign", "guard", "inline", "keyword", "option", "value_span", "values", "words",
    )  # fmt: skip

    def __init__(
        self,
        dest: str,
        flag: str,
        flag_span: Span | None,
        option: Option | None,
        values: Sequence[Value],
        value_span: Span | None,
        guard: Guard = (),
        inline: bool = False,
        foreign: bool = False,
        words: Sequence[Word] = (),
        keyword: Keyword | None = None,
    ) -> None:
        self.dest = dest
        self.flag = flag
        self.flag_span = flag_span
        self.option = option
        self.values = tuple(values)
        self.value_span = value_span
        self.guard = guard
        self.inline = inline
        self.foreign = foreign
        self.words = tuple(words)
        self.keyword = keyword

    @property
    def value(self) -> Value | None:
        """The value as text; several values are joined by blanks; None for a switch."""
        if len(self.values) < 2:
            return self.values[0] if self.values else None
        from speclint.text import Mapped

        blank = Known(Mapped.new(" "))
        return join(part for index, value in enumerate(self.values) for part in ((blank, value) if index else (value,)))

    @property
    def empty(self) -> bool:
        """Whether it is the keyword ``x=None``, which is how Python code leaves an option out."""
        return self.keyword is not None and self.keyword.literal == "none"

    def holds(self, world: Mapping[Choice, int]) -> bool | Unsettled:
        """Whether it is there in a world."""
        if not self.guard:
            return True
        if any(world.get(choice, arm) != arm for choice, arm in self.guard):
            return False
        return next((Unsettled(choice) for choice, _ in self.guard if choice not in world), True)

    def choices(self) -> tuple[Choice, ...]:
        """Every choice that its presence or value hangs on."""
        if not self.guard:
            for value in self.values:
                if not isinstance(value, Known):
                    break
            else:  # as most are
                return ()
        found = dict.fromkeys([choice for choice, _ in self.guard])
        for value in self.values:
            found.update(dict.fromkeys(choices(value)))
        return tuple(found)

    def narrow(self, world: Mapping[Choice, int]) -> Setting:
        """The same setting with the value that it has in a world."""
        values = tuple(resolve(value, world) for value in self.values)
        if all(new is old for new, old in zip(values, self.values, strict=True)):
            return self
        return Setting(
            self.dest, self.flag, self.flag_span, self.option, values, self.value_span, self.guard, self.inline,
            self.foreign, self.words, self.keyword,
        )  # fmt: skip

    def steps(self, world: Mapping[Choice, int]) -> tuple[Step, ...]:
        """How its value came to be, in a world."""
        if len(self.values) == 1:
            return tuple(resolve(self.values[0], world).steps)
        return tuple(step for value in self.values for step in resolve(value, world).steps)

    def origin(self, world: Mapping[Choice, int]) -> Span | None:
        """Where the characters of its value were written, in a world.

        None where they stand nowhere, and for an option with several values.
        """
        if len(self.values) != 1:
            return None
        got = resolve(self.values[0], world)
        return got.text.span() if isinstance(got, Known) else None

    def shown(self, world: Mapping[Choice, int]) -> str:
        """The option with its value, for messages."""
        value = self.value
        if value is None:
            return self.flag
        got = resolve(value, world)
        text = got.text.text if isinstance(got, Known) else "…"
        between = "=" if self.inline or self.keyword is not None else " " if self.flag else ""
        return f"{self.flag}{between}{text}"

    def typed(self, world: Mapping[Choice, int]) -> object:
        """The value as SGLang's parser would make it; an Unknown where it is not known or refused.

        A switch is True or False, a list of values a tuple. Unsettled where the world leaves open what it is.
        """
        option = self.option
        if not self.values:
            return self._switched()
        if self.keyword is None and option is not None and option.nargs in (None, "?") and len(self.values) == 1:
            only = self.values[0]
            if isinstance(only, Known):  # as most are
                return _convert(only.text.text, option.type)
        texts: list[str] = []
        for value in self.values:
            got = resolve(value, world)
            if isinstance(got, Unknown):
                return next((Unsettled(point) for point in choices(value) if point not in world), got)
            texts.append(got.text.text)
        if self.keyword is not None and self.keyword.literal == "bool":
            return texts[0] == "True"
        if self.keyword is not None and self.keyword.literal is None and texts[0] in _PYTHON:
            return _PYTHON[texts[0]]
        if self.keyword is not None and self.keyword.literal in ("list", "dict"):
            return Unknown(f"`{self.flag}` is a {self.keyword.literal}")
        found = [_convert(text, option.type if option is not None else None) for text in texts]
        doubt = next((part for part in found if isinstance(part, Unknown)), None)
        if doubt is not None:
            return doubt
        many = option is not None and option.nargs not in (None, "?") and self.keyword is None
        return tuple(found) if many or len(found) > 1 else found[0]

    def _switched(self) -> object:
        option = self.option
        if option is not None and option.nargs not in (0, "?", "*"):
            return Unknown(f"`{self.flag}` lacks its value")
        if option is None or option.action == "store_true":
            return True
        if option.action == "bool_optional":
            return not self.flag.startswith("--no-")
        return option.const if option.action != "store_false" else False

    def __repr__(self) -> str:
        return f"Setting({self.flag} {self.value!r})"


def _convert(text: str, kind: str | None) -> object:
    convert = _CONVERT.get(kind) if kind is not None else None
    if convert is None:
        return text
    try:
        return convert(text)
    except (ValueError, OverflowError, RecursionError):
        return Unknown(f"`{text}` is no value of type {kind}")


def _human(text: str) -> int:
    from speclint.sglang._convert import human_integer

    return human_integer(text)


# What a Python expression that is no literal may turn out to be.
_PYTHON: Mapping[str, object] = {"True": True, "False": False, "None": None}
_CONVERT: dict[str, Callable[[str], object]] = {
    "int": int,
    "float": float,
    "json": plain_json.loads,
    "json_list": plain_json.loads,
    "human_int": _human,
    "bool": lambda text: text.lower() in ("true", "1", "yes"),
}
