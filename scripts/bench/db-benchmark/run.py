"""run.py: the questions of the db-benchmark to strew, polars, DuckDB and pandas, in turn, with their checks compared.

usage: python3 run.py FOLDER DATA_NAME [TURNS [STREW [SOLUTION...]]], as data G1_1e7_1e2_0_0 3 build/strew strew polars
       python3 run.py ask SOLUTION FOLDER DATA_NAME: one solution, a line of JSON for each run of a question
Each turn is a process for each solution, which loads the files and asks each question twice, on all processors or
THREADS=n threads. Prints of each question the best seconds, as multiples of strew's, and whether the checks agree to nine
digits. data.py makes the files.
"""

import csv
import json
import os
import subprocess
import sys
import tempfile
import time

THREADS = os.environ.get("THREADS", str(os.cpu_count()))
HERE = os.path.dirname(os.path.abspath(__file__))
GROUPS = [  # question, keys, results in SQL, columns of the check
    ("sum v1 by id1", "id1", "sum(v1) v1", "v1"),
    ("sum v1 by id1:id2", "id1, id2", "sum(v1) v1", "v1"),
    ("sum v1 mean v3 by id3", "id3", "sum(v1) v1, avg(v3) v3", "v1 v3"),
    ("mean v1:v3 by id4", "id4", "avg(v1) v1, avg(v2) v2, avg(v3) v3", "v1 v2 v3"),
    ("sum v1:v3 by id6", "id6", "sum(v1) v1, sum(v2) v2, sum(v3) v3", "v1 v2 v3"),
    ("median v3 sd v3 by id4 id5", "id4, id5", "median(v3) m, stddev(v3) s", "m s"),
    ("max v1 - min v2 by id3", "id3", "max(v1) - min(v2) r", "r"),
    ("largest two v3 by id6", "id6", "unnest(max(v3, 2)) v3", "v3"),
    ("regression v1 v2 by id2 id4", "id2, id4", "pow(corr(v1, v2), 2) r2", "r2"),
    ("sum v3 count by id1:id6", "id1, id2, id3, id4, id5, id6", "sum(v3) v3, count(*) n", "v3 n"),
]
JOINS = [("small inner on int", 0, "id1", "inner"), ("medium inner on int", 1, "id2", "inner"),
         ("medium outer on int", 1, "id2", "left"), ("medium inner on factor", 1, "id5", "inner"),
         ("big inner on int", 2, "id3", "inner")]


def files(folder, name):
    if name.startswith("G1"):
        return [f"{folder}/{name}.csv"]
    exponent = int(name.split("_")[1][2:])
    return [f"{folder}/{name.replace('NA', size)}.csv"
            for size in ["NA"] + [f"1e{exponent - less}" for less in (6, 3, 0)]]


def questions_of_polars(paths):
    import polars as pl
    integer = {c: pl.Int32 for c in ("id4 id5 id6 v1 v2" if len(paths) == 1 else "id1 id2 id3").split()}
    text = ["id1", "id2", "id3"] if len(paths) == 1 else ["id4", "id5", "id6"]
    tables = []
    for path in paths:
        x = pl.read_csv(path)
        has = {c: t for c, t in integer.items() if c in x.columns and x[c].dtype.is_integer()}
        tables.append(x.with_columns([pl.col(c).cast(t) for c, t in has.items()]
                                     + [pl.col(c).cast(pl.Categorical) for c in text if c in x.columns]))
    x, c = tables[0].lazy(), pl.col
    checked = lambda columns: lambda a: [float(v) for v in a.select(
        [c(n).cast(pl.Int64).sum() if a[n].dtype.is_integer() else c(n).fill_nan(None).sum() for n in columns]).row(0)]
    if len(paths) > 1:
        for question, right, key, how in JOINS:
            y = tables[right + 1].lazy()
            yield question, lambda: x.join(y, on=key, how=how).collect(), checked(["v1", "v2"])
        return
    aggregates = [
        [c("v1").sum()], [c("v1").sum()], [c("v1").sum(), c("v3").mean()], [c("v1", "v2", "v3").mean()],
        [c("v1", "v2", "v3").sum()], [c("v3").median().alias("m"), c("v3").std().alias("s")],
        [(c("v1").max() - c("v2").min()).alias("r")], None,
        [(pl.corr("v1", "v2") ** 2).alias("r2")], [c("v3").sum(), pl.len().alias("n")]]
    for (question, keys, _, columns), what in zip(GROUPS, aggregates):
        keys = keys.split(", ")
        if what:
            answer = lambda: x.group_by(keys).agg(what).collect()
        else:
            answer = lambda: x.drop_nulls("v3").group_by(keys).agg(c("v3").top_k(2)).explode("v3").collect()
        yield question, answer, checked(columns.split())


