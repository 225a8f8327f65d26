"""Documents to begin with: the example vault, the cases, the specification's examples, and the monsters, small."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator
from hashlib import blake2b
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests"))

from targets import HEADER, PARTS
from test_monsters import MONSTERS

SHARED: Final = ROOT.parent / "shared"
LONGEST: Final = 4_000
_EXAMPLE: Final = re.compile(r"^`{32} example[^\n]*\n(.*?)^\.\n", re.DOTALL | re.MULTILINE)


def texts() -> Iterator[str]:
    """All of them, each cut off where it gets long."""
    for path in sorted((ROOT / "examples" / "vault").rglob("*.md")):
        yield path.read_text("utf-8")
    for make in MONSTERS.values():
        yield make(120)
    for path in sorted((SHARED / "cases").glob("*.json")):
        case = json.loads(path.read_text("utf-8"))
        yield case["input"] if isinstance(case.get("input"), str) else ""
        yield from (text for text in case.get("files", {}).values() if isinstance(text, str))
    spec = SHARED / "data" / "spec" / "gfm-spec.txt"
    if spec.exists():
        for number, match in enumerate(_EXAMPLE.finditer(spec.read_text("utf-8").replace("→", "\t"))):
            if number % 4 == 0:
                yield match[1]


def write_seeds(target: str, folder: Path) -> int:
    """Write the seeds of *target* into *folder*, one file each, under settings of all kinds; how many there are."""
    folder.mkdir(parents=True, exist_ok=True)
    count = 0
    for number, text in enumerate(texts()):
        if not text:
            continue
        head, *rest = text[:160].splitlines(keepends=True)
        document = f"{head}{PARTS}{''.join(rest)}{PARTS}x" if target == "growth" else text[:LONGEST]
        chosen = bytes((number * step + number // 7) % 256 for step in (1, 3, 5, 7))
        data = chosen[:HEADER] + document.encode("utf-8", "surrogatepass")
        (folder / blake2b(data, digest_size=8).hexdigest()).write_bytes(data)
        count += 1
    return count
