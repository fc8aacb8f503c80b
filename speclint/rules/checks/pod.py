"""Where a launch and what surrounds it disagree: ports, addresses, ranks, shared memory."""

from __future__ import annotations

from speclint.finding import Edit
from speclint.lean import pattern
from speclint.rules.checks.ways import everywhere
from speclint.rules.found import Found
from speclint.sglang.setting import Setting
from speclint.text import Span
from speclint.value import Known, Unknown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from speclint.pod import Pod, Port
    from speclint.sglang.resolve import View

# Entry points that serve HTTP at --host and --port.
_SERVERS = frozenset(("sglang.launch_server", "sglang serve"))
_LEFT_OUT = pattern(r"\s<[A-Za-z]")
_PLAIN = pattern(r"[\w./-]+(?:\s+container)?\s+(?:run|create)")
_LOOPBACK = pattern(r"localhost|127\.\d+\.\d+\.\d+|\[?::1\]?")
_WHO = {
    "startup": "the startup probe asks",
    "liveness": "the liveness probe asks",
    "readiness": "the readiness probe asks",
    "health": "the health check asks",
    "container": "`containerPort` says",
    "service": "the Service sends to",
    "published": "the published port leads to",
}
_PROBES = frozenset(("startup", "liveness", "readiness", "health"))


def ports(view: View) -> Iterator[Found]:
    """Ports that others count on and the server does not listen at."""
    return everywhere(view, ("port", "node_rank"), _ports)


def _ports(view: View) -> Iterator[Found]:
    pod, port = served(view)
    if pod is None or not isinstance(port, int):
        return
    wrong = _wrong(view, pod, port)
    if not wrong:
        return
    numbers = {p.number.text for p in wrong}
    agreed = any(p.number.number == port for p in pod.ports)
    setting = view.setting("port")
    kinds = {"probe" if p.kind in _PROBES else p.kind for p in wrong}
    if not agreed and len(numbers) == 1 and (setting is None or len(kinds) > 1):
        # All others say the same: it is the launch that is to be changed.
        yield _by_launch(setting if isinstance(setting, Setting) else None, wrong, port)
        return
    for one in wrong:
        facts = {"kind": one.kind, "who": _WHO[one.kind], "number": one.number.text, "port": port, "launch": False}
        edit = Edit(one.number.span, str(port))
        plain = one.number.span.text.strip("\"'") == one.number.text
        quoted = one.number.span.text != one.number.text
        edits = (Edit(one.number.span, f'"{port}"') if quoted else edit,) if plain else ()
        yield Found(one.number.span, None, facts, related=_told(setting), edits=edits)


def _by_launch(setting: Setting | None, wrong: Sequence[Port], port: int) -> Found:
    first = next((p for p in wrong if p.kind in _PROBES), wrong[0])
    facts = {
        "kind": first.kind,
        "who": _WHO[first.kind],
        "number": first.number.text,
        "port": port,
        "launch": True,
        "written": setting is not None,
    }
    related = [(f"{_WHO[p.kind]} {p.number.text}", p.number.span) for p in wrong]
    return Found(setting.value_span if setting is not None else None, setting, facts, related=related)


def _told(setting: object) -> list[tuple[str, Span]]:
    if isinstance(setting, Setting) and setting.value_span is not None:
        return [("the server listens here", setting.value_span)]
    return []


def served(view: View) -> tuple[Pod | None, object]:
    """The container of a server, and the port that it listens at."""
    pod = view.options.launch.pod
    if pod is None or not is_server(view) or is_worker(view, pod):
        return None, None
    return pod, view.value("port")


def is_server(view: View) -> bool:
    """Whether it is a launch of a server, written out: documents leave the options to the reader (``<more>``)."""
    launch = view.options.launch
    within = launch.command.within
    if within is not None and _LEFT_OUT.search(within[0].text, within[1], within[2]):
        return False
    models = view.options.written("model_path")
    return launch.entrypoint in _SERVERS and any(one.flag or isinstance(one.value, Known) for one in models)


def is_worker(view: View, pod: Pod) -> bool:
    """Whether it is one of the nodes behind the first, which do not serve."""
    rank = view.value("node_rank")
    return pod.role == "worker" or (isinstance(rank, int) and rank > 0)


def _may_be_worker(view: View, pod: Pod) -> bool:
    """Whether its rank is not known, or that of a worker."""
    return is_worker(view, pod) or (pod.role != "leader" and isinstance(view.value("node_rank"), Unknown))


def _wrong(view: View, pod: Pod, port: int) -> list[Port]:
    """The ports that lead nowhere: of a kind of which several may be meant for others, all must."""
    found: list[Port] = []
    for kinds in (_PROBES, ("container",), ("service",), ("published",)):
        group = [p for p in pod.ports if p.kind in kinds]
        if any(p.number.number is None for p in group) and kinds is not _PROBES:
            continue
        if kinds is _PROBES or all(p.number.number != port for p in group):
            found.extend(p for p in group if p.number.number not in (None, port))
    found = [] if pod.form == "docker" and pod.host_network is not False else found
    return [p for p in found if not _mentioned(view, pod, p.number.text or "")]


