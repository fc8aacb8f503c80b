"""What each command does, from its arguments to its exit status."""

from __future__ import annotations

import os
import sys

from speclint import telling
from speclint.analysis import exit_status
from speclint.arguments import parse
from speclint.config import Configs
from speclint.discover import STDIN
from speclint.run import Linter
from speclint.settings import NEED_LAUNCHES, ConfigError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from speclint.analysis import Outcome
    from speclint.arguments import Arguments
    from speclint.rules.rule import Rule
    from speclint.settings import Settings


def run(words: Sequence[str]) -> int:
    """Do what a command line asks. Raises ConfigError where it cannot be followed."""
    telling.harden_streams()
    arguments = parse(words)
    return _COMMANDS[arguments.command](arguments)


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
    form = telling.main_format(settings)
    if settings.select or settings.ignore or settings.extend_select:
        linter.rules(settings)  # a misspelt rule is told even where no file holds a launch
    if fixing:
        from speclint import fixing as fix

        with telling.progress(linter, settings):
            outcome, fixed, diff = fix.run(linter, arguments, settings)
        telling.errors(outcome)
        if arguments.diff:
            return fix.show_diff(diff, fixed, outcome)
    else:
        lean = not {form, *(name for name, _ in arguments.outputs)} & NEED_LAUNCHES
        outcome, fixed = _look(linter, arguments, settings, lean, settings.jobs), 0
        if settings.baseline is not None and not _is_stdin(arguments):
            from speclint import baseline

            known = linter.baseline(settings.baseline)
            outcome.notes.extend(baseline.told(known, known.stale(outcome.known, arguments.words)))
        telling.errors(outcome)
    if outcome.errors and not os.path.lexists(arguments.words[0] if arguments.words else os.curdir):
        telling.misspelt(arguments)
    # The fixed text goes to standard output, so what is told goes beside it.
    stream = sys.stderr if fixing and _is_stdin(arguments) else sys.stdout
    report = telling.report(linter, arguments, settings, outcome, fixed)
    stream.write(report.render(form, telling.style(stream)))
    for name, path in arguments.outputs:
        telling.write(path, report.render(name, telling.style(None), beside=True))
    return exit_status(outcome, settings.fail_on)


def _show_settings(arguments: Arguments, configs: Configs) -> int:
    from speclint.report import settings

    found = [
        (path, configs.for_folder(os.path.abspath(path)) if os.path.isdir(path) else configs.for_file(path))
        for path in arguments.words or (os.curdir,)
    ]
    form = telling.limited_format(arguments, configs.for_folder(os.getcwd()), ("text", "json"))
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
    telling.errors(outcome)
    print(told)
    return 2 if outcome.errors else 0


def _launches(arguments: Arguments) -> int:
    configs = _configs(arguments)
    settings = configs.for_folder(os.getcwd())
    form = telling.limited_format(arguments, settings)
    outcome = _look(Linter(configs, ask=False), arguments, settings)
    telling.errors(outcome)
    from speclint.report import launches, text

    style = telling.style(sys.stdout)
    if form == "json":
        sys.stdout.write(launches.to_json(outcome))
    else:
        sys.stdout.write(launches.text(outcome, style))
        if not outcome.launches and not settings.quiet:
            sys.stdout.write(text.summary(outcome, False, style))
    return exit_status(outcome, "never")


def _explain(arguments: Arguments) -> int:
    path, row = _place(arguments.words[0])
    if os.path.isdir(path):
        raise ConfigError(f"{path} is a folder; explain takes a file and a line of it")
    configs = _configs(arguments)
    settings = configs.for_folder(os.getcwd())
    form = telling.limited_format(arguments, settings)
    arguments.words = [path]
    linter = Linter(configs)
    outcome = _look(linter, arguments, settings)
    telling.errors(outcome)
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
        style = telling.style(sys.stdout)
        sys.stdout.write("\n".join(explain.to_text(a, n, linter.view(a, n), style) for a, n in found))
    return exit_status(outcome, "never")


def _rule(arguments: Arguments) -> int:
    configs = _configs(arguments)
    settings = configs.for_folder(os.getcwd())
    if arguments.check:
        from speclint.rules import check

        return check.main(arguments.words or settings.rules)
    form = telling.limited_format(arguments, settings)
    from speclint.report import rules as report

    rules = telling.known_rules(Linter(configs), settings)
    style = telling.style(sys.stdout)
    chosen, full = _chosen(arguments.words, rules)
    if full:
        page = report.markdown if form == "markdown" else lambda rule: report.full(rule, style)
        text = "\n".join(map(page, chosen))
    else:
        text = report.markdown_table(chosen) if form == "markdown" else report.table(chosen, style)
    if form == "json":
        from speclint.report.json import dump

        text = dump(report.to_json(chosen))
    sys.stdout.write(text)
    return 0


def _chosen(words: Sequence[str], rules: list[Rule]) -> tuple[list[Rule], bool]:
    """The rules that are asked about, and whether each by its whole code or name: else a table of them will do."""
    if not words:
        return rules, False
    known = {key.lower(): [rule] for rule in rules for key in (rule.code, rule.name)}
    chosen, full = [], True
    for word in words:
        found = known.get(word.lower())
        if found is None:
            full = False
            found = [rule for rule in rules if len(word) > 3 and rule.code.startswith(word.upper())]
        if not found:
            from speclint.settings import nearest

            near = nearest(word, [key for rule in rules for key in (rule.code, rule.name)])
            raise ConfigError(f"no rule is called `{word}`" + (f"; did you mean `{near}`?" if near else ""))
        chosen.extend(found)
    return chosen, full


def _completion(arguments: Arguments) -> int:
    from speclint import completion

    rules = telling.known_rules(Linter(Configs(isolated=True)), Configs(isolated=True).for_folder(os.getcwd()))
    names = [(key, rule.summary) for rule in rules for key in (rule.code, rule.name)]
    sys.stdout.write(completion.script(arguments.words[0], names))
    return 0


def _server(arguments: Arguments) -> int:
    try:
        from speclint import lsp
    except ImportError as error:
        raise ConfigError(f"the language server needs `pip install 'speclint[lsp]'` ({error})") from None
    if arguments.given:
        configs = _configs(arguments)
        Linter(configs).rules(configs.for_folder(os.getcwd()))  # a misspelt rule is told before an editor has to
    return lsp.serve(lambda: _configs(arguments))


_COMMANDS: dict[str, Callable[[Arguments], int]] = {
    "check": _check,
    "launches": _launches,
    "explain": _explain,
    "rule": _rule,
    "server": _server,
    "generate-shell-completion": _completion,
}


def _configs(arguments: Arguments) -> Configs:
    return Configs(arguments.given, arguments.isolated, arguments.config)


def _is_stdin(arguments: Arguments) -> bool:
    return arguments.stdin_filename is not None or arguments.words == [STDIN]


def _look(linter: Linter, arguments: Arguments, settings: Settings, lean: bool = False, jobs: int = 1) -> Outcome:
    if _is_stdin(arguments):
        return linter.stdin(arguments.stdin_filename)[0]
    with telling.progress(linter, settings):
        return linter.run(arguments.words, lean, jobs)


def _place(text: str) -> tuple[str, int]:
    """PATH and LINE of PATH:LINE; a column behind it is let pass."""
    parts = text.split(":")
    numbers: list[int] = []
    while len(parts) > 1 and parts[-1].isdecimal() and len(numbers) < 2:
        numbers.insert(0, int(parts.pop()))
    if not numbers or not parts[0]:
        raise ConfigError(f"explain takes PATH:LINE, not {text!r}")
    return ":".join(parts), numbers[0]
