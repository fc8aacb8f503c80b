"""What each command does, from its arguments to its exit status."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

from speclint.arguments import parse
from speclint.config import Configs
from speclint.discover import STDIN
from speclint.run import Linter, exit_status
from speclint.settings import NEED_LAUNCHES, ConfigError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from speclint.analysis import Outcome
    from speclint.arguments import Arguments
    from speclint.changed import Changed
    from speclint.report.formats import Report
    from speclint.report.style import Style
    from speclint.rules.rule import Rule
    from speclint.settings import Settings


def run(words: Sequence[str]) -> int:
    """Do what a command line asks. Raises ConfigError where it cannot be followed."""
    _harden_streams()
    arguments = parse(words)
    return _COMMANDS[arguments.command](arguments)


def _harden_streams() -> None:
    """A character that the terminal's encoding lacks, or a byte that is no UTF-8, must not end the run."""
    for stream in (sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(errors="backslashreplace")


def _check(arguments: Arguments) -> int:
    if arguments.write_baseline is not None:
        arguments.given["baseline"] = None  # what is known already is to be listed as well
    configs = _configs(arguments)
    settings = configs.for_folder(os.getcwd())
    linter = Linter(configs)
    if arguments.show_settings:
        return _show_settings(arguments, configs)
    if arguments.write_baseline is not None or arguments.add_ignore:
        return _quieten(linter, arguments)
    fixing = arguments.diff or settings.fix
    form = _format(settings)
    if settings.select or settings.ignore or settings.extend_select:
        linter.rules(settings)  # a misspelt rule is told even where no file holds a launch
    if fixing:
        from speclint import fixing as fix

        outcome, fixed, diff = fix.run(linter, arguments, settings)
        _errors(outcome)
        if arguments.diff:
            return fix.show_diff(diff, fixed, outcome)
    else:
        lean = not {form, *(name for name, _ in arguments.outputs)} & NEED_LAUNCHES
        outcome, fixed = _look(linter, arguments, lean, settings.jobs), 0
        if settings.baseline is not None and not _is_stdin(arguments):
            from speclint import baseline

            known = linter.baseline(settings.baseline)
            outcome.notes.extend(baseline.told(known, known.stale(outcome.known, arguments.words)))
        _errors(outcome)
    # The fixed text goes to standard output, so what is told goes beside it.
    stream = sys.stderr if fixing and _is_stdin(arguments) else sys.stdout
    report = _report(linter, arguments, settings, outcome, fixed)
    stream.write(report.render(form, _style(stream)))
    for name, path in arguments.outputs:
        _write(path, report.render(name, _style(None), beside=True))
    return exit_status(outcome, settings.fail_on)


def _show_settings(arguments: Arguments, configs: Configs) -> int:
    from speclint.report import settings

    found = [(path, configs.for_folder(os.path.abspath(path)) if os.path.isdir(path) else configs.for_file(path))
             for path in arguments.words or (os.curdir,)]
    form = _limited(configs.for_folder(os.getcwd()), ("text", "json"))
    sys.stdout.write(settings.to_json(found) if form == "json" else settings.text(found))
    return 0


def _quieten(linter: Linter, arguments: Arguments) -> int:
    """``--write-baseline`` or ``--add-ignore``: what is found now is not to be told from now on."""
    from speclint.report.text import count

    if _is_stdin(arguments):
        raise ConfigError("--write-baseline and --add-ignore need files, not standard input")
    outcome = linter.run(arguments.words)
    if arguments.write_baseline is not None:
        from speclint import baseline

        number = baseline.write(arguments.write_baseline, outcome)
        told = f"Listed {count(number, 'finding')} in {arguments.write_baseline}."
    else:
        from speclint import ignoring

        told = f"Ignored {count(ignoring.run(linter, outcome, arguments.reason), 'finding')}."
    _errors(outcome)
    print(told)
    return 2 if outcome.errors else 0


def _launches(arguments: Arguments) -> int:
    configs = _configs(arguments)
    settings = configs.for_folder(os.getcwd())
    form = _limited(settings, ("text", "json"))
    outcome = _look(Linter(configs, ask=False), arguments)
    _errors(outcome)
    from speclint.report import launches, text

    style = _style(sys.stdout)
    if form == "json":
        sys.stdout.write(launches.to_json(outcome))
    else:
        sys.stdout.write(launches.text(outcome, style))
        if not outcome.launches and not settings.quiet:
            sys.stdout.write(text.summary(outcome, False, style))
    return exit_status(outcome, "never")


def _explain(arguments: Arguments) -> int:
    path, row = _place(arguments.words[0])
    configs = _configs(arguments)
    form = _limited(configs.for_folder(os.getcwd()), ("text", "json", "markdown"))
    arguments.words = [path]
    linter = Linter(configs)
    outcome = _look(linter, arguments)
    _errors(outcome)
    if outcome.errors and not outcome.analyses:
        return 2
    from speclint.report import explain
    from speclint.report.json import dump

    found = [
        (analysis, number)
        for analysis in outcome.analyses
        for number, launch in enumerate(analysis.launches)
        if row in analysis.rows(launch)
    ]
    if not found:
        rows = sorted({a.rows(launch).start for a in outcome.analyses for launch in a.launches})
        where = f"launches begin on line {', '.join(map(str, rows))}" if rows else "there is no launch in the file"
        raise ConfigError(f"{path}:{row}: no launch on this line; {where}")
    if form == "json":
        sys.stdout.write(dump([explain.to_json(a, n, linter.view(a, n)) for a, n in found]))
    elif form == "markdown":
        sys.stdout.write("\n".join(explain.to_markdown(a, n, linter.view(a, n)) for a, n in found))
    else:
        style = _style(sys.stdout)
        sys.stdout.write("\n".join(explain.to_text(a, n, linter.view(a, n), style) for a, n in found))
    return exit_status(outcome, "never")


def _rule(arguments: Arguments) -> int:
    configs = _configs(arguments)
    settings = configs.for_folder(os.getcwd())
    form = _limited(settings, ("text", "json", "markdown"))
    from speclint.report import rules as report

    rules = _known_rules(Linter(configs), settings)
    style = _style(sys.stdout)
    if arguments.words:
        known = {key: rule for rule in rules for key in (rule.code, rule.name)}
        missing = [word for word in arguments.words if word not in known]
        if missing:
            from speclint.settings import nearest

            near = nearest(missing[0], list(known))
            raise ConfigError(f"no rule is called `{missing[0]}`" + (f"; did you mean `{near}`?" if near else ""))
        chosen = [known[word] for word in arguments.words]
        page = report.markdown if form == "markdown" else lambda rule: report.full(rule, style)
        text = "\n".join(map(page, chosen))
    else:
        chosen = rules
        text = report.markdown_table(chosen) if form == "markdown" else report.table(chosen, style)
    if form == "json":
        from speclint.report.json import dump

        text = dump(report.to_json(chosen))
    sys.stdout.write(text)
    return 0


def _server(arguments: Arguments) -> int:
    try:
        from speclint import lsp
    except ImportError as error:
        raise ConfigError(f"the language server needs `pip install 'speclint[lsp]'` ({error})") from None
    return lsp.serve(lambda: _configs(arguments))


_COMMANDS: dict[str, Callable[[Arguments], int]] = {
    "check": _check,
    "launches": _launches,
    "explain": _explain,
    "rule": _rule,
    "server": _server,
}


def _configs(arguments: Arguments) -> Configs:
    return Configs(arguments.given, arguments.isolated, arguments.config)


def _is_stdin(arguments: Arguments) -> bool:
    return arguments.stdin_filename is not None or arguments.words == [STDIN]


def _look(linter: Linter, arguments: Arguments, lean: bool = False, jobs: int = 1) -> Outcome:
    if not _is_stdin(arguments):
        return linter.run(arguments.words, lean, jobs)
    return linter.stdin(arguments.stdin_filename)[0]


def _place(text: str) -> tuple[str, int]:
    """PATH and LINE of PATH:LINE; a column behind it is let pass."""
    parts = text.split(":")
    numbers: list[int] = []
    while len(parts) > 1 and parts[-1].isdecimal() and len(numbers) < 2:
        numbers.insert(0, int(parts.pop()))
    if not numbers or not parts[0]:
        raise ConfigError(f"explain takes PATH:LINE, not {text!r}")
    return ":".join(parts), numbers[0]


def _format(settings: Settings) -> str:
    return settings.output_format or ("github" if os.environ.get("GITHUB_ACTIONS") == "true" else "text")


def _limited(settings: Settings, known: Sequence[str]) -> str:
    """The format of a command that has only some; a configured one that it lacks is not meant for it."""
    form = settings.output_format
    return form if form is not None and form in known else known[0]


def _style(stream: object) -> Style:
    from speclint.report.style import Style, wants_colour

    return Style(stream is not None and wants_colour(stream))  # type: ignore[arg-type]


def _errors(outcome: Outcome) -> None:
    sys.stdout.flush()
    for line in (*outcome.notes, *outcome.errors):
        print(f"speclint: {line}", file=sys.stderr)


def _report(linter: Linter, arguments: Arguments, settings: Settings, outcome: Outcome, fixed: int) -> Report:
    from speclint.report.formats import Report

    def changed() -> Changed | None:
        if arguments.changed_since is None:
            return None
        from speclint.changed import since

        try:
            return since(arguments.changed_since)
        except ValueError as error:
            print(f"speclint: --changed-since: {error}", file=sys.stderr)
            return None

    return Report(outcome, settings, lambda: _known_rules(linter, settings), changed, fixed)


def _known_rules(linter: Linter, settings: Settings) -> list[Rule]:
    """Every rule, those that are asked of a file as a whole too."""
    from speclint import suppress
    from speclint.rules.rule import Rule

    own = (Rule(data, "") for data in suppress.rules())
    return sorted((*linter.rules(settings), *own), key=lambda rule: rule.code)


def _write(path: str, content: str) -> None:
    try:
        with open(path, "w", encoding="utf-8", errors="backslashreplace", newline="") as stream:
            stream.write(content)
    except OSError as error:
        raise ConfigError(f"--output: {path}: {error.strerror}") from None
