"""Lists of checksums: they tell the published table from any other, whoever packed it."""

from __future__ import annotations

import hashlib
import json
import shutil
from pathlib import Path

import numpy as np
import pytest
from quixo.entries import outcomes
from quixo.forms import Forms, change_outcomes, change_plies
from quixo.test_solve import all_pairs
from serving import faulty

import inarow
from inarow.errors import DamagedFile, MissingTable
from inarow.quixo.rules import Quixo
from inarow.quixo.table import pieces, published
from inarow.quixo.table.published import Checksums, checksums_of, compare, published_checksums

FORMS = ["compact", "outcomes"]


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
    content = bytearray(file.read_bytes())
    content[len(content) // 2] ^= 1
    file.write_bytes(content)
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
