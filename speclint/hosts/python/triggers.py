"""Where a module may start a server, told from its text alone.

A tree of Python files is mostly read for this. One expression of all that is looked for takes 180 ns a character,
since it tries each of its branches at each of them; a search for a word takes 0.2. So every part here begins with a
word, or with a character that is rare.
"""

from __future__ import annotations

from speclint.lean import pattern

_WORDS = (
    "launch_server",
    "launch_pd_server",
    "bench_one_batch",
    "bench_offline_throughput",
    "compile_deep_gemm",
    "dynamo.sglang",
    "--sglang-",
    "SRTRunner(",
)
_CLASSES = ("Engine", "ServerArgs", "Runtime")
_CALLS = tuple(pattern(rf"{name}(?:\s*\(|\s+as\b)") for name in _CLASSES)
_SERVE = pattern(r"sglang\s+serve\b")
# A class that is not called there but handed on.
_ASSIGNED = pattern(rf"[=(]\s*[\w.]+\.(?:{'|'.join(_CLASSES)})\b")
_SERVE_WORD = pattern(r"[\"']serve[\"']")
# Options that only SGLang has.
_OPTIONS = (
    r"(?:mem[-_]fraction[-_]static|chunked[-_]prefill[-_]size|(?:tp|dp|ep|page)[-_]size|moe[-_]\w+[-_]backend"
    r"|speculative[-_](?:algo\w*|num[-_][\w-]+|eagle[-_]topk|draft[-_]model[-_]path)|(?:prefill|decode|sampling|grammar)"
    r"[-_]backend|(?:prefill[-_]|decode[-_])?attention[-_]backend|max[-_]running[-_]requests|cuda[-_]graph[-_]\w[\w-]*"
    r"|disable[-_](?:radix[-_]cache|cuda[-_]graph|overlap[-_]schedule)|enable[-_]dp[-_]attention|disaggregation[-_]\w[\w-]*)"
)
# As an item of a list, as a key of a dictionary, as what is set in one. What only asks for one is no launch: most of
# SGLang's own modules do, and following them takes half a second each.
_QUOTED = pattern(rf"[\"'](?:--{_OPTIONS}[\"'=]|(?:--)?{_OPTIONS}[\"'](?=\s*(?::|\]\s*=[^=])))")
_DECLARED = pattern(r"add_argument\(\s*$|:\s*Literal\[\s*$")
# So far back may stand what a class is assigned to.
_BEFORE = 200


def places(text: str) -> list[int]:
    """The offsets, in order; a module without any starts no server."""
    found: set[int] = set()
    for word in _WORDS:
        found.update(_all(text, word))
    if "sglang" in text:
        found.update(match.start() for match in _SERVE.finditer(text))
    for name, call in zip(_CLASSES, _CALLS, strict=True):
        if name in text:
            calls = (match.start() for match in call.finditer(text))
            found.update(at for at in calls if not (at and text[at - 1].isidentifier()))
            for at in _all(text, f".{name}"):
                match = _ASSIGNED.search(text, max(at - _BEFORE, 0), at + len(name) + 2)
                if match is not None:
                    found.add(match.start())
    found.update(match.start() for match in _SERVE_WORD.finditer(text))
    for match in _QUOTED.finditer(text):
        if _DECLARED.search(text, max(match.start() - _BEFORE, 0), match.start()) is None:
            found.add(match.start())
    return sorted(found)


def _all(text: str, word: str) -> list[int]:
    found = []
    at = text.find(word)
    while at >= 0:
        found.append(at)
        at = text.find(word, at + 1)
    return found
