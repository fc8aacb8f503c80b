"""Rules on what a shell takes from a launch: where each speaks, where it does not, and what its fix leaves."""

from __future__ import annotations

import subprocess
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from speclint.hosts.shell.lost import lost

if TYPE_CHECKING:
    from tests.conftest import Cli

LAUNCH = "python3 -m sglang.launch_server --model-path a/b"


def told(cli: Cli, name: str, text: str) -> list[tuple[str, int, str]]:
    """Code, row and level of what the SGL9 rules say."""
    cli.write(name, text)
    found = cli.check("--select=SGL9", "--isolated", name).json
    return [(f["code"], f["location"]["row"], f["level"]) for f in found]


def fixed(cli: Cli, name: str, text: str) -> str:
    path = cli.write(name, text)
    cli("check", "--select=SGL9", "--isolated", "--fix", name)
    return path.read_bytes().decode()


class TestLost:
    def test_a_blank_behind_a_backslash_and_what_it_loses(self, cli: Cli) -> None:
        text = f"{LAUNCH} \\ # why\n  --tp-size 2 \\\n  --port 1\n"
        assert told(cli, "a.sh", text) == [("SGL901", 1, "error"), ("SGL902", 2, "error")]

    @pytest.mark.parametrize(
        ("between", "row"),
        [(" \\\n  # note\n", 2), ("  # note\n", 1), (" \\\n\n", 3), ("\n", 2), (" # note \\\n  # more\n", 1)],
    )
    def test_each_way_to_end_a_command_too_early(self, cli: Cli, between: str, row: int) -> None:
        assert told(cli, "a.sh", f"{LAUNCH}{between}  --tp-size 2\n") == [("SGL902", row, "warning")]
        assert fixed(cli, "a.sh", f"{LAUNCH}{between}  --tp-size 2\n").endswith(f"{LAUNCH} \\\n  --tp-size 2\n")

    @pytest.mark.parametrize("end", [" &", " | tee log", ";", " && wait", "\n\n"])
    def test_a_command_that_ends_on_purpose(self, cli: Cli, end: str) -> None:
        assert not told(cli, "a.sh", f"{LAUNCH}{end}\n--tp-size 2\n")

    def test_what_is_no_option_of_sglang_is_another_command(self, cli: Cli) -> None:
        assert not told(cli, "a.sh", f"{LAUNCH}\n--concurrency 4\n")

    def test_a_repeated_blank_on_the_last_lost_line_is_mended_too(self, cli: Cli) -> None:
        text = f"{LAUNCH} \\ # a\n  --tp-size 2 \\ # b\n"
        assert fixed(cli, "a.sh", text) == f"# a\n# b\n{LAUNCH} \\\n  --tp-size 2\n"

    def test_comments_keep_the_margin_of_their_block(self, cli: Cli) -> None:
        text = f"- item\n\n  ```bash\n  {LAUNCH} \\\n    # note\n    --tp-size 2\n  ```\n"
        assert fixed(cli, "a.md", text) == f"- item\n\n  ```bash\n  # note\n  {LAUNCH} \\\n    --tp-size 2\n  ```\n"

    def test_text_that_no_shell_reads_loses_nothing(self, cli: Cli) -> None:
        """launch_server_cmd splits its text at blanks, whatever the lines."""
        text = f'from sglang.utils import launch_server_cmd\nlaunch_server_cmd("""{LAUNCH}\n  --tp-size 2\n""")\n'
        assert not told(cli, "a.py", text)
        args = cli("launches", "--output-format", "json", "--isolated", "a.py").json[0]["args"]
        assert args == {"model_path": "a/b", "tp_size": "2", "port": None}

    @settings(max_examples=150, deadline=None)
    @given(st.lists(st.sampled_from(["--a 1", " \\", "\n", " ", "# c", "'x", '"', "\r\n", "&", "--b=2"]), max_size=12))
    def test_what_is_told_to_be_lost_never_reaches_the_command(self, parts: list[str]) -> None:
        """Asked of bash itself: an option that is told to be lost is none of the words of the command."""
        text = "printf '%s|' " + "".join(parts)
        found = lost(text, len("printf '%s|'"), lambda name: name in ("--a", "--b"))
        if found is None:
            return
        first = found.breaks[0].start
        kept = subprocess.run(["bash", "-c", text], capture_output=True, text=True, timeout=20, check=False).stdout
        words = [word for word in kept.split("|") if word.startswith("--")]
        assert len(words) <= text[:first].count("--")
        assert all(text.startswith(name, at) for name, at in found.options)


