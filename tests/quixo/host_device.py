"""A CPU as the device that runs the GPU's kernels: what the two share is tested without a GPU."""

import weakref
from collections.abc import Iterator
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

    def run(self, kernel: str, *arguments: Any) -> None:
        passed = (self.address(it) if isinstance(it, np.ndarray) else int(it) for it in arguments)
        getattr(kernels, kernel)(*passed)

    def host(self, array: Any) -> NDArray[Any]:
        found: NDArray[Any] = array.copy()
        return found

    def fetch(self, array: Any) -> NDArray[Any]:
        copy: NDArray[Any] = array.copy()
        self.fetched += copy.nbytes
        self.most_fetched = max(self.most_fetched, self.fetched)
        weakref.finalize(copy, self._free, copy.nbytes)
        return copy

    def send(self, array: NDArray[Any], into: Any) -> None:
        into[:] = array

    def _free(self, size: int) -> None:
        self.fetched -= size
