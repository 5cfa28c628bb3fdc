#!/usr/bin/env python3
"""Curves of `zbound thermo` beside what is known exactly: docs/results/thermo.md.

    bench/thermo.py OUT SECONDS [SIDE...]

SIDE x SIDE ferromagnets, periodic, J = 1, around the critical point, and two triangular
antiferromagnets, with SECONDS for each beta and one thread. Brackets of ln Z are compared with
Kaufman's formula for the same torus; Onsager's is the limit of large ones. OUT keeps a CSV
file for each model, and those that are there are not computed again; the figure,
OUT/thermo.svg, is drawn by gnuplot. BEFORE is put before each command, as `chrt -f 5`.
"""

import csv
import math
import os
import subprocess
import sys
from pathlib import Path

ZBOUND = os.environ.get("ZBOUND", str(Path(__file__).resolve().parent.parent / "build/zbound"))
CRITICAL = math.log(1 + math.sqrt(2)) / 2
EXACT = 10  # the side of the largest model that 2 seconds solve
BETAS = [0.2 + 0.025 * i for i in range(9)] + [CRITICAL] + [0.45 + 0.025 * i for i in range(15)]


# ---- what is known ---------------------------------------------------------------------


def kaufman(rows: int, beta: float) -> float:
    """ln Z of the ferromagnet on a torus, rows x rows (Kaufman 1949)."""
    n = rows
    k = 2 * beta
    gamma = [math.acosh(math.cosh(k) / math.tanh(k) - math.cos(math.pi * l / n))
             for l in range(2 * n)]
    gamma[0] = k + math.log(math.tanh(beta))

    def product(odd: int, sign: int) -> "tuple[float, int]":
        """ln and sign of prod 2 cosh (sign 1) or 2 sinh (sign -1) of n gamma / 2."""
        total, side = 0.0, 1
        for r in range(n):
            x = n * gamma[2 * r + odd] / 2
            if sign < 0 and x < 0:
                side = -side
            x = abs(x)
            inner = 1 + sign * math.exp(-2 * x)
            if inner == 0:
                return -math.inf, 1
            total += x + math.log(inner)
        return total, side

    terms = [product(1, 1), product(1, -1), product(0, 1), product(0, -1)]
    most = max(t for t, _ in terms)
    # gamma_0 has the sign that makes the last product count with a minus below it
    value = sum(s * math.exp(t - most) for t, s in terms)
    return n * n / 2 * math.log(2 * math.sinh(k)) - math.log(2) + most + math.log(value)


def onsager(beta: float) -> "tuple[float, float]":
    """Free energy and energy per site of the infinite lattice (Onsager 1944)."""
    k = 2 * beta
    kappa = 2 * math.sinh(k) / math.cosh(k) ** 2
    steps = 20000  # midpoints: the integrand is smooth but at the critical point
    total = sum(math.log((1 + math.sqrt(max(0.0, 1 - (kappa * math.sin(
        (i + 0.5) * math.pi / 2 / steps)) ** 2))) / 2) for i in range(steps))
    log_z = math.log(2 * math.cosh(k)) + total / (2 * steps)
    a, b = 1.0, math.sqrt(max(0.0, 1 - kappa * kappa))
    while abs(a - b) > 1e-15 and b > 0:
        a, b = (a + b) / 2, math.sqrt(a * b)
    elliptic = math.pi / (2 * a) if b > 0 else 0.0  # its factor is 0 where it is infinite
    energy = -(1 + 2 / math.pi * (2 * math.tanh(k) ** 2 - 1) * elliptic) / math.tanh(k)
    return -log_z / beta, energy


# ---- runs ------------------------------------------------------------------------------


def rows_of(name: str, options: list, out: Path, seconds: float) -> list:
    path = out / f"{name}.csv"
    if not path.exists():
        model = out / f"{name}.uai.gz"
        subprocess.run([ZBOUND, "generate", "ising", *options, "--periodic", "--couplings",
                        "uniform", "--field", "0", "-o", model], check=True)
        betas = ",".join(f"{b:.17g}" for b in BETAS)
        table = subprocess.run(
            [*os.environ.get("BEFORE", "").split(), ZBOUND, "thermo", model, "--beta", betas,
             "--time", str(seconds * len(BETAS)), "--threads", "1", "--csv", "--quiet"],
            check=True, capture_output=True, text=True).stdout
        path.write_text(table)
        model.unlink()
    with path.open() as file:
        return [{key: float(x) if x else math.nan for key, x in row.items()}
                for row in csv.DictReader(file)]


def summary(name: str, side: int, rows: list, truth=None) -> None:
    sites = side * side
    widest = max((r["log_z_upper"] - r["log_z_lower"]) / sites for r in rows)
    energy = max((r["energy_upper"] - r["energy_lower"]) / sites for r in rows)
    inside = "-"
    if truth is not None:
        held = sum(r["log_z_lower"] <= truth(side, r["beta"]) <= r["log_z_upper"] for r in rows)
        inside = f"{held} of {len(rows)}"
    print(f"| {name} | {len(rows)} | {sum(r['seconds'] for r in rows) / len(rows):.2f} | "
          f"{widest:.2g} | {energy:.2g} | {inside} |", flush=True)


