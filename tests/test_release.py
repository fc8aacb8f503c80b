"""What names the release of a launch, and which of several wins."""

from __future__ import annotations

from typing import Any

import pytest

from speclint.sglang import catalog

Cli = Any
NEWEST = catalog.newest()
LAUNCH = "python -m sglang.launch_server --model-path m\n"


def release(cli: Cli, *words: str, file: str = "a/serve.sh") -> tuple[str, str]:
    (launch,) = cli("launches", "--output-format", "json", *words, file).json
    return launch["sglang_version"], launch["version_source"]


def test_nearest_wins(cli: Cli) -> None:
    """From the farthest to the nearest: each wins over all before it."""
    cli.write(".git/HEAD", "")
    cli.write("a/serve.sh", LAUNCH)
    assert release(cli)[1] == "newest"
    assert release(cli, "--sglang-version", "0.5.4") == ("0.5.4", "option")
    cli.write("speclint.toml", 'sglang-version = "0.5.5"\n')
    assert release(cli, "--sglang-version", "0.5.4") == ("0.5.5", "configuration")
    cli.write("a/serve.sh", "# speclint: sglang==0.5.6\n" + LAUNCH)
    assert release(cli) == ("0.5.6", "comment")
    cli.write("requirements.txt", "sglang[all]==0.5.7\n")
    assert release(cli) == ("0.5.7", "lock")
    cli.write("a/serve.sh", '# speclint: sglang==0.5.6\npip install "sglang[all]==0.5.8"\n' + LAUNCH)
    assert release(cli) == ("0.5.8", "install")
    cli.write("a/serve.sh", "pip install sglang==0.5.8\ndocker run lmsysorg/sglang:v0.5.9-cu126 " + LAUNCH)
    assert release(cli) == ("0.5.9", "image")


@pytest.mark.parametrize(
    ("name", "text", "version"),
    [
        ("requirements.txt", "sglang==0.5.7\n", "0.5.7"),
        ("requirements-gpu.txt", "torch\nsglang[all] == 0.5.7  # pinned\n", "0.5.7"),
        ("requirements.txt", "# sglang==0.5.7\n", None),
        ("requirements.txt", "sglang>=0.5.7\n", None),
        ("requirements.txt", "sglang==0.5.*\n", None),
        ("requirements.txt", "my-sglang==0.5.7\n", None),
        ("requirements.txt", "sglang-router==0.2.1\n", None),
        ("requirements.txt", "sglang==0.5.7\nsglang==0.5.8\n", None),
        ("pyproject.toml", '[project]\ndependencies = ["sglang[srt]==0.5.7"]\n', "0.5.7"),
        ("uv.lock", '[[package]]\nname = "sglang"\nversion = "0.5.7.post1"\n', "0.5.7.post1"),
        ("poetry.lock", '[[package]]\nname = "other"\nversion = "0.5.7"\n', None),
        ("requirements.txt", "sglang @ git+https://github.com/sgl-project/sglang.git@v0.5.7#subdirectory=python\n", "0.5.7"),
        ("requirements.txt", "sglang @ git+https://github.com/sgl-project/sglang-jax.git@v0.5.7\n", None),
        ("requirements.txt", "sglang @ git+https://github.com/sgl-project/sglang.git@main\n", None),
    ],
)
def test_project_files(cli: Cli, name: str, text: str, version: str | None) -> None:
    cli.write("a/serve.sh", LAUNCH)
    cli.write(f"a/{name}", text)
    found = release(cli, "--sglang-version", "0.5.3")
    if version is None:
        assert found == ("0.5.3", "option")
    else:
        assert found[1] == "lock"
        assert version.startswith(found[0])


def test_folders_above_count_within_a_project_only(cli: Cli) -> None:
    """A repository is a project; without one, the current folder."""
    cli.write("requirements.txt", "sglang==0.5.7\n")
    cli.write("repo/a/serve.sh", LAUNCH)
    assert release(cli, file="repo/a/serve.sh") == ("0.5.7", "lock")
    cli.write("repo/.git/HEAD", "")
    assert release(cli, file="repo/a/serve.sh")[1] == "newest"
    cli.write("repo/requirements.txt", "sglang==0.5.8\n")
    assert release(cli, file="repo/a/serve.sh") == ("0.5.8", "lock")


