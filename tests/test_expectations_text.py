"""What each shared case about reading Markdown expects, line by line; the laws hold in every `cut`."""

from __future__ import annotations

import json
import re

import pytest
from click.testing import CliRunner
from support_cases import bytes_of, cut, holding, text_of, texts_of, titles, trail

from headwise import analyse
from headwise.app.cli import cli


def kind_at(made, text: str) -> str:
    """The kind of the innermost block that holds the beginning of *text*."""
    at = made.tree.text.index(text)
    return [b for b in made.tree.blocks if b.start <= at < b.end][-1].kind


# --- fences ----------------------------------------------------------------------------------------------------------


def test_hash_comment_in_fence() -> None:
    made = cut("hash-comment-in-fence")
    # The lines '# install' and '# start the daemon' are code, never headings.
    assert titles(made) == ["Guide", "Setup", "Usage"]
    assert kind_at(made, "# install") == kind_at(made, "# start the daemon") == "code_block"
    # The whole fence, both delimiter lines included, lies in one chunk; no chunk boundary falls inside it.
    fence = made.tree.text[made.tree.text.index("```bash") : made.tree.text.index("Then open")].strip()
    # The heading trail of the chunk with the fence is ['Guide','Setup'].
    assert trail(made, fence) == ["Guide", "Setup"]
    assert holding(made, fence).context_after == ""


def test_fence_length_and_indent() -> None:
    made = cut("fence-length-and-indent")
    # A fence of four backticks is closed only by four or more backticks.
    blocks = [made.tree.text[b.start : b.end] for b in made.tree.blocks if b.kind == "code_block"]
    assert blocks[0].startswith("````markdown\n```sh")
    assert blocks[0].rstrip().endswith("## still not a heading\n````")
    # A fence may be indented up to three spaces; a closer may be longer; a shorter run does not close it.
    assert blocks[1].startswith("   ~~~~text\n")
    assert blocks[1].rstrip().endswith("   ~~~\nstill code\n   ~~~~~")
    assert len(blocks) == 2
    # The only headings are 'Writing guide' and 'Real heading'.
    assert titles(made) == ["Writing guide", "Real heading"]


def test_fence_info_string() -> None:
    made = cut("fence-info-string")
    # The fence with attributes in its info string opens a code block.
    assert kind_at(made, "```python title=") == kind_at(made, "# settings are read") == "code_block"
    # The line '``` inline start ``` ...' has backticks after the opening run: a paragraph, and it opens no fence.
    assert kind_at(made, "``` inline start") == "paragraph"
    # 'Options' is a heading; 'settings are read at import time' is not.
    assert titles(made) == ["Snippets", "Options"]


def test_unclosed_fence() -> None:
    made = cut("unclosed-fence")
    # By CommonMark the block runs to the end: 'Findings' and 'Actions' are code.
    assert kind_at(made, "## Findings") == kind_at(made, "Add the tenant id") == "code_block"
    assert titles(made) == ["Incident log"]
    # No text is dropped.
    assert holding(made, "The cache key ignored the tenant id.").context.endswith("```json\n")
    assert holding(made, "Add the tenant id to the key.")
    assert made.dropped == ()
    # No chunk exceeds 40 tokens, counted on the text handed to the embedder.
    assert max(chunk.tokens for chunk in made.chunks) <= 40


def test_indented_code_hash() -> None:
    made = cut("indented-code-hash")
    # Lines indented by four spaces are code: no heading and no fence starts there.
    assert kind_at(made, "    # listen") == kind_at(made, "    ## still code") == "code_block"
    # 'Restart afterwards.' is prose under 'Manual' (the indented ``` lines open no fence).
    assert kind_at(made, "Restart") == "paragraph"
    assert trail(made, "Restart afterwards.") == ["Manual"]
    # The four leading spaces stay in the chunk text.
    code = "    # listen on all interfaces\n    bind = 0.0.0.0\n\n    ```\n    ## still code\n    ```"
    assert holding(made, code)
    tight = cut("indented-code-hash", max_tokens=20)
    assert holding(tight, "    # listen on all interfaces")
    assert [c for c in tight.chunks if "## still code" in c.text and "    ## still code" in c.text]


