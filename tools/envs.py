"""Keeps the catalogue of SGLang's environment variables, release by release: speclint/sglang/data/envs.json.

    python tools/envs.py 0.5.24          add a release: fetch its wheel, read it, print what changed
    python tools/envs.py --all           read every release of the catalogue of options again
    python tools/envs.py --wheels DIR …  take unpacked wheels from DIR/VERSION/ where they lie there
    python tools/envs.py --check 0.5.24  print what would change, write nothing; exit 1 if something would

Names are read off the source of the wheel (see env_reads.py). What a word comes to is found by asking the release's own
classes and functions, which need nothing but the standard library.
"""

from __future__ import annotations

import argparse
import ast
import functools
import json
import logging
import os
import sys
import warnings
from typing import TYPE_CHECKING, Any

import catalog
import catalog_file
import env_reads
import envs_file

if TYPE_CHECKING:
    from collections.abc import Callable

ENVS = os.path.join(catalog.ROOT, "speclint", "sglang", "data", "envs.json")
_UTILS = ("srt/utils/common.py", "srt/utils.py")
_PROBE = "SPECLINT_PROBE"
_WORDS = ("true", "1", "yes", "y", "on", "t", "enable", "false", "0", "no", "n", "off", "f", "disable", "none", "")


def main() -> int:
    """Runs the command line; see the module's text."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("versions", nargs="*", metavar="VERSION")
    parser.add_argument("--all", action="store_true")
    parser.add_argument("--wheels", metavar="DIR")
    parser.add_argument("--check", action="store_true")
    options = parser.parse_args()
    versions = list(catalog_file.load(catalog.CATALOG)) if options.all else options.versions
    releases = {} if options.all else envs_file.load(ENVS)
    before = json.dumps(releases, sort_keys=True)
    for version in sorted(versions, key=catalog_file.key):
        with catalog.unpacked(version, options.wheels) as folder:
            releases[version] = read_release(folder)
        envs_file.print_changes(releases, version)
    if not options.check:
        envs_file.save(ENVS, releases)
        print(f"{ENVS}: {len(releases)} releases, {os.path.getsize(ENVS)} bytes")
        return 0
    return int(before != json.dumps(releases, sort_keys=True))


def read_release(folder: str) -> dict[str, Any]:
    """The variables of one unpacked wheel."""
    package = os.path.join(folder, "sglang")
    registry = _parsed(os.path.join(folder, env_reads.ENVIRON))
    converts = any(_is_conversion(node) for node in ast.walk(registry))
    return envs_file.release(env_reads.uses(package), converts, {**_fields(registry), **_functions(package)})


def _parsed(path: str) -> ast.Module:
    if not os.path.exists(path):
        return ast.Module([], [])
    with open(path, encoding="utf-8") as file:
        return ast.parse(file.read())


def _is_conversion(node: ast.AST) -> bool:
    """``key.startswith("SGL_")`` in the registry."""
    return isinstance(node, ast.Call) and ast.unparse(node).endswith(".startswith('SGL_')")


def _fields(registry: ast.Module) -> dict[str, str]:
    """What the classes of the registry make of words."""
    body: list[ast.stmt] = [
        node
        for node in registry.body
        if (isinstance(node, ast.ClassDef) and node.name != "Envs")
        or (isinstance(node, (ast.Import, ast.ImportFrom)) and "sglang" not in ast.unparse(node))
    ]
    space = _run(body)
    found = {}
    for name, kind in env_reads.FIELDS.items():
        if name in space and kind in ("bool", "int", "float"):
            field = space[name]("default")
            field.name = _PROBE
            found[kind] = _outcomes(field.get)
    return found


def _functions(package: str) -> dict[str, str]:
    """What the functions that read variables make of words."""
    found = {}
    for path in _UTILS:
        for node in _parsed(os.path.join(package, path)).body:
            if isinstance(node, ast.FunctionDef) and node.name in env_reads.GETTERS:
                node.decorator_list = []
                read = functools.partial(_run([node])[node.name], _PROBE, "default")
                found[env_reads.GETTERS[node.name]] = _outcomes(read)
    return found


def _run(body: list[ast.stmt]) -> dict[str, Any]:
    space: dict[str, Any] = {
        "__name__": "probe", "os": os, "logger": logging.getLogger("probe"), "_warned_bool_env_var_keys": set(),
    }  # fmt: skip
    future = ast.ImportFrom("__future__", [ast.alias("annotations")], 0)
    module = ast.fix_missing_locations(ast.Module([future, *body], []))
    exec(compile(module, "probe", "exec"), space)
    return space


def _outcomes(read: Callable[[], Any]) -> str:
    """Words that are true | words that are false | what a text comes to that is nothing of the kind."""
    true: list[str] = []
    false: list[str] = []
    for word in _WORDS:
        got = _outcome(read, word)
        if isinstance(got, bool) and got != _outcome(read, "neither"):
            (true if got else false).append(word)
        elif isinstance(got, bool) and word in ("false", "0"):
            false.append(word)
    other = _outcome(read, "neither")
    return f"{' '.join(true)}|{' '.join(false)}|{other if isinstance(other, str) else str(other).lower()}"


def _outcome(read: Callable[[], Any], text: str) -> Any:
    os.environ[_PROBE] = text
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return read()
        except Exception:  # whatever it is, the launch has it
            return "raises"


if __name__ == "__main__":
    logging.disable()
    sys.exit(main())
