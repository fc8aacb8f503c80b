"""From paths to what is told: the only place that orders the steps.

A file is read, its host yields commands, the launches among them become options of a release, rules are asked, and
what the file asks not to be told is taken out. Nothing that one file does stops the others.
"""

from __future__ import annotations

import os

from speclint import discover, hosts, needle, process, suppress
from speclint.analysis import Analysis, Outcome
from speclint.finding import unique
from speclint.settings import ConfigError
from speclint.source import SourceError, SourceFile

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from typing import Any

    from speclint.baseline import Baseline
    from speclint.config import Configs
    from speclint.discover import Candidate
    from speclint.finding import Finding
    from speclint.launch import Launch
    from speclint.parallel import Items
    from speclint.release import Releases, Stated
    from speclint.rules.rule import Rule
    from speclint.settings import Settings
    from speclint.sglang.options import Options
    from speclint.sglang.resolve import ModelLookup, View


# So many objects left by files are worth looking for cycles among them.
_LEFT = 20_000


class Linter:
    """Lints files by one set of configurations; what files share is made once."""

    def __init__(self, configs: Configs, ask: bool = True) -> None:
        """``ask``: whether rules are asked at all; ``launches`` has no use for them."""
        self.configs = configs
        self.ask = ask
        # Goes through the files of a run; whoever wants to tell how far it has come puts something else here.
        self.over: Callable[[Any], Iterator[Any]] = iter
        self._rules: dict[tuple[str, ...], tuple[Rule, ...]] = {}
        self._checked: set[Settings] = set()
        self._releases: Releases | None = None
        self._baselines: dict[str, Baseline] = {}
        self._bases: dict[str, str] = {}

    def baseline(self, path: str) -> Baseline:
        """The findings that a file lists. Raises ConfigError where it cannot be read."""
        if path not in self._baselines:
            from speclint import baseline

            self._baselines[path] = baseline.load(path)
        return self._baselines[path]

    def run(self, paths: Sequence[str], lean: bool = False, jobs: int = 1) -> Outcome:
        """Analyse what ``paths`` name or hold, file by file in order of their names.

        ``lean``: only what is told of a file is kept. ``jobs``: how many processes may be used, 0 for as many as pay;
        more than one only if lean, since what they find has to be handed over.
        """
        outcome = Outcome()
        found = discover.candidates(paths, self.configs, outcome.error)
        outcome.files = len(found)
        if lean and jobs != 1 and len(found) > 1:
            from speclint import parallel

            parts = parallel.run(lambda share: self._each(share, lean), found, jobs)
        else:
            parts = [self._each(found, lean)]
        looked = [item for part in parts for item in part]
        looked.sort(key=lambda item: item[0])
        for _, one in looked:
            outcome.merge(one)
        return outcome

    def _each(self, found: Items | list[Candidate], lean: bool) -> list[tuple[tuple[int, str], Outcome]]:
        """What each of the candidates holds, with its place among them; nothing for those that hold nothing."""
        looked: list[tuple[tuple[int, str], Outcome]] = []
        tidy = _tidy if process.is_ours and len(found) > 1 else None
        for candidate, raw in needle.holding(self.over(found), len(found)):
            one = Outcome()
            one.add(self._look(candidate, raw, one))
            if lean:
                one.strip()
            if one.launches or one.analyses or one.errors or one.notes:
                looked.append((candidate[:2], one))
            if tidy is not None:
                tidy()
        return looked

    def _look(self, candidate: Candidate, raw: bytes | None, outcome: Outcome) -> Analysis | None:
        """Analyse a file; ``raw`` are its bytes where they are at hand."""
        _, path, host, named = candidate
        if raw is None:
            try:
                raw = discover.read(path)
            except OSError as error:
                if not isinstance(error, FileNotFoundError) or named:
                    outcome.error(path, f"cannot be read: {error.strerror}")
                return None
        return self.content(path, raw, host, named, outcome)

    def stdin(self, name: str | None) -> tuple[Outcome, bytes]:
        """Analyse standard input as if it were the file ``name``; also what was read."""
        outcome = Outcome()
        raw = discover.read(discover.STDIN)
        outcome.files = 1
        path = name or discover.STDIN
        settings = self.configs.for_file(path)
        if not (name and settings.force_exclude and discover.excluded(settings, name)):
            analysis = self.content(path, raw, discover.host_of(path), True, outcome)
            outcome.add(analysis)
        return outcome, raw

    def content(self, path: str, raw: bytes, host: str | None, named: bool, outcome: Outcome) -> Analysis | None:
        """Analyse the content of a file whose name tells ``host`` or, if None, nothing."""
        if not needle.holds_needle(raw):
            return None
        host = host or discover.host_by_content(raw, certain=not named or bool(os.path.splitext(path)[1]))
        if host is not None:
            return self.text(path, raw, host, outcome)
        if named:
            outcome.notes.append(f"{path}: not linted: neither its name nor its first line tells a known language")
        return None

    def text(self, path: str, raw: bytes, host: str, outcome: Outcome) -> Analysis | None:
        """Analyse the content of a file; None where it is no text, or holds nothing to tell."""
        settings = self.configs.for_file(path)
        if settings.baseline is not None and os.path.abspath(path) == os.path.abspath(settings.baseline):
            return None  # what it quotes runs nothing
        try:
            analysis = self.analyse(SourceFile(path, raw), host, settings)
        except ConfigError:
            raise
        except SourceError as error:
            outcome.error(path, str(error), error.row, error.column)
            return None
        except (RecursionError, MemoryError) as error:
            outcome.error(path, "it is nested too deeply" if isinstance(error, RecursionError) else "it is too large")
            return None
        except Exception as error:  # a fault of speclint must not hide the findings of other files
            outcome.error(path, f"internal error: {describe(error)}")
            return None
        for message, row, column in analysis.problems:
            outcome.error(path, message, row, column)
        return analysis if analysis.launches or analysis.findings else None

    def analyse(self, file: SourceFile, host: str, settings: Settings) -> Analysis:
        """Everything about one file. Raises SourceError where it cannot be parsed at all."""
        analysis = Analysis(file, host)
        problems: list[SourceError] = []
        for launch in _launches(file, host, problems):
            self._add(analysis, launch, settings)
        analysis.problems = [(str(error), error.row, error.column) for error in problems]
        if self.ask:
            self._suppress(analysis, settings)
            analysis.findings = unique(analysis.findings)
            if settings.baseline is not None:
                self.baseline(settings.baseline).apply(analysis)
        return analysis

    def _add(self, analysis: Analysis, launch: Launch, settings: Settings) -> None:
        from speclint.sglang import catalog
        from speclint.sglang import options as written

        if self._releases is None:
            from speclint.release import Releases

            self._releases = Releases()
        stated = self._releases.of(launch, settings)
        options = written.Options.read(launch, catalog.release(stated.version, launch.entrypoint))
        analysis.launches.append(launch)
        analysis.options.append(options)
        analysis.stated.append(stated)
        if self.ask:
            analysis.findings.extend(self._ask(analysis, options, stated, settings))

    def _ask(self, analysis: Analysis, options: Options, stated: Stated, settings: Settings) -> list[Finding]:
        """The findings on a launch at its release, or those that the upgrade that is asked about brings."""
        from speclint.rules import evaluate

        launch, rules = options.launch, self.rules(settings)
        models = self._models(launch, settings)
        if settings.upgrade_version is None and stated.until is None and not stated.accepts:
            doubts = analysis.doubts if settings.show_unknown else None
            return evaluate.check(launch, options, rules, models, doubts)
        from speclint.sglang import catalog
        from speclint.sglang.options import Options
        from speclint.upgrade import breaks, common

        def at(version: str) -> list[Finding]:
            release = catalog.release(version, launch.entrypoint)
            return evaluate.check(launch, Options.read(launch, release), rules, models)

        if settings.upgrade_version is not None:
            return breaks(stated.version, settings.upgrade_version, at)
        return common(stated, at)

    def view(self, analysis: Analysis, number: int) -> View:
        """What SGLang makes of a launch where every default stands; what hangs on a branch is not settled."""
        from speclint.sglang.resolve import View

        launch, options = analysis.launches[number], analysis.options[number]
        points = (point for setting in (*options.settings, *options.foreign) for point in setting.choices())
        world = dict.fromkeys((point for point in points if point.kind == "default"), 0)
        return View(options, world, self._models(launch, self.configs.for_file(analysis.file.path)))

    def _models(self, launch: Launch, settings: Settings) -> ModelLookup:
        """What is known of a model by its name; a path that is relative counts from the file that it is written in."""
        from speclint.sglang.models import lookup

        folder = os.path.dirname(launch.file.path)
        base = self._bases.get(folder)
        if base is None:
            base = self._bases[folder] = os.path.abspath(folder)
        return lambda name: lookup(name, settings.models, base)

    def rules(self, settings: Settings) -> tuple[Rule, ...]:
        """speclint's rules and those of the folders that the settings name."""
        found = self._rules.get(settings.rules)
        if found is None:
            from speclint.rules import load

            try:
                own = [rule for folder in settings.rules for rule in load.read_folder(folder)]
            except load.RuleError as error:
                raise ConfigError(str(error)) from None
            except OSError as error:
                raise ConfigError(f"rules: {error.filename}: {error.strerror}") from None
            found = self._rules[settings.rules] = (*load.rules(), *own)
        if settings not in self._checked:
            from speclint import selection

            selection.check(settings, ((rule.code, rule.name) for rule in found))
            self._checked.add(settings)
        return found

    def _suppress(self, analysis: Analysis, settings: Settings) -> None:
        """Take out what is not selected and what the file suppresses; tell the suppressions that are of no use."""
        from speclint.selection import Selection

        asked, findings = Selection(settings, analysis.file.path), analysis.findings
        if not asked.all:
            analysis.unasked = [finding for finding in findings if not asked(finding.code, finding.name)]
            analysis.doubts = [doubt for doubt in analysis.doubts if asked(doubt.code, doubt.name)]
            findings = [finding for finding in findings if asked(finding.code, finding.name)]
        suppressions = suppress.read(analysis.file)
        if suppressions:
            findings = suppress.apply(findings, suppressions)
            if not analysis.problems:
                rules = self.rules(settings)

                def enabled(name: str) -> bool:
                    meant = [rule for rule in rules if suppress.names_rule(name, rule.code, rule.name)]
                    return not meant or any(asked(rule.code, rule.name) for rule in meant)

                told = [*suppress.unused(suppressions, enabled), *suppress.expired(suppressions)]
                told = [finding for finding in told if asked(finding.code, finding.name)]
                findings.extend(suppress.apply(told, [s for s in suppressions if s.kind == "file"]))
        analysis.findings = findings


def analyse(file: SourceFile, host: str, settings: Settings) -> Analysis:
    """Everything about one file, by given settings. Raises SourceError where it cannot be parsed at all."""
    from speclint.config import Configs

    return Linter(Configs(isolated=True)).analyse(file, host, settings)


def _tidy() -> None:
    """Take back what the files so far left behind in cycles, once it is much.

    Between two files, since in the middle of one nearly all that the collector would look at is still in use. What
    outlives this is not looked at again.
    """
    import gc

    if gc.get_count()[0] > _LEFT:
        gc.collect(1)


def _launches(file: SourceFile, host: str, problems: list[SourceError]) -> list[Launch]:
    from speclint.hosts.nested import commands
    from speclint.launch import launches

    return launches(inner for outer in hosts.read(file, host, problems) for inner in commands(outer))


def describe(error: BaseException) -> str:
    """An error in one line, with the place in speclint where it came up."""
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    code = trace.tb_frame.f_code.co_filename if trace is not None else ""
    place = f" at {os.path.basename(code)}:{trace.tb_lineno}" if trace is not None else ""
    text = " ".join(str(error).split())
    return f"{type(error).__name__}{': ' if text else ''}{text[:200]}{place}; please report it"
