"""Keeps what the models' own code can and cannot do, release by release: speclint/sglang/data/abilities.tsv.

    python tools/abilities.py                  read every release of the catalogue, fetching the wheels
    python tools/abilities.py --wheels DIR     take unpacked wheels from DIR/VERSION/ where they lie there
    python tools/abilities.py --check          print nothing but whether the file would change; exit 1 if so

A model can be cut into a pipeline if its ``forward`` takes ``pp_proxy_tensors`` (0.5.23 model_executor/model_runner.py:
509 asserts it); its encoder can be served apart if the list in ``handle_encoder_disaggregation`` has it. Both are read
off the source without running it: a class whose ``forward`` is not found has no row.
"""

from __future__ import annotations

import argparse
import ast
import os
import sys
from typing import TYPE_CHECKING

import catalog
import catalog_file

if TYPE_CHECKING:
    from collections.abc import Iterator

FILE = os.path.join(catalog.ROOT, "speclint", "sglang", "data", "abilities.tsv")
HEADER = "# what	architecture	first release	first release without (- where it still holds)"
_FIRST = {"no-pipeline": "0.5.5.post1", "encoder": "0.5.10rc0"}
_PLAIN = frozenset(("torch.no_grad()", "torch.inference_mode()", "no_grad()", "inference_mode()"))


class Models:
    """The classes of ``srt/models`` of one release."""

    def __init__(self, folder: str) -> None:
        self.trees: dict[str, ast.Module] = {}
        for path, _, names in os.walk(os.path.join(folder, "sglang", "srt", "models")):
            for name in names:
                if name.endswith(".py"):
                    module = os.path.relpath(os.path.join(path, name), folder)[:-3].replace(os.sep, ".")
                    with open(os.path.join(path, name), encoding="utf-8-sig") as file:
                        self.trees[module.removesuffix(".__init__")] = ast.parse(file.read())

    def without_pipeline(self) -> Iterator[str]:
        """The architectures that are served by a class that is known to take no part of a pipeline."""
        for module, tree in self.trees.items():
            if module.count(".") == 3:
                for name in _entries(tree):
                    taken = self._parameters(module, name, 0)
                    if taken is not None and "pp_proxy_tensors" not in taken:
                        yield name

    def _parameters(self, module: str, name: str, depth: int) -> set[str] | None:
        """The parameters of a class's ``forward``; None where it is not found."""
        tree = self.trees.get(module)
        if tree is None or depth > 8:
            return None
        for node in tree.body:
            if isinstance(node, ast.ClassDef) and node.name == name:
                return self._of_class(module, node, depth)
            if isinstance(node, ast.ImportFrom) and node.module is not None:
                for alias in node.names:
                    if (alias.asname or alias.name) == name:
                        return self._parameters(node.module, alias.name, depth + 1)
        return None

    def _of_class(self, module: str, node: ast.ClassDef, depth: int) -> set[str] | None:
        for statement in node.body:
            if isinstance(statement, ast.FunctionDef) and statement.name == "forward":
                wrapped = any(ast.unparse(one) not in _PLAIN for one in statement.decorator_list)
                given = statement.args
                return None if wrapped else {one.arg for one in (*given.posonlyargs, *given.args, *given.kwonlyargs)}
            if isinstance(statement, ast.Assign) and "forward" in map(ast.unparse, statement.targets):
                return None
        for base in node.bases:
            found = self._parameters(module, base.id, depth + 1) if isinstance(base, ast.Name) else None
            if found is not None or not (isinstance(base, ast.Attribute) and ast.unparse(base) == "nn.Module"):
                return found
        return None


def encoders(folder: str) -> Iterator[str]:
    """The architectures whose encoder can be served apart."""
    for path in ("srt/arg_groups/pd_disaggregation_hook.py", "srt/server_args.py"):
        whole = os.path.join(folder, "sglang", *path.split("/"))
        if not os.path.isfile(whole):
            continue
        with open(whole, encoding="utf-8-sig") as file:
            tree = ast.parse(file.read())
        for node in ast.walk(tree):
            if isinstance(node, ast.If) and "is not supported for encoder disaggregation" in ast.unparse(node):
                compared = [one for one in ast.walk(node.test) if isinstance(one, ast.Compare)]
                lists = [one.comparators[0] for one in compared if isinstance(one.ops[0], ast.NotIn)]
                for listed in lists:
                    yield from ast.literal_eval(listed)


def _entries(tree: ast.Module) -> Iterator[str]:
    for node in tree.body:
        if isinstance(node, ast.Assign) and "EntryClass" in map(ast.unparse, node.targets):
            listed = node.value.elts if isinstance(node.value, (ast.List, ast.Tuple)) else [node.value]
            yield from (one.id for one in listed if isinstance(one, ast.Name))


def rows(found: dict[str, dict[str, set[str]]]) -> Iterator[str]:
    """Lines of the file from what holds in each release, oldest first."""
    versions = list(found)
    for what in sorted(_FIRST):
        for name in sorted(set().union(*(held[what] for held in found.values()))):
            since = None
            for version in versions:
                if name in found[version][what]:
                    since = since or version
                elif since is not None:
                    yield f"{what}\t{name}\t{since}\t{version}"
                    since = None
            if since is not None:
                yield f"{what}\t{name}\t{since}\t-"


def main() -> int:
    """Runs the command line; see the module's text."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--wheels", metavar="DIR")
    parser.add_argument("--check", action="store_true")
    options = parser.parse_args()
    found: dict[str, dict[str, set[str]]] = {}
    first = {what: catalog_file.key(version) for what, version in _FIRST.items()}
    for version in sorted(catalog_file.load(catalog.CATALOG), key=catalog_file.key):
        if catalog_file.key(version) < min(first.values()):
            continue
        with catalog.unpacked(version, options.wheels) as folder:
            held = {"no-pipeline": set(Models(folder).without_pipeline()), "encoder": set(encoders(folder))}
        found[version] = {
            what: got if catalog_file.key(version) >= first[what] else set() for what, got in held.items()
        }
    text = "\n".join((HEADER, *rows(found))) + "\n"
    with open(FILE, encoding="utf-8") as file:
        stale = file.read() != text
    if not options.check and stale:
        with open(FILE, "w", encoding="utf-8", newline="\n") as file:
            file.write(text)
    print(f"{FILE}: {'changed' if stale else 'as it was'}")
    return int(stale and options.check)


if __name__ == "__main__":
    sys.exit(main())
