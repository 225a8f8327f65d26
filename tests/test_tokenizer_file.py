"""Hugging Face tokenizers as measures: against `tokenizers` itself, and the laws with them."""

from __future__ import annotations

import json
import pickle
import subprocess
import sys
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from laws import laws
from test_laws import DOCUMENT, NOISE
from test_measure import NASTY
from test_spec import examples

from headwise import Settings, split
from headwise.chunking.measure import find_measure
from headwise.chunking.tokenizer_file import TokenizerFile, read_tokenizer
from headwise.errors import SettingsError
from headwise.indexing.models import ModelSettings, model_tokenizer, open_model
from headwise.indexing.models.endpoint import Endpoint
from headwise.indexing.records import IndexSettings

tokenizers = pytest.importorskip("tokenizers", reason="the extra `tokenizers` is not installed")

NAMES = ("bpe", "wordpiece", "minilm", "wordllama")
SPECIAL = ("[CLS]", "[SEP] [MASK]", "a[PAD]b", "<|endoftext|>", "x</s>y <s>", "<s><unk></s>")


def byte_pairs() -> str:
    """As GPT-2's and RoBERTa's: pairs of bytes, `<s>` and `</s>` around every text."""
    made = tokenizers.Tokenizer(tokenizers.models.BPE())
    made.pre_tokenizer = tokenizers.pre_tokenizers.ByteLevel(add_prefix_space=False)
    made.decoder = tokenizers.decoders.ByteLevel()
    specials = ["<s>", "</s>", "<unk>", "<|endoftext|>"]
    alphabet = tokenizers.pre_tokenizers.ByteLevel.alphabet()
    trainer = tokenizers.trainers.BpeTrainer(
        vocab_size=500, special_tokens=specials, initial_alphabet=alphabet, show_progress=False
    )
    made.train_from_iterator(NASTY, trainer)
    made.post_processor = tokenizers.processors.RobertaProcessing(("</s>", 1), ("<s>", 0))
    made.enable_truncation(8)
    made.enable_padding(length=16, pad_token="</s>", pad_id=1)  # noqa: S106 - no password
    return made.to_str()


def word_pieces() -> str:
    """As BERT's, but with three special tokens around every text."""
    made = tokenizers.Tokenizer(tokenizers.models.WordPiece(unk_token="[UNK]"))  # noqa: S106 - no password
    made.normalizer = tokenizers.normalizers.BertNormalizer()
    made.pre_tokenizer = tokenizers.pre_tokenizers.BertPreTokenizer()
    specials = ["[UNK]", "[CLS]", "[SEP]", "[PAD]", "[MASK]"]
    trainer = tokenizers.trainers.WordPieceTrainer(vocab_size=300, special_tokens=specials, show_progress=False)
    made.train_from_iterator(NASTY, trainer)
    made.post_processor = tokenizers.processors.TemplateProcessing(
        single="[CLS] [CLS] $A [SEP]", special_tokens=[("[CLS]", 1), ("[SEP]", 2)]
    )
    return made.to_str()


@cache
def file(name: str) -> TokenizerFile:
    if name == "bpe":
        return TokenizerFile(byte_pairs())
    if name == "wordpiece":
        return TokenizerFile(word_pieces())
    if name == "wordllama":
        pytest.importorskip("wordllama", reason="the extra `vectors` is not installed")
    found = model_tokenizer(name)
    assert found is not None
    return found


@cache
def oracle(name: str) -> tuple[Any, int]:
    """The tokenizer without any special token that it could find in a text, and how many it adds."""
    made: dict[str, Any] = json.loads(file(name).text)
    added = tokenizers.Tokenizer.from_str(file(name).text).num_special_tokens_to_add(is_pair=False)
    made |= {"added_tokens": [], "post_processor": None, "truncation": None, "padding": None}
    return tokenizers.Tokenizer.from_str(json.dumps(made)), added


def expected(name: str, text: str) -> int:
    plain, added = oracle(name)
    return len(plain.encode(text).ids) + added


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("text", [*NASTY, *SPECIAL], ids=lambda text: repr(text[:12]))
def test_sizes_equal_tokenizers_where_special_tokens_are_text(name: str, text: str) -> None:
    assert find_measure(file(name)).size(text) == expected(name, text)


