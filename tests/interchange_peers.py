# usage: python3 tests/interchange_peers.py BUILD
# Tensors and tables to and from NumPy, PyTorch, pyarrow, polars and DuckDB in this process, as far as they are installed:
# values, addresses (no copy), and every deleter and release called exactly once, in either order.
import ctypes
import gc
import sys
from ctypes import CFUNCTYPE, POINTER, Structure, byref, c_char_p, c_double, c_int, c_int32, c_int64, c_size_t, c_uint8, \
    c_uint16, c_uint32, c_uint64, c_void_p, cast, py_object

build = sys.argv[1]


def peer(name):
    try:
        return __import__(name)
    except ImportError:
        print(f"peers: without {name}, which is not installed for {sys.executable}")


np, torch, pa, pl, duckdb = peer("numpy"), peer("torch"), peer("pyarrow"), peer("polars"), peer("duckdb")
if not np:
    print("peers: left out, needs NumPy (PYTHON=...)")
    sys.exit()
strew = ctypes.CDLL(f"{build}/libstrew.so")
passed = 0


def expect(fact, what):
    global passed
    if not fact:
        print("FAILED", what)
        sys.exit(1)
    passed += 1


# The closing table: exchanges by their peer, interface and direction; how many were seen to share memory (the address is
# the same on both sides), to be a copy, and to be released: once, when the last user is gone.
exchanges = {}


def count(exchange, kind, fact, what):
    row = exchanges.setdefault(exchange, {"shared": 0, "copied": 0, "released": 0})
    row[kind] += 1
    expect(fact, f"{what}: {kind}")


def print_exchanges():
    modules = {"NumPy": np, "PyTorch": torch, "pyarrow": pa, "polars": pl, "DuckDB": duckdb}
    print(f"{'peer':16} {'interface':13} {'direction':11} {'shared':>7} {'copied':>7} {'released once':>14}")
    for (name, interface, direction), row in sorted(exchanges.items(), key=lambda x: (list(modules).index(x[0][0]), x[0])):
        label = f"{name} {modules[name].__version__.split('+')[0]}"
        print(f"{label:16} {interface:13} {direction:11} {row['shared']:7} {row['copied']:7} {row['released']:14}")


# ------------------------------------------------------------------------------------------------------ the library

names = "float32 float64 float16 bfloat16 int64 int32 int16 int8 uint8 bool uint16 uint32 uint64".split()
dtypes = names + ["time", "text"]
strew.strew_tensor_strides.restype = strew.strew_tensor_sizes.restype = POINTER(c_int64)
strew.strew_tensor_numel.restype = c_int64
strew.strew_device_at.restype = c_void_p
for f, kinds in {"strew_device_at": [c_void_p, c_int], "strew_context_release": [c_void_p],
                 "strew_context_bytes": [c_void_p]}.items():
    getattr(strew, f).argtypes = kinds
strew.strew_context_bytes.restype = c_size_t
context = c_void_p()
expect(strew.strew_context_create(None, byref(context), None) == 0, "a context")
cpu = c_void_p(strew.strew_device_at(context, 0))



def call(f, *arguments):
    status = getattr(strew, f)(*arguments, None)
    expect(status == 0, f"{f}: {status}")


class Tensor:
    def __init__(self, pointer):
        self.pointer = pointer

    @staticmethod
    def made(dtype, array):
        shape = (c_int64 * array.ndim)(*array.shape)
        t = c_void_p()
        call("strew_from", cpu, names.index(dtype), array.ndim, shape, c_void_p(array.ctypes.data), byref(t))
        return Tensor(t)

    def free(self):
        strew.strew_release(self.pointer)
        self.pointer = None

    dtype = property(lambda self: dtypes[strew.strew_tensor_dtype(self.pointer)])
    rank = property(lambda self: strew.strew_tensor_rank(self.pointer))
    shape = property(lambda self: tuple(strew.strew_tensor_sizes(self.pointer)[:self.rank]))
    strides = property(lambda self: tuple(strew.strew_tensor_strides(self.pointer)[:self.rank]))

    @property
    def address(self):
        data = c_void_p()
        call("strew_data", self.pointer, byref(data))
        return data.value or 0

    def bytes(self):
        size = strew.strew_tensor_numel(self.pointer)
        size *= int(strew.strew_dtype_size_bytes(dtypes.index(self.dtype)))
        buffer = ctypes.create_string_buffer(size)
        call("strew_read", self.pointer, buffer, c_size_t(size))
        return buffer.raw

    def is_writable(self):
        # writes 0 (strew_int, passed by value)
        return strew.strew_fill(self.pointer, Scalar(4, 0), None) == 0


class Scalar(Structure):
    _fields_ = [("dtype", c_int), ("i", c_int64)]


# ----------------------------------------------------------------------------------------------------------- DLPack

class Plain(Structure):
    _fields_ = [("data", c_void_p), ("device", c_int32 * 2), ("rank", c_int32), ("code", c_uint8), ("bits", c_uint8),
                ("lanes", c_uint16), ("sizes", POINTER(c_int64)), ("strides", POINTER(c_int64)), ("offset", c_uint64),
                ("owner", c_void_p), ("deleter", c_void_p)]


