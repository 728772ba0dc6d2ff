# usage: python3 tests/interchange_peers.py BUILD
# Tensors and tables to and from NumPy, PyTorch, pyarrow, polars and DuckDB in this process, as far as they are installed:
# values, addresses (no copy), and every deleter and release called exactly once, in either order.
import ctypes
import gc
import sys
from ctypes import CFUNCTYPE, POINTER, Structure, byref, c_char_p, c_int, c_int32, c_int64, c_size_t, c_uint8, \
    c_uint16, c_uint32, c_uint64, c_void_p, cast, py_object

build = sys.argv[1]


def peer(name):
    try:
        return __import__(name)
    except ImportError:
        print(f"peers: without {name}, which is not installed for {sys.executable}")


np, torch = peer("numpy"), peer("torch")
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


# ------------------------------------------------------------------------------------------------------ the library

names = "float32 float64 float16 bfloat16 int64 int32 int16 int8 uint8 bool uint16 uint32 uint64".split()
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

    dtype = property(lambda self: names[strew.strew_tensor_dtype(self.pointer)])
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
        size *= int(strew.strew_dtype_size_bytes(names.index(self.dtype)))
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


def numpy_to_strew():
    for name in names:
        if name == "bfloat16":
            continue
        a = (np.arange(24) % 2).astype(name).reshape(2, 3, 4)
        for array in (a, a.T, a[:, ::2, 1:], a[0, 0, 1], a[:0]):
            for arguments in ({}, {"max_version": (1, 0)}):
                array = np.asarray(array)
                t, counted = imported(array.__dlpack__(**arguments))
                what = f"NumPy's {name}{array.shape} {arguments}"
                expect((t.dtype, t.shape) == (name, array.shape), what)
                expect(array.size == 0 or t.address == array.ctypes.data, what + ": an address")
                expect(t.bytes() == array.tobytes(), what + ": values")
                expect(counted.calls == 0, what + ": deleted early")
                t.free()
                expect(counted.calls == 1, what + ": deleted")
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
    for bad in (np.arange(5)[::-1], np.zeros(3, "complex64")):
        capsule = bad.__dlpack__()
        t, counted = imported(capsule)
        expect(t is None and counted.calls == 0, "refused")
        del capsule  # which deletes it
        expect(counted.calls == 1, "refused, deleted by its owner")


def strew_to_numpy():
    for name in names:
        if name == "bfloat16":
            continue
        a = (np.arange(24) % 2).astype(name).reshape(2, 3, 4)
        for array in (a, a[0, 0, 1:2].reshape(()), a[:0]):
            t = Tensor.made(name, np.ascontiguousarray(array).reshape(array.shape))
            exported = Exported(t)
            got = np.from_dlpack(exported)
            expect(got.dtype == array.dtype and np.array_equal(got, array), f"NumPy from {name}{array.shape}")
            expect(array.size == 0 or got.ctypes.data == t.address, f"NumPy from {name}: an address")
            t.free()
            expect(np.array_equal(got, array) and exported.counted.calls == 0, f"NumPy from {name}: kept")
            del got
            gc.collect()
            expect(exported.counted.calls == 1, f"NumPy from {name}: deleted")
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
                expect(given.numel() == 0 or t.address == given.data_ptr(), what + ": an address")
                back = torch.from_dlpack(Exported(t))
                expect(back.dtype == dtype and torch.equal(back, given), what + " and back")
                expect(given.numel() == 0 or back.data_ptr() == given.data_ptr(), what + " and back: an address")
                t.free()
                expect(counted.calls == 0, what + ": kept")
                del back
                gc.collect()
                expect(counted.calls == 1, what + ": deleted")
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


numpy_to_strew()
strew_to_numpy()
if torch:
    torch_both_ways()
has_nothing("all")
strew.strew_context_release(context)
print(f"peers: {passed} passed, 0 failed")
