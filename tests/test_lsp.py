"""The language server, asked by a client over standard input and output."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("pygls")

from lsprotocol import types
from pygls.lsp.client import LanguageClient

ROOT = Path(__file__).resolve().parent.parent
LAUNCH = "python -m sglang.launch_server --model-path inclusionAI/Ring-2.5-1T --speculative-algorithm NGRAM"
# Seconds after which a server is taken to hang, on however busy a machine.
PATIENCE = 600
CONFIG = 'select = ["SGL0", "SGL201"]\n'


class Session:
    """A client with its server, and what the server told of each document."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.client = LanguageClient("tests", "1")
        self.told: dict[str, list[types.Diagnostic]] = {}
        self.versions: dict[str, int] = {}
        self.messages: list[str] = []
        self.news = asyncio.Event()

        @self.client.feature(types.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS)
        def published(params: types.PublishDiagnosticsParams) -> None:
            self.told[params.uri] = list(params.diagnostics)
            self.versions[params.uri] = params.version or 0
            self.news.set()

        @self.client.feature(types.WINDOW_SHOW_MESSAGE)
        def shown(params: types.ShowMessageParams) -> None:
            self.messages.append(params.message)
            self.news.set()

    async def start(self, encodings: list[str] | None) -> types.InitializeResult:
        env = {**os.environ, "PYTHONPATH": str(ROOT)}
        # Clients of several languages add --stdio.
        words = ("-m", "speclint", "server", *(("--stdio",) if encodings else ()))
        await self.client.start_io(sys.executable, *words, env=env, cwd=self.folder)
        general = types.GeneralClientCapabilities(position_encodings=encodings) if encodings else None
        capabilities = types.ClientCapabilities(general=general)
        params = types.InitializeParams(capabilities, process_id=os.getpid(), root_uri=self.folder.as_uri())
        result = await self.client.initialize_async(params)
        self.client.initialized(types.InitializedParams())
        return result

    async def stop(self) -> None:
        await self.client.shutdown_async(None)
        self.client.exit(None)
        await asyncio.wait_for(self.client.stop(), PATIENCE)

    def uri(self, name: str) -> str:
        return (self.folder / name).as_uri()

    async def open(self, name: str, text: str, language: str = "shellscript") -> list[types.Diagnostic]:
        item = types.TextDocumentItem(self.uri(name), language, 1, text)
        self.client.text_document_did_open(types.DidOpenTextDocumentParams(item))
        return await self.answer(name, 1)

    async def change(self, name: str, text: str, version: int) -> None:
        document = types.VersionedTextDocumentIdentifier(version, self.uri(name))
        whole = types.TextDocumentContentChangeWholeDocument(text)
        self.client.text_document_did_change(types.DidChangeTextDocumentParams(document, [whole]))

    async def answer(self, name: str, version: int) -> list[types.Diagnostic]:
        async def wait() -> None:
            while self.versions.get(self.uri(name)) != version:
                self.news.clear()
                await self.news.wait()

        await asyncio.wait_for(wait(), PATIENCE)
        return self.told[self.uri(name)]

    async def actions(self, name: str, place: types.Range, only: list[str] | None = None) -> list[types.CodeAction]:
        document, context = types.TextDocumentIdentifier(self.uri(name)), types.CodeActionContext([], only)
        found = await self.client.text_document_code_action_async(types.CodeActionParams(document, place, context))
        return [action for action in found or () if isinstance(action, types.CodeAction)]

    async def hover(self, name: str, line: int, character: int) -> str | None:
        document = types.TextDocumentIdentifier(self.uri(name))
        params = types.HoverParams(document, types.Position(line, character))
        found = await self.client.text_document_hover_async(params)
        assert found is None or isinstance(found.contents, types.MarkupContent)
        return found.contents.value if found else None  # type: ignore[union-attr]

    async def complete(self, name: str, line: int, character: int) -> list[types.CompletionItem]:
        document = types.TextDocumentIdentifier(self.uri(name))
        params = types.CompletionParams(document, types.Position(line, character))
        return list(await self.client.text_document_completion_async(params) or ())  # type: ignore[arg-type]


