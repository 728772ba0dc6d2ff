# array_api.py: strew as a namespace of the Python array API standard 2025.12 (without complex numbers and fft), over
# arrays.py. Its own suite runs on it: tests/suites/python.sh.
import builtins
import math
from builtins import bool as truth
from collections import namedtuple
from types import SimpleNamespace

from arrays import Array, DTYPES as ALL_DTYPES, evaluate, from_dlpack as imported, strew, tensor

__array_api_version__ = "2025.12"
__version__ = strew.help and evaluate("return strew._VERSION")
e, inf, nan, pi, newaxis = math.e, math.inf, math.nan, math.pi, None
named = {d.name: d for d in ALL_DTYPES}.get  # a dtype of its name
DTYPES = [named(name) for name in """bool int8 int16 int32 int64 uint8 uint16 uint32 uint64
    float32 float64""".split()]
globals().update({d.name: d for d in DTYPES})
KINDS = {"bool": DTYPES[:1], "signed integer": DTYPES[1:5], "unsigned integer": DTYPES[5:9], "integral": DTYPES[1:9],
         "real floating": DTYPES[9:], "complex floating": [], "numeric": DTYPES[1:]}
DEFAULTS = {truth: DTYPES[0], int: int64, float: float32}  # noqa: F821


# ------------------------------------------------------------------------------------------------- element by element

# The names of the standard where they are not those of strew.
RENAMED = {"negative": "neg", "bitwise_invert": "bitwise_not", "conj": "positive", "real": "positive", "divide": "div",
           "subtract": "sub", "multiply": "mul", "equal": "eq", "not_equal": "ne", "less": "lt", "less_equal": "le",
           "greater": "gt", "greater_equal": "ge"}
UNARY = """abs acos acosh asin asinh atan atanh bitwise_invert ceil conj cos cosh exp expm1 floor isfinite isinf isnan
    log log1p log2 log10 logical_not negative positive real reciprocal round sign signbit sin sinh square sqrt tan tanh
    trunc"""
BINARY = """add atan2 bitwise_and bitwise_left_shift bitwise_or bitwise_right_shift bitwise_xor copysign divide equal
    floor_divide greater greater_equal hypot less less_equal logaddexp logical_and logical_or logical_xor maximum
    minimum multiply nextafter not_equal pow remainder subtract"""


def weak(x, other):  # an integer above those of Lua is one of uint64, beside such an array
    return tensor(x, other.dtype) if type(x) is int and x >> 63 > 0 else x


def unary(f): return lambda x, /: f(x)
def binary(f): return lambda x1, x2, /: f(weak(x1, x2), weak(x2, x1))


for name in UNARY.split(): globals()[name] = unary(getattr(strew, RENAMED.get(name, name)))
for name in BINARY.split(): globals()[name] = binary(getattr(strew, RENAMED.get(name, name)))


def imag(x, /): return strew.zeros_like(x)


def clip(x, /, min=None, max=None):
    if min is None and max is None: return x.clone()
    bound = lambda b: b if b is None or isinstance(b, Array) else tensor(b, x.dtype)
    return strew.clamp(x, bound(min), bound(max)).to(x.dtype)


# ------------------------------------------------------------------------------------------------------------ creation

def asarray(obj, /, *, dtype=None, device=None, copy=None):
    if isinstance(obj, Array):
        if copy is False and dtype not in (None, obj.dtype): raise ValueError(f"{dtype} of {obj.dtype} needs a copy")
        return astype(obj, dtype or obj.dtype, copy=truth(copy), device=device)
    if copy is False: raise ValueError("values need a copy")
    return tensor(obj, dtype, device)


def shaped(shape): return (shape,) if isinstance(shape, int) else tuple(shape)
def empty(shape, *, dtype=None, device=None): return strew.empty(shaped(shape), dtype=dtype, device=device)
def zeros(shape, *, dtype=None, device=None): return strew.zeros(shaped(shape), dtype=dtype, device=device)
def ones(shape, *, dtype=None, device=None): return strew.ones(shaped(shape), dtype=dtype, device=device)
def empty_like(x, /, *, dtype=None, device=None): return strew.empty_like(x, dtype=dtype, device=device)
def zeros_like(x, /, *, dtype=None, device=None): return strew.zeros_like(x, dtype=dtype, device=device)
def ones_like(x, /, *, dtype=None, device=None): return strew.ones_like(x, dtype=dtype, device=device)


