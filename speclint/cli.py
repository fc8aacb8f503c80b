"""The command line: arguments in, exit status out."""

from __future__ import annotations

import sys

from speclint import __version__

TYPE_CHECKING = False  # that of typing, whose import takes longer than all of `--version`
if TYPE_CHECKING:
    from collections.abc import Sequence


def main(argv: Sequence[str] | None = None) -> int:
    """Run speclint. Returns 0 where nothing is to be told, 1 where findings remain, 2 where something went wrong."""
    if argv is not None:
        return _guarded(list(argv))
    import gc

    from speclint import process

    process.is_ours = True
    # This process is ours: the collector need not look for cycles after every 700 new objects, nor once more as the
    # interpreter ends. On one file that saves 30 ms of 150. Where there are more it looks oftener (Linter.run).
    gc.set_threshold(200_000, 3, 2)
    status = _guarded(sys.argv[1:])
    gc.freeze()
    if sys._getframe(1).f_back is None:  # called by the script that the process runs
        _leave(status)
    return status


def _leave(status: int) -> None:
    """End the process here, where nobody has anything to do at its end: taking it down takes as long as starting it."""
    if {"atexit", "threading", "multiprocessing"} & sys.modules.keys() or sys.gettrace() or sys.getprofile():
        return
    try:
        for stream in (sys.stdout, sys.stderr):
            if stream is not None:
                stream.flush()
    except OSError:
        return
    import os

    os._exit(status)


def _guarded(words: list[str]) -> int:
    try:
        status = _run(words)
        if sys.stdout is not None and not sys.stdout.closed:  # a server closes it at its end
            sys.stdout.flush()
    except BrokenPipeError:
        _forget_output()
        return 0
    except KeyboardInterrupt:
        return 130
    except OSError as error:  # files are read where their errors are told, so this is what could not be written
        _forget_output()
        return _failed(f"{error.filename or 'standard output'}: {error.strerror or error}")
    except Exception as error:  # a fault of speclint: one line to report, not a page of its insides
        return _failed(f"internal error: {_described(error)}")
    return status


def _described(error: Exception) -> str:
    try:
        from speclint.run import describe
    except Exception:  # then that was the fault
        return f"{type(error).__name__}: {error}"
    return describe(error)


def _run(words: list[str]) -> int:
    if words in (["--version"], ["-V"]):  # without the parser: editors and hooks ask this often
        print(f"speclint {__version__}")
        return 0
    from speclint import process

    kept = None
    if process.is_ours:
        from speclint import prepared

        kept = prepared.start()
    from speclint import commands
    from speclint.settings import ConfigError

    try:
        return commands.run(words)
    except ConfigError as error:
        return _failed(str(error))
    finally:
        if kept is not None:
            kept.keep()


def _failed(message: str) -> int:
    try:  # noqa: SIM105 - contextlib would have to be imported
        print(f"speclint: {message}", file=sys.stderr)
    except OSError:  # nobody can be told but by the status
        pass
    return 2


def _forget_output() -> None:
    """What is left of the output can go nowhere; the interpreter's own flush at the end must not complain of it."""
    import os

    nowhere = os.open(os.devnull, os.O_WRONLY)
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except (OSError, AttributeError):
            if stream is not None:
                os.dup2(nowhere, stream.fileno())
