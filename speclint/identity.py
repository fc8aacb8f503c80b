"""What makes a finding the same one tomorrow: no line numbers, so that text that moves keeps it.

A finding is named by its rule, the file, the launch (how it is started, the object that holds it, its model), the
option and the value as they are written.
"""

from __future__ import annotations

from speclint.lean import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from speclint.finding import Finding
    from speclint.launch import Launch

_MODEL = ("--model-path", "--model", "model_path", "model")
_LONGEST = 200


class Identity(NamedTuple):
    """``file`` is the path as the caller names it; ``launch`` is empty for a finding on a file as a whole."""

    code: str
    file: str
    launch: str
    flag: str
    value: str


def of(finding: Finding, file: str) -> Identity:
    """The identity of a finding in a file that is named ``file``."""
    launch = finding.launch
    where = " ".join(filter(None, (name(launch), model(launch)))) if launch is not None else ""
    parts = [finding.span, *(span for text, span in finding.related if text == "value set here")]
    value = " = ".join(" ".join(span.text.split()) for span in parts)
    return Identity(finding.code, file, where, finding.flag or "", value[:_LONGEST])


def name(launch: Launch) -> str:
    """A launch for people: its entry point, and the object that holds it."""
    return f"{launch.entrypoint} ({launch.command.object})" if launch.command.object else launch.entrypoint


def model(launch: Launch) -> str:
    """The model that a launch names, as far as that is plain to see."""
    for keyword in launch.command.keywords or ():
        text = getattr(getattr(keyword.value, "text", None), "text", None)
        if keyword.name in _MODEL and text:
            return str(text)
    words = [word.text for word in launch.words]
    for index, word in enumerate(words):
        flag, mark, inline = (word or "").partition("=")
        if flag in _MODEL:
            return inline if mark else next(iter(words[index + 1 : index + 2]), None) or ""
    return ""


def fingerprints(findings: Iterable[tuple[Finding, str]]) -> Iterator[str]:
    """A hash for each finding of a run, given with the name of its file; equal ones are told apart by their order."""
    from hashlib import sha256

    seen: dict[Identity, int] = {}
    for finding, file in findings:
        identity = of(finding, file)
        number = seen[identity] = seen.get(identity, 0) + 1
        text = "\0".join((*identity, *([str(number)] if number > 1 else [])))
        yield sha256(text.encode("utf-8", "surrogateescape")).hexdigest()[:32]
