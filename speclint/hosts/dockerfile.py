"""The Dockerfile host: what containers of the image run (``ENTRYPOINT`` and ``CMD``), and what building it runs.

Every stage that says what it runs is read, with the image it is built from and the variables that ``ENV`` sets.
"""

from __future__ import annotations

import re
from collections import ChainMap, Counter

from speclint.hosts import blocks
from speclint.hosts.docker_forms import Form, more, options, told
from speclint.hosts.docker_syntax import HEREDOC, expand, instructions, pairs
from speclint.hosts.json_text import Json
from speclint.hosts.variables import assigned, defaulted, replaced
from speclint.lean import pattern
from speclint.source import SourceError
from speclint.text import HOLE, Mapped, Span
from speclint.value import Known, Unknown
from speclint.words import Command, Word

TYPE_CHECKING = False
if TYPE_CHECKING:
    from speclint.hosts.docker_syntax import Instruction
    from speclint.source import SourceFile
    from speclint.value import Value

_FLAGS = pattern(r"(?:--[\w.-]+(?:=\S*)?\s+)*")
_FROM = pattern(r"(?:--\S+\s+)*(?P<image>\S+)(?:\s+[aA][sS]\s+(?P<name>\S+))?")
_DOLLAR = pattern(r"\\\$")
_USE = pattern(r"\$\{?(\w+)")
_SCRIPT = pattern(r"(?:>>?\s*|(?<!\s)\s+)[\"']?(?P<path>/?[\w./${}-]+\.(?P<suffix>sh|bash|py|conf|ini|service))\b")
_SERVICES = pattern(r"^(?:\[program:|ExecStart[ \t]*=)", re.MULTILINE)

# So many of the last instructions are kept of those that build an image.
_MAX_RUNS = 100


def read(file: SourceFile, problems: list[SourceError] | None = None) -> list[Command]:
    """Every command of the stages of a file. What is no instruction is passed over."""
    base = Command((), Span(file, 0, len(file.text)), "dockerfile", fixable=file.clean)
    return read_text(Mapped.of(file), base)


def read_text(text: Mapped, base: Command, depth: int = 0) -> list[Command]:
    """Every command of the stages of a Dockerfile."""
    return _Reader(text, base, depth).run()


def read_copied(file: SourceFile) -> tuple[set[str], list[Command]]:
    """The files and folders that are copied from beside a Dockerfile ("" for all), and every command that it runs."""
    from speclint.hosts.nested import commands

    reader = _Reader(Mapped.of(file), Command((), Span(file, 0, len(file.text)), "dockerfile"), 0, every=True)
    found = [inner for outer in reader.run() for inner in commands(outer)]
    return reader.copied, found


class _Stage:
    """A stage: its image, the variables of its containers (``env``) and of its build (``args``), what it runs."""

    def __init__(self, image: Value | None, parent: _Stage | None) -> None:
        self.image: Value | None = parent.image if parent is not None else image
        self.env: dict[str, Value] = dict(parent.env) if parent is not None else {}
        self.args: dict[str, Value] = {}
        self.entry: Form | None = parent.entry if parent is not None else None
        self.cmd: Form | None = parent.cmd if parent is not None else None
        self.runs: tuple[str, ...] = parent.runs if parent is not None else ()
        self.own = False  # it says itself what it runs


