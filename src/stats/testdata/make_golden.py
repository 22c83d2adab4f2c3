#!/usr/bin/python3
"""Writes ks_test.json and correlation.json: inputs, and what scipy 1.10 (Debian 12) says of them.

The tests beside this folder read the files; scipy is needed only to make them again.
"""
import json
import math
import pathlib
import warnings

import numpy
import scipy
from scipy import stats

assert scipy.__version__.startswith("1.10."), scipy.__version__
warnings.simplefilter("ignore")
folder = pathlib.Path(__file__).parent
random = numpy.random.default_rng(20261201)


def number(value):
    value = float(value)
    return value if math.isfinite(value) else None


def write(name, cases):
    lines = ",\n".join(json.dumps(case, separators=(",", ":")) for case in cases)
    (folder / name).write_text("[\n" + lines + "\n]\n")


def short(values):
    return [round(float(value), 4) for value in values]


def ks(first, second):
    results = {}
    for alternative in ("two-sided", "less", "greater"):
        result = stats.ks_2samp(first, second, alternative=alternative)
        results[alternative] = [number(result.statistic), number(result.pvalue)]
    return results


# Two samples: kinds of values, then sizes.
def draw(kind, n, shift):
    if kind == "normal":
        return short(random.normal(shift, 1, n))
    if kind == "tied":
        return short(random.integers(0, 5, n) + round(shift))
    if kind == "exponential":
        return short(random.exponential(1 + shift, n))
    return [3.0] * n


sizes = [(1, 1), (1, 2), (2, 1), (2, 2), (1, 3), (2, 3), (3, 3), (1, 7), (3, 4), (4, 4), (5, 3),
         (7, 7), (8, 40), (3, 20), (10, 12), (20, 20), (25, 40), (30, 29), (60, 60), (64, 96),
         (100, 100), (101, 97), (150, 75), (200, 300), (400, 400), (401, 399)]
cases = []
for m, n in sizes:
    for kind in ("normal", "tied", "exponential", "constant"):
        for shift in (0, 0.7) if max(m, n) < 150 else (0, 0.15, 3):
            if kind == "constant" and (shift or m > 3):
                continue
            first, second = draw(kind, m, 0), draw(kind, n, shift)
            cases.append({"first": first, "second": second} | ks(first, second))
# One value in the middle of 9: p = 1 as a sum of tenths, which rounds to the double after 1.
first, second = [float(i) for i in range(9)], [3.5]
cases.append({"first": first, "second": second} | ks(first, second))
write("ks_test.json", cases)

# Large samples would make a large file: the two samples are arithmetic progressions, value i of
# each being start + step * i, so that the file holds only their parameters.
cases = []
for m, n, start, step in [
    (10000, 10000, 100.5, 1), (10000, 9999, 150.25, 1), (10000, 3, 5000.5, 900),
    (10001, 1, 9000.5, 1), (10001, 1, 3000.5, 1), (10001, 2, 100.5, 9000), (20000, 2, 18000.5, 999),
    (12000, 5, 3000.5, 2000), (15000, 20, 700.5, 710), (15000, 20, 2700.5, 610),
    (30000, 100, 900.5, 290), (30000, 100, 2000.5, 280), (30000, 130, 60.5, 230.2),
    (30000, 150, 5000.5, 160), (40000, 160, 200.5, 249.1), (40000, 160, 3000.5, 230),
    (20000, 400, 300.5, 49.1), (20000, 400, 1500.5, 46), (20000, 15000, 150.5, 1.33),
    (20000, 15000, 40.5, 1.333), (20000, 20000, 120.5, 1), (20000, 20000, 400.5, 1),
    (20000, 20000, 20.5, 1), (600, 500, 12.5, 1.2), (1000, 700, 20.5, 1.4), (516, 515, 30.5, 1),
    (515, 514, 30.5, 1), (9000, 80, 500.5, 105), (2000, 1999, 60.5, 1)]:
    first = numpy.arange(m)
    second = start + step * numpy.arange(n)
    cases.append({"first_size": m, "second_size": n, "start": start, "step": step} |
                 ks(first, second))
write("ks_test_large.json", cases)

# Pairs.
cases = []


def pairs(x, y):
    pearson = stats.pearsonr(x, y)
    spearman = stats.spearmanr(x, y)
    cases.append({"x": list(map(float, x)), "y": list(map(float, y)),
                  "pearson": [number(pearson.statistic), number(pearson.pvalue)],
                  "spearman": [number(spearman.statistic), number(spearman.pvalue)]})


pairs([1, 2], [5, 3])
pairs([1, 2], [3, 5])
pairs([1, 1], [3, 5])
pairs([1, 1, 1], [3, 5, 4])
pairs([3, 5, 4, 4], [2, 2, 2, 2])
pairs([1, 2, 3], [1, 2, 3])
pairs([1, 2, 3], [6, 4, 2])
pairs([0.1, 0.2, 0.3], [0.3, 0.5, 0.7])
pairs([1, 1, 3], [2, 2, 7])
pairs([1, 2, 2], [7, 3, 3])
pairs([1, 3, 2], [5, 5, 7])
pairs([1, 2, 3, 4], [10, 20, 30, 40])
pairs([1e9 + 1, 1e9 + 2, 1e9 + 4, 1e9 + 3], [1e-9, 3e-9, 2e-9, 5e-9])
pairs([5e210, -5e210, 3e200, -3e200], [1, 2, 4, 3])
for n in (3, 4, 5, 6, 8, 12, 30, 100, 400):
    for slope in (0, 0.5, -2):
        for tied in (False, True):
            for _ in range(3 if n < 10 else 1):
                x = random.integers(0, 4, n) if tied else short(random.normal(0, 1, n))
                noise = random.integers(-1, 2, n) if tied else random.normal(0, 1, n)
                pairs(x, short(slope * numpy.array(x) + noise))
write("correlation.json", cases)

# Quantiles: numpy's default is the same interpolation.
cases = []
for n in (1, 2, 3, 4, 10, 101):
    values = short(random.normal(0, 1, n))
    for q in (0, 0.01, 0.25, 0.5, 0.9, 0.99, 1):
        cases.append({"values": values, "q": q, "quantile": number(numpy.quantile(values, q)),
                      "mad_sigma": 1.4826 * number(stats.median_abs_deviation(values))})
write("quantile.json", cases)
