"""Write docs/upgrade/: what an upgrade of SGLang breaks in launches, step by step, from the catalogue and the rules.

    python tools/upgrade_pages.py [--check]

``--check`` writes nothing and fails where a page is not what it would be written as.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable, Iterator
from itertools import pairwise
from pathlib import Path

from speclint.hover import describe
from speclint.report.markdown import code, escape
from speclint.rules import load
from speclint.sglang import catalog, envs
from speclint.sglang.catalog import Option, Release
from speclint.sglang.versions import parse

ROOT = Path(__file__).resolve().parent.parent
FOLDER = ROOT / "docs" / "upgrade"
# Besides one page for each release: the steps that people take who upgrade seldom.
FIRST = "0.5.0"
LONG = (("0.4.10", "0.5.23"), ("0.5.5", "0.5.23"), ("0.5.10", "0.5.23"), ("0.5.18", "0.5.23"))
# More choices than these are not listed.
_FEW = 8
_MARK = "<!-- written by tools/upgrade_pages.py -->"


def steps() -> list[tuple[str, str]]:
    """From each final release to the next one with another number, and the long steps."""
    final = [release for release in catalog.known() if "rc" not in release and "post" not in release]
    final = [release for release in final if parse(release) >= parse(FIRST)]
    return [*pairwise(final), *LONG]


def name(now: str, then: str) -> str:
    return f"{now}-to-{then}.md"


def page(now: str, then: str) -> str:
    old, new = catalog.release(now), catalog.release(then)
    parts = [
        f"# SGLang {now} → {then}: what breaks",
        _MARK,
        f"What of the command line of `sglang.launch_server` changes between {now} and {then}. For your own launches, "
        "this tells what of it concerns them:",
        f"```sh\nspeclint --sglang-version {now}..{then} .\n```",
    ]
    sections = (
        ("Refused", "A launch with one of these does not start.", list(_refused(old, new))),
        ("Taken for another option", "The name is gone, and the beginning of another one.", list(_misread(old, new))),
        ("Environment variables that nothing reads any more", "", list(_variables(now, then))),
        ("Other defaults", "What is not written means something else than before.", list(_defaults(old, new))),
        ("Newly deprecated", "They still work.", list(_deprecated(old, new))),
        ("Rules that begin to hold", "", list(_rules(now, then))),
        ("New options", "", list(_added(old, new))),
    )
    for title, about, rows in sections:
        if rows:
            parts.append(f"## {title}")
            parts.extend([about] if about else [])
            parts.append("\n".join(rows))
    if not any(rows for _, _, rows in sections[:5]):
        parts.insert(3, "No option, choice, default or variable that was there is gone or means something else.")
    return "\n\n".join(parts) + "\n"


def _table(head: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> Iterator[str]:
    found = [f"| {' | '.join(row)} |" for row in rows]
    if found:
        yield f"| {' | '.join(head)} |"
        yield f"| {' | '.join('---' for _ in head)} |"
        yield from found


def _written(release: Release) -> Iterator[tuple[str, Option]]:
    """The option strings that are written in full; their negations and short forms go with them."""
    return ((string, option) for string, option in sorted(release.options.items()) if string.startswith("--"))


def _refused(old: Release, new: Release) -> Iterator[str]:
    return _table(("What", "Instead"), [*_gone(old, new), *_choices(old, new), *_forms(old, new)])


def _gone(old: Release, new: Release) -> Iterator[tuple[str, str]]:
    for string, _ in _written(old):
        if string not in new.options and _short_for(string, new) is None:
            yield code(string), _instead(string, new)


def _short_for(string: str, new: Release) -> str | None:
    """The option that the parser takes a name for that it no longer has: the only one that begins with it."""
    found = [other for other in new.options if other.startswith(string)]
    return found[0] if len(found) == 1 else None


def _misread(old: Release, new: Release) -> Iterator[str]:
    for string, _ in _written(old):
        other = None if string in new.options else _short_for(string, new)
        if other is not None:
            yield f"- {code(string)} is read as {code(other)}"


def _instead(string: str, new: Release) -> str:
    found = catalog.replacement(string, new.version)
    if found is None:
        return ""
    if found.words is None:
        return "leave it out"
    return code(found.words) + (" (look at what it means first)" if found.kind == "review" else "")


def _choices(old: Release, new: Release) -> Iterator[tuple[str, str]]:
    for string, option in _written(old):
        then = new.options.get(string)
        if then is None or option.choices is None or then.choices is None or then.dest != option.dest:
            continue
        for choice in option.choices:
            if choice not in then.choices:
                few = len(then.choices) <= _FEW
                yield code(f"{string} {choice}"), f"one of {', '.join(map(code, then.choices))}" if few else ""


def _forms(old: Release, new: Release) -> Iterator[tuple[str, str]]:
    """Options that take a value now or take none any more, of another type, or that have to be written now."""
    for string, option in _written(old):
        then = new.options.get(string)
        if then is None:
            continue
        before, after = (option.nargs == 0, option.type), (then.nargs == 0, then.type)
        if before != after and not (option.choices is None and then.type in (None, "str")):
            yield code(string), f"it was: {describe(option, old)}; it is: {describe(then, new)}"
        elif then.required and not option.required:
            yield f"no {code(string)}", "it has to be written"


def _variables(now: str, then: str) -> Iterator[str]:
    rows = []
    for variable in sorted(envs.known()):
        meaning = envs.meaning(variable, then)
        if envs.meaning(variable, now).kind == "read" and meaning.kind in ("renamed", "unread", "refused"):
            rows.append((code(variable), code(meaning.new) if meaning.new else ""))
    return _table(("Variable", "Instead"), rows)


def _defaults(old: Release, new: Release) -> Iterator[str]:
    rows = []
    for string, option in _written(old):
        then = new.options.get(string)
        if then is not None and string == option.strings[0] and then.nargs != 0 and option.default != then.default:
            rows.append((code(string), code(str(option.default)), code(str(then.default))))
    return _table(("Option", f"in {old.version}", f"in {new.version}"), rows)


def _deprecated(old: Release, new: Release) -> Iterator[str]:
    rows = []
    for string, option in _written(new):
        before = old.options.get(string)
        if option.deprecated and before is not None and not before.deprecated:
            rows.append((code(string), _instead(string, new)))
    return _table(("Option", "Instead"), rows)


def _rules(now: str, then: str) -> Iterator[str]:
    for rule in load.rules():
        if rule.level != "info" and rule.applies(then) and not rule.applies(now):
            yield f"- [{rule.code}](../rules/{rule.code}.md) {rule.name} ({rule.level}): {escape(rule.summary)}"


def _added(old: Release, new: Release) -> Iterator[str]:
    found = [string for string, option in _written(new) if string not in old.options and not option.deprecated]
    if found:
        yield ", ".join(map(code, found)) + "."


def index(made: Iterable[tuple[str, str]]) -> str:
    links = "\n".join(f"- [{now} → {then}]({name(now, then)})" for now, then in made)
    return (
        f"# Upgrades of SGLang\n\n{_MARK}\n\nWhat of SGLang's command line goes, changes its meaning or comes with a "
        "release, read off the wheels. `speclint --sglang-version V..W` tells the same for the launches that you have, "
        f"for any two releases.\n\n{links}\n"
    )


def pages() -> dict[Path, str]:
    made = sorted(steps(), key=lambda step: (parse(step[1]), parse(step[0])), reverse=True)
    return {FOLDER / "index.md": index(made), **{FOLDER / name(*step): page(*step) for step in made}}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--check", action="store_true", help="write nothing; fail where a page is stale")
    check = parser.parse_args().check
    made = pages()
    stale = [path for path, text in made.items() if not path.exists() or path.read_text("utf-8") != text]
    stale += [path for path in FOLDER.glob("*.md") if path not in made]
    for path in stale:
        print(path.relative_to(ROOT))
        if not check and path in made:
            FOLDER.mkdir(parents=True, exist_ok=True)
            path.write_text(made[path], "utf-8")
        elif not check:
            path.unlink()
    return int(check and bool(stale))


if __name__ == "__main__":
    sys.exit(main())
