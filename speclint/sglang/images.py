"""What a container image says about the SGLang release inside.

Read from ``data/builds.tsv``, which ``tools/builds.py`` writes: the day on which each release was uploaded, and the
release that each Dynamo release is built with. The file is opened only for images that need it.
"""

from __future__ import annotations

import os.path

from speclint.lean import NamedTuple, pattern, re
from speclint.sglang import versions

# An own build ("team-sglang", "sglang-rocm") is still SGLang; these words say that the number in the tag is another
# product's ("sglang-router:0.2.2" is a router's, "sglang-runtime:0.6.1" a Dynamo release).
_OTHER_PRODUCT = frozenset(
    ("runtime", "router", "gateway", "dynamo", "jax", "model", "kernel", "simulator", "bench", "client", "operator",
     "exporter", "diffusion", "chart", "ui", "omni", "agent", "proxy", "vllm", "aibrix", "plugin")
)  # fmt: skip
_DYNAMO = "ai-dynamo/sglang-runtime"
_NUMBER = pattern(r"v?(\d\.\d+\.\d+(?:\.post\d+|-?rc\.?\d+)?)(?=$|[-_+])(.*)", re.IGNORECASE)
# A file that an image is packed in: "lmsysorg+sglang+v0.5.5.sqsh", "sglang_v0.5.5-cu126.sif".
_PACKED = pattern(
    r"(?:.*/)?([\w.+-]*sglang[\w.+-]*?)[-_+](v?\d+\.\d+\.\d[\w.+-]*?)\.(?:sqsh|sqfs|squashfs|sif|simg)", re.IGNORECASE
)
_FILES = (".sqsh", ".sqfs", ".squashfs", ".sif", ".simg")
_MAX_NAME = 255
_CANDIDATE = pattern(r"-?rc\.?")
_DYNAMO_TAG = pattern(r"v?(\d+\.\d+)\.\d+(?:\.post\d+)?(?:-cuda\d+)?(?:-(?:amd64|arm64))?")
_DAY = pattern(r"(?:^|[-_.+])(20\d\d)([01]\d)([0-3]\d)(?=$|[-_.])")
# What makes a nightly build: newer than the release it names, if it names one, by some changes.
_NIGHTLY = pattern(
    r"(?:^|[-_.+])(?:dev\d*|nightly|main|snapshot|g?(?=[a-f]*\d)(?=\d*[a-f])[0-9a-f]{7,40})(?=$|[-_.])", re.IGNORECASE
)
_DEVELOPMENT = pattern(r"[._-]?dev\d*(?:\+.*)?$")
# A release is cut from a branch some days before it is uploaded; what is merged meanwhile waits for the next one.
_CUT_DAYS = 14


class Build(NamedTuple):
    """The release in an image; ``until`` where it is a build between that release and a later one."""

    version: str
    until: str | None = None


def build(image: str) -> Build | None:
    """What an image reference says, None where it does not tell: ``latest``, a bare digest, another product.

    ``lmsysorg/sglang:v0.5.5-cu126`` and the same repository mirrored elsewhere name a release. Nightly and dated builds
    lie between two.
    """
    name = image.strip().split("@", 1)[0].replace("#", "/")  # enroot has it behind a registry
    packed = _PACKED.fullmatch(name) if name.lower().endswith(_FILES) and len(name) < _MAX_NAME else None
    if packed is not None:
        name = f"{packed[1].replace('+', '/')}:{packed[2]}"
    repository, colon, tag = name.rpartition(":")
    if not colon or "/" in tag:
        return None
    if repository.endswith(_DYNAMO):
        return _of_dynamo(tag)
    last = repository.rsplit("/", 1)[-1].lower()
    words = [word for word in last.replace("_", "-").replace(".", "-").split("-") if word]
    named = "sglang" in words or words == ["sgl", "dev"] or tag.startswith("sglang-")
    if not named or not _OTHER_PRODUCT.isdisjoint(words):
        return None
    numbered = _NUMBER.fullmatch(tag.removeprefix("sglang-"))
    rest = numbered[2] if numbered else tag
    day = _DAY.search(rest)
    nightly = day is not None or _NIGHTLY.search(rest) is not None
    if numbered is not None:
        version = _CANDIDATE.sub("rc", numbered[1].lower())
        return _between(version, "-".join(day.groups()) if day else None) if nightly else Build(version)
    return _between(None, "-".join(day.groups())) if day is not None and nightly else None


def is_latest(image: str) -> bool:
    """Whether an image is the newest one of SGLang's own, whatever it has inside."""
    repository, _, tag = image.strip().partition(":")
    return repository.endswith("lmsysorg/sglang") and (not tag or tag.startswith("latest"))


def developed(version: str) -> Build | None:
    """Between which releases a development build such as ``0.5.6.post2.dev8005`` lies; None before the first one.

    The number before ``dev`` is the release it comes after, or the one that was to be next: both are counted in use.
    """
    base = _DEVELOPMENT.sub("", version.lower())
    key, end = versions.parse(version), versions.parse(base)
    uploads = [name for name, _ in _rows("sglang")]
    before = [name for name in uploads if versions.parse(name) < key]
    if not before:
        return None
    last = next((name for name in reversed(uploads) if versions.parse(name) <= end), before[-1])
    after = _between(last, None)
    return Build(before[-1], after.until if after is not None else None)


def _of_dynamo(tag: str) -> Build | None:
    """The release that a Dynamo release is built with; of one that is not listed, what its series has."""
    match = _DYNAMO_TAG.fullmatch(tag)
    if match is None:
        return None
    wanted = versions.parse(tag.lstrip("v").partition("-")[0])
    series = [(versions.parse(name), version) for name, version in _rows("dynamo") if name.startswith(match[1] + ".")]
    older = [version for key, version in series if key <= wanted]
    if older or series:
        return Build(older[-1] if older else series[0][1])
    return None


def _between(version: str | None, day: str | None) -> Build | None:
    """A build of a day, or of some day after a release."""
    uploads = _rows("sglang")
    if version is None:
        before = [name for name, uploaded in uploads if uploaded <= (day or "")]
        if not before:
            return None
        version = before[-1]
    key = versions.parse(version)
    day = day or next((uploaded for name, uploaded in uploads if name == version), "")
    later = [(name, uploaded) for name, uploaded in uploads if versions.parse(name) > key]
    if not later:
        return Build(version)
    border = _days_after(day, _CUT_DAYS)
    return Build(version, next((name for name, uploaded in later if uploaded >= border), later[-1][0]))


def _days_after(day: str, days: int) -> str:
    import datetime

    try:
        return (datetime.date.fromisoformat(day) + datetime.timedelta(days)).isoformat()
    except ValueError:
        return day


def _rows(product: str) -> list[tuple[str, str]]:
    """(release, what is told of it), oldest first."""
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "data", "builds.tsv")
    with open(path, encoding="utf-8") as file:
        rows = [line.rstrip("\n").split("\t") for line in file if not line.startswith("#")]
    return [(name, told) for kind, name, told in rows if kind == product]
