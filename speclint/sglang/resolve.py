"""What SGLang derives from the options before it checks them, for one launch in one world.

A ``View`` answers three questions of a launch: what is written, what SGLang's parser makes of it, and what SGLang makes
of that (``resolved.x``). Every derivation says where the value came from, in words and as the option to blame, and
names the place in SGLang's source that it follows.
"""

from __future__ import annotations

from speclint.lean import NamedTuple
from speclint.sglang import versions
from speclint.sglang.setting import Setting, Unsettled
from speclint.value import Unknown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from speclint.sglang.models import Model
    from speclint.sglang.options import Options
    from speclint.value import Choice, Step

    ModelLookup = Callable[[str], "Model | None"]


class Derived(NamedTuple):
    """A derived value.

    ``note`` says how it came to be, to be read after the value ("NGRAM takes it from
    `--speculative-ngram-max-bfs-breadth`, default 10"). ``origins`` are the options that decided it, first the one that
    a person would change.
    """

    value: object
    note: str = ""
    origins: tuple[str, ...] = ()


class Derivation(NamedTuple):
    """How a value is derived.

    ``source`` is (release, file, line) in SGLang: the place that is followed, as it stands in that release.
    """

    name: str
    derive: Callable[[View], Derived]
    source: tuple[str, str, int]


_ABSENT = object()
_DERIVATIONS: dict[str, Derivation] = {}


