"""Text to tree: lines, Markdown, front matter, flavours, inline things, outline, sentences."""