def questions_of_duckdb(paths):
    import duckdb
    db = duckdb.connect()
    db.execute(f"SET threads = {THREADS}; SET enable_progress_bar = false")
    names = ["x", "small", "medium", "big"][:len(paths)]
    for name, path in zip(names, paths):
        db.execute(f"CREATE TABLE y AS SELECT * FROM read_csv('{path}')")
        columns = db.execute("SELECT column_name, column_type FROM (DESCRIBE y)").fetchall()
        casts = []
        for column, kind in columns:
            if kind == "VARCHAR" and column in (("id1", "id2") if len(paths) == 1 else ("id4", "id5")):
                if name == "x" or len(paths) == 1:
                    others = " UNION ".join(f"SELECT {column} FROM read_csv('{p}') WHERE {column} IS NOT NULL"
                                            for p, n in zip(paths, names) if n == "x" or column == "id4" or n != "small")
                    db.execute(f"CREATE TYPE {column}ENUM AS ENUM ({others})")
                casts.append(f"{column}::{column}ENUM AS {column}")
            else:
                casts.append(f"{column}::INT AS {column}" if kind == "BIGINT" else column)
        db.execute(f"CREATE TABLE {name} AS SELECT {', '.join(casts)} FROM y; DROP TABLE y")

    def answer(query):
        def call():
            db.execute("CREATE OR REPLACE TEMP TABLE ans AS " + query)
            return db.execute("SELECT count(*) FROM ans").fetchone()

        return call

    def checked(columns):
        sums = ", ".join(f"sum(CASE WHEN NOT isnan({n}::DOUBLE) THEN {n}::DOUBLE END)" for n in columns)
        return lambda _: [float(v) for v in db.execute(f"SELECT {sums} FROM ans").fetchone()]

    if len(paths) > 1:
        for question, right, key, how in JOINS:
            y = names[right + 1]
            other = [c for c, in db.execute(f"SELECT column_name FROM (DESCRIBE {y})").fetchall() if c not in (key, "v2")]
            columns = "".join(f"{y}.{c} AS {y}_{c}, " for c in other)
            yield question, answer(f"SELECT x.*, {columns} v2 FROM x {how} JOIN {y} USING ({key})"), checked(["v1", "v2"])
        return
    for question, keys, results, columns in GROUPS:
        where = "WHERE v3 IS NOT NULL " if "unnest" in results else ""
        yield question, answer(f"SELECT {keys}, {results} FROM x {where}GROUP BY {keys}"), checked(columns.split())


def questions_of_pandas(paths):
    import pandas as pd
    tables = [pd.read_csv(path) for path in paths]
    x = tables[0]
    checked = lambda columns: lambda a: [float(a[n].sum()) for n in columns]
    if len(paths) > 1:
        for question, right, key, how in JOINS:
            y = tables[right + 1]
            yield question, lambda: x.merge(y, on=key, how=how), checked(["v1", "v2"])
        return
    by = lambda keys: x.groupby(keys.split(", "), as_index=False, sort=False, observed=True, dropna=False)
    answers = [
        lambda g: g.agg(v1=("v1", "sum")), lambda g: g.agg(v1=("v1", "sum")),
        lambda g: g.agg(v1=("v1", "sum"), v3=("v3", "mean")), lambda g: g[["v1", "v2", "v3"]].mean(),
        lambda g: g[["v1", "v2", "v3"]].sum(), lambda g: g.agg(m=("v3", "median"), s=("v3", "std")),
        lambda g: g.agg(a=("v1", "max"), b=("v2", "min")).assign(r=lambda a: a.a - a.b),
        None,
        lambda g: g.apply(lambda d: pd.Series({"r2": d["v1"].corr(d["v2"]) ** 2})),
        lambda g: g.agg(v3=("v3", "sum"), n=("v3", "size"))]
    for (question, keys, _, columns), what in zip(GROUPS, answers):
        if what:
            answer = lambda: what(by(keys))
        else:
            answer = lambda: x[["id6", "v3"]].sort_values("v3", ascending=False).groupby("id6", dropna=False).head(2)
        yield question, answer, checked(columns.split())


