"""Functions of the standard library, and of some others, that make one thing of several that are known."""

from __future__ import annotations

from speclint.hosts.python import containers, strings
from speclint.hosts.python.facts import number, plain, python_value
from speclint.hosts.python.values import (
    Alt,
    Class,
    Entry,
    Item,
    Seq,
    Text,
    alt,
    known,
    open_entry,
    unknown,
    value_of,
)
from speclint.pyast import ast
from speclint.text import Mapped
from speclint.value import Joined, Known, Unknown, join

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from speclint.hosts.python.calls import Arguments
    from speclint.hosts.python.machine import Machine
    from speclint.hosts.python.values import Obj
    from speclint.text import Span

# A text of JSON longer than this is no configuration; deeper ones are none either.
_MAX_JSON, _DEPTH = 1 << 16, 12
# So many rows of a product are told apart.
_MAX_ROWS = 64


def _extreme(function: Callable[..., object]) -> Callable[[Machine, Arguments], Obj | None]:
    """``min`` and ``max`` of numbers."""

    def handler(m: Machine, given: Arguments) -> Obj | None:
        if given.keywords or given.open:
            return None
        objs: list[Obj] | None = [item.obj for item in given.positional]
        if len(given.positional) == 1:
            objs = containers.elements(m, given.positional[0].obj)
        if not objs:
            return None
        result, span = objs[0], m.source.span(given.node)
        for obj in objs[1:]:
            result = strings.of_each(function, result, obj, span)
        return None if isinstance(value_of(result), Unknown) else result

    return handler


def _round(m: Machine, given: Arguments) -> Obj | None:
    return _one_number(m, given, round, given.get(1, "ndigits"))


def _abs(m: Machine, given: Arguments) -> Obj | None:
    return _one_number(m, given, abs, None)


def _one_number(m: Machine, given: Arguments, function: Callable[..., object], digits: Item | None) -> Obj | None:
    first = given.get(0)
    value = python_value(first.obj)[1] if first is not None else None
    if not isinstance(value, (int, float)):
        return None
    places = None if digits is None else number(digits.obj)
    if digits is not None and places is None:
        return None
    try:
        result = function(value) if places is None else function(value, places)
    except (ArithmeticError, ValueError):
        return None
    return known(repr(result), m.source.span(given.node), "int" if isinstance(result, int) else "float")


def _basename(m: Machine, given: Arguments) -> Obj | None:
    first = given.get(0, "p")
    return None if first is None else basename(first.obj)


def basename(obj: Obj) -> Obj | None:
    """The last part of a path; None if it cannot be told."""
    if isinstance(obj, Alt):
        arms = [basename(arm) for arm in obj.printed()]
        return None if None in arms else alt(obj.choice, [arm for arm in arms if arm is not None])
    value = obj.value if isinstance(obj, Text) and obj.kind == "str" else None
    last = value.parts[-1] if isinstance(value, Joined) else value
    if not isinstance(last, Known):
        return None
    at = last.text.text.rfind("/") + 1
    if not at:
        return obj if last is value else None
    return Text(Known(last.text[at:], last.steps), "str")


def _product(m: Machine, given: Arguments) -> Obj | None:
    """``itertools.product``: a loop over it is one over each of its rows."""
    from itertools import product

    columns = [containers.elements(m, item.obj) for item in given.positional]
    repeat = given.keyword("repeat")
    times = 1 if repeat is None else number(repeat.obj)
    found = [column for column in columns if column is not None]
    if given.open or times is None or not 0 < times < 5 or len(found) != len(columns):
        return None
    size = 1
    for column in found * times:
        size *= len(column)
    if size > _MAX_ROWS:
        return None
    span = m.source.span(given.node)
    rows = [m.state.new_seq([Item(value, span) for value in row]) for row in product(*found, repeat=times)]
    return containers.new_seq(m, [Item(row, span) for row in rows], given.node)


def _chain_map(m: Machine, given: Arguments) -> Obj | None:
    """``ChainMap(first, second)``, as the dictionary that it looks like: the first that has a key counts."""
    if not given.positional:
        return None
    pairs = list(zip(given.positional, given.node.args, strict=False))
    return m.state.new_map([e for item, node in reversed(pairs) for e in containers.entries_of(m, item.obj, node)])


def pairs(m: Machine, obj: Obj, span: Span) -> list[Item] | None:
    """The entries that a list of pairs makes; None if it is none."""
    if not isinstance(obj, Seq):
        return None
    found: list[Item] = []
    for item in m.state.items(obj):
        parts = None if item.many else containers.elements(m, item.obj)
        if parts is None or len(parts) != 2:
            found.append(open_entry("its pairs are not known", span))
            continue
        key, value = parts
        held = m.state.items(item.obj)[1] if isinstance(item.obj, Seq) else item
        if isinstance(key, Text) and isinstance(key.value, Known):
            found.append(Entry(key, key.value.text.exact() or span, value, held.span or span, item.guard))
        else:
            found.append(open_entry("its key is not known", span))
    return found


