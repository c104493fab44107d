"""The server under clients that stall, crowd, leave or lie."""

from __future__ import annotations

import asyncio
import http.client
import json
import logging
import resource
import select
import socket
import threading
import time
from collections.abc import Callable, Coroutine, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing, suppress
from functools import wraps
from pathlib import Path
from typing import Any, ParamSpec

import pytest
from cli.calling import serving
from fastapi import FastAPI
from fastapi.testclient import TestClient
from web.running import running

from inarow.quixo.rules import Quixo
from inarow.quixo.solver.user_table import ensure_table
from inarow.stopping import Stop, stoppable
from inarow.web import server, work
from inarow.web.app import create_app
from inarow.web.replies import Busy
from inarow.web.server import LimitedLog
from inarow.web.work import Caller, Work, client_name

Address = tuple[str, int]
P = ParamSpec("P")
HEALTH = b"GET /api/health HTTP/1.1\r\nHost: localhost\r\n\r\n"
OPEN = "xo.xo/ox.../....x/o...o/x.ox._x"  # nobody wins by force within many plies


def connect(address: Address, source: str = "127.0.0.1") -> socket.socket:
    return socket.create_connection(address, timeout=20, source_address=(source, 0))


def is_closed(connection: socket.socket) -> bool:
    """Whether the other side has closed a connection, without having sent anything."""
    try:
        return connection.recv(1) == b""
    except ConnectionResetError:
        return True


def served(client: socket.socket) -> bool:
    """Whether a connection gets an answer."""
    client.sendall(HEALTH)
    return client.recv(12) == b"HTTP/1.1 200"


def answers(address: Address) -> bool:
    """Whether a new client is served."""
    with connect(address) as client:
        return served(client)


def asked(address: Address, path: str) -> Any:
    """What a new client is told."""
    with closing(http.client.HTTPConnection(*address, timeout=20)) as client:
        client.request("GET", path)
        return json.load(client.getresponse())


@pytest.fixture
def own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> FastAPI:
    """An explorer of the test's own: a server closes its tables when it ends."""
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    return create_app()


class TestTime:
    @pytest.fixture
    def hasty(self, own: FastAPI, monkeypatch: pytest.MonkeyPatch) -> Iterator[Address]:
        """A server with little patience."""
        monkeypatch.setattr(server, "PATIENCE", dict.fromkeys(("waiting", "asking", "answering"), 0.3))
        monkeypatch.setattr(server, "_CHECKED_EVERY", 0.05)
        with running(own) as address:
            yield address

    def test_connections_that_send_nothing_are_closed(self, hasty: Address) -> None:
        with connect(hasty) as client:
            assert is_closed(client)

    @pytest.mark.parametrize(
        "begin",
        [
            b"GET /api/health HTTP/1.1\r\nX-Slow: ",
            b"POST /api/quixo/probe HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5000\r\n\r\n{",
            HEALTH + b"GET / HTTP/1.1\r\nX-Slow: ",
        ],
        ids=["headers", "body", "second request"],
    )
    def test_requests_that_never_end_are_closed(self, hasty: Address, begin: bytes) -> None:
        def trickle(client: socket.socket) -> None:
            for _ in range(200):  # each byte comes in time, all of them do not
                client.sendall(b"a")
                time.sleep(0.05)

        with connect(hasty) as client:
            client.sendall(begin)
            with pytest.raises((ConnectionResetError, BrokenPipeError)):
                trickle(client)

    def test_answers_that_are_not_taken_are_dropped(self, hasty: Address) -> None:
        body = json.dumps({"positions": [".../.../..._x"] * 1000}).encode()
        head = f"POST /api/quixo/probe HTTP/1.1\r\nHost: localhost\r\nContent-Length: {len(body)}\r\n"
        with socket.socket() as client:
            client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            client.settimeout(20)
            client.connect(hasty)
            client.sendall(f"{head}Content-Type: application/json\r\n\r\n".encode() + body)
            ready = select.poll()  # select itself takes no numbers of files from 1,024 on
            ready.register(client, select.POLLIN)
            assert ready.poll(20_000)
            time.sleep(1.5)
            taken = 0
            with suppress(ConnectionResetError):
                while got := client.recv(1 << 20):
                    taken += len(got)
            assert 0 < taken < 1_000_000  # of some 3 MB
        assert answers(hasty)

    def test_a_connection_is_used_again(self, hasty: Address) -> None:
        client = http.client.HTTPConnection(*hasty, timeout=20)
        for _ in range(8):
            client.request("GET", "/api/health")
            assert client.getresponse().read()
            time.sleep(0.1)
        client.close()


