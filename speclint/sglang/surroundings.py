"""What the surroundings of a launch mean for SGLang: ``pod.x`` in rules, and the GPUs that a launch takes.

GPUs are counted as the processes are placed: from ``--base-gpu-id`` on, ``--gpu-id-step`` apart, stage by stage and
replica by replica (0.5.23 srt/entrypoints/engine.py:935, srt/managers/data_parallel_controller.py:445; 0.4.6.post5
srt/entrypoints/engine.py:570). Attention data parallelism and expert parallelism lie within ``--tp-size``.
"""

from __future__ import annotations

from speclint.sglang.resolve import Derivation, Derived
from speclint.sglang.setting import Setting, Unsettled
from speclint.value import Unknown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from speclint.sglang.resolve import View
    from speclint.text import Span

# Variables that leave a process only some of the GPUs, the first that counts first.
VISIBLE = ("CUDA_VISIBLE_DEVICES", "HIP_VISIBLE_DEVICES", "ROCR_VISIBLE_DEVICES", "ASCEND_RT_VISIBLE_DEVICES")
# Entry points whose own processes take the GPUs, where the options are the launch's alone.
_STARTS = frozenset(
    ("sglang.launch_server", "sglang serve", "dynamo.sglang", "sglang.Engine", "sglang.bench_one_batch")
)
_GROUP_SIZES = ("LWS_GROUP_SIZE", "RBG_LWP_GROUP_SIZE")
_NO_POD = Unknown("the file does not tell where it runs")


def value(view: View, name: str) -> object:
    """``pod.name`` in a rule; Unknown where the file does not tell."""
    read = _READ.get(name)
    return Unknown(f"there is no `pod.{name}`") if read is None else read(view)


def place(view: View, name: str) -> Span | None:
    """Where ``pod.name`` is written."""
    pod = view.options.launch.pod
    if name == "gpus":
        visible = _visible(view)
        if visible is not None:
            return visible[1]
        return pod.gpus.span if pod is not None and pod.gpus is not None else None
    if pod is None:
        return None
    if name == "size":
        return pod.size.span if pod.size is not None else None
    if name == "replicas":
        return pod.replicas.span if pod.replicas is not None else None
    if name == "unmounted":
        return pod.unmounted.span if pod.unmounted is not None else None
    return pod.span


def _form(view: View) -> object:
    pod = view.options.launch.pod
    return None if pod is None else pod.form


def _gpus(view: View) -> object:
    """How many GPUs the launch can see."""
    visible = _visible(view)
    if visible is not None:
        return visible[0]
    pod = view.options.launch.pod
    if pod is None or pod.gpus is None:
        return _NO_POD
    number = pod.gpus.number
    return Unknown("how many GPUs it gets is not known") if number is None else number


def _gpus_by(view: View) -> object:
    visible = _visible(view)
    if visible is not None:
        return f"`{visible[2]}`"
    pod = view.options.launch.pod
    return _NO_POD if pod is None or pod.gpus is None else pod.gpus_by


def _visible(view: View) -> tuple[object, Span | None, str] | None:
    """The number of GPUs that a variable leaves, its place, and the variable; None where none does."""
    env = view.options.launch.command.env
    name = next((name for name in VISIBLE if name in env), None)
    if name is None:
        return None
    text = view.attribute("env", name)
    if not isinstance(text, str):
        return text, None, name
    from speclint.worlds import resolve

    got = resolve(env[name], view.world)
    span = next((s.span for s in reversed(got.steps) if s.kind in ("env", "assigned")), None)
    parts = [part.strip() for part in text.split(",")]
    known = all(part.isdigit() or part.startswith(("GPU-", "MIG-")) for part in parts)
    return (len(parts) if known else Unknown(f"`{name}` is no list of GPUs")), span, name


def _small_memory(view: View) -> object:
    """Whether ``/dev/shm`` has the 64 MiB that container engines give."""
    pod = view.options.launch.pod
    if pod is None:
        return False
    given = pod.shared_memory
    return Unknown("whether `/dev/shm` is given is not known") if given is None else not given


def _unmounted(view: View) -> object:
    pod = view.options.launch.pod
    return pod.unmounted.text if pod is not None and pod.unmounted is not None else None


def _size(view: View) -> object:
    pod = view.options.launch.pod
    if pod is None or pod.size is None:
        return None
    number = pod.size.number
    return Unknown("the size of the group is not known") if number is None else number


def _copies(view: View) -> object:
    pod = view.options.launch.pod
    return _NO_POD if pod is None or pod.copies is None else pod.copies


