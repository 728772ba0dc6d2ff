"""peer_pandas.py: the questions to tables as one writes them in pandas, which has one thread; text is categorical."""

import functools

import pandas

VERSION = "pandas " + pandas.__version__


def use_threads(threads):
    pass


def column(array):
    return pandas.Categorical.from_codes(*array) if isinstance(array, tuple) else array


@functools.cache
def operand(table):
    return pandas.DataFrame({name: column(array) for name, array in table().items()})


def groups(x, keys):
    return x.groupby(keys.split(), as_index=False, sort=False, observed=True, dropna=False)


def ask(keys, **reductions):
    return lambda x: groups(x, keys).agg(**reductions)


def sums(*names):
    return {name: (name, "sum") for name in names}


def spread(x):
    answer = groups(x, "id3").agg(most=("v1", "max"), least=("v2", "min"))
    answer["range"] = answer.pop("most") - answer.pop("least")
    return answer


def correlation(x):
    """From sums: Series.corr of each group is a hundred times slower."""
    products = x.assign(xx=x.v1 * x.v1, yy=x.v2 * x.v2, xy=x.v1 * x.v2)
    s = groups(products, "id2 id4").agg(n=("v1", "size"), **sums("v1", "v2", "xx", "yy", "xy"))
    above = s.n * s.xy - s.v1 * s.v2
    s["r2"] = above * above / ((s.n * s.xx - s.v1 * s.v1) * (s.n * s.yy - s.v2 * s.v2))
    return s[["id2", "id4", "r2"]]


CALLS = {
    "question_1": ask("id1", **sums("v1")),
    "question_2": ask("id1 id2", **sums("v1")),
    "question_3": ask("id3", **sums("v1"), v3=("v3", "mean")),
    "question_4": ask("id4", **{name: (name, "mean") for name in ("v1", "v2", "v3")}),
    "question_5": ask("id6", **sums("v1", "v2", "v3")),
    "question_6": ask("id4 id5", median=("v3", "median"), deviation=("v3", "std")),
    "question_7": spread,
    "question_8": lambda x: x[["id6", "v3"]].sort_values("v3", ascending=False).groupby("id6").head(2),
    "question_9": correlation,
    "question_10": ask("id1 id2 id3 id4 id5 id6", v3=("v3", "sum"), count=("v3", "size")),
}