@pytest.mark.parametrize("name", NAMES)
@given(text=DOCUMENT | NOISE)
def test_sizes_equal_tokenizers_on_any_text(name: str, text: str) -> None:
    text = "".join("\ufffd" if "\ud800" <= c <= "\udfff" else c for c in text)
    assert find_measure(file(name)).size(text) == expected(name, text)


def test_special_tokens_that_every_text_gets_are_added_once() -> None:
    extras = {name: find_measure(file(name)).extra for name in NAMES}
    assert extras == {"bpe": 2, "wordpiece": 3, "minilm": 2, "wordllama": 0}
    for name in NAMES:
        measure = find_measure(file(name))
        assert (measure.count(""), measure.size("")) == (0, extras[name])


def test_truncation_and_padding_in_the_file_are_switched_off() -> None:
    as_it_is = tokenizers.Tokenizer.from_str(file("bpe").text)
    assert (len(as_it_is.encode("a")), len(as_it_is.encode("a b " * 50))) == (16, 16)
    measure = find_measure(file("bpe"))
    assert measure.size("a") == 3
    assert measure.size("a b " * 50) > 100


@pytest.mark.parametrize("name", NAMES)
def test_a_lone_surrogate_counts_as_the_replacement_character(name: str) -> None:
    measure = find_measure(file(name))
    assert measure.size("a\ud800b") == measure.size("a\ufffdb")


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("room", [1, 2, 7, 30])
def test_laws_hold_on_the_examples_of_the_specification(name: str, room: int) -> None:
    limit = room + find_measure(file(name)).extra
    settings = Settings(max_tokens=limit, tokenizer=file(name))
    for markdown, _ in examples("spec.txt"):
        laws(markdown, settings)


@pytest.mark.parametrize("name", NAMES)
@given(
    text=DOCUMENT | NOISE,
    room=st.integers(1, 60),
    overlap=st.sampled_from([0, "20%", "1s"]),
    strategy=st.sampled_from(["headings", "paragraphs", "sentences", "fixed"]),
)
def test_laws_hold_on_any_document(name: str, text: str, room: int, overlap: int | str, strategy: Any) -> None:
    limit = room + find_measure(file(name)).extra
    laws(text, Settings(limit, None, overlap, file(name), strategy))


def test_a_tokenizer_that_begins_every_text_with_a_space_fills_chunks_as_others_do() -> None:
    assert [find_measure(file(name)).own_space for name in NAMES] == [False, False, False, True]
    data = json.loads(file(NAMES[3]).text)
    first, token = {"id": "<s>", "type_id": 0}, {"id": "<s>", "ids": [1], "tokens": ["<s>"]}
    row = [{"SpecialToken": first}, {"Sequence": {"id": "A", "type_id": 0}}]
    data["post_processor"] = {
        "type": "TemplateProcessing",
        "single": row,
        "pair": row,
        "special_tokens": {"<s>": token},
    }
    with_special = find_measure(TokenizerFile(json.dumps(data)))
    assert (with_special.own_space, with_special.extra) == (True, 1)
    sizes = [chunk.tokens for chunk in split("Some words, and more. " * 80, max_tokens=60, tokenizer=file("wordllama"))]
    assert sum(sizes[:-1]) / len(sizes[:-1]) > 50


def test_every_chunk_is_within_what_the_model_reads() -> None:
    text = "# Pump\n\n" + "The pump takes [SEP] twelve volts, and 図書館 is a library. " * 60
    plain, added = oracle("minilm")
    chunks = split(text, max_tokens=40, tokenizer=file("minilm"))
    sizes = [len(plain.encode(chunk.embed_text).ids) + added for chunk in chunks]
    assert sizes == [chunk.tokens for chunk in chunks]
    assert 30 < max(sizes) <= 40


@pytest.mark.parametrize("limit", [1, 2])
def test_a_limit_that_special_tokens_alone_fill_is_refused(limit: int) -> None:
    with pytest.raises(SettingsError, match=f"max_tokens is {limit}; it must be above 2"):
        Settings(max_tokens=limit, tokenizer=file("minilm"))
    assert split("a b", max_tokens=3, tokenizer=file("minilm"))[0].tokens == 3


