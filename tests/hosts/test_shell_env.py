"""The environment of launches in scripts: what reaches a program, and what differs from run to run."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable

    from .conftest import Found

RUN = "python3 -m sglang.launch_server --model-path m"


@pytest.mark.parametrize(
    "body",
    [
        f"X=$1 {RUN}",
        f"local gpus=$1\n  X=$gpus {RUN}",
        f"env X=$1 {RUN}",
        f"export X=$1\n  {RUN}",
        f"docker run -e X=$1 lmsysorg/sglang {RUN}",
    ],
)
@pytest.mark.parametrize("sizes", [(1, 2), (1, 1)])
def test_what_each_call_of_a_function_sets(find: Callable[..., list[Found]], body: str, sizes: tuple[int, int]) -> None:
    one, two = sizes
    (launch,) = find("shell", f"run() {{\n  {body} --tp $2\n}}\nrun 0 {one}\nrun 1,2 {two}\n")
    assert launch.env == {"X": ["0", "1,2"]}
    assert launch.words[3] == (["1", "2"] if one != two else "1")


def test_what_is_set_anew_between_calls(find: Callable[..., list[Found]]) -> None:
    (launch,) = find("shell", f"run() {{ X=$G Y=a {RUN}; }}\nG=0\nrun\nG=0,1\nrun\n")
    assert launch.env == {"X": ["0", "0,1"], "Y": "a"}
    (launch,) = find("shell", f"run() {{ {RUN} $1; }}\nrun --a\nexport X=1\nrun --b\n")
    assert launch.env == {"X": [None, "1"]}


def test_the_image_and_the_container_of_each_call(find: Callable[..., list[Found]]) -> None:
    body = f'docker run --gpus "device=$1" -p 80:$2 --rm $3 i/x:$4 {RUN} --port $2'
    (launch,) = find("shell", f"run() {{ {body}; }}\nrun 0 3000 --rm 1\nrun 1,2 3001 --ipc=host 2\n")
    assert launch.image == ["i/x:1", "i/x:2"]
    pod = launch.launch.pod
    assert pod is not None
    assert pod.gpus is not None
    assert (pod.gpus.number, pod.shared_memory, pod.host_network) == (None, None, False)
    assert [port.number.text for port in pod.ports] == [None]
    (launch,) = find("shell", f"run() {{ {body}; }}\nrun 0 3000 --rm 1\nrun 1 3000 --rm 1\n")
    assert launch.image == "i/x:1"
    pod = launch.launch.pod
    assert pod is not None
    assert pod.gpus is not None
    assert (pod.gpus.number, pod.shared_memory, [port.number.text for port in pod.ports]) == (1, False, ["3000"])
