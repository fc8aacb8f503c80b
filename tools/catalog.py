"""Keeps the catalogue of SGLang's command-line options, release by release: speclint/sglang/data/catalog.json.

    python tools/catalog.py 0.5.24          add a release: fetch its wheel, read it, print what changed
    python tools/catalog.py --all           read every release again
    python tools/catalog.py --wheels DIR …  take unpacked wheels from DIR/VERSION/ where they lie there
    python tools/catalog.py --check 0.5.24  print what would change, write nothing; exit 1 if something would

Everything is read from the wheels: each release's own ``add_cli_args`` fills a real ``argparse`` parser (see
sglang_wheel.py), and each retired option is called once to see whether it warns, does nothing or stops the launch.
"""

from __future__ import annotations

import argparse
import contextlib
import dataclasses
import json
import logging
import os
import re
import subprocess
import sys
import tempfile
from typing import TYPE_CHECKING, Any

import catalog_file
import msgspec_standin
import sglang_wheel

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
CATALOG = os.path.join(ROOT, "speclint", "sglang", "data", "catalog.json")
FIRST = "0.4.0"
# Programs that fill their parser with the server's options and then with their own; the second name is the newer one.
PROGRAMS = {
    "sglang.bench_one_batch": "sglang.benchmark.one_batch",
    "sglang.bench_one_batch_server": "sglang.benchmark.one_batch_server",
    "sglang.bench_offline_throughput": "sglang.benchmark.offline_throughput",
    "sglang.compile_deep_gemm": None,
}
_ACTIONS = {
    "_StoreAction": "store",
    "_StoreTrueAction": "store_true",
    "_StoreFalseAction": "store_false",
    "_StoreConstAction": "store_const",
    "_AppendAction": "append",
    "_HelpAction": "help",
    "BooleanOptionalAction": "bool_optional",
    "LoRAPathAction": "lora_paths",
    "DeprecatedAliasStoreAction": "store",
    "DeprecatedStoreTrueAction": "store_true",
    "DeprecatedStoreConstAction": "store_const",
    "DeprecatedAction": "store_true",
}
_TYPES = {
    "loads": "json",
    "json_list_type": "json_list",
    "human_readable_int": "human_int",
    "parse_cuda_graph_config_arg": "cuda_graph_config",
    "parse_cuda_graph_backend_arg": "str",
}
# ``sglang serve`` hands a diffusion model to another parser; its options are known by name only.
DIFFUSION = "sglang.multimodal_gen.runtime.entrypoints.cli.serve"


