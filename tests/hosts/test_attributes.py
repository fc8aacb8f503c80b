"""Attributes of HCL and Nix: what containers, jobs and services run that are written in them."""

from __future__ import annotations

import pytest

IMAGE = "lmsysorg/sglang:v0.5.9"
WORDS = '"python3", "-m", "sglang.launch_server", "--model-path", "m", "--tp", "2"'


@pytest.mark.parametrize(
    "block",
    [
        # of Nomad
        f'config {{\n  image = "{IMAGE}"\n  command = "python3"\n  args = [{WORDS.partition(", ")[2]}]\n}}',
        # of Kubernetes
        f'container {{\n  image = "{IMAGE}"\n  command = ["python3", "-m", "sglang.launch_server"]\n'
        '  args = [\n    "--model-path", "m", # which\n    "--tp",\n    "2",\n  ]\n}',
        # of ECS
        f'container_definitions = jsonencode([{{ "image" : "{IMAGE}", command = [{WORDS}] }}])',
        f'inline = [\n  "docker run --gpus all {IMAGE} python3 -m sglang.launch_server --model-path m --tp 2",\n]',
    ],
)
def test_hcl(find, block: str) -> None:
    (launch,) = find("terraform", f'resource "a" "b" {{\n{block}\n}}\n', "a.tf")
    assert (launch.image, launch.words) == (IMAGE, ["--model-path", "m", "--tp", "2"])
    assert (launch.host, launch.fixable) == ("terraform", False)


@pytest.mark.parametrize(
    ("rest", "words"),
    [
        ('["--tp", var.tp, "--x=${var.x}", 8, true]', ["--tp", None, None, "8", "true"]),
        ('concat(["--tp", "2"], var.more)', []),
        ('["--tp", tostring(var.tp), local.names[0], "--y"]', ["--tp", None, None, "--y"]),
        ('var.big ? ["--tp", "8"] : ["--tp", "2"]', ["…", "--tp", "8", "…"]),
    ],
)
def test_what_terraform_puts_in(find, rest: str, words: list[str | None]) -> None:
    text = f'container {{\n  command = ["python3", "-m", "sglang.launch_server"]\n  args = {rest}\n}}\n'
    (launch,) = find("terraform", text, "a.tf")
    assert launch.words == (words or ["…"])


def test_what_a_call_adds_to_a_list(find) -> None:
    text = f"command = concat([{WORDS}], var.more)\nimage = <<X\nnone\nX\n"
    (launch,) = find("terraform", text, "a.hcl")
    assert launch.words == ["--model-path", "m", "--tp", "2", "…"]


def test_blocks_of_variables(find) -> None:
    env = 'env {\n  name = "A"\n  value = "1"\n}\nenv {\n  name = "B"\n  value = var.b\n}\n'
    (launch,) = find("terraform", f"container {{\n{env}command = [{WORDS}]\n}}\n", "a.tf")
    assert launch.env == {"A": "1", "B": None}


NIX = """{ config, pkgs, ... }:
let port = 30000; in
{
  virtualisation.oci-containers.containers.sglang = {
    image = "IMAGE"; # pinned
    ports = [ "${toString port}:8000" ];
    environment = { A = "1"; };
    cmd = [
      "python3" "-m" "sglang.launch_server"
      "--model-path" "m"
      "--port" (toString port) "--host" host
      "--x=${pkgs.y}" /* both */
    ] ++ lib.optionals big [ "--tp" "2" ];
  };
  systemd.services.sglang = {
    script = ''
      export B=2
      exec ${pkgs.z}/bin/python3 -m sglang.launch_server --model-path n --tp ''${TP:-2}
    '';
    serviceConfig.ExecStart = "${pkgs.z}/bin/sglang serve --model-path o";
  };
}
""".replace("IMAGE", IMAGE)


def test_nix(find) -> None:
    container, script, service = find("nix", NIX, "a.nix")
    assert (container.image, container.env) == (IMAGE, {"A": "1"})
    assert container.words == ["--model-path", "m", "--port", "30000", "--host", None, None, "…"]
    assert script.words == ["--model-path", "n", "--tp", ["2", None]]
    assert service.words == ["--model-path", "o"]
    assert not any(launch.fixable for launch in (container, script, service))


def test_the_program_of_a_container_of_nix(find) -> None:
    words = '"-m" "sglang.launch_server" "--model-path" "m"'
    (launch,) = find("nix", f'{{ a = {{ entrypoint = "python3"; cmd = [ {words} ]; }}; }}', "a.nix")
    assert launch.words == ["--model-path", "m"]


@pytest.mark.parametrize(
    "text",
    [
        '"' * 20_000, "''$" * 10_000, "{" * 20_000, "[(" * 10_000, "a=[]++[]" * 3000, "<<A\n" * 5000, "/*" * 10_000,
        "env{name=1\n}\n" * 3000, "$${" * 10_000, "}])" * 5000,
    ],
)  # fmt: skip
@pytest.mark.parametrize("host", ["nix", "terraform"])
def test_what_is_broken_is_read_as_far_as_it_goes(find, host: str, text: str) -> None:
    find(host, f"sglang.launch_server\n{text}", "a.tf")


@pytest.mark.parametrize(
    ("head", "shown"),
    [
        ('let name = "a/b"; in {', "a/b"),
        ('{ name ? "a/b", ... }: {', ["a/b", None]),
        ("let name = 8; in {", "8"),
        ('let name = "a/${x}"; in {', None),
        ('{ name, ... }: { x.name = "a"; name = "b";', None),
        ('{ name, ... }: { name = "b";', None),
        ('let name = "a" + x; in {', None),
        ('let name = if x then "a" else "b"; in {', None),
        ("with names; {", None),
    ],
)
def test_names_of_nix(find, head: str, shown: object) -> None:
    """What is bound once and to plain text is known, if no argument has that name; defaults may be overridden."""
    words = '"sglang" "serve" "--model-path" name "--a" "${name}" "--b" (toString name)'
    (launch,) = find("nix", f"{head} cmd = [ {words} ]; }}", "a.nix")
    assert launch.words == ["--model-path", shown, "--a", shown, "--b", shown]