def test_release_that_is_not_known_is_judged_by_one_that_is(cli: Cli) -> None:
    cli.write("a.sh", LAUNCH)
    assert release(cli, "--sglang-version", "99.0", file="a.sh")[1] == "option"
    ran = cli("launches", "--sglang-version", "99.0", "a.sh")
    assert " for 99.0, by --sglang-version\n" in ran.out


@pytest.mark.parametrize("root", ["", "unpacked/"])
def test_a_checkout_of_sglang_is_judged_by_what_lies_there(cli: Cli, root: str) -> None:
    """Its own options count, new ones too; the releases that it lies between are told by them."""
    from speclint.sglang import catalog

    taken = sorted(catalog.release("0.5.19").options)
    parser = "".join(f'parser.add_argument("{name}")\n' for name in [*taken, "--of-tomorrow"])
    if not root:  # an archive has none
        cli.write(".git/HEAD", "")
    cli.write(root + "python/sglang/srt/server_args.py", parser)
    cli.write(root + "test/a/serve.sh", f"{LAUNCH[:-1]} --cuda-graph-max-bs 8 --of-tomorrow --of-no-day\n")
    (found,) = cli("--output-format", "json", root + "test").json
    assert (found["code"], found["flag"]) == ("SGL101", "--of-no-day")
    (launch,) = cli("launches", "--output-format", "json", root + "test").json
    assert [launch[key] for key in ("sglang_version", "sglang_version_until", "version_source")] == [
        "0.5.19", "0.5.20", "checkout",
    ]  # fmt: skip
    cli.write(root + "python/sglang/srt/server_args.py", parser + 'CHOICES = ["xgrammar", "of-tomorrow"]\n')
    cli.write(root + "test/b/serve.sh", f"{LAUNCH[:-1]} --grammar-backend of-tomorrow\n{LAUNCH[:-1]} --grammar-backend of-no-day\n")
    (found,) = cli("--output-format", "json", root + "test/b").json
    assert (found["code"], found["location"]["row"]) == ("SGL109", 2)
    cli.write(root + "test/a/requirements.txt", "sglang==0.5.23\n")
    assert [found["code"] for found in cli("--output-format", "json", root + "test/a").json] == ["SGL105", "SGL101", "SGL101"]


@pytest.mark.parametrize(
    ("pinned", "version", "until"),
    [
        ("0.5.6.post2.dev8005+pr.15207.g39d5bd57a", "0.5.6.post1", "0.5.7"),
        ("0.5.6.dev12", "0.5.5.post3", "0.5.7"),
        ("0.5.6.post3.dev9", "0.5.6.post2", "0.5.7"),
        ("0.3.0.dev1", None, None),
    ],
)
def test_a_development_build_lies_between_two_releases(
    cli: Cli, pinned: str, version: str | None, until: str | None
) -> None:
    """Its number is that of the release before it or of the one after it: what is told holds for both."""
    cli.write("a/serve.sh", f"pip install sglang=={pinned}\n{LAUNCH}")
    (launch,) = cli("launches", "--output-format", "json", "a/serve.sh").json
    assert launch.get("sglang_version_until") == until
    assert launch["version_source"] == ("newest" if version is None else "install")
    if version is not None:
        assert launch["sglang_version"] == version


