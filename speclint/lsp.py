"""``speclint server``: the language server. What it knows comes from ``editor``, ``hover`` and ``complete``."""

from __future__ import annotations

import asyncio
import logging
import os
import time

from lsprotocol import types
from pygls import uris
from pygls.lsp.server import LanguageServer

from speclint import __version__, complete, editor, hover
from speclint.home import rule_url
from speclint.run import Linter, describe
from speclint.settings import ConfigError
from speclint.source import SourceError, SourceFile

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from speclint.analysis import Analysis
    from speclint.config import Configs
    from speclint.finding import Finding, Fix
    from speclint.text import Span

_LEVELS = {
    "error": types.DiagnosticSeverity.Error,
    "warning": types.DiagnosticSeverity.Warning,
    "info": types.DiagnosticSeverity.Information,
}
_CONFIGURATION = ("speclint.toml", "pyproject.toml", "setup.cfg")
_FIX_ALL = "source.fixAll.speclint"
# Seconds without a key before a text is read anew: a text that takes long is not read for every key of a fast typist.
_SHORTEST, _LONGEST = 0.005, 0.2


class Server(LanguageServer):
    """One session: the linter, and what it found in the texts that are open."""

    def __init__(self, configs: Callable[[], Configs]) -> None:
        # Whole texts: pygls counts other line ends than the protocol when it applies changes to a text.
        super().__init__("speclint", __version__, text_document_sync_kind=types.TextDocumentSyncKind.Full)
        self.configs = configs
        self.linter = Linter(configs())
        self.told: set[str] = set()
        # By the addresses that the client knows; pygls has others for what is escaped in them.
        self.opened: set[str] = set()
        self.waiting: dict[str, asyncio.TimerHandle] = {}
        self.pauses: dict[str, float] = {}
        # What was made of the text that a document had last: an editor asks several things of the same text.
        self.read: dict[str, tuple[str, str | None, Analysis | None]] = {}

    @property
    def encoding(self) -> str:
        """The units of positions, as agreed with the client."""
        return str(getattr(self.workspace.position_encoding, "value", self.workspace.position_encoding))

    def forget(self) -> None:
        """Read configurations anew."""
        self.told.clear()
        self.read.clear()
        try:
            self.linter = Linter(self.configs())
        except ConfigError as error:
            self.tell(str(error))

    def document(self, uri: str) -> tuple[str, str, str | None]:
        """Path, text and host of an open document."""
        document = self.workspace.get_text_document(uri)
        path, text = uris.to_fs_path(uri) or uri, document.source.removeprefix("\ufeff")
        return path, text, editor.host_of(path, text, document.language_id or "")

    def analysis(self, uri: str) -> Analysis | None:
        """What an open document says; None where it says nothing or cannot be parsed."""
        try:
            return self.look(uri)
        except SourceError:
            return None
        except ConfigError as error:
            self.tell(str(error))
        except Exception as error:  # a fault of speclint must not end the session
            self.tell(f"internal error: {describe(error)}")
        return None

    def look(self, uri: str) -> Analysis | None:
        """What an open document says. Raises SourceError where it cannot be parsed."""
        path, text, host = self.document(uri)
        known = self.read.get(uri)
        if known is not None and known[:2] == (text, host):
            return known[2]
        began = time.perf_counter()
        analysis = editor.look(self.linter, path, text, host)
        self.pauses[uri] = time.perf_counter() - began
        self.read[uri] = (text, host, analysis)
        return analysis

    def tell(self, message: str) -> None:
        """Show a message, once."""
        if message not in self.told:
            self.told.add(message)
            self.window_show_message(types.ShowMessageParams(types.MessageType.Error, f"speclint: {message}"))

    def later(self, uri: str) -> None:
        """Publish what is found once typing has paused."""
        if uri in self.waiting:
            self.waiting.pop(uri).cancel()
        pause = min(max(self.pauses.get(uri, 0) - 0.02, _SHORTEST), _LONGEST)
        self.waiting[uri] = asyncio.get_running_loop().call_later(pause, self.publish, uri)

    def publish(self, uri: str, typing: bool = True) -> None:
        """Tell the client what is found. Of text that cannot be parsed while it is typed, what was told stands."""
        self.waiting.pop(uri, None)
        if uri not in self.opened:
            return
        found: list[Finding] = []
        try:
            analysis = self.look(uri)
            found = analysis.findings if analysis is not None else []
        except SourceError:
            if typing:
                return
        except ConfigError as error:
            self.tell(str(error))
        except Exception as error:
            self.tell(f"internal error: {describe(error)}")
        version = self.workspace.get_text_document(uri).version
        told = [self.diagnostic(finding, uri) for finding in found]
        self.text_document_publish_diagnostics(types.PublishDiagnosticsParams(uri, told, version))

    def diagnostic(self, finding: Finding, uri: str) -> types.Diagnostic:
        """One finding."""
        related = [
            types.DiagnosticRelatedInformation(self.location(span, finding, uri), text)
            for text, span in finding.related
        ]
        url = rule_url(finding.code)
        return types.Diagnostic(
            range=self.range(finding.span),
            message=finding.message,
            severity=_LEVELS[finding.level],
            code=finding.code,
            code_description=None if url is None else types.CodeDescription(url),
            source="speclint",
            related_information=related,
        )

    def location(self, span: Span, finding: Finding, uri: str) -> types.Location:
        """A place, in the open document or in another file."""
        other = uri if span.file is finding.span.file else uris.from_fs_path(os.path.abspath(span.file.path))
        return types.Location(other or uri, self.range(span))

    def range(self, span: Span) -> types.Range:
        """A span in the units of the client."""
        return self.between(span.file, span.start, span.end)

    def between(self, file: SourceFile, start: int, end: int) -> types.Range:
        """A range of offsets in the units of the client."""
        first, last = (types.Position(*editor.to_client(file, at, self.encoding)) for at in (start, end))
        return types.Range(first, last)

    def offset(self, file: SourceFile, position: types.Position) -> int:
        """The offset of a position."""
        return editor.from_client(file, position.line, position.character, self.encoding)

    def edit(self, fix: Fix, finding: Finding, uri: str) -> types.WorkspaceEdit:
        """What a fix changes, in whatever files."""
        changes: dict[str, list[types.TextEdit]] = {}
        for edit in fix.edits:
            place = self.location(edit.span, finding, uri)
            changes.setdefault(place.uri, []).append(types.TextEdit(place.range, edit.content))
        return types.WorkspaceEdit(changes=dict(changes))