@pytest.mark.parametrize("flavours", ["auto", "math,obsidian", "none"])
def test_callout_with_fence(flavours: str) -> None:
    made = cut("callout-with-fence", flavours=flavours)
    # A fence opened inside a block quote ends with the quote: 'last words …' is prose, 'Next topic' is a heading.
    assert kind_at(made, "last words outside the quote") == "paragraph"
    assert titles(made) == ["Vault tips", "Next topic"]
    # The first callout, nested callout included, stays in one chunk (it fits the limit).
    source = made.tree.text
    callout = source[source.index("> [!tip]") : source.index("A second quote:")].strip()
    # Chunk text keeps the '>' prefixes as written.
    assert "> ```sh\n> # pick a folder\n" in holding(made, callout).text
    assert "> > [!warning] Nested\n> > Keep a backup." in holding(made, callout).text


# --- headings --------------------------------------------------------------------------------------------------------


def test_setext_headings() -> None:
    made = cut("setext-headings")
    # All four underlined headings are found, also the one of two lines, by a single '-', and with a pipe in it.
    assert [s.level for s in made.sections] == [1, 2, 2, 1]
    # The two-line title is one title: 'Two line heading text'.
    assert titles(made) == ["Project Atlas", "Two line heading text", "Short", "Left | Right"]
    assert trail(made, "Body A.") == ["Project Atlas", "Two line heading text"]
    # 'Intro line one.' is not part of any title.
    assert trail(made, "Intro line one.") == ["Project Atlas"]
    assert not any("Intro" in title for title in titles(made))


def test_hashtag_at_line_start() -> None:
    made = cut("hashtag-at-line-start")
    # A '#' with no space or tab after it starts no heading; tags stay in the text of their chunk.
    note = holding(made, "#meeting #project/atlas")
    assert note.tags == ("meeting", "project/atlas")
    assert holding(made, "#todo buy paper").tags == ("todo",)
    assert holding(made, "#2 on the list is blocked") == note
    # Seven hashes and an escaped hash start no heading.
    assert kind_at(made, "####### seven") == kind_at(made, "\\# escaped") == "paragraph"
    # '#3 priority' underlined by dashes is a level-2 heading whose title is '#3 priority'.
    assert [(s.level, s.title) for s in made.sections][-1] == (2, "#3 priority")


def test_heading_attributes_and_shortcodes(monkeypatch) -> None:
    made = cut("heading-attributes-and-shortcodes")
    # Six sections are found.
    assert len(made.sections) == 6
    # The titles contain these in that order; none is empty.
    parts = ["Handbook", "Install on Linux", "Options", "Upgrade", "checklist", "Flags"]
    assert all(part in title for part, title in zip(parts, titles(made), strict=True))
    # If '{#install-linux}' is taken out of the title it is kept as the section's anchor.
    assert (made.sections[1].title, made.sections[1].anchor) == ("Install on Linux", "install-linux")
    assert (made.sections[2].title, made.sections[2].anchor) == ("Options", "opts")
    assert "## Install on Linux {#install-linux}" in holding(made, "Use the package.").text
    # Shortcodes and anchors are never executed or resolved from disk.
    monkeypatch.setattr("builtins.open", None)
    monkeypatch.setattr("os.stat", None)
    assert analyse(text_of("heading-attributes-and-shortcodes")).sections == made.sections
    monkeypatch.undo()
    assert '{{% heading "checklist" %}}' in holding(made, "You need a key.").text


def test_duplicate_headings_changelog() -> None:
    made = cut("duplicate-headings-changelog")
    # Each 'Added' section keeps the version of its own parent in its trail.
    assert trail(made, "- Dark theme.")[1:] == ["Unreleased", "Added"]
    assert trail(made, "- Export to CSV.")[1:] == ["2.1.0 - 2024-03-05", "Added"]
    assert trail(made, "- New importer.")[1:] == ["2.0.0 - 2023-11-20", "Added"]
    # The two 'Added' sections under 2.0.0 are two sections with different ids and different spans.
    one, two = holding(made, "- New importer."), holding(made, "- A second list under a repeated heading.")
    assert one.headings == two.headings
    assert one.anchor != two.anchor
    assert one.end <= two.start
    # All chunk ids in the file are distinct, and they stay the same when the file is indexed again.
    ids = [(c.anchor, c.number) for c in made.chunks]
    assert len(set(ids)) == len(ids)
    assert [(c.anchor, c.number) for c in cut("duplicate-headings-changelog").chunks] == ids
    # The link definitions at the end add no heading, and belong to no list.
    assert len(made.sections) == 9
    tops = [b for b in made.tree.blocks if b.depth == 0]
    assert made.tree.text[tops[-1].start :].startswith("[unreleased]: ")
    assert tops[-1].kind == "other"


