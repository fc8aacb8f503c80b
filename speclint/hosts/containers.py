"""Names that a file gives to images and containers, for those that a command calls by such a name.

``docker run --name srv IMAGE`` and ``docker exec srv``, ``docker tag``, ``docker build - <<FILE``, ``enroot import``,
``apptainer build``; and the image of a whole job (``#SBATCH --container-image``). They are looked for in the text of
the file, whatever stands around them; a name that is given to several images tells nothing.
"""

from __future__ import annotations

from speclint.hosts import docker_run
from speclint.lean import pattern, re
from speclint.text import Mapped, Span
from speclint.value import Known
from speclint.words import Word

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from speclint.source import SourceFile
    from speclint.value import Value

_PROGRAM = pattern(
    r"(?:docker|podman|nerdctl|enroot|apptainer|singularity)[ \t]+(?:container[ \t]+|image[ \t]+)?"
    r"(?P<verb>run|create|tag|build|import|pull)\b(?P<rest>(?:\\\r?\n|[^\n;|&])*)"
)
_HOLDS = pattern(r"--name\b|(?:tag|build|import|pull)[ \t]|\$\([ \t]*(?:sudo|docker|podman|nerdctl)[ \t]")
_TAG = pattern(r"[ \t](?:-t|--tag)[ \t=]+[\"']?(?P<name>[^\s\"']+)")
_TOKEN = pattern(r"(?:\"[^\"]*\"|'[^']*'|\\.|[^\s\"'\\])+")
_TAKEN = pattern(r"(?<!\w)(\w+)=[\"']?\$\([ \t]*(?:sudo[ \t]+)?\Z")
_FROM = pattern(r"^[ \t]*FROM[ \t]+(?:--\S+[ \t]+)*(?P<image>\S+)", re.MULTILINE | re.IGNORECASE)
_HEREDOC = pattern(r"<<-?[ \t]*[\"']?(?P<mark>\w+)[\"']?")
_ASSIGNED = r"(?<![\w${{-]){name}=[\"']?(?:\$\{{{name}:?[-=])?(?P<value>[^\s\"'$}}]*)"
_JOB = pattern(r"^#SBATCH[ \t]+--container-image[= \t][\"']?(?P<image>[^\s\"'$]+)", re.MULTILINE)
_REGISTRY = "docker://"
# Nobody writes so many of them, nor so long ones.
_MOST, _MOST_VARIABLES, _LONGEST, _DEPTH = 200, 16, 5000, 4
_last: tuple[SourceFile, dict[str, set[tuple[int, int]]]] | None = None


def started(container: Word) -> Known | None:
    """The image of the container that a word names."""
    place = container.span
    if place is None:
        return None
    return _named(place.file, {_plain(place.text), container.text or ""})


def since(image: Value, word: Word) -> tuple[str, ...]:
    """The text between an image that a container was started from and what is run in it later."""
    begin, end = image.text.place() if isinstance(image, Known) else None, word.span
    if begin is None or end is None or begin.file is not end.file:
        return ()
    return (end.file.text[max(begin.end, end.start - _LONGEST) : end.start],)


def called(image: Known, place: Span | None) -> Known | None:
    """The image that another one is called after, or was packed from."""
    file = place.file if place is not None else None
    return _named(file, {image.text.text}) if file is not None else None


def of_job(file: SourceFile) -> Known | None:
    """The image that a whole job runs in."""
    if "--container-image" not in file.text or "#SBATCH" not in file.text:
        return None
    found = [match.span("image") for match in _JOB.finditer(file.text)]
    return Known(Mapped.of(file, *found[0])) if len(found) == 1 else None


def _named(file: SourceFile, names: set[str]) -> Known | None:
    global _last
    if _last is None or _last[0] is not file:
        _last = (file, _names(file))
    known = _last[1]
    at: tuple[int, int] | None = None
    for _ in range(_DEPTH):
        places = {place for name in names for place in known.get(_file_name(name), ()) if name}
        if len({file.text[slice(*place)] for place in places}) != 1:
            break
        at = min(places)
        names = {file.text[slice(*at)]}
    return Known(Mapped.of(file, *at)) if at is not None else None


