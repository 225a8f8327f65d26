"""The MCP server: search and reading for language models, over the Model Context Protocol."""
