"""A Dask cluster; needs ``inarow[dask]``."""

from __future__ import annotations

from typing import Any

from inarow.errors import InarowError

_PATIENCE = 10  # seconds, to find the scheduler


def connect(address: str) -> Any:
    """A client of the scheduler at an address."""
    try:
        from distributed import Client
    except ImportError:
        raise InarowError("a cluster needs Dask: pip install 'inarow[dask]'") from None
    try:
        client: Any = Client  # has no types
        return client(address, timeout=_PATIENCE, set_as_default=False)
    except (OSError, ValueError) as error:
        raise InarowError(f"no Dask scheduler at {address}: {error}") from None
