"""Probes that end a container, or find it unready, although the server does well."""

from __future__ import annotations

from speclint.finding import Edit
from speclint.rules.checks.pod import is_server, is_worker, served
from speclint.rules.checks.ways import everywhere
from speclint.rules.found import Found
from speclint.text import Span

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from speclint.sglang.resolve import View

# What other servers answer to and no release of SGLang does.
_NO_PATHS = frozenset(
    (
        *("/healthz", "/livez", "/readyz", "/live", "/liveness", "/readiness", "/status", "/healthcheck"),
        *("/health_check", "/health/ready", "/health/live", "/v1/health", "/api/health", "/v2/health/ready"),
        *("/v2/health/live", "/actuator/health"),
    )
)


def early(view: View) -> Iterator[Found]:
    """Probes that end the container before the server can have started."""
    return everywhere(view, ("tp_size", "pp_size", "dp_size", "nnodes"), _early)


def _early(view: View) -> Iterator[Found]:
    pod = view.options.launch.pod
    if pod is None or not is_server(view) or is_worker(view, pod):
        return
    kinds = {probe.kind: probe for probe in pod.probes}
    deciding = kinds.get("startup") or kinds.get("liveness")
    if deciding is None or deciding.seconds is None:
        return
    gpus = view.derived("gpu_processes").value
    needed = 120 if isinstance(gpus, int) and gpus >= 4 else 60
    if deciding.seconds >= needed:
        return
    facts = {"kind": deciding.kind, "seconds": deciding.seconds, "needed": needed}
    yield Found(deciding.span, None, facts)


def quick(view: View) -> Iterator[Found]:
    """Probes that wait less than the health check takes."""
    pod, known = view.options.launch.pod, view.options.launch.command.env
    if pod is None or not is_server(view) or is_worker(view, pod):
        return
    generates = view.in_release(">=0.4.10.post2") and "SGLANG_ENABLE_HEALTH_ENDPOINT_GENERATION" not in known
    for probe in pod.probes:
        asked = probe.asks.text if probe.asks is not None else None
        if (asked == "/health_generate" or (asked == "/health" and generates)) and probe.timeout == 1:
            facts = {"kind": probe.kind, "path": asked}
            edits = (Edit(probe.patience.span, probe.patience.text or ""),) if probe.patience is not None else ()
            yield Found(probe.span, None, facts, edits=edits)


def path(view: View) -> Iterator[Found]:
    """Probes of paths that the server does not have, or not without its key."""
    pod, port = served(view)
    if pod is None:
        return
    keyed = view.is_set("api_key") is True
    for probe in pod.probes:
        asked = probe.asks.text if probe.asks is not None else None
        if probe.asks is None or asked is None or probe.port is None or probe.port != port:
            continue
        missing = asked.rstrip("/") in _NO_PATHS or (asked == "/ready" and not view.in_release(">=0.5.20"))
        closed = keyed and not probe.headers and not asked.startswith(("/health", "/metrics", "/ready"))
        if missing or closed:
            facts = {"kind": probe.kind, "path": asked, "missing": missing}
            yield Found(probe.asks.span, None, facts, edits=_in_place(probe.asks.span, asked, "/health"))


def _in_place(span: Span, text: str, new: str) -> tuple[Edit, ...]:
    """What writes other text where some stands as it is, in quotes or not; empty where it stands in another form."""
    written = span.text
    at = 1 if written[:1] in ("'", '"') else 0
    if written[at : len(written) - at] != text:
        return ()
    return (Edit(Span(span.file, span.start + at, span.end - at), new),)
