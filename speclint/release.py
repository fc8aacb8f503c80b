"""Which SGLang release a launch is judged by: what stands nearest to it decides."""

from __future__ import annotations

import os

from speclint import beside, pins
from speclint.lean import NamedTuple, pattern, re
from speclint.value import Joined
from speclint.worlds import default_text, default_texts

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from speclint.copied import Dockerfiles
    from speclint.launch import Launch
    from speclint.settings import Settings
    from speclint.sglang.images import Build
    from speclint.source import SourceFile
    from speclint.value import Value
    from speclint.words import Command

# The least release that a file installs, and what ends it where it is text of its own.
_LEAST = pattern(rf"sglang(?<![\w./-]sglang)\s*(?:\[[\w\s,.-]*\])?\s*(?:>=?|~=)\s*{pins.NUMBER}(?![\w.*])")
_ENDS = pattern(r"(?:[ \t]*,[ \t]*[<>=!~]+[ \t]*[\w.*]+){0,4}[ \t]*[\"';]")
_COMMENT = pattern(rf"#[ \t]*speclint:[ \t]*sglang[ \t]*==[ \t]*{pins.NUMBER}(?![\w.*])")
_LOCKED = pattern(rf"^name = \"sglang\"\s*\nversion = \"{pins.NUMBER}\"", re.MULTILINE)
_LOCKS = ("uv.lock", "poetry.lock", "pdm.lock", "pylock.toml")
# Ignore what a lock file of this size could say: it is none that people write.
_MAX_LOCK = 16 * 1024 * 1024
_MAX_IMAGES = 1000
_SCRIPTS = ("shell", "python")
_DOCUMENTS = ("markdown", "rst", "asciidoc", "notebook", "text")


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


_UNREAD = Stated("", "")


class Releases:
    """The releases that launches are judged by; what lies around a file is read once for all files."""

    def __init__(self) -> None:
        self._folders: dict[str, Stated | None] = {}
        self._real: dict[str, str] = {}
        self._images: dict[str, Build | None] = {}
        self._file: SourceFile | None = None
        self._installed: Stated | None = None
        self._dockerfiles: Dockerfiles | None = None
        self._run_in: list[Command] | None = None  # what Dockerfiles run that script by
        self._shown: Stated | None = None
        self._comment: str | None = None
        self._around_counts: bool | None = None

    def of(self, launch: Launch, settings: Settings) -> Stated:
        """What names the release of a launch, in order of nearness: its image, the file, the project, the settings."""
        file = launch.file
        if file is not self._file:
            self._file = file
            self._around_counts = None
            self._installed = _installed(file.text)
            self._run_in = None
            self._shown = _UNREAD
            self._comment = _only(_COMMENT.findall(file.text)) if "speclint:" in file.text else None
        built = self._built(launch.command)
        if built is not None:
            return built
        if self._installed is not None and not _runs_latest(launch):
            return self._installed
        run_in = self._copied(launch)
        if run_in is not None:
            return run_in
        around = self._around(self._folder(file.path))
        shown = self._shown_by(launch, around)
        if shown is not None:
            return shown
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

    def _shown_by(self, launch: Launch, around: Stated | None) -> Stated | None:
        """What the images have in them that a document names, for a launch in none of its own.

        A comment says it better, and pages of SGLang's own repository speak of what lies around them.
        """
        if launch.command.host not in _DOCUMENTS or launch.command.image is not None or self._comment is not None:
            return None
        if around is not None and around.source == "checkout":
            return None
        if self._shown is _UNREAD:
            from speclint import shown

            builds = shown.named(launch.file.text)
            self._shown = _between(((build.version, build.until or build.version) for build in builds), "image")
        return self._shown

    def _copied(self, launch: Launch) -> Stated | None:
        """What the images have in them that a script is copied into and run in."""
        if launch.command.host not in _SCRIPTS or launch.command.image is not None:
            return None
        if self._run_in is None:
            if self._dockerfiles is None:
                from speclint.copied import Dockerfiles

                self._dockerfiles = Dockerfiles()
            self._run_in = self._dockerfiles.running(launch.file, self._folder(launch.file.path))
        runs = self._run_in
        found = [stated for command in runs if (stated := self._built(command)) is not None]
        if len(found) < len(runs):
            return None
        return _between(((stated.version, stated.until or stated.version) for stated in found), "image")

    def _built(self, command: Command) -> Stated | None:
        """What the container of a command has in it: what was installed on top of its image, or the image's own.

        Where a branch chooses among images, it lies between the oldest and the newest of them.
        """
        if command.image is None:
            return None
        on_top = _on_top(command)
        if on_top:
            return _between((version, version) for version in on_top if version is not None and None not in on_top)
        found = [self._image(text) for text in _names(command.image)]
        known = [build for build in found if build is not None]
        if len(known) < len(found):
            return None
        return _between(((build.version, build.until or build.version) for build in known), "image")

    def _image(self, text: str) -> Build | None:
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


