"""Where a module may start a server, told from its text alone.

A tree of Python files is mostly read for this, and most of SGLang's own modules name what starts a server without
starting one: they define it, import it, or tell people of it. So each place is looked at with what stands around it.

One expression of all that is looked for takes 180 ns a character, since it tries each of its branches at each of them;
a search for a word takes 0.2. So every part here begins with a word, or with a character that is rare.
"""

from __future__ import annotations

from speclint.lean import pattern

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

# What reads a command line for a server of the same process, and what starts that: a test of the options has none.
_PREPARES = "prepare_server_args("
_SERVES = ("launch_server(", "run_server(")
_ARGV = "sys.argv"
# The last part of the name of a module that starts a server, or of a function of SGLang's tests and notebooks.
_PARTS = ("launch_server", "launch_pd_server", "bench_one_batch", "bench_offline_throughput", "compile_deep_gemm")
# What such a part stands behind where it is text, or part of one; behind a blank it is a name of the code, or prose.
_BEFORE_TEXT = frozenset(".}/=\"'\\$")
_NO_TEXT = pattern(r"[\w(]|\.(?!py\b)|[ \t]+import\b")
_RUNNER = "SRTRunner("
CLASSES = ("Engine", "ServerArgs", "Runtime")
_CALLED = pattern(r"\s*\(|\s+as\b")
# A class that is not called there but handed on.
_ASSIGNED = pattern(rf"[=(]\s*[\w.]+\.(?:{'|'.join(CLASSES)})\b")
# What looks up such a class by its name.
_LOOKED_UP = pattern(r"\bgetattr\(\s*[\w.]+\s*,\s*[\"']\Z")
# The name of a class among the bases of another.
_BASE = pattern(r"[ \t]*class[ \t]+\w+[ \t]*\([\w., \t]*\Z")
# The name of the program, with what makes it a launch; at the end of a text it may be the word before "serve".
_PROGRAM = pattern(
    r"sglang(?:(?<=dynamo\.sglang)(?P<dynamo>(?!\w|\.\w))|(?<=--sglang)(?P<prefix>-)|(?P<serve>\s+serve\b(?!`))"
    r"|(?=[\"']|\s*[{%]))"
)
_SERVE_WORD = pattern(r"serve(?<=[\"']serve)[\"']")
# Behind "from": what is imported. The part of SGLang that makes pictures has classes of the same names.
_IMPORT = pattern(r"sglang[\w.]*[ \t]+import\b[ \t]*(\([^)]{0,4000}\)|[^\n\\]{0,4000}(?:\\\r?\n[^\n\\]{0,400}){0,9})")
_OTHER = "sglang.multimodal_gen"
_NAME = pattern(r"\w+")
# How a class of options ends.
CONFIGURES = r"Config|Args|Kwargs|Options|Params|Settings"
# Options that only SGLang has.
_OPTIONS = (
    r"(?:mem[-_]fraction[-_]static|chunked[-_]prefill[-_]size|(?:tp|dp|ep|page)[-_]size|moe[-_]\w+[-_]backend"
    r"|speculative[-_](?:algo\w*|num[-_][\w-]+|eagle[-_]topk|draft[-_]model[-_]path)|(?:prefill|decode|sampling|grammar)"
    r"[-_]backend|(?:prefill[-_]|decode[-_])?attention[-_]backend|max[-_]running[-_]requests|cuda[-_]graph[-_]\w[\w-]*"
    r"|disable[-_](?:radix[-_]cache|cuda[-_]graph|overlap[-_]schedule)|enable[-_]dp[-_]attention|disaggregation[-_]\w[\w-]*)"
)
# As an item of a list; what only asks for one, or goes on with a sentence, is none.
_ITEM = pattern(rf"[\"']--{_OPTIONS}(?:=|[\"'](?!\s*(?:not\s+)?in\b|\s*[=!]=))")
_FLAG = pattern(r"--[A-Za-z]\w*-[\w-]+")
# As a key of a dictionary, or as what is set in one.
_KEY = pattern(rf"[\"']{_OPTIONS}[\"']")
# How such a key ends. An expression that begins with one character is ten times as fast as one that begins with any
# quote.
_ENDS = tuple(pattern(rf"{quote}\s*(?::|\]\s*=[^=])") for quote in "\"'")
# A configuration of SGLang's that a program makes of a class of its own, with such an option.
_MADE = pattern(
    rf"(?:SGLang|Sglang)\w{{0,30}}?(?:{CONFIGURES})\((?:[^()]|\([^()]{{0,200}}\)){{0,1000}}?\b{_OPTIONS}\s*=(?!=)"
)
_JOINED = frozenset("$%\\{-")
# The rest of an option that is written out, behind "--sglang".
_PREFIXED = pattern(r"-([\w-]+)[\"'=\s\\]")
# What the parts have in common: three searches tell that a module has none.
_COMMON = ("_server", "bench_o", "compile_deep_gemm")
_REST = {name[name.index("_") :]: name for name in _PARTS}
_UNDERSCORE = pattern("_(?:" + "|".join(f"{rest[1:]}(?<={name})" for rest, name in _REST.items()) + ")")
_DASH = pattern(rf"-(?<=[\"']-)-{_OPTIONS}")
# What runs a command.
_RUN = (
    r"(?:Popen|run|call|check_call|check_output|getoutput|getstatusoutput|system|popen|exec[lv]p?e?|p?spawn\w*"
    r"|posix_spawnp?|create_subprocess_\w+)"
)
_RUNS = pattern(rf"\b{_RUN}\s*\(")
# The bracket behind most of them, or one behind a blank. An expression that begins with any of many words takes twenty
# times as long.
_BRACKET = pattern(
    r"\((?<=[lmnptve\s]\()(?:(?<=\brun\()|(?<=\bcall\()|(?<=\b[Pp]open\()|(?<=\bsystem\()|(?<=\bcheck_call\()"
    r"|(?<=\bcheck_output\()|(?<=\bgetoutput\()|(?<=\bgetstatusoutput\()|(?<=\bexec[lv]\()|(?<=\bexec[lv][pe]\()"
    r"|(?<=\bexec[lv]pe\()|(?<=[lmnptve]\s\()|(?<=\s\s\())"
)
_RUN_BEFORE = pattern(rf"\b{_RUN}\s*\Z")
_LONGEST = 60
_DECLARED = pattern(r"add_argument\(\s*$|:\s*Literal\[\s*$")
# So far back is looked for what a class is assigned to, or what imports: no line is too long to be looked at.
_BEFORE = 200