def test_skipped_levels_and_many_h1() -> None:
    made = cut("skipped-levels-and-many-h1")
    # A heading clears every deeper heading from the trail: 'Beta text.' does not carry 'Deep first'.
    assert trail(made, "Beta text.") == ["Report", "Middle"]
    # Skipped levels leave no empty entry in the trail.
    assert trail(made, "Alpha text.") == ["Report", "Deep first"]
    assert trail(made, "Gamma text.") == ["Report", "Middle", "Deeper"]
    assert not [c for c in made.chunks if "" in c.headings or "> >" in c.context]
    # Text under the second level-1 heading never carries the first one.
    for words in ("Delta text.", "Epsilon text."):
        assert "Report" not in holding(made, words).headings
        assert not re.search(r"\bReport\b", holding(made, words).embed_text)


@pytest.mark.parametrize("limit", [4, 8, 12, 40])
def test_empty_sections(limit: int) -> None:
    made = cut("empty-sections", max_tokens=limit)
    # No chunk is blank, and no chunk holds only white space.
    assert all(chunk.text.strip() for chunk in made.chunks)
    # No heading line is lost.
    for title in ("Goals", "Non-goals", "Notes", "Last"):
        assert any(f"## {title}" in c.text or title in c.headings for c in made.chunks)
    # The heading without words puts no empty string or doubled separator into a printed trail.
    for chunk in made.chunks:
        crumbs = chunk.context.strip()
        assert not re.search(r">\s*>|^\s*>|>\s*$", crumbs)
    # Chunks that hold nothing but one heading are avoided where they can be joined inside the limit.
    if limit == 40:
        assert [c for c in made.chunks if c.kinds == ("heading",) and c.text.count("#") < 3] == []


def test_text_before_first_heading() -> None:
    texts = texts_of("text-before-first-heading")
    made = cut("text-before-first-heading", texts["lead-in.md"], path="lead-in.md")
    # lead-in.md: in a chunk with an empty trail; it is neither dropped nor filed under 'First'.
    lead = holding(made, "Opening words before any heading.")
    assert lead.headings == ()
    assert "First" not in lead.embed_text
    made = cut("text-before-first-heading", texts["plain.md"])
    # plain.md: at least one chunk, with an empty trail; no 'None', 'undefined' or stray separator before its text.
    assert [(c.headings, c.context, c.context_after) for c in made.chunks] == [((), "", "")]
    made = cut("text-before-first-heading", texts["plain.md"], path="plain.md")
    assert [(c.headings, c.context) for c in made.chunks] == [((), "plain\n\n")]
    # title-only.md: the words 'Only a title' can be found in the result (one chunk).
    (only,) = cut("text-before-first-heading", texts["title-only.md"], path="title-only.md").chunks
    assert only.embed_text == "# Only a title"


# --- front matter ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("first", ["---", "----", "--- text"])
def test_leading_rule_is_not_front_matter(first: str) -> None:
    text = first + text_of("leading-rule-is-not-front-matter").removeprefix("---")
    made = cut("leading-rule-is-not-front-matter", text)
    # Both chapters are found; the text between the two rules is not swallowed as front matter.
    # The same holds when the file starts with '----' or '--- text'.
    assert titles(made) == ["Chapter one", "Chapter two"]
    assert trail(made, "Text of the first chapter.") == ["Chapter one"]
    assert made.tree.front_matter.end == 0
    assert made.dropped == ()


def test_front_matter_bom_crlf() -> None:
    files = {n: cut("front-matter-bom-crlf", t, path=n) for n, t in texts_of("front-matter-bom-crlf").items()}
    # vendors.md: front matter is recognised; the only heading is 'Vendors'; 'owner: ops' is not a heading.
    vendors = files["vendors.md"]
    assert (vendors.title, titles(vendors)) == ("Vendor list", ["Vendors"])
    assert vendors.tree.front_matter.data["owner"] == "ops"
    # title.md: 'First heading' is a level-1 heading and the trail of 'Body.'
    assert [(s.level, s.title) for s in files["title.md"].sections] == [(1, "First heading")]
    assert trail(files["title.md"], "Body.") == ["First heading"]
    # No chunk text or trail begins with U+FEFF.
    for made in files.values():
        for chunk in made.chunks:
            assert not any(words.startswith("\ufeff") for words in (chunk.text, chunk.context, *chunk.headings))
    # Offsets are given in one stated space: characters of the decoded text, byte order mark included.
    assert files["title.md"].chunks[0].start == 1
    # inner-bom.md: a U+FEFF inside the text is content and changes no offset.
    part_two = holding(files["inner-bom.md"], "\ufeff\nPart two.")
    source = bytes_of("front-matter-bom-crlf")["inner-bom.md"].decode()
    assert source[part_two.start : part_two.end] == part_two.text


