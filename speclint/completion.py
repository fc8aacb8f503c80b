"""Scripts that complete speclint's commands, options and values in bash, fish and zsh.

They are made from the parsers of the command line and need nothing of speclint when they run, since a shell asks on
every key. Values of an option are words, files or nothing that is known.
"""

from __future__ import annotations

import argparse

from speclint.arguments import COMMANDS, FORMATS_OF, SHELLS
from speclint.lean import NamedTuple
from speclint.parsers import BUILD
from speclint.settings import FAIL_ON

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    Words = list[tuple[str, str]]

_FILES = ("FILE", "PATH", "PATH:LINE", "FILE|KEY=VALUE", "NAME", "PATTERNS")
_RULES = ("RULES", "CODE")


class Option(NamedTuple):
    """An option: its spellings, its help, and what may follow it: None for a switch, words, or ``files``."""

    strings: list[str]
    about: str
    words: Words | None
    files: bool


def script(shell: str, rules: Iterable[tuple[str, str]]) -> str:
    """The script for a shell. ``rules``: the codes and names of rules, each with what it is about."""
    named = list(rules)
    commands = {command: _options(command, named) for command in COMMANDS}
    places = {command: _positional(command, named) for command in COMMANDS}
    return {"bash": _bash, "fish": _fish, "zsh": _zsh}[shell](commands, places)


def _options(command: str, rules: Words) -> list[Option]:
    found = []
    for action in BUILD[command]()._actions:
        if action.option_strings and action.help != argparse.SUPPRESS:
            takes = action.nargs != 0
            words = _values(command, action, rules) if takes else None
            found.append(Option(list(action.option_strings), action.help or "", words, action.metavar in _FILES))
    return found


def _values(command: str, action: argparse.Action, rules: Words) -> Words:
    """The words that an option takes; none where it takes a file or anything."""
    if action.metavar in _RULES:
        return rules
    if action.metavar == "V":
        from speclint.sglang.catalog import known

        return [(release, "") for release in reversed(known())]
    words = {"FORMAT": FORMATS_OF.get(command, ()), "LEVEL": FAIL_ON, "SHELL": SHELLS}.get(str(action.metavar), ())
    if action.metavar == "FORMAT=PATH":
        words = tuple(f"{form}=" for form in FORMATS_OF[command])
    return [(word, "") for word in words]


def _positional(command: str, rules: Words) -> Option | None:
    for action in BUILD[command]()._actions:
        if not action.option_strings:
            words = _values(command, action, rules)
            return Option([], action.help or "", words, action.metavar in _FILES)
    return None


def _flat(text: str) -> str:
    """Text in one line that no shell takes for more than text between single quotes."""
    return " ".join(text.replace("'", "").replace("`", "").split())


def _list(words: Words) -> str:
    return " ".join(word for word, _ in words)


def _bash(commands: dict[str, list[Option]], places: dict[str, Option | None]) -> str:
    lines = [
        "# bash completion of speclint",
        "_speclint() {",
        '  local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} command=check word words=""',
        "  # The shell takes the = of --option=value for a word of its own.",
        '  [[ $cur == "=" ]] && cur=""',
        '  [[ $prev == "=" ]] && prev=${COMP_WORDS[COMP_CWORD-2]}',
        '  for word in "${COMP_WORDS[@]:1:COMP_CWORD-1}"; do',
        f"    case $word in {'|'.join(commands)}) command=$word; break ;; esac",
        "  done",
        "  case $command:$prev in",
    ]
    for command, options in commands.items():
        for option in options:
            if option.words:
                pattern = "|".join(f"{command}:{string}" for string in option.strings)
                lines.append(f"    {pattern}) words='{_list(option.words)}' ;;")
            elif option.words is not None:
                pattern = "|".join(f"{command}:{string}" for string in option.strings)
                lines.append(f"    {pattern}) {'' if option.files else 'compopt +o bashdefault +o default; '}return ;;")
    lines.extend(["    *)", "      case $command:$cur in"])
    for command, options in commands.items():
        strings = [string for option in options for string in option.strings]
        lines.append(f"        {command}:-*) words='{' '.join(strings)}' ;;")
    for command, place in places.items():
        if place is not None and place.words:
            lines.append(f"        {command}:*) words='{_list(place.words)}' ;;")
    lines.extend([
        f"        check:*) [[ $COMP_CWORD -gt 1 ]] || words='{' '.join(commands)}' ;;",
        "      esac ;;",
        "  esac",
        "  # Of several rules with commas between them, the last is completed.",
        '  local before=""',
        '  [[ $cur == *,* ]] && before=${cur%,*},',
        '  [[ -n $words ]] && mapfile -t COMPREPLY < <(compgen -P "$before" -W "$words" -- "${cur##*,}")',
        '  [[ ${COMPREPLY[0]} != *= ]] || compopt -o nospace',
        "}",
        "complete -o bashdefault -o default -F _speclint speclint",
    ])  # fmt: skip
    return "\n".join(lines) + "\n"


