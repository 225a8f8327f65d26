"""Settings: where they come from, who wins, and what is said about wrong ones."""

import pytest

from headwise.app.config import read_config
from headwise.chunking.settings import Settings
from headwise.errors import SettingsError


def config(folder, flags=None, environ=None):
    return read_config(folder, flags or {}, environ or {})


def test_without_any_settings_the_defaults_hold(tmp_path):
    found = config(tmp_path)
    assert (found.cutting.max_tokens, found.cutting.minimum, found.cutting.tokenizer) == (400, 20, "cl100k_base")
    assert (found.passages, found.store, found.model) == (64, None, None)


def test_flags_win_over_the_environment_and_that_over_the_file(tmp_path):
    (tmp_path / "headwise.toml").write_text("max_tokens = 100\nmin_tokens = 5\noverlap = '1s'\n")
    environ = {"HEADWISE_MAX_TOKENS": "200", "HEADWISE_MIN_TOKENS": "6", "HEADWISE_API_KEY": "x", "HOME": "/"}

    found = config(tmp_path, {"max_tokens": 300, "min_tokens": None, "overlap": None}, environ)

    assert (found.cutting.max_tokens, found.cutting.min_tokens, found.cutting.overlap) == (300, 6, "1s")


def test_every_setting_can_stand_in_a_file(tmp_path):
    (tmp_path / "headwise.toml").write_text(
        """
        max_tokens = 128
        min_tokens = 0
        overlap = 8
        tokenizer = "o200k_base"
        strategy = "sentences"
        include = ["*.md"]
        exclude = ["drafts/"]
        hidden = [".notes"]
        model = "nomic-embed-text"
        model_url = "http://localhost:11434/v1"
        model_dimensions = 768
        model_max_tokens = 2000
        model_tokenizer = "chars"
        query_prefix = "search_query: "
        passage_prefix = "search_document: "
        passages = 0
        store = "index.db"
        """
    )

    found = config(tmp_path)

    assert found.cutting == Settings(128, 0, 8, "o200k_base", "sentences")
    assert (found.files.include, found.files.exclude, found.files.hidden) == (("*.md",), ("drafts/",), (".notes",))
    assert found.model is not None
    assert (found.model.url, found.model.dimensions, found.model.max_tokens) == ("http://localhost:11434/v1", 768, 2000)
    assert (found.model.query_prefix, found.model.passage_prefix) == ("search_query: ", "search_document: ")
    assert found.passages is None
    assert found.store == str(tmp_path / "index.db")


def test_lists_in_the_environment_stand_between_commas(tmp_path):
    assert config(tmp_path, environ={"HEADWISE_EXCLUDE": "a.md, b/ ,"}).files.exclude == ("a.md", "b/")


def test_the_nearest_file_counts_and_a_foreign_pyproject_is_passed_over(tmp_path):
    below = tmp_path / "a" / "b"
    below.mkdir(parents=True)
    (tmp_path / "pyproject.toml").write_text("[tool.headwise]\nmax_tokens = 50\n")
    assert config(below).cutting.max_tokens == 50
    (below / "pyproject.toml").write_text("[tool.other]\nmax_tokens = 60\n")
    assert config(below).cutting.max_tokens == 50
    (tmp_path / "a" / "pyproject.toml").write_text("this is [not TOML")
    assert config(below).cutting.max_tokens == 50
    (tmp_path / "a" / "headwise.toml").write_text("max_tokens = 70\n")
    assert config(below).cutting.max_tokens == 70


def test_settings_beside_a_file_hold_for_it(tmp_path):
    (tmp_path / "headwise.toml").write_text("max_tokens = 70\n")
    (tmp_path / "note.md").write_text("# Note\n")
    assert config(tmp_path / "note.md").cutting.max_tokens == 70


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("max_token = 5", "headwise.toml: unknown setting 'max_token'; did you mean 'max_tokens'?"),
        ("colour = 5", "unknown setting 'colour'; settings are max_tokens, min_tokens"),
        ("api_key = 'x'", "unknown setting 'api_key'"),
        ("max_tokens = '5'", "max_tokens is '5'; it must be a whole number"),
        ("max_tokens = true", "max_tokens is True; it must be a whole number"),
        ("tokenizer = 5", "tokenizer is 5; it must be text in quotes"),
        ("exclude = 'a'", "exclude is 'a'; it must be a list of texts"),
        ("exclude = [1]", "exclude is [1]; it must be a list of texts"),
        ("max_tokens = ", "headwise.toml: not valid TOML: "),
        ("max_tokens = 0", "max_tokens is 0"),
        ("passages = -1", "passages is -1"),
        ("model_url = 'localhost'", "model_url is 'localhost'"),
    ],
)
def test_a_wrong_setting_in_a_file_is_one_line_with_its_place(tmp_path, text, says):
    (tmp_path / "headwise.toml").write_text(text)
    with pytest.raises(SettingsError) as caught:
        config(tmp_path)
    assert says in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_wrong_number_in_the_environment_names_its_variable(tmp_path):
    with pytest.raises(SettingsError, match="HEADWISE_MAX_TOKENS is 'many'; it must be a whole number"):
        config(tmp_path, environ={"HEADWISE_MAX_TOKENS": "many"})


def test_a_file_that_is_not_utf8_is_named(tmp_path):
    (tmp_path / "headwise.toml").write_bytes(b"store = '\xff'")
    with pytest.raises(SettingsError, match=r"headwise\.toml: not valid TOML"):
        config(tmp_path)


def test_a_tokenizer_file_is_found_beside_the_settings_that_name_it(tmp_path):
    tokenizers = pytest.importorskip("tokenizers", reason="the extra `tokenizers` is not installed")
    below = tmp_path / "notes"
    below.mkdir()
    tokenizers.Tokenizer(tokenizers.models.WordLevel({"[UNK]": 0}, "[UNK]")).save(str(tmp_path / "own.json"))
    (tmp_path / "headwise.toml").write_text("tokenizer = 'own.json'\nmodel_tokenizer = 'own.json'\n")

    found = config(below)

    assert found.model is not None
    assert found.cutting.tokenizer == found.model.tokenizer == Settings(tokenizer=str(tmp_path / "own.json")).tokenizer
    with pytest.raises(SettingsError, match=r"gone\.json: there is no such tokenizer file"):
        config(below, {"tokenizer": "gone.json"})


def test_a_packaged_model_can_count(tmp_path):
    pytest.importorskip("wordllama", reason="the extra `vectors` is not installed")
    measures = [config(tmp_path, {"tokenizer": name}).cutting.measure() for name in ("minilm", "wordllama")]
    assert [measure.size("motor [SEP]") for measure in measures] == [6, 5]


def test_a_price_is_any_number_from_nought(tmp_path):
    assert read_config(tmp_path, {}, {}).price is None
    assert read_config(tmp_path, {}, {"HEADWISE_PRICE": "0.02"}).price == 0.02
    (tmp_path / "headwise.toml").write_text("price = 2\n")
    assert read_config(tmp_path, {}, {}).price == 2.0
    assert read_config(tmp_path, {"price": 0.0}, {}).price == 0.0
    for wrong, says in (("dear", "must be a number"), ("-1", "must be at least 0"), ("nan", "must be at least 0")):
        with pytest.raises(SettingsError, match=says):
            read_config(tmp_path, {}, {"HEADWISE_PRICE": wrong})
    (tmp_path / "headwise.toml").write_text('price = "2"\n')
    with pytest.raises(SettingsError, match="price is '2'; it must be a number"):
        read_config(tmp_path, {}, {})
