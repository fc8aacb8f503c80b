"""What a checkout keeps of its rules, so that it starts as fast as what is installed.

Reading 200 rule files takes 400 ms, five times as long as the rest of a run on one file. A checkout writes down once
what a build would (``build/rules.bin``), and reads that as long as no file that it was made of has changed, which is
told within 2 ms. Where it cannot be written, the rule files are read.
"""

from __future__ import annotations

import os

from speclint.rules import load

TYPE_CHECKING = False
if TYPE_CHECKING:
    from speclint.rules.rule import Rule

_PACKAGE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
# Rules and what tells of which launches they need not be asked.
_MADE_OF = ("", "rules", "rules/checks", "sglang", "sglang/data")


def rules(folder: str) -> tuple[Rule, ...]:
    """The rules of the folder of a checkout; nothing where they have to be read from their files.

    Raises RuleError where a file is none.
    """
    place = os.path.join(os.path.dirname(folder), "build", load.COMPILED)
    stamp = _stamp(folder)
    if stamp != _kept_stamp(place) and not _write(place, folder, stamp):
        return ()
    return load.read_compiled(place, folder)


def _stamp(folder: str) -> str:
    """What changes whenever a file does that the rules are made of."""
    count = total = 0
    for part in (folder, *(os.path.join(_PACKAGE, part) for part in _MADE_OF)):
        with os.scandir(part) as entries:
            for entry in entries:
                if entry.name.endswith((".py", ".yaml", ".json", ".tsv")):
                    found = entry.stat()
                    count += 1
                    total += hash((found.st_mtime_ns, found.st_size))
    return f"{count} {total}"


def _kept_stamp(place: str) -> str | None:
    try:
        with open(f"{place}.stamp", "rb") as stream:
            return stream.read().decode()  # to read it as text would load the encoding
    except (OSError, ValueError):
        return None


def _write(place: str, folder: str, stamp: str) -> bool:
    """Write the rules down. The stamp is older than what is read, so that nothing that changes meanwhile is missed."""
    mine = f"{place}.{os.getpid()}"
    try:
        os.makedirs(os.path.dirname(place), exist_ok=True)
        load.write_compiled(load.read_all(folder), mine)
        os.replace(mine, place)
        with open(mine, "wb") as stream:
            stream.write(stamp.encode())
        os.replace(mine, f"{place}.stamp")
    except OSError:
        return False
    return True