def _fish(commands: dict[str, list[Option]], places: dict[str, Option | None]) -> str:
    others = [command for command in commands if command != "check"]
    lists: dict[str, str] = {}
    lines = [f"set -l check 'not __fish_seen_subcommand_from {' '.join(others)}'"]
    for command, about in COMMANDS.items():
        lines.append(f"complete -c speclint -n __fish_is_first_arg -a {command} -d '{_flat(about)}'")
    for command, options in commands.items():
        condition = '"$check"' if command == "check" else f"'__fish_seen_subcommand_from {command}'"
        place = places[command]
        start = f"complete -c speclint -n {condition}"
        if place is None or not place.files:
            words = f" -a '{_fish_list(place.words, lists)}'" if place is not None and place.words else ""
            lines.append(f"{start} -f{words}")
        for option in options:
            names = " ".join(f"-l {s[2:]}" if s.startswith("--") else f"-s {s[1:]}" for s in option.strings)
            lines.append(f"{start} {names} -d '{_flat(option.about)}'{_fish_values(option, lists)}")
    functions = [f"function {name}\n    printf '%s\\n' {words}\nend" for words, name in lists.items()]
    return "\n".join(["# fish completion of speclint", *functions, *lines]) + "\n"


def _fish_list(words: Words, lists: dict[str, str]) -> str:
    """What gives the words: a function where they have descriptions, which are no words for the shell."""
    if not any(about for _, about in words):
        return _list(words)
    told = " ".join(f"'{word}\t{_flat(about)}'" for word, about in words)
    return f"({lists.setdefault(told, f'__speclint_list_{len(lists)}')})"


def _fish_values(option: Option, lists: dict[str, str]) -> str:
    if option.words:
        return f" -x -a '{_fish_list(option.words, lists)}'"
    return " -r -F" if option.files else "" if option.words is None else " -x"


def _zsh(commands: dict[str, list[Option]], places: dict[str, Option | None]) -> str:
    lines = ["#compdef speclint", "# zsh completion of speclint", ""]
    for command, options in commands.items():
        lines.append(f"_speclint_{command.replace('-', '_')}() {{")
        lines.append("  _arguments -s \\")
        for option in options:
            lines.extend(f"    {spec} \\" for spec in _zsh_specs(option))
        lines.append(f"    {_zsh_place(places[command], command)}")
        lines.append("}")
    described = " ".join(f"'{command}:{_flat(about)}'" for command, about in COMMANDS.items())
    cases = "".join(f"    {command}) _speclint_{command.replace('-', '_')} ;;\n" for command in COMMANDS)
    lines.append(f"""
_speclint() {{
  local -a commands
  commands=({described})
  if (( CURRENT == 2 )) && [[ $PREFIX != -* ]]; then
    _describe command commands
    _files
    return
  fi
  case $words[2] in
{cases}    *) _speclint_check; return ;;
  esac
}}

if [[ $funcstack[1] == _speclint ]]; then _speclint "$@"; else compdef _speclint speclint; fi""")
    return "\n".join(lines) + "\n"


def _zsh_specs(option: Option) -> Iterator[str]:
    about = _flat(option.about).replace("[", "(").replace("]", ")")
    for string in option.strings:
        if option.words is None:
            yield f"'{string}[{about}]'"
        else:
            mark = "=" if string.startswith("--") else "+"
            action = f"_sequence compadd - {_list(option.words)}" if _many(option) else f"({_list(option.words)})"
            yield f"'*{string}{mark}[{about}]:value:{action if option.words else '_files' if option.files else ' '}'"


def _many(option: Option) -> bool:
    """Whether several values, with commas between them, may be given at once."""
    return any(string in ("--select", "--ignore", "--extend-select") for string in option.strings)


def _zsh_place(place: Option | None, command: str) -> str:
    first = "" if command == "check" else "'1:command:' "
    if place is None:
        return first + "'*: :'"
    return first + (f"'*:value:({_list(place.words)})'" if place.words else "'*:file:_files'")