class View:
    """One launch in one world. Implements what expressions of rules ask (speclint.rules.expr.Scope).

    The world may leave choices open; then an answer that hangs on one is Unsettled, and ``pending`` has the choices
    that were asked for, in order. ``written``: the names of all that the launch writes, None where it may write more.
    """

    __slots__ = (
        "_all_settings", "_all_values", "_closed", "_derived", "_maybe", "_model", "_noted", "_settings", "_values",
        "facts", "find_model", "options", "pending", "world", "written",
    )  # fmt: skip

    def __init__(
        self,
        options: Options,
        world: Mapping[Choice, int],
        find_model: ModelLookup,
        facts: Mapping[str, object] | None = None,
    ) -> None:
        """``facts``: what is asked for as ``found.x``, in a view of something that a rule found."""
        self.options = options
        self.world = world
        self.find_model = find_model
        self.facts = facts or {}
        self.pending: list[Choice] = []
        self._derived: dict[str, Derived] = {}
        # Of what is open yet: the choices that are noted in ``pending`` whenever it is asked for.
        self._noted: dict[str, tuple[Choice, ...]] = {}
        # By destination; those with "all" count options too that the release lacks.
        self._settings: dict[str, Setting | Unknown | None] = {}
        self._all_settings: dict[str, Setting | Unknown | None] = {}
        self._values: dict[str, object] = {}
        self._all_values: dict[str, object] = {}
        self._maybe = options.maybe
        self._closed = options.closed
        self._model: Model | Unknown | None = None
        self.written: frozenset[str] | None = None

    def about(self, facts: Mapping[str, object]) -> View:
        """The same view, of something that a rule found."""
        view = View(self.options, self.world, self.find_model, facts)
        view._derived, view._noted, view._model, view.written = self._derived, self._noted, self._model, self.written
        view._settings, view._all_settings = self._settings, self._all_settings
        view._values, view._all_values = self._values, self._all_values
        return view

    @property
    def release(self) -> str:
        """The SGLang release that the launch is judged by."""
        return self.options.release.version

    def setting(self, dest: str, foreign: bool = False) -> Setting | Unknown | None:
        """The setting that counts for an option, None if it is not written; ``foreign`` as in Options.at."""
        if self._closed and dest not in self._maybe:  # as most are
            return None
        found = self._setting(dest, foreign)
        if isinstance(found, Unsettled):
            self.pending.append(found.choice)
        return found

    def _setting(self, dest: str, foreign: bool) -> Setting | Unknown | None:
        kept = self._all_settings if foreign else self._settings
        if dest in kept:
            return kept[dest]
        setting = self.options.at(dest, self.world, foreign)
        if isinstance(setting, Unknown):
            setting = _told(setting, f"`{self.options.spelling(dest)}` may be given")
        elif setting is not None and setting.keyword is not None and setting.typed(self.world) is None:
            setting = None  # None is how Python code leaves an option out, also where it is but one of several values
        kept[dest] = setting
        return setting

    def value(self, dest: str, foreign: bool = False) -> object:
        """The value after parsing: what is written, else the release's default, else None; or an Unknown."""
        kept = self._all_values if foreign else self._values
        value = kept.get(dest, _ABSENT)
        if value is _ABSENT:
            value = kept[dest] = self._value(dest, foreign)
        if isinstance(value, Unsettled):
            self.pending.append(value.choice)
        return value

    def _value(self, dest: str, foreign: bool) -> object:
        setting = None if self._closed and dest not in self._maybe else self._setting(dest, foreign)
        if setting is None:
            option = self.options.release.by_dest(dest)
            return None if option is None else option.default
        if isinstance(setting, Unknown):
            return setting
        value = setting.typed(self.world)
        if not isinstance(value, Unknown):
            return value
        doubt = _told(value, f"`{self.flag(dest)}` is not known")
        if dest != "model_path" or isinstance(doubt, Unsettled):
            return doubt
        from speclint.sglang import endings

        return endings.told(doubt, setting, self.world)

    def is_set(self, dest: str) -> bool | Unknown:
        """Whether the option is written; ``env.X``: whether the file gives the launch that variable."""
        if dest.startswith("env."):
            return dest[len("env.") :] in self.options.launch.command.env
        setting = self.setting(dest)
        if setting is None or isinstance(setting, Unknown):
            return setting or False
        keyword = setting.keyword
        if keyword is not None and keyword.literal is None:
            value = self.value(dest)
            if isinstance(value, Unknown):  # what it is may be None, which leaves the option out
                return value
        return True

    def attribute(self, space: str, name: str) -> object:
        """``resolved.x``, ``model.x``, ``env.X``, ``launch.x``, ``pod.x``, ``found.x``; ``flag`` and ``note`` of it."""
        if space == "resolved":
            return self.derived(name).value
        if space == "model":
            model = self.model()
            if isinstance(model, Unknown):
                return model
            fact = getattr(model, name, _ABSENT)
            return _nothing(space, name) if fact is _ABSENT else fact
        if space == "env":
            return self._env(name)
        if space == "launch":
            return self._launch(name)
        if space == "found":
            fact = self.facts.get(name, _ABSENT)
            return _nothing(space, name) if fact is _ABSENT else fact
        if space == "pod":
            from speclint.sglang import surroundings

            return surroundings.value(self, name)
        if space == "flag":
            return self.flag(name)
        if space == "note":
            return self.derived(name.removeprefix("resolved.")).note
        return _nothing(space, name)

    def in_release(self, spec: str) -> bool:
        """Whether the release lies in a range."""
        return versions.satisfies(self.release, spec)

    def derived(self, name: str) -> Derived:
        """The value after SGLang's derivations; what has none is taken as it was parsed."""
        found = self._derived.get(name)
        if found is None and self.written is not None:
            found = self._usual(name)
        if found is None:
            derivation = derivations().get(name)
            count = len(self.pending)
            found = derivation.derive(self) if derivation is not None else as_parsed(self, name)
            if len(self.pending) > count:
                # Derivations tell what is not known from what is not there; what is open yet may become either.
                self._noted[name] = tuple(self.pending[count:])
                found = Derived(Unsettled(self.pending[count]))
            self._derived[name] = found
        elif name in self._noted:
            self.pending.extend(self._noted[name])
        return found

    def _usual(self, name: str) -> Derived | None:
        """What SGLang derives where nothing is written that counts; worked out when a second launch asks for it."""
        usual = self.options.release.usual
        known = usual.get(name)
        if known is None:
            if name not in usual:
                usual[name] = None
                return None
            from speclint.sglang import blank

            known = usual[name] = blank.derived(self.options.release, name) or False
        if not known or self.written is None or not known[0].isdisjoint(self.written):
            return None
        self._derived[name] = known[1]
        return known[1]

    def flag(self, dest: str) -> str:
        """The option as the file spells it, else as SGLang does."""
        setting = self.setting(dest, foreign=True)
        if isinstance(setting, Setting) and setting.flag:
            return setting.flag
        return self.options.spelling(dest)

    def model(self) -> Model | Unknown:
        """What is known of the model that is served."""
        if self._model is None:
            path = self.value("model_path")
            if isinstance(path, Unsettled):
                return path
            if isinstance(path, Unknown):
                end = getattr(path, "name", None)  # the known end of a path
                self._model = (None if end is None else self.find_model(end)) or path
            elif not isinstance(path, str):
                self._model = Unknown("no model is named")
            else:
                self._model = self.find_model(path) or Unknown(f"`{path}` is not a model that speclint knows")
        return self._model

    def _env(self, name: str) -> object:
        from speclint.worlds import choices, resolve

        value = self.options.launch.command.env.get(name)
        if value is None:
            return Unknown(f"`{name}` is not set in this file; the environment may set it")
        got = resolve(value, self.world)
        if isinstance(got, Unknown):
            unsettled = next((Unsettled(point) for point in choices(value) if point not in self.world), None)
            if unsettled is None:
                return _told(got, f"`{name}` is not known")
            self.pending.append(unsettled.choice)
            return unsettled
        return got.text.text

    def _launch(self, name: str) -> object:
        launch = self.options.launch
        if name == "release":
            return self.release
        if name == "entrypoint":
            return launch.entrypoint
        if name == "host":
            return launch.command.host
        if name == "fork":
            from speclint.sglang import forks

            return forks.is_used(launch)
        return _nothing("launch", name)


