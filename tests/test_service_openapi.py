"""The service does what its OpenAPI description says, for whatever the description allows and whatever it forbids."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

pytest.importorskip("fastapi", reason="the extra `service` is not installed")
pytest.importorskip("schemathesis", reason="schemathesis is not installed")

from support_service import Service, running, vault

CONFIG = Path(__file__).parent / "data" / "schemathesis.toml"


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    with running(str(vault(tmp_path_factory.mktemp("openapi")))) as started:
        yield started


def test_every_answer_is_as_it_is_described(service: Service, tmp_path: Path) -> None:
    """No failure of the server, no status, type, header or field that is not described, no wrong value accepted."""
    command = [
        *(sys.executable, "-m", "schemathesis.cli", "--config-file", str(CONFIG), "run"),
        *(f"{service.client.base_url}/openapi.json", "--phases", "examples,coverage,fuzzing", "--max-examples", "4"),
        *("--generation-deterministic", "--suppress-health-check", "all", "--request-timeout", "30", "--no-color"),
    ]
    done = subprocess.run(command, capture_output=True, encoding="utf-8", check=False, timeout=300, cwd=tmp_path)

    assert done.returncode == 0, done.stdout
    tried = re.search(r"(\d+) generated", done.stdout)
    assert tried
    assert int(tried[1]) > 200
    assert "Tested: 10" in done.stdout
    assert [line for line in service.lines if line.get("level") == "error"] == []


def test_every_route_is_described_with_examples(service: Service) -> None:
    described = service.get("/openapi.json")

    assert set(described["paths"]) == {
        "/health",
        "/search",
        "/documents",
        "/documents/{path}",
        "/chunk",
        "/index",
        "/jobs/{job_id}",
        "/related",
        "/metrics",
    }
    for path, operations in described["paths"].items():
        for method, operation in operations.items():
            assert operation["summary"], path
            assert operation["description"], path
            problems = {status for status in operation["responses"] if status >= "400"} - {
                "503" if path == "/health" else ""
            }
            assert {"401", "403", "422", "500"} <= problems
            for status in problems:
                (kind,) = operation["responses"][status]["content"]
                assert kind == "application/problem+json", (path, status)
            for parameter in operation.get("parameters", ()):
                assert parameter["description"], (path, parameter["name"])
            if method == "post":
                assert {"400", "413", "415"} <= problems
    schemas = described["components"]["schemas"]
    assert all(
        schema["examples"] for name, schema in schemas.items() if name in {"CutRequest", "SyncRequest", "Problem"}
    )
    assert "HTTPValidationError" not in schemas


def test_answers_have_the_fields_that_are_described_and_no_others(service: Service) -> None:
    from pydantic import TypeAdapter

    from headwise.app.service import schemas

    chunk = service.get("/documents/Robots/SMARS.md")["chunks"][0]["id"]
    job = service.post("/index", {}).headers["location"].rpartition("/")[2]  # perhaps of one that still runs
    for kind, answer in (
        (schemas.Found, service.get("/search", q="motor", explain="true", limit=20)),
        (schemas.Found, service.get("/search", where="status")),
        (schemas.DocumentList, service.get("/documents")),
        *(
            (schemas.Document, service.get(f"/documents/{one['path']}"))
            for one in service.get("/documents")["documents"]
        ),
        (schemas.StoredChunk, service.get("/chunk", id=chunk)),
        (schemas.Cut, service.post("/chunk", {"text": "# A\n\nb\n", "html": True}).json()),
        (schemas.Cut, service.post("/chunk", {"text": ""}).json()),
        (schemas.Job, service.get(f"/jobs/{job}")),
        (schemas.Job, service.wait_for_job(job)),
        (schemas.Related, service.get("/related", path="SMARS")),
        (schemas.Usable, service.get("/health")),
        (schemas.Problem, service.client.get("/search", params={"limit": 0}).json()),
    ):
        TypeAdapter(kind).validate_python(answer, strict=True)