def serve(configs: Callable[[], Configs]) -> int:
    """Serve on standard input and output until the client ends the session. ``configs`` reads them anew."""
    # Standard output belongs to the protocol, and the library tells of every message that it does not know.
    logging.basicConfig(level=logging.ERROR)
    create(configs).start_io()
    return 0


def create(configs: Callable[[], Configs]) -> Server:
    """A server that answers what it is asked, not yet started."""
    server = Server(configs)
    _synchronise(server)
    _answer(server)
    return server


def _synchronise(server: Server) -> None:
    @server.feature(types.TEXT_DOCUMENT_DID_OPEN)
    def opened(params: types.DidOpenTextDocumentParams) -> None:
        server.opened.add(params.text_document.uri)
        server.publish(params.text_document.uri, typing=False)

    @server.feature(types.TEXT_DOCUMENT_DID_CHANGE)
    def changed(params: types.DidChangeTextDocumentParams) -> None:
        server.later(params.text_document.uri)

    @server.feature(types.TEXT_DOCUMENT_DID_SAVE)
    def saved(params: types.DidSaveTextDocumentParams) -> None:
        if params.text_document.uri.rsplit("/", 1)[-1] in _CONFIGURATION:
            server.forget()
            _again(server)
        else:
            server.read.pop(params.text_document.uri, None)  # what lies beside it may have changed
            server.publish(params.text_document.uri, typing=False)

    @server.feature(types.TEXT_DOCUMENT_DID_CLOSE)
    def closed(params: types.DidCloseTextDocumentParams) -> None:
        server.opened.discard(params.text_document.uri)
        for kept in (server.read, server.pauses):
            kept.pop(params.text_document.uri, None)
        server.text_document_publish_diagnostics(types.PublishDiagnosticsParams(params.text_document.uri, []))

    @server.feature(types.WORKSPACE_DID_CHANGE_WATCHED_FILES)
    def watched(params: types.DidChangeWatchedFilesParams) -> None:
        server.forget()
        _again(server)


