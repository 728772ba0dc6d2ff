"""make_cases.py: writes tests/data/reductions.sqlite.test and reductions.duckdb.test: queries drawn here, results of SQLite
and DuckDB.

usage: python3 tests/suites/make_cases.py [QUERIES]
"""

import datetime
import os
import random
import sqlite3
import sys

import duckdb

DATA = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "data")
draw = random.Random(1)


def literal(v):
    if isinstance(v, str):
        return "'" + v + "'"
    return "NULL" if v is None else str(v)


def rows_of(n, *columns):
    """Columns are (values, share of NULL)."""
    return [[None if draw.random() < share else draw.choice(values) for values, share in columns] for _ in range(n)]


QUARTERS = [q / 4 for q in range(-40, 41)]
TABLES = [
    ("t", "k INTEGER, g TEXT, i INTEGER, j INTEGER, r DOUBLE, w TEXT",
     rows_of(60, (range(4), 0), (["ash", "elm", "oak"], 0.1), (range(-9, 10), 0.2), (range(1, 8), 0), (QUARTERS, 0.15),
             (["kiwi", "fig", "lime", "plum", "date", "pear"], 0.2))),
    ("one", "k INTEGER, g TEXT, i INTEGER, j INTEGER, r DOUBLE, w TEXT", [[2, "ash", 5, 3, 0.25, "fig"]]),
    ("none", "k INTEGER, g TEXT, i INTEGER, j INTEGER, r DOUBLE, w TEXT", []),
]
DAYS = [datetime.date(2024, 1, 1) + datetime.timedelta(days=d) for d in range(0, 90, 3)]
MORE = [
    ("d", "k INTEGER, day DATE, i INTEGER, b BOOLEAN",
     rows_of(40, (range(3), 0), ([str(day) for day in DAYS], 0.1), (range(9), 0.1), (["true", "false"], 0.2))),
    ("prices", "item INTEGER, tick INTEGER, price DOUBLE",
     [[item, at, draw.choice(QUARTERS)] for item in range(3) for at in sorted(draw.sample(range(40), 8))]),
    ("trades", "item INTEGER, tick INTEGER, n INTEGER", rows_of(20, (range(4), 0), (range(45), 0), (range(1, 9), 0))),
]


def number(depth=2):
    if depth == 0 or draw.random() < 0.4:
        return draw.choice(["i", "j", "k", "r", "i", "r", str(draw.randint(1, 9))])
    a, b = number(depth - 1), number(depth - 1)
    return draw.choice([f"({a} + {b})", f"({a} - {b})", f"({a} * {b})", f"(- {a})", f"abs({a})", f"coalesce({a}, {b})",
                        f"CASE WHEN {condition(0)} THEN {a} ELSE {b} END"])


def condition(depth=1):
    if depth and draw.random() < 0.5:
        a, b = condition(depth - 1), condition(depth - 1)
        return draw.choice([f"({a} AND {b})", f"({a} OR {b})", f"NOT ({a})"])
    n = draw.randint(-5, 9)
    return draw.choice([f"i > {n}", f"r <= {n}", f"j <> {n}", "i IS NULL", "r IS NOT NULL", f"i IN (1, {n}, 4)", "w > 'k'",
                        f"k BETWEEN 1 AND {max(n, 1)}", "g = 'elm'", "NOT w = 'fig'", "i < j", f"r NOT BETWEEN {n} AND 8"])


def plain_aggregate():
    name = draw.choice(["sum", "count", "avg", "min", "max"])
    distinct = draw.choice(["", "", "DISTINCT "])
    if name in ("count", "min", "max") and draw.random() < 0.3:
        return f"{name}({distinct}w)"
    return draw.choice(["count(*)", f"{name}({distinct}{number()})", f"{name}({number(1)})"])


def rich_aggregate():
    filtered = draw.choice(["", "", f" FILTER (WHERE {condition()})"])
    column = draw.choice(["i", "r", "j", "i", "r"])
    share = draw.choice(["0.25", "0.5", "0.9", "0.0", "1.0"])
    name = draw.choice(["stddev_samp", "var_samp", "stddev_pop", "var_pop", "median", "avg", "sem"])
    return draw.choice([
        plain_aggregate(), f"{name}({column}){filtered}", f"{name}({number(1)})", f"quantile_cont({column}, {share})",
        f"quantile_disc(i, {share}){filtered}", "round(corr(j, k), 9)", "round(covar_samp(i, r), 9)",
        "round(covar_pop(j, r), 9)", "round(skewness(j), 9)",
        f"product({draw.choice(['j', 'k'])})", "bit_and(j)", "bit_or(k)", "bit_xor(j)", "any_value(j ORDER BY j)", f"count({column}){filtered}", f"max({column}){filtered}",
        f"sum({column}){filtered}", "regr_count(i, r)", "regr_avgx(i, r)", "bool_or(i > 5)", "bool_and(j > 1)",
        f"count_if({condition(0)})"])