@pytest.mark.parametrize(
    ("line", "version"),
    [
        ("git clone -b v0.5.7 https://github.com/sgl-project/sglang.git", "0.5.7"),
        ("git clone --depth 1 --branch 0.5.7 https://github.com/sgl-project/sglang", "0.5.7"),
        ("git clone https://github.com/sgl-project/sglang.git -b v0.5.7", "0.5.7"),
        ("git clone --branch='v0.5.7' git@github.com:sgl-project/sglang.git", "0.5.7"),
        ("# git clone -b v0.5.7 https://github.com/sgl-project/sglang.git", None),
        ("git clone -b v0.5.7 https://github.com/sgl-project/sglang-jax.git", None),
        ("git clone -b v0.5.7x https://github.com/sgl-project/sglang.git", None),
        ("git clone https://github.com/sgl-project/sglang.git", None),
        ("git clone https://github.com/sgl-project/sglang.git && cd sglang && git checkout v0.5.7", "0.5.7"),
        ("git clone https://github.com/sgl-project/sglang\ngit -C sglang checkout -q tags/v0.5.7", "0.5.7"),
        ("git clone https://github.com/sgl-project/sglang\ncd sglang; git checkout v0.5.7; git checkout main", None),
        ("git clone https://github.com/sgl-project/sglang\n# git checkout v0.5.7", None),
        ("git clone https://github.com/sgl-project/sglang\ngit checkout v0.5.7 -- python", None),
        ("git clone https://github.com/sgl-project/sglang\ngit clone https://a.b/c; cd c; git checkout v0.5.7", None),
        ("git clone https://github.com/sgl-project/genai-bench\ncd genai-bench; git checkout v0.5.7", None),
    ],
)
def test_a_tag_of_the_repository_is_a_release(cli: Cli, line: str, version: str | None) -> None:
    cli.write("a/serve.sh", f"{line}\ncd sglang\n{LAUNCH}")
    assert release(cli)[0] == version or (version is None and release(cli)[1] == "newest")


@pytest.mark.parametrize(
    ("line", "source"),
    [
        ('pip install "sglang[all]>=0.5.1.post1"', "newest"),
        ("pip install sglang~=0.5.2", "newest"),
        ('image.pip_install("torch", "sglang > 0.5")', "newest"),
        ('pip install "sglang>=0.4.4"', "lock"),
        ('# pip install "sglang>=0.5.1"', "lock"),
        ("echo needs sglang>=0.5.1 for that", "lock"),
        ('assert new, "sglang>=0.5.1 is required"', "lock"),
        ('dependencies = ["sglang >=0.5.1, <0.6 ; python_version > \'3\'"]', "newest"),
        ('pip install "my-sglang>=0.5.1"', "lock"),
        ('pip install "sglang>=0.4.3"\npip install "sglang>=0.5.1"', "lock"),
    ],
)
def test_what_a_file_needs_at_least_excludes_what_the_project_pins(cli: Cli, line: str, source: str) -> None:
    cli.write("requirements.txt", "sglang==0.4.4.post1\n")
    cli.write("a/serve.sh", f"{line}\n{LAUNCH}")
    assert release(cli)[1] == source


@pytest.mark.parametrize(
    ("image", "expected"),
    [
        ('"lmsysorg/sglang:v0.5.7-cu129"', ("0.5.7", "image")),
        ("\n        'lmsysorg/sglang:v0.5.7'", ("0.5.7", "image")),
        ('f"lmsysorg/sglang:{TAG}"', None),
        ('"nvidia/cuda:12.8.0"', None),
        ('"lmsysorg/sglang:latest"', None),
    ],
)
def test_an_image_that_is_built_on_is_what_is_launched(cli: Cli, image: str, expected: tuple[str, str] | None) -> None:
    cli.write(
        "app.py",
        "import modal, subprocess\n"
        f"image = modal.Image.from_registry({image}, add_python='3.12').env({{'A': '1'}})\n"
        "subprocess.run(['python', '-m', 'sglang.launch_server', '--model-path', 'm'])\n",
    )
    assert release(cli, file="app.py") == expected or (expected is None and release(cli, file="app.py")[1] == "newest")


