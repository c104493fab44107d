"""What tests of several parts need: dictionaries that others published, a cluster, and a browser."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random
from types import FrameType
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import settings

if TYPE_CHECKING:
    from playwright.sync_api import Browser

# A busy machine takes its time: speed is not what tests are for.
settings.register_profile("inarow", deadline=None)
settings.load_profile("inarow")

# What a script starts in the background ignores Ctrl-C, and so would the commands that tests interrupt.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

ROOT = Path(__file__).parents[1]

# The files that take longest. They come first: if one came last, the other processes would wait for it.
LONG = (
    "test_browser.py",
    "test_api.py",
    "test_server.py",
    "test_browser_games.py",
    "test_browser_learn.py",
)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    items.sort(key=lambda item: LONG.index(item.path.name) if item.path.name in LONG else len(LONG))
    if seed := os.environ.get("LONG_TESTS_SEED"):
        items.sort(key=lambda item: Random(f"{seed} {item.path.name}").random())


def pytest_runtest_setup(item: pytest.Item) -> None:
    """CI runs as many of the long tests as fit: those that would begin too late are skipped."""
    if time.time() > float(os.environ.get("LONG_TESTS_UNTIL", "inf")):
        pytest.skip("no time left for it")


@pytest.fixture
def interrupt_after() -> Iterator[Callable[[float], None]]:
    """A function that interrupts the test after some seconds."""

    def interrupt(number: int, frame: FrameType | None) -> None:
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGALRM, interrupt)
    yield lambda seconds: signal.setitimer(signal.ITIMER_REAL, seconds) and None
    signal.setitimer(signal.ITIMER_REAL, 0)
    signal.signal(signal.SIGALRM, before)


@pytest.fixture(scope="session")
def outside_data() -> Callable[[str], Path]:
    """The path of a published file; skips the test where there is none."""
    folder = Path(os.environ.get("INAROW_DATA", ROOT.parent / "shared" / "data"))

    def find(name: str) -> Path:
        path = folder / name
        if not path.is_file():
            pytest.skip(f"no {name} in {folder}; INAROW_DATA names another folder")
        return path

    return find


@pytest.fixture
def two_workers() -> Iterator[tuple[str, list[subprocess.Popen[bytes]]]]:
    """The address of a Dask scheduler, and its two workers, which are processes of their own."""
    pytest.importorskip("distributed")
    from distributed import Client, LocalCluster

    local: Any = LocalCluster
    connect: Any = Client
    with local(n_workers=0, host="127.0.0.1", protocol="tcp", dashboard_address=None) as cluster:
        address: str = cluster.scheduler_address
        command = [sys.executable, "-m", "distributed.cli.dask_worker", address]
        command += ["--no-nanny", "--no-dashboard", "--nthreads", "1", "--death-timeout", "30"]
        nowhere = subprocess.DEVNULL
        workers = [subprocess.Popen(command, stdout=nowhere, stderr=nowhere) for _ in range(2)]
        try:
            with connect(address, set_as_default=False) as client:
                client.wait_for_workers(2, timeout=40)
            yield address, workers
        finally:
            for process in workers:
                process.kill()
                process.wait()


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """Debian's Chromium."""
    path = shutil.which("chromium")
    if path is None:
        pytest.skip("there is no chromium")
    sync_api = pytest.importorskip("playwright.sync_api")
    with sync_api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=str(Path(path)), args=["--no-sandbox", "--disable-dev-shm-usage"]
        )
        yield browser
        browser.close()