def _loads(m: Machine, given: Arguments) -> Obj | None:
    """``json.loads`` of text that is known."""
    first = given.get(0, "s")
    return None if first is None else _loaded(m, first.obj, m.source.span(given.node))


def _loaded(m: Machine, obj: Obj, span: Span) -> Obj | None:
    if isinstance(obj, Alt):
        arms = [_loaded(m, arm, span) for arm in obj.arms]
        if all(arm is None for arm in arms):
            return None
        return alt(obj.choice, [arm or unknown("it is read from JSON when it runs") for arm in arms])
    text = plain(obj)
    if text is None or len(text) > _MAX_JSON:
        return None
    import json

    try:
        return _object(m, json.loads(text), span, _DEPTH)
    except (ValueError, RecursionError):
        return None


def _object(m: Machine, value: object, span: Span, depth: int) -> Obj:
    """Plain data as an object."""
    if depth < 0:
        return unknown("it is nested too deeply to follow")
    if isinstance(value, dict):
        held = [(known(key, span), _object(m, inner, span, depth - 1)) for key, inner in value.items()]
        return m.state.new_map([Entry(key, span, obj, span) for key, obj in held])
    if isinstance(value, list):
        return m.state.new_seq([Item(_object(m, held, span, depth - 1), span) for held in value])
    if isinstance(value, str):
        return known(value, span)
    return known(repr(value), span, "none" if value is None else type(value).__name__)


def _named_tuple(m: Machine, given: Arguments) -> Obj | None:
    """``namedtuple("Name", "first second")``, as the class that it makes."""
    name, listed = given.get(0, "typename"), given.get(1, "field_names")
    title = plain(name.obj) if name is not None else None
    if title is None or listed is None or len(given.positional) + len(given.keywords) != 2:
        return None
    words = plain(listed.obj)
    names: Sequence[str | None] = [plain(obj) for obj in containers.elements(m, listed.obj) or ()]
    names = words.replace(",", " ").split() if words is not None else names
    if not names or None in names:
        return None
    at = given.node.func
    targets = [_at(at, ast.Name, each, ast.Store()) for each in names]
    fields = [_at(at, ast.AnnAssign, target, _at(at, ast.Constant, ""), None, 1) for target in targets]
    node = _at(at, ast.ClassDef, title, [_at(at, ast.Name, "NamedTuple", ast.Load())], [], fields, [])
    return Class(node, m.scope, [], True, "")


def _at(place: ast.expr, kind: type, *parts: object) -> ast.ClassDef:
    """A node that stands where another does."""
    made: ast.ClassDef = kind(*parts)
    for name in ("lineno", "col_offset", "end_lineno", "end_col_offset"):
        setattr(made, name, getattr(place, name))
    return made


def _downloaded(start: str, between: str, end: str) -> Callable[[Machine, Arguments], Obj | None]:
    """A function that downloads a model by its id: to a folder whose name ends in it, unless another one is told."""

    def handler(m: Machine, given: Arguments) -> Obj | None:
        first = given.get(0, "repo_id") or given.get(0, "model_id")
        folder = given.keyword("local_dir")
        if folder is not None and not folder.guard:
            return folder.obj
        return None if first is None or given.open else _folder(first.obj, start, between, end)

    return handler


def _folder(obj: Obj, start: str, between: str, end: str) -> Obj | None:
    if isinstance(obj, Alt):
        arms = [_folder(arm, start, between, end) for arm in obj.printed()]
        if all(arm is None for arm in arms):
            return None
        return alt(obj.choice, [arm or unknown("it is downloaded when it runs") for arm in arms])
    text = plain(obj)
    if text is None or text.count("/") != 1:
        return None
    cache = Unknown("it is a folder that is made when it is downloaded")
    named = Known(Mapped.new(start + text.replace("/", between) + end))
    return Text(join([cache, named, cache] if end else [cache, named]), "str")


FUNCTIONS: dict[str, Callable[[Machine, Arguments], Obj | None]] = {
    "builtins.min": _extreme(min),
    "builtins.max": _extreme(max),
    "builtins.round": _round,
    "builtins.abs": _abs,
    "os.path.basename": _basename,
    "itertools.product": _product,
    "collections.ChainMap": _chain_map,
    "collections.namedtuple": _named_tuple,
    "json.loads": _loads,
    "huggingface_hub.snapshot_download": _downloaded("/models--", "--", "/snapshots/"),
    "bentoml.models.HuggingFaceModel": _downloaded("/models--", "--", "/snapshots/"),
    "modelscope.snapshot_download": _downloaded("/", "/", ""),
}
