"""The language-server client. Knows LSP; knows no agent, no tool and no MCP."""
