"""peer_numpy.py: the cases as one writes them in NumPy, which has one thread. What it has no call for is left out."""

import numpy

import texts
from operands import M, OF_ONE, OF_TWO, PLACES_OF_ROWS, VOLUME, WIDTH, random

VERSION = "NumPy " + numpy.__version__


def use_threads(threads):
    pass


def operand(array):
    return array


def add(self, index, src):
    numpy.add.at(self, index, src)


def set_at(self, index, src):
    self[index] = src


def add_lines(self, index, src):
    numpy.add.at(self, (numpy.arange(len(self))[:, None], index), src)


def set_lines(self, index, src):
    numpy.put_along_axis(self, index, src, 1)


def gather_lines(self, index, src):
    return numpy.take_along_axis(self, index, 1)


def mean(self, index, src):
    numpy.add.at(self, index, src)
    counts = numpy.bincount(index, minlength=len(self)) + 1
    self /= counts.astype(numpy.float32).reshape(-1, *[1] * (self.ndim - 1))


def group_new():
    return numpy.zeros((PLACES_OF_ROWS, WIDTH), numpy.float32)


def group_sum(src, index):
    out = group_new()
    numpy.add.at(out, index, src)
    return out


def group_mean(src, index):
    out = group_sum(src, index)
    out /= numpy.bincount(index, minlength=len(out)).clip(1).astype(numpy.float32)[:, None]
    return out


def group_sorted(src, index, starts):
    """reduceat gives an empty group the row that it starts at."""
    out = numpy.add.reduceat(src, starts[:-1].clip(0, len(src) - 1), axis=0)
    out[starts[:-1] == starts[1:]] = 0
    return out


def sort(a):
    positions = numpy.argsort(a)
    return a[positions], positions


def four(self, index, src):
    for _ in range(10000):
        numpy.add.at(self, index, src)


def one_hot(self, index):
    numpy.put_along_axis(self, index, 1, 1)


def segment_csr(ufunc):
    """reduceat gives an empty segment the element that it starts at."""

    def call(src, starts):
        out = ufunc.reduceat(src, starts[:-1].clip(0, len(src) - 1), axis=0)
        out[starts[:-1] == starts[1:]] = 0
        return out

    return call


def segment_mean(src, starts):
    out = segment_csr(numpy.add)(src, starts)
    out /= numpy.diff(starts).clip(1).astype(numpy.float32).reshape(-1, *[1] * (src.ndim - 1))
    return out


def sorted_in_groups(src, index):
    """As in peer_torch.py."""
    values = src[numpy.lexsort((src, index))]
    count = numpy.bincount(index, minlength=M)
    return values, numpy.cumsum(count) - count, (count - 1).clip(0), count == 0


def scatter_quantile(src, index):
    values, starts, last, is_empty = sorted_in_groups(src, index)
    place = numpy.float32(0.9) * last
    low = place.astype(numpy.int64)
    first = values.take(starts + low, mode="clip")
    second = values.take(starts + numpy.minimum(low + 1, last), mode="clip")
    out = first + (second - first) * (place - low).astype(numpy.float32)
    out[is_empty] = 0
    return out


