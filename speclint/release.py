"""Which SGLang release a launch is judged by: what stands nearest to it decides."""

from __future__ import annotations

import os

from speclint import beside
from speclint.lean import NamedTuple, pattern, re
from speclint.worlds import default_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from speclint.launch import Launch
    from speclint.settings import Settings
    from speclint.sglang.images import Build
    from speclint.source import SourceFile

_NUMBER = r"v?(\d+\.\d+(?:\.\d+)*(?:\.?(?:post|rc|dev|a|b)\d+)*)"
# What begins with letters is found many times faster than what begins with a look at what stands before.
_PINNED = pattern(rf"sglang(?<![\w./-]sglang)\s*(?:\[[\w\s,.-]*\])?\s*===?\s*{_NUMBER}(?![\w.*])")
# Modal's images, and those of its likes.
_BUILT_ON = pattern(r"\bfrom_registry\(\s*[\"']([\w./:@-]*sglang[\w./:@-]*)[\"']")
# SGLang's own repository at the tag of a release.
_CLONED = pattern(
    rf"git[ \t]+clone[^\n]{{0,200}}[ \t](?:-b|--branch)[ \t=]+[\"']?{_NUMBER}[\"']?[ \t][^\n]{{0,200}}"
    r"sgl-project/sglang(?:\.git)?(?![\w./-])"
)
_TAGGED = pattern(rf"sgl-project/sglang(?:\.git)?(?:@|[ \t]+(?:-b|--branch)[ \t=]+){_NUMBER}(?![\w.*])")
# What is checked out of it then, before anything else is cloned.
_CLONE = pattern(r"git[ \t]+clone[^\n]{0,200}sgl-project/sglang(?:\.git)?(?![\w./-])")
_NEXT = pattern(r"git[ \t]+clone\b")
_CHECKED_OUT = pattern(
    r"git[ \t]+(?:-C[ \t]+\S+[ \t]+)?checkout[ \t]+(?:-\S+[ \t]+)*[\"']?(?:refs/)?(?:tags/)?"
    r"([^\s\"';&|)]+)(?![^\s\"';&|)])(?![ \t]+--[ \t])"
)
_TAG = pattern(_NUMBER)
_AHEAD = 600
# The least release that a file installs, and what ends it where it is text of its own.
_LEAST = pattern(rf"sglang(?<![\w./-]sglang)\s*(?:\[[\w\s,.-]*\])?\s*(?:>=?|~=)\s*{_NUMBER}(?![\w.*])")
_ENDS = pattern(r"(?:[ \t]*,[ \t]*[<>=!~]+[ \t]*[\w.*]+){0,4}[ \t]*[\"';]")
_COMMENT = pattern(rf"#[ \t]*speclint:[ \t]*sglang[ \t]*==[ \t]*{_NUMBER}(?![\w.*])")
_LOCKED = pattern(rf"^name = \"sglang\"\s*\nversion = \"{_NUMBER}\"", re.MULTILINE)
_LOCKS = ("uv.lock", "poetry.lock", "pdm.lock", "pylock.toml")
# Ignore what a lock file of this size could say: it is none that people write.
_MAX_LOCK = 16 * 1024 * 1024
_MAX_IMAGES = 1000


class Stated(NamedTuple):
    """A release and what named it.

    ``source``: "image", "install", "lock", "checkout", "comment", "configuration", "option" or "newest". ``until``:
    where it is a build between that release and a later one, the later one. ``accepts``: option strings that a checkout
    of SGLang takes, whatever these releases do.
    """

    version: str
    source: str
    until: str | None = None
    accepts: frozenset[str] = frozenset()


class Releases:
    """The releases that launches are judged by; what lies around a file is read once for all files."""

    def __init__(self) -> None:
        self._folders: dict[str, Stated | None] = {}
        self._real: dict[str, str] = {}
        self._images: dict[str, Build | None] = {}
        self._file: SourceFile | None = None
        self._installed: Stated | None = None
        self._comment: str | None = None
        self._around_counts: bool | None = None

    def of(self, launch: Launch, settings: Settings) -> Stated:
        """What names the release of a launch, in order of nearness: its image, the file, the project, the settings."""
        file = launch.file
        if file is not self._file:
            self._file = file
            self._around_counts = None
            self._installed = _installed(file.text)
            self._comment = _only(_COMMENT.findall(file.text)) if "speclint:" in file.text else None
        image = self._image(launch)
        if image is not None:
            return Stated(image.version, "image", image.until)
        if self._installed is not None and not _runs_latest(launch):
            return self._installed
        around = self._around(self._folder(file.path))
        if around is not None:
            if self._around_counts is None:
                self._around_counts = around.source != "lock" or not _needs_later(file.text, around.version)
            if self._around_counts:
                return around
        if self._comment is not None:
            return Stated(self._comment, "comment")
        if settings.sglang_version is not None:
            return Stated(settings.sglang_version, "configuration")
        if settings.fallback_version is not None:
            return Stated(settings.fallback_version, "option")
        from speclint.sglang.catalog import newest

        return Stated(newest(), "newest")

    def _image(self, launch: Launch) -> Build | None:
        image = launch.command.image
        text = default_text(image) if image is not None else None
        if text is None:
            return None
        if text not in self._images:
            from speclint.sglang.images import build

            if len(self._images) >= _MAX_IMAGES:
                self._images.clear()
            self._images[text] = build(text)
        return self._images[text]

    def _folder(self, path: str) -> str:
        """The folder that a file lies in, links followed: those on the way to it once for all that lie in it."""
        folder = os.path.dirname(path)
        if not path or os.path.islink(path):
            return os.path.dirname(os.path.realpath(path))
        if folder not in self._real:
            self._real[folder] = os.path.realpath(folder)
        return self._real[folder]

    def _around(self, folder: str) -> Stated | None:
        """What the project around a folder pins: its own files, then those above up to the root of the project."""
        if folder not in self._folders:
            try:
                names = set(os.listdir(folder))
            except OSError:
                names = set()
            pinned = _pinned(folder, names)
            found = _checkout(folder, names) if pinned is None else Stated(pinned, "lock")
            if found is None and folder != beside.root(folder, True):
                found = self._around(os.path.dirname(folder))
            self._folders[folder] = found
        return self._folders[folder]