class Versioned(Structure):
    _fields_ = [("major", c_uint32), ("minor", c_uint32), ("owner", c_void_p), ("deleter", c_void_p),
                ("flags", c_uint64), ("data", c_void_p)]


Deleter = CFUNCTYPE(None, c_void_p)
python = ctypes.pythonapi
python.PyCapsule_New.restype = py_object
python.PyCapsule_New.argtypes = [c_void_p, c_char_p, c_void_p]
python.PyCapsule_GetPointer.restype = c_void_p
python.PyCapsule_GetPointer.argtypes = [py_object, c_char_p]
python.PyCapsule_IsValid.argtypes = [py_object, c_char_p]
python.PyCapsule_SetName.argtypes = [py_object, c_char_p]
labels = {Plain: (b"dltensor", b"used_dltensor"), Versioned: (b"dltensor_versioned", b"used_dltensor_versioned")}
kept = []


# Counts the calls of a struct's deleter.
class Counted:
    def __init__(self, address, kind):
        self.calls = 0
        struct = cast(address, POINTER(kind)).contents
        owner = Deleter(struct.deleter)

        def delete(managed):
            self.calls += 1
            owner(managed)
        self.callback = Deleter(delete)
        kept.append(self)
        struct.deleter = cast(self.callback, c_void_p)


# A tensor of strew over a peer's memory.
def imported(capsule):
    kind = Plain if python.PyCapsule_IsValid(capsule, labels[Plain][0]) else Versioned
    address = python.PyCapsule_GetPointer(capsule, labels[kind][0])
    counted, t = Counted(address, kind), c_void_p()
    status = strew.strew_from_dlpack(cpu, c_void_p(address), byref(t), None)
    if status:
        return None, counted
    python.PyCapsule_SetName(capsule, labels[kind][1])
    return Tensor(t), counted


# What a peer takes as an array of another library.
class Exported:
    def __init__(self, tensor):
        self.tensor = tensor

    def __dlpack_device__(self):
        return 1, 0

    def __dlpack__(self, stream=None, max_version=None, dl_device=None, copy=None):
        kind = Versioned if max_version and max_version[0] else Plain
        managed = c_void_p()
        options = (c_uint64 * 5)(kind is Plain)
        call("strew_to_dlpack", self.tensor.pointer, options, byref(managed))
        self.counted, self.kind = Counted(managed.value, kind), kind
        return python.PyCapsule_New(managed, labels[kind][0], None)


def has_nothing(what):
    gc.collect()
    expect(strew.strew_context_bytes(context) == 0, what + ": memory is left")


# NumPy before 2.1 knows DLPack before 1.0: no versions, no read-only arrays; and before 1.25 no bools.
numpy_version = tuple(int(part) for part in np.__version__.split(".")[:2])
has_versions, numpy_names = numpy_version >= (2, 1), [name for name in names if name != "bfloat16"]
if not has_versions:
    print(f"peers: NumPy {np.__version__} lacks DLPack 1: its versioned structs and read-only arrays are left out")
if numpy_version < (1, 25):
    print(f"peers: NumPy {np.__version__} gives no bools by DLPack: they are left out")
    numpy_names.remove("bool")
NUMPY_IN, NUMPY_OUT = ("NumPy", "DLPack", "to strew"), ("NumPy", "DLPack", "from strew")
TORCH_IN, TORCH_OUT = ("PyTorch", "DLPack", "to strew"), ("PyTorch", "DLPack", "from strew")


def numpy_to_strew():
    for name in numpy_names:
        a = (np.arange(24) % 2).astype(name).reshape(2, 3, 4)
        for array in (a, a.T, a[:, ::2, 1:], a[0, 0, 1], a[:0]):
            for arguments in ({}, {"max_version": (1, 0)}) if has_versions else ({},):
                array = np.asarray(array)
                t, counted = imported(array.__dlpack__(**arguments))
                what = f"NumPy's {name}{array.shape} {arguments}"
                expect((t.dtype, t.shape) == (name, array.shape), what)
                if array.size:
                    count(NUMPY_IN, "shared", t.address == array.ctypes.data, what)
                expect(t.bytes() == array.tobytes(), what + ": values")
                expect(counted.calls == 0, what + ": deleted early")
                t.free()
                count(NUMPY_IN, "released", counted.calls == 1, what)
    if has_versions:
        a = np.arange(5.0)
        a.flags.writeable = False
        t, counted = imported(a.__dlpack__(max_version=(1, 0)))
        expect(not t.is_writable() and a[1] == 1, "a read-only array")
        t.free()
    t, counted = imported(np.arange(5.0).__dlpack__())  # the array's last reference
    gc.collect()
    expect(t.bytes() == np.arange(5.0).tobytes() and t.is_writable() and counted.calls == 0, "the array is gone")
    t.free()
    expect(counted.calls == 1, "the array is gone: deleted")
    flipped = np.arange(3.0)[:1][::-1]  # one element: its stride, -8 bytes, does not matter
    expect(flipped.strides == (-8,), "a negative stride")
    t, counted = imported(flipped.__dlpack__())
    expect(t.bytes() == flipped.tobytes(), "a negative stride of one element")
    t.free()
    for bad in (np.arange(5)[::-1], np.zeros(3, "complex64")):
        capsule = bad.__dlpack__()
        t, counted = imported(capsule)
        expect(t is None and counted.calls == 0, "refused")
        del capsule  # which deletes it
        expect(counted.calls == 1, "refused, deleted by its owner")