def test_front_matter_invalid_yaml(tmp_path, monkeypatch) -> None:
    made = cut("front-matter-invalid-yaml")
    # The note is still chunked; 'The body survives.' has the trail ['Budget'].
    assert trail(made, "The body survives.") == ["Budget"]
    # The fault in the front matter is reported as a warning with the file name (and line); it does not stop the run.
    monkeypatch.chdir(tmp_path)
    (tmp_path / "budget.md").write_text(text_of("front-matter-invalid-yaml"), encoding="utf-8")
    for command in (("chunk", "budget.md"), ("index", ".", "--no-embed")):
        result = CliRunner().invoke(cli, command, catch_exceptions=False)
        assert result.exit_code == 0
        assert re.search(r"budget\.md\b.*front matter.*line 2", result.stderr), command
    # No line of the front matter becomes a heading; its raw text is left out by a stated rule: listed as dropped.
    assert titles(made) == ["Budget"]
    assert [span.reason for span in made.dropped] == ["front matter"]


def test_front_matter_only() -> None:
    files = {n: cut("front-matter-only", t, path=n) for n, t in texts_of("front-matter-only").items()}
    # only.md and only-no-newline.md: no crash and no blank chunk; no chunk, by a stated rule.
    for name in ("only.md", "only-no-newline.md"):
        assert files[name].chunks == ()
        assert [span.reason for span in files[name].dropped] == ["front matter"]
    assert files["only.md"].tree.front_matter.aliases == ("Weekly shop",)
    assert files["only-no-newline.md"].title == "x"
    # unclosed.md: with no closing line there is no front matter; 'Heading' is a heading and 'Body.' is kept.
    assert trail(files["unclosed.md"], "Body.") == ["Heading"]
    assert holding(files["unclosed.md"], "title: draft").headings == ()
    # empty-block.md: 'Body after an empty block.' is kept.
    assert holding(files["empty-block.md"], "Body after an empty block.").headings == ()


# --- what CommonMark does not know -----------------------------------------------------------------------------------


def test_obsidian_note(tmp_path, monkeypatch) -> None:
    made = cut("obsidian-note", flavours="math,obsidian")
    # In vault mode '# Private heading' is no heading: the trail of 'Focus is a skill.' is ['Reading log #books'].
    assert trail(made, "Focus is a skill.") == ["Reading log #books"]
    # Comment text is left out or kept, by a stated rule (kept, as a block of its own); offsets after it are right.
    assert kind_at(made, "# Private heading") == "comment"
    shelf = holding(made, "%% a short aside %% the shelf.")
    assert made.tree.text[shelf.start : shelf.end] == shelf.text
    assert shelf.start_line == made.tree.text[: made.tree.text.index("## Next")].count("\n") + 1
    # '^finish-note' stays with its paragraph and '^fav' with its callout.
    for limit in (80, 60, 40, 30):
        tight = cut("obsidian-note", flavours="math,obsidian", max_tokens=limit)
        assert holding(tight, "|chapter two]] today. ^finish-note")
        assert holding(tight, "> Focus is a skill.\n\n^fav"), limit
    # Embeds, wikilinks with alias and heading, task boxes and tags survive unchanged in the chunk text.
    for words in ("![[Cover.png|200]]", "[[Deep Work#Chapter 2|chapter two]]", "- [ ] return the book 📚 #todo"):
        assert holding(made, words)
    assert [(link.kind, link.target) for link in made.tree.links] == [
        ("embed", "Cover.png"),
        ("wikilink", "Deep Work#Chapter 2"),
        ("wikilink", "#Reading log"),
    ]
    assert "todo" in holding(made, "#todo").tags
    # '[[#Reading log]]' is a link, not a heading.
    assert titles(made) == ["Reading log #books", "Next"]
    # A vault is known by its folder; elsewhere the reading is CommonMark's.
    monkeypatch.chdir(tmp_path)
    (tmp_path / "log.md").write_text(text_of("obsidian-note"), encoding="utf-8")
    assert "Private heading" in headings_by_cli("log.md")
    (tmp_path / ".obsidian").mkdir()
    assert headings_by_cli("log.md") == ["Reading log #books", "Next"]