def full(shape, fill_value, *, dtype=None, device=None):
    return asarray(fill_value, dtype=dtype, device=device).expand(shaped(shape)).clone()


def full_like(x, /, fill_value, *, dtype=None, device=None):
    return full(x.shape, fill_value, dtype=dtype or x.dtype, device=device or x.device)


def arange(start, /, stop=None, step=1, *, dtype=None, device=None):
    start, stop = (0, start) if stop is None else (start, stop)
    dtype = dtype or DEFAULTS[float if float in map(type, (start, stop, step)) else int]
    if (stop - start) * step <= 0: return zeros(0, dtype=dtype, device=device)  # an error in strew
    return strew.arange(start, stop, step, dtype=dtype, device=device)


def linspace(start, stop, /, num, *, dtype=None, device=None, endpoint=True):
    return strew.linspace(start, stop, num, dtype=dtype, device=device, endpoint=endpoint)


def eye(n_rows, n_cols=None, /, *, k=0, dtype=None, device=None):
    return strew.eye(n_rows, n_rows if n_cols is None else n_cols, k=k, dtype=dtype, device=device)


def from_dlpack(x, /, *, device=None, copy=None):
    t = imported(x)
    return t.clone() if copy else t


def meshgrid(*arrays, indexing="xy"): return listed(strew.meshgrid(arrays, indexing=indexing))
def tril(x, /, *, k=0): return strew.tril(x, k)
def triu(x, /, *, k=0): return strew.triu(x, k)
def listed(results): return (results,) if isinstance(results, Array) else tuple(results)


# -------------------------------------------------------------------------------------------------------------- dtypes

def astype(x, dtype, /, *, copy=True, device=None):
    x = x if dtype == x.dtype and not copy else x.to(dtype).clone() if copy and dtype == x.dtype else x.to(dtype)
    return x.to(device) if device else x


def isdtype(dtype, kind):
    return builtins.any(dtype == k or dtype in KINDS.get(k, ()) for k in (kind if isinstance(kind, tuple) else (kind,)))


def result_type(*arrays_and_dtypes):
    given = [x for x in arrays_and_dtypes if not isinstance(x, (truth, int, float))]
    dtypes = [x.dtype if isinstance(x, Array) else x for x in given]
    return dtypes[0] if len(dtypes) == 1 else named(evaluate("""local of = {}
        for i, name in ipairs(...) do of[i] = strew.zeros({}, {dtype = name, device = "cpu"}) end
        return tostring(strew.result_type(table.unpack(of)))""", dtypes))


def can_cast(from_, to, /):
    from_ = from_.dtype if isinstance(from_, Array) else from_
    return (from_ in KINDS["integral"]) >= (to in KINDS["integral"]) and result_type(from_, to) == to


def finfo(type, /):
    dtype = type.dtype if isinstance(type, Array) else type
    about = strew.finfo(dtype)
    return SimpleNamespace(**{k: about[k] for k in "bits eps max min smallest_normal".split()}, dtype=dtype)


def iinfo(type, /):
    dtype = type.dtype if isinstance(type, Array) else type
    bits = int(dtype.name.lstrip("uint"))
    low, high = (0, 2**bits - 1) if dtype.name[0] == "u" else (-2**(bits - 1), 2**(bits - 1) - 1)
    return SimpleNamespace(bits=bits, min=low, max=high, dtype=dtype)


class Info:
    def capabilities(self):
        return {"boolean indexing": True, "data-dependent shapes": True, "max dimensions": 16}

    def default_device(self): return tensor(0).device
    def devices(self): return (tensor(0).device,)

    def default_dtypes(self, *, device=None):
        return {"real floating": DEFAULTS[float], "integral": DEFAULTS[int], "indexing": DEFAULTS[int]}

    def dtypes(self, *, device=None, kind=None):
        kinds = kind if isinstance(kind, tuple) else (kind,)
        return {d.name: d for d in DTYPES if kind is None or isdtype(d, kinds)}


def __array_namespace_info__(): return Info()


# ------------------------------------------------------------------------------------------------------ shapes, places

def alike(arrays):
    dtype = result_type(*arrays)
    return [x.to(dtype) for x in arrays]


def broadcast_shapes(*shapes):
    columns = zip(*([1] * (builtins.max(map(len, shapes)) - len(s)) + list(s) for s in shapes))
    sizes = [{n for n in column if n != 1} or {1} for column in columns]
    if builtins.any(len(s) > 1 for s in sizes): raise ValueError(f"shapes {shapes} do not broadcast")
    return tuple(s.pop() for s in sizes)


