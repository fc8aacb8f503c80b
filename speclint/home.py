"""Where speclint lives on the net.

The address is a guess until the project has one: whoever moves it changes ``HOME`` here, and a test names the files
that have to repeat it.
"""

from __future__ import annotations

HOME = "https://github.com/speclint/speclint"


# The letters of speclint's own codes.
OURS = "SGL"


def rule_url(code: str) -> str | None:
    """The page of a rule; None for a rule that somebody wrote for themselves, which has none.

    It is named by the code alone, since a rule may get a better name.
    """
    if not code.startswith(OURS):
        return None
    return f"{HOME}/blob/main/docs/rules/{code}.md"


def rule_link(code: str) -> str:
    """A rule's code in Markdown, as a link to its page where it has one."""
    url = rule_url(code)
    return code if url is None else f"[{code}]({url})"
