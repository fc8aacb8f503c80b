"""Configuration from outside: where it is found, what it may say, and what is refused."""

from __future__ import annotations

from typing import Any

import pytest

from speclint.config import Configs
from speclint.settings import KEYS, ConfigError

Cli = Any


@pytest.fixture
def linted(cli: Cli, sources: dict[str, str]) -> Cli:
    cli.write("a/serve.sh", sources["serve.sh"])
    return cli


def codes(cli: Cli, *words: str) -> list[str]:
    ran = cli("--output-format", "json", *words)
    assert ran.err == "", ran.err
    return [code for code in ran.codes if code == "SGL201"]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("speclint.toml", 'ignore = ["SGL201"]\n'),
        ("pyproject.toml", '[tool.speclint]\nignore = ["lightning-topk"]\n'),
        ("setup.cfg", "[speclint]\nignore =\n    SGL1,\n    SGL201\n"),
        ("speclint.toml", '[per-file-ignores]\n"*.sh" = ["SGL2"]\n'),
        ("speclint.toml", 'per-file-ignores = {"a/**" = ["SGL2"]}\n'),
        ("speclint.toml", 'per-file-ignores = {"!b/" = ["SGL2"]}\n'),
        ("setup.cfg", "[speclint]\nper-file-ignores =\n    a/: SGL201\n    b/: SGL1\n"),
        ("speclint.toml", 'select = ["SGL1"]\n'),
        ("speclint.toml", 'exclude = ["a"]\n'),
        ("speclint.toml", 'extend-exclude = ["a/serve.sh"]\n'),
    ],
)
def test_every_form_is_read(linted: Cli, name: str, text: str) -> None:
    assert codes(linted) == ["SGL201"]
    linted.write(name, text)
    assert codes(linted) == []
    assert codes(linted, "--isolated") == ["SGL201"]


def test_nearest_file_holds_alone(linted: Cli) -> None:
    linted.write("speclint.toml", 'ignore = ["SGL201"]\n')
    linted.write("a/speclint.toml", "")
    assert codes(linted) == ["SGL201"]
    linted.write("b/serve.sh", (linted.folder / "a/serve.sh").read_text())
    assert codes(linted, "a", "b") == ["SGL201"]


def test_a_pyproject_that_says_nothing_is_passed_by(linted: Cli) -> None:
    linted.write("speclint.toml", 'ignore = ["SGL201"]\n')
    linted.write("a/pyproject.toml", "[project]\nname = 'speclint-user'\n")
    linted.write("a/setup.cfg", "[flake8]\nselect = SGL\n# speclint\n")
    assert codes(linted) == []


def test_order_in_a_folder(linted: Cli) -> None:
    linted.write("speclint.toml", "")
    linted.write("pyproject.toml", '[tool.speclint]\nignore = ["SGL201"]\n')
    assert codes(linted) == ["SGL201"]


def test_patterns_count_from_the_folder_of_the_file(linted: Cli) -> None:
    linted.write("a/speclint.toml", 'per-file-ignores = {"/serve.sh" = ["SGL201"]}\n')
    assert codes(linted) == []
    linted.write("a/speclint.toml", 'per-file-ignores = {"a/serve.sh" = ["SGL201"]}\n')
    assert codes(linted) == ["SGL201"]


def test_given_file(linted: Cli) -> None:
    linted.write("conf/mine.toml", 'ignore = ["SGL201"]\n')
    linted.write("a/speclint.toml", "")
    assert codes(linted, "--config", "conf/mine.toml") == []


def test_given_key(linted: Cli) -> None:
    assert codes(linted, "--config", "ignore = ['SGL201']") == []
    assert codes(linted, "--config", 'per-file-ignores = {"*.sh" = ["SGL2"]}') == []


def test_command_line_comes_first(linted: Cli) -> None:
    linted.write("speclint.toml", 'ignore = ["SGL201"]\nfail-on = "never"\noutput-format = "concise"\n')
    assert codes(linted, "--select", "SGL201") == ["SGL201"]
    assert codes(linted, "--extend-select", "SGL201") == []
    assert linted("--select", "SGL201").status == 0
    assert linted("--select", "SGL201", "--fail-on", "error").status == 1


def test_options_from_a_file(linted: Cli) -> None:
    linted.write("speclint.toml", 'select = ["SGL201"]\nfix = true\noutput-format = "json"\n')
    ran = linted()
    assert (ran.status, ran.json) == (0, [])
    assert "TOPK=1" in (linted.folder / "a/serve.sh").read_text()


