"""Terraform's files, and those that it fills in."""

from __future__ import annotations

import pytest

SCRIPT = """\
#!/bin/bash
DP=$${DP:-4}
%{ if gpu ~}
export A=1
%{ endif ~}
sglang serve --model-path ${model} --x "${lookup({a = "b"}, "x")}" %{ if m }--y%{ else ~} --z%{ endif } \\
%{ for name in names ~}
  --${name} \\
%{ endfor ~}
  --dp "$${DP}" --n %%{ %{~ if ep ~} --ep 2 %{~ endif } --tp ${TP:-2} ${extra}
"""


def test_a_script(find) -> None:
    (launch,) = find("terraform", SCRIPT, "run.sh.tftpl")
    words = [(w.guard, shown) for w, shown in zip(launch.launch.words, launch.words, strict=True)]
    plain = [shown for guard, shown in words if not guard]
    assert plain[:4] == ["--model-path", "…", "--x", None]
    assert plain[4:] == ["…", "--dp", ["4", None], "--n", "%{", "--tp", ["2", None], "…"]
    assert [shown for guard, shown in words if guard] == ["--y", "--z", "--ep", "2"]
    assert not launch.fixable


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.tf", 'resource "x" "y" {\n  user_data = <<-EOF\n    #!/bin/bash\n    LAUNCH\n  EOF\n}\n'),
        ("a.tftpl", "#!/bin/sh\nLAUNCH\n"),
        ("a.tftpl", "#cloud-config\nruncmd:\n  - LAUNCH\n"),
        ("a.yaml.tftpl", "%{ if x ~}\nruncmd:\n  - LAUNCH\n%{ endif ~}\n"),
        ("a.service.tftpl", "[Service]\nExecStart=/x/LAUNCH\n"),
        ("Dockerfile.tftpl", "FROM x:${tag}\nCMD LAUNCH\n"),
    ],
)
def test_words_behind_what_is_put_in(find, name: str, text: str) -> None:
    launch = "sglang serve --model-path ${var.model} --tp ${tp} --dp 2"
    (found,) = find("terraform", text.replace("LAUNCH", launch), name)
    assert [None if word == "…" else word for word in found.words] == ["--model-path", None, "--tp", None, "--dp", "2"]


def test_words_behind_what_is_put_in_on_lines_of_their_own(find) -> None:
    lines = "sglang serve \\\n      --model-path ${var.model} \\\n      --tp ${local.tp[0]} \\\n      --dp 2"
    for host, name in (("terraform", "a.tf"), ("text", "a.txt"), ("markdown", "a.md")):
        text = f"```bash\n    {lines}\n```\n" if host == "markdown" else f"    {lines}\n"
        (launch,) = find(host, text, name)
        assert launch.words == ["--model-path", "…", "--tp", "…", "--dp", "2"]


def test_without_a_condition_it_may_be_edited(find) -> None:
    for text, fixable in (("sglang serve --tp ${tp}\n", True), ("%{ if x }sglang serve --tp 2\n%{ endif }", False)):
        (launch,) = find("terraform", text, "a.tf")
        assert launch.fixable == fixable


@pytest.mark.parametrize("text", ["${" * 50_000, "${{a}" * 20_000, "%{ if " * 20_000, "${a{" * 20_000, "$${" * 20_000])
def test_broken_templates(find, text: str) -> None:
    find("terraform", f"sglang serve --tp 2 {text}", "a.sh.tftpl")
