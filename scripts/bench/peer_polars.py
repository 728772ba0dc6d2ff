"""peer_polars.py: the questions to tables, and expressions, as one writes them in polars; text is categorical."""

import functools
import os
import sys

os.environ["POLARS_MAX_THREADS"] = sys.argv[2]  # read once, when polars is loaded

import polars  # noqa: E402
from polars import col  # noqa: E402

import texts  # noqa: E402

VERSION = "polars " + polars.__version__


def use_threads(threads):
    pass


def column(array):
    if isinstance(array, tuple):
        codes, words = array
        return polars.Series(codes.astype("uint32")).replace_strict(
            range(len(words)), words, return_dtype=polars.Enum(words)
        )
    return polars.Series(array)


def operand(made):
    return frame(made) if callable(made) else polars.Series(made)


@functools.cache
def frame(table):
    return polars.DataFrame({name: column(array) for name, array in table().items()})


def ask(keys, *reductions):
    return lambda x: x.group_by(keys.split()).agg(*reductions)


def sums(*names):
    return [col(name).sum() for name in names]


def select(expression):
    return lambda *columns: polars.DataFrame(dict(zip("xyzg", columns))).select(expression)


class Functions:
    """NumPy's names."""

    exp, log, sqrt, tanh = (staticmethod(lambda x, name=name: getattr(x, name)()) for name in ("exp", "log", "sqrt", "tanh"))


FORMULAS = {
    name: select(formula(Functions, col("x"), col("y"), col("z")))
    for name, formula in texts.FORMULAS.items()
    if name != "scores"
}
FORMULAS["scores"] = select((col("x") - col("x").mean().over("g")) / col("x").std().over("g"))

CALLS = {
    "question_1": ask("id1", *sums("v1")),
    "question_2": ask("id1 id2", *sums("v1")),
    "question_3": ask("id3", *sums("v1"), col("v3").mean()),
    "question_4": ask("id4", col("v1", "v2", "v3").mean()),
    "question_5": ask("id6", *sums("v1", "v2", "v3")),
    "question_6": ask("id4 id5", col("v3").median().alias("median"), col("v3").std().alias("deviation")),
    "question_7": ask("id3", (col("v1").max() - col("v2").min()).alias("range")),
    "question_8": lambda x: x.group_by("id6").agg(col("v3").top_k(2)).explode("v3"),
    "question_9": ask("id2 id4", (polars.corr("v1", "v2") ** 2).alias("r2")),
    "question_10": ask("id1 id2 id3 id4 id5 id6", *sums("v3"), polars.len().alias("count")),
    "question_9_text": ask("id2 id4", (polars.corr("v1", "v2") ** 2).alias("r2")),
    "question_rows_text": lambda x: x.filter((col("v3") > 90) & (col("v1") == 3)),
    **texts.calls(FORMULAS),
}