def _runs_latest(launch: Launch) -> bool:
    """Whether a page starts the newest image itself: what else the page installs is not in it."""
    command = launch.command
    image = command.image
    text = default_text(image) if image is not None and command.host == "markdown" else None
    if image is None or text is None or "latest" not in text:
        return False
    from speclint.sglang.images import is_latest

    return is_latest(text) and text in command.span.text


def _checkout(folder: str, names: set[str]) -> Stated | None:
    """The releases between which SGLang's own repository lies, where a folder is its root."""
    from speclint.sglang import checkout

    if not checkout.is_root(folder, names):
        return None
    taken = checkout.options(folder)
    version, until = checkout.between(taken)
    return Stated(version, "checkout", until, taken)


def _installed(text: str) -> Stated | None:
    """What a file installs, or builds on: a release, or a development build, which lies between two."""
    pins = _pins(text)
    release = _only(_releases(pins))
    if release is None and "from_registry" in text:
        from speclint.sglang import images

        image = _only(_BUILT_ON.findall(text))
        on = images.build(image) if image is not None else None
        if on is not None:
            return Stated(on.version, "image", on.until)
    if release is not None or "dev" not in text:
        return Stated(release, "install") if release is not None else None
    from speclint.sglang.images import developed

    build = _only(pins)
    found = developed(build) if build is not None else None
    return Stated(found.version, "install", found.until) if found is not None else None


def _releases(pins: Iterable[str]) -> list[str]:
    return [version for version in pins if "dev" not in version]


def _pins(text: str) -> list[str]:
    """The releases and development builds that a file pins outside its comments."""
    found: list[str] = []
    for hint, expression in (("==", _PINNED), ("sgl-project/sglang", _CLONED), ("sgl-project/sglang", _TAGGED)):
        for match in expression.finditer(text) if hint in text else ():
            if "#" not in _before(text, match.start()):
                found.append(match[1])
    return [*found, *_checked_out(text)]


def _before(text: str, at: int) -> str:
    """What stands before a place on its line."""
    return text[text.rfind("\n", 0, at) + 1 : at]


def _checked_out(text: str) -> Iterator[str]:
    """The tags that a file checks out of SGLang's repository where it clones it, and nothing else there."""
    for clone in _CLONE.finditer(text) if "checkout" in text else ():
        other = _NEXT.search(text, clone.end(), clone.end() + _AHEAD)
        end = other.start() if other is not None else clone.end() + _AHEAD
        found = [m for m in _CHECKED_OUT.finditer(text, clone.end(), end) if "#" not in _before(text, m.start())]
        tag = _TAG.fullmatch(found[0][1]) if len(found) == 1 and "#" not in _before(text, clone.start()) else None
        if tag is not None:
            yield tag[1]


def _needs_later(text: str, version: str) -> bool:
    """Whether what a file installs is later than a release, which is none that it runs then."""
    if ">" not in text and "~=" not in text:
        return False
    from speclint.sglang.versions import parse

    least = [parse(match[1]) for match in _LEAST.finditer(text) if _is_installed(text, match)]
    return bool(least) and parse(version) < min(least)


def _is_installed(text: str, match: re.Match[str]) -> bool:
    """Whether a package with a bound is one of what is installed, rather than of what is told."""
    before = _before(text, match.start())
    whole = before[-1:] in ("'", '"') and _ENDS.match(text, match.end()) is not None
    return "#" not in before and (whole or "pip" in before)


def _pinned(folder: str, names: set[str]) -> str | None:
    """What the lock and requirements files of a folder agree on."""
    for name in _LOCKS:
        if name in names:
            return _only(_LOCKED.findall(_read(os.path.join(folder, name))))
    requirements = sorted(name for name in names if name.startswith("requirements") and name.endswith(".txt"))
    found = [version for name in requirements for version in _releases(_pins(_read(os.path.join(folder, name))))]
    if not found and "pyproject.toml" in names:
        found = _releases(_pins(_read(os.path.join(folder, "pyproject.toml"))))
    return _only(found)


def _read(path: str) -> str:
    try:
        with open(path, "rb") as stream:
            return stream.read(_MAX_LOCK).decode("utf-8", "replace")
    except OSError:
        return ""


def _only(found: list[str]) -> str | None:
    """The one thing that is said, None where nothing or several things are."""
    return found[0] if found and all(version == found[0] for version in found) else None
