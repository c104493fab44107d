"""Progress and sizes, as all commands show and read them."""

from __future__ import annotations

import io
import time

import pytest
import typer

from inarow.cli import console
from inarow.cli.options import parse_memory


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def use_terminal(monkeypatch: pytest.MonkeyPatch) -> Terminal:
    """Stderr as a terminal, on which progress is shown without waiting; Pytest would undo it in a fixture."""
    shown = Terminal()
    monkeypatch.setattr("sys.stderr", shown)
    monkeypatch.setattr(console, "_PATIENCE", 0)
    monkeypatch.setenv("TERM", "xterm")
    return shown


def test_progress_shows_the_share_done_and_the_time_left(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = use_terminal(monkeypatch)
    with console.progress("solving") as report:
        for done in range(3):
            report(done, 4)
    assert "solving" in terminal.getvalue()
    assert "50%" in terminal.getvalue()
    assert ":" in terminal.getvalue()


def test_progress_appears_before_anything_is_done(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = use_terminal(monkeypatch)
    monkeypatch.setattr(console, "_PATIENCE", 0.01)
    with console.progress("solving"), console.activity("searching"):
        for _ in range(500):
            if "solving" in terminal.getvalue():
                break
            time.sleep(0.01)
    assert "0:00:0" in terminal.getvalue()


def test_activity_shows_words(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = use_terminal(monkeypatch)
    with console.activity("searching") as report:
        report("12 nodes")
    assert "searching: 12 nodes" in terminal.getvalue()


def test_quick_work_shows_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = use_terminal(monkeypatch)
    monkeypatch.setattr(console, "_PATIENCE", 60)
    with console.progress("solving") as report, console.activity("searching") as words:
        report(1, 2)
        words("12 nodes")
    assert terminal.getvalue() == ""


def test_progress_goes_to_a_terminal_only(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(console, "_PATIENCE", 0)
    with console.progress("solving") as report, console.activity("searching") as words:
        report(1, 2)
        words("12 nodes")
    assert capsys.readouterr() == ("", "")


@pytest.mark.parametrize(
    ("text", "size"),
    [
        ("18G", 18 * 10**9),
        ("18GB", 18 * 10**9),
        ("18 gb", 18 * 10**9),
        ("18GiB", 18 << 30),
        ("18Gi", 18 << 30),
        ("500M", 500 * 10**6),
        ("1.5k", 1500),
        ("0.5KiB", 512),
        ("2T", 2 * 10**12),
        ("2TiB", 2 << 40),
    ],
)
def test_sizes_of_memory(text: str, size: int) -> None:
    assert parse_memory(text) == size


@pytest.mark.parametrize("text", ["", "18", "G", "18X", "-1G", "1e9", "18 G B", "18GiBs", "∞G"])
def test_what_is_no_size(text: str) -> None:
    with pytest.raises(typer.BadParameter, match="is not a size like 18G"):
        parse_memory(text)
