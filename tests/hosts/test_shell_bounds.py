"""Values that grow with each line of a script: what is made of them is bounded, and the launch is found."""

from __future__ import annotations

import shlex
import tracemalloc

import pytest

from speclint import text as texts
from speclint.hosts import shell
from speclint.launch import launches
from speclint.source import SourceFile
from speclint.value import Known

LAUNCH = "python -m sglang.launch_server --model-path a/b --port"


def port(text: str) -> str | None:
    """The last word of the last launch, if it is known."""
    *_, launch = launches(shell.read(SourceFile("a.sh", text.encode())))
    value = launch.words[-1].value
    return value.text.text if isinstance(value, Known) else None


GROWING = {
    "doubled": "A=a\n" + "A=$A$A\n" * 100 + f"{LAUNCH} $A\n",
    "doubled without being known": "A=$B\n" + "A=$A$A\n" * 100 + f"{LAUNCH} $A\n",
    "doubled in turn": "A=a\n" + "B=$A$A\nA=$B$B\n" * 60 + f"{LAUNCH} $A\n",
    "doubled by appending": "A=a\n" + 'A+="$A"\n' * 100 + f"{LAUNCH} $A\n",
    "an array": "A=(a)\n" + 'A+=("${A[@]}")\n' * 100 + f'{LAUNCH} "${{A[@]}}"\n',
    "branches": "A=a\n" + "if c; then A=$A$A; fi\n" * 60 + f"{LAUNCH} $A\n",
    "a default": "A=a\n" + "A=${A:-$A}${A:-$A}\n" * 60 + f"{LAUNCH} $A\n",
}


@pytest.mark.parametrize("name", GROWING)
def test_what_doubles_is_not_followed_to_the_end(name: str) -> None:
    tracemalloc.start()
    try:
        assert port(GROWING[name]) is None
        assert tracemalloc.get_traced_memory()[1] < 40 << 20
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("count", [2, 10, 100])
def test_what_is_handed_on_a_few_times_is_known(count: int) -> None:
    assert port("A=30000\n" + "A=$A\n" * count + f"{LAUNCH} $A\n") == "30000"


def test_quotes_in_quotes_take_work_by_their_length(monkeypatch: pytest.MonkeyPatch) -> None:
    script = f"{LAUNCH} 1"
    for _ in range(8):
        script = f"bash -c {shlex.quote(script)}"
    looks = 0

    def adjoins(last: texts.Piece, piece: texts.Piece) -> bool:
        nonlocal looks
        looks += 1
        return bool(last.exact and piece.exact and last.span and piece.span and last.span.end == piece.span.start)

    monkeypatch.setattr(texts, "_adjoins", adjoins)
    assert port(script) == "1"
    assert 100 < looks < 10 * len(script)


def test_options_added_one_by_one_are_known() -> None:
    options = "".join(f'A="$A --x{n} {n}"\n' for n in range(60))
    assert port(f"A=\n{options}{LAUNCH} 1 $A\n") == "59"


def test_long_chains_take_memory_by_their_length() -> None:
    """Each value tells how it came to be: all of them together must not grow with the square."""
    peaks = []
    for count in (1000, 4000):
        text = "A0=1\n" + "".join(f"A{n + 1}=$A{n}\n" for n in range(count)) + f"{LAUNCH} $A{count}\n"
        tracemalloc.start()
        try:
            port(text)
            peaks.append(tracemalloc.get_traced_memory()[1])
        finally:
            tracemalloc.stop()
    assert peaks[1] < 5 * peaks[0]


@pytest.mark.parametrize("words", [" -x" * 100_000, " $A", ' "${B[@]}"'], ids=["written", "a value", "an array"])
def test_thousands_of_words_are_any_number_of_words(words: str) -> None:
    """The words before them are known, and the launch is told to be open."""
    text = f"A='{'-x ' * 100_000}'\nB=({'-x ' * 100_000})\n{LAUNCH} 1{words}\n"
    *_, launch = launches(shell.read(SourceFile("a.sh", text.encode())))
    assert [word.text for word in launch.words[:4]] == ["--model-path", "a/b", "--port", "1"]
    assert launch.words[-1].many
    assert len(launch.words) < 5000
