"""The MCP boundary: the only package that imports `mcp`. Imported only when something is served."""
