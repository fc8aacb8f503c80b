"""The release that a document tells its readers to run: the images that it has them pull or start.

A page that has a container started, and shows what to run in it further on, speaks of the release in that image. Where
it also leads to the newest release, or names images of several, a launch may run in any of these.
"""

from __future__ import annotations

from speclint.lean import pattern
from speclint.sglang import images, versions

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from speclint.sglang.images import Build

_IMAGE = pattern(r"sglang[\w.-]{0,60}:(?=[A-Za-z\d])[\w.+-]{1,100}")
_REPOSITORY = pattern(r"[\w.:/-]{0,100}\Z")
_LONGEST = 100
# SGLang from the index of packages or from its repository, whatever is newest.
_NEWEST = (
    ("install", pattern(r"\binstall\b[^\n]{0,200}[\s\"']sglang(?:\[[\w\s,-]{0,60}\])?(?=[\s\"'\\>~!;]|\Z)")),
    ("sgl-project/sglang", pattern(r"git[ \t]+clone[^\n]{0,200}sgl-project/sglang(?:\.git)?(?![\w./-])")),
)
# What an image is for, where its release need not be that of the others.
_OTHER_DEVICES = pattern(r"rocm|mi\d|cann|npu|xpu|gaudi|musa|910b|cpu")
# Nobody names more.
_MOST = 64


def named(text: str) -> list[Build]:
    """The builds between which a launch of a document lies, none where it names no image of a release."""
    if "sglang" not in text or ":" not in text:
        return []
    found: list[Build] = []
    others = newest = False
    for image in _images(text):
        build = images.build(image)
        if build is not None:
            found.append(build)
            others = others or _OTHER_DEVICES.search(image) is not None
        elif "/" in image:
            newest = True
    if found and (newest or others or any(hint in text and one.search(text) is not None for hint, one in _NEWEST)):
        from speclint.sglang.catalog import newest as last

        oldest = min(found, key=lambda build: versions.parse(build.version))
        return [oldest, images.Build(last())]
    return found


def _images(text: str) -> Iterator[str]:
    """Whatever looks like an image of SGLang."""
    for count, match in enumerate(_IMAGE.finditer(text)):
        if count == _MOST:
            return
        before = _REPOSITORY.search(text, max(0, match.start() - _LONGEST), match.start())
        yield (before[0] if before is not None else "") + match[0].rstrip(".")
