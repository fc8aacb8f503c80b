"""What pyproject.toml cannot say: rules/ lies beside the package and is shipped inside it, as speclint/_rules.

The rules also go in as one file in which nothing is left to be parsed: YAML and expressions cost more to read than all
else that a run on one file does. So does the catalogue, since reading JSON takes 10 ms with the module for it.
"""

from __future__ import annotations

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
        from speclint import preparing
        from speclint.rules import load
        from speclint.sglang import stored

        load.write_compiled(load.read_folder(os.path.join(HERE, "rules")), os.path.join(target, load.COMPILED))
        stored.compile_all(os.path.join(self.build_lib, "speclint", "sglang", "data"))
        preparing.write_all(os.path.join(self.build_lib, "speclint"))


setup(cmdclass={"build_py": BuildWithRules})
