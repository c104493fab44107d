"""Copies of whole tables: byte for byte what was there, also after interruptions, or an error."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from quixo.forms import Forms, contents
from serving import Answer, Faulty, faulty, nginx

from inarow.errors import DamagedFile, MissingTable, Unreachable, WrongTable
from inarow.quixo.rules import Quixo
from inarow.quixo.table import copy, http
from inarow.quixo.table.copy import copy_table

RULES = Quixo(4, 3)
FORMS = ["compact", "outcomes"]
LARGEST = "pair-05-04.values"


@pytest.fixture(scope="session")
def tables(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A table in its three forms; not to be written to."""
    return Forms(tmp_path_factory.mktemp("tables"), RULES).folder


@pytest.fixture
def server(tables: Path) -> Iterator[Faulty]:
    with faulty(tables) as server:
        yield server


@pytest.fixture(autouse=True)
def hasty(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(http, "TIMEOUT", 2.0)
    monkeypatch.setattr(http, "_BACKOFF", 0.01)


@pytest.mark.parametrize("form", FORMS)
def test_a_copy_is_the_same_byte_for_byte(
    tables: Path, form: str, tmp_path: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    heard: list[tuple[int, int]] = []
    copy_table(tables / form, tmp_path / "near", progress=lambda done, total: heard.append((done, total)))
    size = sum(path.stat().st_size for path in (tables / form).glob("pair-*"))
    assert heard[-1] == (size, size)
    assert [done for done, _ in heard] == sorted(done for done, _ in heard)
    assert contents(tmp_path / "near") == contents(tables / form)
    with nginx(tables, tmp_path_factory.mktemp("nginx")) as url:
        for way in ("", "whole/", "moved/"):
            copy_table(f"{url}{way}{form}", tmp_path / f"far{way}")
            assert contents(tmp_path / f"far{way}") == contents(tables / form)


@pytest.mark.parametrize("form", FORMS)
def test_an_interrupted_copy_resumes_in_the_middle_of_a_file(
    server: Faulty, tables: Path, form: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(copy, "_THREADS", 1)
    name = max((tables / form).glob("pair-*"), key=lambda path: path.stat().st_size).name
    half = (tables / form / name).stat().st_size // 2

    def break_off(answer: Answer) -> bool:
        if not answer.path.endswith(name):
            return False
        if answer.headers["Range"] is not None:
            answer.reply(403, b"")
            return True
        content = answer.content()
        assert content is not None
        answer.send_response(200)
        answer.send_header("Content-Length", str(len(content)))
        answer.end_headers()
        answer.wfile.write(content[:half])
        answer.close_connection = True
        return True

    server.spoil = break_off
    with pytest.raises(Unreachable, match=f"{name}.*403"):
        copy_table(f"{server.url}{form}", tmp_path / "copy")
    finished = contents_of_pairs(tmp_path / "copy")
    assert name not in finished
    assert (tmp_path / "copy" / copy.PARTIAL / name).read_bytes() == (tables / form / name).read_bytes()[
        :half
    ]

    server.spoil = None
    server.requests.clear()
    copy_table(f"{server.url}{form}", tmp_path / "copy")
    assert contents(tmp_path / "copy") == contents(tables / form)
    asked = dict(server.requests)
    assert asked[f"/{form}/{name}"] == f"bytes={half}-"
    assert not {path.removeprefix(f"/{form}/") for path in asked} & set(finished)

    # Once it is there, nothing is fetched again.
    server.requests.clear()
    copy_table(f"{server.url}{form}", tmp_path / "copy")
    assert {path.rpartition("/")[2] for path, _ in server.requests} == {"manifest.json"}


def contents_of_pairs(folder: Path) -> dict[str, bytes]:
    return {file.name: file.read_bytes() for file in folder.glob("pair-*")}


def test_a_connection_that_breaks_is_made_again(server: Faulty, tables: Path, tmp_path: Path) -> None:
    """Every time after some thousand bytes."""

    def spoil(answer: Answer) -> bool:
        content = answer.content()
        if content is None or answer.path.endswith(".json"):
            return False
        begin = int((answer.headers["Range"] or "bytes=0-").removeprefix("bytes=").rstrip("-"))
        answer.send_response(206 if begin else 200)
        answer.send_header("Content-Length", str(len(content) - begin))
        if begin:
            answer.send_header("Content-Range", f"bytes {begin}-{len(content) - 1}/{len(content)}")
        answer.end_headers()
        answer.wfile.write(content[begin : begin + 3000])
        answer.close_connection = True
        return True

    server.spoil = spoil
    copy_table(f"{server.url}compact", tmp_path / "copy")
    assert contents(tmp_path / "copy") == contents(tables / "compact")


def test_a_server_that_sends_nothing(server: Faulty, tmp_path: Path) -> None:
    def spoil(answer: Answer) -> bool:
        content = answer.content()
        if content is None or not answer.path.endswith(LARGEST):
            return False
        answer.send_response(200)
        answer.send_header("Content-Length", str(len(content)))
        answer.end_headers()
        answer.close_connection = True
        return True

    server.spoil = spoil
    with pytest.raises(Unreachable, match=f"breaks off {LARGEST} after 0 bytes"):
        copy_table(f"{server.url}compact", tmp_path / "copy")


def test_half_of_another_file_is_not_completed(server: Faulty, tables: Path, tmp_path: Path) -> None:
    """What an interrupted copy left was damaged since, or of another table: it is fetched again."""
    partial = tmp_path / "copy" / copy.PARTIAL
    copy_table(tables / "compact", tmp_path / "copy")
    partial.mkdir()
    sound = (tmp_path / "copy" / LARGEST).read_bytes()
    for left in (bytes(1000), sound[:-1] + b"x", sound * 2, sound):
        (tmp_path / "copy" / LARGEST).unlink(missing_ok=True)
        partial.mkdir(exist_ok=True)
        (partial / LARGEST).write_bytes(left)
        copy_table(f"{server.url}compact", tmp_path / "copy")
        assert contents(tmp_path / "copy") == contents(tables / "compact")


def test_a_damaged_copy_is_repaired(tables: Path, tmp_path: Path) -> None:
    for form in FORMS:
        copy_table(tables / form, tmp_path / form)
        files = sorted((tmp_path / form).glob("pair-*"))
        damaged = bytearray(files[10].read_bytes())
        damaged[-1] ^= 1
        files[10].write_bytes(damaged)
        files[11].write_bytes(files[11].read_bytes()[:-5])
        files[12].unlink()
        copy_table(tables / form, tmp_path / form)
        assert contents(tmp_path / form) == contents(tables / form)


@pytest.mark.parametrize("form", FORMS)
def test_what_is_damaged_there_does_not_arrive(tables: Path, form: str, tmp_path: Path) -> None:
    origin = Path(shutil.copytree(tables / form, tmp_path / "origin"))
    file = max(origin.glob("pair-*"), key=lambda path: path.stat().st_size)
    content = bytearray(file.read_bytes())
    content[len(content) // 2] ^= 4
    file.write_bytes(content)
    with faulty(tmp_path) as server:
        for source in (origin, f"{server.url}origin"):
            with pytest.raises(DamagedFile, match=file.name) as caught:
                copy_table(source, tmp_path / "copy")
            assert str(caught.value).startswith(f"{source}/{file.name}")
            assert not (tmp_path / "copy" / file.name).exists()
            assert not (tmp_path / "copy" / copy.PARTIAL / file.name).exists()
        file.unlink()
        with pytest.raises(MissingTable, match=file.name):
            copy_table(origin, tmp_path / "copy")
        file.write_bytes(content[:-1])
        for source in (origin, f"{server.url}origin"):
            with pytest.raises(DamagedFile, match=f"{file.name} is cut short"):
                copy_table(source, tmp_path / "copy")
    copy_table(tables / form, tmp_path / "copy")
    assert contents(tmp_path / "copy") == contents(tables / form)


def test_a_disk_that_is_too_small(tables: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    usage = shutil.disk_usage(tmp_path)
    monkeypatch.setattr(shutil, "disk_usage", lambda path: usage._replace(free=1000))
    with pytest.raises(OSError, match=r"left to copy takes .* bytes; 1,000 are free"):
        copy_table(tables / "compact", tmp_path / "copy")
    assert not (tmp_path / "copy").exists()


def test_a_folder_with_something_else(tables: Path, tmp_path: Path) -> None:
    copy_table(tables / "compact", tmp_path / "copy")
    with pytest.raises(WrongTable, match="holds a table of"):
        copy_table(tables / "outcomes", tmp_path / "copy")
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "file").write_bytes(b"")
    with pytest.raises(WrongTable, match="not empty"):
        copy_table(tables / "outcomes", tmp_path / "other")
    with pytest.raises(MissingTable):
        copy_table(tmp_path / "other", tmp_path / "new")
    assert not (tmp_path / "new").exists()
