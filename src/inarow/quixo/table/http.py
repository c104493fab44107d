"""Files on a web server, read in parts. Any server of static files will do that answers range requests.

A request may ask for many ranges of a file at once; a server that does not know that (most buckets) is asked
for each range by itself. Whatever a server answers is checked to be the bytes that were asked for; whether
they are the right ones is for the caller to check.
"""

from __future__ import annotations

import random
import re
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import NamedTuple, TypeVar

import httpx

from inarow.errors import DamagedFile, InarowError, MissingTable, Unreachable
from inarow.quixo.table.pieces import batched
from inarow.quixo.table.threads import in_daemon_threads

CONNECTIONS = 32
TIMEOUT = 15.0  # seconds of silence
ATTEMPTS = 4  # at a request that fails for a reason that may pass
_BACKOFF = 0.25  # seconds before the second attempt; twice as long before each further one
_SLOWEST = 20_000  # bytes a second; a server that sends less is taken to be stuck
_RANGES = 100  # of one request: more make its header too long for some servers
_GAP = 2048  # bytes between two ranges that are not worth a range more

_TRANSIENT = {408, 425, 429, 500, 502, 503, 504}
_CONTENT_RANGE = re.compile(r"bytes (\d+)-(\d+)/(\d+|\*)")

R = TypeVar("R")


class Span(NamedTuple):
    begin: int
    end: int


@dataclass(frozen=True, slots=True)
class RemoteName:
    """A file of a folder, and how long it is said to be."""

    name: str
    size: int


class _OneRangeOnly(Exception):
    """The server does not answer requests for several ranges."""