def headings_by_cli(path: str) -> list[str]:
    result = CliRunner().invoke(cli, ["outline", path, "--json"], catch_exceptions=False)
    assert result.exit_code == 0
    return [json.loads(line)["title"] for line in result.stdout.splitlines()]


def test_math_block_lone_equals() -> None:
    made = cut("math-block-lone-equals")
    # With math on, the block from '$$' to '$$' is one unit: no heading in it and no cut in it (it fits).
    source = made.tree.text
    formula = source[source.index("$$") : source.index("Where")].strip()
    assert kind_at(made, "\\frac{1}{f}") == "math_block"
    for limit in (60, 50, 40):
        assert holding(cut("math-block-lone-equals", max_tokens=limit), formula)
    # 'Where $f$ is ...' has the trail ['Lens formula'], not the formula.
    assert trail(made, "Where $f$ is the focal length") == ["Lens formula"]
    # A single '$' in prose opens no block.
    assert kind_at(made, "Where $f$") == "paragraph"
    assert trail(made, "Done.") == ["Lens formula", "Next"]
    # With math off, the CommonMark reading is documented: the formula is a level-1 heading.
    plain = cut("math-block-lone-equals", flavours="none")
    assert [(s.level, s.title) for s in plain.sections] == [
        (1, "Lens formula"),
        (1, "$$ \\frac{1}{f}"),
        (2, "Next"),
    ]


def test_reference_links() -> None:
    made = cut("reference-links")
    # The definitions make no heading and no code block (the indented second line belongs to '[the FAQ]:').
    assert titles(made) == ["Setup", "Network"]
    assert kind_at(made, "    <https://example.org/faq>") == "other"
    # Their text is covered by some chunk.
    assert holding(made, '[man]: https://example.org/manual "Manual"\n[the FAQ]:\n    <https://example.org/faq>')
    # 'the manual' in the first chunk resolves although the definition is in another section.
    assert made.chunks[0].links == ("https://example.org/manual", "https://example.org/faq")


def test_details_blocks() -> None:
    made = cut("details-blocks")
    # After the blank line the inside of <details> is Markdown: 'Cold start' is a heading and carries its text.
    assert trail(made, "The cache is empty at first.") == ["FAQ", "Cold start"]
    # With no blank line the inside is raw HTML: '## not a heading' is none.
    assert titles(made) == ["FAQ", "Cold start", "Contact"]
    assert kind_at(made, "## not a heading") == "html_block"
    # The words in <summary> are kept.
    assert holding(made, "<summary>Why is it slow?</summary>")
    assert holding(made, "<summary>No blank line</summary>")


def test_mkdocs_tabs_and_admonitions() -> None:
    made = cut("mkdocs-tabs-and-admonitions")
    # '=== "Perl"' is no underline and makes no heading.
    # Nothing inside the indented blocks is a heading; '## Links' is.
    assert titles(made) == ["Printing", "Links"]
    assert titles(cut("mkdocs-tabs-and-admonitions", flavours="none")) == ["Printing", "Links"]
    # A tab label stays in one chunk with its code block where they fit together.
    for limit in (80, 50, 40):
        tight = cut("mkdocs-tabs-and-admonitions", max_tokens=limit)
        assert holding(tight, '=== "Perl"\n\n    ``` perl\n    #!/usr/bin/perl\n    # draw the border\n    ```'), limit
        assert holding(tight, '=== "Shell"\n\n    ``` sh\n    # count the pages\n    wc -l *.txt\n    ```'), limit
        assert holding(tight, '!!! note "Be careful"\n    # not a heading either\n    Second line.'), limit


def test_whitespace_kept() -> None:
    made = cut("whitespace-kept")
    # Tabs, no-break spaces, indentation, blank lines and the two trailing spaces of a hard break are all kept.
    (chunk,) = made.chunks
    assert chunk.text == made.tree.text.strip()
    assert "\tcc -o app app.c\n\n    spaces_kept = yes\n" in chunk.text
    assert "Price:\xa012\xa0EUR.  \nSecond line" in chunk.embed_text
    # 'Deep item' is still two levels deeper than 'Item one' in the chunk text.
    assert "\n        -   Deep item\n" in chunk.text
    for limit in (30, 20):
        tight = cut("whitespace-kept", max_tokens=limit)
        deep = next(c for c in tight.chunks if "Deep item" in c.text)
        assert "        -   Deep item" in deep.text
