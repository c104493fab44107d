"""Copies of whole tables: byte for byte what was there, also after interruptions, or an error."""

from __future__ import annotations

import hashlib
import json
import shutil
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from quixo.entries import outcomes
from quixo.forms import Forms, change_outcomes, change_plies, contents, flip
from quixo.test_solve import all_pairs
from serving import Answer, Faulty, faulty, nginx

import inarow
from inarow.errors import DamagedFile, MissingTable, Unreachable, WrongTable
from inarow.quixo.rules import Quixo
from inarow.quixo.table import copy, http, pieces, published
from inarow.quixo.table.copy import copy_table
from inarow.quixo.table.published import Checksums, checksums_of, compare, published_checksums

RULES = Quixo(4, 3)
FORMS = ["compact", "outcomes"]
LARGEST = "pair-05-04.values"


@pytest.fixture(scope="session")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A table in its three forms; not to be written to."""
    return Forms(tmp_path_factory.mktemp("tables"), RULES).folder


@pytest.fixture
def server(whole: Path) -> Iterator[Faulty]:
    with faulty(whole) as server:
        yield server


@pytest.fixture(autouse=True)
def hasty(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(http, "TIMEOUT", 2.0)
    monkeypatch.setattr(http, "_BACKOFF", 0.01)


@pytest.mark.parametrize("form", FORMS)
def test_a_copy_is_the_same_byte_for_byte(
    whole: Path, form: str, tmp_path: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    heard: list[tuple[int, int]] = []
    copy_table(whole / form, tmp_path / "near", progress=lambda done, total: heard.append((done, total)))
    size = sum(path.stat().st_size for path in (whole / form).glob("pair-*"))
    assert heard[-1] == (size, size)
    assert [done for done, _ in heard] == sorted(done for done, _ in heard)
    assert contents(tmp_path / "near") == contents(whole / form)
    with nginx(whole, tmp_path_factory.mktemp("nginx")) as url:
        for way in ("", "whole/", "moved/"):
            copy_table(f"{url}{way}{form}", tmp_path / f"far{way}")
            assert contents(tmp_path / f"far{way}") == contents(whole / form)


@pytest.mark.parametrize("form", FORMS)
def test_an_interrupted_copy_resumes_in_the_middle_of_a_file(
    server: Faulty, whole: Path, form: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(copy, "_THREADS", 1)
    name = max((whole / form).glob("pair-*"), key=lambda path: path.stat().st_size).name
    half = (whole / form / name).stat().st_size // 2

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
    assert (tmp_path / "copy" / copy.PARTIAL / name).read_bytes() == (whole / form / name).read_bytes()[:half]

    server.spoil = None
    server.requests.clear()
    copy_table(f"{server.url}{form}", tmp_path / "copy")
    assert contents(tmp_path / "copy") == contents(whole / form)
    asked = dict(server.requests)
    assert asked[f"/{form}/{name}"] == f"bytes={half}-"
    assert not {path.removeprefix(f"/{form}/") for path in asked} & set(finished)

    # Once it is there, nothing is fetched again.
    server.requests.clear()
    copy_table(f"{server.url}{form}", tmp_path / "copy")
    assert {path.rpartition("/")[2] for path, _ in server.requests} == {"manifest.json"}


def contents_of_pairs(folder: Path) -> dict[str, bytes]:
    return {file.name: file.read_bytes() for file in folder.glob("pair-*")}


def test_a_connection_that_breaks_is_made_again(server: Faulty, whole: Path, tmp_path: Path) -> None:
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
    assert contents(tmp_path / "copy") == contents(whole / "compact")


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


def test_half_of_another_file_is_not_completed(server: Faulty, whole: Path, tmp_path: Path) -> None:
    """What an interrupted copy left was damaged since, or of another table: it is fetched again."""
    partial = tmp_path / "copy" / copy.PARTIAL
    copy_table(whole / "compact", tmp_path / "copy")
    partial.mkdir()
    sound = (tmp_path / "copy" / LARGEST).read_bytes()
    for left in (bytes(1000), sound[:-1] + b"x", sound * 2, sound):
        (tmp_path / "copy" / LARGEST).unlink(missing_ok=True)
        partial.mkdir(exist_ok=True)
        (partial / LARGEST).write_bytes(left)
        copy_table(f"{server.url}compact", tmp_path / "copy")
        assert contents(tmp_path / "copy") == contents(whole / "compact")


def test_a_damaged_copy_is_repaired(whole: Path, tmp_path: Path) -> None:
    for form in FORMS:
        copy_table(whole / form, tmp_path / form)
        files = sorted((tmp_path / form).glob("pair-*"))
        flip(files[10], -1)
        files[11].write_bytes(files[11].read_bytes()[:-5])
        files[12].unlink()
        copy_table(whole / form, tmp_path / form)
        assert contents(tmp_path / form) == contents(whole / form)


@pytest.mark.parametrize("form", FORMS)
def test_what_is_damaged_there_does_not_arrive(whole: Path, form: str, tmp_path: Path) -> None:
    origin = Path(shutil.copytree(whole / form, tmp_path / "origin"))
    file = max(origin.glob("pair-*"), key=lambda path: path.stat().st_size)
    flip(file)
    content = file.read_bytes()
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
    copy_table(whole / form, tmp_path / "copy")
    assert contents(tmp_path / "copy") == contents(whole / form)


def test_a_disk_that_is_too_small(whole: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    usage = shutil.disk_usage(tmp_path)
    monkeypatch.setattr(shutil, "disk_usage", lambda path: usage._replace(free=1000))
    with pytest.raises(OSError, match=r"left to copy takes .* bytes; 1,000 are free"):
        copy_table(whole / "compact", tmp_path / "copy")
    assert not (tmp_path / "copy").exists()


def test_a_folder_with_something_else(whole: Path, tmp_path: Path) -> None:
    copy_table(whole / "compact", tmp_path / "copy")
    with pytest.raises(WrongTable, match="holds a table of"):
        copy_table(whole / "outcomes", tmp_path / "copy")
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "file").write_bytes(b"")
    with pytest.raises(WrongTable, match="not empty"):
        copy_table(whole / "outcomes", tmp_path / "other")
    with pytest.raises(MissingTable):
        copy_table(tmp_path / "other", tmp_path / "new")
    assert not (tmp_path / "new").exists()


# --- Lists of checksums ---


@pytest.mark.parametrize("form", FORMS)
def test_tables_solved_here_are_the_published_ones(four: Forms, form: str) -> None:
    found = checksums_of(four.folder / form)
    compared = compare(found, published_checksums(Quixo(4)))
    assert not compared.different
    assert len(compared.same + compared.same_content) == len(list((four.folder / form).glob("pair-*")))


def test_contents_are_as_the_page_says(four: Forms) -> None:
    """Worked out from the entries that the core finds."""
    found = checksums_of(four.folder / "compact").files
    for (a, b), entries in all_pairs(Quixo(4)).items():
        values, plies = hashlib.sha256(), hashlib.sha256()
        for plane in np.split(entries, 1 if a == b else 2):
            values.update(outcomes(plane).tobytes())
            plies.update(plane[plane < 127].tobytes())
        assert found[f"pair-{a:02}-{b:02}.values"].content == values.hexdigest()
        assert found[f"pair-{a:02}-{b:02}.plies"].content == plies.hexdigest()


def test_all_ways_to_work_give_the_same(three: Forms, monkeypatch: pytest.MonkeyPatch) -> None:
    expected = checksums_of(three.folder / "compact", processes=1)
    monkeypatch.setattr(published, "_FEW_ENTRIES", 0)
    heard: list[tuple[int, int]] = []
    found = checksums_of(three.folder / "compact", processes=2, progress=lambda *done: heard.append(done))
    assert found == expected
    assert list(found.files) == list(expected.files)
    assert len(heard) == 30
    assert heard[-1][0] == heard[-1][1]
    with faulty(three.folder) as server:
        assert checksums_of(f"{server.url}compact") == expected


def test_another_way_to_pack_has_the_same_content(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pieces, "_LEVEL", 9)
    monkeypatch.setattr(pieces, "_coders", pieces._Coders())
    inarow.solve(Quixo(4), tmp_path / "repacked")
    found = checksums_of(tmp_path / "repacked")
    compared = compare(found, published_checksums(Quixo(4)))
    assert not compared.different
    assert len(compared.same_content) > 10


@pytest.mark.parametrize("form", ["compact", "outcomes"])
def test_a_wrong_entry_with_right_checksums_is_found(three: Forms, tmp_path: Path, form: str) -> None:
    copy = Path(shutil.copytree(three.folder / form, tmp_path / "copy"))
    if form == "compact":
        change_plies(copy, 4, 3, 0, 0, 2)
    else:
        change_outcomes(copy, 4, 3, lambda plane, codes: np.where(codes == 0, 1, codes))
    compared = compare(checksums_of(copy), checksums_of(three.folder / form))
    assert compared.different == (f"pair-04-03.{'plies' if form == 'compact' else 'values'}",)
    assert len(compared.same) == len(list(copy.glob("pair-*"))) - 1


@pytest.mark.parametrize("form", FORMS)
def test_damage_is_no_difference(three: Forms, form: str, tmp_path: Path) -> None:
    copy = Path(shutil.copytree(three.folder / form, tmp_path / "copy"))
    file = max(copy.glob("pair-*"), key=lambda path: path.stat().st_size)
    flip(file)
    with pytest.raises(DamagedFile, match=file.name):
        checksums_of(copy)


def test_what_is_not_published(three: Forms) -> None:
    with pytest.raises(MissingTable, match="no checksums are published for Quixo 3×3"):
        published_checksums(Quixo(3))
    whole, without = checksums_of(three.folder / "compact"), checksums_of(three.folder / "outcomes")
    with pytest.raises(MissingTable, match=r"no checksums are published for pair-09-00.plies"):
        compare(whole, without)


def test_a_list_is_written_and_read(three: Forms, tmp_path: Path) -> None:
    path = tmp_path / "list.json"
    found = checksums_of(three.folder / "compact")
    for _ in range(2):
        found.write(path)
        assert Checksums.parse(path.read_bytes(), "it") == found
        assert len(path.read_bytes().splitlines()) == len(found.files) + 2


@pytest.mark.parametrize("content", [b"", b"[]", b"{}", b'{"format": "inarow-quixo", "version": 1}'])
def test_what_is_no_list(content: bytes) -> None:
    with pytest.raises(DamagedFile, match=r"^it is "):
        Checksums.parse(content, "it")


def test_the_published_lists_are_sound() -> None:
    for path in (Path(inarow.__file__).parent / "data" / "quixo" / "checksums").iterdir():
        found = Checksums.parse(path.read_bytes(), str(path))
        assert path.name == f"{found.rules.name}.json"
        assert json.loads(path.read_bytes())["files"]
