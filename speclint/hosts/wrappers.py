"""Programs that start another one in surroundings of its own: ``env``, ``docker run``, ``srun``, ``apptainer exec``.

What they say of the image and of the environment holds for the command that they start. Some of them hand on nothing of
the environment that they are started in but what they are told to.
"""

from __future__ import annotations

from speclint.hosts.programs import SHELLS, basename, behind
from speclint.lean import pattern
from speclint.value import Definition, Joined, Known, Step, Unknown, join, with_step
from speclint.words import Word

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from speclint.text import Span
    from speclint.value import Value
    from speclint.words import Command

# How far from the start of a command they may stand.
_NEAR = 8
_FAR = 14
# Options of apptainer, mpirun and kubectl that give the environment.
_ENV_OPTIONS = {
    "apptainer": ("--env",),
    "singularity": ("--env",),
    "mpirun": ("-x",),
    "mpiexec": ("-x",),
    "kubectl": ("--env",),
    "oc": ("--env",),
}
_IMAGE_OPTIONS = {
    "srun": ("--container-image",),
    "sbatch": ("--container-image",),
    "kubectl": ("--image",),
    "oc": ("--image",),
}
# Options of env that take a value, and of these the ones that name a variable to be taken away.
_ENV_VALUES = frozenset(("-u", "--unset", "-C", "--chdir"))
_UNSETS = frozenset(("-u", "--unset"))
# The same of sudo, and how the one is written, alone or with others, that hands the environment on.
_SUDO_VALUES = frozenset((*(f"-{c}" for c in "CDghpRrTtUu"), "--user", "--group", "--host", "--prompt", "--chdir"))
_PRESERVES = pattern(r"-[AbEHknPSsi]*E[AbEHknPSsi]*|--preserve-env")
# How names begin that are set without that in a container.
_PREFIXES = {"apptainer": ("APPTAINERENV_", "SINGULARITYENV_"), "singularity": ("SINGULARITYENV_",)}
# Options with which apptainer hands nothing on.
_CLEANING = frozenset(("-e", "--cleanenv", "-C", "--containall"))


def unwrapped(command: Command) -> Command:
    """The command with what its wrappers say of it; of a container only what runs in it is left."""
    for index, word in enumerate(command.words[:_NEAR]):
        reader = _READERS.get(basename(word))
        if reader is not None:
            command = reader(command, index)
            if command.words[index : index + 1] != (word,):
                return unwrapped(command)
    return command


def _apart(command: Command, words: Iterable[Word], env: dict[str, Value], image: Value | None = None) -> Command:
    """The command with other words, in an environment of its own."""
    found = command.replace(words, image)
    found.env = env
    return found


def _env(command: Command, at: int) -> Command:
    """``env -i -u X A=1 B=2 program``."""
    env = dict(command.env)
    option = ""
    for word in command.words[at + 1 :]:
        text, before = word.text or "", option
        option = ""
        pair = assignment(word)
        if pair is not None:
            env[pair[0]] = pair[1]
        elif before in _UNSETS:
            env.pop(text, None)
        elif text in ("-", "-i", "--ignore-environment"):
            env.clear()
        elif text in _ENV_VALUES:
            option = text
        elif text.startswith(("-u", "--unset=")):
            env.pop(text.removeprefix("--unset=").removeprefix("-u"), None)
        elif not (before or text.startswith("-")):
            break
    return _apart(command, command.words, env)


def _sudo(command: Command, at: int) -> Command:
    """``sudo -E A=1 program``."""
    kept: dict[str, Value] = {}
    given: dict[str, Value] = {}
    valued = False
    for word in command.words[at + 1 :]:
        text = word.prefix
        if _PRESERVES.fullmatch(text) and not valued:
            kept = command.env
        elif text.startswith("--preserve-env="):
            names = text.partition("=")[2].split(",")
            kept = {**kept, **{name: command.env[name] for name in names if name in command.env}}
        elif not _add(given, word) and not valued and not text.startswith("-"):
            break
        valued = text in _SUDO_VALUES
    return _apart(command, command.words, {**kept, **given})


def _elsewhere(command: Command, at: int) -> Command:
    """``ssh host program``."""
    return _apart(command, command.words, {})


