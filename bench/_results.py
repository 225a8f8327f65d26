"""What a benchmark found, as a file: with the machine it ran on, and how busy that was."""

from __future__ import annotations

import json
import os
import platform
import re
from datetime import UTC, datetime
from pathlib import Path
from typing import Any


def save(file: Path | None, found: Any) -> None:
    """Writes *found* to *file*, if there is one."""
    if not file:
        return
    file.parent.mkdir(parents=True, exist_ok=True)
    text = json.dumps({"machine": machine(), "found": found}, ensure_ascii=False, indent=1)
    text = re.sub(r"-?\d+\.\d{7,}(e-?\d+)?", lambda number: f"{float(number[0]):.5g}", text)
    # what holds nothing else is one line
    text = re.sub(r"\[\s[-\d.e,\s]+\]", lambda row: f"[{' '.join(row[0][1:-1].split())}]", text)
    text = re.sub(r"\{\s[^{}\[\]]+\}", lambda row: f"{{{' '.join(row[0][1:-1].split())}}}", text)
    file.write_text(text + "\n", encoding="utf-8")


def machine() -> dict[str, str]:
    """What it is, in words."""
    cores, load = os.cpu_count() or 1, os.getloadavg()
    return {
        "day": datetime.now(UTC).date().isoformat(),
        "processor": f"{processor()}, {cores} core{'s' if cores > 1 else ''}",
        "system": f"{platform.system()}, Python {platform.python_version()}",
        "load": f"{load[0]:.1f} in the last minute, {load[2]:.1f} in the last fifteen",
    }


def processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text("utf-8").splitlines()
    except OSError:
        return platform.machine()
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.machine()
