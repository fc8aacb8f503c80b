"""What Python objects are known to be while a module is read.

Text, numbers, booleans and None are ``Text``; what is not known is a ``Text`` with an Unknown value. Lists and
dictionaries can change, so their contents are kept by the ``State`` of the place where they are looked at.
"""

from __future__ import annotations

from speclint.merging import merge
from speclint.text import Mapped
from speclint.value import Known, Unknown
from speclint.words import Word

TYPE_CHECKING = False
if TYPE_CHECKING:
    import ast
    from collections.abc import Mapping, Sequence

    from speclint.hosts.python.calls import Arguments
    from speclint.text import Span
    from speclint.value import Choice, Value
    from speclint.words import Guard

# Lists longer than this are not followed.
MAX_ITEMS = 2000
# Objects that an alternative may be, however nested.
MAX_ARMS = 48


class Text:
    """A value that prints as text; ``kind`` is "str", "int", "float", "bool", "none", or None if it is not known.

    Kind "given" is a value that replaces a default of None: not known, but not None. ``first`` is the object of which
    this one is a copy that tells more of how it came to be.
    """

    __slots__ = ("first", "kind", "value")

    def __init__(self, value: Value, kind: str | None = None, first: Text | None = None) -> None:
        self.value = value
        self.kind = kind
        self.first = first


class Seq:
    """A list or tuple, by identity. ``dict`` views and the like are read as lists.

    ``kind`` is "list", "tuple" or "set" where it was written as one.
    """

    __slots__ = ("kind", "span")

    def __init__(self, span: Span | None, kind: str | None = None) -> None:
        self.span = span
        self.kind = kind


class Map:
    """A dictionary, by identity."""

    __slots__ = ("span",)

    def __init__(self, span: Span | None) -> None:
        self.span = span


class Alt:
    """One of several objects, decided by a choice; made by ``alt``."""

    __slots__ = ("_value", "arms", "choice", "size")

    def __init__(self, choice: Choice, arms: Sequence[Obj], size: int) -> None:
        self.choice = choice
        self.arms = tuple(arms)
        self.size = size
        self._value: Value | None = None

    @property
    def value(self) -> Value:
        """As text."""
        if self._value is None:
            values = [value_of(arm) for arm in self.printed()]
            last = values[-1]
            unknown = all(isinstance(v, Unknown) and v.prefix is None for v in values)
            self._value = last if unknown else merge(self.choice, values)
        return self._value

    def printed(self) -> Sequence[Obj]:
        """The alternatives as they are put into text: a default of None is none, nobody means the text "None"."""
        first = self.arms[0]
        if self.choice.kind != "default" or not isinstance(first, Text) or first.kind != "none":
            return self.arms
        return (unknown(f"nothing stands for it where {self.choice.labels[0]}"), *self.arms[1:])


class Ref:
    """Something that lives in another module or is built in, by its dotted name: "subprocess.run"."""

    __slots__ = ("name",)

    def __init__(self, name: str) -> None:
        self.name = name


class Func:
    """A function of the module; ``owner`` is the class it is a method of, ``bound`` what its first parameter is."""

    __slots__ = ("bound", "node", "owner", "scope")

    def __init__(
        self,
        node: ast.FunctionDef | ast.AsyncFunctionDef,
        scope: Scope,
        owner: Class | None = None,
        bound: Instance | Alt | None = None,
    ) -> None:
        self.node = node
        self.scope = scope
        self.owner = owner
        self.bound = bound

    def has(self, decorator: str) -> bool:
        """Whether a decorator, or the last part of its name, is of that name."""
        return any(getattr(d, "id", getattr(d, "attr", "")) == decorator for d in self.node.decorator_list)


class Partial:
    """A function with some of its arguments (``functools.partial``); ``open`` if it may have more of them."""

    __slots__ = ("keywords", "open", "positional", "target")

    def __init__(self, target: Obj, positional: Sequence[Item], keywords: Sequence[Entry], more: bool) -> None:
        self.target = target
        self.positional = tuple(positional)
        self.keywords = tuple(keywords)
        self.open = more


class Class:
    """A class of the module. Its attributes are cells of the state, keyed by the class and the name.

    ``engine``: the class of SGLang that it derives from, "sglang.Engine" mostly; empty for any other.
    """

    __slots__ = ("bases", "engine", "fields", "name", "node", "scope")

    def __init__(
        self, node: ast.ClassDef, scope: Scope, bases: Sequence[Class], fields: bool, engine: str = ""
    ) -> None:
        self.node = node
        self.name = node.name
        self.scope = scope
        self.bases = tuple(bases)
        self.fields = fields  # annotated attributes are parameters with defaults (a dataclass)
        self.engine = engine


class Instance:
    """An object of a class of the module, or the class itself seen from within its methods.

    ``family`` decides between the class and those derived from it, where a method does not know which it runs in.
    ``own``: it is one of several, and what is set of it is not set of the others; ``names`` are those of what is set.
    ``whole``: all that its constructor was given is known, so that any other field has its default.
    """

    __slots__ = ("cls", "family", "names", "own", "whole")

    def __init__(
        self, cls: Class, family: tuple[Choice, tuple[Class, ...]] | None = None, own: bool = False
    ) -> None:
        self.cls = cls
        self.family = family
        self.own = own
        self.names: set[str] = set()
        self.whole = False


