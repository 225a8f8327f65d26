"""Stored chunks as JSON Lines, in the fields of `headwise chunk --json`."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from typing import Any

from headwise.integrations.stored import ignore, record_fields, stored_documents
from headwise.stores.store import Store

_SURROGATE = re.compile("[\ud800-\udfff]")


def json_line(value: Mapping[str, Any]) -> str:
    """*value* as one line of JSON: readable Unicode, with lone surrogates escaped."""
    line = json.dumps(value, ensure_ascii=False, separators=(", ", ": "))
    return _SURROGATE.sub(lambda found: f"\\u{ord(found[0]):04x}", line) + "\n"


def export_jsonl(
    store: Store, write: Callable[[bytes], object], on_progress: Callable[[int, int], None] = ignore
) -> int:
    """Write every chunk of *store* as a line in UTF-8, in order of root, path and place, and say how many there are."""
    chunks = 0
    for stored in stored_documents(store, on_progress):
        for fields in record_fields(stored):
            write(json_line(fields).encode("utf-8"))
            chunks += 1
    return chunks
