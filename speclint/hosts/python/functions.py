"""Functions and classes of the module: binding arguments, following calls, and the order in which bodies are read."""

from __future__ import annotations

from speclint.hosts.python import calls, decorated, expressions, generators, objects, starts, statements
from speclint.hosts.python.facts import stepped
from speclint.hosts.python.index import SET_UP
from speclint.hosts.python.machine import MAX_DEPTH, Frame, lineage
from speclint.hosts.python.state import State
from speclint.hosts.python.values import Func, Instance, Scope, Text, alt, open_entry, several, unknown
from speclint.pyast import ast
from speclint.value import Choice, Definition, Step, Unknown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from speclint.hosts.python.calls import Arguments
    from speclint.hosts.python.machine import Machine
    from speclint.hosts.python.values import Class, Obj
    from speclint.text import Span

_MAX_SITES = 8
_MAX_FAMILY = 64
# A function longer than this is not followed for what it returns.
_MAX_ROWS = 150


def sites(m: Machine, func: Func) -> list[ast.AST | None]:
    """The functions that the calls of a function stand in."""
    name = func.node.name
    found = m.index.sites
    if func.owner is None:
        listed = found.get(name, [])
        if func.node in listed and _imports(func.node, name):
            return [site for site in listed if site is not func.node]
        return listed
    by_class = found.get(func.owner.name, []) if name == "__init__" else []
    through_super = found.get("super." + name, [])
    if through_super:
        # The base's method is another one than that of the class which calls it.
        derived = [c.node for c in m.classes if func.owner in lineage(c)[1:]]
        through_super = [s for s in through_super if m.index.owner(s) in derived]
    return [*by_class, *found.get("." + name, ()), *through_super]


def _imports(node: ast.AST, name: str) -> bool:
    """Whether a function imports another of its own name."""
    imports = [each for each in ast.walk(node) if isinstance(each, ast.ImportFrom)]
    return any(name == (alias.asname or alias.name) for each in imports for alias in each.names)


def invoke(m: Machine, func: Func, given: Arguments, again: bool = False) -> Obj:
    """What a call of a function of the module gives, after what it does.

    A function with one call is read here and nowhere else, with the arguments that it gets. One with several is read
    once later, with the arguments of all calls; here it is only followed for what it returns. What looks like one call
    may be made ``again``, by what was made of the function.
    """
    node = func.node
    params = bind(m, func, given)
    snippet = m.source.snippet(given.node)
    met = m.calls.setdefault(node, []) if m.record else None
    if met is not None and len(met) <= _MAX_SITES:
        frozen = {name: objects.frozen(m, obj) for name, obj in params.items()}
        met.append((frozen, m.source.span(given.node), snippet))
    anew = node not in m.done or (again and len(m.calls.get(node, ())) <= _MAX_SITES)
    record = m.record and anew and node in m.index.relevant and len(sites(m, func)) == 1
    too_much = not record and (m.budget <= 0 or (node.end_lineno or 0) - node.lineno > _MAX_ROWS)
    if node in m.active or m.depth >= MAX_DEPTH or too_much:
        return unknown(f"`{snippet}` is worked out when it runs")
    if record or node in m.before or node in m.done or node not in m.index.relevant:
        return run(m, func, params, record)
    return _first(m, func, params)


def _first(m: Machine, func: Func, params: dict[str, Obj]) -> Obj:
    """Follow a function that is read later, and keep what it finds where it sets something: it is read as that is."""
    base, m.state = m.state, State(m.state)
    try:
        return run(m, func, params, False)
    finally:
        inner, m.state = m.state, base
        held = [(key, base.get(key)) for key in inner.writes if isinstance(key, tuple)]
        m.before[func.node] = [(key, cell) for key, cell in held if cell is not None]
        base.adopt(inner)
        base.taken = inner.taken


def run(m: Machine, func: Func, params: dict[str, Obj], record: bool, asked: bool = True) -> Obj:
    """Read a function's body with its parameters bound; ``asked``: for what it returns."""
    saved = m.scope, m.frame, m.record, m.statement
    m.scope, m.frame, m.record = Scope(func.node, func.scope), Frame(func, asked), record
    m.active.add(func.node)
    m.depth += 1
    if record:
        m.done.add(func.node)
    try:
        for name, obj in params.items():
            m.bind(name, obj)
        generates = m.source.has(generators.YIELD) and generators.is_generator(func.node)
        result = generators.run(m, func) if generates else statements.function(m, func.node)
    finally:
        m.scope, m.frame, m.record, m.statement = saved
        m.active.discard(func.node)
        m.depth -= 1
    return result