def strew_to_numpy():
    for name in numpy_names:
        a = (np.arange(24) % 2).astype(name).reshape(2, 3, 4)
        for array in (a, a[0, 0, 1:2].reshape(()), a[:0]):
            t = Tensor.made(name, np.ascontiguousarray(array).reshape(array.shape))
            exported = Exported(t)
            got = np.from_dlpack(exported)
            expect(got.dtype == array.dtype and np.array_equal(got, array), f"NumPy from {name}{array.shape}")
            if array.size:
                count(NUMPY_OUT, "shared", got.ctypes.data == t.address, f"NumPy from {name}")
            t.free()
            expect(np.array_equal(got, array) and exported.counted.calls == 0, f"NumPy from {name}: kept")
            del got
            gc.collect()
            count(NUMPY_OUT, "released", exported.counted.calls == 1, f"NumPy from {name}")
    has_nothing("NumPy")


def torch_both_ways():
    for name in names:
        dtype = getattr(torch, name)
        x = (torch.arange(24) % 2).reshape(4, 6).to(dtype)
        for given in (x, x.t(), x[1:, ::2], x[0, 0], x[:0]):
            for version in (None, (1, 0)):
                t, counted = imported(given.__dlpack__(max_version=version))
                what = f"PyTorch's {name}{tuple(given.shape)} {version}"
                expect((t.dtype, t.shape) == (name, tuple(given.shape)), what)
                if given.numel():
                    count(TORCH_IN, "shared", t.address == given.data_ptr(), what)
                exported = Exported(t)
                back = torch.from_dlpack(exported)
                expect(back.dtype == dtype and torch.equal(back, given), what + " and back")
                if given.numel():
                    count(TORCH_OUT, "shared", back.data_ptr() == given.data_ptr(), what + " and back")
                t.free()
                expect(counted.calls == 0, what + ": kept")
                del back
                gc.collect()
                count(TORCH_IN, "released", counted.calls == 1, what)
                count(TORCH_OUT, "released", exported.counted.calls == 1, what + " and back")
    t = Tensor.made("int64", np.arange(6))
    exported = Exported(t)
    got = torch.utils.dlpack.from_dlpack(exported.__dlpack__())
    got[1] = 50
    expect(np.frombuffer(t.bytes(), "int64")[1] == 50, "PyTorch writes, strew sees it")
    del got
    gc.collect()
    expect(exported.counted.calls == 1, "PyTorch deletes")
    t.free()
    has_nothing("PyTorch")


# ------------------------------------------------------------------------------------------------------------ Arrow

class Schema(Structure):
    _fields_ = [("format", c_char_p), ("name", c_char_p), ("metadata", c_char_p), ("flags", c_int64),
                ("n_children", c_int64), ("children", c_void_p), ("dictionary", c_void_p), ("release", c_void_p),
                ("data", c_void_p)]


class Array(Structure):
    _fields_ = [("length", c_int64), ("null_count", c_int64), ("offset", c_int64), ("n_buffers", c_int64),
                ("n_children", c_int64), ("buffers", c_void_p), ("children", c_void_p), ("dictionary", c_void_p),
                ("release", c_void_p), ("data", c_void_p)]


# Counts the calls of a struct's release, which finds it where it was moved to.
class Release:
    def __init__(self, struct):
        self.calls = 0
        owner = Deleter(struct.release)

        def release(address):
            self.calls += 1
            owner(address)
        self.callback = Deleter(release)
        kept.append(self)
        struct.release = cast(self.callback, c_void_p)


class Table:
    def __init__(self, pointer):
        self.pointer = pointer
        self.count = strew.strew_table_count(pointer)
        self.columns = [Tensor(c_void_p(strew.strew_table_tensor(pointer, c_int64(i)))) for i in range(self.count)]
        self.names = [strew.strew_table_name(pointer, c_int64(i)).decode() for i in range(self.count)]

    def words(self, i):
        text = c_void_p(strew.strew_table_tensor(self.pointer, c_int64(i)))
        return [strew.strew_word(text, c_int64(k), None).decode() for k in range(strew.strew_word_count(text))]

    def values(self, i):
        t = self.columns[i]
        numbers = np.frombuffer(t.bytes(), {"time": "int64", "text": "int32"}.get(t.dtype, t.dtype))
        return [self.words(i)[k] for k in numbers] if self.words(i) else numbers.tolist()

    def free(self):
        strew.strew_table_release(self.pointer)


for f in ("strew_table_name", "strew_word"):
    getattr(strew, f).restype = c_char_p
strew.strew_table_tensor.restype = strew.strew_retain.restype = c_void_p
for f in ("strew_table_count", "strew_word_count"):
    getattr(strew, f).restype = c_int64


