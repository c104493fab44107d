"""Tables are converted from one form to the other and back without loss, also in several runs."""

import shutil
from pathlib import Path

import pytest
from quixo.forms import contents

import inarow
from inarow.quixo.rules import Quixo
from inarow.quixo.table.convert import convert
from inarow.quixo.table.manifest import Manifest


@pytest.fixture(scope="session")
def plain(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A table of 3×3; not to be written to."""
    path = tmp_path_factory.mktemp("convert") / "plain"
    inarow.solve(Quixo(3), path)
    return path


@pytest.fixture(scope="session")
def compact(plain: Path) -> Path:
    path = plain.parent / "compact"
    convert(plain, path)
    return path


@pytest.mark.parametrize(
    "rules",
    [
        Quixo(2),
        Quixo(3, double_line="wins"),
        Quixo(4, line=3, double_line="wins"),
        Quixo(4),
        Quixo(3, 4, line=3),
        Quixo(6, 2, line=4, double_line="wins"),
    ],
    ids=lambda rules: rules.name,
)
def test_there_and_back(rules: Quixo, tmp_path: Path) -> None:
    inarow.solve(rules, tmp_path / "plain")
    convert(tmp_path / "plain", tmp_path / "compact", threads=2)
    convert(tmp_path / "compact", tmp_path / "back", "plain", threads=2)
    assert contents(tmp_path / "back") == contents(tmp_path / "plain")


def test_bytes_do_not_depend_on_the_way(plain: Path, compact: Path, tmp_path: Path) -> None:
    convert(plain, tmp_path / "again", threads=1)
    assert contents(tmp_path / "again") == contents(compact)
    convert(plain, tmp_path / "outcomes", plies=False)
    convert(compact, tmp_path / "fewer", plies=False)
    assert contents(tmp_path / "fewer") == contents(tmp_path / "outcomes")


@pytest.mark.parametrize("form", ["compact", "plain"])
def test_an_interrupted_conversion_is_resumed(plain: Path, compact: Path, tmp_path: Path, form: str) -> None:
    source, expected = (plain, compact) if form == "compact" else (compact, plain)

    def stop(done: int, total: int) -> None:
        if done > total // 3:
            raise KeyboardInterrupt

    out = tmp_path / "out"
    with pytest.raises(KeyboardInterrupt):
        convert(source, out, form, progress=stop)  # type: ignore[arg-type]
    part = Manifest.load(out)
    assert 0 < len(part.pairs) < 30
    assert not part.complete
    inarow.open_table(out).close()
    (out / ".writing-abc").write_bytes(b"left over")
    # What was finished is kept, unless it is damaged.
    kept, damaged = sorted(out.glob("pair-*"))[:4:3]  # of different pairs
    before = kept.stat().st_mtime_ns
    content = bytearray(damaged.read_bytes())
    content[-40] ^= 1
    damaged.write_bytes(content)
    calls: list[tuple[int, int]] = []
    convert(source, out, form, progress=lambda *call: calls.append(call))  # type: ignore[arg-type]
    assert contents(out) == contents(expected)
    assert kept.stat().st_mtime_ns == before
    assert calls == sorted(calls)
    assert calls[-1] == (3732, 3732)


def test_a_part_of_a_table_is_converted(plain: Path, compact: Path, tmp_path: Path) -> None:
    part = Path(shutil.copytree(plain, tmp_path / "part"))
    manifest = Manifest.load(part)
    Manifest(manifest.rules, manifest.pairs[:9]).save(part)
    convert(part, tmp_path / "compact")
    assert len(Manifest.load(tmp_path / "compact").pairs) == 9
    # The rest can be added when it is there.
    convert(plain, tmp_path / "compact")
    assert contents(tmp_path / "compact") == contents(compact)


def test_what_cannot_be_done(plain: Path, compact: Path, tmp_path: Path) -> None:
    outcomes = tmp_path / "outcomes"
    convert(plain, outcomes, plies=False)
    for source, form, plies in (
        (plain, "plain", True),
        (compact, "compact", True),
        (outcomes, "compact", False),
    ):
        with pytest.raises(inarow.InarowError, match="this form already"):
            convert(source, tmp_path / "out", form, plies=plies)  # type: ignore[arg-type]
    for form in ("plain", "compact"):
        with pytest.raises(inarow.InarowError, match="outcomes only"):
            convert(outcomes, tmp_path / "out", form)  # type: ignore[arg-type]
    with pytest.raises(inarow.InarowError, match="outcomes only"):
        convert(outcomes, tmp_path / "out", "plain", plies=False)
    assert not (tmp_path / "out").exists()
    with pytest.raises(inarow.WrongTable, match="holds a compact table without plies"):
        convert(plain, outcomes)
    with pytest.raises(inarow.WrongTable, match="holds a plain table"):
        convert(plain, plain)
    (tmp_path / "letter").mkdir()
    (tmp_path / "letter" / "letter.txt").write_text("dear")
    with pytest.raises(inarow.WrongTable, match="not empty"):
        convert(plain, tmp_path / "letter")
    with pytest.raises(inarow.WrongTable, match="compact table without plies"):
        inarow.solve(Quixo(3), outcomes)


@pytest.mark.parametrize("form", ["compact", "plain"])
def test_damage_is_not_converted(plain: Path, compact: Path, tmp_path: Path, form: str) -> None:
    source = Path(shutil.copytree(plain if form == "compact" else compact, tmp_path / "copy"))
    file = next(iter(source.glob("pair-04-03.*")))
    content = bytearray(file.read_bytes())
    content[70] ^= 1
    file.write_bytes(content)
    with pytest.raises(inarow.DamagedFile, match="pair-04-03"):
        convert(source, tmp_path / "out", form)  # type: ignore[arg-type]
    assert (4, 3) not in [(pair.a, pair.b) for pair in Manifest.load(tmp_path / "out").pairs]


def test_a_disk_that_is_too_small_is_refused_before_it_begins(
    compact: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("shutil.disk_usage", lambda path: type("Usage", (), {"free": 3731}))
    with pytest.raises(OSError, match="takes about 3,732 bytes; 3,731 are free"):
        convert(compact, tmp_path / "out", "plain")
    assert not (tmp_path / "out").exists()
