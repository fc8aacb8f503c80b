"""Rules against what the real code of a release did with a launch, as a rule's evidence records it; without SGLang."""

from __future__ import annotations

from speclint.launch import Launch
from speclint.sglang import catalog, models
from speclint.sglang.options import Options
from speclint.sglang.resolve import View
from speclint.sglang.setting import Setting
from speclint.source import SourceFile
from speclint.text import Mapped, Span
from speclint.value import Known
from speclint.words import Command, Word

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping
    from typing import Any

    from speclint.rules.rule import Rule
    from speclint.sglang.models import Model


# The word in an image's tag that tells the hardware which a run pretended.
_TAGS = {
    "mi300x": "rocm",
    "mi355x": "rocm",
    "b200": "b200",
    "b200 cuda12": "cu129-b200",
    "b300": "b300",
    "h100": "hopper",
    "h200": "hopper",
    "a100": "a100",
    "rtx5090": "rtx5090",
    "cpu": "cpu",
}


def options_of(argv: str, release: str, env: Mapping[str, str] | None = None, platform: str | None = None) -> Options:
    """The options of a command line, given as words with blanks between them, under these environment variables.

    ``platform``: the hardware that it runs on, which an image tells of.
    """
    file = SourceFile("argv", argv.encode())
    words: list[Word] = []
    at = 0
    for text in argv.split():
        at = argv.index(text, at)
        words.append(Word(Known(Mapped.of(file, at, at + len(text))), Span(file, at, at + len(text))))
        at += len(text)
    whole = Span(file, 0, len(argv))
    variables = {name: Known(Mapped.new(value)) for name, value in (env or {}).items()}
    image = Known(Mapped.new(f"sglang:{_TAGS[platform]}")) if platform in _TAGS else None
    command = Command(words, whole, "shell", variables, image=image)
    launch = Launch(command, "sglang.launch_server", words, Span(file, 0, 0))
    return Options.read(launch, catalog.release(release))


def finder(
    config: Mapping[str, Any] | None, drafts: Mapping[str, Mapping[str, Any]] | None = None
) -> Callable[[str], Model | None]:
    """Knows every model by one config.json, or none without it; those named by ``drafts`` by another."""
    if drafts:
        known = {name: finder(one)(name) for name, one in drafts.items()}
        other = finder(config)
        return lambda name: known[name] if name in known else other(name)
    if config is None:
        return lambda _: None
    import json
    import os
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        with open(os.path.join(folder, "config.json"), "w", encoding="utf-8") as file:
            json.dump(config, file)
        found = models.lookup(folder)
        if found is not None and found.model_type is None:
            # The oracle too takes the usual kind of an architecture where the config does not tell it.
            found = found._replace(model_type=models.of_architecture(found.architecture).model_type)
    return lambda _: found


def view_of(argv: str, release: str, config: Mapping[str, Any] | None) -> View:
    """The view of a command line for a model with this config.json."""
    return View(options_of(argv, release), {}, finder(config))


def faults(rule: Rule, evidence: Iterable[Mapping[str, Any]]) -> Iterator[str]:
    """Where a rule says something else than its evidence."""
    from speclint.rules import evaluate

    for item in evidence:
        for run in item.get("runs", ()):
            options = options_of(run["argv"], run["sglang"], run.get("env"), run.get("platform"))
            found = bool(evaluate.check(options.launch, options, [rule], finder(run.get("config"), run.get("drafts"))))
            wrong = run.get("told", run["refused"] is not None or _overridden(options, run.get("resolved", {})))
            if found is not wrong:
                told = "is silent about" if wrong else "speaks of"
                yield f"it {told} what {run['sglang']} did with {run['argv']}"


def _overridden(options: Options, resolved: Mapping[str, Any]) -> bool:
    """Whether an option that is written became something else."""
    settings = {dest: options.at(dest, {}) for dest in resolved}
    return any(isinstance(s, Setting) and s.typed({}) != resolved[dest] for dest, s in settings.items())