def from_arrow(batch):
    array, schema, table = Array(), Schema(), c_void_p()
    batch._export_to_c(ctypes.addressof(array), ctypes.addressof(schema))
    counted = Release(array), Release(schema)
    status = strew.strew_table_from_arrow(cpu, byref(array), byref(schema), byref(table), None)
    if status:
        expect(array.release and schema.release and not counted[0].calls + counted[1].calls, "a refused array stays")
        Deleter(array.release)(ctypes.addressof(array))
        Deleter(schema.release)(ctypes.addressof(schema))
        return None, counted
    expect(not array.release and not schema.release and counted[1].calls == 1, "the structs are empty")
    return Table(table), counted


def to_arrow(table):
    array, schema = Array(), Schema()
    call("strew_table_to_arrow", table.pointer, byref(array), byref(schema))
    return array, schema, Release(array), Release(schema)


def same(a, b):
    return len(a) == len(b) and all(x == y or (x != x and y is None) or (x != x and y != y) for x, y in zip(a, b))


ARRAY_IN, STREAM_IN = ("pyarrow", "Arrow array", "to strew"), ("pyarrow", "Arrow stream", "to strew")


def rows_of(result):
    return result.to_dict(as_series=False) if pl and isinstance(result, pl.DataFrame) else result.to_pydict()


# The arguments of count: a peer has its column f at the address, or has copied it, as DuckDB does.
def compared(name, result, address):
    column = result["f"]
    at = column.to_numpy(allow_copy=False).ctypes.data if name == "polars" else column.chunk(0).buffers()[1].address
    return ("copied", at != address, name) if name == "DuckDB" else ("shared", at == address, name)


