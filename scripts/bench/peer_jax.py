"""peer_jax.py: the cases as one writes them in JAX: compiled, `self` donated where the call is in place, waited for.
XLA has as many threads as the process may use processors, so that is what is set, before it is loaded."""

import os
import sys

os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[: int(sys.argv[2])])
os.environ["JAX_ENABLE_X64"] = "1"  # int64 indices
os.environ["JAX_PLATFORMS"] = "cpu"

import jax
import jax.numpy as jnp
from jax import lax

from operands import PLACES_OF_ROWS, WIDTH

VERSION = "JAX " + jax.__version__


def use_threads(threads):
    pass


def operand(array):
    return jnp.array(array)


def add(self, index, src):
    return self.at[index].add(src)


def amax(self, index, src):
    return self.at[index].max(src)


def mean(self, index, src):
    counts = jnp.ones(len(self)).at[index].add(1)
    return (self.at[index].add(src) / counts.reshape(-1, *[1] * (self.ndim - 1))).astype(self.dtype)


def add_full(self, index, src):
    return self.at[index, jnp.arange(WIDTH)].add(src)


def lines(self):
    return jnp.arange(len(self))[:, None]


def add_lines(self, index, src):
    return self.at[lines(self), index].add(src)


def set_lines(self, index, src):
    return self.at[lines(self), index].set(src)


def gather_lines(self, index, src):
    return jnp.take_along_axis(self, index, 1)


def group_sum(src, index):
    return jax.ops.segment_sum(src, index, PLACES_OF_ROWS)


def group_mean(src, index):
    counts = jax.ops.segment_sum(jnp.ones(len(src), src.dtype), index, PLACES_OF_ROWS)
    return group_sum(src, index) / jnp.maximum(counts, 1)[:, None]


def group_max(src, index):
    """JAX has no positions either: see peer_torch.py."""
    out = jax.ops.segment_max(src, index, PLACES_OF_ROWS)
    positions = jnp.where(src == out[index], jnp.arange(len(src))[:, None], len(src))
    return out, jax.ops.segment_min(positions, index, PLACES_OF_ROWS)


def group_sorted(src, index, starts):
    return jax.ops.segment_sum(src, index, PLACES_OF_ROWS, indices_are_sorted=True)


def sort(a):
    return lax.sort((a, jnp.arange(len(a))), num_keys=1)


# The result reuses the memory of `self`, for the next call.
IN_PLACE = {
    **{"add_" + key: add for key in ("1", "100", "10k", "1M", "10M", "sorted", "zipf", "int64", "float16")},
    "set_1M": lambda self, index, src: self.at[index].set(src),
    "amax_1M": amax,
    "mean_1M": mean,
    "rows_add": add,
    "rows_amax": amax,
    "rows_mean": mean,
    "rows_full": add_full,
    "rows_random": add_full,
    "rows_sorted": lambda self, index, src: self.at[index].add(src, indices_are_sorted=True),
    "inner_add": add_lines,
    "inner_set": set_lines,
    "million_add": add,
    "million_set": lambda self, index, src: self.at[index].set(src),
    "million_amax": amax,
    "million_10_add": add_lines,
    "million_100_add": add_lines,
    "million_100_set": set_lines,
    "million_100_amax": lambda self, index, src: self.at[lines(self), index].max(src),
    "one_hot": lambda self, index: self.at[jnp.arange(len(self)), index[:, 0]].set(1.0),
}
NEW = {
    "gather_1M": lambda self, index, src: self[index],
    "rows_gather": lambda self, index, src: self[index],
    "rows_select": lambda self, index, src: self[index],
    "million_100_gather": gather_lines,
    "million_10_gather": gather_lines,
    "group_sum": group_sum,
    "group_mean": group_mean,
    "group_max": group_max,
    "group_sorted": group_sorted,
    "dense_add": jnp.add,
    "dense_mul": jnp.multiply,
    "dense_exp": jnp.exp,
    "dense_where": jnp.where,
    "dense_sum": jnp.sum,
    "dense_sum_0": lambda a: a.sum(0),
    "dense_sum_1": lambda a: a.sum(1),
    "dense_max": jnp.max,
    "dense_max_0": lambda a: a.max(0),
    "dense_max_0_positions": lambda a: (a.max(0), a.argmax(0)),
    "dense_argmax": jnp.argmax,
    "dense_sort": sort,
    "dense_cumsum": jnp.cumsum,
    "dense_cat": lambda a, b: jnp.concatenate((a, b)),
    "dense_transpose": lambda a: a.T.copy(),
}


def waited(compiled):
    return lambda *operands: jax.block_until_ready(compiled(*operands))


def four():
    once = waited(jax.jit(add, donate_argnums=0))

    def call(self, *others):
        for _ in range(10000):
            self = once(self, *others)
        return self

    return call


CALLS = {key: waited(jax.jit(function, donate_argnums=0)) for key, function in IN_PLACE.items()}
CALLS |= {key: waited(jax.jit(function)) for key, function in NEW.items()}
CALLS["four"] = IN_PLACE["four"] = four()
