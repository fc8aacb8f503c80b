"""The flake8 plugin ``SGL``: the findings of ``speclint check`` on Python files, where flake8 is already looked at.

flake8 chooses what is told (``--select SGL2``, ``per-file-ignores``, ``# noqa: SGL201``); speclint's own configuration
and comments hold as well. Where no line holds the word that every launch holds, nothing is imported.
"""

from __future__ import annotations

from speclint import __version__

TYPE_CHECKING = False
if TYPE_CHECKING:
    import ast
    from collections.abc import Iterator, Sequence

    from speclint.run import Linter

NEEDLE = "sglang"
_linter: Linter | None = None


class Plugin:
    """What flake8 makes for each file; ``run`` yields row, column (from 0, in code points), text and type."""

    name = "speclint"
    version = __version__

    def __init__(self, tree: ast.AST, filename: str, lines: Sequence[str]) -> None:
        self.filename = filename
        self.lines = lines

    def run(self) -> Iterator[tuple[int, int, str, type[Plugin]]]:
        """Every finding on the file."""
        lines = self.lines
        if any(NEEDLE in line for line in lines):
            yield from self._findings()

    def _findings(self) -> Iterator[tuple[int, int, str, type[Plugin]]]:
        from speclint.analysis import Outcome
        from speclint.settings import ConfigError

        # flake8 has taken the byte order mark off and made every newline \n, so rows and columns are those of the file.
        raw = "".join(self.lines).encode("utf-8", "surrogateescape")
        name = "-" if self.filename in ("-", "stdin") else self.filename
        try:
            analysis = _shared().text(name, raw, "python", Outcome())
        except ConfigError as error:
            raise RuntimeError(f"speclint: {error}") from None
        for finding in analysis.findings if analysis is not None else ():
            row, column = finding.span.file.location(finding.span.start)
            yield row, column - 1, f"{finding.code} {finding.message}", type(self)


def _shared() -> Linter:
    """One linter for all files of the process: rules and configurations are read once."""
    global _linter
    if _linter is None:
        from speclint.config import Configs
        from speclint.run import Linter

        _linter = Linter(Configs())
    return _linter