def _again(server: Server) -> None:
    for uri in sorted(server.opened):
        server.publish(uri, typing=False)


def _answer(server: Server) -> None:
    @server.feature(
        types.TEXT_DOCUMENT_CODE_ACTION,
        types.CodeActionOptions(code_action_kinds=[types.CodeActionKind.QuickFix, _FIX_ALL]),
    )
    def actions(params: types.CodeActionParams) -> list[types.CodeAction]:
        analysis = server.analysis(params.text_document.uri)
        return _actions(server, analysis, params) if analysis is not None else []

    @server.feature(types.TEXT_DOCUMENT_HOVER)
    def hovered(params: types.HoverParams) -> types.Hover | None:
        analysis = server.analysis(params.text_document.uri)
        if analysis is None:
            return None
        rules = server.linter.rules(server.linter.configs.for_file(analysis.file.path))
        found = hover.at(analysis, server.offset(analysis.file, params.position), rules)
        if found is None:
            return None
        return types.Hover(types.MarkupContent(types.MarkupKind.Markdown, found.text), server.range(found.span))

    @server.feature(types.TEXT_DOCUMENT_COMPLETION, types.CompletionOptions(trigger_characters=["-", "=", " "]))
    def completed(params: types.CompletionParams) -> list[types.CompletionItem]:
        path, text, host = server.document(params.text_document.uri)
        try:
            file = SourceFile(path, text.encode("utf-8", "surrogateescape"))
            items = complete.at(server.linter, path, text, host, server.offset(file, params.position))
        except ConfigError as error:
            server.tell(str(error))
            return []
        except SourceError:
            return []
        return [_item(server, file, item) for item in items]


def _actions(server: Server, analysis: Analysis, params: types.CodeActionParams) -> list[types.CodeAction]:
    uri, file = params.text_document.uri, analysis.file
    wanted = params.context.only
    found: list[types.CodeAction] = []
    if _wanted(types.CodeActionKind.QuickFix, wanted):
        start, end = (server.offset(file, position) for position in (params.range.start, params.range.end))
        found.extend(
            types.CodeAction(
                title=action.title,
                kind=types.CodeActionKind.QuickFix,
                diagnostics=[server.diagnostic(action.finding, uri)],
                is_preferred=action.preferred,
                edit=server.edit(action.fix, action.finding, uri),
            )
            for action in editor.actions(analysis, start, end)
        )
    if _wanted(_FIX_ALL, wanted):
        edits = [
            types.TextEdit(server.between(file, start, end), text)
            for start, end, text in editor.fix_all(server.linter, analysis)
        ]
        if edits:
            edit = types.WorkspaceEdit(changes={uri: edits})
            found.append(types.CodeAction(title="speclint: make all safe fixes", kind=_FIX_ALL, edit=edit))
    return found


def _wanted(kind: str, wanted: Iterable[str] | None) -> bool:
    """Whether a client that asks only for some kinds, each with those below it, asks for this one."""
    return wanted is None or any(kind == one or kind.startswith(f"{one}.") or one == "" for one in map(_text, wanted))


def _text(kind: str) -> str:
    return str(getattr(kind, "value", kind))


def _item(server: Server, file: SourceFile, item: complete.Item) -> types.CompletionItem:
    kinds = {"option": types.CompletionItemKind.Property, "value": types.CompletionItemKind.EnumMember}
    return types.CompletionItem(
        label=item.text,
        kind=kinds[item.kind],
        detail=item.detail or None,
        tags=[types.CompletionItemTag.Deprecated] if item.deprecated else None,
        text_edit=types.TextEdit(server.between(file, item.start, item.end), item.text),
    )
