"""The options of ``sglang_router.launch_server``, which starts servers and a router before them.

Its parser has the options of both, the router's with ``--router-`` before their names; a handful of these is known here
(sglang_router 0.1.4 to 0.3.2: router_args.py, mini_lb.py, launch_server.py).
"""

from __future__ import annotations

from speclint.lean import NamedTuple
from speclint.rules.found import Found, under
from speclint.sglang.wording import setting_of
from speclint.value import Unknown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from speclint.sglang.resolve import View
    from speclint.words import Word

ENTRYPOINT = "sglang_router.launch_server"
_PREFIX = "--router-"
# What only the router has, and how many values each takes.
_OWN = {
    **dict.fromkeys(("pd-disaggregation", "mini-lb", "dp-aware", "service-discovery", "disable-retries"), 0),
    **dict.fromkeys(("disable-circuit-breaker", "enable-igw"), 0),
    **dict.fromkeys(("policy", "prefill-policy", "decode-policy", "cache-threshold", "balance-abs-threshold"), 1),
    **dict.fromkeys(("balance-rel-threshold", "max-tree-size", "max-payload-size", "eviction-interval-secs"), 1),
    **dict.fromkeys(("worker-startup-timeout-secs", "worker-startup-check-interval", "request-timeout-secs"), 1),
    **dict.fromkeys(("max-concurrent-requests", "prometheus-port", "service-discovery-namespace"), 1),
}


class _Use(NamedTuple):
    """One of the router's options: its name without a prefix, its word, and the bare words behind that."""

    name: str
    word: Word
    values: tuple[Word, ...]

    @property
    def text(self) -> str | None:
        """The first value; None where there is none or it is not known."""
        return self.values[0].text if self.values else None


def options(view: View) -> Iterator[Found]:
    """What the router refuses or does not heed."""
    if view.options.launch.entrypoint != ENTRYPOINT:
        return
    yield from _unprefixed(view)
    uses = {use.name: use for use in _uses(view.options.launch.words, _PREFIX)}
    yield from _ports(view)
    if "mini-lb" in uses:
        yield from _mini(view, uses)
    elif {"policy", "prefill-policy", "decode-policy", "pd-disaggregation"} <= uses.keys():
        yield _found("shadowed", uses["policy"])
    yield from _overwritten(view)


def _uses(words: tuple[Word, ...], prefix: str) -> Iterator[_Use]:
    for at, word in enumerate(words):
        if word.text is not None and word.text.startswith(prefix):
            end = next((i for i in range(at + 1, len(words)) if words[i].prefix.startswith("--")), len(words))
            yield _Use(word.text[len(prefix) :], word, words[at + 1 : end])


def _found(kind: str, use: _Use, place: Word | None = None) -> Found:
    """Something to be said of an option; ``place`` is the word to blame where that is not the option's own."""
    flag = use.word.text or ""
    setting = setting_of(use.word, flag, use.values[: _OWN.get(use.name, 1)], None)
    facts = {"kind": kind, "flag": flag, "value": (place or use.word).text, "name": use.name}
    return Found((place or use.word).span, setting, facts, *under(use.word.guard))


def _unprefixed(view: View) -> Iterator[Found]:
    known = view.options.release.options
    for use in _uses(view.options.launch.words, "--"):
        name = f"--{use.name}"
        if use.name in _OWN and not any(string.startswith(name) for string in known):
            yield _found("prefix", use)


def _ports(view: View) -> Iterator[Found]:
    """Each ``--router-prefill URL PORT`` has a number for its port, or none."""
    for use in _uses(view.options.launch.words, _PREFIX):
        port = use.values[1].text if use.name == "prefill" and len(use.values) > 1 else None
        if port is not None and port.lower() != "none" and not _is_number(port):
            yield _found("port", use, use.values[1])


def _is_number(text: str) -> bool:
    try:
        int(text)
    except ValueError:
        return False
    return True


def _mini(view: View, uses: dict[str, _Use]) -> Iterator[Found]:
    policy = uses.get("policy")
    if policy is not None and policy.text not in (None, "random"):
        yield _found("mini-policy", policy, policy.values[0])
    missing = [f"{_PREFIX}{name}" for name in ("pd-disaggregation", "prefill", "decode") if name not in uses]
    whole = view.options.open is None and all(word.text is not None for word in view.options.launch.words)
    if missing and whole:
        found = _found("mini", uses["mini-lb"])
        found.facts["missing"] = ", ".join(f"`{name}`" for name in missing)
        yield found


def _overwritten(view: View) -> Iterator[Found]:
    """Each server is told its own GPUs and to be the only replica, whatever is written."""
    gpus = view.setting("base_gpu_id")
    if gpus is not None and not isinstance(gpus, Unknown):
        facts: dict[str, object] = {"kind": "gpus", "flag": gpus.flag}
        yield Found(gpus.flag_span, gpus, facts, *under(gpus.guard))
    switch, count, width = view.setting("enable_dp_attention"), view.value("dp_size"), view.value("tp_size")
    if switch is None or isinstance(switch, Unknown) or not isinstance(count, int) or not isinstance(width, int):
        return
    # From 0.5.22 on the pair is rewritten before the servers are started.
    if count > 1 and view.in_release("<0.5.22"):
        facts = {"kind": "attention", "flag": switch.flag, "count": count, "width": width}
        yield Found(switch.flag_span, switch, facts, *under(switch.guard))