def main() -> int:
    """Runs the command line; see the module's text."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("versions", nargs="*", metavar="VERSION")
    parser.add_argument("--all", action="store_true")
    parser.add_argument("--wheels", metavar="DIR")
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--dump", metavar="DIR", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.dump:
        logging.disable()
        json.dump(read_release(options.dump), sys.stdout)
        return 0
    versions = options.versions
    if options.all:
        versions = [version for version in published() if catalog_file.key(version) >= catalog_file.key(FIRST)]
    releases = {} if options.all else catalog_file.load(CATALOG)
    before = json.dumps(releases, sort_keys=True)
    for version in sorted(versions, key=catalog_file.key):
        releases[version] = fetch(version, options.wheels)
        catalog_file.print_changes(releases, version)
    if not options.check:
        catalog_file.save(CATALOG, releases)
        print(f"{CATALOG}: {len(releases)} releases, {os.path.getsize(CATALOG)} bytes")
        return 0
    return int(before != json.dumps(releases, sort_keys=True))


def published() -> list[str]:
    """Every release of SGLang that the package index lists, candidates and post releases too."""
    answer = _run("pip", "index", "versions", "--pre", "sglang")
    listed = next(line for line in answer.splitlines() if line.startswith("Available versions:"))
    return [text.strip() for text in listed.partition(":")[2].split(",")]


def fetch(version: str, wheels: str | None) -> Any:
    """What one release accepts, read in a process of its own, since its modules would stay behind."""
    with unpacked(version, wheels) as folder:
        return json.loads(_run(__file__, "--dump", folder))


@contextlib.contextmanager
def unpacked(version: str, wheels: str | None) -> Iterator[str]:
    """The folder of an unpacked wheel: one that lies under ``wheels``, else one that is fetched and goes away again."""
    if wheels is not None and os.path.isdir(os.path.join(wheels, version, "sglang")):
        yield os.path.join(wheels, version)
        return
    with tempfile.TemporaryDirectory() as folder:
        _run("pip", "download", "--quiet", "--no-deps", "--dest", folder, f"sglang=={version}")
        archive = next(name for name in os.listdir(folder) if name.endswith(".whl"))
        target = os.path.join(folder, "unpacked")
        _run("zipfile", "--extract", os.path.join(folder, archive), target)
        yield target


def _run(tool: str, *arguments: str) -> str:
    command = [sys.executable, *([tool] if tool.endswith(".py") else ["-m", tool]), *arguments]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=False)
    if done.returncode:
        sys.exit(f"{' '.join(command)}: exit {done.returncode}")
    return done.stdout


def read_release(folder: str) -> dict[str, Any]:
    """The option tables and the peculiarities of one unpacked wheel."""
    wheel = sglang_wheel.Wheel(folder)
    server_args = _attribute(wheel, "sglang.srt.server_args", "ServerArgs")
    tables = {"server": _table(server_args.add_cli_args)}
    renamed = dict(re.findall(r"^\s+args\.(\w+) = args\.(\w+)$", _text(wheel, "srt/server_args.py"), re.MULTILINE))
    fields = {field.name for field in (msgspec_standin.fields(server_args) or dataclasses.fields(server_args))}
    for record in tables["server"]:
        # What the parser calls tensor_parallel_size, the configuration calls tp_size.
        record["dest"] = next((field for field, dest in renamed.items() if dest == record["dest"]), record["dest"])
    reached = {record["dest"] for record in tables["server"]}
    tables["fields"] = _names(fields - reached)
    tables["not_fields"] = _names(reached - fields)
    for program, newer in PROGRAMS.items():
        own = next((own for name in (program, newer) if name and (own := _own_options(wheel, name)) is not None), None)
        if own is not None:
            tables[program] = own
    diffusion = wheel.module(DIFFUSION)
    if diffusion is not None:
        table = _table(diffusion.add_multimodal_gen_serve_args)
        tables["diffusion"] = _names({name for record in table for name in record["strings"]})
    read = _names_read(os.path.join(folder, "sglang"))
    for record in tables["server"]:
        if record["dest"] not in read and record["dest"] not in ("help", "config"):
            record["unread"] = True
    _refuse_what_is_not_known(tables)
    return {"tables": tables, "features": sorted(_features(wheel))}


def _names(names: set[str]) -> list[dict[str, Any]]:
    """A table of which nothing but the names counts."""
    return [{"strings": [name], "dest": catalog_file.usual_dest(name), "action": "store"} for name in sorted(names)]


def _attribute(wheel: sglang_wheel.Wheel, module: str, name: str) -> Any:
    return getattr(wheel.import_(module, fromlist=(name,)), name)


def _own_options(wheel: sglang_wheel.Wheel, module: str) -> list[dict[str, Any]] | None:
    """The options that a program adds to the server's; None where the release has no such program."""
    path = os.path.join(wheel.root, *module.split(".")) + ".py"
    if not os.path.exists(path):
        return None
    with open(path, encoding="utf-8") as file:
        text = file.read()
    classes = set(re.findall(r"\b(\w+)\.add_cli_args\(", text)) - {"ServerArgs"}
    records = []
    for name in sorted(classes):
        table = _table(_attribute(wheel, module, name).add_cli_args)
        records.extend(record for record in table if record["dest"] != "help")
    return records or None


def _table(add_cli_args: Callable[[argparse.ArgumentParser], object]) -> list[dict[str, Any]]:
    parser = argparse.ArgumentParser(prog="")
    add_cli_args(parser)
    return [_record(parser, action) for action in parser._actions]


def _record(parser: argparse.ArgumentParser, action: argparse.Action) -> dict[str, Any]:
    """One option as plain data; what is as usual is left out."""
    kind = type(action).__name__
    record: dict[str, Any] = {"strings": list(action.option_strings), "dest": action.dest}
    record["action"] = _ACTIONS.get(kind, kind)
    if record["action"] == "lora_paths" and not _takes_json(parser, action):
        record["action"] = "lora_pairs"
    if action.type is not None:
        name = getattr(action.type, "__name__", "")
        record["type"] = _TYPES.get(name, name)
    if action.choices is not None:
        choices = sorted(action.choices) if isinstance(action.choices, (set, frozenset)) else list(action.choices)
        record["choices"] = [str(choice) for choice in choices]
    if action.nargs not in (None, 0):
        record["nargs"] = action.nargs
    elif action.nargs is None and record["action"] == "store_const":
        record["nargs"] = 1
    const = getattr(action, "const_value", action.const)
    if const is not None and record["action"] in ("store_const", "store"):
        record["const"] = const
    usual = (None, argparse.SUPPRESS, *([False] if record["action"] == "store_true" else []))
    if not any(action.default is value for value in usual):
        record["default"] = action.default
    if action.required:
        record["required"] = True
    record.update(_retirement(parser, action))
    return record


