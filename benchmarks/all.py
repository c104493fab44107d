"""The benchmarks of this folder one after the other, with small settings, in one table.

    python benchmarks/all.py [--only NAME …] [--json FILE] [--compare FILE]

Each runs in a process of its own and has a yardstick beside it; the ratio is the figure divided by that
of the yardstick. `--json` writes the same to a file, and `--compare` adds the ratio to the figures of
such a file: of an earlier release, on the same machine. What cannot run here is listed with the reason.

Exits with 1 if a benchmark fails, as where two ways to the same answer disagree.
"""

from __future__ import annotations

import json
import platform
import subprocess
import sys
import time
from dataclasses import asdict
from pathlib import Path

from rows import Row, arguments, compiler, show

from inarow.diagnosis import diagnose

FOLDER = Path(__file__).parent
BENCHMARKS = ("quixo", "probe", "verify", "wasm", "dictionaries", "ultimate", "play", "serve")


def machine() -> dict[str, str]:
    """What the figures depend on."""
    found = diagnose()
    version = subprocess.run([compiler(), "--version"], check=True, capture_output=True, text=True).stdout
    return {
        "CPU": f"{cpu_model()}, {found.threads} threads, {found.instructions} code",
        "GPU": found.gpu.name if found.gpu else "none",
        "system": f"{found.system}, Python {found.python}, {version.partition(chr(10))[0]}",
        "inarow": found.inarow,
        "date": time.strftime("%Y-%m-%d %H:%M"),
    }


def cpu_model() -> str:
    info = Path("/proc/cpuinfo")
    lines = info.read_text().splitlines() if info.exists() else []
    names = (line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    return next(names, platform.processor() or platform.machine())


def main() -> int:
    parser = arguments(__doc__)
    parser.add_argument("--only", nargs="+", choices=BENCHMARKS, default=BENCHMARKS, help="(all)")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the figures to a file")
    parser.add_argument("--compare", type=Path, metavar="FILE", help="figures of an earlier run")
    options = parser.parse_args()
    described, earlier = machine(), None
    if options.compare:
        before = json.loads(options.compare.read_text())
        earlier = {f"{it['what']} ({it['unit']}, {it['yardstick']})": it["figure"] for it in before["rows"]}
        described["earlier"] = (
            f"{before['machine']['inarow']}, {before['machine']['date']}, {options.compare}"
        )
    rows: list[Row] = []
    left_out: dict[int, dict[str, str]] = {1: {}, 3: {}}  # failed and skipped, by exit status
    for name in options.only:
        began = time.perf_counter()
        command = [sys.executable, str(FOLDER / f"{name}.py"), "--json"]
        done = subprocess.run(command, capture_output=True, text=True)
        print(f"{name}: {time.perf_counter() - began:.0f} s", file=sys.stderr, flush=True)
        if done.returncode:
            reason = (done.stderr.strip().splitlines() or [f"exit status {done.returncode}"])[-1]
            left_out[3 if done.returncode == 3 else 1][name] = reason
        else:
            found = json.loads(done.stdout)
            rows += [Row(**{key: its[key] for key in Row.__slots__}) for its in found]
    for what, of in described.items():
        print(f"{what:10}{of}")
    print()
    show(rows, earlier)
    for title, status in (("Skipped", 3), ("Failed", 1)):
        if left_out[status]:
            print(f"\n{title}:", *(f"- {name}: {why}" for name, why in left_out[status].items()), sep="\n")
    if options.json:
        figures = [{**asdict(row), "ratio": row.ratio} for row in rows]
        data = {"machine": described, "rows": figures, "skipped": left_out[3], "failed": left_out[1]}
        options.json.write_text(json.dumps(data, indent=2, ensure_ascii=False) + "\n")
    return 1 if left_out[1] else 0


if __name__ == "__main__":
    sys.exit(main())
