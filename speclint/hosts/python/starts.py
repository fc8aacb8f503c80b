"""Calls that start something: processes, servers and engines."""

from __future__ import annotations

from speclint.hosts.python.facts import plain
from speclint.hosts.python.launchers import command_words, environment, is_mixed, is_uniform
from speclint.hosts.python.triggers import CONFIGURES, serves
from speclint.hosts.python.values import NEVER, Alt, Map, Ref, Seq, Text, unknown
from speclint.launch import MODULES
from speclint.lean import pattern
from speclint.text import Mapped
from speclint.value import Known, OneOf, Unknown
from speclint.words import Keyword, Word, many

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from speclint.hosts.python.calls import Arguments
    from speclint.hosts.python.machine import Machine
    from speclint.hosts.python.values import Item, Obj
    from speclint.value import Value
    from speclint.words import Guard

_LIST = frozenset(f"subprocess.{n}" for n in ("run", "Popen", "call", "check_call", "check_output"))


_SHELL = frozenset(
    ("os.system", "os.popen", "subprocess.getoutput", "subprocess.getstatusoutput", "asyncio.create_subprocess_shell")
)


_EXEC = pattern(r"os\.(?:(exec)|spawn|posix_spawn)([lv]?)p?(e?)$")


_SERVER = frozenset(("popen_launch_server", "popen_launch_pd_server"))


# A port of SGLang: functions of the same names start a server with options of its own, whose values are others.
PORT = "sgl_jax"


_CLASSES = {"Engine": "sglang.Engine", "Runtime": "sglang.Runtime", "ServerArgs": "sglang.ServerArgs"}


# A program's own class of options for SGLang.
_OPTIONS = pattern(rf"(?:SGLang|Sglang)\w*?(?:{CONFIGURES})")
_NAME = pattern(r"\w+")
# Where the names come from that something has.
_MEMBERS = pattern(r"\bhasattr\b|fields|\bsignature\b|\bparameters\b|__annotations__|\bdir\(|__dict__")
# Parameters of the runner that say what it is for, not how the engine is to run.
_RUNNERS_OWN = ("torch_dtype", "model_type", "port")
# Names whose calls start nothing, as nearly all do; so many are kept.
_nothing: set[str] = set()
_MANY = 10_000


def started(m: Machine, name: str, given: Arguments) -> Obj | None:
    """Note what a call starts; None if it is no call that starts anything."""
    if name in _nothing:
        return None
    found = _started(m, name, given)
    if found is None:
        _made(m, name, given)
    return found


def _made(m: Machine, name: str, given: Arguments) -> None:
    """Note the options that a program's own class for SGLang is called with."""
    last = name.rsplit(".", 1)[-1]
    if _OPTIONS.fullmatch(last) is None:
        if len(_nothing) >= _MANY:
            _nothing.clear()
        _nothing.add(name)
    elif given.keywords and not name.startswith(f"{PORT}."):
        m.fragments.made(last, given.keywords, m.source.span(given.node))


def _started(m: Machine, name: str, given: Arguments) -> Obj | None:
    last = name.rsplit(".", 1)[-1]
    ported = name.startswith(f"{PORT}.")
    if last in _SERVER and not ported:
        return _server(m, given)
    if last == "launch_server_cmd" and not ported:
        return _typed(m, name, given)
    if name in _LIST:
        return _process(m, given)
    if name in _SHELL:
        return _run(m, given, given.get(0, "cmd") or given.get(0, "command"))
    if name == "asyncio.create_subprocess_exec":
        return _direct(m, given, given.positional)
    found = _EXEC.match(name)
    if found:
        skip = 0 if found.group(1) or name.startswith("os.posix") else 1
        return _exec(m, given, skip, found.group(2) == "l")
    if class_of(name):
        return engine(m, class_of(name), given)
    if last == "__init__" and class_of(name.removesuffix(".__init__")):
        m.passed = given  # what a class that derives from it hands on
        return unknown("it is the constructor of a base class")
    if last == "prepare_server_args" and name.startswith("sglang.") and "multimodal_gen" not in name:
        return _prepared(m, given)
    if name == "runpy.run_module":
        return _module(m, given)
    if last == "SRTRunner" and name.startswith("sglang."):
        return _runner(m, given)
    return None


def _handle(m: Machine, given: Arguments) -> Obj:
    return unknown(f"`{m.source.snippet(given.node)}` is worked out when it runs")


