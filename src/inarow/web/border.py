"""What is refused before anything looks at it, and the headers of every response."""

from __future__ import annotations

import re
from collections.abc import Iterable

from fastapi import HTTPException
from fastapi.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from inarow.web.replies import failure
from inarow.web.work import calling

MOST_BODY = 128 * 1024  # bytes; 1,000 positions of the largest board take a third of it
MOST_URL = 4 * 1024

LOOPBACK = ("localhost", "127.0.0.1", "::1")

_HEADERS = [
    (b"x-content-type-options", b"nosniff"),
    (b"x-frame-options", b"DENY"),
    (b"referrer-policy", b"no-referrer"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"cross-origin-resource-policy", b"same-origin"),
    (b"permissions-policy", b"camera=(), geolocation=(), microphone=(), payment=(), usb=()"),
    (
        b"content-security-policy",
        # WebAssembly is compiled, in workers too; nothing inline, and nothing from elsewhere.
        b"default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; worker-src 'self'; style-src 'self'; "
        b"img-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
    ),
]


class Border:
    """ASGI middleware around the whole application.

    It answers requests for its own address and for the `hosts`, names or addresses; '*' is any.
    """

    def __init__(self, app: ASGIApp, hosts: Iterable[str] = LOOPBACK) -> None:
        self._app = app
        self._hosts = {host.lower() for host in hosts}

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

        if (refusal := self._refusal(scope)) is not None:
            await refusal(scope, receive, send_with_headers)
        else:
            with calling(scope, receive_some):
                await self._app(scope, receive_some, send_with_headers)

    def _refusal(self, scope: Scope) -> JSONResponse | None:
        if len(scope.get("raw_path") or b"") + len(scope["query_string"]) > MOST_URL:
            return failure(414, f"the address is longer than {MOST_URL:,} bytes", ["path"])
        headers = dict(scope["headers"])
        announced = headers.get(b"content-length", b"")
        if announced.isdigit() and int(announced) > MOST_BODY:
            return failure(413, _BODY, ["body"])
        if not self._is_for_us(headers.get(b"host", b"").decode("latin-1"), scope.get("server")):
            return failure(
                421, "this server has another name (inarow serve --allowed-host NAME)", ["header", "host"]
            )
        return None

    def _is_for_us(self, host: str, server: tuple[str, int | None] | None) -> bool:
        """Whether the host of a request is ours, so that no other site can stand in for us in a browser."""
        found = re.fullmatch(r"\[([0-9a-f:.]+)\](?::\d+)?|([^\[\]:]*)(?::\d+)?", host.lower())
        name = (found[1] or found[2]) if found else None
        return name in self._hosts or "*" in self._hosts or (server is not None and name == server[0])


_BODY = f"the body is larger than {MOST_BODY:,} bytes"
