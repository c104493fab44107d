"""Tables on web servers answer as those on disk do; whatever goes wrong is an error, never a wrong value."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from quixo.boards import random_words
from quixo.forms import Forms
from serving import Answer, Faulty, faulty, nginx
from verify.quixo.forging import change_manifest

import inarow
from inarow.errors import DamagedFile, InarowError, MissingTable, Unreachable
from inarow.quixo.rules import Position, Quixo
from inarow.quixo.table import http
from inarow.quixo.table.cache import Cache, Key
from inarow.quixo.table.http import HttpFolder, RemoteName, Span

THREE, FOUR = Quixo(3), Quixo(4)
MIDDLE = FOUR.parse("xo.x/o.xo/.x.o/ox.. x")  # its moves are in large pairs


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The user's own cache is left alone, and each test has an empty one."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return tmp_path / "cache" / "inarow" / "tables-1.sqlite"


@pytest.fixture(scope="session")
def served(three: Forms, four: Forms, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with nginx(four.folder.parent, tmp_path_factory.mktemp("nginx")) as url:
        yield url


@pytest.fixture
def server(tables: Path, four: Forms) -> Iterator[Faulty]:
    with faulty(tables) as server:
        yield server


@pytest.fixture
def hasty(monkeypatch: pytest.MonkeyPatch) -> None:
    """Gives up soon."""
    monkeypatch.setattr(http, "TIMEOUT", 0.2)
    monkeypatch.setattr(http, "_BACKOFF", 0.01)


# --- Right answers ---


@pytest.mark.parametrize("form", ["compact", "outcomes"])
@pytest.mark.parametrize("way", ["", "single/", "moved/"])
def test_nginx_answers_as_the_disk_does(tables: Path, served: str, form: str, way: str) -> None:
    for rules, words in ((THREE, random_words(THREE, 5000)), (FOUR, random_words(FOUR, 20_000))):
        local = inarow.open_table(tables / str(rules.rows) / form)
        with inarow.open_table(f"{served}{way}{rules.rows}/{form}") as table:
            assert table.rules == rules
            (values, plies), (values_there, plies_there) = table.probe_many(words), local.probe_many(words)
            assert np.array_equal(values, values_there)
            assert np.array_equal(plies, plies_there)
        # Again, one position after the other, from the cache.
        with inarow.open_table(f"{served}{way}{rules.rows}/{form}") as table:
            for word in words[:: len(words) // 20].tolist():
                assert table.probe(rules.from_word(word)) == local.probe(rules.from_word(word))


@pytest.mark.parametrize("form", ["compact", "outcomes"])
def test_each_position_from_a_cold_start(tables: Path, server: Faulty, form: str) -> None:
    local = inarow.open_table(tables / "4" / form)
    for word in random_words(FOUR, 12).tolist():
        with inarow.open_table(f"{server.url}4/{form}") as table:
            assert table.probe(FOUR.from_word(word)) == local.probe(FOUR.from_word(word))


def test_a_prober_takes_a_url(served: str) -> None:
    with inarow.open_prober(FOUR, [f"{served}4/compact"]) as prober:
        assert str(prober.probe(FOUR.start())) == "win in 21"


def rounds(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Grows by the number of ranges of each round of requests."""
    seen: list[int] = []
    read_parts = HttpFolder.read_parts

    def counted(folder: HttpFolder, wanted: dict[RemoteName, list[Span]]) -> object:
        if wanted:
            seen.append(sum(map(len, wanted.values())))
        return read_parts(folder, wanted)

    monkeypatch.setattr(HttpFolder, "read_parts", counted)
    return seen


