"""Web servers: of files, a real nginx for tables that are far away, and one that does what none should."""

from __future__ import annotations

import shutil
import socket
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from http.server import BaseHTTPRequestHandler, SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

NGINX = shutil.which("nginx", path="/usr/sbin:/usr/bin:/usr/local/sbin:/usr/local/bin")

_CONFIG = """
daemon off;
master_process off;
pid {folder}/nginx.pid;
error_log {folder}/error.log;
events {{ worker_connections 512; }}
http {{
    access_log {folder}/access.log;
    client_body_temp_path {folder}; proxy_temp_path {folder}; fastcgi_temp_path {folder};
    uwsgi_temp_path {folder}; scgi_temp_path {folder};
    server {{
        listen 127.0.0.1:{port};
        root {root};
        location /moved/ {{ rewrite ^/moved/(.*)$ /$1 redirect; }}
        location /round/ {{ rewrite ^ /round/ redirect; }}
        location /elsewhere/ {{ return 302 ftp://127.0.0.1/; }}
        location /whole/ {{ alias {root}/; max_ranges 0; }}
        location /single/ {{ alias {root}/; max_ranges 1; }}
        location /locked/ {{ deny all; }}
    }}
}}
"""


@contextmanager
def nginx(root: Path, folder: Path) -> Iterator[str]:
    """Debian's nginx serves a folder; its logs are in another. Gives the URL."""
    if NGINX is None:
        pytest.skip("there is no nginx (Debian's nginx-light)")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    config = folder / "nginx.conf"
    config.write_text(_CONFIG.format(folder=folder, root=root, port=port))
    command = [NGINX, "-p", str(folder), "-e", str(folder / "error.log"), "-c", str(config)]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        try:
            _wait_for(port, process)
            yield f"http://127.0.0.1:{port}/"
        finally:
            process.terminate()


def _wait_for(port: int, process: subprocess.Popen[bytes]) -> None:
    for _ in range(200):
        with socket.socket() as client:
            if client.connect_ex(("127.0.0.1", port)) == 0:
                return
        assert process.poll() is None, "nginx did not start"
        time.sleep(0.05)
    raise AssertionError("nginx does not listen")


class Files(SimpleHTTPRequestHandler):
    """Answers with files, silently."""

    def log_message(self, format: str, *args: object) -> None:
        pass


class Answer(BaseHTTPRequestHandler):
    """Answers with ranges of files, as `Faulty.spoil` has it."""

    protocol_version = "HTTP/1.1"
    server: Faulty

    def do_GET(self) -> None:
        with self.server.lock:
            self.server.requests.append((self.path, self.headers.get("Range")))
            spoil = self.server.spoil
        if spoil is None or not spoil(self):
            self.answer()

    def content(self) -> bytes | None:
        path = self.server.root / self.path.lstrip("/")
        return path.read_bytes() if path.is_file() else None

    def answer(self, content: bytes | None = None) -> None:
        """The right answer; to a request for several ranges the whole file, as most buckets do."""
        content = self.content() if content is None else content
        if content is None:
            self.reply(404, b"")
            return
        ranges = self.headers.get("Range", "").removeprefix("bytes=")
        if not ranges or "," in ranges:
            self.reply(200, content)
            return
        first, last = ranges.split("-")
        begin, end = int(first), min(int(last) + 1 if last else len(content), len(content))
        if begin >= len(content):
            self.reply(416, b"", {"Content-Range": f"bytes */{len(content)}"})
            return
        headers = {"Content-Range": f"bytes {begin}-{end - 1}/{len(content)}"}
        self.reply(206, content[begin:end], headers)

    def reply(self, status: int, body: bytes, headers: dict[str, str] | None = None) -> None:
        self.send_response(status)
        for name, value in ({"Content-Length": str(len(body))} | (headers or {})).items():
            self.send_header(name, value)
        self.end_headers()
        try:
            self.wfile.write(body)
        except OSError:
            self.close_connection = True

    def log_message(self, *args: object) -> None:
        pass


class Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 512

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}/"


class Faulty(Server):
    """Serves a folder. `spoil` may answer a request in its own way, and returns whether it did."""

    def __init__(self, root: Path) -> None:
        super().__init__(("127.0.0.1", 0), Answer)
        self.root = root
        self.lock = threading.Lock()
        self.requests: list[tuple[str, str | None]] = []
        self.spoil: Callable[[Answer], bool] | None = None

    def handle_error(self, *args: object) -> None:
        pass  # clients hang up on answers they do not like


@contextmanager
def hosting(folder: Path, answers: type[SimpleHTTPRequestHandler]) -> Iterator[str]:
    """The address of a host of these files."""
    with Server(("127.0.0.1", 0), partial(answers, directory=str(folder))) as server, running(server):
        yield server.url


@contextmanager
def faulty(root: Path) -> Iterator[Faulty]:
    with Faulty(root) as server, running(server):
        yield server


@contextmanager
def running(server: Server) -> Iterator[None]:
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield
    finally:
        server.shutdown()
        thread.join()