def _names(image: Value) -> set[str]:
    """The names that an image may have; of one whose registry is not known, what follows that: ``/sglang:v0.5.9``."""
    found = default_texts(image)
    if found is None and isinstance(image, Joined):
        last = max((at for at, part in enumerate(image.parts) if default_texts(part) is None), default=-1)
        ends = default_texts(Joined(image.parts[last + 1 :])) or ()
        found = {text[text.index("/") :] for text in ends if "/" in text}
        found = found if len(found) == len(ends) else None
    return found or set()


def _on_top(command: Command) -> list[str | None]:
    """The releases that are installed in a container before a command is run, None for one that is not known."""
    found = [version for text in command.before() for version in pins.pins(text, command.span.file.text)]
    return [version for version in found if version is None or "dev" not in version]


def _between(builds: Iterable[tuple[str, str]], source: str = "install") -> Stated | None:
    """The oldest and the newest of some builds, each of which lies between two releases."""
    from speclint.sglang.versions import parse

    found = list(builds)
    if not found:
        return None
    first = min((build[0] for build in found), key=parse)
    last = max((build[1] for build in found), key=parse)
    return Stated(first, source, last if last != first else None)


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
    pinned = list(pins.pins(text))
    found = [version for version in pinned if version is not None]
    releases = _releases(found)
    release = _only(releases if releases else list(pins.bounded(text)))
    if release is None and not pinned and "from_registry" in text:
        from speclint.built_on import named
        from speclint.sglang import images

        image = _only(named(text))
        on = images.build(image) if image is not None else None
        if on is not None:
            return Stated(on.version, "image", on.until)
    if release is not None or "dev" not in text:
        return Stated(release, "install") if release is not None else None
    from speclint.sglang.images import developed

    version = _only(found)
    build = developed(version) if version is not None else None
    return Stated(build.version, "install", build.until) if build is not None else None


def _releases(found: Iterable[str | None]) -> list[str]:
    return [version for version in found if version is not None and "dev" not in version]


def _needs_later(text: str, version: str) -> bool:
    """Whether what a file installs is later than a release, which is none that it runs then."""
    if ">" not in text and "~=" not in text:
        return False
    from speclint.sglang.versions import parse

    least = [parse(match[1]) for match in _LEAST.finditer(text) if _is_installed(text, match)]
    return bool(least) and parse(version) < min(least)


def _is_installed(text: str, match: re.Match[str]) -> bool:
    """Whether a package with a bound is one of what is installed, rather than of what is told."""
    before = text[text.rfind("\n", 0, match.start()) + 1 : match.start()]
    whole = before[-1:] in ("'", '"') and _ENDS.match(text, match.end()) is not None
    return "#" not in before and (whole or "pip" in before)


def _pinned(folder: str, names: set[str]) -> str | None:
    """What the lock and requirements files of a folder agree on."""
    for name in _LOCKS:
        if name in names:
            return _only(_LOCKED.findall(_read(os.path.join(folder, name))))
    requirements = [name for name in names if name.startswith("requirements") and name.endswith(".txt")]
    found = _required(_read(os.path.join(folder, name)) for name in requirements)
    if not found and "pyproject.toml" in names:
        found = _required([_read(os.path.join(folder, "pyproject.toml"))])
    return _only(found)


def _required(lists: Iterable[str]) -> list[str]:
    """The releases that lists of requirements name."""
    texts = list(lists)
    found = _releases(version for text in texts for version in pins.pins(text))
    return found or [version for text in texts for version in pins.bounded(text, every=True)]


def _read(path: str) -> str:
    try:
        with open(path, "rb") as stream:
            return stream.read(_MAX_LOCK).decode("utf-8", "replace")
    except OSError:
        return ""


def _only(found: list[str]) -> str | None:
    """The one thing that is said, None where nothing or several things are."""
    return found[0] if found and all(version == found[0] for version in found) else None