@pytest.mark.parametrize(
    ("given", "image", "expected"),
    [
        ('TAG = "v0.5.7-cu126"', 'f"lmsysorg/sglang:{TAG}"', "0.5.7"),
        ('IMAGE: str = "lmsysorg/sglang:v0.5.7"  # pinned', "IMAGE", "0.5.7"),
        ('V = "0.5.7"\nIMAGE = f"lmsysorg/sglang:v{V}"', "IMAGE", "0.5.7"),
        ('TAG = os.environ.get("TAG", "v0.5.7")', 'f"lmsysorg/sglang:{TAG}"', None),
        ('TAG = "v0.5.7"\nif a:\n    TAG = "v0.5.9"', 'f"lmsysorg/sglang:{TAG}"', None),
        ('def f(TAG="v0.5.7"):\n    pass', 'f"lmsysorg/sglang:{TAG}"', None),
        # What is installed on top, whatever it is, is another.
        ('V = input()\nP = f"sglang=={V}"', '"lmsysorg/sglang:v0.5.7"', None),
    ],
)
def test_an_image_whose_name_is_put_together(cli: Cli, given: str, image: str, expected: str | None) -> None:
    launch = "subprocess.run(['python', '-m', 'sglang.launch_server', '--model-path', 'm'])\n"
    cli.write("app.py", f"import modal, subprocess\n{given}\nimage = modal.Image.from_registry({image}, x=1)\n{launch}")
    version, source = release(cli, file="app.py")
    assert (version, source) == (expected, "image") if expected is not None else source == "newest"


@pytest.mark.parametrize(
    ("lines", "version"),
    [
        ('VERSION=0.5.7\npip install "sglang[all]==${VERSION}"', "0.5.7"),
        ('VERSION="${VERSION:-0.5.7}"\npip install sglang==$VERSION', "0.5.7"),
        ('VERSION=${1:-0.5.7}\npip install sglang==$VERSION', "0.5.7"),
        ('pip install "sglang==${VERSION:-0.5.7}"', "0.5.7"),
        ("TAG=v0.5.7\ngit clone -b $TAG https://github.com/sgl-project/sglang.git", "0.5.7"),
        ("TAG=v0.5.7\npip install git+https://github.com/sgl-project/sglang.git@${TAG}#subdirectory=python", "0.5.7"),
        ("TAG=v0.5.7\npip install sglang==${TAG#v}", "0.5.7"),
        ("# VERSION=0.5.6\nVERSION=0.5.7\npip install sglang==$VERSION", "0.5.7"),
        ("VERSION=0.5.6\nVERSION=0.5.7\npip install sglang==$VERSION", None),
        ("VERSION=$1\npip install sglang==$VERSION", None),
        ("VERSION=0.5.7\nVERSION+=.post1\npip install sglang==$VERSION", None),
        ("VERSION=0.5.7\nfor VERSION in 0.5.5 0.5.6; do\npip install sglang==$VERSION; done", None),
        ("MY_VERSION=0.5.7\npip install sglang==$VERSION", None),
        ("pip install sglang==$VERSION", None),
        ("git clone https://github.com/sgl-project/sglang && cd sglang && git checkout tags/v0.5.7", "0.5.7"),
        ("git clone https://github.com/sgl-project/sglang\n(cd sglang; git checkout v0.5.7; pip install -e python)", "0.5.7"),
        ("TAG=v0.5.7\ngit clone https://github.com/sgl-project/sglang\ngit -C sglang checkout -q $TAG", "0.5.7"),
        ("cd /sgl-workspace/sglang/ && git checkout v0.5.7", "0.5.7"),
        ("cd sglang && git checkout v0.5.7", None),
        ("git clone https://github.com/sgl-project/sglang && cd kernels && git checkout v0.5.7", None),
        ("git clone https://github.com/sgl-project/sglang && cd sglang && git checkout main", None),
        ('pip install "sglang[all]<=0.5.7"', "0.5.7"),
        ("pip install 'sglang~=0.5.7.0'", "0.5.7"),
        ("uv pip install \\\n  torch 'sglang>=0.5.6, <0.5.8'", "0.5.7"),
        ("pip install 'sglang<0.5.10'", "0.5.9"),
        ("pip install 'sglang>=0.5.7'", None),
        ("pip install 'sglang~=0.5.7'", None),
        ("pip install 'sglang<0.1'", None),
        ("echo sglang <=0.5.7", None),
        ("pip install sglang && sglang-check <0.5.7", None),
    ],
)
def test_a_release_that_a_script_installs(cli: Cli, lines: str, version: str | None) -> None:
    cli.write("a/serve.sh", f"{lines}\n{LAUNCH}")
    assert release(cli) == (version, "install") or (version is None and release(cli)[1] == "newest")


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("Dockerfile", "FROM nvidia/cuda\nARG VERSION=0.5.7\nRUN pip install sglang==${VERSION}\nCMD " + LAUNCH),
        ("Makefile", "VERSION := 0.5.7\nserve:\n\tpip install sglang==$(VERSION)\n\t" + LAUNCH),
        ("justfile", 'version := "0.5.7"\nserve:\n\tpip install sglang=={{version}}\n\t' + LAUNCH),
    ],
)
def test_a_release_in_a_variable_of_a_build_file(cli: Cli, name: str, text: str) -> None:
    cli.write(name, text)
    assert release(cli, file=name) == ("0.5.7", "install")


