"""The releases of SGLang that text installs: ``pip install sglang==…``, a checkout of its repository at a tag.

A number may be written elsewhere in the file, in a variable. Where that is given several, it is not known.
"""

from __future__ import annotations

from speclint.lean import pattern, re

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

_DIGITS = r"\d+\.\d+(?:\.\d+)*(?:\.?(?:post|rc|dev|a|b)\d+)*"
NUMBER = rf"v?({_DIGITS})"
# A variable of a shell, of make, of just or of Python's f-strings, with the default that a shell has for it.
_VARIABLE = (
    r"(?:\$?\{{1,2}[ \t]*(?:env\.)?|\$\(?)(?P<name>[A-Za-z_]\w*)(?::?[-=]v?(?P<default>\d[\w.]*)|#v)?"
    r"(?<!\$)[ \t]*[)}]{0,2}(?![\w.*])"
)
_VERSION = rf"(?:v?(?P<number>{_DIGITS})(?![\w.*])|{_VARIABLE}|\ufffc|\$[({{]?\d)"
_EXTRAS = r"sglang(?<![\w./-]sglang)\s*(?:\[[\w\s,.-]*\])?\s*"
# What begins with letters is found many times faster than what begins with a look at what stands before.
_PINNED = pattern(rf"{_EXTRAS}===?\s*{_VERSION}")
# SGLang's own repository at the tag of a release.
_CLONED = pattern(
    rf"git[ \t]+clone[^\n]{{0,200}}[ \t](?:-b|--branch)[ \t=]+[\"']?{_VERSION}[\"']?[ \t][^\n]{{0,200}}"
    r"sgl-project/sglang(?:\.git)?(?![\w./-])"
)
_TAGGED = pattern(rf"sgl-project/sglang(?:\.git)?(?:@|[ \t]+(?:-b|--branch)[ \t=]+[\"']?){_VERSION}")
_CHECKED_OUT = pattern(
    rf"git(?:[ \t]+-C[ \t]+[\"']?(?P<folder>[^\s\"']+)[\"']?)?[ \t]+(?:checkout|switch)[ \t]+"
    rf"(?:-[\w-]+[ \t]+)*[\"']?(?:refs/)?(?:tags/)?{_VERSION}(?![\"']?[ \t]+--[ \t])"
)
# What is checked out of it after that, or what comes in between.
_AGAIN = pattern(
    r"git[ \t]+(?:-C[ \t]+\S+[ \t]+)?(?P<verb>clone|checkout|switch)\b|(?:cd|pushd|WORKDIR)(?<![\w./-]cd)[ \t]"
)
_CHANGED = pattern(r"(?:cd|pushd|WORKDIR)(?<![\w./-]cd)[ \t]+[\"']?(?P<folder>[^\s\"';&|)]+)")
_OWN_FOLDER = "/sgl-workspace/sglang"
_EXPRESSIONS = (("==", _PINNED), ("sgl-project/sglang", _CLONED), ("sgl-project/sglang", _TAGGED))
_RANGE = pattern(
    r"sglang(?<![\w./-]sglang)[ \t]*(?:\[[\w\s,.-]*\])?[ \t]*"
    r"((?:[<>~!]=|[<>])[ \t]*v?\d[\w.]*(?:[ \t]*,[ \t]*(?:[<>~!=]=|[<>])[ \t]*v?\d[\w.*]*)*)"
)
_INSTALLS = pattern(r"\b(?:pip|uv|install|add)\b")
_ASSIGNED = (
    r"(?<![\w${{.-]){name}[\"']?[ \t]*(?:(?:[:?]{{0,3}}=(?!=)|:[ \t])[ \t]*(?P<value>[^\s;]*)|\+=)"
    r"|\b(?:for|read)[ \t](?:[^\n;]{{0,200}}[ \t])?{name}\b"
)
_VALUE = pattern(rf"[\"']?(?:\$\{{\w+:?[-=])?[\"']?{NUMBER}\}}?[\"']?[,)\]}}]*")
# How far before a tag the folder is named that it is checked out in.
_NEAR = 2000
# Nobody writes down more.
_MOST = 64


