"""flake8 in one process, with speclint's plugin or without: ``python flake8_run.py with|without PATH``."""

import importlib.metadata
import sys


def main(plugin, path):
    """Run flake8."""
    if plugin == "without":
        distributions = importlib.metadata.distributions

        def others(**kwargs):
            return (found for found in distributions(**kwargs) if found.metadata["name"] != "speclint")

        importlib.metadata.distributions = others
    else:  # the same work, so that only the plugin differs
        found = list(importlib.metadata.distributions())
        assert any(distribution.metadata["name"] == "speclint" for distribution in found), "speclint is not installed"
    from flake8.main import cli

    return cli.main(["--isolated", "--jobs=1", "--exit-zero", "-q", path])


sys.exit(main(*sys.argv[1:]))
