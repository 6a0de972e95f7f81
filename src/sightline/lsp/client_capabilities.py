"""What we tell a server that we can do. Each entry changes what some server answers.

Left out on purpose: tag support (Pyright would add hints on unused code to its diagnostics). Work-done progress and
snippets are declared only to those servers that need them: Pyright sends dozens of progress messages, and JSON's offers
no completions without snippets.
"""

from __future__ import annotations

from copy import deepcopy
from typing import Any

from sightline.lsp.server_spec import ServerSpec

_CAPABILITIES: dict[str, Any] = {
    "general": {"positionEncodings": ["utf-16"]},
    "workspace": {
        "configuration": True,
        "workspaceFolders": True,
        "didChangeConfiguration": {"dynamicRegistration": True},
        "didChangeWatchedFiles": {"dynamicRegistration": True, "relativePatternSupport": True},
        "workspaceEdit": {"documentChanges": True, "resourceOperations": ["create", "rename", "delete"]},
        "symbol": {"symbolKind": {"valueSet": list(range(1, 27))}},
        "diagnostics": {"refreshSupport": True},
    },
    "textDocument": {
        "synchronization": {"dynamicRegistration": False},
        "publishDiagnostics": {"versionSupport": True, "relatedInformation": False},
        "diagnostic": {"dynamicRegistration": True, "relatedDocumentSupport": False},
        "hover": {"contentFormat": ["markdown", "plaintext"]},
        "definition": {"linkSupport": True},
        "declaration": {"linkSupport": True},
        "typeDefinition": {"linkSupport": True},
        "implementation": {"linkSupport": True},
        "references": {},
        "documentSymbol": {"hierarchicalDocumentSymbolSupport": True},
        "callHierarchy": {},
        "rename": {"prepareSupport": True},
        "codeAction": {
            "codeActionLiteralSupport": {"codeActionKind": {"valueSet": ["quickfix"]}},
            "isPreferredSupport": True,
            "disabledSupport": True,
            "dataSupport": True,
            "resolveSupport": {"properties": ["edit"]},
        },
        "signatureHelp": {
            "signatureInformation": {
                "documentationFormat": ["markdown", "plaintext"],
                "parameterInformation": {"labelOffsetSupport": True},
                "activeParameterSupport": True,
            }
        },
        "completion": {
            "completionItem": {"documentationFormat": ["markdown", "plaintext"], "labelDetailsSupport": True},
            "contextSupport": True,
        },
    },
}


def capabilities_for(spec: ServerSpec) -> dict[str, Any]:
    """What this server is told."""
    told = deepcopy(_CAPABILITIES)
    if spec.ready.kind in ("progress", "unknown"):
        told["window"] = {"workDoneProgress": True}
    if spec.declares_snippets:
        told["textDocument"]["completion"]["completionItem"]["snippetSupport"] = True
    if spec.experimental:
        told["experimental"] = dict(spec.experimental)
    return told
