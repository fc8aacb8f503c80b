"""What names and containers hold at a point of a module, and how branches of it are joined again."""

from __future__ import annotations

from speclint.hosts.python.values import MAX_ITEMS, Item, Map, Obj, Seq, Text, alt, settled, several, unknown
from speclint.merging import same
from speclint.words import merge_words

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from speclint.hosts.python.values import Class, Instance, Parser, Scope
    from speclint.value import Choice

# A variable, an attribute of a class or of one object, or a container.
Key = tuple["Scope", str] | tuple["Class", str] | tuple["Instance", str] | tuple["Parser", str] | Seq | Map
Cell = Obj | tuple[Item, ...]
# How many elements that several branches have at the end of a list are looked for; more of them are written by no one.
_MOST_AT_END = 200


class State:
    """Cells written since the state that this one branched off.

    ``taken``: the ways that choices can have gone where this is the state.
    """

    __slots__ = ("parent", "taken", "writes")

    def __init__(self, parent: State | None = None) -> None:
        self.parent = parent
        self.writes: dict[Key, Cell] = {}
        self.taken: dict[Choice, frozenset[int]] = parent.taken if parent is not None else {}

    def assume(self, choice: Choice, arms: frozenset[int]) -> None:
        """Say that a choice went one of these ways."""
        held = self.taken.get(choice)
        self.taken = {**self.taken, choice: (arms & held or arms) if held is not None else arms}

    def settled(self, obj: Obj) -> Obj:
        """The object without the alternatives that are ruled out here."""
        return settled(obj, self.taken) if self.taken else obj

    def get(self, key: Key) -> Cell | None:
        """What a cell holds; None if it was never written."""
        state: State | None = self
        while state is not None:
            found = state.writes.get(key)
            if found is not None:
                return found
            state = state.parent
        return None

    def set(self, key: Key, cell: Cell) -> None:
        """Write a cell."""
        if isinstance(cell, tuple) and len(cell) > MAX_ITEMS:
            cell = (several("the list is too long to follow", cell[0].span),)
        self.writes[key] = cell

    def items(self, container: Seq | Map) -> tuple[Item, ...]:
        """The contents of a container."""
        cell = self.get(container)
        return cell if isinstance(cell, tuple) else (several("its contents are not known here", container.span),)

    def obj(self, key: Key) -> Obj | None:
        """The object that a variable holds."""
        cell = self.get(key)
        return None if isinstance(cell, tuple) else cell

    def new_seq(self, items: Sequence[Item], like: Seq | None = None) -> Seq:
        """A list with contents."""
        seq = Seq(like.span, like.kind) if like is not None else Seq(None)
        self.set(seq, tuple(items))
        return seq

    def new_map(self, entries: Sequence[Item]) -> Map:
        """A dictionary with contents."""
        result = Map(None)
        self.set(result, tuple(entries))
        return result

    def adopt(self, other: State) -> None:
        """Take over what a branch wrote that is sure to have run."""
        self.writes.update(other.writes)

    def join(self, choice: Choice, arms: Sequence[State], only: State | None = None) -> None:
        """Take over what the arms of a choice wrote (or what ``only`` one of them did), as alternatives."""
        keys: dict[Key, None] = {}
        for each in (only,) if only else arms:
            keys.update(dict.fromkeys(each.writes))
        for key in keys:
            cells = [arm.get(key) for arm in arms]
            if isinstance(key, (Seq, Map)):
                contents = [c for c in cells if isinstance(c, tuple)]
                self.set(key, merge_items(choice, contents) if len(contents) == len(cells) else contents[0])
            else:
                self.set(key, join_objs(choice, cells))  # type: ignore[arg-type]


def merge_items(choice: Choice, arms: Sequence[tuple[Item, ...]]) -> tuple[Item, ...]:
    """The contents after a branch."""
    first = arms[0]
    if all(arm is first for arm in arms):
        return first
    same = [first, *(_like(first, arm) for arm in arms[1:])]
    ends = _alike_at_end(same)
    merged = merge_words(choice, [arm[: len(arm) - ends] for arm in same])
    return tuple(word for word in (*merged, *first[len(first) - ends :]) if isinstance(word, Item))


def _alike_at_end(arms: Sequence[tuple[Item, ...]]) -> int:
    """How many elements, the same in all arms, are added behind what differs, from an option on."""
    first = arms[0]
    size, most = 0, min(_MOST_AT_END, *map(len, arms))
    while size < most and all(_is_copy(first[-1 - size], arm[-1 - size]) for arm in arms):
        size += 1
    while size and not first[-size].prefix.startswith("-"):
        size -= 1  # its values are there together with it
    return size


def _like(first: tuple[Item, ...], other: tuple[Item, ...]) -> tuple[Item, ...]:
    """A list that begins as another does, with the very elements of that one: `[*x]` has copies of those of `x`."""
    size = 0
    for one, item in zip(first, other, strict=False):
        if one is not item and not _is_copy(one, item):
            break
        size += 1
    return (*first[:size], *other[size:])


def _is_copy(one: Item, item: Item) -> bool:
    if one is item:
        return True
    if isinstance(one.obj, Text) and isinstance(item.obj, Text):
        same_text = (one.obj.first or one.obj) is (item.obj.first or item.obj)
    else:
        same_text = one.obj is item.obj
    return same_text and one.many is item.many and one.guard == item.guard and type(one) is Item is type(item)


def join_objs(choice: Choice, objs: Sequence[Obj | None]) -> Obj:
    """The object after a branch. None stands for an arm in which the name is not bound, so that nothing reads it.

    What nothing reads where a default stands, which is what is told as a rule, is not known by any other value.
    """
    bound = [o for o in objs if o is not None]
    first = bound[0]
    if objs[0] is not None or choice.kind != "default":
        for obj in bound:
            if obj is not first and not alike(obj, first):
                break
        else:
            return first
    if len(bound) < len(objs):
        missing = unknown("it is not set in every branch")
        return alt(choice, [missing if o is None else o for o in objs])
    return alt(choice, bound)


def alike(a: Obj, b: Obj) -> bool:
    """Whether two objects are one and the same."""
    if a is b:
        return True
    return isinstance(a, Text) and isinstance(b, Text) and a.kind == b.kind and same(a.value, b.value)
