"""What a launch shows by itself, before any rule is asked: signs that something may be wrong with its words.

Most functions that rules name by ``find`` look at whatever is written, and find something in few launches. What has to
be there for one to find anything is stated here once, so that the others need not be asked: one look at the words and
the options tells which signs there are.
"""

from __future__ import annotations

from speclint.value import Known

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from speclint.rules.rule import Needs
    from speclint.sglang.options import Options
    from speclint.words import Word

_NAME = ("problem.unknown", "keyword")
_POD = (("pod",),)
# What the parser takes as text and something else then reads as JSON.
_LATE_JSON = (
    "json_model_override_args", "model_loader_extra_config", "kv_events_config", "hicache_storage_backend_extra_config",
    "preferred_sampling_params", "hisparse_config",
)  # fmt: skip
_ENV = (("env",),)
# What a launch has to show for a function under speclint.rules.checks to find anything; other names as in
# ``gate.silent``. "problem.x" is what the parser has against the words, in some world at least.
NEEDS: Mapping[str, Needs] = {
    "env.unknown": _ENV,
    "env.unread": _ENV,
    "env.renamed": _ENV,
    "env.deprecated": _ENV,
    "env.newer": _ENV,
    "env.refused": _ENV,
    "names.unknown": (_NAME,),
    "names.other_engine": (_NAME,),
    "names.newer": (_NAME,),
    "names.renamed": (_NAME,),
    "names.removed": ((*_NAME, "problem.refused"),),
    "names.ambiguous": (("problem.ambiguous",),),
    "names.deprecated": (("deprecated",),),
    "names.short_lived": (("shortened",),),
    "values.missing": (("problem.missing-value",),),
    "values.wrong_type": (("problem.invalid-type",),),
    "values.wrong_choice": (("problem.invalid-choice",),),
    "json_values.bad": (("problem.invalid-type", "word.unknown", *_LATE_JSON),),
    "values.switched": (("problem.unexpected-value", "problem.positional"),),
    "whole.duplicate": (("repeated",),),
    "whole.stray": (("problem.positional",),),
    "whole.fused": (("word.blank",),),
    "whole.no_model": (("unnamed",),),
    "whole.config_file": (("config",),),
    "config_file.entries": (("config",),),
    "router.options": (("entrypoint",),),
    "pod.ports": _POD,
    "pod.loopback": _POD,
    "pod.rank": (("pod",), ("node_rank",)),
    "probes.early": _POD,
    "probes.quick": _POD,
    "probes.path": _POD,
    "pod.shared_memory": _POD,
    "shell.escaped_blank": (("word.blank",),),
    "shell.lost_options": (("lost",),),
    "shell.carriage_return": (("carriage return",),),
    "shell.glued": (("word.dashes",),),
    "shell.braces": (("word.json",),),
    "shell.flawed": (("flaw",),),
    "shell.unexpanded": (("unread",),),
    "shell.quoted_splice": (("word.variable",),),
    "unexported.variables": (("kept",),),
    "slurm.rank": (("node_rank",),),
}
_PLAIN = ("sglang.launch_server", "sglang serve")
# Hosts in which a variable that no shell reads is one of the container.
_CONTAINERS = ("kubernetes", "dockerfile")
_BRACES = ("{", "[")


def of(options: Options) -> list[str]:
    """The signs that a launch shows."""
    launch = options.launch
    command = launch.command
    found = _of_settings(options)
    if options.open is None and "model_path" not in options.by_dest:
        found.append("unnamed")
    if launch.entrypoint not in _PLAIN:
        found.append("entrypoint")
    if command.flaw is not None:
        found.append("flaw")
    if command.within is None:
        if command.host in _CONTAINERS:
            found.append("unread")
    elif command.host == "shell" and command.within[0].text.find("\r", command.within[1], command.within[2]) >= 0:
        found.append("carriage return")
    if options.lost:
        found.append("lost")
    if command.kept:
        found.append("kept")
    words = _of_words(launch.words)
    found += words
    if command.keywords is None:
        found += _of_parser(options, not words)
    return found


def _of_settings(options: Options) -> list[str]:
    """How options are written."""
    found: list[str] = []
    keyword = False
    seen: set[int] = set()
    for setting in options.settings:
        option = setting.option
        if setting.keyword is not None:
            keyword = True
        elif option is not None:
            if option.deprecated is not None:
                found.append("deprecated")
            if setting.flag not in option.strings:
                found.append("shortened")
            seen.add(id(option))
    if len(seen) < len(options.settings):
        found.append("repeated")
    if keyword or (options.foreign and options.foreign[0].keyword is not None):
        found.append("keyword")
    return found


def _of_words(words: Sequence[Word]) -> list[str]:
    """What words look like, as they are read and as they are written."""
    found: list[str] = []
    for word in words:
        value = word.value
        if isinstance(value, Known):
            text = value.text.text
            if " " in text or text[-1:] == "\t":
                found.append("word.blank")
            if text.find("--", 1) > 0:
                found.append("word.dashes")
        span = word.span
        if span is None:
            continue
        source, at = span.file.text, span.start
        first = source[at : at + 1]
        if first == '"':
            if source[at + 1 : at + 2] == "$":
                found.append("word.variable")
        elif first in _BRACES or (first == "-" and source.find('"', at, span.end) > 0):
            found.append("word.json")
    return found


def _of_parser(options: Options, plain: bool) -> list[str]:
    """What the parser has against the words; ``plain``: nothing is to be seen of what a shell would garble."""
    parsed = options.parsed
    words = (*options.launch.words, *options.merged)
    uncertain = [word for word in words if word.guard or not isinstance(word.value, Known)]
    found = ["word.unknown"] if uncertain else []
    if (parsed is None or not parsed.problems) and not any(word.is_open() for word in uncertain):
        return found  # as for most launches: there is nothing to be read once more
    from speclint.rules.checks.words import kinds

    found += [f"problem.{kind}" for kind in kinds(options, plain)]
    return found
