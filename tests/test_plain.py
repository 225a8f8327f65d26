"""Plain text is paragraphs, and nothing in it is a mark."""

from __future__ import annotations

import pytest
from laws import laws

from headwise.model import Spans
from headwise.reading.parse import parse


def paragraphs(text: str) -> list[str]:
    tree = parse(text, document_format="plain")
    assert all((block.kind, block.depth) == ("paragraph", 0) for block in tree.blocks)
    assert (tree.titles, tree.atoms, tree.links, tree.tags) == ({}, Spans(), (), ())
    return [text[block.start : block.end] for block in tree.blocks]


@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
def test_blank_lines_part_paragraphs_and_belong_to_the_one_before(newline: str) -> None:
    parts = ["One\nstill one\n\n", "# two\n \t\n\n", "three"]
    text = "".join(parts).replace("\n", newline)

    assert paragraphs(text) == [part.replace("\n", newline) for part in parts]


@pytest.mark.parametrize("mark", ["", "\ufeff"])
def test_blank_lines_before_the_first_paragraph_are_its_own_and_a_byte_order_mark_is_not(mark: str) -> None:
    assert paragraphs(mark + "\n  \nOne\n\ntwo\n") == ["\n  \nOne\n\n", "two\n"]


@pytest.mark.parametrize("text", ["", "\ufeff", "\n", " \n\n", "\ufeff \n"])
def test_without_a_word_there_is_no_paragraph(text: str) -> None:
    assert paragraphs(text) == []
    assert laws(text, document_format="plain").chunks == ()


def test_nothing_in_plain_text_is_a_mark() -> None:
    text = "---\ntitle: x\n---\n# No heading\n\n[no link](a.md) #notag\n\n%%\nkept\n%%\n"
    made = laws(text, document_format="plain", flavours="obsidian,math")

    assert made.tree.front_matter.data == {}
    assert (made.sections, made.tree.links, made.tree.tags, made.tree.atoms) == ((), (), (), Spans())
    assert made.chunks[0].text == text.strip()


def test_a_tree_says_which_format_it_was_read_as() -> None:
    assert parse("# A").format == "markdown"
    assert parse("# A", document_format="plain").format == "plain"


def test_a_data_uri_is_left_out_of_what_plain_text_embeds() -> None:
    (chunk,) = laws(f"An image: data:image/png;base64,{'A' * 900} and more.", document_format="plain").chunks

    assert "AAAA" not in chunk.embed_text
    assert chunk.text.endswith("and more.")