class TestWords:
    def test_an_escaped_blank_in_a_list(self, cli: Cli) -> None:
        text = f"CMD=(\n  {LAUNCH} \\   \n  --tp-size 2\n)\n\"${{CMD[@]}}\"\n"
        assert told(cli, "a.sh", text) == [("SGL901", 2, "error")]
        assert fixed(cli, "a.sh", text) == text.replace("\\   \n", "\\\n")

    def test_windows_line_ends_are_a_fault_of_scripts_only(self, cli: Cli) -> None:
        text = f"{LAUNCH} \\\r\n  --tp-size 2\r\n"
        assert told(cli, "a.sh", text) == [("SGL903", 1, "error")]
        assert not told(cli, "a.md", f"```bash\r\n{text}```\r\n")
        assert fixed(cli, "a.sh", text) == text, "a file that is all like that is left to its owner"

    @pytest.mark.parametrize("name", ["--tp-size", "--dp"])
    def test_glued_in_python(self, cli: Cli, name: str) -> None:
        text = f'import os\nos.system("{LAUNCH} --port 1"\n          "{name} 2")\n'
        expected = [("SGL904", 3, "error")] if name == "--tp-size" else []
        assert told(cli, "a.py", text) == expected

    def test_names_with_two_dashes_are_names(self, cli: Cli) -> None:
        assert not told(cli, "a.sh", f"{LAUNCH} --tokenizer-path /hub/models--x--model --download-dir a--tp\n")

    def test_one_mistake_is_told_once(self, cli: Cli) -> None:
        cli.write("a.sh", f'{LAUNCH} --json-model-override-args {{"a": 1, "b": 2}}\n')
        assert cli.check("--select=SGL1,SGL9", "--isolated", "a.sh").codes == ["SGL905"]
        cli.write("a.sh", f'args="--tp-size 2 --port 1"\n{LAUNCH} "$args"\n')
        assert cli.check("--select=SGL1,SGL9", "--isolated", "a.sh").codes == ["SGL908"]

    def test_quotes_around_options_of_one_branch(self, cli: Cli) -> None:
        text = f'if [ $X ]; then a="--tp-size 2 --port 1"; else a=""; fi\n{LAUNCH} "$a"\n'
        assert told(cli, "a.sh", text) == [("SGL908", 2, "warning")]

    def test_a_command_in_quotes_is_run_by_nobody(self, cli: Cli) -> None:
        assert told(cli, "a.sh", f'CMD="{LAUNCH}"\n"$CMD"\n') == [("SGL906", 2, "error")]
        assert not told(cli, "a.sh", f'CMD="{LAUNCH}"\n$CMD\nbash -c "$CMD"\nbash run.sh "$CMD"\n')


class TestUnexported:
    """``SGLANG_X=1`` that a script keeps for itself, told of 0.5.9."""

    PIN = "# speclint: sglang==0.5.9\n"
    NAME = "SGLANG_ENABLE_SPEC_V2"

    def test_where_it_is_told(self, cli: Cli) -> None:
        for text in (
            f"{self.NAME}=1\n{LAUNCH}\n",
            f"{self.NAME}=1; {LAUNCH}\n",
            f"serve() {{\n  local {self.NAME}=1\n  {LAUNCH}\n}}\nserve\n",
            f"# {self.NAME} makes it faster\n{self.NAME}=1 # {self.NAME}\nnohup {LAUNCH} &\n",
        ):
            assert [code for code, _, _ in told(cli, "a.sh", self.PIN + text)] == ["SGL909"], text

    @pytest.mark.parametrize(
        "text",
        [
            f"export {NAME}=1\n{LAUNCH}\n",
            f"{NAME}=1\nexport {NAME}\n{LAUNCH}\n",
            f"export {NAME}\n{NAME}=1\n{LAUNCH}\n",
            f"{NAME}=1\nenv {NAME}=${NAME} {LAUNCH}\n",
            f"{NAME}=1\ndocker run -e {NAME}=1 lmsysorg/sglang:v0.5.9 {LAUNCH}\n",
            f"{NAME}=1\nmpirun -x {NAME} {LAUNCH}\n",
            f"{NAME}=1\nexport ${{!SGLANG_@}}\n{LAUNCH}\n",
            f"set -o allexport\n{NAME}=1\n{LAUNCH}\n",
            f"declare -x {NAME}=1\n{LAUNCH}\n",
            f"cat > .env <<EOF\n{NAME}=1\nEOF\n{LAUNCH}\n",
            f"SGLANG_USE_AITER=0\n{LAUNCH}\n",
            f"SGLANG_MINE=0\n{LAUNCH}\n",
            f"{LAUNCH}\n{NAME}=1\n",
        ],
    )
    def test_where_it_is_not(self, cli: Cli, text: str) -> None:
        assert not told(cli, "a.sh", self.PIN + text)

    def test_a_launch_beside_that_gets_it(self, cli: Cli) -> None:
        text = f"{self.PIN}{self.NAME}=1 {LAUNCH} &\n{self.NAME}=1\n{LAUNCH} --port 2\n"
        assert not told(cli, "a.sh", text)

    def test_export_is_not_put_into_a_line_that_goes_on(self, cli: Cli) -> None:
        text = f"{self.PIN}SGLANG_VLM_CACHE_SIZE_MB=1 \\\n{self.NAME}=1 \\\n\n{LAUNCH}\n"
        assert [row for _, row, _ in told(cli, "a.sh", text)] == [2, 3]
        path = cli.write("a.sh", text)
        cli("check", "--select=SGL9", "--isolated", "--fix", "--unsafe-fixes", "a.sh")
        assert path.read_text() == text