def written(path: Path, name: str) -> str:
    path.write_text(file(name).text, "utf-8")
    return str(path)


def test_a_path_is_read_when_settings_are_made_and_travels_with_them(tmp_path: Path) -> None:
    path = tmp_path / "tokenizer.json"
    settings = Settings(max_tokens=20, tokenizer=written(path, "bpe"))
    before = laws("One two three. " * 30, settings).chunks
    path.unlink()
    again = pickle.loads(pickle.dumps(settings))  # noqa: S301 - made one line above
    assert again == settings
    assert hash(again) == hash(settings)
    assert laws("One two three. " * 30, again).chunks == before
    assert split("One two three. " * 30, max_tokens=20, tokenizer=written(path, "bpe")) == list(before)


def test_the_key_holds_the_content_and_not_the_path(tmp_path: Path) -> None:
    key = Settings(tokenizer=written(tmp_path / "a.json", "bpe")).key()
    assert key == Settings(tokenizer=written(tmp_path / "b.json", "bpe")).key()
    assert str(tmp_path) not in key
    assert "\n" not in key
    assert key != Settings(tokenizer=written(tmp_path / "a.json", "wordpiece")).key()
    assert IndexSettings(Settings(tokenizer=file("bpe"))).cutting.key() == key


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (None, "there is no such tokenizer file"),
        (b"", "is no tokenizer.json"),
        (b"not json", "is no tokenizer.json"),
        (b'{"name": "my package"}', "is no tokenizer.json"),
        (b"[1, 2]", "is no tokenizer.json"),
        (b"\xff\xfe\x00", "is no tokenizer.json: not UTF-8"),
    ],
)
def test_what_is_no_tokenizer_is_refused_in_one_line(tmp_path: Path, content: bytes | None, says: str) -> None:
    path = tmp_path / "tokenizer.json"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(SettingsError) as caught:
        Settings(tokenizer=str(path))
    assert str(caught.value).startswith(f"{path}: {says}")
    assert "\n" not in str(caught.value)


def test_a_folder_is_no_tokenizer(tmp_path: Path) -> None:
    (tmp_path / "tokenizer.json").mkdir()
    with pytest.raises(SettingsError, match="cannot be read"):
        read_tokenizer(str(tmp_path / "tokenizer.json"))


def test_without_the_package_one_line_says_what_to_install(tmp_path: Path) -> None:
    # a finder that does not know it is what an environment without it looks like
    path = written(tmp_path / "tokenizer.json", "bpe")
    code = (
        "import importlib.util as u\nreal = u.find_spec\n"
        "u.find_spec = lambda name, *a: None if name == 'tokenizers' else real(name, *a)\n"
        "from headwise import HeadwiseError, split\nsplit('a')\n"
        f"try: split('a', tokenizer={path!r})\nexcept HeadwiseError as error: print(error)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip().endswith('tokenizer.json: to count with it, pip install "headwise[tokenizers]"')


def test_nothing_loads_the_package_before_a_file_is_named() -> None:
    code = "import sys, headwise; headwise.split('a'); print('tokenizers' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"


@pytest.mark.parametrize("text", ["", "Motors turn.", "図書館 and more\n\n- a\n- b", "x" * 300])
def test_the_packaged_models_tokenizers_count_as_the_models_do(text: str) -> None:
    pytest.importorskip("onnxruntime", reason="the extra `minilm` is not installed")
    pytest.importorskip("wordllama", reason="the extra `vectors` is not installed")
    minilm: Any = open_model(ModelSettings("minilm"))
    assert find_measure(file("minilm")).size(text) == len(minilm.tokenizer.encode(text).ids)
    wordllama: Any = open_model(ModelSettings("wordllama"))
    assert find_measure(file("wordllama")).size(text) == len(wordllama.tokenizer.encode(text, add_special_tokens=False))
    assert model_tokenizer("cl100k_base") is None


def test_an_endpoints_own_tokenizer_decides_what_it_reads(tmp_path: Path) -> None:
    settings = ModelSettings("m", "http://localhost:1/v1", 3, 5, written(tmp_path / "tokenizer.json", "bpe"))
    model = Endpoint(settings, 3)
    assert model.fits("a b")
    assert not model.fits("a b c d")
    assert model.reads == f"5 {file('bpe').name}"
