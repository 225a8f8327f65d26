"""An OpenAI-compatible embedding endpoint on a real local port, which misbehaves when told to."""

import json
import threading
from collections.abc import Callable
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from time import monotonic
from typing import Any


class Server:
    """An endpoint that answers with each of `answers` in turn, then properly, and remembers what it was asked."""

    def __init__(self, dimensions: int = 4) -> None:
        self.dimensions = dimensions
        self.answers: list[Callable[[BaseHTTPRequestHandler, list[str]], None]] = []
        self.asked: list[tuple[float, str, dict[str, Any], str | None]] = []
        server = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                server.asked.append((monotonic(), self.path, body, self.headers.get("Authorization")))
                answer = server.answers.pop(0) if server.answers else server.vectors
                answer(self, body["input"])

            def log_message(self, *args: object) -> None:
                pass

        self.http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.http.daemon_threads = True
        self.url = f"http://127.0.0.1:{self.http.server_port}/v1"

    def vectors(self, request: BaseHTTPRequestHandler, texts: list[str]) -> None:
        data = [{"index": i, "embedding": [float(len(t)), *[1.0] * (self.dimensions - 1)]} for i, t in enumerate(texts)]
        reply(200, {"data": data[::-1]})(request, texts)  # any order is right: the index counts


def reply(status: int, body: object, **headers: str):
    def answer(request: BaseHTTPRequestHandler, texts: list[str]) -> None:
        sent = body.encode() if isinstance(body, str) else json.dumps(body).encode()
        request.send_response(status)
        for name, value in headers.items():
            request.send_header(name.replace("_", "-"), value)
        request.send_header("Content-Length", str(len(sent)))
        request.end_headers()
        request.wfile.write(sent)

    return answer


@contextmanager
def serving():
    """A server that runs until the end of the block."""
    served = Server()
    thread = threading.Thread(target=served.http.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield served
    finally:
        served.http.shutdown()
        served.http.server_close()
        thread.join()
