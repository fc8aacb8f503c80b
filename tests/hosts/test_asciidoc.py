"""AsciiDoc: what stands between the lines of a block, without the numbers that a list below explains."""

from __future__ import annotations

import pytest


@pytest.mark.parametrize(
    ("style", "words"),
    [
        ("[source,bash]", ["--model-path", "m"]),
        ("[source, console, subs=+quotes]", ["--model-path", "m"]),
        ("[listing%linenums,sh]", ["--model-path", "m"]),
        ("[,shell]\n.A title", ["--model-path", "m"]),
        ("[[an-anchor]]", ["--model-path", "m"]),
        ("", ["--model-path", "m"]),
        ("[source,java]", None),
        ("[source,java]\n.A title", None),
    ],
)
def test_the_language_of_a_block(find, style: str, words: list[str] | None) -> None:
    found = find("asciidoc", f"= T\n\n{style}\n----\nsglang serve --model-path m\n----\n")
    assert [launch.words for launch in found] == ([] if words is None else [words])


def test_a_language_holds_for_one_block(find) -> None:
    block = "----\nsglang serve --model-path m\n----\n"
    assert len(find("asciidoc", f"[source,java]\n{block}\n{block}")) == 1
    assert len(find("asciidoc", f"[source,java]\nA paragraph.\n{block}")) == 1


@pytest.mark.parametrize("mark", ["<1>", "<.>", "<1> <2>", "# <1>"])
def test_numbers_at_the_ends_of_lines_are_no_words(find, mark: str) -> None:
    text = f"----\nsglang serve \\ {mark}\n  --model-path m \\\n  --tp 2 {mark}\n----\n"
    (launch,) = find("asciidoc", text)
    assert launch.words == ["--model-path", "m", "--tp", "2"]


def test_what_only_looks_like_such_a_number_stays(find) -> None:
    (launch,) = find("asciidoc", "----\nsglang serve --model-path m --served-model-name x<1>\n----\n")
    assert launch.words[:3] == ["--model-path", "m", "--served-model-name"]
    (launch,) = find("asciidoc", "----\nsglang serve --model-path m --tp 2 <in.txt>\n----\n")
    assert launch.words[:4] == ["--model-path", "m", "--tp", "2"]


def test_what_is_no_block_starts_nothing(find) -> None:
    text = "sglang serve --model-path m\n\n////\nsglang serve --model-path m\n////\n\n----\nsglang serve --model-path m\n"
    assert find("asciidoc", text) == []


def test_a_value_is_fixed_in_its_block(cli) -> None:
    path = cli.write("serve.adoc", "[source,bash]\n----\nsglang serve \\ <1>\n  --model-path a/b \\\n  --tp-sise 2 <2>\n----\n")
    cli("check", "--fix", "--unsafe-fixes", "serve.adoc")
    assert path.read_text("utf-8").endswith("\\ <1>\n  --model-path a/b \\\n  --tp-size 2 <2>\n----\n")