def broadcast_to(x, /, shape): return strew.broadcast_to(x, list(shape))
def broadcast_arrays(*arrays):
    shape = broadcast_shapes(*(x.shape for x in arrays))
    return tuple(broadcast_to(x, shape) for x in arrays)


def concat(arrays, /, *, axis=0):
    return strew.cat([x.flatten() for x in alike(arrays)], 0) if axis is None else strew.cat(alike(arrays), axis)


def stack(arrays, /, *, axis=0): return strew.stack(alike(arrays), axis)
def unstack(x, /, *, axis=0): return tuple(strew.unstack(x, axis))
def dims(x, axis): return range(x.ndim) if axis is None else [axis] if isinstance(axis, int) else axis
def flip(x, /, *, axis=None): return strew.flip(x, list(dims(x, axis)))
def moveaxis(x, source, destination, /): return strew.moveaxis(x, source, destination)
def permute_dims(x, /, axes): return strew.permute(x, list(axes))
def tile(x, repetitions, /): return strew.tile(x, list(repetitions))
def repeat(x, repeats, /, *, axis=None): return strew.repeat_interleave(x, repeats, axis)
def roll(x, /, shift, *, axis=None): return strew.roll(x, shift, axis)
def matrix_transpose(x, /): return x.mT


def expand_dims(x, /, axis):
    rank = x.ndim + len(dims(x, axis))
    chosen = {d % rank for d in dims(x, axis) if -rank <= d < rank}
    if len(chosen) < rank - x.ndim: raise IndexError(f"axis {axis} of {rank} dimensions")
    for d in sorted(chosen): x = x.unsqueeze(d)
    return x


def squeeze(x, /, axis):
    if builtins.any(x.shape[d] != 1 for d in dims(x, axis)): raise ValueError(f"axis {axis} of {x.shape} is not 1")
    return strew.squeeze(x, list(dims(x, axis)))


def reshape(x, /, shape, *, copy=None):
    y = strew.reshape(x, list(shaped(shape)))
    return y.clone() if copy else y


def take(x, indices, /, *, axis=None): return strew.index_select(x, 0 if axis is None else axis, indices, mode="wrap")
def take_along_axis(x, indices, /, *, axis=-1): return strew.take_along_dim(x, indices, axis, mode="wrap")


# ------------------------------------------------------------------------------------------ reductions, sorting, sets

def widened(x, dtype):
    if dtype or x.dtype not in KINDS["integral"]: return dtype
    return named("uint64") if x.dtype in KINDS["unsigned integer"] else DEFAULTS[int]


def over(axis): return list(axis) if isinstance(axis, tuple) else axis


def sum(x, /, *, axis=None, dtype=None, keepdims=False):
    return strew.sum(x, over(axis), keepdims, dtype=widened(x, dtype))


def prod(x, /, *, axis=None, dtype=None, keepdims=False):
    return strew.prod(x, over(axis), keepdims, dtype=widened(x, dtype))


def max(x, /, *, axis=None, keepdims=False): return strew.amax(x, over(axis), keepdims)
def min(x, /, *, axis=None, keepdims=False): return strew.amin(x, over(axis), keepdims)
def mean(x, /, *, axis=None, keepdims=False): return strew.mean(x, over(axis), keepdims)
def all(x, /, *, axis=None, keepdims=False): return strew.all(x, over(axis), keepdims)
def any(x, /, *, axis=None, keepdims=False): return strew.any(x, over(axis), keepdims)
def argmax(x, /, *, axis=None, keepdims=False): return strew.argmax(x, axis, keepdims)
def argmin(x, /, *, axis=None, keepdims=False): return strew.argmin(x, axis, keepdims)
def count_nonzero(x, /, *, axis=None, keepdims=False): return strew.count_nonzero(x, over(axis), keepdims)


def std(x, /, *, axis=None, correction=0.0, keepdims=False):
    return strew.std(x, over(axis), keepdims, correction=correction)


def var(x, /, *, axis=None, correction=0.0, keepdims=False):
    return strew.var(x, over(axis), keepdims, correction=correction)


def cumulative_sum(x, /, *, axis=None, dtype=None, include_initial=False):
    return strew.cumsum(x, axis or 0, dtype=widened(x, dtype), include_initial=include_initial)


def cumulative_prod(x, /, *, axis=None, dtype=None, include_initial=False):
    return strew.cumprod(x, axis or 0, dtype=widened(x, dtype), include_initial=include_initial)