def _container(command: Command, at: int) -> Command:
    from speclint.hosts import containers, docker_run, served

    words = command.words
    verbs = ("run", "create", "exec")
    # Of compose many options may stand before the verb, and what it is given is a service, of which more is told there.
    composed = basename(words[at]).endswith("-compose") or [word.text for word in words[at + 1 : at + 2]] == ["compose"]
    end = at + (_FAR if composed else 4)
    index = next((i for i in range(at + 1, min(end, len(words))) if words[i].text in verbs), None)
    if index is None:
        return command
    runs = words[index].text != "exec"
    options, after = docker_run.options(words, index + 1)
    env: dict[str, Value] = {}
    files: dict[str, Value] = {}
    entry: list[Word] = []
    for option in options:
        if option.name == "--env" and option.value is not None:
            _hand(env, Word(option.value, option.span), command.env)
        elif option.name == "--env-host":
            files = {**command.env, **files}
        elif option.name == "--env-file" and isinstance(option.value, Known):
            from speclint.hosts import docker_env

            files.update(docker_env.read(command.span.file, option.value.text.text, command.env))
        elif option.name == "--entrypoint" and isinstance(option.value, Known) and option.value.text.text:
            entry = [Word(option.value, option.span)]
    if after >= len(words):
        return command
    image: Value | None = _of_image(words[after].value, words[after].span) if runs and not composed else None
    if any(word.many for word in words[index + 1 : after]) and _is_program(words[after]):
        # The image or container is among the words that are not known: nobody calls one `bash`.
        after, image = after - 1, None
    if not (runs or composed):
        image = containers.started(words[after])
    inner = [*entry, *words[after + 1 :]]
    if runs and not (entry or composed) and not any(option.name == "--entrypoint" for option in options):
        inner = served.by_entry_point(inner, image, words[after].span)
    found = _apart(command, inner, {**files, **env}, image)
    starts = words[at : index + 1]
    found.pod = (lambda: docker_run.read(starts, options)) if runs and not composed else None
    if not runs and image is not None:
        found.done = containers.since(image, starts[0])
    return found


def _of_image(value: Value, place: Span | None) -> Value:
    """An image, or the one that the file calls by its name."""
    from speclint.hosts import containers

    return (containers.called(value, place) if isinstance(value, Known) else None) or value


def _is_program(word: Word) -> bool:
    name = basename(word)
    return name in SHELLS or name in ("sglang", "env") or name.startswith("python")


def _options(command: Command, at: int) -> Command:
    """Options that name an image or give variables."""
    words: tuple[Word, ...] = command.words
    name = basename(words[at])
    env: dict[str, Value] = {} if name in ("kubectl", "oc") else dict(command.env)
    given: dict[str, Value] = {}
    image: Value | None = None
    for option, word, value in _valued(words[at + 1 :]):
        if option in _IMAGE_OPTIONS.get(name, ()):
            image = _of_image(value, word.span)
        elif option in _ENV_OPTIONS.get(name, ()):
            for part in _pairs(value) if name in _PREFIXES else (value,):
                _add(given, Word(part, word.span))
        elif option == "--export" and name in ("srun", "sbatch"):
            env = _exported(Word(value, word.span), env)
        elif option in _CLEANING and name in _PREFIXES:
            env = {key: held for key, held in env.items() if key.startswith(_PREFIXES[name])}
            words = _without(words, word)  # what it leaves may be looked at again
    if name in _PREFIXES:
        env = _inside(env, command.env, _PREFIXES[name])
        packed = next((w for w in words[at + 1 :] if w.prefix.startswith("docker://") or _is_file(w)), None)
        image = _of_image(_packed(packed), packed.span) if packed is not None else None
    return _apart(command, words, {**env, **given}, image)


def _without(words: Sequence[Word], behind: Word) -> tuple[Word, ...]:
    """The words without the one before ``behind``."""
    at = next(i for i, word in enumerate(words) if word is behind)
    return (*words[: at - 1], *words[at:])


def _pairs(value: Value) -> Sequence[Value]:
    """The variables of ``--env A=1,B=2``; where not every part sets one, a comma is part of a value."""
    parts = [*_listed(value)]
    return parts if all(assignment(Word(part, None)) for part in parts) and parts else (value,)


