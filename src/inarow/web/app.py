"""The server: the API of each game, the pages, and error handling for both."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from importlib.metadata import version

from fastapi import FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.middleware.cors import CORSMiddleware
from pydantic import BaseModel, Field
from starlette.exceptions import HTTPException

from inarow.errors import InarowError
from inarow.quixo.search import SECONDS
from inarow.quixo.table.table import Table
from inarow.web import qubic, quixo, replies, ultimate
from inarow.web.border import LOOPBACK, Border
from inarow.web.pages import is_for_people, no_such_page, page_routes

_ABOUT = """Perfect play in in-a-row games. Values are for the side to move. Distances are in plies: moves of
either side. The API changes nothing, and pages of any origin may call it. Errors are JSON that says what is
wrong, and where."""


class Health(BaseModel):
    status: str = Field(description="'ok'.")
    version: str = Field(description="The version of inarow.")
    tables: list[str] = Field(description="The games of Quixo that have an open table.")


def create_app(
    tables: Iterable[Table] = (), *, hosts: Iterable[str] = LOOPBACK, search_seconds: float = SECONDS
) -> FastAPI:
    """The explorer, with these tables of Quixo; small boards are solved when they are first asked for.

    It answers requests for the `hosts` and for the address it listens on. What is not in a table is searched
    for so many seconds.
    """
    number = version("inarow")
    quixos = quixo.Quixos(tables, search_seconds)

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        yield
        quixos.close()

    app = FastAPI(
        title="inarow",
        version=number,
        description=_ABOUT,
        openapi_url="/api/openapi.json",
        docs_url=None,  # FastAPI's page loads scripts from other servers; ours does not
        redoc_url=None,
        lifespan=lifespan,
        redirect_slashes=False,  # an address is written in one way, and no answer repeats the caller's Host
        license_info={"name": "MIT", "identifier": "MIT"},
    )
    app.add_middleware(
        CORSMiddleware, allow_origins=["*"], allow_methods=["GET", "POST"], allow_headers=["content-type"]
    )
    app.add_middleware(Border, hosts=tuple(hosts))
    app.add_exception_handler(RequestValidationError, replies.on_invalid)
    app.add_exception_handler(HTTPException, _on_http)
    app.add_exception_handler(InarowError, replies.on_inarow)
    app.add_exception_handler(Exception, replies.on_failure)

    @app.get("/api/health", tags=["Server"], summary="Whether the server works")
    async def health() -> Health:
        """The version, and the tables that are open."""
        return Health(status="ok", version=number, tables=[str(rules) for rules in quixos.rules])

    app.include_router(quixo.router(quixos))
    app.include_router(qubic.router(quixos.work))
    app.include_router(ultimate.router(quixos.work))
    app.router.routes += page_routes()
    return app


async def _on_http(request: Request, error: Exception) -> Response:
    if isinstance(error, HTTPException) and error.status_code == 404 and is_for_people(request):
        return no_such_page(request)
    return await replies.on_http(request, error)
