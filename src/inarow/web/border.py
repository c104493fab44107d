"""Limits on the size of requests, and the headers of every response."""

from __future__ import annotations

from fastapi import HTTPException
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from inarow.web.replies import failure

MOST_BODY = 128 * 1024  # bytes; 1,000 positions of the largest board take a third of it
MOST_URL = 4 * 1024

_HEADERS = [
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"no-referrer"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (
        b"content-security-policy",
        b"default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
        b"base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
    ),
]


class Border:
    """ASGI middleware around the whole application."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        taken = 0

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                message["headers"] = [*message.get("headers", ()), *_HEADERS]
            await send(message)

        async def receive_some() -> Message:
            nonlocal taken
            message = await receive()
            taken += len(message.get("body", b""))
            if taken > MOST_BODY:
                raise HTTPException(413, _BODY)
            return message

        if len(scope.get("raw_path") or b"") + len(scope["query_string"]) > MOST_URL:
            answer = failure(414, f"the address is longer than {MOST_URL:,} bytes", ["path"])
            await answer(scope, receive, send_with_headers)
        elif _announced(scope) > MOST_BODY:
            await failure(413, _BODY, ["body"])(scope, receive, send_with_headers)
        else:
            await self._app(scope, receive_some, send_with_headers)


_BODY = f"the body is larger than {MOST_BODY:,} bytes"


def _announced(scope: Scope) -> int:
    """The length of the body that the headers announce; 0 if they do not."""
    for name, value in scope["headers"]:
        if name == b"content-length" and value.isdigit():
            return int(value)
    return 0
