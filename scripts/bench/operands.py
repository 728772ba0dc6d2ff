"""operands.py: the operands of each case of cases.lua for the peers, as NumPy arrays of the same shapes, dtypes and
distributions. A key that is not here is a case the peers do not have."""

import os

import numpy

SCALE = int(os.environ.get("SCALE") or 1)
random = numpy.random.default_rng(1)


def size(n):
    return max(n // SCALE, 4)


M = size(1000000)
WIDTH, PLACES_OF_ROWS = 64, size(100000)
MATRIX = (size(1000), 10 * M // size(1000))
OF_ONE = tuple("log sin tan tanh sigmoid asin sinh atanh exp2 erf gelu silu softplus expm1".split())
OF_TWO = ("atan2", "hypot", "pow", "logaddexp")


def matrices(count, n):
    def make():
        a = floats(count, n, n)
        return a + a.transpose(0, 2, 1) + n * numpy.eye(n, dtype=numpy.float32), floats(count, n, 1)
    return make


def uniform(n, places):
    return random.integers(0, places, n)


def ordered(n, places):
    return numpy.sort(uniform(n, places))


def constant(n, _):
    return numpy.zeros(n, numpy.int64)


def zipf(n, places):
    share = numpy.cumsum(numpy.arange(1.0, places + 1) ** -1.3)
    return numpy.searchsorted(share / share[-1], random.random(n)).clip(0, places - 1)


def floats(*shape):
    return random.random(shape, numpy.float32)


def line(index, places, dtype=numpy.float32, count=10 * M):
    def make():
        src = uniform(count, 100) if dtype == numpy.int64 else floats(count).astype(dtype)
        return numpy.zeros(places, dtype), index(count, places), src

    return make


def rows(index):
    return lambda: (
        numpy.zeros((PLACES_OF_ROWS, WIDTH), numpy.float32),
        index(M, PLACES_OF_ROWS),
        floats(M, WIDTH),
    )


def full_rows():
    self, index, src = rows(uniform)()
    return self, numpy.repeat(index[:, None], WIDTH, 1), src


def random_rows():
    self, _, src = rows(uniform)()
    return self, uniform((M, WIDTH), PLACES_OF_ROWS), src


def lines(count, length, places):
    return lambda: (
        numpy.zeros((count, places), numpy.float32),
        uniform((count, length), places),
        floats(count, length),
    )


inner = lines(size(1000), 10 * size(1000), size(1000))


def one_hot():
    return numpy.zeros((PLACES_OF_ROWS, 1000), numpy.float32), uniform((PLACES_OF_ROWS, 1), 1000)


def group(index):
    return lambda: (floats(M, WIDTH), index(M, PLACES_OF_ROWS))


def group_sorted():
    """With where each group starts, for the peers that want that."""
    src, index = group(ordered)()
    return src, index, numpy.searchsorted(index, numpy.arange(PLACES_OF_ROWS + 1))


def four():
    return numpy.zeros(4, numpy.float32), numpy.array([3, 1, 3, 0]), floats(4)


def dense(count, *shape):
    return lambda: tuple(floats(*(shape or (10 * M,))) for _ in range(count))


def dense_where():
    a, b = dense(2)()
    return a > b, a, b


def uneven(n):
    """Where segments start: one has a tenth of n, a tenth are of one element, the others have 8 on average."""
    tenth = n // 10
    parts = [0], numpy.arange(tenth, 2 * tenth + 1), ordered(tenth, max(n - 2 * tenth, 1)) + 2 * tenth, [n]
    return numpy.concatenate(parts).astype(numpy.int64)


def segments(*shape):
    return lambda: (floats(*shape), uneven(shape[0]))


def sorted_groups(*shape):
    """The same segments, by ids."""

    def make():
        lengths = numpy.diff(uneven(shape[0]))
        return floats(*shape), numpy.repeat(numpy.arange(len(lengths)), lengths)

    return make


SIDE = 8 if size(1000000) < 1000 else 100
VOLUME = (SIDE, SIDE, SIDE)


def in_volume():
    return numpy.zeros(VOLUME, numpy.float32), *(uniform(10 * M, SIDE) for _ in VOLUME), floats(10 * M)


def many_groups():
    return floats(10 * M), uniform(10 * M, M)


def half_of(n):
    return random.random(n) < 0.5


def table():
    """The table of ../demos/ten.lua: columns by name, text as codes and words."""
    few, many = 100, max(10 * M // 100, 1)
    words = {few: [f"id{k + 1:03}" for k in range(few)], many: [f"id{k + 1:010}" for k in range(many)]}

    def keys(count):
        return uniform(10 * M, count).astype(numpy.int32)

    return {
        "id1": (keys(few), words[few]),
        "id2": (keys(few), words[few]),
        "id3": (keys(many), words[many]),
        "id4": keys(few) + 1,
        "id5": keys(few) + 1,
        "id6": keys(many) + 1,
        "v1": keys(5) + 1,
        "v2": keys(15) + 1,
        "v3": (random.random(10 * M) * 100).round(6),
    }


OPERANDS = {
    "add_1": line(constant, 1),
    "add_100": line(uniform, 100),
    "add_10k": line(uniform, size(10000)),
    "add_1M": line(uniform, M),
    "add_10M": line(uniform, 10 * M),
    "add_sorted": line(ordered, M),
    "add_zipf": line(zipf, M),
    "add_int64": line(uniform, M, numpy.int64),
    "add_float16": line(uniform, M, numpy.float16),
    "set_1M": line(uniform, M),
    "amax_1M": line(uniform, M),
    "mean_1M": line(uniform, M),
    "gather_1M": line(uniform, M),
    "rows_add": rows(uniform),
    "rows_amax": rows(uniform),
    "rows_mean": rows(uniform),
    "rows_full": full_rows,
    "rows_random": random_rows,
    "rows_sorted": rows(ordered),
    "rows_gather": rows(uniform),
    "rows_select": rows(uniform),
    "inner_add": inner,
    "inner_set": inner,
    "one_hot": one_hot,
    "group_sum": group(uniform),
    "group_mean": group(uniform),
    "group_max": group(uniform),
    "group_sorted": group_sorted,
    **{"million_" + call: line(uniform, size(1000), count=M) for call in ("add", "set", "amax")},
    **{"million_100_" + call: lines(M // 100, 100, 100) for call in ("add", "set", "amax", "mean", "gather")},
    "million_10_add": lines(M // 10, 10, 10),
    "million_10_gather": lines(M // 10, 10, 100),
    "four": four,
    "dense_add": dense(2),
    "dense_mul": dense(2),
    "dense_exp": dense(1),
    "dense_where": dense_where,
    "dense_sum": dense(1),
    "dense_sum_0": dense(1, *MATRIX),
    "dense_sum_1": dense(1, *MATRIX),
    "dense_max": dense(1),
    "dense_max_0": dense(1, *MATRIX),
    "dense_max_0_positions": dense(1, *MATRIX),
    "dense_argmax": dense(1),
    "dense_sort": dense(1),
    "dense_cumsum": dense(1),
    "dense_cat": dense(2, 5 * M),
    "dense_transpose": dense(1, *MATRIX),
    **{"csr_wide_" + call: segments(M, WIDTH) for call in ("sum", "mean", "max")},
    **{"csr_long_" + call: segments(10 * M) for call in ("sum", "mean", "max")},
    **{"coo_wide_" + call: sorted_groups(M, WIDTH) for call in ("sum", "mean", "max")},
    **{"coo_long_" + call: sorted_groups(10 * M) for call in ("sum", "mean", "max")},
    **{"scatter_" + call: many_groups for call in ("softmax", "std", "quantile", "median")},
    **{"index_" + call: rows(uniform) for call in ("add", "select", "copy")},
    "index_put": in_volume,
    "index_put_add": in_volume,
    "masked_select": lambda: (floats(10 * M), half_of(10 * M)),
    "masked_scatter": lambda: (numpy.zeros(10 * M, numpy.float32), half_of(10 * M), floats(10 * M)),
    "take": line(uniform, 10 * M),
    "put": line(uniform, 10 * M),
    "bincount": lambda: (uniform(10 * M, M),),
    "histc": dense(1),
    "searchsorted": lambda: (numpy.sort(floats(M)), floats(10 * M)),
    "scatter_nd": lambda: (floats(M), uniform((M, 3), SIDE)),
    "softmax_rows": dense(1, *MATRIX),
    **{f"linalg_{name}_{n}x{n}": matrices(count, n) for count, n in ((size(10000), 4), (10, 100))
       for name in ("solve", "inv", "det", "cholesky", "qr", "eigh", "svd")},
    **{"function_" + name: dense(1) for name in OF_ONE},
    **{"function_" + name: dense(2) for name in OF_TWO},
    "select_few": lambda: (floats(10 * M) < 0.02,),
    **{"select_" + name: lambda: (floats(M),) for name in ("quantile", "median")},
    "select_sorted": lambda: (numpy.sort(floats(10 * M)),),
    "select_bytes": lambda: ((floats(10 * M) * 256).astype(numpy.uint8),),
    "select_rest": dense(2),
    "select_cube": dense(1),
    **{"short_" + name: lambda: (floats(M),) for name in ("flip", "repeat")},
    "short_counts": lambda: (floats(M // 4), uniform(M // 4, 9)),
    **{"short_" + name: lambda: (floats(M // 3, 3),) for name in ("tile", "roll", "cumsum", "argmax")},
    "short_rows": lambda: (floats(M // 3, 3), half_of(M // 3)),
    "short_segments": lambda: (floats(M), numpy.arange(0, M + 1, 3)),
    "short_long": lambda: (floats(10 * M), numpy.arange(0, 10 * M + 1, M)),
    "short_sums": lambda: (floats(size(100000), 100).astype(numpy.float64),),
    "product_column": lambda: (floats(1000, 1000), floats(1000)),
    "product_gram": lambda: (floats(size(100000), 3),),
    "product_integers": lambda: ((floats(256, 256) * 9).astype(numpy.int64),),
    "product_dot": dense(2),
    **{"random_" + name: lambda: (floats(M),) for name in ("floats", "integers", "order")},
    **{f"question_{k + 1}": lambda: (table,) for k in range(10)},  # made once by each peer
    **{f"question_{name}_text": lambda: (table,) for name in ("9", "rows")},
}
