"""MCP over Streamable HTTP: who may connect, what a request may cost, and the endpoints."""
