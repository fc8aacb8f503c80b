"""Several runs of one statement as one command: what surrounds them, where that differs from run to run."""

from __future__ import annotations

from speclint.value import Joined, Known, OneOf, Unknown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Sequence

    from speclint.pod import Pod
    from speclint.value import Choice, Value
    from speclint.words import Command


def surroundings(command: Command) -> Hashable:
    """What tells whether two runs have the same variables and the same image; values that are not known are their own.

    Variables that all runs are given before any of them begins are the same for each.
    """
    env = tuple((name, _shape(value)) for name, value in command.env.items())
    return env, command.image and _shape(command.image)


def together(choice: Choice, commands: Sequence[Command]) -> Command:
    """The first of several runs, with the variables, the image and the container that each of them has."""
    first = commands[0]
    names = dict.fromkeys(name for command in commands for name in command.env)
    missing = Unknown("it is set in some of its runs only")
    env = {name: _one_of(choice, [command.env.get(name, missing) for command in commands]) for name in names}
    nowhere = Unknown("it runs in an image in some of its runs only")
    images = [command.image or nowhere for command in commands]
    found = first.replace(first.words, _one_of(choice, images) if any(c.image for c in commands) else None, env)
    pods = [command.pod for command in commands]
    if any(pod is not pods[0] for pod in pods):
        found.pod = lambda: _common(pods)
    return found


def _shape(value: Value) -> Hashable:
    return value.text.text if isinstance(value, Known) else id(value)


def _one_of(choice: Choice, values: Sequence[Value]) -> Value:
    """A value that a choice decides; the first one where all are alike."""
    first = values[0]
    if all(alike(value, first) for value in values[1:]):
        return first
    return OneOf(choice, values)


def alike(a: Value, b: Value) -> bool:
    """Whether two values that were read at one place are one and the same."""
    if isinstance(a, Known) and isinstance(b, Known):
        return a.text.text == b.text.text
    if isinstance(a, OneOf) and isinstance(b, OneOf):
        return a.choice is b.choice and all(map(alike, a.arms, b.arms))
    if isinstance(a, Joined) and isinstance(b, Joined):
        return len(a.parts) == len(b.parts) and all(map(alike, a.parts, b.parts))
    return isinstance(a, Unknown) and isinstance(b, Unknown)


def _common(pods: Sequence[Callable[[], Pod | None] | None]) -> Pod | None:
    """The container of several runs: what differs is not known. None where some run in none."""
    from copy import copy

    from speclint.pod import Fact

    read = [pod() if pod is not None else None for pod in pods]
    found = [pod for pod in read if pod is not None]
    if len(found) < len(read):
        return None
    first = copy(found[0])
    first.whole = all(pod.whole for pod in found)
    if any(pod.shared_memory is not first.shared_memory for pod in found):
        first.shared_memory = None
    if any(pod.host_network is not first.host_network for pod in found):
        first.host_network = None
    gpus = {None if pod.gpus is None else pod.gpus.text for pod in found}
    if len(gpus) > 1:
        first.gpus = next(Fact(None, pod.gpus.span) for pod in found if pod.gpus is not None)
    ports = {tuple(port.number.text for port in pod.ports) for pod in found}
    if len(ports) > 1:
        first.ports = [port._replace(number=Fact(None, port.number.span)) for port in first.ports]
    return first
