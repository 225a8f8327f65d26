"""Another Markdown parser, which shares no code with the one in use, and our names for its blocks."""

from __future__ import annotations

from markdown_it import MarkdownIt

ORACLE = MarkdownIt("commonmark").enable("table")
NAMES = {
    "heading_open": "heading",
    "paragraph_open": "paragraph",
    "fence": "code_block",
    "code_block": "code_block",
    "bullet_list_open": "list",
    "ordered_list_open": "list",
    "list_item_open": "list_item",
    "blockquote_open": "block_quote",
    "html_block": "html_block",
    "hr": "thematic_break",
    "table_open": "table",
    "tr_open": "table_row",
}