class _Reader:
    def __init__(self, text: Mapped, base: Command, depth: int, every: bool = False) -> None:
        """``every``: commands that start nothing by themselves are wanted too."""
        self.source = text
        self.every = every
        self.copied: set[str] = set()
        self._counted = Counter(_USE.findall(text.text))
        self.base = base
        self.depth = depth
        self.globals: dict[str, Value] = {}
        self.stages: dict[str, _Stage] = {}
        self.stage = _Stage(None, None)
        self.found: list[Command] = []

    def run(self) -> list[Command]:
        """The commands, in the order of their places."""
        handlers = {
            "FROM": self._from,
            "ARG": self._arg,
            "ENV": self._env,
            "ENTRYPOINT": self._entrypoint,
            "CMD": self._cmd,
            "RUN": self._run,
            "COPY": self._copy,
            "ADD": self._copy,
        }
        for instruction in instructions(self.source):
            handler = handlers.get(instruction.name)
            if handler is not None:
                handler(instruction)
        self._finish()
        return sorted(self.found, key=lambda command: command.span.start)

    # -- what stages are made of

    def _from(self, instruction: Instruction) -> None:
        self._finish()
        found = _FROM.match(instruction.text.text)
        if found is None:
            self.stage = _Stage(None, None)
            return
        image = expand(instruction.text[found.start("image") : found.end("image")], self.globals)
        parent = self.stages.get(found["image"].lower())
        self.stage = _Stage(image, parent)
        if found["name"]:
            self.stages[found["name"].lower()] = self.stage
        self.stages[str(len(self.stages))] = self.stage

    def _arg(self, instruction: Instruction) -> None:
        inside = bool(self.stages)
        scope = self.stage.args if inside else self.globals
        for written, value in pairs(instruction.text, bare=True):
            name = written.text
            if value is not None:
                known = expand(value, {**self.globals, **self._build()} if inside else self.globals)
                span = value.span() or instruction.span
                scope[name] = defaulted(name, known, span, self._uses(name), "the build")
            else:
                scope[name] = self.globals.get(name, Unknown(f"`{name}` is given by the build"))

    def _env(self, instruction: Instruction) -> None:
        # All of one instruction see what was before it.
        before = ChainMap(self.stage.env, self.stage.args)
        made: dict[str, Value] = {}
        for written, value in pairs(instruction.text):
            name = written.text
            known = expand(value, before) if value is not None else Unknown(f"`{name}` is given by the build")
            span = value.span() if value is not None else None
            uses = self._uses(name)
            made[name] = assigned(name, known, span or instruction.span, uses, "env", written.span())
        self.stage.env.update(made)

    def _build(self) -> dict[str, Value]:
        """The variables that instructions see."""
        return {**self.stage.args, **self.stage.env}

    def _uses(self, name: str) -> int:
        return self._counted[name]

    def _entrypoint(self, instruction: Instruction) -> None:
        self.stage.entry = self._form(instruction)
        self.stage.own = True

    def _cmd(self, instruction: Instruction) -> None:
        self.stage.cmd = self._form(instruction)
        self.stage.own = True

    def _form(self, instruction: Instruction) -> Form:
        """The JSON form, or shell text where it is no JSON, as Docker has it."""
        words: list[Word] | None = None
        if instruction.text.text.lstrip().startswith("["):
            try:
                source = Json(instruction.text)
                words = source.words(source.root)
            except SourceError:
                pass
        if words is not None and any(HOLE in word.prefix for word in words):
            words = [_opened(word) for word in words]
        return Form(words, instruction.text, instruction.span)

    # -- what is run

    def _finish(self) -> None:
        """The command of the stage that ends here."""
        stage = self.stage
        form = stage.entry or stage.cmd
        if not stage.own or form is None:
            return
        stage.own = False
        cmd = stage.cmd if stage.entry is not None else None
        if form.meant:
            found = self._base(form.span, stage.env).replace(form.meant)
            found.flaw = ("list", Word(Known(form.text), form.text.place()))
            self.found.append(found)
            return
        if form.words is None:
            # The shell form of ENTRYPOINT leaves no place for CMD.
            self._shell(form.text, form.span, stage.env)
            return
        words = list(form.words)
        span = form.span
        if cmd is not None and cmd.words is None and self._options(words, cmd):
            return
        if cmd is not None:
            shell = [_word("/bin/sh", cmd.span), _word("-c", cmd.span), Word(Known(cmd.text), cmd.text.span())]
            words += cmd.words if cmd.words is not None else shell
            span = span.to(cmd.span)
        if stage.entry is not None and not told(words, "--model" if cmd is not None else "--"):
            words.append(more(span))
        self.found.append(self._base(span, stage.env).replace(words))

    def _options(self, words: list[Word], cmd: Form) -> bool:
        found = options(words, cmd, self._base(cmd.span, self.stage.env), self.every)
        self.found.extend(found or ())
        return found is not None

    def _base(self, span: Span, env: dict[str, Value]) -> Command:
        base = self.base
        image = self.stage.image or base.image
        found = Command((), span, base.host, {**base.env, **env}, base.object, image, None, base.fixable)
        found.done = self.stage.runs
        return found

    def _shell(self, text: Mapped, span: Span, env: dict[str, Value]) -> None:
        from speclint.hosts.shell import read_text

        if self.every or blocks.TRIGGER.search(text.text):
            self.found.extend(read_text(text, self._base(span, env)))

    def _run(self, instruction: Instruction) -> None:
        flags = _FLAGS.match(instruction.text.text)
        text = instruction.text[flags.end() if flags is not None else 0 :]
        if not instruction.bodies:
            words = self._form(instruction).words if text.text.startswith("[") else None
            if words is not None:
                self.found.append(self._base(instruction.span, self._build()).replace(words))
            else:
                self._shell(text, instruction.span, self._build())
        elif re.fullmatch(r"<<-?\s*[\"']?\w+[\"']?\s*", text.text):
            self._shell(instruction.bodies[0], instruction.span, self._build())
        else:
            self._written(instruction)
        self.stage.runs = (*self.stage.runs[-_MAX_RUNS:], text.text, *(body.text for body in instruction.bodies))

    def _copy(self, instruction: Instruction) -> None:
        text = instruction.text.text
        if self.every and not text.startswith("--from"):
            words = text.strip("[] ").replace(",", " ").split() if text.startswith("[") else text.split()
            sources = [word.strip("\"'") for word in words[:-1] if not word.startswith("--")]
            self.copied.update(source.strip("/").removeprefix("./").removesuffix(".") for source in sources)
        self._written(instruction)

    def _written(self, instruction: Instruction) -> None:
        """A script or services that a here-document writes into the image."""
        path = _SCRIPT.search(instruction.text.text)
        for written, raw in zip(HEREDOC.finditer(instruction.text.text), instruction.bodies, strict=False):
            body = raw if written[2] else _unescaped(raw)
            kind = _kind(body.text, path["suffix"] if path is not None else "")
            if kind is not None:
                found = blocks.read(body, kind, self._base(instruction.span, self.stage.env), self.depth)
                self.found.extend(found)


def _kind(text: str, suffix: str) -> str | None:
    """What a file is read as that is written into an image; None where it starts nothing."""
    first = text.split("\n", 1)[0]
    if first.startswith("#!"):
        return "python" if "python" in first else "shell"
    if suffix in ("conf", "ini", "service"):
        return "units" if _SERVICES.search(text) else None
    return {"": None, "py": "python"}.get(suffix, "shell")


def _word(text: str, span: Span) -> Word:
    return Word(Known(Mapped.new(text, span)), span)


def _unescaped(body: Mapped) -> Mapped:
    """The body of a here-document in which a backslash keeps a dollar."""
    return replaced(body, _DOLLAR, lambda found: body[found.end() - 1 : found.end()])


def _opened(word: Word) -> Word:
    """A word of a template: what it stands for is not known."""
    if isinstance(word.value, Known) and word.value.text.holes():
        whole = word.value.text.text == HOLE
        return Word(Unknown("a template fills it in"), word.span, many=whole)
    return word
