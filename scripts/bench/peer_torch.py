"""peer_torch.py: the cases as one writes them in PyTorch."""

import torch

import texts
from operands import M, OF_ONE, OF_TWO, PLACES_OF_ROWS, VOLUME, WIDTH

VERSION = "PyTorch " + torch.__version__


def use_threads(threads):
    torch.set_num_threads(threads)


def operand(array):
    return torch.from_numpy(array).clone()  # in memory of PyTorch's own allocator


def across(index):
    return index.unsqueeze(-1).expand(-1, WIDTH)


def group_new(src):
    return torch.zeros(PLACES_OF_ROWS, WIDTH)


def group_mean(src, index):
    return group_new(src).scatter_reduce_(0, across(index), src, "mean", include_self=False)


def group_max(src, index):
    """PyTorch has no positions: rows that hold the maximum give theirs, the lowest stays."""
    out = group_new(src).scatter_reduce_(0, across(index), src, "amax", include_self=False)
    n = src.size(0)
    positions = torch.where(src == out.index_select(0, index), torch.arange(n).unsqueeze(1), n)
    arg = torch.full((PLACES_OF_ROWS, WIDTH), n)
    return out, arg.scatter_reduce_(0, across(index), positions, "amin")


def four(self, index, src):
    for _ in range(10000):
        self.scatter_add_(0, index, src)


def add(self, index, src):
    self.scatter_add_(0, index, src)


def add_rows(self, index, src):
    self.scatter_add_(0, across(index), src)


def add_lines(self, index, src):
    self.scatter_add_(1, index, src)


def set_lines(self, index, src):
    self.scatter_(1, index, src)


def gather_lines(self, index, src):
    return self.gather(1, index)


def segment_csr(reduce):
    """Maxima come without positions."""
    return lambda src, starts: torch.segment_reduce(src, reduce, offsets=starts)


def along(index, src):
    return index if src.dim() == 1 else across(index)


def segment_coo(reduce):
    """PyTorch has no call that knows of the order; maxima come without positions."""

    def call(src, index):
        out = torch.zeros(int(index[-1]) + 1, *src.shape[1:])
        return out.scatter_reduce_(0, along(index, src), src, reduce, include_self=False)

    return call


def sums(src, index):
    return torch.zeros(M).index_add_(0, index, src)


def scatter_softmax(src, index):
    largest = torch.zeros(M).scatter_reduce_(0, index, src, "amax", include_self=False)
    powers = (src - largest[index]).exp_()
    return powers.div_(sums(powers, index)[index])


def scatter_std(src, index):
    count = torch.bincount(index, minlength=M)
    mean = sums(src, index).div_(count.clamp(1))
    squares = sums((src - mean[index]).square_(), index)
    return squares.div_((count - 1).clamp(1)).sqrt_()


def sorted_in_groups(src, index):
    """Values sorted within their groups, where each group starts, its count, and which are empty."""
    values, order = src.sort()
    values = values[index[order].argsort(stable=True)]
    count = torch.bincount(index, minlength=M)
    return values, count.cumsum(0) - count, (count - 1).clamp(0), count == 0


def scatter_quantile(src, index):
    values, starts, last, is_empty = sorted_in_groups(src, index)
    place = 0.9 * last
    low = place.floor().long()
    first = (starts + low).clamp(max=len(values) - 1)
    second = (starts + torch.minimum(low + 1, last)).clamp(max=len(values) - 1)
    return values[first].lerp(values[second], place - low).masked_fill_(is_empty, 0)