def places(text: str) -> list[int]:
    """The offsets, in order; a module without any starts no server."""
    found: set[int] = set()
    if any(word in text for word in _COMMON):
        for match in _UNDERSCORE.finditer(text):
            if _is_text(text, match.end() - len(_REST[match.group()]), match.end()):
                found.add(match.start())
        if _PREPARES in text and serves(text):
            found.update(_prepared(text))
    items = [
        match.start()
        for match in _DASH.finditer(text)
        if _ITEM.match(text, match.start() - 1) and _is_first(text, match.start() - 1)
    ]
    found.update(at for at in every(text, _RUNNER) if not text.startswith("class ", max(at - 6, 0)))
    named = list(every(text, "sglang"))
    _program(text, named, found)
    _classes(text, named, found)
    # Without an import it takes three options that only SGLang has to tell whose they are.
    if items and (len(set(_FLAG.findall(text))) > 2 or imported(text, named)):
        found.update(items)
    found.update(_keys(text))
    found.update(match.start() for match in _MADE.finditer(text))
    return sorted(found)


def runs(text: str) -> list[int]:
    """The offsets, in order, of what runs a command: of names of functions, or of the brackets behind them."""
    if "spawn" in text or "create_subprocess_" in text:
        return [match.start() for match in _RUNS.finditer(text)]
    found = []
    for match in _BRACKET.finditer(text):
        at = match.start()
        if text[at - 1].isspace():
            least = max(at - _BEFORE, 0)
            named = _RUN_BEFORE.search(text[least:at])
            if named is None:
                continue
            at = least + named.start()
        found.append(at)
    return found


def serves(text: str) -> bool:
    """Whether a module starts a server in its own process."""
    return any(word in text for word in _SERVES)


def is_option(text: str, at: int) -> bool:
    """Whether what stands at a place is an option, rather than what starts something."""
    return text[at] == "-" or (text[at] in "\"'" and _SERVE_WORD.match(text, at + 1) is None)


def _is_text(text: str, start: int, end: int) -> bool:
    """Whether the part of a module's name at a place stands in text, by the characters around it, or in the name of a
    function that starts a server.
    """
    if text.startswith("popen_", max(start - 6, 0)) or text.startswith("_cmd", end):
        return True
    before = text[start - 1 : start]
    if before not in _BEFORE_TEXT or _NO_TEXT.match(text, end) or (before == "." and not _is_module(text, start, end)):
        return False
    return not (before == "=" and text[end : end + 1] in (",", ")"))


def _prepared(text: str) -> Iterator[int]:
    """Where a command line is read for a server, if the module has it: that of its own call it has where it sets it."""
    own = any(f"{_ARGV}{sign}" in text for sign in (" =", "="))
    for at in every(text, _PREPARES):
        if not text.startswith("def ", at - 4) and (own or not text.startswith(_ARGV, at + len(_PREPARES))):
            yield at


