"""Objects of classes of the module: what is set of one, and how it is told apart from others of its class."""

from __future__ import annotations

from speclint.hosts.python.values import Alt, Args, Class, Func, Instance, Map, Ref, Seq, alt, unknown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from speclint.hosts.python.machine import Machine
    from speclint.hosts.python.state import Key
    from speclint.hosts.python.values import Obj
    from speclint.value import Choice


def set_attribute(m: Machine, base: Obj, name: str, obj: Obj) -> Key | None:
    """Set an attribute of an object of the module; the cell that holds it then, None if it is no such object.

    What a method sets of one object may be so of any other, for a method that is read for all of them.
    """
    if isinstance(base, Alt) and all(isinstance(each, Instance) for each in instances(base)):
        keys = [set_attribute(m, each, name, obj) for each in instances(base)]
        return keys[0]
    key = _key(m, base, name)
    if key is None:
        return None
    method = m.attribute(base.cls, name) if isinstance(base, Instance) else None
    if isinstance(method, Func) and method.has("setter"):
        obj = unknown(f"`{name}` is set by a method")
    m.state.set(key, obj)
    if isinstance(base, Instance) and base.own:
        base.names.add(name)
        if not _is_self(m, base):
            m.apart.add(name)
        elif not base.cls.fields:
            m.state.set((base.cls, name), obj)
    return key


def _key(m: Machine, base: Obj, name: str) -> Key | None:
    """The cell of an attribute of an object of the module."""
    if isinstance(base, Instance):
        return base if base.own else base.cls, name  # type: ignore[return-value]
    if isinstance(base, Class):
        return base, name
    if isinstance(base, Ref):
        return (m.module, "sys.argv") if base.name == "sys" and name == "argv" else None
    return (base.parser, name) if isinstance(base, Args) else None


def _is_self(m: Machine, base: Instance) -> bool:
    """Whether the method that is read is one of an object."""
    bound = m.frame.func.bound if m.frame.func is not None else None
    return bound is not None and base in instances(bound)


def instances(obj: Obj) -> list[Obj]:
    """What an object may be, each once."""
    if not isinstance(obj, Alt):
        return [obj]
    return list(dict.fromkeys(each for arm in obj.arms for each in instances(arm)))


def method(arms: Sequence[Obj], choice: Choice) -> Func | None:
    """The method of one of several objects, where it is the same one for all."""
    found = [(arm, arm.bound) for arm in arms if isinstance(arm, Func) and arm.bound is not None]
    if len(found) < len(arms) or len({arm.node for arm, _ in found}) > 1:
        return None
    first, bound = found[0][0], alt(choice, [bound for _, bound in found])
    return Func(first.node, first.scope, first.owner, bound) if isinstance(bound, Alt) else None


def frozen(m: Machine, obj: Obj) -> Obj:
    """A list, a dictionary or an object as it is now."""
    if isinstance(obj, Seq):
        return m.state.new_seq(m.state.items(obj), obj)
    if isinstance(obj, Map):
        return m.state.new_map(m.state.items(obj))
    if not isinstance(obj, Instance) or not obj.own:
        return obj
    made = Instance(obj.cls, obj.family, own=True)
    made.whole = obj.whole
    for name in sorted(obj.names):
        held = m.state.obj((obj, name))
        if held is not None:
            made.names.add(name)
            m.state.set((made, name), held if isinstance(held, Instance) else frozen(m, held))
    return made


def selves(calls: Sequence[dict[str, Obj]], name: str, choice: Choice) -> Obj | None:
    """The objects that calls of a method are made on; None if they cannot be told apart from others of their class."""
    found = [params.get(name) for params in calls]
    if not all(each is not None and all(isinstance(o, Instance) and o.own for o in instances(each)) for each in found):
        return None
    return alt(choice, [each for each in found if each is not None])


def bound(func: Func, params: dict[str, Obj]) -> Func:
    """A function with the object that it is a method of, where that is told apart from others of its class."""
    first = next((params.get(arg.arg) for arg in (*func.node.args.posonlyargs, *func.node.args.args)), None)
    if func.owner is None or not isinstance(first, (Alt, Instance)):
        return func
    own = all(isinstance(each, Instance) and each.own for each in instances(first))
    return Func(func.node, func.scope, func.owner, first) if own else func