def scatter_median(src, index):
    values, starts, last, is_empty = sorted_in_groups(src, index)
    out = values.take(starts + last // 2, mode="clip")
    out[is_empty] = 0
    return out


def scatter_nd(updates, indices):
    out = numpy.zeros(VOLUME, numpy.float32)
    numpy.add.at(out, tuple(indices.T), updates)
    return out


def index_put(self, i, j, k, src):
    self[i, j, k] = src


def softmax_rows(a):
    powers = a - a.max(1, keepdims=True)
    numpy.exp(powers, powers)
    powers /= powers.sum(1, keepdims=True)
    return powers


CALLS = {
    **{"add_" + key: add for key in ("1", "100", "10k", "1M", "10M", "sorted", "zipf", "int64", "float16")},
    "set_1M": set_at,
    "amax_1M": lambda self, index, src: numpy.maximum.at(self, index, src),
    "mean_1M": mean,
    "gather_1M": lambda self, index, src: numpy.take(self, index),
    "rows_add": add,
    "rows_amax": lambda self, index, src: numpy.maximum.at(self, index, src),
    "rows_mean": mean,
    "rows_full": lambda self, index, src: numpy.add.at(self, (index, numpy.arange(WIDTH)), src),
    "rows_random": lambda self, index, src: numpy.add.at(self, (index, numpy.arange(WIDTH)), src),
    "rows_sorted": add,
    "rows_gather": lambda self, index, src: numpy.take(self, index, 0),
    "rows_select": lambda self, index, src: numpy.take(self, index, 0),
    "inner_add": add_lines,
    "inner_set": set_lines,
    "one_hot": one_hot,
    "group_sum": group_sum,
    "group_mean": group_mean,
    "group_sorted": group_sorted,
    "million_add": add,
    "million_set": set_at,
    "million_amax": numpy.maximum.at,
    "million_10_add": add_lines,
    "million_100_add": add_lines,
    "million_100_set": set_lines,
    "million_100_gather": gather_lines,
    "million_10_gather": gather_lines,
    "four": four,
    "dense_add": lambda a, b: a + b,
    "dense_mul": lambda a, b: a * b,
    "dense_exp": numpy.exp,
    "dense_where": numpy.where,
    "dense_sum": numpy.sum,
    "dense_sum_0": lambda a: a.sum(0),
    "dense_sum_1": lambda a: a.sum(1),
    "dense_max": numpy.max,
    "dense_max_0": lambda a: a.max(0),
    "dense_max_0_positions": lambda a: (a.max(0), a.argmax(0)),
    "dense_argmax": numpy.argmax,
    "dense_sort": sort,
    "dense_cumsum": numpy.cumsum,
    "dense_cat": lambda a, b: numpy.concatenate((a, b)),
    "dense_transpose": lambda a: numpy.ascontiguousarray(a.T),
    **{f"csr_{size}_sum": segment_csr(numpy.add) for size in ("wide", "long")},
    **{f"csr_{size}_mean": segment_mean for size in ("wide", "long")},
    **{f"csr_{size}_max": segment_csr(numpy.maximum) for size in ("wide", "long")},
    "scatter_quantile": scatter_quantile,
    "scatter_median": scatter_median,
    "index_add": add,
    "index_select": lambda self, index, src: numpy.take(self, index, 0),
    "index_copy": set_at,
    "index_put": index_put,
    "index_put_add": lambda self, i, j, k, src: numpy.add.at(self, (i, j, k), src),
    "masked_select": lambda a, mask: a[mask],
    "masked_scatter": numpy.place,
    "take": lambda self, index, src: numpy.take(self, index),
    "put": lambda self, index, src: numpy.put(self, index, src),
    "bincount": numpy.bincount,
    "histc": lambda a: numpy.histogram(a, 100, (0, 1)),
    "searchsorted": numpy.searchsorted,
    "scatter_nd": scatter_nd,
    "softmax_rows": softmax_rows,
}
for size in ("4x4", "100x100"):
    CALLS[f"linalg_solve_{size}"] = numpy.linalg.solve
    for name in ("inv", "det", "cholesky", "qr", "eigh", "svd"):
        CALLS[f"linalg_{name}_{size}"] = lambda a, b, call=getattr(numpy.linalg, name): call(a)
FUNCTION_NAMES = {"asin": "arcsin", "atanh": "arctanh", "atan2": "arctan2", "pow": "power"}
for name in OF_ONE + OF_TWO:
    if hasattr(numpy, FUNCTION_NAMES.get(name, name)):
        CALLS["function_" + name] = getattr(numpy, FUNCTION_NAMES.get(name, name))
CALLS.update({"select_few": numpy.nonzero, "select_quantile": lambda a: numpy.quantile(a, 0.3),
              "select_median": numpy.median, "select_sorted": sort, "select_rest": numpy.remainder,
              "select_bytes": lambda a: a[a.argsort(kind="stable")], "short_counts": numpy.repeat,
              "select_cube": lambda a: a ** 3, "short_flip": lambda a: a[::-1].copy(),
              "short_repeat": lambda a: a.repeat(4), "short_tile": lambda a: numpy.tile(a, (1, 4)),
              "short_roll": lambda a: numpy.roll(a, 1, 1), "short_cumsum": lambda a: a.cumsum(1),
              "short_argmax": lambda a: a.argmax(1), "short_rows": lambda a, mask: a[mask],
              "short_segments": segment_csr(numpy.add), "short_long": segment_csr(numpy.maximum),
              "short_sums": lambda a: a.sum(1),
              "product_column": numpy.matmul, "product_gram": lambda a: a.T @ a, "product_integers": lambda a: a @ a,
              "product_dot": numpy.dot, "random_floats": lambda a: random.standard_normal(M, numpy.float32),
              "random_integers": lambda a: random.integers(0, 1000, M), "random_order": lambda a: random.permutation(M)})
CALLS.update(texts.of_module(numpy))
