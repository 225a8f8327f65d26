"""Syncs that the service runs, and what becomes of it and its store when one of them goes, or is killed."""

from __future__ import annotations

import os
import shutil
import signal
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import httpx
import pytest

pytest.importorskip("fastapi", reason="the extra `service` is not installed")

from prometheus_client.parser import text_string_to_metric_families
from support_service import Service, headwise, running, vault
from support_store import dump

HAS_PROC = pytest.mark.skipif(not Path("/proc/self/task").is_dir(), reason="looks for processes in /proc")


def many(folder: Path, number: int) -> Path:
    """A folder of so many notes, no two alike."""
    folder.mkdir()
    for at in range(number):
        text = "\n\n".join(f"## Part {part}\n\nNote {at} says {part * at} of {part}." for part in range(15))
        (folder / f"{at:04}.md").write_text(f"# Note {at}\n\n{text}\n", "utf-8")
    return folder


def offspring(pid: int) -> set[int]:
    """The processes that *pid* has started, and those that these have, as far as they are there."""
    parents: dict[int, int] = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                stat = (entry / "stat").read_text("utf-8")
            except OSError:
                continue
            state, parent = stat.rpartition(")")[2].split()[:2]
            if state != "Z":
                parents[int(entry.name)] = int(parent)
    found = {pid}
    while more := {child for child, parent in parents.items() if parent in found} - found:
        found |= more
    return found - {pid}


def until(holds: Callable[[], object], seconds: float = 60) -> None:
    """Wait until something holds."""
    end = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < end
        time.sleep(0.02)


def begun(service: Service, phase: str = "reading") -> str:
    """The id of a job that is at work."""
    answer = service.post("/index", {})
    assert answer.status_code == 202, answer.text
    job = answer.json()["id"]
    until(lambda: _is_at_work(service.get(f"/jobs/{job}"), phase))
    return job


def _is_at_work(job: dict, phase: str) -> bool:
    assert job["state"] == "running", job
    return job["progress"]["phase"] == phase and job["progress"]["done"] > 0


def test_a_sync_makes_the_store_equal_and_the_next_search_sees_it(tmp_path: Path) -> None:
    notes = vault(tmp_path)
    with running(str(notes)) as service:
        assert service.get("/search", q='"quokka met"')["hits"] == []
        (notes / "New.md").write_text("# New\n\nA quokka met a zebra.\n", "utf-8")
        (notes / "Robots" / "SMARS.md").unlink()
        answer = service.post("/index", {})
        job = answer.json()
        done = service.wait_for_job(job["id"])
        hits = service.get("/search", q='"quokka met"')["hits"]
        health = service.get("/health")
        gone = service.client.get("/documents/Robots/SMARS.md")
        families = {f.name: f for f in text_string_to_metric_families(service.client.get("/metrics").text)}

    assert answer.status_code == 202
    assert answer.headers["location"] == f"/jobs/{job['id']}"
    assert (done["state"], done["problem"]) == ("done", None)
    assert done["report"]["documents"]["added"] == 1
    assert done["report"]["documents"]["deleted"] == 1
    assert done["report"]["embedded"] >= 1
    assert done["finished"] > done["started"]
    assert hits[0]["path"] == "New.md"
    assert health["last_sync"]["documents"]["added"] == 1
    assert health["job"]["id"] == job["id"]
    assert gone.status_code == 404
    assert {s.labels["state"]: s.value for s in families["headwise_jobs"].samples if s.name.endswith("_total")} == {
        "done": 1
    }
    assert dump(notes / ".headwise" / "index.db")["words"]


@HAS_PROC
def test_one_sync_at_a_time_while_searches_go_on_and_one_that_is_killed_is_told(tmp_path: Path) -> None:
    notes = many(tmp_path / "notes", 200)
    headwise("index", str(notes), "--no-embed")
    for note in notes.glob("*.md"):
        note.write_text(note.read_text("utf-8") + "\nMore of it.\n", "utf-8")
    with running(str(notes)) as service:
        job = begun(service)
        second = service.post("/index", {})
        hits = service.get("/search", q="note says")["hits"]
        for pid in offspring(service.process.pid):
            if b"spawn_main" in Path(f"/proc/{pid}/cmdline").read_bytes():
                os.kill(pid, signal.SIGKILL)
        failed = service.wait_for_job(job)
        third = service.post("/index", {})
        done = service.wait_for_job(third.json()["id"])

    assert hits
    assert second.status_code == 409
    assert second.headers["location"] == f"/jobs/{job}"
    assert job in second.json()["detail"]
    assert failed["state"] == "failed"
    assert "ended without a word" in failed["problem"]["detail"]
    assert third.status_code == 202
    assert (done["state"], done["report"]["pending"]) == ("done", 0)
    assert done["report"]["documents"]["changed"] > 0