def _mentioned(view: View, pod: Pod, number: str) -> bool:
    """Whether the number occurs anywhere else: there is something else that may listen there."""
    launch = view.options.launch
    if _stands(number, pod.mentioned):
        return True
    texts = [w.prefix for w in launch.words]
    texts.extend(v.text.text for v in launch.command.env.values() if isinstance(v, Known))
    within = launch.command.within
    if within is not None and pod.form != "docker":
        texts.append(within[0].text)
    return any(_stands(number, text) for text in texts) or any(
        other is not launch and other.command.pod == launch.command.pod for other in launch.beside
    )


def _stands(number: str, text: str) -> bool:
    """Whether a number stands in a text by itself: an expression of each number would take longer to be compiled."""
    at = text.find(number)
    while at >= 0:
        end = at + len(number)
        before, after = text[at - 1 : at], text[end : end + 1]
        if not (before.isalnum() or after.isalnum() or before in ("_", ".") or after == "_"):
            return True
        at = text.find(number, end)
    return False


def loopback(view: View) -> Iterator[Found]:
    """Servers that listen at an address that only their own container reaches."""
    return everywhere(view, ("host", "port", "node_rank"), _loopback)


def _loopback(view: View) -> Iterator[Found]:
    pod = view.options.launch.pod
    if pod is None or not is_server(view):
        return
    host, port = view.value("host"), view.value("port")
    if not isinstance(host, str) or not _LOOPBACK.fullmatch(host):
        return
    asked = _asks(pod, port, _wrong(view, pod, port) if isinstance(port, int) else ())
    if asked is None or (asked.kind not in _PROBES and _may_be_worker(view, pod)):
        return
    if pod.form != "pod" and pod.host_network is not False:
        return
    setting = view.setting("host")
    written = isinstance(setting, Setting)
    facts = {"host": host, "written": written, "who": _WHO[asked.kind], "probe": asked.kind in _PROBES}
    related = [("this cannot reach it", asked.number.span)]
    span = setting.value_span if isinstance(setting, Setting) else None
    yield Found(span, setting if isinstance(setting, Setting) else None, facts, related=related)


def _asks(pod: Pod, port: object, wrong: Sequence[Port]) -> Port | None:
    """What from outside of the container asks for the server, be it at the ``wrong`` port; probes first."""
    sure = not isinstance(port, Unknown)
    asked = [p for p in pod.ports if not p.local and (not sure or p in wrong or p.number.number in (None, port))]
    if pod.form == "pod":
        # A named port or one that is not known may be that of another container.
        asked = [p for p in asked if p.number.number is not None or p.kind in _PROBES]
    return min(asked, key=lambda p: list(_WHO).index(p.kind), default=None)


def rank(view: View) -> Iterator[Found]:
    """A rank that is written out where several pods run the same words."""
    pod, setting = view.options.launch.pod, view.setting("node_rank")
    if pod is None or not isinstance(setting, Setting) or pod.copies is None or pod.copies < 2:
        return
    count, number = view.value("nnodes"), view.value("node_rank")
    if isinstance(number, Unknown) or count == 1 or (isinstance(count, Unknown) and pod.size is None):
        return
    group = pod.workload == "LeaderWorkerSet"
    facts = {
        "copies": pod.copies,
        "rank": number,
        "workload": pod.workload or "object",
        "group": group,
        "role": pod.role,
    }
    related = [("the number of pods is told here", pod.size.span)] if pod.size is not None else []
    yield Found(setting.value_span, setting, facts, related=related, edits=_index(view, setting) if group else ())


def _index(view: View, setting: Setting) -> tuple[Edit, ...]:
    """The variable of the index of a pod in its group, in the place of a number."""
    value = setting.values[0] if len(setting.values) == 1 else None
    span = value.text.exact() if isinstance(value, Known) else None
    launch = view.options.launch
    if span is None or not launch.command.fixable or setting.guard:
        return ()
    shell = launch.command.within is not None
    return (Edit(span, "${LWS_WORKER_INDEX}" if shell else "$(LWS_WORKER_INDEX)"),)


def shared_memory(view: View) -> Iterator[Found]:
    """A small ``/dev/shm`` under several processes."""
    return everywhere(view, ("tp_size", "pp_size", "dp_size", "nnodes", "enable_dp_attention"), _shared_memory)


def _shared_memory(view: View) -> Iterator[Found]:
    pod = view.options.launch.pod
    count = view.derived("gpu_processes").value
    if pod is None or pod.shared_memory is not False or not isinstance(count, int) or count < 2:
        return
    resource = pod.gpus_by
    if "huawei" in resource or "NCCL_SHM_DISABLE" in view.options.launch.command.env:
        return
    facts = {"form": pod.form, "count": count, "volume": None}
    if pod.form == "docker":
        span = pod.span
        # Where each word stands by itself, as in a list of Python, it takes more to add some.
        plain = _PLAIN.fullmatch(span.text) is not None
        edits = (Edit(Span(span.file, span.end, span.end), " --shm-size 32g"),) if plain else ()
        yield Found(span, None, facts, edits=edits)
        return
    mounts = tuple(Edit(mount.span, mount.text or "") for mount in pod.mounts)
    if pod.unmounted is not None:
        facts["volume"] = pod.unmounted.text
        yield Found(pod.unmounted.span, None, facts, edits=mounts)
        return
    setting = next((s for d in ("tp_size", "pp_size", "dp_size") if isinstance(s := view.setting(d), Setting)), None)
    yield Found(setting.flag_span if setting is not None else None, setting, facts, edits=mounts)