def diff(x, /, *, axis=-1, n=1, prepend=None, append=None):
    return strew.diff(x, n, axis, prepend=prepend, append=append)


def sort(x, /, *, axis=-1, descending=False, stable=True): return strew.sort(x, axis, descending)[0]
def argsort(x, /, *, axis=-1, descending=False, stable=True): return strew.argsort(x, axis, descending)


def searchsorted(x1, x2, /, *, side="left", sorter=None):
    return strew.searchsorted(x1, x2, right=side == "right", sorter=sorter)


def nonzero(x, /):
    if not x.ndim: raise ValueError("nonzero of a single number")
    return tuple(strew.unstack(strew.nonzero(x), 1))


def where(condition, x1, x2, /): return strew.where(condition, weak(x1, x2), weak(x2, x1))
def isin(x1, x2, /, *, invert=False): return strew.isin(as_array(x1, x2), as_array(x2, x1), invert=invert)
def as_array(x, other): return x if isinstance(x, Array) else tensor(x, other.dtype)


All = namedtuple("unique_all_result", "values indices inverse_indices counts")
Counts = namedtuple("unique_counts_result", "values counts")
Inverse = namedtuple("unique_inverse_result", "values inverse_indices")


def unique_all(x, /): return All(*strew.unique(x, return_index=True, return_inverse=True, return_counts=True))
def unique_counts(x, /): return Counts(*strew.unique(x, return_counts=True))
def unique_inverse(x, /): return Inverse(*strew.unique(x, return_inverse=True))
def unique_values(x, /): return strew.unique(x)


# ------------------------------------------------------------------------------------------------------ linear algebra

def matmul(x1, x2, /): return strew.matmul(*alike((x1, x2)))
def vecdot(x1, x2, /, *, axis=-1): return strew.vecdot(*alike((x1, x2)), axis)


def tensordot(x1, x2, /, *, axes=2):
    return strew.tensordot(*alike((x1, x2)), axes if isinstance(axes, int) else [list(a) for a in axes])


class linalg:
    Eigh, QR, Slogdet = (namedtuple(*n) for n in (("eigh_result", "eigenvalues eigenvectors"), ("qr_result", "Q R"),
                                                  ("slogdet_result", "sign logabsdet")))
    SVD = namedtuple("svd_result", "U S Vh")
    matmul, vecdot, tensordot = staticmethod(matmul), staticmethod(vecdot), staticmethod(tensordot)
    matrix_transpose = staticmethod(matrix_transpose)

    def cholesky(x, /, *, upper=False): return strew.cholesky(x, upper)
    def cross(x1, x2, /, *, axis=-1): return strew.cross(*alike((x1, x2)), axis)
    def det(x, /): return strew.det(x)
    def diagonal(x, /, *, offset=0): return strew.diagonal(x, offset, -2, -1)
    def eigh(x, /): return linalg.Eigh(*strew.eigh(x))
    def eigvalsh(x, /): return strew.eigvalsh(x)
    def inv(x, /): return strew.inv(x)
    def matrix_norm(x, /, *, keepdims=False, ord="fro"): return strew.matrix_norm(x, ord, [-2, -1], keepdims)
    def matrix_power(x, n, /): return strew.matrix_power(x, n)
    def matrix_rank(x, /, *, rtol=None): return strew.matrix_rank(x, rtol)
    def outer(x1, x2, /): return strew.outer(*alike((x1, x2)))
    def pinv(x, /, *, rtol=None): return strew.pinv(x, rtol)
    def qr(x, /, *, mode="reduced"): return linalg.QR(*strew.qr(x, mode))
    def slogdet(x, /): return linalg.Slogdet(*strew.slogdet(x))
    def solve(x1, x2, /): return strew.solve(*alike((x1, x2)))
    def svd(x, /, *, full_matrices=True): return linalg.SVD(*strew.svd(x, full_matrices))
    def svdvals(x, /): return strew.svdvals(x)
    def trace(x, /, *, offset=0, dtype=None): return sum(linalg.diagonal(x, offset=offset), axis=-1, dtype=dtype)
    def vector_norm(x, /, *, axis=None, keepdims=False, ord=2): return strew.vector_norm(x, ord, over(axis), keepdims)


def array_namespace(self, /, *, api_version=None):
    import array_api
    return array_api


def to_device(self, device, /, *, stream=None): return self.to(device)


Array.__array_namespace__, Array.to_device = array_namespace, to_device
