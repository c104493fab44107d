"""CuPy, and a GPU that it finds."""

from __future__ import annotations

import zlib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from inarow.errors import InarowError


def cupy_with_gpu() -> Any:
    """The module `cupy`, imported when it is first needed.

    :raises InarowError: if it is not installed, or there is no GPU.
    """
    try:
        import cupy
    except ImportError:
        raise InarowError(
            "using a GPU needs CuPy, which is not installed.\n"
            "Install it with: pip install 'inarow[cuda12]', or 'inarow[cuda13]'"
        ) from None
    try:
        cupy.cuda.runtime.getDevice()
    except cupy.cuda.runtime.CUDARuntimeError as error:
        raise InarowError(f"there is no GPU to be found: {error}") from None
    return cupy


_USUAL_KILOHERTZ = 1_800_000


@dataclass(frozen=True, slots=True)
class Gpu:
    """A GPU that CuPy finds, with bytes of its memory."""

    name: str
    memory: int
    free: int
    processors: int
    megahertz: int


def gpu_here() -> Gpu:
    """The GPU that CuPy selects; `InarowError` if there is none."""
    cupy = cupy_with_gpu()
    device = cupy.cuda.Device()
    name = cupy.cuda.runtime.getDeviceProperties(device.id)["name"].decode()
    free, memory = cupy.cuda.runtime.memGetInfo()
    found = device.attributes
    # Not every driver tells the clock, and only estimates need it.
    kilohertz = found.get("ClockRate") or _USUAL_KILOHERTZ
    return Gpu(name, memory, free, found["MultiProcessorCount"], kilohertz // 1000)


def compiled_module(cupy: Any, source: Path) -> Any:
    """The kernels of a file, compiled for the GPU, or from CuPy's cache.

    The cache knows a program by its text and options, not by the headers beside it: a number that stands for
    these is among the options, so that kernels of an older release are not used with newer headers.
    """
    headers = zlib.crc32(b"".join(path.read_bytes() for path in sorted(source.parent.glob("*.hpp"))))
    options = ("--std=c++17", f"-I{source.parent}", f"-DINAROW_HEADERS={headers}")
    return cupy.RawModule(code=source.read_text(encoding="utf-8"), options=options, backend="nvrtc")