def _env(m: Machine, item: Item | None) -> dict[str, Value] | None:
    """The environment that a call is given; None where it passes its own."""
    return None if item is None else _variables(m, item.obj)


def _variables(m: Machine, obj: Obj) -> dict[str, Value] | None:
    if not isinstance(obj, Alt):
        return environment(m, obj) if isinstance(obj, Map) else None
    if not m.containers(obj, Map):
        return None
    own = environment(m, m.environ)
    arms = [own if isinstance(arm, Text) and arm.kind == "none" else _variables(m, arm) or {} for arm in obj.arms]
    result: dict[str, Value] = {}
    for name in dict.fromkeys(name for arm in arms for name in arm):
        found = [arm.get(name) or Unknown(f"`{name}` is not set in every branch") for arm in arms]
        result[name] = OneOf(obj.choice, found)
    return result


def _process(m: Machine, given: Arguments) -> Obj:
    return _run(m, given, given.get(0, "args"))


def _run(m: Machine, given: Arguments, item: Item | None) -> Obj:
    if item is not None:
        env = _env(m, given.keyword("env"))
        obj = item.obj
        shell = given.keyword("shell")
        if shell is not None and m.truth(shell.obj) and isinstance(obj, Seq):
            items = m.state.items(obj)
            obj = items[0].obj if items else obj
        m.launches.mixed = is_mixed(m, obj)
        m.launches.ran(obj)
        for arm in _arms(m, obj):
            m.launches.add(command_words(m, arm, item.span), "run", env)
        m.launches.mixed = False
    return _handle(m, given)


def _typed(m: Machine, name: str, given: Arguments) -> Obj:
    from speclint.hosts.python import typed

    item = given.get(0, "command")
    for arm in _arms(m, item.obj) if item is not None else ():
        m.launches.add(typed.words_of(m, name, given, arm), "run")
    return _handle(m, given)


def _arms(m: Machine, obj: Obj) -> list[Obj]:
    """The alternatives of a command that is a list in one and text in another."""
    if isinstance(obj, Alt) and not is_uniform(m, obj):
        return [o for arm in obj.arms for o in _arms(m, arm)]
    return [obj]


def _direct(m: Machine, given: Arguments, items: Sequence[Item]) -> Obj:
    words = [Word(i.value, i.span, i.guard, i.many) for i in items]
    m.launches.add(words, "run", _env(m, given.keyword("env")))
    return _handle(m, given)


def _exec(m: Machine, given: Arguments, skip: int, listed: bool) -> Obj:
    if listed:
        _direct(m, given, given.positional[skip + 1 :])
    else:
        item = given.get(skip + 1, "args") or given.get(skip + 1, "argv")
        if item is not None:
            m.launches.add(command_words(m, item.obj, item.span), "run", _env(m, given.get(skip + 2, "env")))
    return _handle(m, given) if skip else NEVER


def _server(m: Machine, given: Arguments) -> Obj:
    """``popen_launch_server`` of SGLang's tests: it runs ``python3 -m sglang.launch_server``."""
    callee = m.source.span(given.node.func)
    words = [Word(Known(Mapped.new(text, callee)), callee) for text in ("python3", "-m", "sglang.launch_server")]
    model = given.get(0, "model")
    if model is not None:
        words.append(Word(Known(Mapped.new("--model-path", model.span)), model.span))
        words.append(Word(model.value, model.span))
    elif given.open:
        words.append(many("its arguments are not known", callee))
    more = given.get(4, "other_args")
    if more is not None:
        words.extend(Word(i.value, i.span, i.guard, i.many) for i in m.items(more.obj, more.span))
    elif given.open:
        words.append(many("its arguments are not known", callee))
    m.launches.add(words, "run", _env(m, given.get(5, "env")))
    return _handle(m, given)


def _prepared(m: Machine, given: Arguments) -> Obj:
    """``prepare_server_args``: the command line of a server that this process becomes, without the program."""
    item = given.get(0, "argv")
    if item is not None and m.containers(item.obj, Seq) and serves(m.source.text.text):
        _becomes(m, given, "sglang.launch_server", m.items(item.obj, item.span))
    return _handle(m, given)


