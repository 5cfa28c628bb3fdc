#!/usr/bin/env python3
"""Marginals of Bayesian networks beside merlin's and pyGMs': docs/results/marginals.md.

    bench/marginals.py SECONDS OUT MODEL.uai[.gz]...

zbound marginals with one thread; merlin (MERLIN names the program) with its clique trees,
pyGMs with its junction tree, each in a process that may last SECONDS and take 4 GiB. A peer
that is not there is left out. Seconds are of processor, reading included; difference:
the largest of any probability from zbound's. OUT keeps a row for each model, and those that
are there are not computed again. BEFORE is put before each command, as `chrt -f 5`.
"""

import gzip
import json
import os
import resource
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ZBOUND = os.environ.get("ZBOUND", str(Path(__file__).resolve().parent.parent / "build/zbound"))
MERLIN = os.environ.get("MERLIN", "merlin")

PYGMS = """
import sys, time
begun = time.time()
import numpy as np, pygms, pygms.wmb
from pygms.filetypes import readUai
factors = readUai(sys.argv[1])
words = open(sys.argv[2]).read().split()
seen = {int(v): int(x) for v, x in zip(words[1::2], words[2::2])}
model = pygms.GraphModel(factors)
cards = [v.states for v in model.X]
model.condition(seen)
tree = pygms.wmb.JTree(model)
tree.msgForward()
free = [v for v in model.X if v.label not in seen]
asked = [pygms.VarSet([v]) for v in free]
found = tree.beliefs(asked)
of = {c[0].label: found[c] for c in asked}
rows = []
for v in range(len(cards)):
    if v in seen:
        rows.append([float(x == seen[v]) for x in range(cards[v])])
    else:
        t = np.asarray(of[v].table, dtype=float)
        rows.append((t / t.sum()).tolist())
print("MAR"); print(len(rows), *[x for r in rows for x in (len(r), *r)])
print(time.time() - begun, file=sys.stderr)
"""


def limit() -> None:
    resource.setrlimit(resource.RLIMIT_AS, (4 << 30, 4 << 30))


def run(command: list, seconds: float, cwd=None) -> "tuple[float, str] | None":
    """Seconds of processor that it took, and what it printed."""
    wrapped = ["/usr/bin/env", "bash", "-c",
               'TIMEFORMAT="%U %S"; time timeout "$0" "$@" 2>/dev/null', str(seconds), *map(str, command)]
    done = subprocess.run([*os.environ.get("BEFORE", "").split(), *wrapped], text=True,
                          capture_output=True, preexec_fn=limit, cwd=cwd)
    if done.returncode != 0:
        return None
    return sum(map(float, done.stderr.split()[-2:])), done.stdout


def solution(text: str) -> "list[list[float]]":
    words = text.split()
    words = words[words.index("MAR") + 1:]
    at, rows = 1, []
    for _ in range(int(words[0])):
        card = int(words[at])
        rows.append([float(x) for x in words[at + 1:at + 1 + card]])
        at += 1 + card
    return rows


def difference(a, b) -> str:
    if [len(r) for r in a] != [len(r) for r in b]:
        return "other sizes"
    return f"{max(abs(x - y) for r, s in zip(a, b) for x, y in zip(r, s)):.1e}"


def peer(answer, truth, read) -> str:
    if answer is None:
        return "none | -"
    try:
        rows = read(answer)
    except (ValueError, IndexError, OSError):
        return f"{answer[0]:.2f} | unreadable"
    return f"{answer[0]:.2f} | {difference(rows, truth)}"


def row(path: Path, seconds: float, work: Path) -> str:
    name = path.name.replace(".gz", "").replace(".uai", "")
    plain, seen, mar = work / f"{name}.uai", work / f"{name}.evid", work / "ours.MAR"
    with (gzip.open(path) if path.suffix == ".gz" else path.open("rb")) as source:
        plain.write_bytes(source.read())
    given = Path(str(path).replace(".gz", "") + ".evid")
    seen.write_text(given.read_text() if given.exists() else "0\n")
    ours = run([ZBOUND, "marginals", plain, seen, "--threads", "1", "--time", seconds, "--json",
                "--quiet", "--uai", mar], seconds + 10)
    if ours is None:
        return f"| {name} | none |"
    report = json.loads(ours[1])
    truth = solution(mar.read_text())
    cells = [name, str(report["variables"]), "yes" if report["exact"] else "no", f"{ours[0]:.2f}"]
    if shutil.which(MERLIN):
        out = work / "merlin"
        found = run([MERLIN, "--input-file", plain, "--evidence-file", seen, "--task", "MAR",
                     "--algorithm", "cte", "--output-format", "uai", "--output-file", out],
                    seconds)
        files = sorted(work.glob("merlin*"))
        cells.append(peer(found, truth, lambda _: solution(files[0].read_text())))
        for file in files:
            file.unlink()
    found = run([sys.executable, "-c", PYGMS, plain, seen], seconds)
    cells.append(peer(found, truth, lambda answer: solution(answer[1])))
    return "| " + " | ".join(cells) + " |"


def main() -> None:
    seconds, out = float(sys.argv[1]), Path(sys.argv[2])
    kept = out.read_text().splitlines() if out.exists() else []
    for word in sys.argv[3:]:
        path = Path(word)
        name = path.name.replace(".gz", "").replace(".uai", "")
        if any(line.startswith(f"| {name} |") for line in kept):
            continue
        with tempfile.TemporaryDirectory() as work:
            line = row(path, seconds, Path(work))
        print(line, flush=True)
        with out.open("a") as file:
            file.write(line + "\n")


if __name__ == "__main__":
    main()
