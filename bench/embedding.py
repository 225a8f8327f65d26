"""Passages a second that the packaged models embed, beside what their runtimes alone reach on the same texts.

    python bench/embedding.py FOLDER [--models wordllama minilm] [--passages 20000] [--json FILE]

The folder is indexed with the model, so that the passages are those it would get. "The pass" is `headwise embed`:
asking the store what waits, embedding, keeping. "The model" is the middle part. "The runtime" is what nobody over it
can beat: for WordLlama its tokenizer over all texts in one call, without places of tokens in the text; for MiniLM the
network over tokens that are ready. MiniLM gets a thousand passages, as it takes its time.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from _results import save

from headwise.indexing.embed import MOST_AT_ONCE, embed_pending
from headwise.indexing.files import FileOptions
from headwise.indexing.models import ModelSettings, open_model
from headwise.indexing.models.embedder import readable
from headwise.indexing.records import IndexSettings
from headwise.indexing.sync import sync
from headwise.stores.open import open_store

MOST = {"wordllama": 100_000, "minilm": 1_000}


def runtime(model: Any, texts: list[str]) -> Callable[[], object]:
    """The work of the model's runtime alone."""
    if model.name == "wordllama":
        return lambda: model.tokenizer.encode_batch_fast([readable(text) for text in texts], add_special_tokens=False)
    encoded = [np.array([model.tokenizer.encode(readable(text)).ids[: model.max_tokens]], np.int64) for text in texts]
    given = [
        {"input_ids": ids, "attention_mask": np.ones_like(ids), "token_type_ids": np.zeros_like(ids)} for ids in encoded
    ]
    return lambda: [model.session.run(None, one) for one in given]


def rate(work: Callable[[], object], count: int) -> float:
    begun = time.perf_counter()
    work()
    return count / (time.perf_counter() - begun)


def measure(model: Any, folder: Path, most: int) -> dict[str, object]:
    with tempfile.TemporaryDirectory() as place, open_store(str(Path(place, "index.db")), create=True) as store:
        sync(store, folder, "folder", FileOptions(), IndexSettings(embedder=model))
        texts = [passage.text for passage in store.pending(model.key, most)]
        waiting = store.coverage(model.key).pending
        runs = [texts[at : at + MOST_AT_ONCE] for at in range(0, len(texts), MOST_AT_ONCE)]
        embedded = rate(lambda: list(map(model.embed_passages, runs)), len(texts))
        alone = rate(runtime(model, texts), len(texts))
        whole = rate(lambda: embed_pending(store, model), waiting) if waiting <= most else None
    said = f"{whole:,.0f}" if whole else "–"
    share = f"{embedded / alone:.2f}"
    print(f"| {model.name} | {len(texts):,} | {said} | {embedded:,.0f} | {alone:,.0f} | {share} |", flush=True)
    return {"model": model.name, "passages": len(texts), "whole": whole, "embedded": embedded, "alone": alone}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    vault = Path(__file__).parent.parent / "examples" / "vault"
    parser.add_argument("folder", nargs="?", type=Path, default=vault)
    parser.add_argument("--models", nargs="+", default=list(MOST))
    parser.add_argument("--passages", type=int, default=20_000)
    parser.add_argument("--json", type=Path, metavar="FILE", help="write what was found to it")
    given = parser.parse_args()
    print(
        "| model | passages | the pass | the model | the runtime | the model / the runtime |\n|---|---|---|---|---|---|"
    )
    found: list[dict[str, object]] = []
    for name in given.models:
        most = min(given.passages, MOST.get(name, given.passages))
        found.append(measure(open_model(ModelSettings(name)), given.folder, most))
    save(given.json, found)


if __name__ == "__main__":
    main()
