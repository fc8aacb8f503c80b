"""Images that bring a server of SGLang as their entry point: what such a container is given are options."""

from __future__ import annotations

from speclint.lean import pattern
from speclint.text import Mapped
from speclint.value import Known
from speclint.words import Word, many

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from speclint.text import Span
    from speclint.value import Value

# Images that bring a server of SGLang as their entry point, and those with the name that bring something else.
_SERVER = pattern(r"(?:^|/)[\w.-]*sglang[\w.-]*(?:/[\w.-]+)*(?=[:@]|$)")
_OTHER = pattern(r"rout|gateway|sidecar|frontend|operator|exporter|proxy|jax|bench|/smg")
_PLAIN = pattern(r"(?:[\w.:-]+/)*lmsysorg/sglang(?::.*)?")
_IMAGE_NAMES = (
    ("image",), ("base", "image"), ("image", "name"), ("image", "uri"), ("container", "image"), ("docker", "image"),
    ("runtime", "image"), ("container",),
)  # fmt: skip
# The keys under which files of settings name an image, the usual ones first.
IMAGE_KEYS = tuple(
    dict.fromkeys(
        spelled
        for first, *rest in _IMAGE_NAMES
        for spelled in (
            "_".join((first, *rest)),
            "-".join((first, *rest)),
            first + "".join(map(str.capitalize, rest)),
            first.capitalize() + "".join(map(str.capitalize, rest)),
        )
    )
)
_OPTION = pattern(r"--(?:model-path|model|tp|tp-size|tensor-parallel-size|mem-fraction-static)(?:=|$)")


def is_server_image(name: str) -> bool:
    """Whether an image of this name brings a server of SGLang."""
    return bool(_SERVER.search(name)) and not _OTHER.search(name)


def with_launcher(words: Sequence[Word], image: Value | None, place: Span | None) -> list[Word]:
    """The words with the launcher before them that the image has as its entry point, told to stand at ``place``.

    The words themselves where they are no options of a server, or the image is another's or not known.
    """
    found = list(words)
    if not isinstance(image, Known) or not found or not found[0].prefix.startswith("--"):
        return found
    if not is_server_image(image.text.text) or not any(_OPTION.match(word.prefix) for word in found):
        return found
    head = [Word(Known(Mapped.new(text, place)), place) for text in ("python3", "-m", "sglang.launch_server")]
    return [*head, *found]


def by_name(words: Sequence[Word], name: str, place: Span | None) -> list[Word]:
    """The same for a container of which only the name is told here; elsewhere may stand more of its command."""
    found = with_launcher(words, Known(Mapped.new(name)), place)
    if len(found) > len(words):
        found.append(many("another file tells the rest of the container", place))
    return found


def by_entry_point(words: Sequence[Word], image: Value | None, place: Span | None) -> list[Word]:
    """The same, open where the image is somebody's own: its entry point may add options, ``--host`` mostly."""
    found = with_launcher(words, image, place)
    if len(found) > len(words) and isinstance(image, Known) and not _PLAIN.fullmatch(image.text.text):
        found.append(many("the entry point of the image may add options", place))
    return found
