"""Parse every file of a tree with the parser that speclint has for it, and do nothing else."""

import ast
import os
import sys

import tree_sitter
import tree_sitter_bash
import yaml


def main(root):
    """Parse the files below a folder."""
    shell = tree_sitter.Parser(tree_sitter.Language(tree_sitter_bash.language()))
    for folder, _, names in os.walk(root):
        for name in names:
            with open(os.path.join(folder, name), "rb") as stream:
                text = stream.read()
            if name.endswith(".py"):
                ast.parse(text)
            elif name.endswith((".yaml", ".yml")):
                list(yaml.compose_all(text, Loader=yaml.CSafeLoader))
            else:
                shell.parse(text)


main(sys.argv[1])