def _inside(env: Mapping[str, Value], outer: Mapping[str, Value], prefixes: tuple[str, ...]) -> dict[str, Value]:
    """The environment in a container, in which ``APPTAINERENV_X=1`` outside of it sets ``X``."""
    found = {name: value for name, value in env.items() if not name.startswith(prefixes)}
    for name, value in outer.items():
        prefix = next((prefix for prefix in prefixes if name.startswith(prefix)), None)
        if prefix is not None:
            found[name[len(prefix) :]] = value
    return found


def _exported(word: Word, env: dict[str, Value]) -> dict[str, Value]:
    """What ``--export=ALL,A=1``, ``--export=A=1,B`` or ``--export=NONE`` leaves of an environment."""
    found = dict(env) if word.prefix.partition(",")[0] == "ALL" else {}
    for part in _listed(word.value):
        _hand(found, Word(part, word.span), env)
    return found


def _is_file(word: Word) -> bool:
    return (word.text or "").endswith((".sif", ".simg", ".sqsh"))


def _packed(word: Word) -> Value:
    return word.value if _is_file(word) else behind(word.value, 9)


def _valued(words: Sequence[Word]) -> Iterator[tuple[str, Word, Value]]:
    """Each option of a wrapper with its word and value; they end where the program's own begin."""
    for index, word in enumerate(words):
        text = word.prefix
        if text == "--" or basename(word) == "sglang" or basename(word).startswith("python"):
            return
        option, equals, _ = text.partition("=")
        if equals and option.startswith("--"):
            yield option, word, behind(word.value, len(option) + 1)
        elif text.startswith("-") and index + 1 < len(words):
            yield text, words[index + 1], words[index + 1].value


def _listed(value: Value) -> Iterator[Known]:
    """The parts of ``ALL,A=1,B=2``, where all of it is known."""
    at = 0
    text = value.text.text if isinstance(value, Known) else ""
    for part in text.split(","):
        if isinstance(value, Known):
            yield Known(value.text[at : at + len(part)], value.steps)
        at += len(part) + 1


def _xargs(command: Command, at: int) -> Command:
    """``xargs -I{} program {}``: what is put in is known only when it runs."""
    words = command.words
    mark = next((w.prefix[2:] or "{}" for w in words[at + 1 :] if w.prefix.startswith("-I")), None)
    mark = words[at + 2].text if mark == "{}" and words[at + 1].text == "-I" and len(words) > at + 2 else mark
    if not mark:
        return command
    unknown = Unknown("`xargs` puts it in")
    kept = [Word(unknown, w.span) if i > at + 2 and mark in w.prefix else w for i, w in enumerate(words)]
    return command.replace(kept)


def _add(env: dict[str, Value], word: Word) -> bool:
    """Set what a word sets; whether it sets a variable."""
    pair = assignment(word)
    if pair is not None:
        env[pair[0]] = pair[1]
    return pair is not None


def _hand(env: dict[str, Value], word: Word, outer: Mapping[str, Value]) -> None:
    """Set what a word sets, or hand on the variable that it names."""
    name = word.text
    if not _add(env, word) and name is not None and name in outer:
        env[name] = outer[name]


def assignment(word: Word) -> tuple[str, Value] | None:
    """NAME=value as a word."""
    value = word.value
    name, equals, _ = word.prefix.partition("=")
    if not equals or not name.isidentifier():
        return None
    first, *rest = value.parts if isinstance(value, Joined) else [value]
    if not isinstance(first, Known):
        return name, Unknown("a part of it is not known")
    size = len(name)
    found = join([Known(first.text[size + 1 :], first.steps), *rest])
    definition = Definition(name, word.span, shared=True, name_span=first.text.span(0, size))
    return name, with_step(found, Step("env", f"`{name}` is set here", word.span, definition))


_READERS: dict[str, Callable[[Command, int], Command]] = {
    "env": _env,
    "sudo": _sudo,
    "docker": _container,
    "podman": _container,
    "nerdctl": _container,
    "docker-compose": _container,
    "podman-compose": _container,
    "xargs": _xargs,
    **dict.fromkeys(("ssh", "pdsh", "pssh", "parallel-ssh", "clush", "gcloud", "vagrant"), _elsewhere),
    **dict.fromkeys((*_ENV_OPTIONS, *_IMAGE_OPTIONS), _options),
}