def query(aggregate):
    keys = draw.sample(["k", "g", "i", "j % 3", "w"], draw.choice([0, 0, 1, 1, 2]))
    items = [aggregate() for _ in range(draw.randint(1, 3))]
    if draw.random() < 0.2:
        items[0] = f"{plain_aggregate()} {draw.choice('+-*')} {draw.randint(1, 9)}"
        if "(w)" in items[0] or "w)" in items[0]:
            items[0] = "count(*) + 1"
    text = f"SELECT {', '.join(keys + items)} FROM {draw.choice(['t'] * 8 + ['one', 'none'])}"
    if draw.random() < 0.4:
        text += f" WHERE {condition()}"
    if keys:
        text += f" GROUP BY {', '.join(keys)}"
        if draw.random() < 0.3:
            text += f" HAVING {draw.choice(['count(*) > 3', 'sum(i) > 0', 'max(r) IS NOT NULL', 'min(j) < 3'])}"
    return text


def dated_query():
    keys = draw.sample(["k", "b", "day"], draw.choice([0, 1, 1, 2]))
    items = [draw.choice(["min(day)", "max(day)", "count(day)", "count(DISTINCT day)", "bool_or(b)", "bool_and(b)", "count(b)",
                          "arg_min(i, day)" if not keys else "count(*)", "sum(i) FILTER (WHERE day > '2024-02-01')", "count(*) FILTER (WHERE b)"]) for _ in range(2)]
    return f"SELECT {', '.join(keys + items)} FROM d" + (f" GROUP BY {', '.join(keys)}" if keys else "")


def asof_query():
    kind = draw.choice(["", "LEFT "])
    op = draw.choice([">=", ">", "<=", "<"])
    where = draw.choice(["", " WHERE n > 3"])
    return (f"SELECT t.item, t.tick, n, p.tick, price FROM trades t ASOF {kind}JOIN prices p ON t.item = p.item AND t.tick {op} p.tick"
            + where)


def cell(v, dialect, kind):
    if v is None:
        return "NULL"
    if isinstance(v, bool):
        return "true" if v else "false"
    if dialect == "sqlite" and kind == "R":
        return f"{v + 0.0:.3f}"
    if isinstance(v, float):
        return repr(v)
    return str(v)


def letter(values):
    kinds = {type(v) for v in values if v is not None}
    return "R" if float in kinds else "T" if str in kinds else "I"


def write(dialect, tables, execute, queries):
    lines = [f"# Written by tests/suites/make_cases.py: results of "
             f"{'SQLite ' + sqlite3.sqlite_version if dialect == 'sqlite' else 'DuckDB ' + duckdb.__version__}.", ""]
    for name, columns, rows in tables:
        statements = [f"CREATE TABLE {name}({columns})"]
        if rows:
            statements.append(f"INSERT INTO {name} VALUES " + ", ".join(f"({', '.join(map(literal, r))})" for r in rows))
        for statement in statements:
            execute(statement)
            lines += ["statement ok", statement, ""]
    seen = set()
    while len(seen) < queries[0]:
        text = draw.choice(queries[1:])()
        if text in seen:
            continue
        try:
            answer = execute(text)
            found = answer.fetchall()
        except (sqlite3.Error, duckdb.Error):
            continue
        seen.add(text)
        types = "".join(letter(column) for column in zip(*found)) or "I" * len(answer.description)
        rows = sorted([cell(v, dialect, types[i]) for i, v in enumerate(row)] for row in found)
        lines += [f"query {types} rowsort", text, "----"] + ["\t".join(row) if dialect == "duckdb" else "\n".join(row)
                                                           for row in rows] + [""]
    with open(os.path.join(DATA, f"reductions.{dialect}.test"), "w", encoding="utf-8") as file:
        file.write("\n".join(lines))


def main():
    n = int(sys.argv[1]) if len(sys.argv) > 1 else 300
    lite = sqlite3.connect(":memory:")
    write("sqlite", TABLES, lite.execute, [n, lambda: query(plain_aggregate)])
    duck = duckdb.connect()
    write("duckdb", TABLES + MORE, duck.execute,
          [n, *[lambda: query(rich_aggregate)] * 4, dated_query, asof_query])


main()
