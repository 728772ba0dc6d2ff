"""peer_duckdb.py: the questions to tables as one writes them for DuckDB; text is ENUM. The answer is a new table."""

import functools

import duckdb

VERSION = "DuckDB " + duckdb.__version__
connection = duckdb.connect()


def use_threads(threads):
    connection.execute(f"SET threads = {threads}")


@functools.cache
def operand(table):
    """Creates x, whose text columns are words of a type of their own; the calls need nothing of it."""
    columns, parts = table(), []
    numbers = {name: array[0] if isinstance(array, tuple) else array for name, array in columns.items()}
    for name, array in columns.items():
        if isinstance(array, tuple):
            words = ", ".join(f"'{word}'" for word in array[1])
            connection.execute(f"CREATE TYPE words_{name} AS ENUM ({words})")
            width = len(array[1][0]) - 2
            parts.append(f"printf('id%0{width}d', {name} + 1)::words_{name} AS {name}")
        else:
            parts.append(name)
    connection.register("numbers", numbers)
    connection.execute(f"CREATE TABLE x AS SELECT {', '.join(parts)} FROM numbers")
    connection.unregister("numbers")


def ask(keys, results):
    query = f"CREATE OR REPLACE TEMP TABLE answer AS SELECT {keys}, {results} FROM x GROUP BY {keys}"

    def call(_):
        connection.execute(query)

    return call


CALLS = {
    "question_1": ask("id1", "sum(v1)"),
    "question_2": ask("id1, id2", "sum(v1)"),
    "question_3": ask("id3", "sum(v1), avg(v3)"),
    "question_4": ask("id4", "avg(v1), avg(v2), avg(v3)"),
    "question_5": ask("id6", "sum(v1), sum(v2), sum(v3)"),
    "question_6": ask("id4, id5", "median(v3), stddev(v3)"),
    "question_7": ask("id3", "max(v1) - min(v2)"),
    "question_8": ask("id6", "unnest(max(v3, 2))"),
    "question_9": ask("id2, id4", "corr(v1, v2) ** 2"),
    "question_10": ask("id1, id2, id3, id4, id5, id6", "sum(v3), count(*)"),
    "question_9_text": ask("id2, id4", "corr(v1, v2) ** 2"),
    "question_rows_text": lambda _: connection.execute(
        "CREATE OR REPLACE TEMP TABLE answer AS SELECT * FROM x WHERE v3 > 90 AND v1 = 3"
    ),
}
