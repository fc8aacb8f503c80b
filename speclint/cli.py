"""The command line: arguments in, exit status out."""

from __future__ import annotations

import sys

from speclint import __version__

TYPE_CHECKING = False  # that of typing, whose import takes longer than all of `--version`
if TYPE_CHECKING:
    from collections.abc import Sequence


def main(argv: Sequence[str] | None = None) -> int:
    """Run speclint. Returns 0 where nothing is to be told, 1 where findings remain, 2 where something went wrong."""
    words = list(sys.argv[1:] if argv is None else argv)
    if words in (["--version"], ["-V"]):  # without the parser: editors and hooks ask this often
        print(f"speclint {__version__}")
        return 0
    from speclint import commands
    from speclint.settings import ConfigError

    try:
        status = commands.run(words)
        sys.stdout.flush()
    except ConfigError as error:
        print(f"speclint: {error}", file=sys.stderr)
        return 2
    except BrokenPipeError:
        _forget_output()
        return 0
    except KeyboardInterrupt:
        return 130
    return status


def _forget_output() -> None:
    """Whoever read the output has gone; the interpreter's own flush at the end must not complain of it."""
    import os

    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