def scatter_median(src, index):
    values, starts, last, is_empty = sorted_in_groups(src, index)
    return values[(starts + last // 2).clamp(max=len(values) - 1)].masked_fill_(is_empty, 0)


def scatter_nd(updates, indices):
    return torch.zeros(VOLUME).index_put_(indices.unbind(1), updates, accumulate=True)


CALLS = {
    **{"add_" + key: add for key in ("1", "100", "10k", "1M", "10M", "sorted", "zipf", "int64", "float16")},
    "set_1M": lambda self, index, src: self.scatter_(0, index, src),
    "amax_1M": lambda self, index, src: self.scatter_reduce_(0, index, src, "amax"),
    "mean_1M": lambda self, index, src: self.scatter_reduce_(0, index, src, "mean"),
    "gather_1M": lambda self, index, src: self.gather(0, index),
    "rows_add": add_rows,
    "rows_amax": lambda self, index, src: self.scatter_reduce_(0, across(index), src, "amax"),
    "rows_mean": lambda self, index, src: self.scatter_reduce_(0, across(index), src, "mean"),
    "rows_full": add,
    "rows_random": add,
    "rows_sorted": add_rows,
    "rows_gather": lambda self, index, src: self.gather(0, across(index)),
    "rows_select": lambda self, index, src: self.index_select(0, index),
    "inner_add": add_lines,
    "inner_set": set_lines,
    "one_hot": lambda self, index: self.scatter_(1, index, 1.0),
    "group_sum": lambda src, index: group_new(src).scatter_add_(0, across(index), src),
    "group_mean": group_mean,
    "group_max": group_max,
    "group_sorted": lambda src, index, starts: group_new(src).scatter_add_(0, across(index), src),
    "million_add": add,
    "million_set": lambda self, index, src: self.scatter_(0, index, src),
    "million_amax": lambda self, index, src: self.scatter_reduce_(0, index, src, "amax"),
    "million_10_add": add_lines,
    "million_100_add": add_lines,
    "million_100_set": set_lines,
    "million_100_amax": lambda self, index, src: self.scatter_reduce_(1, index, src, "amax"),
    "million_100_mean": lambda self, index, src: self.scatter_reduce_(1, index, src, "mean"),
    "million_100_gather": gather_lines,
    "million_10_gather": gather_lines,
    "four": four,
    "dense_add": lambda a, b: a + b,
    "dense_mul": lambda a, b: a * b,
    "dense_exp": torch.exp,
    "dense_where": torch.where,
    "dense_sum": torch.sum,
    "dense_sum_0": lambda a: a.sum(0),
    "dense_sum_1": lambda a: a.sum(1),
    "dense_max": torch.max,
    "dense_max_0": lambda a: a.amax(0),
    "dense_max_0_positions": lambda a: a.max(0),
    "dense_argmax": torch.argmax,
    "dense_sort": torch.sort,
    "dense_cumsum": lambda a: a.cumsum(0),
    "dense_cat": lambda a, b: torch.cat((a, b)),
    "dense_transpose": lambda a: a.t().contiguous(),
    **{f"csr_{size}_{reduce}": segment_csr(reduce) for size in ("wide", "long") for reduce in ("sum", "mean", "max")},
    **{f"coo_{size}_sum": segment_coo("sum") for size in ("wide", "long")},
    **{f"coo_{size}_mean": segment_coo("mean") for size in ("wide", "long")},
    **{f"coo_{size}_max": segment_coo("amax") for size in ("wide", "long")},
    "scatter_softmax": scatter_softmax,
    "scatter_std": scatter_std,
    "scatter_quantile": scatter_quantile,
    "scatter_median": scatter_median,
    "index_add": lambda self, index, src: self.index_add_(0, index, src),
    "index_select": lambda self, index, src: self.index_select(0, index),
    "index_copy": lambda self, index, src: self.index_copy_(0, index, src),
    "index_put": lambda self, i, j, k, src: self.index_put_((i, j, k), src),
    "index_put_add": lambda self, i, j, k, src: self.index_put_((i, j, k), src, accumulate=True),
    "masked_select": torch.masked_select,
    "masked_scatter": lambda self, mask, src: self.masked_scatter_(mask, src),
    "take": lambda self, index, src: self.take(index),
    "put": lambda self, index, src: self.put_(index, src),
    "bincount": torch.bincount,
    "histc": lambda a: a.histc(100, 0, 1),
    "searchsorted": torch.searchsorted,
    "scatter_nd": scatter_nd,
    "softmax_rows": lambda a: a.softmax(1),
}
for size in ("4x4", "100x100"):
    CALLS[f"linalg_solve_{size}"] = torch.linalg.solve
    for name in ("inv", "det", "cholesky", "qr", "eigh", "svd"):
        CALLS[f"linalg_{name}_{size}"] = lambda a, b, call=getattr(torch.linalg, name): call(a)
for name in OF_ONE + OF_TWO:
    CALLS["function_" + name] = getattr(torch, name, None) or getattr(torch.nn.functional, name)
CALLS.update({"select_few": torch.nonzero, "select_quantile": lambda a: a.quantile(0.3), "select_median": torch.median,
              "select_sorted": torch.sort, "select_rest": torch.remainder, "select_cube": lambda a: a ** 3,
              "select_bytes": torch.sort, "short_counts": torch.repeat_interleave,
              "short_flip": lambda a: a.flip(0), "short_repeat": lambda a: a.repeat_interleave(4),
              "short_tile": lambda a: a.tile(1, 4), "short_roll": lambda a: a.roll(1, 1),
              "short_cumsum": lambda a: a.cumsum(1), "short_argmax": lambda a: a.argmax(1),
              "short_rows": lambda a, mask: a[mask], "short_segments": segment_csr("sum"),
              "short_long": segment_csr("max"), "short_sums": lambda a: a.sum(1),
              "product_column": torch.mv, "product_gram": lambda a: a.T @ a,
              "product_integers": lambda a: a @ a, "product_dot": torch.dot, "random_floats": lambda a: torch.randn(M),
              "random_integers": lambda a: torch.randint(1000, (M,)), "random_order": lambda a: torch.randperm(M)})
CALLS.update(texts.of_module(torch))
