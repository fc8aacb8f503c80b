"""What a module must hold to be parsed."""

from __future__ import annotations

import pytest

from speclint.hosts.python.triggers import places


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("subprocess.run('python -m sglang.launch_server')", [33]),
        ("run('sglang   serve m')", [5]),
        ("run(['sglang', 'serve'])", [15]),
        ("sglang.Engine(model_path='m')", [7]),
        ("Engine (x)", [0]),
        ("from sglang import Engine as E", [19]),
        ("make = sglang.Engine", [5]),
        ("start(sgl.srt.Engine, x)", [5]),
        ("{'mem_fraction_static': 0.8}", [1]),
        ("['--tp-size=2']", [1]),
        ("'--sglang-tp 2'", [1]),
        ("SRTRunner(m)", [0]),
        ("engine = Engine\nlaunch_server\nEngine(x)", [16, 30]),
        ("TransferEngine(x)", []),
        ("class MyEngine: pass", []),
        ("raise RuntimeError(x)", []),
        ("the server serves; Engine", []),
        ("batch_size = 3", []),
        ("", []),
    ],
)
def test_places(text, expected):
    assert places(text) == expected