def bind(m: Machine, func: Func, given: Arguments) -> dict[str, Obj]:
    """The parameters of a function as a call sets them."""
    spec = func.node.args
    names = [a.arg for a in (*spec.posonlyargs, *spec.args)]
    params: dict[str, Obj] = {}
    if func.bound is not None and names and not func.has("staticmethod"):
        params[names.pop(0)] = func.bound
    for index, item in enumerate(given.positional):
        if item.many or item.guard or index >= len(names):
            break
        params[names[index]] = argument(m, names[index], item.obj, item.span)
    known_names = {*names, *(a.arg for a in spec.kwonlyargs)}
    for entry in given.keywords:
        key = calls.key_text(entry)
        if key in known_names and not entry.guard and key is not None:
            params[key] = argument(m, key, entry.obj, entry.span)
    if spec.vararg is not None:
        params[spec.vararg.arg] = m.state.new_seq(given.positional[len(names) :])
    if spec.kwarg is not None:
        extra = [e for e in given.keywords if calls.key_text(e) not in known_names]
        params[spec.kwarg.arg] = m.state.new_map(extra)
    return _with_defaults(m, func, params, given.open)


def argument(m: Machine, name: str, obj: Obj, span: Span | None) -> Obj:
    """A value as a parameter holds it."""
    if not isinstance(obj, Text):
        return obj
    step = Step("argument", f"passed as `{name}`", span, Definition(name, span, m.index.loads.get(name, 0)))
    return stepped(obj, step)


def _with_defaults(m: Machine, func: Func, params: dict[str, Obj], more: bool) -> dict[str, Obj]:
    """Add the parameters that a call leaves out; with ``more`` they may be given all the same."""
    spec = func.node.args
    positional = [*spec.posonlyargs, *spec.args]
    pairs = list(zip(positional[len(positional) - len(spec.defaults) :], spec.defaults, strict=False))
    pairs.extend((a, d) for a, d in zip(spec.kwonlyargs, spec.kw_defaults, strict=False) if d is not None)
    defaults = {a.arg: d for a, d in pairs}
    outer, m.scope = m.scope, func.scope
    try:
        given = decorated.parameters(m, func) if func.node.decorator_list else {}
        for arg in (*positional, *spec.kwonlyargs):
            if arg.arg in params:
                params[arg.arg] = decorated.annotated(m, arg, params[arg.arg])
                continue
            if arg.arg in given:
                params[arg.arg] = given[arg.arg]
                continue
            default = defaults.get(arg.arg)
            if default is None:
                nothing = unknown(f"`{arg.arg}` is an argument of `{func.node.name}`")
                params[arg.arg] = decorated.annotated(m, arg, nothing)
                continue
            obj = expressions.evaluate(m, default)
            params[arg.arg] = m.default(arg.arg, obj, m.source.span(default)) if more else obj
    finally:
        m.scope = outer
    return params


def is_property(func: Func) -> bool:
    """Whether reading the attribute calls the function."""
    names = [d.id if isinstance(d, ast.Name) else getattr(d, "attr", "") for d in func.node.decorator_list]
    return any("property" in name for name in names)


def get_property(m: Machine, func: Func) -> Obj:
    """What a property gives."""
    if func.node in m.active or m.depth >= MAX_DEPTH or m.budget <= 0 or func.bound is None:
        return unknown(f"`{func.node.name}` is worked out when it runs")
    names = [a.arg for a in func.node.args.args]
    return run(m, func, dict.fromkeys(names[:1], func.bound), False)


def construct(m: Machine, cls: Class, given: Arguments) -> Obj:
    """An object of a class of the module."""
    instance = Instance(cls, own=not cls.engine)
    init = m.attribute(cls, "__init__")
    if cls.engine:
        _engine(m, cls, init, given)
    elif isinstance(init, Func):
        invoke(m, Func(init.node, init.scope, init.owner, instance), given)
    elif cls.fields:
        from speclint.hosts.python import records

        return records.construct(m, cls, given, len(m.index.sites.get(cls.name, ())) == 1)
    return instance


def call_object(m: Machine, target: Instance, given: Arguments) -> Obj | None:
    """What a call of an object gives: of the class that a method of it is called on, an object of that class.

    None where it cannot be followed.
    """
    method = m.frame.func
    if method is not None and method.bound is target and method.has("classmethod"):
        record, m.record = m.record, False  # no call of the class by its name, of which all are counted
        try:
            return construct(m, target.cls, given)
        finally:
            m.record = record
    called = m.member(target, "__call__")
    return invoke(m, called, given) if isinstance(called, Func) else None