def draw(out: Path, sides: list, seconds: float) -> None:
    curve = [0.2 + 0.6 * i / 300 for i in range(301)]
    with (out / "onsager.dat").open("w") as file:
        for beta in curve:
            file.write(" ".join(f"{x:.10g}" for x in (beta, *onsager(beta))) + "\n")
    palette = ["#D55E00", "#0072B2", "#009E73", "#CC79A7"]
    colours = {n: palette[i % len(palette)] for i, n in enumerate(sides)}

    def band(name: str, sites: int, low: str, high: str, colour: str, title: str) -> str:
        """Between two columns; a line where they are one."""
        style = (f"with lines lw 2 dt 3 lc rgb '{colour}' title '{title}, exact'"
                 if sites <= EXACT * EXACT else
                 f"with filledcurves fs transparent solid 0.35 noborder lc rgb '{colour}' "
                 f"title '{title}'")
        columns = [f"(${c}/{sites})" for c in ((low,) if sites <= EXACT * EXACT else (low, high))]
        return f"'{out}/{name}.csv' using 1:{':'.join(columns)} {style}"

    def bands(low: str, high: str) -> str:
        return ", ".join(band(f"ferro{n}", n * n, low, high, colours[n], f"{n}x{n}")
                         for n in sorted(sides, reverse=True))

    def panel(title: str, key: str, low: str, high: str, column: int) -> str:
        return (f"set title '{{/:Bold {title}}}'\nset ylabel 'J'\nset key {key}\nplot {bands(low, high)}, "
                f"\"< tr ' ' , < {out}/onsager.dat\" using 1:{column} with lines lw 1.5 "
                "lc rgb 'black' title 'Onsager, infinite'\n")

    def entropy(n: int, colour: str) -> str:
        return band(f"triangle{n}", n * n, "8", "9", colour, f"{n}x{n}")

    widths = ", ".join(
        f"'{out}/ferro{n}.csv' using 1:(($3-$2)/{n * n}) with linespoints pt 7 ps 0.4 lc rgb "
        f"'{colours[n]}' title '{n}x{n}'" for n in sides if n > EXACT)
    script = f"""
set encoding utf8
set terminal svg size 900,780 font "DejaVu Sans,Verdana,sans-serif,12" background "white"
set output "{out}/thermo.svg"
set border 3 lc rgb "#57606a"
set tics nomirror out scale 0.5 textcolor rgb "#57606a"
set mytics 1
set grid ytics lt 1 lc rgb "#d8dee4"
set title offset 0,-0.4
set xlabel offset 0,0.4
set label 1 "shaded: proved brackets, {seconds:g} s each on one thread; one model each; upright: the critical point; k = 1" at screen 0.08,0.02 textcolor rgb "#57606a" font ",11"
set xrange [0.2:0.8]
set arrow from {CRITICAL},graph 0 to {CRITICAL},graph 1 nohead dt 2 lc rgb "#888888"
set multiplot layout 2,2 margins 0.08,0.98,0.12,0.96 spacing 0.11,0.13
set datafile separator ","
set xlabel "beta (1/J)"
"""
    script += panel("A: free energy per site, ferromagnet", "right bottom Left reverse", "4", "5", 2)
    script += "unset label 1\nset yrange [-2.2:0.8]\n"  # room for the legend
    script += panel("B: energy per site, ferromagnet", "right top Left reverse", "6", "7", 3)
    script += f"""
set title '{{/:Bold C: width of the bracket of ln Z per site}}'
set ylabel 'nats'
set logscale y
set format y '10^{{%L}}'
set key right top Left reverse
set yrange [1e-4:10]
plot {widths}
unset logscale y
set format y '%g'
unset arrow
set yrange [0:0.8]
set title '{{/:Bold D: entropy per site, triangular antiferromagnet}}'
set key left bottom Left reverse
plot {entropy(21, '#0072B2')}, {entropy(9, '#D55E00')}, 0.3230659669 with lines dt 2 lc rgb 'black' title 'Wannier, infinite, beta to infinity'
unset multiplot
"""
    subprocess.run(["gnuplot"], input=script, text=True, check=True)


def main() -> None:
    out, seconds = Path(sys.argv[1]), float(sys.argv[2])
    sides = [int(word) for word in sys.argv[3:]] or [10, 20, 50, 100]
    out.mkdir(parents=True, exist_ok=True)
    print("| model | betas | seconds each | widest bracket of ln Z per site | of the energy | "
          "exact ln Z inside |\n|---|---|---|---|---|---|")
    for side in sides:
        rows = rows_of(f"ferro{side}", ["--rows", str(side), "--cols", str(side),
                                        "--coupling", "1"], out, seconds)
        summary(f"ferromagnet {side}x{side}", side, rows, kaufman)
    for side in 9, 21:  # 3 divides them: frustration is the lattice's alone
        rows = rows_of(f"triangle{side}", ["--rows", str(side), "--cols", str(side), "--lattice",
                                           "triangular", "--coupling", "-1"], out, seconds)
        summary(f"triangular antiferromagnet {side}x{side}", side, rows)
    draw(out, sides, seconds)


if __name__ == "__main__":
    main()
