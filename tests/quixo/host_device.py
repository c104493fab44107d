"""The kernels' twins on the CPU, as a device: what the two share is tested without a GPU."""

import weakref
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np
from numpy.typing import NDArray

from inarow._native.quixo import kernels


class CountedNumpy:
    """NumPy as a device's module of arrays, which counts the bytes of those that are made in it."""

    def __init__(self) -> None:
        self.bytes = 0  # in use
        self.most = 0  # that were in use at the same time
        self.limit = 1 << 62

    def __getattr__(self, name: str) -> Any:
        return getattr(np, name)

    def empty(self, shape: Any, dtype: Any) -> NDArray[Any]:
        return self._counted(np.empty(shape, dtype))

    def zeros(self, shape: Any, dtype: Any) -> NDArray[Any]:
        return self._counted(np.zeros(shape, dtype))

    def asarray(self, array: NDArray[Any]) -> NDArray[Any]:
        return self._counted(np.array(array))

    def _counted(self, array: NDArray[Any]) -> NDArray[Any]:
        self.bytes += array.nbytes
        self.most = max(self.most, self.bytes)
        if self.bytes > self.limit:
            raise MemoryError(f"{self.bytes} bytes are in use; {self.limit} are allowed")
        weakref.finalize(array, self._free, array.nbytes)  # slices refer to the array
        return array

    def _free(self, size: int) -> None:
        self.bytes -= size


class HostDevice:
    name = "this CPU"
    free_bytes = 1 << 30
    seconds: dict[str, float] = {}  # noqa: RUF012

    def __init__(self) -> None:
        self.xp: Any = CountedNumpy()
        self.fetched = self.most_fetched = 0  # bytes of the host that are in use

    @contextmanager
    def limited_to(self, size: int) -> Iterator[None]:
        before, self.xp.limit = self.xp.limit, size
        try:
            yield
        finally:
            self.xp.limit = before

    def trim(self) -> None:
        pass

    def collect_times(self) -> None:
        pass

    def address(self, array: Any) -> int:
        return int(array.ctypes.data)

    def host(self, array: Any) -> NDArray[Any]:
        found: NDArray[Any] = array.copy()
        return found

    def find_canonical(self, game: Any, found: Any) -> None:
        kernels.find_canonical(self.address(game), found.size, self.address(found))

    def find_lines(self, game: Any, masks: Any, lined: Any, fixing: Any) -> None:
        addresses = (self.address(array) for array in (lined, fixing))
        kernels.find_lines(self.address(game), self.address(masks), masks.size, *addresses)

    def find_steps(self, game: Any, masks: Any, where: Any, same: Any, larger: Any) -> None:
        addresses = (self.address(array) for array in (where, same, larger))
        kernels.find_steps(self.address(game), self.address(masks), masks.size, *addresses)

    def seed(self, game: Any, pair: Any, side: int, entries: int) -> None:
        kernels.seed(self.address(game), self.address(pair), side)

    def mirror(self, game: Any, pair: Any, entries: int) -> None:
        kernels.mirror(self.address(game), self.address(pair))

    def visit(self, game: Any, pair: Any, round: int, blocks_of_pair: int, entries: int) -> None:
        for side in range(2):
            kernels.visit(self.address(game), self.address(pair), side, round)

    def publish(self, pair: Any, round: int) -> None:
        for side in range(2):
            kernels.publish(self.address(pair), side, round)

    def note(self, game: Any, pair: Any, round: int) -> None:
        for side in range(2):
            kernels.note(self.address(game), self.address(pair), side, round)

    def follow(self, game: Any, pair: Any, round: int, how: Sequence[int], grains: int) -> None:
        at = self.address
        sources = [kernels.find_sources(at(pair), side, round, how[side]) for side in range(2)]
        for side in range(2):
            kernels.follow(at(game), at(pair), side, round, how[side], sources[side])

    def finish(self, pair: Any, side: int, orbits: Any, histogram: Any) -> None:
        kernels.finish(self.address(pair), side, self.address(orbits), self.address(histogram))

    def restore_wins(self, game: Any, pair: Any, side: int, entries: int) -> None:
        kernels.restore_wins(self.address(game), self.address(pair), side)

    def fetch(self, array: Any) -> NDArray[Any]:
        copy: NDArray[Any] = array.copy()
        self.fetched += copy.nbytes
        self.most_fetched = max(self.most_fetched, self.fetched)
        weakref.finalize(copy, self._free, copy.nbytes)
        return copy

    def _free(self, size: int) -> None:
        self.fetched -= size

    def send(self, array: NDArray[Any], into: Any) -> None:
        into[:] = array

    def narrow(self, entries: Any, numbers: Any, narrow: Any) -> None:
        at = self.address
        kernels.narrow(at(entries), entries.size, at(numbers), at(narrow))

    def widen(self, narrow: Any, values: Any, entries: Any) -> None:
        at = self.address
        kernels.widen(at(narrow), narrow.size, at(values), at(entries))

    def pack_outcomes(self, entries: Any, packed: Any, lost: Any) -> None:
        kernels.pack_outcomes(self.address(entries), entries.size, self.address(packed), self.address(lost))

    def gather_plies(self, entries: Any, begins: Any, plies: Any, width: int) -> None:
        at = self.address
        kernels.gather_plies(at(entries), entries.size, at(begins), at(plies), width)

    def restore_entries(self, packed: Any, begins: Any, plies: Any, width: int, entries: Any) -> None:
        at = self.address
        kernels.restore_entries(at(packed), entries.size, at(begins), at(plies), width, at(entries))