@pytest.mark.parametrize("form", ["compact", "outcomes"])
def test_a_probe_with_its_moves_is_one_round(
    tables: Path, served: str, form: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen = rounds(monkeypatch)
    with inarow.open_table(f"{served}4/{form}") as table:
        table.probe(MIDDLE)
        assert len(seen) == 2  # indexes, then pieces
        assert seen[0] <= 8
        sibling = MIDDLE.play(MIDDLE.legal_moves()[0])
        probe = table.probe(sibling)
        assert len(seen) <= 4
    assert probe == inarow.open_table(tables / "4" / form).probe(sibling)
    with inarow.open_table(f"{served}4/{form}") as table:
        seen.clear()
        table.probe(MIDDLE)
        assert not seen  # all of it is in the cache


def test_several_ranges_travel_in_one_request(served: str, tables: Path, tmp_path: Path) -> None:
    name = "pair-05-05.values"
    content = (tables / "4" / "compact" / name).read_bytes()
    file = RemoteName(name, len(content))
    spans = [Span(begin, begin + 700) for begin in range(0, len(content) - 700, 5000)]
    assert len(spans) > 3
    for way, many in (("", True), ("single/", False)):
        folder = HttpFolder(f"{served}{way}4/compact")
        found = folder.read_parts({file: spans})
        assert folder._many_ranges is many
        assert found == {(name, span): content[span.begin : span.end] for span in spans}
        folder.close()


def multipart(parts: list[tuple[str, bytes]]) -> bytes:
    found = [f"\r\n--X\r\nContent-Range: {shown}\r\n\r\n".encode() + part for shown, part in parts]
    return b"".join(found) + b"\r\n--X--\r\n"


@pytest.mark.parametrize(
    "fault", ["", "joined", "swapped", "left out", "cut", "backwards", "no range", "empty"]
)
def test_whatever_a_server_makes_of_several_ranges(server: Faulty, tables: Path, fault: str) -> None:
    name = "4/compact/pair-05-05.values"
    content = (tables / name).read_bytes()
    spans = [Span(begin, begin + 500) for begin in range(0, 22000, 5000)]
    size = len(content)

    def spoil(answer: Answer) -> bool:
        ranges = answer.headers["Range"].removeprefix("bytes=").split(",")
        if len(ranges) == 1:
            return False
        parts = [
            (f"bytes {first}-{last}/{size}", content[int(first) : int(last) + 1])
            for first, last in (span.split("-") for span in ranges)
        ]
        if fault == "joined":
            parts = [(f"bytes 0-{spans[-1].end - 1}/{size}", content[: spans[-1].end])]
        elif fault == "swapped":
            parts = parts[::-1]
        elif fault == "left out":
            del parts[1]
        elif fault == "backwards":
            parts[1] = (f"bytes 400-0/{size}", b"\r\n\r\n" * 100)
        elif fault == "no range":
            parts[1] = ("bytes */*", b"")
        body = b"" if fault == "empty" else multipart(parts)
        body = body[:1500] if fault == "cut" else body
        answer.reply(206, body, {"Content-Type": "multipart/byteranges; boundary=X"})
        return True

    server.spoil = spoil
    folder = HttpFolder(server.url)
    found = folder.read_parts({RemoteName(name, size): spans})
    assert found == {(name, span): content[span.begin : span.end] for span in spans}
    assert folder._many_ranges is (fault in ("", "swapped"))
    folder.close()


# --- Servers that do not do what they should ---

Spoil = Callable[[Answer], bool]


def is_piece(answer: Answer, kind: str = ".") -> bool:
    return answer.path.rpartition("/")[2].startswith("pair-") and kind in answer.path


def probing(server: Faulty, form: str = "compact", position: Position = MIDDLE) -> None:
    with inarow.open_table(f"{server.url}4/{form}") as table:
        table.probe(position)


def refused(server: Faulty, kind: type[InarowError], match: str, spoil: Spoil) -> None:
    """A probe fails in this way; the error names the URL. Without the spoiler it is right again."""
    server.spoil = spoil
    with pytest.raises(kind, match=match) as caught:
        probing(server)
    assert server.url in str(caught.value)
    server.spoil = None
    probing(server)


def test_a_file_that_changes_after_its_index_was_read(server: Faulty, hasty: None) -> None:
    with inarow.open_table(f"{server.url}4/compact") as table:
        table.probe(MIDDLE)

        def spoil(answer: Answer) -> bool:
            content = answer.content()
            assert content is not None
            answer.answer(content[1:] + content[:1])
            return True

        server.spoil = spoil
        with pytest.raises(DamagedFile, match="is damaged, or not the file that the manifest lists"):
            table.probe_many(random_words(FOUR, 2000))


def status(code: int) -> Callable[[Answer], None]:
    return lambda answer: answer.reply(code, b"")


def whole(answer: Answer) -> None:
    answer.reply(200, answer.content() or b"")


def ranged(header: str) -> Callable[[Answer], None]:
    def reply(answer: Answer) -> None:
        shown = header.replace("SIZE", str(len(answer.content() or b"")))
        answer.reply(206, b"x" * 100, {"Content-Range": shown} if header else {})

    return reply


def changed(change: Callable[[bytes], bytes]) -> Callable[[Answer], None]:
    return lambda answer: answer.answer(change(answer.content() or b""))


def with_damage(first: bool) -> Callable[[Answer], None]:
    def damaged(content: bytes) -> bytes:
        half, wrong = len(content) // 2, bytes(byte ^ 1 for byte in content)
        return wrong[:half] + content[half:] if first else content[:half] + wrong[half:]

    return changed(damaged)


def byte_by_byte(answer: Answer) -> None:
    answer.send_response(200)
    answer.send_header("Content-Length", str(1 << 20))
    answer.end_headers()
    for _ in range(20):
        answer.wfile.write(b" ")
        time.sleep(0.1)


RANGES = ["bytes 0-99/SIZE", "bytes 1-2", "items 0-1/2", "", "bytes 10-9/SIZE", "bytes */77"]
DAMAGED = "{} is damaged, or not the file .* do not match"


@pytest.mark.parametrize(
    ("reply", "where", "kind", "match"),
    [
        *((with_damage(it), ".values", DamagedFile, DAMAGED.format("values")) for it in (True, False)),
        *((with_damage(it), ".plies", DamagedFile, DAMAGED.format("plies")) for it in (True, False)),
        (changed(lambda content: content[:-1]), ".values", DamagedFile, "values is cut short: .* bytes"),
        (changed(lambda content: content[:-40]), ".values", DamagedFile, "values is cut short: .* bytes"),
        (changed(lambda content: content[:-5000]), ".values", DamagedFile, "values is cut short: .* bytes"),
        (changed(lambda content: content + b"x"), ".values", DamagedFile, "values is too long: .* bytes"),
        (whole, "", Unreachable, r"whole files only, not with ranges .*\n.*inarow quixo copy http"),
        *((ranged(it), "pair-", Unreachable, "asked for bytes .* the server answers with") for it in RANGES),
        *((status(it), "", Unreachable, f"the server answers {it}") for it in (400, 401, 403, 204)),
        (status(404), ".plies", MissingTable, "plies is missing .*404"),
        (byte_by_byte, "", Unreachable, "bytes in 0 s"),
    ],
)
def test_what_is_no_answer(
    server: Faulty,
    reply: Callable[[Answer], None],
    where: str,
    kind: type[InarowError],
    match: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    if reply is byte_by_byte:
        monkeypatch.setattr(http, "TIMEOUT", 0.2)
        monkeypatch.setattr(http, "ATTEMPTS", 1)
        monkeypatch.setattr(http, "_SLOWEST", 1 << 30)

    def spoil(answer: Answer) -> bool:
        if where in answer.path:
            reply(answer)
        return where in answer.path

    refused(server, kind, match, spoil)


@pytest.mark.parametrize("length", [-1, 1])
def test_a_body_that_is_not_as_long_as_its_range(server: Faulty, length: int, hasty: None) -> None:
    def spoil(answer: Answer) -> bool:
        if not is_piece(answer):
            return False
        first, last = map(int, answer.headers["Range"].removeprefix("bytes=").split(",")[0].split("-"))
        content = answer.content()
        assert content is not None
        body = (content * 2)[first : last + 1 + length]
        answer.reply(206, body, {"Content-Range": f"bytes {first}-{last}/{len(content)}"})
        return True

    refused(server, Unreachable, "bytes where .* were announced", spoil)


@pytest.mark.parametrize("status", [500, 502, 503, 429])
def test_a_server_in_trouble_is_asked_again(server: Faulty, status: int, hasty: None) -> None:
    failed: set[str] = set()

    def once(answer: Answer) -> bool:
        with server.lock:
            if answer.path in failed:
                return False
            failed.add(answer.path)
        answer.reply(status, b"busy")
        return True

    server.spoil = once
    probing(server)
    assert len(failed) > 3

    def always(answer: Answer) -> bool:
        answer.reply(status, b"busy")
        return True

    refused(server, Unreachable, f"cannot be read \\({status} .* tried 4 times", always)


def test_a_server_that_stalls(server: Faulty, hasty: None) -> None:
    for stalls in (is_piece, lambda answer: not is_piece(answer)):

        def spoil(answer: Answer, stalls: Spoil = stalls) -> bool:
            if stalls(answer):
                time.sleep(0.5)
            return stalls(answer)

        refused(server, Unreachable, "cannot be read .no answer for 0.2 s., tried 4 times", spoil)


def test_a_connection_that_breaks(server: Faulty, hasty: None) -> None:
    broken: set[str] = set()

    def once(answer: Answer) -> bool:
        with server.lock:
            if answer.path in broken:
                return False
            broken.add(answer.path)
        answer.send_response(200)
        answer.send_header("Content-Length", "1000")
        answer.end_headers()
        answer.wfile.write(b"half")
        answer.close_connection = True
        return True

    server.spoil = once
    with inarow.open_table(f"{server.url}4/compact") as table:
        assert table.manifest.complete


def test_nobody_listens(tables: Path, hasty: None) -> None:
    with faulty(tables) as server:
        url = server.url
    with pytest.raises(Unreachable, match=f"{url}.*refused"):
        inarow.open_table(url)


@pytest.mark.parametrize(
    ("way", "kind", "match"),
    [
        ("whole/4/compact", Unreachable, "whole files only"),
        ("round/4/compact", Unreachable, "redirect cannot be followed"),
        ("elsewhere/4/compact", Unreachable, "redirect cannot be followed .*ftp"),
        ("locked/4/compact", Unreachable, "403 Forbidden"),
        ("5/compact", MissingTable, "no table at .*404 Not Found"),
    ],
)
def test_what_nginx_refuses(served: str, way: str, kind: type[InarowError], match: str) -> None:
    with pytest.raises(kind, match=match) as caught, inarow.open_table(served + way) as table:
        table.probe(MIDDLE)
    assert f"{served}{way}" in str(caught.value)


@pytest.mark.parametrize(
    "url", ["ftp://example.org/table", "https://", "s3://bucket/table", "http://example.org:port/"]
)
def test_what_is_no_url_of_a_table(url: str) -> None:
    with pytest.raises(InarowError, match=r"http or https|not a URL"):
        inarow.open_table(url)


def with_manifest(content: bytes) -> Spoil:
    def spoil(answer: Answer) -> bool:
        answer.reply(200, content)
        return True

    return spoil


def test_a_manifest_that_is_none(server: Faulty) -> None:
    for content in (b"<html>", b"{}", b"", b'{"format": "inarow-quixo-compact", "version": 2}'):
        server.spoil = with_manifest(content)
        with pytest.raises(DamagedFile, match=f"{server.url}4/compact/manifest.json"):
            probing(server)


def test_a_manifest_with_a_digest_that_is_none(server: Faulty, tables: Path, tmp_path: Path) -> None:
    shutil.copy(tables / "4" / "compact" / "manifest.json", tmp_path)
    change_manifest(tmp_path, lambda data: data["pairs"][3].update(sha256="zz"))
    server.spoil = with_manifest((tmp_path / "manifest.json").read_bytes())
    with pytest.raises(DamagedFile, match=r"manifest.json is damaged: 'zz'"):
        probing(server)


def test_a_table_that_is_not_complete(server: Faulty, tables: Path, tmp_path: Path) -> None:
    inarow.solve(FOUR, tmp_path / "part", outcomes_only=True, stop_at=10)
    server.root = tmp_path
    with (
        inarow.open_table(f"{server.url}part") as table,
        pytest.raises(MissingTable, match=r"not complete.*\n.*--out DIR"),
    ):
        table.probe(FOUR.start())


def test_a_password_is_not_shown(server: Faulty) -> None:
    url = server.url.replace("http://", "http://me:secret@")
    with pytest.raises(MissingTable) as caught:
        inarow.open_table(f"{url}none?key=secret")
    assert "secret" not in str(caught.value)


# --- The cache ---


def test_the_cache_is_bounded(tmp_path: Path) -> None:
    cache = Cache(tmp_path / "cache.sqlite", bound=300_000)
    for number in range(200):
        cache.put({Key(b"d" * 32, number): bytes([number]) * 10_000})
        assert cache.path.stat().st_size < 400_000
    found = cache.get(Key(b"d" * 32, number) for number in range(200))
    assert 15 < len(found) <= 30
    assert all(data == bytes([key.begin]) * 10_000 for key, data in found.items())


def test_what_was_used_last_stays_longest(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cache = Cache(tmp_path / "cache.sqlite", bound=300_000)
    now = 1e9
    monkeypatch.setattr(time, "time", lambda: now)
    first = Key(b"first", 0)
    cache.put({first: b"x" * 1000})
    for number in range(100):
        now += 4000
        cache.put({Key(b"more", number): b"y" * 10_000})
        assert first in cache.get([first])
    assert Key(b"more", 0) not in cache.get([Key(b"more", 0)])


def test_several_processes_share_a_cache(served: str, tables: Path, own_cache: Path) -> None:
    """All probe the same positions at the same time, some of them in another order."""
    words = random_words(FOUR, 30).tolist()
    program = f"""
import sys
import inarow
from inarow.quixo.rules import Quixo
with inarow.open_table({served!r} + "4/compact") as table:
    for word in {words}[::int(sys.argv[1])]:
        print(table.probe(Quixo(4).from_word(word)).to_json())
"""
    command = [sys.executable, "-c", program]
    processes = [
        subprocess.Popen([*command, way], stdout=subprocess.PIPE, text=True) for way in ("1", "-1", "1", "-1")
    ]
    found = [process.communicate(timeout=60)[0].splitlines() for process in processes]
    local = inarow.open_table(tables / "4" / "compact")
    expected = [str(local.probe(FOUR.from_word(word)).to_json()) for word in words]
    assert found == [expected, expected[::-1]] * 2
    assert own_cache.is_file()


@given(data=st.data())
@settings(max_examples=6, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_a_damaged_cache_costs_time_and_no_more(
    server: Faulty, tables: Path, own_cache: Path, data: st.DataObject
) -> None:
    local = inarow.open_table(tables / "4" / "compact")
    with inarow.open_table(f"{server.url}4/compact") as table:
        table.probe(MIDDLE)
    content = bytearray(own_cache.read_bytes())
    for _ in range(data.draw(st.integers(1, 300))):
        # What is drawn must not depend on the file: its length differs from run to run.
        content[data.draw(st.integers(0, 1 << 32)) % len(content)] ^= data.draw(st.integers(1, 255))
    del content[len(content) - data.draw(st.sampled_from([0, 0, 0, 1, 5000])) :]
    own_cache.write_bytes(content)
    with inarow.open_table(f"{server.url}4/compact") as table:
        assert table.probe(MIDDLE) == local.probe(MIDDLE)


def test_a_cache_damaged_where_sqlite_quotes_it(server: Faulty, own_cache: Path) -> None:
    probing(server)
    content = own_cache.read_bytes()
    assert b"sqlite_autoindex_p" in content
    own_cache.write_bytes(content.replace(b"sqlite_autoindex_p", b"sqlite_autoindex_\x9a"))
    probing(server)


def test_a_damaged_piece_of_the_cache_is_fetched_again(server: Faulty, own_cache: Path) -> None:
    probing(server)
    cache = Cache(own_cache)
    assert cache._database is not None
    with cache._database as database:
        database.execute("UPDATE parts SET data = zeroblob(length(data))")
    server.requests.clear()
    probing(server)
    assert len(server.requests) > 5
    server.requests.clear()
    probing(server)
    assert [path for path, _ in server.requests] == ["/4/compact/manifest.json"]


def test_a_cache_that_cannot_be_written(
    server: Faulty, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_bytes(b"")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
    probing(server)


def test_a_file_that_is_no_cache(server: Faulty, own_cache: Path) -> None:
    own_cache.parent.mkdir(parents=True)
    own_cache.write_bytes(b"something else" * 1000)
    probing(server)
    server.requests.clear()
    probing(server)
    assert len(server.requests) == 1


def test_the_manifest_is_fetched_again_only_if_it_changed(
    tables: Path, tmp_path: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    shutil.copytree(tables / "4", tmp_path / "4")
    logs = tmp_path_factory.mktemp("logs")
    with nginx(tmp_path, logs) as url:
        for _ in range(3):
            with inarow.open_table(f"{url}4/compact") as table:
                assert table.manifest.plies
        shutil.copytree(tables / "4" / "outcomes", tmp_path / "4" / "compact", dirs_exist_ok=True)
        with inarow.open_table(f"{url}4/compact") as table:
            assert not table.manifest.plies
            assert table.probe(FOUR.start()).value == "win"
    statuses = [line.split()[8] for line in (logs / "access.log").read_text().splitlines()]
    assert statuses[:4] == ["200", "304", "304", "200"]


def test_step_by_step_where_requests_are_dear(
    tables: Path, served: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All that a probe may need would be too much at once: fewer pieces are fetched, in more rounds."""
    seen = rounds(monkeypatch)
    fetched = []
    for at_once in (10_000, 5):
        monkeypatch.setattr(HttpFolder, "ranges_at_once", at_once)
        shutil.rmtree(Path(os.environ["XDG_CACHE_HOME"]), ignore_errors=True)
        seen.clear()
        with inarow.open_table(f"{served}4/compact") as table:
            assert table.probe(MIDDLE) == inarow.open_table(tables / "4" / "compact").probe(MIDDLE)
        fetched.append(sum(seen))
    assert fetched[1] <= fetched[0]
    assert len(seen) > 2
