"""The explorer, called directly or by a browser."""

from __future__ import annotations

import shutil
import socket
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
import uvicorn
from fastapi import FastAPI
from fastapi.testclient import TestClient

from inarow import open_table
from inarow.quixo.rules import Quixo
from inarow.quixo.solver.solve import solve
from inarow.web.app import create_app

if TYPE_CHECKING:
    from playwright.sync_api import Browser


@pytest.fixture(scope="session")
def app(tmp_path_factory: pytest.TempPathFactory) -> Iterator[FastAPI]:
    """The explorer with a table of 3×3, and a home folder of its own for others."""
    folder = tmp_path_factory.mktemp("web")
    solve(Quixo(3), folder / "3x3")
    with pytest.MonkeyPatch.context() as patch, open_table(folder / "3x3") as table:
        patch.setenv("XDG_DATA_HOME", str(folder / "home"))
        yield create_app([table])


@pytest.fixture(scope="session")
def client(app: FastAPI) -> Iterator[TestClient]:
    with TestClient(app, raise_server_exceptions=False) as client:
        yield client


@pytest.fixture(scope="session")
def address(app: FastAPI, client: TestClient) -> Iterator[str]:
    """The address of the explorer, which runs as long as the tests."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen()
        server = uvicorn.Server(uvicorn.Config(app, log_level="warning"))
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]})
        thread.start()
        while not server.started:
            time.sleep(0.01)
        yield f"http://127.0.0.1:{listener.getsockname()[1]}"
        server.should_exit = True
        thread.join()


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