def _is_module(text: str, start: int, end: int) -> bool:
    """Whether a dotted name whose last part stands at a place is that of a module that starts a server, or its end."""
    from speclint.launch import MODULES

    first, least = start, start - _LONGEST
    while first > least and (text[first - 1 : first] == "." or text[first - 1 : first].isidentifier()):
        first -= 1
    # Behind these, the first letters belong to something else: an escape, a variable, an option.
    return text[first - 1 : first] in _JOINED or any(name.endswith(text[first:end]) for name in MODULES)


def _is_other(text: str, at: int) -> bool:
    """Whether ``--sglang-…`` is no option of SGLang behind the prefix, or is declared there rather than given."""
    name = _PREFIXED.match(text, at + len("sglang"))
    if name is None or _is_declared(text, at - 3):
        return name is not None
    from speclint.marked import is_option

    return not is_option(name[1])


def _program(text: str, named: Iterable[int], found: set[int]) -> None:
    """``sglang serve``, ``dynamo.sglang`` and options of SGLang among those of another program, where it is named."""
    alone = False
    for at in named:
        after = text[at + 6 : at + 8]
        if after[1:].isalnum() and after[0] == ".":
            continue  # the first part of the name of a module, as most often
        match = _PROGRAM.match(text, at)
        if match is None:
            continue
        if match.lastgroup is None:
            alone = True
        elif match.lastgroup != "prefix" or not _is_other(text, at):
            found.add(at)
    if alone:
        found.update(match.start() - 1 for match in _SERVE_WORD.finditer(text))


def _classes(text: str, named: Iterable[int], found: set[int]) -> None:
    """Engines and their arguments: attributes of what is imported of SGLang, or names that are.

    ``named``: where SGLang is.
    """
    known: set[str] | None = None
    for name in CLASSES:
        for at in every(text, name):
            before, end = text[at - 1 : at], at + len(name)
            called = _CALLED.match(text, end) is not None
            base = not called and text[end : end + 1] in (")", ",") and _is_base(text, at)
            looked_up = before in ("'", '"') and _LOOKED_UP.search(text[max(at - _LONGEST, 0) : at]) is not None
            if not called and not base and before != "." and not looked_up:
                continue
            if known is None:
                known = imported(text, named)
            if not known:
                return
            if called and (
                before == "."
                or (name in known and not before.isidentifier() and not text.startswith("class ", max(at - 6, 0)))
            ):
                found.add(at)
            if looked_up:
                found.add(at)
            if base and (before == "." or name in known):
                found.add(at)
            handed = _ASSIGNED.search(text, max(at - 1 - _BEFORE, 0), end + 1) if before == "." else None
            if handed is not None:
                found.add(handed.start())


def _is_base(text: str, at: int) -> bool:
    """Whether the name at a place is one of the bases of a class that is defined there."""
    line = text[max(text.rfind("\n", max(at - _BEFORE, 0), at) + 1, at - _BEFORE, 0) : at]
    return _BASE.match(line) is not None


def imported(text: str, named: Iterable[int]) -> set[str]:
    """What is imported of SGLang's server where it is named: "sglang", and the names of its classes where they are."""
    found: set[str] = set()
    for at in named:
        if text.startswith(_OTHER, at):
            continue
        least = max(at - _BEFORE, 0)
        before = text[max(text.rfind("\n", least, at) + 1, least) : at].rstrip(" \t")
        if before.endswith("from"):
            match = _IMPORT.match(text, at)
            if match is not None:
                found.add("sglang")
                found.update(_NAME.findall(match.group(1)))
        elif "import" in before:
            found.add("sglang")
    return found


def _keys(text: str) -> Sequence[int]:
    """Where keys begin that are options, if they may belong to options of SGLang.

    Most of SGLang's own modules name some of its options, and following them takes half a second each.
    """
    found = []
    for end in _ENDS:
        for match in end.finditer(text):
            at = match.start()
            least = max(at - _LONGEST, 0)
            start = max(text.rfind('"', least, at), text.rfind("'", least, at))
            if start >= 0 and _KEY.match(text, start) and not _is_declared(text, start):
                found.append(start)
    if not found:
        return ()
    from speclint.hosts.python.fragments import names_options

    return found if names_options(text) else ()


def _is_first(text: str, at: int) -> bool:
    """Whether text that begins at a place goes on no other text, and is no option that a program declares."""
    before = text[max(at - _BEFORE, 0) : at].rstrip("rbfuRBFU").rstrip()
    return before[-1:] not in ("'", '"') and not _is_declared(text, at)


def _is_declared(text: str, at: int) -> bool:
    return _DECLARED.search(text, max(at - _BEFORE, 0), at) is not None


def every(text: str, word: str) -> Iterator[int]:
    """Where a word stands."""
    at = text.find(word)
    while at >= 0:
        yield at
        at = text.find(word, at + 1)
