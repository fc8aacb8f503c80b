"""Records: objects of classes whose annotated attributes are parameters of the constructor (a dataclass), as data."""

from __future__ import annotations

from speclint.hosts.python import calls, functions, objects
from speclint.hosts.python.machine import lineage
from speclint.hosts.python.values import Alt, Entry, Func, Instance, Text, known, open_entry, unknown, value_of
from speclint.pyast import ast
from speclint.value import Known

TYPE_CHECKING = False
if TYPE_CHECKING:
    from speclint.hosts.python.calls import Arguments
    from speclint.hosts.python.machine import Machine
    from speclint.hosts.python.values import Class, Map, Obj

# Bases that have no fields of their own.
_PLAIN = frozenset(
    (
        *("BaseModel", "BaseSettings", "Struct", "NamedTuple", "object", "ABC", "Protocol", "Generic", "Enum", "str"),
        *("SQLModel", "Serializable", "DataClassJsonMixin"),
    )
)


def fields(cls: Class) -> dict[str, ast.AnnAssign]:
    """The fields of a record in their order, each with where it is declared."""
    found: dict[str, ast.AnnAssign] = {}
    for each in reversed(lineage(cls)):
        for node in each.node.body if each.fields else ():
            declares = isinstance(node, ast.AnnAssign) and "ClassVar" not in ast.dump(node.annotation)
            if declares and isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
                found[node.target.id] = node
    return found


def entries(m: Machine, instance: Instance, deep: bool) -> Map:
    """What a record holds, by name; ``deep``: with the records in it as dictionaries too."""
    made: list[Entry] = []
    changes = m.attribute(instance.cls, "__post_init__") is not None
    for name, node in fields(instance.cls).items():
        span = m.source.span(node.target)
        obj = _held(m, instance, name, node) or unknown(f"`{name}` is not set in this file")
        if changes and not instance.own and m.index.stores_attribute(name):
            obj = unknown(f"`{name}` may be set by `__post_init__`")
        if deep and isinstance(obj, Instance) and obj.cls.fields and obj.cls is not instance.cls:
            obj = entries(m, obj, deep)
        value = value_of(obj)
        written = value.text.span() if isinstance(value, Known) else None
        made.append(Entry(known(name, span), span, obj, written or m.source.span(node.value or node)))
    if _derives_from_another_file(instance.cls):
        more = f"`{instance.cls.name}` has fields of another file"
        made.insert(0, open_entry(more, m.source.span(instance.cls.node)))
    return m.state.new_map(made)


def parts(m: Machine, obj: Instance) -> list[Obj] | None:
    """The elements of a named tuple; None of anything else."""
    bases = [getattr(base, "id", getattr(base, "attr", "")) for base in obj.cls.node.bases]
    if not obj.cls.fields or "NamedTuple" not in bases:
        return None
    return [item.obj for item in m.state.items(entries(m, obj, False))]


def _derives_from_another_file(cls: Class) -> bool:
    """Whether a record may have fields of a base that is not in this file."""
    for each in lineage(cls):
        names = {base.name for base in each.bases}
        for node in each.node.bases:
            name = getattr(node, "id", getattr(node, "attr", ""))
            if name and name not in names and name not in _PLAIN:
                return True
    return False


def _held(m: Machine, instance: Instance, name: str, node: ast.AnnAssign) -> Obj | None:
    """What a field holds: its default for sure, where the constructor is known to be given no other value."""
    obj = m.member(instance, name)
    if instance.whole and isinstance(obj, Alt) and node.value is not None and obj.choice.kind == "default":
        place = obj.choice.span
        if place is not None and place.start == m.source.span(node.value).start:
            return obj.arms[0]
    return obj


def function(m: Machine, name: str, given: Arguments) -> Obj | None:
    """``asdict(record)``, ``vars(record)`` and ``replace(record, name=value)``."""
    first = given.get(0, "obj")
    obj = first.obj if first is not None else None
    if not isinstance(obj, Instance) or not obj.cls.fields:
        return None
    return _replaced(m, obj, given) if name in ("replace", "evolve") else entries(m, obj, name == "asdict")


def _replaced(m: Machine, old: Instance, given: Arguments) -> Instance:
    made = Instance(old.cls, own=True)
    for name, node in fields(made.cls).items():
        new = given.keyword(name)
        more = given.open or (new is not None and new.guard)
        held = _held(m, old, name, node) if new is None else new.obj
        obj = unknown(f"`{name}` may be replaced") if more else held
        if obj is not None:
            _set(m, made, name, obj, False)
    _finish(m, made, given)
    return made


def construct(m: Machine, cls: Class, given: Arguments, alone: bool) -> Instance:
    """A record with what its constructor is given; one that is ``alone`` of its class is all that the class is."""
    made = Instance(cls, own=True)
    given_all = (*given.positional, *given.keywords)
    elsewhere = _derives_from_another_file(cls)
    made.whole = not given.open and not any(item.many or item.guard for item in given_all)
    declared = fields(cls)
    names = list(declared)
    for index, item in enumerate(given.positional):
        if item.many or item.guard or index >= len(names) or elsewhere:
            made.whole = made.whole and not elsewhere  # which of them it is hangs on those of the base
            break
        _set(m, made, names[index], functions.argument(m, names[index], item.obj, item.span), alone)
    for entry in given.keywords:
        name = calls.key_text(entry)
        if name is not None and not entry.guard:
            _set(m, made, name, functions.argument(m, name, entry.obj, entry.span), alone)
    for name, node in declared.items() if made.whole else ():
        held = None if name in made.names else _made_anew(m, node) or _held(m, made, name, node)
        if held is not None:
            _set(m, made, name, objects.frozen(m, held), False)
    _finish(m, made, given)
    return made


def _made_anew(m: Machine, node: ast.AnnAssign) -> Obj | None:
    """What ``field(default_factory=list)`` makes for each record."""
    keywords = node.value.keywords if isinstance(node.value, ast.Call) else ()
    made = [k.value.id for k in keywords if k.arg == "default_factory" and isinstance(k.value, ast.Name)]
    if made == ["list"]:
        return m.state.new_seq(())
    return m.state.new_map(()) if made == ["dict"] else None


def _finish(m: Machine, made: Instance, given: Arguments) -> None:
    """What a record does when all of it is set."""
    method = m.attribute(made.cls, "__post_init__")
    if not isinstance(method, Func):
        return
    own = Func(method.node, method.scope, method.owner, made)
    result = functions.invoke(m, own, calls.Arguments(given.node, [], [], False))
    followed = isinstance(result, Text) and result.kind == "none"
    for name in fields(made.cls) if not followed else ():
        if m.index.stores_attribute(name):
            _set(m, made, name, unknown(f"`{name}` may be set by `__post_init__`"), False)


def _set(m: Machine, made: Instance, name: str, obj: Obj, alone: bool) -> None:
    made.names.add(name)
    m.state.set((made, name), obj)
    if alone:
        m.state.set((made.cls, name), obj)
