"""What all answers have in common: JSON with an ETag, and errors that say what is wrong and where."""

from __future__ import annotations

import json
import logging
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from hashlib import blake2b
from typing import Annotated, Any

from fastapi import Query, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from pydantic import BaseModel, Field
from starlette.datastructures import Headers
from starlette.exceptions import HTTPException
from starlette.types import Receive, Scope, Send

from inarow.errors import DamagedFile, InarowError, NotationError

_log = logging.getLogger("inarow.web")

A_DAY, A_MINUTE = 86_400, 60
MOST_POSITIONS = 1000  # in a batch

SeedQuery = Annotated[
    int | None,
    Query(
        ge=0,
        lt=1 << 63,
        description="Decides what is left to chance: the same seed chooses the same move in a position.",
    ),
]


def about(description: str, **more: Any) -> Any:
    """A field of a record, described for the page about the API."""
    return Field(description=description, **more)


class Problem(BaseModel):
    """What is wrong, and where."""

    status: int = about("The status code of the response.")
    what: str = about("What is wrong, for a person to read.")
    where: list[str | int] | None = about(
        "The part of the request, such as ['query', 'position'] or ['body', 'positions', 3].", default=None
    )
    at: int | None = about("The position of the wrong character in that part, counted from 0.", default=None)


class Failure(BaseModel):
    """Every response that is not a success."""

    error: Problem


FAILURES: dict[int | str, dict[str, Any]] = {
    status: {"model": Failure, "description": description}
    for status, description in {
        404: "There is no such address, or the counts of this game are not known.",
        409: "The request is well formed, but the rules of the game do not allow it.",
        413: "The body is too large, or asks for too many searches.",
        414: "The address is too long.",
        422: "The request is not valid: the error says why.",
        421: "The request is for another host.",
        503: "Too many requests are waiting, this one takes too long, or a table cannot be read.",
    }.items()
}


class Invalid(InarowError):
    """A part of the request is not valid."""

    status = 422

    def __init__(self, what: str, where: list[str | int], at: int | None = None) -> None:
        super().__init__(what)
        self.where = where
        self.at = at


class Impossible(Invalid):
    """What a part of the request says fits the description, but not the rules of the game."""

    status = 409


class TooMuch(Invalid):
    """A request for more than one may ask for."""

    status = 413


class Unknown(InarowError):
    """What was asked for is not known here."""


class Busy(InarowError):
    """Too many requests are waiting."""


@contextmanager
def blaming(kind: type[Invalid], *where: str | int) -> Iterator[None]:
    """Turns the library's errors into those about a part of the request."""
    try:
        yield
    except NotationError as error:
        raise kind(error.reason, list(where), error.column) from None
    except (ValueError, InarowError) as error:
        raise kind(str(error), list(where)) from None


def encode(value: Any) -> bytes:
    """JSON without spaces."""
    return json.dumps(value, separators=(",", ":")).encode()


class Tagged(Response):
    """A response that can be sent many times; who has it already, by its ETag, gets 304."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        tags = Headers(scope=scope).get("if-none-match", "").split(",")
        if scope["method"] != "POST" and self.headers["etag"] in (
            tag.strip().removeprefix("W/") for tag in tags
        ):
            kept = {name: self.headers[name] for name in _OF_304 if name in self.headers}
            await Response(status_code=304, headers=kept)(scope, receive, send)
        else:
            await super().__call__(scope, receive, send)


_OF_304 = ("etag", "cache-control", "vary")


def etag(body: bytes) -> str:
    return f'"{blake2b(body, digest_size=12).hexdigest()}"'


class Answer(Tagged):
    """JSON, or a value to encode; callers may keep it for `max_age` seconds."""

    def __init__(self, value: Any, max_age: int | None = A_MINUTE) -> None:
        body = value if isinstance(value, bytes) else encode(value)
        cache = "no-store" if max_age is None else f"public, max-age={max_age}"
        headers = {"etag": etag(body), "cache-control": cache}
        super().__init__(body, headers=headers, media_type="application/json")

    @classmethod
    def of_probes(cls, records: Sequence[bytes]) -> Answer:
        """The records of a batch, each encoded where it was made: all at once would hold up others."""
        return cls(b'{"probes":[' + b",".join(records) + b"]}")


def failure(
    status: int, what: str, where: list[str | int] | None = None, at: int | None = None
) -> JSONResponse:
    problem = Failure(error=Problem(status=status, what=what, where=where, at=at))
    headers = {"cache-control": "no-store"} | ({"retry-after": "2"} if status == 503 else {})
    return JSONResponse(problem.model_dump(exclude_none=True), status, headers)


async def on_invalid(request: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, RequestValidationError)
    first = error.errors()[0]
    if first["type"] == "json_invalid":
        return failure(422, f"not JSON: {first['ctx']['error']}", ["body"], first["loc"][-1])
    return failure(422, first["msg"], list(first["loc"]))


async def on_http(request: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, HTTPException)
    if error.status_code == 400:  # what FastAPI answers to bytes that are not text
        return failure(422, "the body is not JSON in UTF-8", ["body"])
    answer = failure(error.status_code, str(error.detail), ["path"] if error.status_code == 404 else None)
    answer.headers.update(error.headers or {})
    return answer


async def on_inarow(request: Request, error: Exception) -> JSONResponse:
    """Errors about the request in full; of others, which name the server's files, only that there is one."""
    assert isinstance(error, InarowError)
    if isinstance(error, Invalid):
        return failure(error.status, str(error), error.where, error.at)
    if isinstance(error, Unknown):
        return failure(404, str(error))
    if isinstance(error, Busy):
        return failure(503, str(error))
    _log.error("%s", error)
    problem = "is damaged" if isinstance(error, DamagedFile) else "cannot be read"
    return failure(503, f"a table of this server {problem}; its log says which")


async def on_failure(request: Request, error: Exception) -> JSONResponse:
    """An error in inarow itself: details are in the log, and not sent to the caller."""
    return failure(500, "an internal error of inarow; the server's log has the details")