def _replicas(view: View) -> object:
    """The pods of a StatefulSet whose numbers are the ranks of nodes; None where they are not."""
    pod, rank = view.options.launch.pod, view.setting("node_rank")
    if pod is None or pod.replicas is None or not isinstance(rank, Setting) or rank.value_span is None:
        return None
    written = rank.value_span.text.strip("\"'")
    if written.strip("$(){}") not in pod.ordinals or "$" not in written:
        return None
    number = pod.replicas.number
    return Unknown("how many pods there are is not known") if number is None else number


def _workload(view: View) -> object:
    pod = view.options.launch.pod
    return None if pod is None else pod.workload


def _role(view: View) -> object:
    pod = view.options.launch.pod
    return None if pod is None else pod.role


def _launches(view: View) -> object:
    """How many launches of the file share the container."""
    launch = view.options.launch
    return sum(1 for other in launch.beside if other.command.pod == launch.command.pod)


_READ = {
    "launches": _launches,
    "form": _form,
    "workload": _workload,
    "role": _role,
    "gpus": _gpus,
    "gpus_by": _gpus_by,
    "small_memory": _small_memory,
    "unmounted": _unmounted,
    "size": _size,
    "copies": _copies,
    "replicas": _replicas,
}
NAMES = frozenset(_READ)


def nodes(view: View) -> object:
    """``--nnodes``; where it is the variable of a group's size, that size."""
    written = view.setting("nnodes")
    found = view.value("nnodes")
    if not isinstance(found, Unknown) or isinstance(found, Unsettled) or not isinstance(written, Setting):
        return found
    source = written.value_span.text if written.value_span is not None else ""
    size = _size(view)
    return size if size is not None and any(name in source for name in _GROUP_SIZES) else found


def _number(found: object, default: int) -> int | Unknown:
    if isinstance(found, Unknown):
        return found
    return found if isinstance(found, int) and not isinstance(found, bool) else default


def _layout(view: View) -> tuple[int, int, int, int] | Unknown:
    """Stages of a node, GPUs of a stage on it, replicas, and GPUs of a replica; or why they are not known."""
    launch = view.options.launch
    if launch.entrypoint not in _STARTS:
        return Unknown(f"{launch.entrypoint} has its own way with GPUs")
    for dest in ("device", "use_ray"):
        chosen = view.value(dest)
        if isinstance(chosen, Unknown):
            return chosen
        if chosen not in (None, False, "cuda", "hip", "npu"):
            return Unknown(f"`{view.flag(dest)}` decides it")
    # Whatever else decides how data parallelism is laid out, there is none that is not written.
    replicas = 1 if view.is_set("dp_size") is False else view.derived("dp_size").value
    written = (view.value("tp_size"), view.value("pp_size"), nodes(view), replicas)
    sizes = [_number(one, 1) for one in written]
    doubt = next((one for one in sizes if isinstance(one, Unknown)), None)
    if doubt is not None:
        return doubt
    tp, pp, count, copies = (one for one in sizes if isinstance(one, int))
    if min(tp, pp, count, copies) < 1 or (copies > 1 and (pp > 1 or count > 1)):
        return Unknown("the sizes do not go together")
    stages, share = max(pp // count, 1), tp // max(count // pp, 1)
    return (stages, share, copies, tp * pp) if share else Unknown("the sizes do not go together")


def _processes(view: View) -> Derived:
    """How many processes, each with a GPU of its own, run on one node."""
    layout = _layout(view)
    if isinstance(layout, Unknown):
        return Derived(layout)
    stages, share, replicas, _ = layout
    return Derived(stages * share * replicas, "", ("tp_size", "pp_size", "dp_size"))


def _needed(view: View) -> Derived:
    """How many GPUs one node must have."""
    layout, pod = _layout(view), view.options.launch.pod
    if isinstance(layout, Unknown):
        return Derived(layout)
    if pod is not None and pod.operated and view.is_set("nnodes") is not True and _visible(view) is None:
        return Derived(Unknown(f"a {pod.workload} may spread it over several pods"))
    base, step = _number(view.value("base_gpu_id"), 0), _number(view.value("gpu_id_step"), 1)
    if isinstance(base, Unknown) or isinstance(step, Unknown):
        return Derived(base if isinstance(base, Unknown) else step)
    stages, share, replicas, whole = layout
    last = base + (replicas - 1) * whole * step + (stages - 1) * share + (share - 1) * step
    return Derived(last + 1, "", ("tp_size", "pp_size", "dp_size"))


_ENGINE = "sglang/srt/entrypoints/engine.py"
DERIVATIONS: Mapping[str, Derivation] = {
    derivation.name: derivation
    for derivation in (
        Derivation("gpus", _needed, ("0.5.23", _ENGINE, 935)),
        Derivation("gpu_processes", _processes, ("0.5.23", _ENGINE, 932)),
    )
}