# Integers of decimals are int64 where all fit; other decimals are rounded once, as Python divides integers.
def decimals_of_pyarrow():
    import decimal
    import random
    draw = random.Random(14)
    kinds = [(pa.decimal32, 9), (pa.decimal64, 18), (pa.decimal128, 38), (pa.decimal256, 76)]
    for make, most in kinds:
        for precision in (1, most // 2, most):
            for scale in (0, 2, precision, -3, -30) if most > 18 else (0, 2, precision, -3):
                top = 10 ** precision - 1
                wholes = [top, -top, 0, 5, -5] + [draw.randint(-top, top) >> draw.randrange(60) for _ in range(200)]
                wholes = [x for x in wholes + [-2 ** 64, -2 ** 128, 2 ** 192 - 2 ** 128] if -top <= x <= top]
                kind = make(precision, scale)
                data = b"".join(v.to_bytes(kind.bit_width // 8, sys.byteorder, signed=True) for v in wholes)
                x = pa.Array.from_buffers(kind, len(wholes), [None, pa.py_buffer(data)])
                for at in (0, 3):
                    fits = scale == 0 and all(-2 ** 63 <= v < 2 ** 63 for v in wholes[at:])
                    exact = [v if fits else v / 10 ** scale if scale > 0 else float(v * 10 ** -scale) for v in wholes]
                    t, counted = from_arrow(pa.record_batch({"x": x}).slice(at))
                    what = f"{x.type} from {at}"
                    expect(t.columns[0].dtype == ("int64" if fits else "float64"), what)
                    expect(t.values(0) == exact[at:], f"{what}: values")
                    t.free()
                    count(ARRAY_IN, "released", counted[0].calls == 1, what)
    for values, kind, dtype, expected in (
            ([7, None, -3], pa.decimal128(38, 0), "float64", [7, None, -3]),
            ([None, None], pa.decimal256(76, 0), "float64", [None, None]),
            ([-2 ** 63, 2 ** 63 - 1], pa.decimal128(38, 0), "int64", [-2 ** 63, 2 ** 63 - 1]),
            ([2 ** 63, None, 2 ** 53 + 1], pa.decimal128(38, 0), "float64", [2.0 ** 63, None, 2.0 ** 53]),
            ([], pa.decimal128(38, 0), "int64", []), ([], pa.decimal128(38, 2), "float64", []),
            ([decimal.Decimal("0.1"), None], pa.decimal64(5, 1), "float64", [0.1, None])):
        t, counted = from_arrow(pa.record_batch({"x": pa.array(values, kind)}))
        expect(t.columns[0].dtype == dtype and same(t.values(0), expected), f"{kind}: {t.values(0)}")
        t.free()


def arrow_both_ways():
    kinds = {"int8": pa.int8(), "uint16": pa.uint16(), "int32": pa.int32(), "uint64": pa.uint64(),
             "int64": pa.int64(), "float32": pa.float32(), "float64": pa.float64()}
    for name, kind in kinds.items():
        whole = pa.record_batch({"x": pa.array([1, 2, 3, 4, 5], kind), "y": pa.array([1, None, 3, None, 100], kind)})
        for batch in (whole, whole.slice(1, 3), whole.slice(0, 0)):
            t, counted = from_arrow(batch)
            expect(t.names == ["x", "y"] and t.columns[0].dtype == name, f"pyarrow's {name}")
            for i in range(2):
                expect(same(t.values(i), batch.column(i).to_pylist()), f"pyarrow's {name}: values")
            address = batch.column(0).buffers()[1].address + batch.column(0).offset * kind.bit_width // 8
            if len(batch):
                count(ARRAY_IN, "shared", t.columns[0].address == address, f"pyarrow's {name}")
                count(ARRAY_IN, "copied", t.columns[1].is_writable(), f"pyarrow's {name} with missing ones")
            expect(not t.columns[0].is_writable(), f"pyarrow's {name} is read-only")
            first = strew.strew_retain(t.columns[0].pointer)
            t.free()
            expect(counted[0].calls == 0, f"pyarrow's {name}: kept")
            strew.strew_release(c_void_p(first))
            count(ARRAY_IN, "released", counted[0].calls == 1, f"pyarrow's {name}")
    text = ["Oslo", None, "", "\u00fc" * 20, "Oslo", "Rome"]
    for kind in (pa.string(), pa.large_string(), pa.string_view(), pa.dictionary(pa.int8(), pa.string()),
                 pa.dictionary(pa.uint32(), pa.large_string())):
        batch = pa.record_batch({"x": pa.array(text).cast(kind) if pa.types.is_dictionary(kind) else pa.array(text, kind)})
        for part in (batch, batch.slice(2, 3)):
            t, counted = from_arrow(part)
            expect(t.values(0) == [x or "" for x in part.column(0).to_pylist()], f"text as {kind}")
            count(ARRAY_IN, "copied", t.columns[0].dtype == "text", f"text as {kind}")
            t.free()
            count(ARRAY_IN, "released", counted[0].calls == 1, f"text as {kind}")
    decimals_of_pyarrow()
    import datetime
    when = datetime.datetime(2024, 5, 17, 12, 30)
    batch = pa.record_batch({"bool": pa.array([True, False, True]), "some": pa.array([True, None, False]),
                             "none": pa.nulls(3), "day": pa.array([when.date()] * 3),
                             "us": pa.array([when] * 3, pa.timestamp("us", "UTC"))})
    t, counted = from_arrow(batch)
    expect(t.values(0) == [True, False, True] and same(t.values(1), [1, None, 0]), "bools")
    expect(same(t.values(2), [None] * 3) and t.values(3) == [19860 * 86400000000] * 3, "nothing, days")
    expect(t.values(4) == [1715949000000000] * 3, "microseconds")
    t.free()
    for kind in (pa.date32(), pa.date64()):
        days = [when.date(), None, datetime.date(1969, 12, 31)]
        t, counted = from_arrow(pa.record_batch({"at": pa.array(days, kind)}).slice(1, 2))
        expect(t.columns[0].dtype == "time", f"{kind} is time")
        expect(t.values(0) == [-2**63, -86400000000], f"days of {kind}")
        t.free()
    for unit in ("us", "s", "ms", "ns"):
        for times in ([when, datetime.datetime(1969, 12, 31, 23, 59, 59)] * 2, [when, None, when]):
            batch = pa.record_batch({"at": pa.array(times, pa.timestamp(unit, "UTC"))})
            t, counted = from_arrow(batch)
            expect(t.columns[0].dtype == "time", f"times in {unit}")
            address, is_shared = t.columns[0].address, unit == "us" and None not in times
            is_same = address == batch.column(0).buffers()[1].address
            count(ARRAY_IN, "shared" if is_shared else "copied", is_same == is_shared, f"times in {unit}")
            array, schema, a, b = to_arrow(t)
            t.free()
            got = pa.RecordBatch._import_from_c(ctypes.addressof(array), ctypes.addressof(schema))
            got.validate(full=True)
            expect(got.column(0).type == pa.timestamp("us", "UTC") and got.column(0).buffers()[1].address == address,
                   f"times in {unit} back")
            expect(got.column(0).cast(pa.timestamp(unit, "UTC")) == batch.column(0), f"times in {unit}: values")
            if pl:
                expect(pl.from_arrow(got).to_arrow().column(0).to_pylist() == batch.column(0).to_pylist(), "polars' times")
            del got
            gc.collect()
            count(ARRAY_IN, "released", counted[0].calls == a.calls == b.calls == 1, f"times in {unit}")
    for bad in (pa.array([[1]]), pa.array([b"a"]), pa.array([2 ** 60 + 1, None], pa.decimal128(38, 0)),
                pa.array([b"a"], pa.binary_view()), pa.array([b"ab"], pa.binary(2)), pa.array([b"a"], pa.large_binary()),
                pa.array([{"a": 1}]), pa.RunEndEncodedArray.from_arrays([2], [1]),
                pa.array([(1, 2, 3)], pa.month_day_nano_interval()), pa.array(["a\0b"]), pa.array([2 ** 60 + 1, None]), pa.array([1], pa.timestamp("ns")),
                pa.array([2 ** 62], pa.timestamp("s")),
                pa.array([1]).dictionary_encode()):
        t, counted = from_arrow(pa.record_batch({"x": bad}))
        expect(t is None and counted[0].calls == counted[1].calls == 1, f"{bad.type} is refused")
    t, counted = from_arrow(pa.array([1.5, 2.5]))  # no struct: a column without a name
    expect(strew.strew_table_is_numbered(t.pointer) and t.values(0) == [1.5, 2.5], "a bare array")
    array, schema, a, b = to_arrow(t)
    got = pa.Array._import_from_c(ctypes.addressof(array), ctypes.addressof(schema))
    expect(got.to_pylist() == [1.5, 2.5] and got.buffers()[1].address == t.columns[0].address, "a bare array back")
    t.free()
    del got
    gc.collect()
    expect(counted[0].calls == a.calls == b.calls == 1, "a bare array back: released")
    batch = pa.record_batch({"city": pa.array(text), "f": pa.array([1.5, 2, 3, 4, 5, 6]), "n": pa.array(range(6)),
                             "flag": pa.array([True, False, False, True, True, False])})
    for consumer, module in {"pyarrow": pa, "polars": pl, "DuckDB": duckdb}.items():
        if not module:
            continue
        t, counted = from_arrow(batch)
        array, schema, a, b = to_arrow(t)
        address = t.columns[1].address
        t.free()
        expect(counted[0].calls == 0, "exported columns keep the import")
        got = pa.RecordBatch._import_from_c(ctypes.addressof(array), ctypes.addressof(schema))
        got.validate(full=True)
        expect(got.column(1).buffers()[1].address == address, "an address through both")
        if consumer == "pyarrow":
            result = pa.table(got)
        elif consumer == "polars":
            result = pl.from_arrow(got)
        else:
            with duckdb.connect() as connection:
                result = connection.register("x", got).sql("select * from x").to_arrow_table()
        rows, out = rows_of(result), (consumer, "Arrow array", "from strew")
        count(out, *compared(consumer, result, address))
        expect(rows == {**batch.to_pydict(), "city": [x or "" for x in text]}, f"{consumer} reads a table")
        del got, rows, result
        gc.collect()
        count(out, "released", counted[0].calls == a.calls == b.calls == 1, consumer)
    has_nothing("Arrow")


# -------------------------------------------------------------------------------------------------------- streams

class Stream(Structure):
    _fields_ = [("get_schema", c_void_p), ("get_next", c_void_p), ("last_error", c_void_p), ("release", c_void_p),
                ("data", c_void_p)]


Getter = CFUNCTYPE(c_int, c_void_p, c_void_p)


# A reader of what has __arrow_c_stream__. Counts the releases of the stream, the schema and each array.
class Reader:
    def __init__(self, producer):
        self.capsule = producer.__arrow_c_stream__()
        self.address = python.PyCapsule_GetPointer(self.capsule, b"arrow_array_stream")
        stream = Stream.from_address(self.address)
        self.arrays, self.schemas, self.released, self.first = [], [], Release(stream), None
        stream.get_schema = self.counting(stream.get_schema, Schema, self.schemas)
        stream.get_next = self.counting(stream.get_next, Array, self.arrays)
        self.pointer = c_void_p()
        call("strew_table_from_arrow_stream", cpu, c_void_p(self.address), byref(self.pointer))
        expect(not stream.release, "the stream is empty")

    def counting(self, pointer, kind, list):
        owner = Getter(pointer)

        def get(self_address, out):
            status = owner(self_address, out)
            struct = kind.from_address(out)
            if not status and struct.release:
                if kind is Array:
                    column = struct
                    if struct.n_children:
                        column = Array.from_address(c_void_p.from_address(struct.children).value)
                    at = column.offset + (struct.offset if struct.n_children else 0)
                    self.first = c_void_p.from_address(column.buffers + 8).value + 8 * at  # of its int64
                list.append(Release(struct))
            return status
        callback = Getter(get)
        kept.append(callback)
        return cast(callback, c_void_p)

    def next(self, expected=b"boom"):
        tensor, table = c_void_p(), c_void_p()
        error = ctypes.create_string_buffer(8192)
        status = strew.strew_reader_next(self.pointer, byref(tensor), byref(table), error)
        if status:
            expect(expected in error.raw, f"the stream's message: {error.value}")
            return None
        return Table(table) if table else Tensor(tensor) if tensor else None

    def close(self, arrays, exchange=STREAM_IN):
        strew.strew_reader_close(self.pointer)
        once = self.released.calls == 1 and [x.calls for x in self.schemas] == [1]
        count(exchange, "released", once, "a stream and its schema")
        calls = [x.calls for x in self.arrays]
        expect(sum(calls) == arrays and max(calls, default=0) <= 1, f"arrays: released {calls}")


# What consumers take as a stream, or as several: a table of strew.
class Streamed:
    def __init__(self, table):
        self.table, self.streams, self.released = table, [], []

    def __arrow_c_stream__(self, requested_schema=None):
        stream = Stream()
        call("strew_table_to_arrow_stream", self.table.pointer, byref(stream))
        self.streams.append(stream)
        self.released.append(Release(stream))
        return python.PyCapsule_New(ctypes.addressof(stream), b"arrow_array_stream", None)

    def end(self):  # as the capsules' destructors would
        for stream in self.streams:
            strew.strew_arrow_stream_release(byref(stream))
        return {x.calls for x in self.released}


def streams_of_pyarrow():
    words = [["Oslo", "Rome", None], ["Bern", "Oslo", ""], ["Rome", "Bern", "Lima"]]
    for kind in (pa.string(), pa.string_view(), pa.dictionary(pa.int8(), pa.string())):
        make = lambda w: pa.array(w).cast(kind) if pa.types.is_dictionary(kind) else pa.array(w, kind)
        batches = [pa.record_batch({"n": pa.array([i, i + 1, i + 2]), "t": make(w)}) for i, w in enumerate(words)]
        for taken in (0, 1, 3):
            reader = Reader(pa.RecordBatchReader.from_batches(batches[0].schema, batches))
            tables = [reader.next() for _ in range(taken)]
            for i, t in enumerate(tables):
                expect(t.values(0) == [i, i + 1, i + 2] and t.values(1) == [w or "" for w in words[i]], f"{kind} {i}")
                count(STREAM_IN, "shared", t.columns[0].address == batches[i].column(0).buffers()[1].address, f"{kind} {i}")
            codes = [np.frombuffer(t.columns[1].bytes(), "int32").tolist() for t in tables]
            if taken == 3 and not pa.types.is_dictionary(kind):
                expect(codes == [[0, 1, 2], [3, 0, 2], [1, 3, 4]], f"{kind}: the same codes in all {codes}")
                expect(reader.next() is None and reader.released.calls == 1, f"{kind}: released at the end")
            for t in tables:
                t.free()
            reader.close(taken)

    def failing():
        yield batches[0]
        raise ValueError("boom \u00e9\n twice")
    reader = Reader(pa.RecordBatchReader.from_batches(batches[0].schema, failing()))
    first = reader.next()
    expect(first and reader.next() is None and reader.next() is None, "a failing stream")
    reader.close(0)
    first.free()
    expect(reader.arrays[0].calls == 1, "an array from before the failure")
    reader = Reader(pa.chunked_array([[1.5, 2], [3.5]]))
    first, second = reader.next(), reader.next()
    expect(np.frombuffer(first.bytes()).tolist() == [1.5, 2] and second.shape == (1,), "bare arrays are tensors")
    first.free(), second.free()
    reader.close(2)


# The first array with rows decides.
def streams_with_missing_integers():
    batches = [pa.record_batch({"n": pa.array(n, pa.int16())}) for n in ([], [1, None], [3, 4])]
    reader = Reader(pa.RecordBatchReader.from_batches(batches[0].schema, batches))
    for batch in batches:
        t = reader.next()
        expect(not len(batch) or t.columns[0].dtype == "float64", "float64 in all arrays")
        expect(same(t.values(0), batch.column(0).to_pylist()), "missing integers")
        t.free()
    reader.close(3)
    reader = Reader(pa.RecordBatchReader.from_batches(batches[0].schema, batches[::-1]))
    t = reader.next()
    expect(t.columns[0].dtype == "int16" and not reader.next(b'a column "n" with missing elements'), "only later")
    t.free()
    expect(reader.released.calls == 1, "an array that is no table's ends the stream")
    reader.close(2)
    large = [pa.record_batch({"n": pa.array(n, pa.decimal128(38, 0))}) for n in ([2 ** 53 + 1], [2 ** 70])]
    reader = Reader(pa.RecordBatchReader.from_batches(large[0].schema, large))
    t = reader.next()
    expect(t.values(0) == [2 ** 53 + 1] and not reader.next(b'a column "n" with integers beyond int64'), "larger later")
    t.free()
    expect(reader.released.calls == 1, "and ends the stream")
    reader.close(2)
    reader = Reader(pa.RecordBatchReader.from_batches(large[0].schema, large[::-1]))
    for expected in (2.0 ** 70, 2.0 ** 53):
        t = reader.next()
        expect(t.values(0) == [expected], "rounded in all arrays")
        t.free()
    reader.close(2)


def streams():
    streams_of_pyarrow()
    streams_with_missing_integers()
    if pl:
        exchange = ("polars", "Arrow stream", "to strew")
        frame = pl.concat([pl.DataFrame({"n": [1, 2], "t": ["a", "b"]}), pl.DataFrame({"n": [3], "t": ["a"]})],
                          rechunk=False)
        reader = Reader(frame)
        values = []
        while (t := reader.next()) is not None:
            values += zip(t.values(0), t.values(1))
            count(exchange, "shared", t.columns[0].address == reader.first, "a column of polars")
            t.free()
        expect(values == [(1, "a"), (2, "b"), (3, "a")], "a frame of polars")
        reader.close(len(reader.arrays), exchange)
        reader = Reader(pl.Series([1, 2]).append(pl.Series([3])))
        chunks = [reader.next()]
        count(exchange, "shared", chunks[0].address == reader.first, "a series of polars")
        chunks.append(reader.next())
        expect([x.shape for x in chunks] == [(2,), (1,)] and reader.next() is None, "a series of polars in two chunks")
        chunks[0].free(), chunks[1].free()
        reader.close(2, exchange)
    if duckdb:
        exchange = ("DuckDB", "Arrow stream", "to strew")
        with duckdb.connect() as connection:
            reader = Reader(connection.sql("select i, i % 3 as k, 'w' || (i % 5) as t from range(300000) r(i)"))
            total = arrays = 0
            while (t := reader.next()) is not None:
                count(exchange, "shared", t.columns[0].dtype == "int64" and t.columns[0].address == reader.first, "DuckDB")
                total += np.frombuffer(t.columns[0].bytes(), "int64").sum()
                arrays += 1
                expect(set(t.words(2)) == {"w0", "w1", "w2", "w3", "w4"}, "DuckDB's words")
                t.free()
            expect(total == 300000 * 299999 // 2 and arrays > 1, "a result of DuckDB in chunks")
            reader.close(arrays, exchange)
            reader = Reader(connection.sql("select 1::bigint as a, 2 as a, 3 as a"))
            t = reader.next()
            expect(t.names == ["a", "a_2", "a_3"] and t.values(1) == [2], "columns of the same name")
            t.free()
            reader.close(1, exchange)
            reader = Reader(connection.sql("select sum(i) as s, 1.5 as p, avg(i) as a from range(10) r(i)"))
            t = reader.next()
            expect([c.dtype for c in t.columns] == ["int64", "float64", "float64"], "a sum and a price of DuckDB")
            expect([t.values(i) for i in range(3)] == [[45], [1.5], [4.5]], "their values")
            t.free()
            reader.close(1, exchange)
            reader = Reader(connection.sql("select * from range(300000)"))  # left
            reader.next().free()
            reader.close(1, exchange)
    batch = pa.record_batch({"city": pa.array(["Oslo", "Rome", "Oslo"]), "f": pa.array([1.5, 2, 3])})
    consumers = {"pyarrow": lambda x: pa.RecordBatchReader.from_stream(x).read_all()}
    if pl:
        consumers["polars"] = pl.DataFrame
    if duckdb:
        consumers["DuckDB"] = lambda x: duckdb.sql("select * from x").to_arrow_table()
    for name, consume in consumers.items():
        t, counted = from_arrow(batch)
        given = Streamed(t)
        result, out = consume(given), (name, "Arrow stream", "from strew")
        expect(rows_of(result) == batch.to_pydict(), f"{name} reads a stream")
        count(out, *compared(name, result, t.columns[1].address))
        del result
        gc.collect()
        expect(given.end() == {1}, f"{name}: {len(given.streams)} streams are released")
        t.free()
        call("strew_context_check", context, c_double(0))  # frees what the consumer's threads have released
        count(out, "released", counted[0].calls == 1, f"{name}: the stream's array")
    t, counted = from_arrow(batch)
    address = t.columns[1].address
    got = pa.RecordBatchReader.from_stream(Streamed(t))
    t.free()
    table = got.read_all()
    expect(table.column("f").chunk(0).buffers()[1].address == address and counted[0].calls == 0, "a stream's address")
    del got, table
    gc.collect()
    expect(counted[0].calls == 1, "a stream's array")
    has_nothing("streams")


# Files of other libraries, which scripts/hosts/other_files.py gives to a script.
def other_files():
    import os, sqlite3, subprocess, tempfile
    from pyarrow import feather, orc, parquet
    arrow = table = pa.table({"city": ["Oslo", None], "rain": [1.5, None], "n": [3, 4]})
    with tempfile.TemporaryDirectory() as folder:
        parquet.write_table(table, f"{folder}/a.parquet")
        feather.write_feather(table, f"{folder}/a.feather")
        orc.write_table(table, f"{folder}/a.orc")
        with sqlite3.connect(f"{folder}/a.db") as connection:
            connection.execute("CREATE TABLE a (city TEXT, rain REAL, n INTEGER)")
            connection.execute("INSERT INTO a VALUES ('Oslo', 1.5, 3), (NULL, NULL, 4)")
        if duckdb:
            with duckdb.connect(f"{folder}/a.duckdb") as connection:
                connection.sql("CREATE TABLE a AS FROM arrow")
        with open(f"{folder}/script.lua", "w") as file:
            file.write("for x in strew.from_arrow_stream(...) do print(x.city[0], x.rain[0], x.rain[1], x.n:sum()) end")
        for name in sorted(os.listdir(folder)):
            if name == "script.lua" or name == "a.db" and not peer("pandas"):
                continue
            command = [sys.executable, "-B", "scripts/hosts/other_files.py", f"{folder}/{name}", f"{folder}/script.lua",
                       f"{build}/libstrew_lua.so"]
            ran = subprocess.run(command, capture_output=True, text=True)
            expect(ran.stdout.split() == ["Oslo", "1.5", "nan", "int64[]", "cpu", "7"] and ran.returncode == 0,
                   f"{name}: {ran.stdout}{ran.stderr}")


numpy_to_strew()
strew_to_numpy()
if pa:
    arrow_both_ways()
    streams()
    other_files()
if torch:
    torch_both_ways()
has_nothing("all")
strew.strew_context_release(context)
print_exchanges()
print(f"peers: {passed} passed, 0 failed")
