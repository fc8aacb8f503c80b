"""Where speclint lives on the net.

The address is a guess until the project has one: whoever moves it changes ``HOME`` here, and a test names the files
that have to repeat it.
"""

from __future__ import annotations

HOME = "https://github.com/speclint/speclint"


def rule_url(code: str) -> str:
    """The page of a rule. It is named by the code alone, since a rule may get a better name."""
    return f"{HOME}/blob/main/docs/rules/{code}.md"