def test_requirements_with_an_upper_bound(cli: Cli) -> None:
    cli.write(".git/HEAD", "")
    cli.write("a/serve.sh", LAUNCH)
    cli.write("requirements.txt", "torch\nsglang[all]>=0.5.5,<0.5.8\n")
    assert release(cli) == ("0.5.7", "lock")


PULLED = "```bash\ndocker pull lmsysorg/sglang:v0.5.7-cu126\n```\n"
SHOWN = f"```bash\n{LAUNCH}```\n"


@pytest.mark.parametrize(
    ("page", "version", "until"),
    [
        (PULLED, "0.5.7", None),
        ("> ```sh\n> docker run -it --gpus all \\\n>   lmsysorg/sglang:v0.5.7 bash\n> ```\n", "0.5.7", None),
        ("Tried in `ghcr.io/me/sglang-tuned:v0.5.7.\n", "0.5.7", None),
        (PULLED + "docker pull lmsysorg/sglang:v0.5.7-cu130\n", "0.5.7", None),
        (PULLED + "docker pull lmsysorg/sglang:v0.5.9\n", "0.5.7", "0.5.9"),
        (PULLED + "docker pull lmsysorg/sglang:latest\n", "0.5.7", NEWEST),
        (PULLED + 'or `pip install "sglang[all]"`\n', "0.5.7", NEWEST),
        (PULLED + 'or `pip install "sglang>=0.5.7"`\n', "0.5.7", NEWEST),
        (PULLED + "or git clone https://github.com/sgl-project/sglang.git\n", "0.5.7", NEWEST),
        (PULLED + "and `pip install sglang-router`\n", "0.5.7", None),
        ("docker pull lmsysorg/sglang:v0.5.7-rocm700-mi30x\n", "0.5.7", NEWEST),
        ("docker pull lmsysorg/sglang:dsv32\n", "newest", None),
        ("the metric sglang:token_usage\n", "newest", None),
        ("docker pull lmsysorg/sglang-router:v0.2.1\n", "newest", None),
    ],
)
def test_a_page_speaks_of_the_image_that_it_has_its_readers_run(cli: Cli, page: str, version: str, until: str) -> None:
    cli.write("page.md", page + SHOWN)
    (launch,) = cli("launches", "--output-format", "json", "page.md").json
    stated = launch["sglang_version"] if launch["version_source"] == "image" else "newest"
    assert (stated, launch.get("sglang_version_until")) == (version, until)


def test_what_says_more_than_an_image_of_a_page(cli: Cli) -> None:
    """What is installed, a comment, and the image of the launch itself; a script has no such pages."""
    cli.write("page.md", PULLED + "pip install sglang==0.5.9\n" + SHOWN)
    assert release(cli, file="page.md") == ("0.5.9", "install")
    cli.write("page.md", PULLED + "<!-- # speclint: sglang==0.5.9 -->\n" + SHOWN)
    assert release(cli, file="page.md") == ("0.5.9", "comment")
    cli.write("page.md", PULLED + f"```\ndocker run lmsysorg/sglang:latest {LAUNCH}```\n")
    assert release(cli, file="page.md")[1] == "newest"
    cli.write("a.sh", "docker pull lmsysorg/sglang:v0.5.7\n" + LAUNCH)
    assert release(cli, file="a.sh")[1] == "newest"


