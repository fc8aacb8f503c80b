"""The schemas in docs/schema against what speclint takes, and the settings as ``--show-settings`` prints them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from speclint.settings import FAIL_ON, FORMATS, KEYS, ConfigError, Settings, read_value

Cli = Any


@pytest.fixture
def schema(repository: Path) -> Any:
    return json.loads((repository / "docs/schema/config.json").read_text("utf-8"))


def test_every_key_is_there(schema: Any) -> None:
    jsonschema.Draft202012Validator.check_schema(schema)
    assert set(schema["properties"]) == set(KEYS)
    assert list(schema["properties"]) == sorted(KEYS)
    assert schema["properties"]["output-format"]["enum"] == list(FORMATS)
    assert schema["properties"]["fail-on"]["enum"] == list(FAIL_ON)


@pytest.mark.parametrize("key", KEYS)
@pytest.mark.parametrize(
    "value",
    [True, "a", "error", "sarif", "0.5.9", "auto", "", 0, 3, ["SGL2"], [1], {"a": "b"}, {"a": ["SGL2"]}, {"a": 1}],
    ids=repr,
)
def test_values(schema: Any, key: str, value: Any) -> None:
    fits = jsonschema.Draft202012Validator(schema).is_valid({key: value})
    try:
        read_value(key, value, "x")
    except ConfigError:
        assert not fits
    else:
        # Of what is taken, the schema leaves out what only setup.cfg needs: text for a switch or a number.
        assert fits or isinstance(value, str) or value == 0 or key == "jobs"


def test_defaults(schema: Any) -> None:
    settings = Settings("")
    for key, told in schema["properties"].items():
        if "default" in told and key not in ("jobs", "output-format"):
            assert told["default"] == getattr(settings, key.replace("-", "_"))


def test_show_settings(cli: Cli, schema: Any) -> None:
    cli.write("a/speclint.toml", 'ignore = ["SGL2"]\n[per-file-ignores]\n"b*.sh" = ["SGL1"]\n')
    cli.write("a/b.sh", "")
    ran = cli("--show-settings", "--fail-on", "error", "a/b.sh", ".")
    assert ran.status == 0
    first, second = ran.out.split("\n\n")
    assert first.startswith(f"# a/b.sh: {cli.folder / 'a' / 'speclint.toml'}\n")
    assert 'ignore = ["SGL2"]  # set\n' in first
    assert 'per-file-ignores = {"b*.sh" = ["SGL1"]}  # set\n' in first
    assert 'fail-on = "error"  # set\n' in second
    assert "\nignore = []\n" in second
    cli.write("again.toml", first)
    again = cli("--show-settings", "--config", "again.toml", "a/b.sh")
    assert again.out.split("\n")[1:] == [*first.split("\n")[1:], ""]
    told = cli("--show-settings", "--output-format", "json", "a/b.sh").json
    known = {key: value for key, value in told[0]["settings"].items() if value is not None}
    jsonschema.Draft202012Validator(schema).validate(known)