class HttpFolder:
    """A folder on a web server. Threads may share it."""

    def __init__(self, url: str) -> None:
        try:
            self._url = httpx.URL(url)
        except httpx.InvalidURL as error:
            raise InarowError(f"{url!r} is not a URL: {error}") from None
        if self._url.scheme not in ("http", "https") or not self._url.host:
            raise InarowError(f"{url!r}: tables are read over http or https")
        limits = httpx.Limits(max_connections=CONNECTIONS, max_keepalive_connections=CONNECTIONS)
        # Ranges are of the bytes of the file, which no server must pack.
        headers = {"Accept-Encoding": "identity", "User-Agent": "inarow"}
        self._client = httpx.Client(
            limits=limits,
            timeout=httpx.Timeout(TIMEOUT, pool=None),  # our own threads take turns
            follow_redirects=True,
            max_redirects=5,
            headers=headers,
        )
        self._many_ranges = True

    def close(self) -> None:
        self._client.close()

    def shown(self, name: str = "") -> str:
        """The address of a file as errors name it, without passwords and keys."""
        return str(self._address(name).copy_with(userinfo=b"", query=None))

    @property
    def ranges_at_once(self) -> int:
        """The number of ranges that are answered in about the time of one."""
        return CONNECTIONS * (_RANGES if self._many_ranges else 2)

    # --- Whole files ---

    def read(self, name: str, etag: str | None = None) -> tuple[bytes | None, str | None]:
        """A small file and its ETag; no bytes if it still has the ETag given."""
        headers = {} if etag is None else {"If-None-Match": etag}

        def attempt() -> tuple[bytes | None, str | None]:
            with self._answer(name, headers) as response:
                if response.status_code == 304:
                    return None, etag
                if response.status_code != 200:
                    raise self._unexpected(name, response)
                return self._body(response, None), response.headers.get("ETag")

        return self._persistently(name, attempt)

    @contextmanager
    def stream(self, name: str, size: int, begin: int) -> Iterator[tuple[int, Iterator[bytes]]]:
        """The bytes of a file from `begin` on, or from 0 if the server does not answer ranges; says which.

        They end early, without an error, if the connection breaks: the caller counts.
        """
        file, headers = RemoteName(name, size), {"Range": f"bytes={begin}-"} if begin else {}

        def attempt() -> httpx.Response:
            response = self._client.send(self._request(file.name, headers), stream=True)
            try:
                self._check_status(file.name, response)
                if response.status_code == 206 and begin:
                    self._check_range(file, response.headers.get("Content-Range", ""), Span(begin, file.size))
                elif response.status_code == 200:
                    self._check_size(file, int(response.headers.get("Content-Length", file.size)))
                else:
                    raise self._unexpected(file.name, response, file.size)
            except BaseException:
                response.close()
                raise
            return response

        def chunks() -> Iterator[bytes]:
            with suppress(httpx.TransportError):
                yield from response.iter_raw()

        response = self._persistently(file.name, attempt)
        try:
            yield begin if response.status_code == 206 else 0, chunks()
        finally:
            response.close()

    # --- Parts of files ---

    def read_parts(self, wanted: Mapping[RemoteName, Iterable[Span]]) -> dict[tuple[str, Span], bytes]:
        """Parts of files, all fetched in parallel."""
        found: dict[tuple[str, Span], bytes] = {}
        many = _RANGES if self._many_ranges else 1
        tasks = [
            (file, runs) for file, spans in wanted.items() for runs in batched(_runs(sorted(spans)), many)
        ]
        refused = self._fetch(tasks, found)
        if refused:
            self._many_ranges = False
            self._fetch([(file, (run,)) for file, runs in refused for run in runs], found)
        return found

    def _fetch(
        self,
        tasks: Sequence[tuple[RemoteName, tuple[_Run, ...]]],
        found: dict[tuple[str, Span], bytes],
    ) -> list[tuple[RemoteName, tuple[_Run, ...]]]:
        """Do these requests in parallel; returns those that ask for more ranges than the server answers."""
        refused = []
        for (file, runs), answer in in_daemon_threads(
            lambda task: self._read_runs(*task), tasks, CONNECTIONS
        ):
            if isinstance(answer, _OneRangeOnly):
                refused.append((file, runs))
                continue
            if isinstance(answer, BaseException):
                raise answer
            for run, data in zip(runs, answer, strict=True):
                for span in run.spans:
                    first = span.begin - run.whole.begin
                    found[file.name, span] = data[first : first + span.end - span.begin]
        return refused

    def _read_runs(self, file: RemoteName, runs: Sequence[_Run]) -> list[bytes]:
        """One request for all of them."""
        spans = [run.whole for run in runs]
        headers = {"Range": "bytes=" + ",".join(f"{span.begin}-{span.end - 1}" for span in spans)}
        expected = sum(span.end - span.begin for span in spans)

        def attempt() -> list[bytes]:
            with self._answer(file.name, headers) as response:
                if len(spans) == 1:
                    if response.status_code != 206:
                        raise self._unexpected(file.name, response, file.size)
                    self._check_range(file, response.headers.get("Content-Range", ""), spans[0])
                    return [self._body(response, expected)]
                limit = expected + 1000 * len(spans)
                kind = response.headers.get("Content-Type", "").lower()
                if (
                    response.status_code != 206
                    or not kind.startswith("multipart/byteranges")
                    or int(response.headers.get("Content-Length", 0)) > limit
                ):
                    raise _OneRangeOnly
                return self._parts(file, self._body(response, None, limit), spans)

        return self._persistently(file.name, attempt)

    def _parts(self, file: RemoteName, body: bytes, spans: Sequence[Span]) -> list[bytes]:
        """The parts of a multipart answer, in the order of the spans."""
        parts: dict[Span, bytes] = {}
        place = 0
        while (head := body.find(b"\r\n\r\n", place)) >= 0:
            found = _CONTENT_RANGE.search(body[place:head].decode("latin-1"))
            if found is None:
                break
            span = Span(int(found[1]), int(found[2]) + 1)
            if span.end <= span.begin:
                break
            place = head + 4 + span.end - span.begin
            self._check_range(file, found[0], span)
            parts[span] = body[head + 4 : place]
        if any(len(parts.get(span, b"")) != span.end - span.begin for span in spans):
            raise _OneRangeOnly  # joined, cut or left out: ask for each by itself
        return [parts[span] for span in spans]

    # --- One request ---

    def _address(self, name: str) -> httpx.URL:
        return self._url.copy_with(path=f"{self._url.path.rstrip('/')}/{name}", fragment=None)

    def _request(self, name: str, headers: Mapping[str, str]) -> httpx.Request:
        return self._client.build_request("GET", self._address(name), headers=headers)

    def _persistently(self, name: str, attempt: Callable[[], R]) -> R:
        """What an attempt returns, after a few more if it fails for a reason that may pass."""
        for number in range(ATTEMPTS):
            if number:
                time.sleep(_BACKOFF * 2 ** (number - 1) * random.uniform(1, 2))
            try:
                return attempt()
            except (httpx.TooManyRedirects, httpx.UnsupportedProtocol, httpx.InvalidURL) as error:
                raise Unreachable(f"{self.shown(name)}: a redirect cannot be followed ({error})") from None
            except httpx.TimeoutException:
                failure = f"no answer for {self._client.timeout.read:g} s"
            except (httpx.TransportError, httpx.HTTPStatusError) as error:
                failure = str(error) or type(error).__name__
        raise Unreachable(
            f"{self.shown(name)}: the server cannot be read ({failure}), tried {ATTEMPTS} times"
        )

    @contextmanager
    def _answer(self, name: str, headers: Mapping[str, str]) -> Iterator[httpx.Response]:
        response = self._client.send(self._request(name, headers), stream=True)
        try:
            self._check_status(name, response)
            yield response
        finally:
            response.close()  # if its body was not read, the connection as well

    def _check_status(self, name: str, response: httpx.Response) -> None:
        status = f"{response.status_code} {response.reason_phrase}".strip()
        if response.status_code in _TRANSIENT:
            raise httpx.HTTPStatusError(status, request=response.request, response=response)
        if response.status_code in (404, 410):
            raise MissingTable(f"{self.shown(name)} is missing (the server says {status})")
        if response.headers.get("Content-Encoding", "identity") != "identity":
            raise Unreachable(f"{self.shown(name)}: the server packs its answer, though asked not to")

    def _unexpected(self, name: str, response: httpx.Response, size: int | None = None) -> InarowError:
        """The error for an answer that is of no use."""
        status = f"{response.status_code} {response.reason_phrase}".strip()
        error: InarowError
        if response.status_code == 416 and size is not None:
            found = re.fullmatch(r"bytes \*/(\d+)", response.headers.get("Content-Range", ""))
            length = f"{int(found[1]):,}" if found else "fewer"
            error = DamagedFile(f"{self.shown(name)} is cut short: {length} bytes, not {size:,}")
        elif response.status_code == 200:
            error = Unreachable(
                f"{self.shown(name)}: the server answers with whole files only, not with ranges of bytes.\n"
                f"Download the table with: inarow quixo copy {self.shown()} DIR"
            )
        else:
            error = Unreachable(f"{self.shown(name)}: the server answers {status}")
        return error

    def _check_range(self, file: RemoteName, header: str, span: Span) -> None:
        found = _CONTENT_RANGE.fullmatch(header)
        if found and found[3] != "*":
            self._check_size(file, int(found[3]))
        if found is None or (int(found[1]), int(found[2]) + 1) != span:
            raise Unreachable(
                f"{self.shown(file.name)}: asked for bytes {span.begin} to {span.end - 1}, "
                f"the server answers with {header or 'no Content-Range'!r}"
            )

    def _check_size(self, file: RemoteName, size: int) -> None:
        if size != file.size:
            what = "is cut short" if size < file.size else "is too long"
            raise DamagedFile(
                f"{self.shown(file.name)} {what}: {size:,} bytes; in the manifest there are {file.size:,}"
            )

    def _body(self, response: httpx.Response, expected: int | None, limit: int = 1 << 28) -> bytes:
        """All bytes of an answer: exactly so many, if that is known."""
        limit = limit if expected is None else expected
        deadline = time.monotonic() + TIMEOUT + limit / _SLOWEST
        chunks, size = [], 0
        for chunk in response.iter_raw():
            chunks.append(chunk)
            size += len(chunk)
            if size > limit:
                break
            if time.monotonic() > deadline:
                raise httpx.ReadError(f"{size:,} bytes in {TIMEOUT + limit / _SLOWEST:.0f} s")
        if size > limit or (expected is not None and size != expected):
            raise httpx.RemoteProtocolError(f"{size:,} bytes where {limit:,} were announced")
        return b"".join(chunks)


class _Run(NamedTuple):
    """Spans so near to each other that they are fetched as one."""

    whole: Span
    spans: tuple[Span, ...]


def _runs(spans: Iterable[Span]) -> Iterator[_Run]:
    """The runs of spans in ascending order."""
    run: list[Span] = []
    for span in spans:
        if run and span.begin - run[-1].end > _GAP:
            yield _Run(Span(run[0].begin, run[-1].end), tuple(run))
            run = []
        run.append(span)
    if run:
        yield _Run(Span(run[0].begin, run[-1].end), tuple(run))
