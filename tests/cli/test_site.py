"""`inarow site`: writes a site and checks one."""

from __future__ import annotations

from pathlib import Path

from cli.calling import Inarow


def test_a_site_is_written_and_checked(inarow: Inarow, tmp_path: Path) -> None:
    folder = tmp_path / "site"
    written = inarow("site", "--out", folder)
    assert written.code == 0
    assert "a site of" in written.out
    checked = inarow("site", "--check", folder)
    assert (checked.code, checked.err) == (0, "")
    assert "pages, and all that they need" in checked.out
    (folder / "index.html").write_text("")
    damaged = inarow("site", "--check", folder)
    assert damaged.code == 4
    assert "index.html is damaged" in damaged.err
    (folder / "index.html").unlink()
    assert inarow("site", "--check", folder).code == 3


def test_one_thing_at_a_time(inarow: Inarow, tmp_path: Path) -> None:
    for result in (inarow("site"), inarow("site", "--out", tmp_path / "site", "--check", tmp_path)):
        assert result.code == 2
        assert "either --out DIR" in result.err
    assert inarow("site", "--check", tmp_path).code == 3


def test_no_name_is_not_the_current_folder(inarow: Inarow) -> None:
    for option in ("--out", "--check"):
        result = inarow("site", option, "")
        assert result.code == 2
        assert "the name is empty" in result.err