@pytest.mark.parametrize(
    ("name", "text", "told"),
    [
        ("speclint.toml", "selekt = []\n", "speclint.toml: unknown key `selekt`; did you mean `select`?"),
        ("speclint.toml", "sglang_version = '0.5.9'\n", "did you mean `sglang-version`?"),
        ("speclint.toml", "zzz = 1\n", "speclint.toml: unknown key `zzz`\n"),
        ("speclint.toml", "select = 'a\n", "speclint.toml: "),
        ("speclint.toml", "select = [1]\n", "`select` must be a list of strings"),
        ("speclint.toml", "fix = 'maybe'\n", "`fix` must be true or false"),
        ("speclint.toml", "fail-on = 'fatal'\n", "`fail-on` must be one of `error`, `warning`, `info`, `never`"),
        ("speclint.toml", "jobs = 0\n", "`jobs` must be a number from 1"),
        ("speclint.toml", "models = []\n", "`models` must be a table of strings"),
        ("speclint.toml", "sglang-version = 'main'\n", "`sglang-version` must be a release of SGLang"),
        ("speclint.toml", "select = ['SGL201', 'lightning']\n", "select: no rule is called `lightning`"),
        ("speclint.toml", b"select = ['\xff']\n", "speclint.toml: "),
        ("pyproject.toml", "[tool]\nspeclint = 3\n", "pyproject.toml: `tool.speclint` must be a table"),
        ("setup.cfg", "[speclint]\nper-file-ignores = a\n", "a row must read `NAME: VALUE`"),
        ("setup.cfg", "[speclint]\nfix\n", "setup.cfg: "),
        ("setup.cfg", "[speclint]\nselcet = SGL2\n", "did you mean `select`?"),
    ],
)
def test_what_is_refused(linted: Cli, name: str, text: str | bytes, told: str) -> None:
    linted.write(name, text)
    ran = linted()
    assert (ran.status, ran.out) == (2, "")
    assert told in ran.err
    assert linted("--isolated", "--select", "SGL201").status == 1


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["--config", "none.toml"], "none.toml: cannot be read"),
        (["--config", "a/serve.sh", "--config", "a"], "only one configuration file"),
        (["--config", "select = "], "neither a file nor `KEY=VALUE`"),
        (["--config", "selekt = []"], "did you mean `select`?"),
        (["--config", "a/serve.sh", "--isolated"], "exclude each other"),
    ],
)
def test_config_options_that_are_refused(linted: Cli, words: list[str], told: str) -> None:
    ran = linted(*words)
    assert (ran.status, ran.out) == (2, "")
    assert told in ran.err


def test_models(cli: Cli) -> None:
    cli.write(
        "serve.sh",
        "python -m sglang.launch_server --model-path our/ring --speculative-algorithm NEXTN"
        " --speculative-num-steps 3 --speculative-eagle-topk 4 --speculative-num-draft-tokens 4\n",
    )
    assert codes(cli) == []
    cli.write("speclint.toml", '[models]\n"our/ring" = "BailingMoeV2_5ForCausalLM"\n')
    assert codes(cli) == ["SGL201"]
    cli.write("speclint.toml", "")
    cli.write("setup.cfg", "")
    (cli.folder / "speclint.toml").unlink()
    cli.write("setup.cfg", "[speclint]\nmodels =\n    our/ring = BailingMoeV2_5ForCausalLM\n")
    assert codes(cli) == ["SGL201"]


def test_own_rules(cli: Cli, repository: Any, sources: dict[str, str]) -> None:
    rule = (repository / "rules/SGL201-lightning-topk.yaml").read_text()
    cli.write("ci/rules/OUR201-our-topk.yaml", rule.replace("SGL201", "OUR201").replace("lightning-topk", "our-topk"))
    cli.write("speclint.toml", 'rules = ["ci/rules"]\n')
    cli.write("a/serve.sh", sources["serve.sh"])
    assert {"SGL201", "OUR201"} <= set(cli("--output-format", "json", "a").codes)
    assert cli("--output-format", "json", "--select", "OUR201", "a").codes == ["OUR201"]
    cli.write("speclint.toml", 'rules = ["ci/nowhere"]\n')
    ran = cli("a")
    assert ran.status == 2
    assert "nowhere" in ran.err


@pytest.mark.parametrize("key", [*KEYS, "nonsense"])
def test_nonsense_is_one_line_that_names_the_file(key: str, tmp_path: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    deep, told = 30_000, []
    for value in ("[" * deep + "]" * deep, "{a=" * deep + "1" + "}" * deep, f"0x{'f' * deep}", "9" * deep, f'"\\u0000{"x" * deep}"',
                  f'["\\u0000{"x" * deep}"]', f"{{a = 0x{'f' * deep}}}", "inf", "nan", "2020-01-01"):  # fmt: skip
        (tmp_path / "speclint.toml").write_text(f"{key} = {value}\n")
        try:
            Configs().for_file("a.sh")
        except ConfigError as error:
            told.append(str(error))
    assert len(told) >= 4
    for line in told:
        assert line.startswith("speclint.toml: ")
        assert "\n" not in line
        assert len(line) < 300


def test_rules_that_are_none_are_told_in_a_line(linted: Cli) -> None:
    linted.write("speclint.toml", f'ignore = ["{"x" * 3000}"]\n')
    ran = linted("a/serve.sh")
    assert ran.status == 2
    assert ran.err.startswith("speclint: ignore: no rule is called `xxx")
    assert len(ran.err) < 300
