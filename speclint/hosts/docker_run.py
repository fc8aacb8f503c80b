"""The options of ``docker run``: which words belong to it, and what they give the container.

Source: the reference of ``docker run`` (``/dev/shm`` has 64 MiB unless ``--shm-size`` or ``--ipc`` say otherwise; ports
that are published lead to the container's address, not to its loopback).
"""

from __future__ import annotations

from speclint.lean import NamedTuple, pattern
from speclint.pod import Fact, Pod, Port
from speclint.value import Joined, Known

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from speclint.text import Mapped, Span
    from speclint.value import Value
    from speclint.words import Word

# Options of ``docker run``, ``docker exec`` and their like of compose that take no value; all others do.
_SWITCHES = frozenset(
    (
        *("--rm", "--detach", "--init", "--interactive", "--tty", "--privileged", "--read-only", "--quiet"),
        *("--publish-all", "--no-healthcheck", "--oom-kill-disable", "--disable-content-trust", "--use-api-socket"),
        *("--env-host", "--no-TTY", "--no-tty", "--service-ports", "--use-aliases", "--no-deps", "--build"),
        *("--quiet-build", "--quiet-pull", "--remove-orphans"),
    )
)
_SHORT = pattern(r"-[ditPqT]+")
_NAMES = {"-p": "--publish", "-v": "--volume", "-e": "--env", "--net": "--network"}
_DEVICES = pattern(r"[\"']*device=([^\"']*)[\"']*")


class Option(NamedTuple):
    """One option: its long name (empty for words that are not known), its value (None for a switch), the value's place.

    A switch has its own place.
    """

    name: str
    value: Value | None
    span: Span | None


def options(words: Sequence[Word], at: int) -> tuple[list[Option], int]:
    """The options from ``at`` on, and the index of the first word behind them."""
    found: list[Option] = []
    while at < len(words):
        word = words[at]
        text = word.prefix
        if word.many:
            found.append(Option("", None, word.span))
            at += 1
            continue
        if not text.startswith("-"):
            break
        name, equals, _ = text.partition("=")
        at += 1
        if equals:
            found.append(Option(_NAMES.get(name, name), _behind(word.value, len(name) + 1), word.span))
        elif name in _SWITCHES or _SHORT.fullmatch(name):
            found.append(Option("--publish-all" if "P" in name else name, None, word.span))
        else:
            given = words[at] if at < len(words) else word
            found.append(Option(_NAMES.get(name, name), given.value, given.span))
            at += 1
    return found, at


def read(words: Sequence[Word], found: Sequence[Option]) -> Pod | None:
    """The surroundings of the container that ``words`` (``docker run``) start with these options."""
    first = words[0].span if words else None
    if first is None:
        return None
    pod = Pod("docker", first.to(words[-1].span), "", all(option.name for option in found))
    given = [o for o in found if o.name in ("--shm-size", "--ipc") or "/dev/shm" in _text(o.value) + _source(o)]
    # Of a volume it is the part before its colon that is often not known, and does not matter.
    unsure = any(o.name in ("--volume", "--mount") and not {":", "="}.intersection(_source(o)) for o in found)
    pod.shared_memory = True if given else None if unsure or not pod.whole else False
    networks = [_text(option.value) for option in found if option.name == "--network"]
    pod.host_network = "host" in networks if pod.whole and all(networks) else "host" in networks or None
    pod.ports = tuple(_ports(found))
    for option in found:
        if option.name == "--gpus" and option.value is not None and option.span is not None:
            pod.gpus, pod.gpus_by = Fact(_count(option.value), option.span), "`--gpus`"
    return pod


def _ports(found: Sequence[Option]) -> Iterator[Port]:
    from speclint.hosts.compose import published

    for option in found:
        place = option.span
        if place is None:
            continue
        if option.name == "--publish":
            text = _mapped(option.value)
            told = published(text) if text is not None else None
            yield Port("published", told or Fact(None, place))
        elif option.name == "--publish-all":
            yield Port("published", Fact(None, place))


def _count(value: Value) -> str | None:
    """How many GPUs ``--gpus`` gives; None for all of them."""
    text = value.text.text if isinstance(value, Known) else ""
    devices = _DEVICES.fullmatch(text)
    if devices is not None:
        return str(len([name for name in devices[1].split(",") if name]))
    return text.removeprefix("count=") if text.removeprefix("count=").isdigit() else None


def _behind(value: Value, size: int) -> Value:
    if isinstance(value, Known):
        return Known(value.text[size:], value.steps)
    if isinstance(value, Joined) and isinstance(value.parts[0], Known):
        return Joined((_behind(value.parts[0], size), *value.parts[1:]))
    return value


def _text(value: Value | None) -> str:
    """The characters of a value that are known."""
    parts = value.parts if isinstance(value, Joined) else (value,)
    return "".join(part.text.text for part in parts if isinstance(part, Known))


def _source(option: Option) -> str:
    return option.span.text if option.span is not None else ""


def _mapped(value: Value | None) -> Mapped | None:
    """The text of a port mapping: whole, or what stands behind a published port that is not known."""
    if isinstance(value, Known):
        return value.text
    last = value.parts[-1] if isinstance(value, Joined) else None
    return last.text[1:] if isinstance(last, Known) and last.text.text.startswith(":") else None