def _module(m: Machine, given: Arguments) -> Obj:
    """``runpy.run_module``: a module reads the command line that this one has set in the place of its own."""
    item, argv = given.get(0, "mod_name"), m.state.obj((m.module, "sys.argv"))
    name = plain(item.obj) if item is not None else None
    if name in MODULES and argv is not None and m.containers(argv, Seq):
        items = m.items(argv, None)
        if items and not items[0].many:
            _becomes(m, given, name, items[1:])
    return _handle(m, given)


def _becomes(m: Machine, given: Arguments, module: str, items: Sequence[Item]) -> None:
    callee = m.source.span(given.node.func)
    if all(item.many for item in items):
        return
    words = [Word(Known(Mapped.new(text, callee)), callee) for text in ("python3", "-m", module)]
    m.launches.add([*words, *(Word(i.value, i.span, i.guard, i.many) for i in items)], "run")


def class_of(name: str) -> str:
    """The class of SGLang's server that a name stands for; empty for any other."""
    last = name.rsplit(".", 1)[-1]
    known = last in _CLASSES and name.startswith("sglang.") and "multimodal_gen" not in name
    return _CLASSES[last] if known else ""


def engine(m: Machine, name: str, given: Arguments) -> Obj:
    """Note the call of a class of SGLang's server."""
    callee = m.source.span(given.node.func)
    made = Ref(f"{name}()")
    server_args = given.keyword("server_args")
    if server_args is not None and isinstance(server_args.obj, Ref) and server_args.obj.name == "sglang.ServerArgs()":
        return made
    keywords: list[Keyword] = []
    for index, item in enumerate(given.positional):
        span = item.span or callee
        first = index == 0 and name == "sglang.ServerArgs" and not item.many
        keywords.append(
            Keyword("model_path" if first else None, span, item.value, span, literal_kind(item.obj), item.guard)
        )
    for entry in given.keywords:
        key = plain(entry.key) if entry.key is not None else None
        key = None if key == "server_args" else key
        span = entry.span or callee
        guard = (*_sought(m, key), *entry.guard) if key is not None else entry.guard
        keywords.append(Keyword(key, entry.key_span or span, entry.value, span, literal_kind(entry.obj), guard))
    m.launches.call(name, _last_of_each(keywords), m.source.span(given.node), callee)
    return made


def _sought(m: Machine, name: str) -> Guard:
    """The choices by which what is called was found to have an argument, or not to have others, before it is called."""
    return tuple(
        [
            (choice, arm)
            for choice, arms in m.state.taken.items()
            if choice.asks and len(arms) == 1
            for arm in arms
            if name in _NAME.findall(choice.asks) or (arm and _MEMBERS.search(choice.asks))
        ]
    )


def _runner(m: Machine, given: Arguments) -> Obj:
    """``SRTRunner`` of SGLang's tests: it makes an engine with the options that it is given, and with its own."""
    callee = m.source.span(given.node.func)
    model = given.get(0, "model_path")
    keywords = [Keyword("model_path", model.span or callee, model.value, model.span or callee)] if model else []
    for entry in given.keywords:
        key = plain(entry.key) if entry.key is not None else None
        if key not in _RUNNERS_OWN and key != "model_path":
            span = entry.span or callee
            kind = literal_kind(entry.obj)
            keywords.append(Keyword(key, entry.key_span or span, entry.value, span, kind, entry.guard))
    keywords.append(Keyword(None, callee, Unknown("`SRTRunner` sets options of its own"), callee))
    m.launches.call("SRTRunner", keywords, m.source.span(given.node), callee)
    return Ref("SRTRunner()")


def _last_of_each(keywords: Sequence[Keyword]) -> list[Keyword]:
    """The keywords without those that a later one is sure to replace."""
    result: list[Keyword] = []
    settled: set[str] = set()
    for keyword in reversed(keywords):
        if keyword.name is not None:
            if keyword.name in settled:
                continue
            if not keyword.guard:
                settled.add(keyword.name)
        result.append(keyword)
    return result[::-1]


def literal_kind(obj: Obj) -> str | None:
    """The kind of a Python value."""
    if isinstance(obj, Seq):
        return "list"
    if isinstance(obj, Map):
        return "dict"
    if isinstance(obj, Alt):
        kinds = {literal_kind(arm) for arm in obj.arms}
        return kinds.pop() if len(kinds) == 1 else None
    return obj.kind if isinstance(obj, Text) and obj.kind != "given" else None