def _takes_json(parser: argparse.ArgumentParser, action: argparse.Action) -> bool:
    """Whether a LoRA path in braces is read as JSON; before that, all were paths or NAME=PATH."""
    try:
        action(parser, argparse.Namespace(), ["{x}"])
    except ValueError:
        return True
    return False


def _retirement(parser: argparse.ArgumentParser, action: argparse.Action) -> dict[str, str]:
    """Whether and how an option is deprecated, found by using it, and what takes its place."""
    found: dict[str, str] = {}
    help_text = action.help or ""
    told = " ".join(filter(None, (getattr(action, "new_flag", ""), getattr(action, "error_message", ""), help_text)))
    if type(action).__name__.startswith("Deprecated"):
        namespace = argparse.Namespace()
        parser.exit = parser.error = _refuse  # type: ignore[method-assign, assignment]
        try:
            action(parser, namespace, ["1"], action.option_strings[0])
            found["deprecated"] = "warned" if vars(namespace) else "ignored"
        except (ValueError, TypeError, RuntimeError):
            found["deprecated"] = "refused"
    elif re.match(r"\W*deprecated\b", help_text, re.IGNORECASE):
        found["deprecated"] = "documented"
    if found:
        replacement = catalog_file.replacement(told, action.option_strings)
        if replacement:
            found["replacement"] = replacement
    return found


def _refuse(*_arguments: Any, **_named: Any) -> None:
    raise ValueError


def _refuse_what_is_not_known(tables: dict[str, list[dict[str, Any]]]) -> None:
    for record in [record for table in tables.values() for record in table]:
        _refuse_stand_ins(list(record.values()))
        if record["action"] not in (*_ACTIONS.values(), "lora_pairs"):
            sys.exit(f"{record}: teach tools/catalog.py and speclint what this action does")


def _refuse_stand_ins(value: Any) -> None:
    if sglang_wheel.is_stand_in(value):
        sys.exit(f"a value of the catalogue would come from a package that is not there: {value!r}")
    for part in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        _refuse_stand_ins(part)


def _names_read(package: str) -> set[str]:
    """Every attribute and string in the code of the server; an option whose name is in none of them does nothing.

    ``ServerArgs.x`` is how an option is given its default, not a reading of it.
    """
    names: set[str] = set()
    for path in _sources(package):
        with open(path, encoding="utf-8", errors="replace") as file:
            text = file.read()
        names.update(re.findall(r"(?<!\bServerArgs)\.(\w+)\b(?!\s*=[^=])", text))
        names.update(re.findall(r"(?<!dest=)[\"'](\w+)[\"']", text))
    return names


def _sources(package: str) -> Iterator[str]:
    for folder, folders, files in os.walk(package):
        folders[:] = [name for name in folders if name not in ("test", "multimodal_gen", "lang")]
        # The list of fields in their order names every option and reads none.
        yield from (os.path.join(folder, name) for name in files if name.endswith(".py") and name != "field_order.py")


def _features(wheel: sglang_wheel.Wheel) -> Iterator[str]:
    """Peculiarities of the command line that no option table shows."""
    serve = _text(wheel, "cli/serve.py")
    if serve:
        yield "serve"
    if '"--model-type"' in serve:
        yield "serve-model-type"
    if "positional_model_path" in serve:
        yield "serve-positional"
    merger = _text(wheel, "srt/server_args_config_parser.py") or _text(wheel, "srt/utils/server_args_config_parser.py")
    if merger:
        yield "config"
    if "json.dumps" in merger:
        yield "config-json"
    if "nsupported config option" in merger:
        yield "config-refuses"
    if "option_strings" in merger and "_config_keys" in merger:
        yield "config-aliases"


def _text(wheel: sglang_wheel.Wheel, path: str) -> str:
    path = os.path.join(wheel.root, "sglang", path)
    if not os.path.exists(path):
        return ""
    with open(path, encoding="utf-8") as file:
        return file.read()


if __name__ == "__main__":
    sys.exit(main())
