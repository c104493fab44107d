"""Fuzzes every parser and reader with Atheris, each for a while, beginning with its corpus.

    pip install atheris && python tests/fuzz/run.py [TARGET ...] [--seconds 60]

Inputs that reach new code are kept in build/fuzz/TARGET. One that fails is written there as crash-…, and the
exit code is 1; `--input FILE` runs it again.
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
from pathlib import Path

TESTS = Path(__file__).parents[1]
KEPT = TESTS.parent / "build" / "fuzz"
CORPUS = Path(__file__).parent / "corpus"


def fuzz(name: str, seconds: int) -> None:
    """Does not return: libFuzzer ends the program."""
    import atheris  # here and below: it has to be there before what it watches is imported

    with atheris.instrument_imports(include=["inarow"]):
        from fuzz.targets import TARGETS
    kept = KEPT / name
    kept.mkdir(parents=True, exist_ok=True)
    options = [f"-max_total_time={seconds}", "-timeout=20", "-rss_limit_mb=4096", "-max_len=8192"]
    options += [f"-artifact_prefix={kept}/", "-print_final_stats=1"]
    atheris.Setup([sys.argv[0], *options, str(kept), str(CORPUS / name)], TARGETS[name])
    atheris.Fuzz()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("targets", nargs="*", metavar="TARGET", help="all by default")
    parser.add_argument("--seconds", type=int, default=60, help="for each target (60)")
    parser.add_argument("--input", type=Path, metavar="FILE", help="run the target with this input only")
    parser.add_argument("--alone", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    sys.path.insert(0, str(TESTS))
    if options.alone:
        fuzz(options.targets[0], options.seconds)
    from fuzz.targets import TARGETS, close

    if unknown := set(options.targets) - set(TARGETS):
        sys.exit(f"no target {', '.join(unknown)}; there are {', '.join(TARGETS)}")
    if options.input:
        TARGETS[options.targets[0]](options.input.read_bytes())
        close()
        return
    failed = []
    for name in options.targets or TARGETS:
        command = [sys.executable, __file__, "--alone", name, "--seconds", str(options.seconds)]
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        said = done.stdout.decode(errors="replace")
        count = re.search(r"number_of_executed_units: *(\d+)", said)
        result = "failed" if done.returncode else "ok"
        print(f"{name:14} {result:8} {count[1] if count else '?':>10} inputs", flush=True)
        if done.returncode:
            print(said[-3000:])
            failed.append(name)
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