def pins(text: str, scope: str | None = None) -> Iterator[str | None]:
    """The releases and development builds that text pins outside its comments, None for one that is not known.

    ``scope``: the text of the file, in which variables get their values.
    """
    names = _Names(text if scope is None else scope)
    for hint, expression in _EXPRESSIONS:
        for found in expression.finditer(text) if hint in text else ():
            if not _is_comment(text, found.start()):
                yield names.version(found)
    if "checkout" in text or "switch" in text:
        cloned = "sgl-project/sglang" in text
        for count, found in enumerate(_CHECKED_OUT.finditer(text)):
            if count == _MOST:
                return
            is_tag = not _is_comment(text, found.start()) and _is_sglang(found, text, cloned)
            if is_tag and not _is_left(found, text):
                yield names.version(found)


def bounded(text: str, every: bool = False) -> Iterator[str]:
    """The newest release in each range that text installs, where that is not the newest known one.

    ``every``: the text is a list of requirements; else a range has to stand in a command that installs.
    """
    # What has neither has no upper bound.
    for count, found in enumerate(_RANGE.finditer(text) if "<" in text or "~=" in text else ()):
        if count == _MOST:
            return
        start = text.rfind("\n", 0, found.start()) + 1
        while not every and text.endswith("\\\n", 0, start):
            start = text.rfind("\n", 0, start - 1) + 1
        before = text[start : found.start()]
        if "#" not in before and (every or _INSTALLS.search(before)):
            version = _newest(found[1])
            if version is not None:
                yield version


class _Names:
    """The variables of a file that may hold a release."""

    def __init__(self, scope: str) -> None:
        self.scope = scope
        self._given: dict[str, set[str | None]] = {}

    def version(self, found: re.Match[str]) -> str | None:
        """The release that a pin names, itself or by a variable."""
        name = found["name"]
        if name is None:
            version: str | None = found["number"]
            return version
        if name not in self._given:
            self._given[name] = set(self._look(name)) if len(self._given) < _MOST else {None}
        given = self._given[name]
        if not given:
            return found["default"]
        return next(iter(given)) if len(given) == 1 else None

    def _look(self, name: str) -> Iterator[str | None]:
        """What a variable is given anywhere."""
        for assigned in re.finditer(_ASSIGNED.format(name=name), self.scope):
            if not _is_comment(self.scope, assigned.start()):
                value = _VALUE.fullmatch(assigned["value"] or "")
                yield value[1] if value is not None else None


def _newest(spec: str) -> str | None:
    """What is installed for a range: its newest release, None where it is the newest that there is."""
    from speclint.sglang import catalog, versions

    releases = [version for version in catalog.known() if "rc" not in version]
    try:
        last = next((version for version in reversed(releases) if versions.satisfies(version, spec)), None)
    except ValueError:
        return None
    return None if last == releases[-1] else last


def _is_comment(text: str, at: int) -> bool:
    return text.find("#", text.rfind("\n", 0, at) + 1, at) >= 0


def _is_left(found: re.Match[str], text: str) -> bool:
    """Whether something that is no release is checked out in place of a tag."""
    then = _AGAIN.search(text, found.end(), found.end() + _NEAR)
    if then is None or then["verb"] not in ("checkout", "switch") or _is_comment(text, then.start()):
        return False
    return _CHECKED_OUT.match(text, then.start()) is None


def _is_sglang(found: re.Match[str], text: str, cloned: bool) -> bool:
    """Whether a tag is checked out in a folder of SGLang's repository; ``cloned``: the text names it."""
    folder = found["folder"]
    if folder is None:
        near = list(_CHANGED.finditer(text, max(found.start() - _NEAR, 0), found.start()))
        folder = near[-1]["folder"] if near else ""
    folder = folder.rstrip("/")
    if folder.endswith(_OWN_FOLDER):
        return True
    return folder.rpartition("/")[2] == "sglang" and cloned