class TestCrowds:
    @pytest.mark.parametrize(
        ("limit", "most", "source"), [("MOST_EACH", 5, "127.0.0.1"), ("MOST", 6, "127.0.0.8")]
    )
    def test_a_client_that_has_too_many_or_most_of_all_loses_its_oldest(
        self, own: FastAPI, monkeypatch: pytest.MonkeyPatch, limit: str, most: int, source: str
    ) -> None:
        monkeypatch.setattr(server, limit, most)
        with running(own) as address, ExitStack() as opened:
            single = opened.enter_context(connect(address, "127.0.0.9"))
            assert served(single)
            crowd = [opened.enter_context(connect(address, source)) for _ in range(5)]
            assert answers(address)
            assert is_closed(crowd[0])
            assert served(crowd[1])
            single.sendall(HEALTH)
            assert single.recv(100)

    def test_a_client_that_keeps_all_busy_is_refused(
        self, own: FastAPI, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        go_on = threading.Event()

        def slow(rules: Quixo, progress: object) -> Path:
            assert go_on.wait(30)
            return ensure_table(rules)

        monkeypatch.setattr("inarow.quixo.solver.user_table.ensure_table", slow)
        monkeypatch.setattr(server, "MOST_EACH", 3)
        with running(own) as address, ExitStack() as opened:
            busy = [opened.enter_context(connect(address)) for _ in range(3)]
            for client in busy:
                client.sendall(b"GET /api/quixo/probe?position=../.._x HTTP/1.1\r\nHost: localhost\r\n\r\n")
            time.sleep(0.3)
            with connect(address) as refused:
                got = refused.recv(1000)
                assert got.startswith(b"HTTP/1.1 503")
                assert b"retry-after" in got
            with connect(address, "127.0.0.9") as other:
                assert served(other)
            go_on.set()
            assert [client.recv(12) for client in busy] == [b"HTTP/1.1 200"] * 3

    def test_idle_connections_do_not_lock_others_out(self) -> None:
        """Of a program with few files, as a shell gives it; what it writes is short."""

        def few_files() -> None:
            resource.setrlimit(resource.RLIMIT_NOFILE, (300, 300))

        with serving(quiet=False, preexec_fn=few_files) as url, ExitStack() as opened:
            address = ("127.0.0.1", int(url.rstrip("/").rpartition(":")[2]))
            for _ in range(400):
                opened.enter_context(connect(address))
            assert answers(address)
            for _ in range(30):
                with connect(address) as rude:
                    rude.sendall(b"nonsense\r\n\r\n")
                    assert rude.recv(12) == b"HTTP/1.1 400"
            assert answers(address)

    def test_ipv6_networks_count_as_one_client(self) -> None:
        assert client_name(("2001:db8::1", 1)) == client_name(("2001:db8::2", 2)) == "2001:db8::"
        assert client_name(("2001:db8:0:1::1", 1)) != "2001:db8::"
        assert client_name(("::ffff:192.0.2.1", 1)) == client_name(("192.0.2.1", 9)) == "192.0.2.1"
        assert client_name(None) == client_name(("testclient", 1)) == ""


class TestLog:
    def test_some_lines_pass_and_the_rest_is_counted(self, monkeypatch: pytest.MonkeyPatch) -> None:
        now = 0.0
        monkeypatch.setattr("inarow.web.server.monotonic", lambda: now)
        limit = LimitedLog(most=3, seconds=10)

        def record() -> logging.LogRecord:
            return logging.LogRecord("x", logging.ERROR, "", 0, "%s failed", ("it",), None)

        assert [bool(limit.filter(record())) for _ in range(8)] == [True] * 3 + [False] * 5
        now = 11.0
        later = record()
        assert limit.filter(later)
        assert later.getMessage() == "it failed (5 lines were left out before this one)"
        following = record()
        assert limit.filter(following)
        assert following.getMessage() == "it failed"


def in_a_loop(test: Callable[P, Coroutine[Any, Any, None]]) -> Callable[P, None]:
    """Runs a test on a thread of its own: this one may have a loop of the browser's already."""

    @wraps(test)
    def run(*given: P.args, **named: P.kwargs) -> None:
        with ThreadPoolExecutor(1) as thread:
            thread.submit(asyncio.run, test(*given, **named)).result()

    return run


def by(name: str) -> asyncio.Event:
    """Makes somebody the caller of what follows, and returns the event of their leaving."""
    left = asyncio.Event()

    async def receive() -> Any:
        await left.wait()
        return {"type": "http.disconnect"}

    work._current.set(Caller(name, receive))
    return left


class TestWork:
    """Callers take turns, and nobody works for callers who have gone."""

    @in_a_loop
    async def test_callers_take_turns(self) -> None:
        order: list[str] = []
        go_on, one = threading.Event(), Work(threads=1)
        tasks: list[asyncio.Task[Any]] = [asyncio.create_task(one.run(go_on.wait))]
        for name in ("greedy", "greedy", "greedy", "modest", "other"):
            by(name)
            tasks.append(asyncio.create_task(one.run(order.append, name)))
            await asyncio.sleep(0)
        await asyncio.sleep(0.01)
        go_on.set()
        await asyncio.gather(*tasks)
        assert order == ["greedy", "modest", "other", "greedy", "greedy"]

    @in_a_loop
    async def test_a_batch_lets_others_have_their_turn(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(work, "_SLICE", 0.01)
        order: list[int] = []

        def slow(number: int) -> int:
            time.sleep(0.02)
            order.append(number)
            return number

        one = Work(threads=1)
        by("greedy")
        batch = asyncio.create_task(one.each(slow, range(10)))
        await asyncio.sleep(0.01)
        by("modest")
        await one.run(slow, -1)
        assert await batch == list(range(10))
        assert order.index(-1) < 4

    @in_a_loop
    async def test_nobody_can_fill_the_queue(self) -> None:
        go_on, one = threading.Event(), Work(threads=1, queue=8)
        by("greedy")
        tasks = [asyncio.create_task(one.run(go_on.wait)) for _ in range(3)]
        await asyncio.sleep(0.01)
        with pytest.raises(Busy, match="2 of your requests"):
            await one.run(go_on.wait)
        for nth in range(6):
            by(f"modest {nth}")
            tasks.append(asyncio.create_task(one.run(go_on.wait)))
            await asyncio.sleep(0.01)
        by("late")
        with pytest.raises(Busy, match="8 requests are waiting"):
            await one.run(go_on.wait)
        go_on.set()
        assert await asyncio.gather(*tasks) == [True] * 9

    @in_a_loop
    async def test_work_whose_caller_has_gone_is_stopped_or_not_begun(self) -> None:
        begun: list[str] = []

        def until_stopped(name: str) -> None:
            begun.append(name)
            end = threading.Event()
            with stoppable(end.set):
                assert end.wait(20)

        one = Work(threads=1)
        left = [by("leaving"), by("leaving too")]
        tasks = []
        for name in ("first", "second"):
            tasks.append(asyncio.create_task(one.run(until_stopped, name)))
        await asyncio.sleep(0.05)
        del left[0]
        for event in left:
            event.set()
        for task in tasks:
            with pytest.raises(Busy, match="gone"):
                await task
        by("patient")
        assert await one.run(lambda: 7) == 7
        assert begun == ["first"]

    @in_a_loop
    async def test_work_that_takes_too_long_is_stopped(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(work, "LONGEST", 0.1)
        ended = threading.Event()

        def endless() -> None:
            with stoppable(ended.set):
                assert ended.wait(20)

        by("patient")
        with pytest.raises(Busy, match="takes longer"):
            await Work().run(endless)
        assert ended.is_set()

    def test_a_stop_before_the_work_begins(self) -> None:
        stop = Stop()
        stop.stop()
        with stop, pytest.raises(Exception, match="stopped"), stoppable(lambda: None):
            raise AssertionError

    def test_searches_do_not_outlive_their_clients(self) -> None:
        """A search of a minute would make the last client wait for longer than it does."""
        body = json.dumps({"positions": [OPEN] * 20}).encode()
        request = b"POST /api/quixo/probe HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
        request += b"Content-Length: %d\r\n\r\n" % len(body) + body
        with running(create_app(search_seconds=60)) as address:
            for _ in range(6):
                with connect(address) as client:
                    client.sendall(request)
                    time.sleep(0.1)
            last = asked(address, "/api/quixo/probe?position=...../...../...../...../....._x")
            assert last["source"] == "book"

    def test_a_search_that_was_stopped_is_not_remembered(self) -> None:
        with running(create_app(search_seconds=1)) as address:
            path = "/api/quixo/probe?position=xxxx./oo.x./o.o../o..o./x...x_o"
            with connect(address) as client:
                client.sendall(f"GET {path} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())
            known = asked(address, path)
        with TestClient(create_app(search_seconds=1)) as fresh:
            assert fresh.get(path).json()["value"] == known["value"]


class TestNames:
    @pytest.mark.parametrize(
        ("host", "status"),
        [
            *((name, 200) for name in ("localhost", "LOCALHOST:80", "127.0.0.1:1", "[::1]:8000", "[::1]")),
            *((name, 421) for name in ("evil.example", "localhost.evil.example", "", "localhost:80:80")),
            *((name, 421) for name in ("[::1", "a@localhost", "192.0.2.1")),
        ],
    )
    def test_of_our_own_and_of_others(self, client: TestClient, host: str, status: int) -> None:
        answer = client.get("/api/health", headers={"host": host})
        assert answer.status_code == status
        if status == 421:
            assert answer.json()["error"]["where"] == ["header", "host"]
            assert host not in answer.text or not host

    def test_that_are_allowed(self) -> None:
        with TestClient(create_app(hosts=["games.example"])) as named:
            assert named.get("/api/health", headers={"host": "games.example"}).status_code == 200
            assert named.get("/api/health", headers={"host": "localhost"}).status_code == 421
        with TestClient(create_app(hosts="*")) as any_name:
            assert any_name.get("/api/health", headers={"host": "what.ever"}).status_code == 200

    def test_nothing_redirects(self, client: TestClient) -> None:
        for path in ("/quixo/", "/api/health/", "//evil.example/quixo/"):
            assert client.get(path, follow_redirects=False).status_code in (200, 404)


def test_the_server_does_not_say_what_it_is(server_address: str) -> None:
    with connect(("127.0.0.1", int(server_address.rpartition(":")[2]))) as client:
        client.sendall(HEALTH)
        assert b"uvicorn" not in client.recv(4000).lower()


def test_every_answer_has_the_headers_of_security(client: TestClient) -> None:
    too_long = f"/api/quixo/probe?position={'x' * 5000}"
    for path in ("/", "/static/style.css", "/api/health", "/nothing", too_long):
        headers = client.get(path).headers
        parts = headers["content-security-policy"].split(";")
        policy = dict(part.strip().partition(" ")[::2] for part in parts)
        assert policy["default-src"] == policy["base-uri"] == policy["frame-ancestors"] == "'none'"
        assert policy["script-src"] == "'self' 'wasm-unsafe-eval'"
        assert policy["worker-src"] == "'self'"
        assert "unsafe-inline" not in headers["content-security-policy"]
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["x-frame-options"] == "DENY"
        assert headers["cross-origin-resource-policy"] == "same-origin"
