"""Builds of SGLang that are no release: another repository's, a branch's or a pull request's.

What such a build takes besides or no longer cannot be told from any release.
"""

from __future__ import annotations

from speclint.lean import pattern, re
from speclint.sglang import catalog, images
from speclint.value import Known
from speclint.worlds import default_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from speclint.launch import Launch
    from speclint.source import SourceFile

_HOST = r"github\.com[/:]"
_END = r"(?:\.git)?(?![\w./-])"
_GETS = r"(?:git[ \t]+clone|git\+|pip[ \t]+install)"
# Each with a text without which there is none.
_OTHERS = tuple(
    (hint, pattern(text))
    for hint, text in (
        # Another owner's repository; a name that the reader fills in is none.
        (
            "github.com",
            rf"{_GETS}[^\n]{{0,200}}{_HOST}(?!sgl-project/|YOUR|your|my-|MY|USER|user)[\w.-]+/sglang{_END}",
        ),
        # A branch or a commit of SGLang's own, behind the address or before it.
        ("sgl-project/sglang", r"git\+[^\n]{0,200}sgl-project/sglang(?:\.git)?@(?!v?\d+\.\d)[\w$]"),
        (
            "sgl-project/sglang",
            r"git[ \t]+clone[^\n]{0,200}[ \t](?:-b|--branch)[ \t=]+(?![\"']?v?\d+\.\d|main\b|\$|<)"
            rf"[^\s\n]+[^\n]{{0,200}}sgl-project/sglang{_END}",
        ),
        ("/head", r"sgl-project/sglang[^\n]{0,200}\bpull/\d+/head"),
        ("/head", r"git(?<!\wgit)[ \t]+fetch[^\n]{0,200}[ \t]pull/\d+/head"),
        # A wheel of a pull request, and a package that brings a module of the same name.
        ("+pr", r"sglang(?<!\wsglang)\s*(?:\[[\w\s,.-]*\])?===?[\w.]+\+pr\b"),
        ("sglang-kt", r"pip(?<!\wpip)[ \t]+install[^\n]{0,200}[ \t]sglang-kt\b"),
    )
)
# A patch of SGLang's, or a script that applies one.
_PATCHED = pattern(r"sglang(?<![\w-]sglang)[\w./-]{0,100}\.patch\b|sglang(?<=apply[_-]sglang)[\w-]{0,100}[_-]patch\b")
# SGLang from the index of packages: a release, whatever the image that it is put into.
_RELEASE = pattern(
    r"^(?![ \t]*#)[^\n]{0,400}install\b[^\n]{0,400}[\s\"']sglang(?:\[[\w\s,-]*\])?(?:[=<>~!]=|[\s\"']|\Z)", re.MULTILINE
)
_last: tuple[SourceFile, bool] | None = None
# The text that was asked about last, and whether it tells of a patch.
_asked: tuple[str, bool] = ("", False)


def is_used(launch: Launch) -> bool:
    """Whether the file of a launch installs such a build, and the launch runs in no image that has a release, or in one
    in which it was installed before.

    A launch with an option of KTransformers that no release has ever had runs its build, which has more of them.
    """
    global _last
    if launch.command.image is not None:
        return any(map(is_installed, launch.command.before()))
    for word in launch.words:
        value = word.value
        begin = value.text.text if isinstance(value, Known) else word.prefix
        if begin[:5] == "--kt-" and catalog.history(begin.partition("=")[0]) is None:
            return True
    if _last is None or _last[0] is not launch.file:
        _last = (launch.file, is_installed(launch.file.text))
    return _last[1]


def is_own(launch: Launch) -> bool:
    """Whether a launch runs in an image that somebody built, of whatever: no release, and not the newest of SGLang's;
    or its file tells of a patch that is applied.

    Unlike a build that a file installs, that may well be a release: only what no release has ever had is left alone.
    Of an image that is built here it is told what is installed.
    """
    text = launch.file.text
    if is_patched(text):
        return True
    if launch.command.host == "dockerfile" and _RELEASE.search(text) is not None and not is_installed(text):
        return False
    image = launch.command.image
    name = default_text(image) if image is not None else None
    return name is not None and not images.is_latest(name) and images.build(name) is None


def is_patched(text: str) -> bool:
    """Whether a text tells of a patch for SGLang."""
    global _asked
    if _asked[0] is not text:  # every launch of a file asks
        _asked = (text, "patch" in text and _PATCHED.search(text) is not None)
    return _asked[1]


def is_installed(text: str) -> bool:
    """Whether a text installs such a build."""
    return any(hint in text and one.search(text) is not None for hint, one in _OTHERS)
