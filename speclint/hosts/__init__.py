"""The languages in which launches are written.

A host is a module with ``read(file, problems) -> Iterable[Command]``: every command that the file runs, as words with
origins; what it cannot read of a file is added to ``problems``.
Hosts know languages and nothing of SGLang. One more host is one module and one line here.
"""

from __future__ import annotations

from speclint.lean import module

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from speclint.source import SourceError, SourceFile
    from speclint.words import Command

# Host name -> module with read(file, problems).
HOSTS = {
    "shell": "speclint.hosts.shell",
    "python": "speclint.hosts.python",
    "yaml": "speclint.hosts.yaml",
    "markdown": "speclint.hosts.markdown",
    "rst": "speclint.hosts.rst",
    "asciidoc": "speclint.hosts.asciidoc",
    "notebook": "speclint.hosts.notebook",
    "text": "speclint.hosts.plain",
    "dockerfile": "speclint.hosts.dockerfile",
    "makefile": "speclint.hosts.makefile",
    "justfile": "speclint.hosts.justfile",
    "units": "speclint.hosts.units",
    "json": "speclint.hosts.jsonc",
    "toml": "speclint.hosts.toml",
    "template": "speclint.hosts.template",
    "terraform": "speclint.hosts.terraform",
    "nix": "speclint.hosts.nix",
    "javascript": "speclint.hosts.javascript",
}
SUFFIXES = {
    ".sh": "shell",
    ".bash": "shell",
    ".zsh": "shell",
    ".sbatch": "shell",
    ".slurm": "shell",
    ".py": "python",
    ".yaml": "yaml",
    ".yml": "yaml",
    ".md": "markdown",
    ".mdx": "markdown",
    ".markdown": "markdown",
    ".rst": "rst",
    ".adoc": "asciidoc",
    ".asciidoc": "asciidoc",
    ".ipynb": "notebook",
    ".txt": "text",
    ".tf": "terraform",
    ".hcl": "terraform",
    ".tftpl": "terraform",
    ".nomad": "terraform",
    ".nix": "nix",
    ".Dockerfile": "dockerfile",
    ".dockerfile": "dockerfile",
    ".Containerfile": "dockerfile",
    ".mk": "makefile",
    ".just": "justfile",
    ".service": "units",
    ".container": "units",
    ".conf": "units",
    ".json": "json",
    ".jsonc": "json",
    ".code-workspace": "json",
    ".toml": "toml",
    ".j2": "template",
    ".jinja": "template",
    ".jinja2": "template",
    ".js": "javascript",
    ".jsx": "javascript",
    ".mjs": "javascript",
    ".cjs": "javascript",
}
# Templates that are read only if the name before tells of what: many languages have files that end so.
_TEMPLATES = frozenset(("tmpl", "gotmpl", "template"))
# What Helm or Terraform fills in, by what the name before says it is.
_WITHIN = {"sh": "shell", "bash": "shell", "service": "units"}
# Files whose whole name tells the language; also with something added: Dockerfile.gpu, Procfile.dev.
NAMES = {
    "Dockerfile": "dockerfile",
    "dockerfile": "dockerfile",
    "Containerfile": "dockerfile",
    "Makefile": "makefile",
    "makefile": "makefile",
    "GNUmakefile": "makefile",
    "Justfile": "justfile",
    "justfile": "justfile",
    ".justfile": "justfile",
    "Procfile": "units",
}


def of_name(name: str) -> str | None:
    """The host for a file of this name (without folders); None if the name does not tell."""
    found = NAMES.get(name)
    if found is not None:
        return found
    stem, dot, suffix = name.rpartition(".")
    if not dot:
        return None
    found = SUFFIXES.get(f".{suffix}") or SUFFIXES.get(f".{suffix.lower()}")
    if suffix == "tpl":
        within = stem.rpartition(".")[2]
        return "template" if within in ("yaml", "yml") else _WITHIN.get(within, "yaml")
    if suffix in _TEMPLATES and "." in stem and f".{stem.rpartition('.')[2]}" in SUFFIXES:
        return "template"
    return found or NAMES.get(stem.partition(".")[0] or stem)


def read(file: SourceFile, host: str, problems: list[SourceError] | None = None) -> Iterable[Command]:
    """Every command in ``file``; parts that cannot be read are added to ``problems``.

    Raises SourceError if it cannot be parsed at all.
    """
    commands: Iterable[Command] = module(HOSTS[host]).read(file, problems)
    return commands
