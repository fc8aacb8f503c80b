"""Files of variables that a container engine is told to read: ``docker run --env-file .env``.

Source: the reference of ``docker run``. A line is ``NAME=value`` as it stands, without quotes that mean anything; one
that is only a name hands on the variable of whoever runs it.
"""

from __future__ import annotations

from speclint.hosts.variables import assigned
from speclint.lean import pattern, re
from speclint.text import Mapped
from speclint.value import Known, Unknown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from speclint.source import SourceFile
    from speclint.value import Value

_LINE = pattern(r"^[ \t]*([A-Za-z_]\w*)(?:=([^\r\n]*))?[ \t]*$", re.MULTILINE)
_MOST = 500


def read(file: SourceFile, name: str, outer: Mapping[str, Value]) -> dict[str, Value]:
    """What the file ``name``, seen from the folder of ``file``, sets; ``outer``: the variables of who runs it."""
    from speclint import beside

    source = beside.read(file, name)
    found: dict[str, Value] = {}
    if source is None:
        return found
    text = Mapped.of(source)
    for line in _LINE.finditer(source.text.replace("\r\n", " \n")):
        if len(found) >= _MOST:
            break
        key, given = line[1], line[2]
        if given is None:
            found.update({key: outer[key]} if key in outer else {})
            continue
        start = line.start(2)
        value = Known(text[start : start + len(given.rstrip())])
        # People who quote a value mean what stands between the quotes, which is not what they get.
        known: Value = Unknown(f"`{key}` is quoted in {name}") if given[:1] in ("'", '"') else value
        found[key] = assigned(key, known, value.text.span(), 2, "env", text.span(*line.span(1)))
    return found
