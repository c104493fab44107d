"""CuPy, and a GPU that it finds."""

from __future__ import annotations

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