def _names(file: SourceFile) -> dict[str, set[tuple[int, int]]]:
    """Each name with the places of the images that it is given to."""
    found: dict[str, set[tuple[int, int]]] = {}
    variables: dict[str, tuple[int, int] | None] = {}
    text = file.text
    if _HOLDS.search(text) is None:
        return found
    for count, match in enumerate(_PROGRAM.finditer(text)):
        if count == _MOST:
            break
        start, end = match.span("rest")
        if end - start > _LONGEST or "#" in text[text.rfind("\n", 0, match.start()) + 1 : match.start()]:
            continue
        tokens = [_word(file, *token.span()) for token in _TOKEN.finditer(text, start, end) if token.group() != "\\\n"]
        for name, place in _given(file, match, tokens):
            found.setdefault(_file_name(name), set()).add(_assigned(file, place, variables))
    return found


def _word(file: SourceFile, start: int, end: int) -> Word:
    """A word as it is written, without its quotes."""
    while end - start > 1 and file.text[start] == file.text[end - 1] and file.text[start] in "\"'":
        start, end = start + 1, end - 1
    return Word(Known(Mapped.of(file, start, end)), Span(file, start, end))


def _given(file: SourceFile, match: re.Match[str], words: list[Word]) -> Iterator[tuple[str, Span]]:
    """The names that a command gives, each with the place of the image."""
    verb = match["verb"]
    options, after = docker_run.options(words, 0)
    spans = [word.span for word in words if word.span is not None]
    if verb in ("run", "create") and after < len(spans):
        for option in options:
            if option.name == "--name" and isinstance(option.value, Known):
                yield _plain(option.value.text.text), spans[after]
        taken = _TAKEN.search(file.text, max(match.start() - 100, 0), match.start())
        if taken is not None:
            yield f"${taken[1]}", spans[after]
    elif verb == "tag" and len(spans) > 1:
        yield _plain(spans[1].text), spans[0]
    elif verb == "build" and spans and "<<" in match["rest"]:
        image, tag = _built_from(file, match), _TAG.search(match["rest"])
        if image is not None and tag is not None:
            yield _plain(tag["name"]), image
    else:
        packed = [span for span in spans if span.text.startswith(_REGISTRY)]
        files = [span for span in spans if span.text.endswith((".sqsh", ".sqfs", ".sif", ".simg"))]
        if len(packed) == len(files) == 1:
            yield _plain(files[0].text), Span(file, packed[0].start + len(_REGISTRY), packed[0].end)


def _built_from(file: SourceFile, match: re.Match[str]) -> Span | None:
    """The image of the last stage of a Dockerfile that follows a command."""
    heredoc = _HEREDOC.search(file.text, *match.span("rest"))
    if heredoc is None:
        return None
    end = file.text.find(f"\n{heredoc['mark']}", match.end(), match.end() + _LONGEST)
    found = [stage.span("image") for stage in _FROM.finditer(file.text, match.end(), max(end, match.end()))]
    return Span(file, *found[-1]) if found else None


def _assigned(file: SourceFile, place: Span, known: dict[str, tuple[int, int] | None]) -> tuple[int, int]:
    """The place of an image, or of what the variable is given that it is; ``known``: the variables looked up so far."""
    name = _plain(place.text)[1:]
    if not place.text.strip("\"'").startswith("$") or not name.isidentifier():
        return place.start, place.end
    if name not in known and len(known) < _MOST_VARIABLES:
        found = [match.span("value") for match in re.finditer(_ASSIGNED.format(name=name), file.text)]
        known[name] = found[0] if len(found) == 1 else None
    return known.get(name) or (place.start, place.end)


def _plain(name: str) -> str:
    """A name, or a variable in the shortest way to write it."""
    name = name.strip("\"'")
    return f"${name[2:-1]}" if name.startswith("${") and name.endswith("}") else name


def _file_name(name: str) -> str:
    return name.removeprefix("./")