POD = """apiVersion: v1
kind: Pod
spec:
  containers:
  - name: c
    image: lmsysorg/sglang:v0.5.7
    command: [bash, -c]
    args:
    - |
      cd /sgl-workspace/sglang && git checkout v0.5.9
      python -m sglang.launch_server --model-path m
"""
BOTH = "FROM lmsysorg/sglang:v0.5.7 AS one\nRUN pip install sglang==0.5.8\nCMD {0}FROM lmsysorg/sglang:v0.5.6\nCMD {0}"


@pytest.mark.parametrize(
    ("name", "text", "versions"),
    [
        ("Dockerfile", f'FROM lmsysorg/sglang:v0.5.7\nRUN pip install -U "sglang[all]==0.5.9"\nCMD {LAUNCH}', ["0.5.9"]),
        ("Dockerfile", f"FROM lmsysorg/sglang:v0.5.7\nRUN <<E\npip install sglang==0.5.9\nE\nCMD {LAUNCH}", ["0.5.9"]),
        (
            "Dockerfile",
            f"FROM lmsysorg/sglang:v0.5.7 AS one\nRUN pip install sglang==0.5.9\nFROM one\nENTRYPOINT {LAUNCH}",
            ["0.5.9"],
        ),
        ("Dockerfile", BOTH.format(LAUNCH), ["0.5.8", "0.5.6"]),
        ("a.sh", f'docker run lmsysorg/sglang:v0.5.7 bash -c "pip install sglang==0.5.9 && {LAUNCH[:-1]}"\n', ["0.5.9"]),
        ("a.sh", f"pip install sglang==0.5.9\ndocker run lmsysorg/sglang:v0.5.7 {LAUNCH}", ["0.5.7"]),
        (
            "a.sh",
            f'docker run lmsysorg/sglang:v0.5.7 bash -c "pip install sglang==$1 && {LAUNCH[:-1]}"\n',
            ["newest"],
        ),
        ("a.yaml", POD, ["0.5.9"]),
        (
            "a.sh",
            "docker run -d --name srv lmsysorg/sglang:v0.5.7 sleep 9\ndocker exec srv pip install sglang==0.5.9\n"
            f"docker exec srv {LAUNCH}",
            ["0.5.9"],
        ),
        (
            "a.sh",
            "pip install sglang==0.5.9\ndocker run -d --name srv lmsysorg/sglang:v0.5.7 sleep 9\n"
            f"docker exec srv bash -c '{LAUNCH[:-1]}'\n",
            ["0.5.7"],
        ),
    ],
)
def test_what_is_installed_on_top_of_an_image(cli: Cli, name: str, text: str, versions: list[str]) -> None:
    cli.write(name, text)
    found = cli("launches", "--output-format", "json", name).json
    assert [one["sglang_version"] if one["version_source"] != "newest" else "newest" for one in found] == versions


@pytest.mark.parametrize(
    ("other", "version", "until"),
    [
        ("lmsysorg/sglang:v0.5.7-cu130", "0.5.7", None),
        ("lmsysorg/sglang:v0.5.9", "0.5.7", "0.5.9"),
        ("lmsysorg/sglang:v0.5.6", "0.5.6", "0.5.7"),
        ("lmsysorg/sglang:latest", "newest", None),
        ("$OTHER", "newest", None),
    ],
)
def test_an_image_that_a_branch_chooses(cli: Cli, other: str, version: str, until: str | None) -> None:
    """One release where all have the same one, else what lies between them; nothing where one is not known."""
    cli.write(
        "a.sh",
        f"case $GPU in\n  b200) IMAGE={other};;\n  *) IMAGE=lmsysorg/sglang:v0.5.7;;\nesac\ndocker run $IMAGE {LAUNCH}",
    )
    (launch,) = cli("launches", "--output-format", "json", "a.sh").json
    stated = launch["sglang_version"] if launch["version_source"] == "image" else "newest"
    assert (stated, launch.get("sglang_version_until")) == (version, until)


