"""The checks by the names that users import."""

import subprocess
import sys
from importlib import import_module
from typing import get_args

import pytest

import inarow.verify
from inarow.verify import Verdict


def test_the_names() -> None:
    assert set(inarow.verify.__all__) <= set(dir(inarow.verify))
    for name in inarow.verify.__all__:
        assert getattr(inarow.verify, name) is not None
    with pytest.raises(AttributeError, match="no attribute 'verify_chess'"):
        _ = inarow.verify.verify_chess  # type: ignore[attr-defined]
    assert get_args(Verdict) == ("proven", "consistent", "wrong")


def output_of(program: str) -> str:
    return subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout


def test_importing_it_loads_little() -> None:
    program = """
import sys
import inarow.verify
print([m for m in sys.modules if m.startswith(("numpy", "zstandard", "inarow._native."))])
"""
    assert output_of(program) == "[]\n"


@pytest.mark.parametrize("name", ["quixo.table", "quixo.sample", "quixo.record"])
def test_the_checker_of_tables_shares_no_code(name: str) -> None:
    """It loads no solver, table or rules of the game it judges."""
    program = f"""
import sys
import inarow.verify.{name}
print([m for m in sys.modules if m.startswith(("inarow.quixo", "inarow.positional", "inarow.ultimate"))])
print({{m.split(".")[2] for m in sys.modules if m.startswith("inarow._native.")}})
"""
    assert import_module(f"inarow.verify.{name}")
    assert output_of(program) == "[]\n{'verify_quixo'}\n"