def _told(doubt: Unknown, what: str) -> Unknown:
    """A doubt with what it is about; what a choice would settle says so itself."""
    return doubt if isinstance(doubt, Unsettled) else Unknown(f"{what}: {doubt.reason}")


def _nothing(space: str, name: str) -> Unknown:
    return Unknown(f"there is no `{space}.{name}`")


def derivations() -> Mapping[str, Derivation]:
    """Every derivation by the name that it defines."""
    if not _DERIVATIONS:
        from speclint.sglang import abilities, backends, drafts, hybrid, parallel, platform, sizes, speculative
        from speclint.sglang import surroundings as around

        for module in (speculative, parallel, backends, hybrid, platform, sizes, around, abilities, drafts):
            _DERIVATIONS.update(module.DERIVATIONS)
    return _DERIVATIONS


def as_parsed(view: View, name: str) -> Derived:
    """What SGLang's parser gives for an option, as a derived value."""
    value, setting = view.value(name), view.setting(name)
    if setting is None or isinstance(setting, Unknown):
        return Derived._make((value, "SGLang's default" if value is not None else "", ()))
    return Derived._make((value, written(view, name), (name,)))


def written(view: View, dest: str) -> str:
    """How a written value came to be: the option, and the steps that led to it where it is not written right there."""
    setting = view.setting(dest, foreign=True)
    return _note(view, setting, dest) if isinstance(setting, Setting) else ""


def _note(view: View, setting: Setting, dest: str) -> str:
    flag = f"`{setting.flag or view.options.spelling(dest)}`"
    steps = setting.steps(view.world)
    if not steps:  # as most are
        return flag
    return ", ".join([flag, *dict.fromkeys([note for step in steps if (note := _in_words(step))])])


def _in_words(step: Step) -> str:
    """A step of a value's history in a few words; empty for one that the reader sees anyway."""
    if step.kind == "default":
        return step.note
    if step.definition is not None and step.definition.name:
        return f"from `{step.definition.name}`"
    return ""