@pytest.mark.parametrize(
    ("image", "version"),
    [
        ("$REGISTRY/lmsysorg/sglang:v0.5.7", "0.5.7"),
        ("${PREFIX}lmsysorg/sglang:v0.5.7-cu126", "0.5.7"),
        ("${MIRROR:-$REGISTRY}/sglang:${TAG:-v0.5.7}", "0.5.7"),
        ("${PREFIX}sglang:v0.5.7", None),
        ("$REGISTRY/sglang:$TAG", None),
        ("$REGISTRY/sglang-router:v0.5.7", None),
        ("$IMAGE:v0.5.7", None),
    ],
)
def test_an_image_in_a_registry_that_is_not_known(cli: Cli, image: str, version: str | None) -> None:
    """What it is called tells the release, wherever it is pulled from; a name that only ends so is another one."""
    cli.write("a.sh", f"docker run {image} {LAUNCH}")
    (launch,) = cli("launches", "--output-format", "json", "a.sh").json
    assert (launch["sglang_version"] if launch["version_source"] == "image" else None) == version


@pytest.mark.parametrize(
    ("dockerfile", "expected"),
    [
        ('FROM lmsysorg/sglang:v0.5.7\nCOPY serve.sh /app/\nCMD ["bash", "/app/serve.sh"]\n', ("0.5.7", "image")),
        ("FROM lmsysorg/sglang:v0.5.7\nCOPY . /app\nWORKDIR /app\nENTRYPOINT ./serve.sh\n", ("0.5.7", "image")),
        ("FROM lmsysorg/sglang:v0.5.7\nRUN pip install sglang==0.5.9\nADD ./serve.sh /\nCMD /serve.sh\n", ("0.5.9", "image")),
        ("FROM lmsysorg/sglang:v0.5.7\nCOPY other.sh /\nCMD /other.sh\n", None),
        ("FROM lmsysorg/sglang:v0.5.7\nCOPY --from=x serve.sh /\nCMD /serve.sh\n", None),
        ("FROM lmsysorg/sglang:v0.5.7\nCOPY serve.sh /\nCMD bash\n", None),
        ("FROM nvidia/cuda\nCOPY serve.sh /\nCMD /serve.sh\n", None),
    ],
)
def test_a_script_that_a_dockerfile_beside_it_runs(cli: Cli, dockerfile: str, expected: tuple[str, str] | None) -> None:
    cli.write("a/serve.sh", LAUNCH)
    cli.write("a/Dockerfile", dockerfile)
    assert release(cli) == expected or (expected is None and release(cli)[1] == "newest")


def test_a_dockerfile_above_a_script(cli: Cli) -> None:
    """Several images of one script: what lies between them."""
    cli.write(".git/HEAD", "")
    cli.write("requirements.txt", "sglang==0.5.5\n")
    cli.write("a/serve.sh", LAUNCH)
    cli.write("Dockerfile", "FROM lmsysorg/sglang:v0.5.7\nCOPY a/serve.sh /\nCMD /serve.sh\n")
    assert release(cli) == ("0.5.7", "image")
    cli.write("rocm.Dockerfile", "FROM lmsysorg/sglang:v0.5.6\nCOPY a /a\nCMD /a/serve.sh\n")
    (launch,) = cli("launches", "--output-format", "json", "a/serve.sh").json
    assert (launch["sglang_version"], launch["sglang_version_until"]) == ("0.5.6", "0.5.7")
    cli.write("Dockerfile.old", "FROM $IMAGE\nCOPY a /a\nCMD /a/serve.sh\n")
    assert release(cli) == ("0.5.5", "lock")
