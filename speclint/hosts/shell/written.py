"""Scripts that ``echo`` and ``printf`` write into a file, for somebody to run later."""

from __future__ import annotations

from speclint.hosts.shell.documents import is_script, run_text
from speclint.hosts.shell.printing import output_of
from speclint.lean import pattern
from speclint.text import Mapped
from speclint.value import Joined, Known, Unknown, join

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from tree_sitter import Node

    from speclint.hosts.shell.run import Runner
    from speclint.value import Value

_GOES_ON = pattern(r"(?<!\\)\\\n\Z")


def read(runner: Runner, body: Node, target: str) -> None:
    """Follow what is printed to a file, if that is a script: ``echo '…' > start.sh``, ``{ echo …; } > start.sh``."""
    if not target or not runner.syntax.tells(body):
        return
    value = output_of(runner, body)
    if value is not None and is_script(value, target):
        value = _to_be_continued(value)
        # What is written may be quoted for `echo` and for `printf`: no edit is known to come out right.
        run_text(runner, value, False)


def _to_be_continued(value: Value) -> Value:
    """The text without the end of a line that goes on in what is written next, which may be any words."""
    *before, last = value.parts if isinstance(value, Joined) else (value,)
    found = _GOES_ON.search(last.text.text) if isinstance(last, Known) else None
    if found is None or not isinstance(last, Known):
        return value
    rest = Unknown("it goes on in what is written next")
    return join([*before, Known(last.text[: found.start()], last.steps), Known(Mapped.new(" ")), rest])


def target(runner: Runner, redirects: Sequence[Node]) -> str:
    """The files that redirections name, but for those of errors."""
    files = [node for node in redirects if node.type == "file_redirect" and not node.child_by_field_name("descriptor")]
    return " ".join(
        runner.syntax.string(one) for node in files for one in node.children_by_field_name("destination")[:1]
    )
