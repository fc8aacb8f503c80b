"""What pyproject.toml cannot say: rules/ lies beside the package and is shipped inside it, as speclint/_rules.

The rules also go in as one file in which nothing is left to be parsed: YAML and expressions cost more to read than all
else that a run on one file does.
"""

from __future__ import annotations

import json
import os
import shutil
import sys

from setuptools import setup
from setuptools.command.build_py import build_py

HERE = os.path.dirname(os.path.abspath(__file__))


class BuildWithRules(build_py):
    def run(self) -> None:
        super().run()
        if getattr(self, "editable_mode", False):
            return  # a checkout reads rules/ itself
        target = os.path.join(self.build_lib, "speclint", "_rules")
        shutil.rmtree(target, ignore_errors=True)
        shutil.copytree(os.path.join(HERE, "rules"), target)
        sys.path.insert(0, HERE)
        from speclint.rules import load

        rules = [load.compiled(rule) for rule in load.read_folder(os.path.join(HERE, "rules"))]
        with open(os.path.join(target, load.COMPILED), "w", encoding="utf-8") as stream:
            json.dump(rules, stream, separators=(",", ":"))


setup(cmdclass={"build_py": BuildWithRules})
