"""How a report names a file for a service that knows the repository, not the folder in which speclint ran."""

from __future__ import annotations

import os

# What a runner calls the root of its checkout, by the variable that tells that it is that runner.
_ROOTS = (("GITHUB_ACTIONS", "GITHUB_WORKSPACE"), ("GITLAB_CI", "CI_PROJECT_DIR"))


def relative(path: str) -> str:
    """``path`` from the root of the checkout, or from the current folder, with ``/``; whole where it lies outside."""
    root = next((os.environ[root] for mark, root in _ROOTS if os.environ.get(mark) and os.environ.get(root)), "")
    # A link to a file is told by its own name, which is the one that the repository lists.
    whole = os.path.join(os.path.realpath(os.path.dirname(path) or os.curdir), os.path.basename(path))
    for base in filter(None, (root, os.getcwd())):
        base = os.path.realpath(base)
        if os.path.splitdrive(base)[0] == os.path.splitdrive(whole)[0]:
            found = os.path.relpath(whole, base)
            if found.split(os.sep)[0] != os.pardir:
                return found.replace(os.sep, "/")
    return whole.replace(os.sep, "/")


def uri(path: str) -> str:
    """The same as a URI reference; one that lies outside is a ``file:`` URI."""
    from urllib.parse import quote

    name = relative(path)
    escaped = quote(name.encode("utf-8", "surrogateescape"), safe="/!$&'()*+,;=@~-._")
    return f"file:///{escaped.lstrip('/')}" if os.path.isabs(name) else escaped