@HAS_PROC
@pytest.mark.parametrize(("how", "phase"), [(signal.SIGTERM, "reading"), (signal.SIGINT, "embedding")])
def test_told_to_stop_it_ends_soon_and_leaves_a_good_store_and_nobody(
    tmp_path: Path, how: signal.Signals, phase: str
) -> None:
    notes = many(tmp_path / "notes", 250)
    with running(str(notes)) as service:
        begun(service, phase)
        started = offspring(service.process.pid)
        began = time.monotonic()
        code = service.stop(how)
        seconds = time.monotonic() - began
        until(lambda: not any(Path(f"/proc/{pid}").exists() for pid in started))

    headwise("index", str(notes))
    fresh = Path(shutil.copytree(notes, tmp_path / "fresh", ignore=shutil.ignore_patterns(".headwise")))
    headwise("index", str(fresh))
    assert code == 0
    assert seconds < 12
    assert started
    assert service.line("event", "stopped") == service.lines[-1]
    for name in ("chunks", "passages", "words"):
        assert dump(notes / ".headwise" / "index.db")[name] == dump(fresh / ".headwise" / "index.db")[name]


def test_told_to_stop_it_finishes_what_it_is_answering(tmp_path: Path) -> None:
    text = "# Note\n\n" + "One sentence after another, and so on and on. " * 40_000
    with running(str(many(tmp_path / "notes", 1))) as service, ThreadPoolExecutor(1) as pool:
        answering = pool.submit(httpx.post, f"{service.client.base_url}/chunk", json={"text": text}, timeout=60)
        until(lambda: "headwise_requests_running 2.0" in service.client.get("/metrics").text)
        code = service.stop()
        answer = answering.result()

    assert code == 0
    assert answer.status_code == 200
    assert answer.json()["chunks"][-1]["end"] == len(text.rstrip())


@HAS_PROC
def test_killed_it_leaves_nobody_behind(tmp_path: Path) -> None:
    notes = many(tmp_path / "notes", 250)
    with running(str(notes)) as service:
        begun(service)
        started = offspring(service.process.pid)
        service.process.kill()
        service.process.wait()
        until(lambda: not any(Path(f"/proc/{pid}").exists() for pid in started))
    assert started


def test_a_folder_that_is_gone_deletes_nothing(tmp_path: Path) -> None:
    notes = vault(tmp_path)
    with running(str(notes)) as service:
        documents = service.get("/health")["documents"]
        for entry in notes.iterdir():
            if entry.name not in {".headwise", ".obsidian", "Robots"}:
                shutil.rmtree(entry) if entry.is_dir() else entry.unlink()
        most = service.wait_for_job(service.post("/index", {}).json()["id"])
        kept = service.get("/health")["documents"]
        shutil.rmtree(notes / "Robots")
        empty = service.wait_for_job(service.post("/index", {"allow_mass_deletion": True}).json()["id"])
        still = service.get("/health")["documents"]
        (notes / "Left.md").write_text("# Left\n\nOnly this.\n", "utf-8")
        allowed = service.wait_for_job(service.post("/index", {"allow_mass_deletion": True}).json()["id"])
        left = service.get("/health")["documents"]

    assert most["problem"]["type"].endswith(":mass-deletion")
    assert "no documents to index" in empty["problem"]["detail"]
    assert documents == kept == still
    assert (allowed["state"], left) == ("done", 1)


def test_a_store_that_is_not_there_yet_is_made_and_settings_that_change_are_taken_up(tmp_path: Path) -> None:
    notes = many(tmp_path / "notes", 3)
    with running(str(notes)) as service:
        before = service.client.get("/health")
        search = service.client.get("/search", params={"q": "note"})
        (notes / "headwise.toml").write_text("max_tokens = 30\n", "utf-8")
        done = service.wait_for_job(service.post("/index", {}).json()["id"])
        after = service.get("/health")
        hits = service.get("/search", q="note")["hits"]
        settings = service.get("/documents/0001.md")["settings"]
        (notes / "headwise.toml").write_text("max_tokens = nonsense\n", "utf-8")
        wrong = service.wait_for_job(service.post("/index", {}).json()["id"])

    assert (before.status_code, before.json()["status"]) == (503, "unusable")
    assert "index a folder first" in before.json()["detail"]
    assert search.status_code == 503
    assert search.json()["type"].endswith(":no-store")
    assert search.headers["retry-after"]
    assert done["state"] == "done"
    assert after["documents"] == 3
    assert hits
    assert settings["max_tokens"] == 30
    assert wrong["state"] == "failed"
    assert "headwise.toml" in wrong["problem"]["detail"]


def test_a_store_that_goes_is_damaged_or_is_another_is_noticed(tmp_path: Path) -> None:
    notes = vault(tmp_path)
    store = notes / ".headwise" / "index.db"
    with running(str(notes)) as service:
        assert service.get("/search", q="motor")["hits"]
        shutil.rmtree(notes / ".headwise")
        missing = service.client.get("/health")
        metrics = service.client.get("/metrics").text
        store.parent.mkdir()
        store.write_bytes(b"SQLite format 3\0" + b"\xff" * 5000)
        damaged = service.client.get("/health")
        store.unlink()
        shutil.rmtree(notes / "Robots")
        headwise("index", str(notes))
        again = service.get("/health")
        hits = service.get("/search", q="motor driver pins", path="Robots")["hits"]

    assert (missing.status_code, damaged.status_code) == (503, 503)
    assert "headwise_store_usable 0.0" in metrics
    assert "there is no store" in missing.json()["detail"]
    assert str(store) in damaged.json()["detail"]
    assert again["status"] == "ok"
    assert hits == []