Script = Callable[[Session], Awaitable[None]]


@pytest.fixture
def session(tmp_path: Path) -> Callable[..., None]:
    """Runs a script against a server that was started with some position encodings."""
    (tmp_path / "speclint.toml").write_text(CONFIG)

    def run(script: Script, encodings: list[str] | None = None, expected: str = "utf-16") -> None:
        async def main() -> None:
            session = Session(tmp_path)
            result = await session.start(encodings)
            assert str(result.capabilities.position_encoding) in (expected, f"PositionEncodingKind.{expected}") or (
                getattr(result.capabilities.position_encoding, "value", None) == expected
            )
            await script(session)
            await session.stop()

        asyncio.run(main())

    return run


def applied(text: str, edits: Any, units: Callable[[str], int] = lambda text: len(text.encode("utf-16-le")) // 2) -> str:
    """Text after edits, as a client makes them."""
    lines = text.splitlines(keepends=True)

    def offset(position: types.Position) -> int:
        line = lines[position.line] if position.line < len(lines) else ""
        column = next((i for i in range(len(line) + 1) if units(line[:i]) == position.character), None)
        assert column is not None, "a position inside a character"
        return sum(map(len, lines[: position.line])) + column

    for edit in sorted(edits, key=lambda edit: (edit.range.start.line, edit.range.start.character), reverse=True):
        text = text[: offset(edit.range.start)] + edit.new_text + text[offset(edit.range.end) :]
    return text


TEXTS = {
    "a.sh": ("shellscript", f"{LAUNCH}\n"),
    "a.py": ("python", f'import os\nos.system("{LAUNCH}")\n'),
    "a.yaml": ("yaml", f"kind: Pod\nspec:\n  containers:\n  - command: [bash, -c]\n    args:\n    - |\n      {LAUNCH}\n"),
    "Dockerfile": ("dockerfile", f"FROM lmsysorg/sglang:v0.5.18\nCMD {LAUNCH}\n"),
    "untitled": ("shellscript", f"{LAUNCH}\n"),
    "ä b+@#[.sh": ("shellscript", f"{LAUNCH}\n"),
}


@pytest.mark.parametrize("name", TEXTS)
def test_languages(session: Any, name: str) -> None:
    async def script(s: Session) -> None:
        language, text = TEXTS[name]
        (found,) = await s.open(name, text, language)
        assert (found.code, found.source, found.severity) == ("SGL201", "speclint", types.DiagnosticSeverity.Error)
        line = text.split("\n")[found.range.start.line]
        assert line[found.range.start.character : found.range.end.character] == "NGRAM"
        assert found.code_description is not None
        (action, *_) = await s.actions(name, found.range, ["quickfix"])
        assert action.edit is not None
        fixed = applied(text, action.edit.changes[s.uri(name)])  # type: ignore[index]
        await s.change(name, fixed, 2)
        assert await s.answer(name, 2) == []

    session(script)


def test_while_typing(session: Any) -> None:
    async def script(s: Session) -> None:
        assert await s.open("a.py", "x = 1\n", "python") == []
        text = f'import os\nos.system("{LAUNCH}")\n'
        await s.change("a.py", text, 2)
        assert len(await s.answer("a.py", 2)) == 1
        # Half a word cannot be parsed: what was told stands until the text can be read again.
        await s.change("a.py", text + "os.system(", 3)
        await asyncio.sleep(0.6)
        assert s.versions[s.uri("a.py")] == 2
        for version, letter in enumerate("abc", 4):
            await s.change("a.py", f"{text}# {letter}\n", version)
        await s.answer("a.py", 6)
        await s.change("a.py", "x = 1\n", 7)
        assert await s.answer("a.py", 7) == []
        document = types.TextDocumentIdentifier(s.uri("a.py"))
        s.client.text_document_did_close(types.DidCloseTextDocumentParams(document))

    session(script)


@pytest.mark.parametrize(
    ("encodings", "expected", "units"),
    [
        (None, "utf-16", lambda text: len(text.encode("utf-16-le")) // 2),
        (["utf-8", "utf-16"], "utf-8", lambda text: len(text.encode())),
        (["utf-32"], "utf-32", len),
    ],
)
def test_position_encoding(session: Any, encodings: list[str] | None, expected: str, units: Callable[[str], int]) -> None:
    text = f'echo 😀 é; {LAUNCH} --served-model-name 😀 --speculative-ngram-max-bfs-breadth 8\n'

    async def script(s: Session) -> None:
        (found,) = await s.open("a.sh", text)
        start = text.rindex("8")
        assert found.range.start == types.Position(0, units(text[:start]))
        assert found.range.end == types.Position(0, units(text[: start + 1]))
        (action,) = await s.actions("a.sh", found.range, ["quickfix"])
        assert applied(text, action.edit.changes[s.uri("a.sh")], units) == text.replace(" 8\n", " 1\n")  # type: ignore
        shown = await s.hover("a.sh", 0, units(text[: start - 3]))
        assert shown is not None
        assert "--speculative-ngram-max-bfs-breadth" in shown

    session(script, encodings, expected)


def test_both_sites_and_fix_all(session: Any) -> None:
    text = f"B=8\nother $B\n{LAUNCH} \\\n  --speculative-ngram-max-bfs-breadth $B\n{LAUNCH}\n"

    async def script(s: Session) -> None:
        first, second = await s.open("a.sh", text)
        assert first.related_information is not None
        assert (first.related_information[0].message, first.related_information[0].location.range.start.line) == (
            "value set here", 0,
        )  # fmt: skip
        found = await s.actions("a.sh", first.range, ["quickfix"])
        texts = [applied(text, action.edit.changes[s.uri("a.sh")]) for action in found]  # type: ignore
        assert texts == [text.replace("B=8", "B=1"), text.replace("breadth $B", "breadth 1")]
        # Another command reads the variable, so neither is what `--fix` would make.
        assert [action.is_preferred for action in found] == [False, False]
        assert [action.title.partition("(line 1)")[1] for action in found] == ["(line 1)", ""]
        (action,) = await s.actions("a.sh", second.range, ["quickfix"])
        assert action.is_preferred
        (action,) = await s.actions("a.sh", second.range, ["source.fixAll"])
        fixed = applied(text, action.edit.changes[s.uri("a.sh")])  # type: ignore
        await s.change("a.sh", fixed, 2)
        assert len(await s.answer("a.sh", 2)) == 1
        assert await s.actions("a.sh", first.range, ["source.fixAll.speclint"]) == []
        assert await s.actions("a.sh", first.range, ["refactor"]) == []

    session(script)


def test_hover(session: Any) -> None:
    text = (
        "#!/bin/sh\n# speclint: sglang==0.5.10\n"
        "python -m sglang.launch_server --model-path x --attention-backend triton --enable-ep-moe --tp 8\n"
    )

    async def script(s: Session) -> None:
        await s.open("a.sh", text)
        line = text.split("\n")[2]
        shown = await s.hover("a.sh", 2, line.index("triton") + 2)
        assert shown is not None
        assert "`--attention-backend`** · SGLang 0.5.10" in shown
        assert "one of " in shown
        assert "`triton`" in shown
        gone = await s.hover("a.sh", 2, line.index("--enable-ep-moe") + 2)
        assert gone is not None
        assert "has no such option" in gone
        assert "removed in " in gone
        tp = await s.hover("a.sh", 2, line.index("--tp") + 2)
        assert tp is not None
        assert "also `--tensor-parallel-size`" in tp
        assert "type `int`; default `1`" in tp
        assert "value `8`" in tp
        assert await s.hover("a.sh", 0, 3) is None
        assert await s.hover("a.sh", 99, 3) is None

    session(script)


@pytest.mark.parametrize(
    ("name", "text", "label", "expected"),
    [
        ("a.sh", f"{LAUNCH} --attention-b|\n", "--attention-backend", f"{LAUNCH} --attention-backend\n"),
        ("a.sh", f"{LAUNCH} \\\n  |\n", "--tp-size", f"{LAUNCH} \\\n  --tp-size\n"),
        ("a.sh", f"{LAUNCH} --attention-backend tri|\n", "triton", f"{LAUNCH} --attention-backend triton\n"),
        ("a.sh", f"{LAUNCH} --attention-backend=|\n", "triton", f"{LAUNCH} --attention-backend=triton\n"),
        ("a.sh", f"{LAUNCH} --attention|-backend x\n", "--attention-backend", f"{LAUNCH} --attention-backend x\n"),
        ("a.py", f'import os\nos.system("{LAUNCH} --attention-backend tri|")\n', "triton",
         f'import os\nos.system("{LAUNCH} --attention-backend triton")\n'),
        ("a.py", 'import sglang\nsglang.Engine(model_path="x", attention_backend="t|")\n', "triton",
         'import sglang\nsglang.Engine(model_path="x", attention_backend="triton")\n'),
        ("a.py", 'import sglang\nsglang.Engine(model_path="x", attention_b|)\n', "attention_backend",
         'import sglang\nsglang.Engine(model_path="x", attention_backend)\n'),
        ("a.yaml", "command: [python3, -m, sglang.launch_server]\nargs:\n  - --model-path=x\n  - --attention-backend\n  - |\n",
         "triton", "command: [python3, -m, sglang.launch_server]\nargs:\n  - --model-path=x\n  - --attention-backend\n  - triton\n"),
    ],
)  # fmt: skip
def test_completion(session: Any, name: str, text: str, label: str, expected: str) -> None:
    async def script(s: Session) -> None:
        at = text.index("|")
        line, character = text[:at].count("\n"), at - (text.rfind("\n", 0, at) + 1)
        plain = text.replace("|", "", 1)
        if name.endswith(".yaml"):
            plain = "kind: Pod\nspec:\n  containers:\n    - name: a\n" + "".join(
                f"      {row}" for row in plain.splitlines(keepends=True)
            )
            line, character = line + 4, character + 6
        await s.open(name, plain)
        (item,) = [item for item in await s.complete(name, line, character) if item.label == label]
        result = applied(plain, [item.text_edit])
        assert "".join(row.removeprefix("      ") for row in result.splitlines(keepends=True)[-expected.count("\n"):]) == (
            expected if not name.endswith("sh") else expected.replace("      ", "")
        )

    session(script)


def test_completion_is_that_of_the_release(session: Any) -> None:
    async def script(s: Session) -> None:
        for release, there in (("0.5.23", False), ("0.4.7", True)):
            text = f"# speclint: sglang=={release}\n{LAUNCH} --enable-ep\n"
            await s.open(f"{release}.sh", text)
            found = await s.complete(f"{release}.sh", 1, len(LAUNCH) + len(" --enable-ep"))
            labels = {item.label for item in found}
            assert "--tp-size" in labels
            assert ("--enable-ep-moe" in labels) is there
        assert await s.complete("0.5.23.sh", 0, 5) == []

    session(script)


@pytest.mark.parametrize("name", ["a.sh", "a b.sh"])
def test_configuration_is_read_anew(session: Any, name: str) -> None:
    async def script(s: Session) -> None:
        assert len(await s.open(name, f"{LAUNCH}\n")) == 1
        (s.folder / "speclint.toml").write_text('ignore = ["SGL201"]\nselect = ["SGL201"]\n')
        event = types.FileEvent(s.uri("speclint.toml"), types.FileChangeType.Changed)
        s.versions.clear()
        s.client.workspace_did_change_watched_files(types.DidChangeWatchedFilesParams([event]))
        assert await s.answer(name, 1) == []
        (s.folder / "speclint.toml").write_text("nonsense = 1\n")
        s.versions.clear()
        s.client.workspace_did_change_watched_files(types.DidChangeWatchedFilesParams([event]))
        await s.answer(name, 1)
        assert any("unknown key `nonsense`" in message for message in s.messages)

    session(script)


def test_a_text_is_read_once_for_all_that_is_asked_of_it(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    from speclint import editor, lsp
    from speclint.config import Configs

    server = lsp.create(lambda: Configs(isolated=True))
    uri = (tmp_path / "a.sh").as_uri()
    server.protocol._workspace = lsp_workspace(uri, f"{LAUNCH}\n")
    looked: list[str] = []
    look = editor.look
    monkeypatch.setattr(editor, "look", lambda linter, path, text, host: looked.append(text) or look(linter, path, text, host))
    first = server.analysis(uri)
    assert first is not None
    assert server.analysis(uri) is first
    assert len(looked) == 1
    server.protocol._workspace = lsp_workspace(uri, f"{LAUNCH} --tp 2\n")
    assert server.analysis(uri) is not first
    server.forget()
    server.analysis(uri)
    assert len(looked) == 3


def lsp_workspace(uri: str, text: str) -> Any:
    from pygls.workspace import Workspace

    workspace = Workspace(None, types.TextDocumentSyncKind.Full, position_encoding=types.PositionEncodingKind.Utf16)
    workspace.put_text_document(types.TextDocumentItem(uri, "shellscript", 1, text))
    return workspace


def test_a_slow_text_waits_for_the_typist_a_fast_one_does_not(monkeypatch: pytest.MonkeyPatch) -> None:
    from speclint import lsp
    from speclint.config import Configs

    class Loop:
        def call_later(self, pause: float, *_: object) -> float:
            return pause

    def pause(before: float) -> float:
        server = lsp.create(lambda: Configs(isolated=True))
        server.pauses["x"] = before
        server.later("x")
        return server.waiting["x"]

    monkeypatch.setattr(asyncio, "get_running_loop", Loop)
    assert pause(0.0) < 0.02
    assert 0.05 < pause(0.1) < 0.1
    assert 0.1 < pause(9.0) <= 0.2


@pytest.mark.parametrize("asked", [("shutdown", "exit"), ()], ids=["shut down", "left alone"])
def test_the_server_ends_well(asked: tuple[str, ...], tmp_path: Path) -> None:
    """Status 0 and nothing on standard error, also where the editor just goes away."""
    started: dict[str, object] = {"processId": None, "rootUri": tmp_path.as_uri(), "capabilities": {}}
    messages: list[dict[str, object]] = [{"id": 1, "method": "initialize", "params": started}]
    messages += [{"method": "initialized", "params": {}}]
    messages += [{"method": name, **({"id": 2} if name == "shutdown" else {})} for name in asked]
    bodies = [json.dumps({"jsonrpc": "2.0", **message}).encode() for message in messages]
    given = b"".join(b"Content-Length: %d\r\n\r\n%b" % (len(body), body) for body in bodies)
    env = {**os.environ, "PYTHONPATH": str(ROOT)}
    words = (sys.executable, "-m", "speclint", "server", "--isolated", "--select", "SGL2", "--sglang-version", "0.5.9")
    done = subprocess.run(words, input=given, capture_output=True, env=env, cwd=tmp_path, check=False)
    assert (done.returncode, done.stderr.decode()) == (0, "")
    assert b'"id":1' in done.stdout.replace(b" ", b"")


def test_a_misspelt_rule_is_told_at_once() -> None:
    env = {**os.environ, "PYTHONPATH": str(ROOT)}
    words = (sys.executable, "-m", "speclint", "server", "--select", "SGL2,lightning-topkk")
    done = subprocess.run(words, input=b"", capture_output=True, env=env, check=False)
    told = b"speclint: select: no rule is called `lightning-topkk`; did you mean `lightning-topk`?\n"
    assert (done.returncode, done.stderr.replace(b"\r\n", b"\n")) == (2, told)