def ask(solution, folder, name):
    """Prints the runs of one solution."""
    for question, answer, check in globals()["questions_of_" + solution](files(folder, name)):
        for _ in range(2):
            start = time.perf_counter()
            result = answer()
            seconds = time.perf_counter() - start
            print(json.dumps([question, seconds, check(result)]), flush=True)
            del result


def runs_of(solution, folder, name, strew):
    """Yields (question, seconds, check) of one process."""
    if solution == "strew":
        with tempfile.TemporaryDirectory() as scratch:
            log = os.path.join(scratch, "time.csv")
            task = "groupby" if name.startswith("G1") else "join"
            subprocess.run([strew, f"{HERE}/{task}-strew.lua"], check=True, stdout=subprocess.DEVNULL,
                           env={**os.environ, "CSV_TIME_FILE": log, "DATA_FOLDER": folder, "SRC_DATANAME": name,
                                "STREW_THREADS": THREADS})
            with open(log, encoding="utf-8") as file:
                for row in csv.DictReader(file):
                    yield row["question"], float(row["time_sec"]), [float(v) for v in row["chk"].split(";")]
        return
    command = [sys.executable, os.path.abspath(__file__), "ask", solution, folder, name]
    environment = {**os.environ, "POLARS_MAX_THREADS": THREADS}
    for line in subprocess.run(command, check=True, capture_output=True, text=True, env=environment).stdout.splitlines():
        yield json.loads(line)


def same(a, b):
    return len(a) == len(b) and all(abs(v - w) <= max(1e-9 * max(abs(v), abs(w)), 6e-4) for v, w in zip(a, b))


def main():
    folder, name = sys.argv[1:3]
    turns = int(sys.argv[3]) if len(sys.argv) > 3 else 3
    strew = sys.argv[4] if len(sys.argv) > 4 else "build/strew"
    solutions = sys.argv[5:] or ["strew", "polars", "duckdb"]
    best, checks = {}, {}
    for _ in range(turns):
        for solution in solutions:
            for question, seconds, check in runs_of(solution, folder, name, strew):
                times = best.setdefault(question, {})
                times[solution] = min(times.get(solution, seconds), seconds)
                checks.setdefault(question, {})[solution] = check
    wrong, ratios = 0, {}
    print(f"| {name} | " + " | ".join(solutions) + " |")
    print("| --- |" + " --- |" * len(solutions))
    for question, times in best.items():
        mine = times[solutions[0]]
        cells = [f"{1000 * mine:.0f}"]
        for solution in solutions[1:]:
            ratio = times[solution] / max(mine, 0.0005)
            ratios.setdefault(solution, []).append(ratio)
            cells.append(f"{1000 * times[solution]:.0f} ({ratio:.2f})")
            if not same(checks[question][solutions[0]], checks[question][solution]):
                wrong += 1
                print(f"ANOTHER CHECK of {question}: {checks[question]}")
        print(f"| {question} | " + " | ".join(cells) + " |")
    for solution, list_of in ratios.items():
        product = 1.0
        for ratio in list_of:
            product *= ratio
        print(f"geometric mean of {solution}: {product ** (1 / len(list_of)):.2f}")
    print(f"{len(best)} questions, {wrong} checks differ")
    sys.exit(wrong != 0)


if sys.argv[1] == "ask":
    ask(*sys.argv[2:5])
else:
    main()
