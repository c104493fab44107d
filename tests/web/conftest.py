"""The explorer, called directly or by a browser."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient
from serving import Files, hosting
from web.running import running
from web.visiting import JOURNEYS, address, visit

from inarow import open_table
from inarow.quixo.rules import Quixo
from inarow.quixo.solver.solve import solve
from inarow.web.app import create_app
from inarow.web.site.write import write_site

__all__ = ["address", "visit"]  # fixtures


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        drives = "browser" in getattr(item, "fixturenames", ())
        if drives and getattr(item, "originalname", "") not in JOURNEYS:
            item.add_marker(pytest.mark.exhaustive)


@pytest.fixture(scope="session")
def app(tmp_path_factory: pytest.TempPathFactory) -> Iterator[FastAPI]:
    """The explorer with a table of 3×3, and a home folder of its own for others."""
    folder = tmp_path_factory.mktemp("web")
    solve(Quixo(3), folder / "3x3")
    with pytest.MonkeyPatch.context() as patch, open_table(folder / "3x3") as table:
        patch.setenv("XDG_DATA_HOME", str(folder / "home"))
        # Nothing here takes longer to find, and much is not found however long it is searched.
        yield create_app([table], search_seconds=0.25)


@pytest.fixture(scope="session")
def client(app: FastAPI) -> Iterator[TestClient]:
    with TestClient(app, raise_server_exceptions=False) as client:
        yield client


@pytest.fixture(scope="session")
def server_address(app: FastAPI, client: TestClient) -> Iterator[str]:
    """The address of the explorer, which runs as long as the tests."""
    with running(app) as (host, port):
        yield f"http://{host}:{port}"


class _Host(Files):
    """A host of files, with a page for addresses that do not exist, as many have one."""

    def send_error(self, code: int, message: str | None = None, explain: str | None = None) -> None:
        page = Path(self.directory) / "some" / "path" / "404.html"
        self.send_response(code)
        self.send_header("content-type", "text/html; charset=utf-8")
        self.end_headers()
        self.wfile.write(page.read_bytes())


@pytest.fixture(scope="session")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a site, which is not at the root of its host; not to be changed."""
    folder = tmp_path_factory.mktemp("host") / "some" / "path"
    folder.parent.mkdir()
    write_site(folder, "https://example.org/some/path/")
    return folder


@pytest.fixture(scope="session")
def site_address(site: Path) -> Iterator[str]:
    with hosting(site.parents[1], _Host) as url:
        yield f"{url}some/path"