class Parser:
    """An ``argparse`` parser or group, by identity. Its options are cells of the state, keyed by it and the name.

    ``options``: the name that each flag sets, and the call that declares it.
    """

    __slots__ = ("options",)

    def __init__(self) -> None:
        self.options: dict[str, tuple[str, Arguments]] = {}


class Args:
    """What a parser returns."""

    __slots__ = ("parser",)

    def __init__(self, parser: Parser) -> None:
        self.parser = parser


Obj = Text | Seq | Map | Alt | Ref | Func | Partial | Class | Instance | Parser | Args


class Scope:
    """Where names are looked up: a module, a function or the body of a class, and what encloses it.

    ``elsewhere`` tells where names live that are declared ``global`` or ``nonlocal``.
    """

    __slots__ = ("cls", "elsewhere", "node", "outer")

    def __init__(self, node: ast.AST | None, outer: Scope | None, cls: Class | None = None) -> None:
        self.node = node
        self.outer = outer
        self.cls = cls
        self.elsewhere: dict[str, Scope] = {}


class Item(Word):
    """An element of a list: the word it would be on a command line, and the object that it is."""

    __slots__ = ("_value", "obj")

    def __init__(self, obj: Obj, span: Span | None, guard: Guard = (), many: bool = False) -> None:
        # Made by the ten thousand: to call what Word does takes as long as all of this.
        self._value = obj.value if isinstance(obj, Text) else None
        self.span = span
        self.guard = guard
        self.many = many
        self.obj = obj

    @property
    def value(self) -> Value:  # type: ignore[override]
        """As text: worked out when it is asked for, which is seldom of one of several objects."""
        return self._value or value_of(self.obj)

    def when(self, choice: Choice, arm: int) -> Item:
        """The same item, there only when ``choice`` went way ``arm``."""
        return Item(_there(self.obj, choice, arm), self.span, ((choice, arm), *self.guard), self.many)

    def having(self, obj: Obj) -> Item:
        """The same place with another object."""
        return Item(obj, self.span, self.guard, self.many)


class Entry(Item):
    """An entry of a dictionary; ``key`` None: any number of entries of which nothing is known."""

    __slots__ = ("key", "key_span")

    def __init__(self, key: Text | None, key_span: Span | None, obj: Obj, span: Span | None, guard: Guard = ()) -> None:
        super().__init__(obj, span, guard, key is None)
        self.key = key
        self.key_span = key_span

    def when(self, choice: Choice, arm: int) -> Entry:
        """The same entry, there only when ``choice`` went way ``arm``."""
        obj = _there(self.obj, choice, arm)
        return Entry(self.key, self.key_span, obj, self.span, ((choice, arm), *self.guard))

    def having(self, obj: Obj) -> Entry:
        """The same key with another object."""
        return Entry(self.key, self.key_span, obj, self.span, self.guard)


def _there(obj: Obj, choice: Choice, arm: int) -> Obj:
    return obj.arms[arm] if isinstance(obj, Alt) and obj.choice is choice else obj


def alt(choice: Choice, arms: Sequence[Obj]) -> Obj:
    """One of several objects; not known if there are too many in all."""
    size = 0
    found: list[Obj] = []
    for way, arm in enumerate(arms):
        if isinstance(arm, Alt) and arm.choice is choice:
            arm = arm.arms[way]  # what the same choice decides again has only one way to go
        size += arm.size if isinstance(arm, Alt) else 1
        found.append(arm)
    return Alt(choice, found, size) if size <= MAX_ARMS else unknown("it depends on too many alternatives")


def settled(obj: Obj, taken: Mapping[Choice, frozenset[int]]) -> Obj:
    """The object where choices have gone one of the ways that are given for them."""
    if not isinstance(obj, Alt):
        return obj
    ways = taken.get(obj.choice)
    if ways is not None and len(ways) == 1:
        return settled(obj.arms[next(iter(ways))], taken)
    arms = [settled(arm, taken) if isinstance(arm, Alt) else arm for arm in obj.arms]
    if ways is not None:
        # What is ruled out looks like what is not, so that it makes no difference.
        first = arms[min(ways)]
        arms = [arm if index in ways else first for index, arm in enumerate(arms)]
    for arm, old in zip(arms, obj.arms, strict=True):
        if arm is not old:
            return alt(obj.choice, arms)
    return obj


def unknown(reason: str) -> Text:
    """An object of which nothing is known."""
    return Text(Unknown(reason))


def known(text: str, span: Span | None, kind: str = "str") -> Text:
    """Text that stands nowhere as such; ``span`` is what it was made from."""
    return Text(Known(Mapped.new(text, span)), kind)


def several(reason: str, span: Span | None) -> Item:
    """Any number of items of which nothing is known."""
    return Item(unknown(reason), span, many=True)


def open_entry(reason: str, span: Span | None) -> Entry:
    """Any number of entries of which nothing is known."""
    return Entry(None, span, unknown(reason), span)


def value_of(obj: Obj) -> Value:
    """An object as text."""
    if isinstance(obj, (Text, Alt)):
        return obj.value
    return Unknown(f"it is {describe(obj)}")


def describe(obj: Obj) -> str:
    """What an object is, for people."""
    if isinstance(obj, Seq):
        return "a list"
    if isinstance(obj, Map):
        return "a dictionary"
    if isinstance(obj, Ref):
        return f"`{obj.name}`"
    return "an object"


# What a call gives that does not come back.
NEVER = unknown("the program ends")