def _engine(m: Machine, cls: Class, init: Obj | None, given: Arguments) -> None:
    """An object of a class that derives from SGLang's engine: what its constructor hands on starts one."""
    outer, m.passed = m.passed, given
    if isinstance(init, Func):
        m.passed = None
        invoke(m, Func(init.node, init.scope, init.owner, Instance(cls)), given)
    passed, m.passed = m.passed, outer
    if passed is not None:
        positional = [item for item in passed.positional if not isinstance(item.obj, Instance)]
        starts.engine(m, cls.engine, calls.Arguments(given.node, positional, passed.keywords, passed.open))


def read_bodies(m: Machine) -> None:
    """Read every function body that no call has read yet: those that nothing calls first, callees after callers."""
    position = 0
    while position < len(m.funcs):
        todo = [f for f in m.funcs[position:] if f.node not in m.done and f.node in m.index.relevant]
        position = len(m.funcs)
        todo.sort(key=lambda f: f.node.name not in SET_UP)
        for func in todo:
            sets_up = func.node.name in SET_UP and func.node in m.calls and _is_called_by_read(m, func)
            if sets_up or not sites(m, func) or func.node.name in SET_UP[2:]:
                _read(m, func)
        for _ in range(4):
            left = [f for f in todo if f.node not in m.done]
            for func in left:
                if _is_called_by_read(m, func):
                    _read(m, func)
        for func in todo:
            _read(m, func)


def _is_called_by_read(m: Machine, func: Func) -> bool:
    """Whether all that calls a function has been read, or holds nothing to read."""
    return all(s is func.node or s in m.done or s not in m.index.relevant for s in sites(m, func))


def _read(m: Machine, func: Func) -> None:
    if func.node in m.done:
        return
    for key, cell in m.before.get(func.node, ()):
        m.state.set(key, cell)
    params = _parameters(m, func)
    run(m, objects.bound(func, params), params, True, False)


def _parameters(m: Machine, func: Func) -> dict[str, Obj]:
    """The parameters of a function that is read for all of its calls at once."""
    params: dict[str, Obj] = {}
    spec = func.node.args
    names = [a.arg for a in (*spec.posonlyargs, *spec.args)]
    if func.owner is not None and names and not func.has("staticmethod"):
        params[names[0]] = _self(m, func.owner)
    met = m.calls.get(func.node, [])
    if 0 < len(met) == len(sites(m, func)) <= _MAX_SITES:
        return _of_all_calls(m, func, met, params)
    span = m.source.span(func.node)
    if spec.vararg is not None:
        params[spec.vararg.arg] = m.state.new_seq((several(f"`*{spec.vararg.arg}` is given by the caller", span),))
    if spec.kwarg is not None:
        params[spec.kwarg.arg] = m.state.new_map((open_entry("it is given by the caller", span),))
    return _with_defaults(m, func, params, True)


def _of_all_calls(
    m: Machine, func: Func, met: list[tuple[dict[str, Obj], Span, str]], own: dict[str, Obj]
) -> dict[str, Obj]:
    """The parameters of a function as all of its calls set them; ``own`` is what a method is one of, for any other."""
    choice = Choice("branch", [f"`{snippet}` calls `{func.node.name}`" for _, _, snippet in met], met[0][1])
    calls_of = [params for params, _, _ in met]
    found = {name: objects.selves(calls_of, name, choice) or obj for name, obj in own.items()}
    if len(met) == 1:
        return {**met[0][0], **found}
    result: dict[str, Obj] = {}
    for name in met[0][0]:
        arms = [params.get(name) or unknown(f"`{name}` is not given by every call") for params in calls_of]
        result[name] = arms[0] if all(_is_same(arm, arms[0]) for arm in arms) else alt(choice, arms)
    return {**result, **found}


def _is_same(one: Obj, other: Obj) -> bool:
    """Whether two calls are given one and the same object, of which nothing is known."""
    if not isinstance(one, Text) or not isinstance(other, Text) or not isinstance(one.value, Unknown):
        return one is other
    return (one.first or one) is (other.first or other)


def _self(m: Machine, cls: Class) -> Instance:
    """What ``self`` or ``cls`` is in a method that is read for its class and all that derive from it here."""
    family = [c for c in m.classes if cls in lineage(c)]
    if len(family) < 2 or len(family) > _MAX_FAMILY:
        return Instance(cls)
    return Instance(cls, (m.family_choice(cls, [c.name for c in family]), tuple(family)))
