"""stations.py: the One Billion Row Challenge beside polars and DuckDB.

usage: python3 scripts/bench/stations.py ROWS [BUILD [FOLDER [TURNS]]]
Writes a file of ROWS measurements of 413 stations (the challenge's scheme: a mean for each station, deviation 10), lets
strew, polars and DuckDB answer in turn, each as a process of its own on all processors or THREADS=n threads, and compares
the answers. Prints the best times of each with its start, and its memory. Removes the file.
"""

import os
import subprocess
import sys
import tempfile
import time

import numpy
import polars

THREADS = os.environ.get("THREADS", str(os.cpu_count()))
POLARS = """
import sys, polars
x = polars.scan_csv(sys.argv[1], separator=";", has_header=False, new_columns=["station", "t"],
                    schema_overrides={"station": polars.String, "t": polars.Float64})
t = polars.col("t")
rows = x.group_by("station").agg(t.min().alias("low"), t.sum().alias("sum"), t.len().alias("n"), t.max().alias("high"))
rows = rows.sort("station").collect(engine="streaming").rows()
"""
DUCKDB = """
import sys, duckdb
duckdb.execute("SET enable_progress_bar = false; SET threads = " + sys.argv[2])
rows = duckdb.execute("SELECT station, min(t), sum(t), count(*), max(t) FROM read_csv(?, delim = ';', header = false, "
    "columns = {'station': 'VARCHAR', 't': 'DOUBLE'}) GROUP BY station ORDER BY station", [sys.argv[1]]).fetchall()
"""
PRINT = """
def line(name, low, total, n, high):
    return f"{name}={low + 0.0:.1f}/{(2 * round(total * 10) + n) // (2 * n) / 10:.1f}/{high + 0.0:.1f}"
print("{" + ", ".join(line(*row) for row in rows) + "}")
"""


def write(path, rows):
    draws = numpy.random.default_rng(1)
    names = polars.Series([f"Station {i}" + " of a longer name" * (i % 3 == 0) for i in range(413)])
    means = draws.uniform(-15, 30, 413)
    with open(path, "wb") as file:
        for first in range(0, rows, 1000000):
            ids = draws.integers(0, 413, min(1000000, rows - first))
            t = numpy.clip(numpy.rint((draws.normal(0, 10, len(ids)) + means[ids]) * 10), -999, 999) / 10
            polars.DataFrame({"station": names[ids], "t": t}).write_csv(
                file, include_header=False, separator=";", float_precision=1)


def run(command, environment):
    """Returns the answer, the seconds of the clock and of processors, and the largest memory in MB."""
    start = time.perf_counter()
    child = subprocess.Popen(command, stdout=subprocess.PIPE, env={**os.environ, **environment})
    answer = child.stdout.read()
    _, status, usage = os.wait4(child.pid, 0)
    child.returncode = status
    if status:
        sys.exit(f"{command[:3]} failed")
    return answer, time.perf_counter() - start, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1000


def main():
    rows = int(float(sys.argv[1]))
    build = sys.argv[2] if len(sys.argv) > 2 else "build"
    folder = sys.argv[3] if len(sys.argv) > 3 else tempfile.gettempdir()
    turns = int(sys.argv[4]) if len(sys.argv) > 4 else 3
    path = os.path.join(folder, "measurements.txt")
    commands = {
        "strew": ([build + "/strew", "--threads", THREADS, "scripts/demos/stations.lua", path], {}),
        "polars": ([sys.executable, "-c", POLARS + PRINT, path], {"POLARS_MAX_THREADS": THREADS}),
        "DuckDB": ([sys.executable, "-c", DUCKDB + PRINT, path, THREADS], {}),
    }
    try:
        write(path, rows)
        print(f"{rows} rows, {os.path.getsize(path) / 1e6:.0f} MB, {THREADS} threads")
        best, answers = {}, {}
        for _ in range(turns):
            for name, (command, environment) in commands.items():
                answers[name], *found = run(command, environment)
                best[name] = [min(pair) for pair in zip(best.get(name, found), found)]
        for name, (seconds, work, memory) in best.items():
            same = "the same answer" if answers[name] == answers["strew"] else "ANOTHER ANSWER"
            print(f"{name:8} {seconds:8.2f} s ({seconds / best['strew'][0]:.2f}), of processors {work:8.2f} s "
                  f"({work / best['strew'][1]:.2f}), {memory:6.0f} MB, {same}")
    finally:
        if os.path.exists(path):
            os.remove(path)


main()
