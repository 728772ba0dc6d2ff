# arrays.py: strew in Python, by ctypes alone. Every call of the Lua module is a function of `strew`, with its options
# as keywords; tensors are `Array`s with Python's operators. Arrays of others are used in place, without a copy.
#   STREW_LIBRARY=build/strew.so python3 arrays.py     (without it: libstrew_lua.so.0, as installed)
import math
import os
import struct
from array import array
from ctypes import (CDLL, CFUNCTYPE, POINTER, RTLD_GLOBAL, Structure, byref, c_bool, c_char, c_char_p, c_double, c_int,
                    c_int64, c_size_t, c_uint64, c_void_p, py_object, pythonapi, string_at)
from ctypes.util import find_library


# The dtypes in the order of C, and their letters in Python's struct.
class Dtype:  # equal to its name
    def __init__(self, name): self.name = name
    def __repr__(self): return self.name
    def __eq__(self, other): return self.name == getattr(other, "name", other)
    def __hash__(self): return hash(self.name)


DTYPES = [Dtype(name) for name in """float32 float64 float16 bfloat16 int64 int32 int16 int8 uint8 bool
          uint16 uint32 uint64 time text""".split()]
LETTERS = {"float32": "f", "float64": "d", "float16": "e", "int64": "q", "int32": "i", "int16": "h", "int8": "b",
           "uint8": "B", "bool": "?", "uint16": "H", "uint32": "I", "uint64": "Q", "time": "q"}
REGISTRY = -1001000  # LUA_REGISTRYINDEX
NIL, BOOLEAN, NUMBER, STRING, TABLE, FUNCTION = 0, 1, 3, 4, 5, 6

lua = CDLL(find_library("lua5.4") or find_library("lua"), RTLD_GLOBAL)
library = CDLL(os.environ.get("STREW_LIBRARY", "libstrew_lua.so.0"))


class Error(Structure):
    _fields_ = [("alias", c_char_p), ("op", c_char_p), ("code", c_int), ("argument", c_char_p), ("has_value", c_bool),
                ("value", c_int64 * 2), ("position_rank", c_int), ("position", c_int64 * 16), ("hint", c_char * 256),
                ("message", c_char * 2048), ("reserved", c_uint64 * 8)]


def declare(of, result, **functions):
    for name, arguments in functions.items():
        getattr(of, name).restype, getattr(of, name).argtypes = result, arguments


state, at = c_void_p, c_int  # a Lua state, a place on its stack
declare(lua, None, luaL_openlibs=[state], lua_settop=[state, at], lua_pushnil=[state], lua_pushboolean=[state, c_int],
        lua_pushinteger=[state, c_int64], lua_pushnumber=[state, c_double], lua_createtable=[state, c_int, c_int],
        lua_pushvalue=[state, at], lua_rawset=[state, at], lua_rawseti=[state, at, c_int64],
        luaL_unref=[state, at, c_int], luaL_requiref=[state, c_char_p, c_void_p, c_int])
declare(lua, c_int, luaL_ref=[state, at], lua_type=[state, at], lua_isinteger=[state, at], lua_toboolean=[state, at],
        lua_rawgeti=[state, at, c_int64], lua_next=[state, at], lua_gettop=[state],
        lua_checkstack=[state, c_int], lua_pcallk=[state, c_int, c_int, c_int, c_int64, c_void_p],
        luaL_loadbufferx=[state, c_char_p, c_size_t, c_char_p, c_char_p])
declare(lua, c_void_p, luaL_newstate=[], lua_pushlstring=[state, c_char_p, c_size_t],
        luaL_tolstring=[state, at, POINTER(c_size_t)])
declare(lua, c_int64, lua_tointegerx=[state, at, c_void_p])
declare(lua, c_double, lua_tonumberx=[state, at, c_void_p])
declare(lua, c_size_t, lua_rawlen=[state, at])
declare(library, c_void_p, strew_test=[state, at], strew_context_of=[state], strew_device_at=[c_void_p, c_int])
declare(library, None, strew_push=[state, c_void_p], strew_release=[c_void_p])
declare(library, c_int, strew_tensor_rank=[c_void_p], strew_tensor_dtype=[c_void_p],
        strew_read=[c_void_p, c_void_p, c_size_t, c_void_p])
declare(library, POINTER(c_int64), strew_tensor_sizes=[c_void_p], strew_tensor_strides=[c_void_p])
declare(library, c_int64, strew_tensor_numel=[c_void_p])
declare(library, c_size_t, strew_dtype_size_bytes=[c_int])

L = lua.luaL_newstate()
lua.luaL_openlibs(L)
lua.luaL_requiref(L, b"strew", library.luaopen_strew, 1)
CPU = library.strew_device_at(library.strew_context_of(L), 0)


# ----------------------------------------------------------------------------------------------- values to and from Lua

def push(x):
    if isinstance(x, Reference): lua.lua_rawgeti(L, REGISTRY, x.reference)
    elif x is None: lua.lua_pushnil(L)
    elif isinstance(x, bool): lua.lua_pushboolean(L, x)
    elif isinstance(x, int):
        if not -2**63 <= x < 2**63: raise OverflowError(f"{x} is no 64-bit integer")
        lua.lua_pushinteger(L, x)
    elif isinstance(x, float): lua.lua_pushnumber(L, x)
    elif isinstance(x, (str, bytes, Dtype)):
        text = x if isinstance(x, bytes) else str(x).encode()
        lua.lua_pushlstring(L, text, len(text))
    elif isinstance(x, (list, tuple)):
        lua.lua_createtable(L, len(x), 0)
        for i, value in enumerate(x):
            push(value)
            lua.lua_rawseti(L, -2, i + 1)
    elif isinstance(x, dict):
        lua.lua_createtable(L, 0, len(x))
        for key, value in x.items():
            push(key), push(value)
            lua.lua_rawset(L, -3)
    elif hasattr(x, "__index__"): push(x.__index__())
    else: raise TypeError(f"{type(x).__name__} has no counterpart in Lua")


def pull(i):  # the value at place i > 0
    kind = lua.lua_type(L, i)
    if kind == NIL: return None
    if kind == BOOLEAN: return bool(lua.lua_toboolean(L, i))
    if kind == NUMBER: return (lua.lua_tointegerx if lua.lua_isinteger(L, i) else lua.lua_tonumberx)(L, i, None)
    if kind == TABLE:
        top, entries = lua.lua_gettop(L), {}
        lua.lua_checkstack(L, 8)
        lua.lua_pushnil(L)
        while lua.lua_next(L, i):
            entries[pull(top + 1)] = pull(top + 2)
            lua.lua_settop(L, top + 1)
        lua.lua_settop(L, top)
        return [entries[k] for k in range(1, len(entries) + 1)] if len(entries) == lua.lua_rawlen(L, i) else entries
    if library.strew_test(L, i): return Array(i)
    if kind == FUNCTION: return Function(i)
    size = c_size_t()
    text = string_at(lua.luaL_tolstring(L, i, byref(size)), size.value)
    lua.lua_settop(L, -2)
    return text.decode(errors="surrogateescape")


def call(load, arguments):  # what `load` pushes, called with the arguments
    top = lua.lua_gettop(L)
    lua.lua_checkstack(L, len(arguments) + 16)
    try:
        failed = load()
        for x in () if failed else arguments: push(x)
        failed = failed or lua.lua_pcallk(L, len(arguments), -1, 0, 0, None)
        results = [pull(i) for i in range(top + 1, lua.lua_gettop(L) + 1)]
    finally:
        lua.lua_settop(L, top)
    if failed: raise ValueError(results[0])
    return results[0] if len(results) == 1 else tuple(results) if results else None


def evaluate(text, *arguments, name="=python"):  # a chunk of Lua
    text = text.encode()
    return call(lambda: lua.luaL_loadbufferx(L, text, len(text), name.encode(), b"t"), arguments)


class Reference:  # a value that lives in Lua
    def __init__(self, i):
        lua.lua_pushvalue(L, i)
        self.reference = lua.luaL_ref(L, REGISTRY)

    def __del__(self, free=lua.luaL_unref, state=L, registry=REGISTRY):  # which are gone at exit
        free(state, registry, self.reference)


class Function(Reference):
    def __call__(self, *arguments, **options):  # an option that is None is left out
        options = {name: x for name, x in options.items() if x is not None}
        return call(lambda: push(self), arguments + (options,) if options else arguments)


class Module:  # strew.NAME is the function of the Lua module
    def __getattr__(self, name):
        if name.startswith("__"): raise AttributeError(name)
        try: function = evaluate("return strew[...]", name)
        except ValueError as error: raise AttributeError(*error.args) from None
        setattr(self, name, function)
        return function


strew = Module()


# -------------------------------------------------------------------------------------------------------------- tensors

class Array(Reference):
    """A tensor. Python's operators are strew's; a method is the call of that name: x.scatter_add(0, index, src)."""

    def __init__(self, i):
        super().__init__(i)
        self.tensor = library.strew_test(L, i)

    def __getattr__(self, name):
        if name.startswith("__"): raise AttributeError(name)
        function = getattr(strew, name)
        return lambda *arguments, **options: function(self, *arguments, **options)

    dtype = property(lambda x: DTYPES[library.strew_tensor_dtype(x.tensor)])
    ndim = property(lambda x: library.strew_tensor_rank(x.tensor))
    size = property(lambda x: library.strew_tensor_numel(x.tensor))
    shape = property(lambda x: tuple(library.strew_tensor_sizes(x.tensor)[:x.ndim]))
    device = property(lambda x: evaluate("return tostring((...).device)", x))
    T = property(lambda x: x.transpose(0, 1))
    mT = property(lambda x: x.transpose(-2, -1))

    def tobytes(self):  # in row-major order
        data = (c_char * (self.size * library.strew_dtype_size_bytes(DTYPES.index(self.dtype))))()
        succeed("strew_read", self.tensor, data, len(data))
        return data.raw

    def tolist(self):
        if self.dtype == "text": return evaluate("return (...):tolist()", self)
        x = self.to("float32") if self.dtype == "bfloat16" else self
        values, numbers = iter(struct.unpack(f"={x.size}{LETTERS[x.dtype]}", x.tobytes())), x.shape
        nested = lambda sizes: [nested(sizes[1:]) for _ in range(sizes[0])] if sizes else next(values)
        return nested(numbers)

    def item(self):
        if self.size != 1: raise TypeError(f"{self.size} elements, expected one")
        return flatten([self.tolist()], self.ndim)[0]

    def __repr__(self): return evaluate("return tostring(...)", self)
    def __len__(self):
        if not self.ndim: raise TypeError("a single number has no length")
        return self.shape[0]
    def __iter__(self): return (self[i] for i in range(len(self)))
    def __bool__(self): return bool(self.item())
    def __int__(self): return int(self.item())
    def __float__(self): return float(self.item())
    def __complex__(self): return complex(self.item())
    def __index__(self):
        if not isinstance(i := self.item(), int): raise TypeError(f"{self.dtype} is no index")
        return i

    # The view that integers, slices, None and ... choose, and the dimensions along which it is reversed.
    def chosen(self, keys):
        named = sum(k is not None and k is not ... for k in keys)
        keys = keys if any(k is ... for k in keys) else keys + (...,)
        view, dim, reverse = self, 0, []
        for k in keys:
            if k is None: view, dim = view.unsqueeze(dim), dim + 1
            elif k is ...: dim += self.ndim - named
            elif isinstance(k, slice):
                places = range(view.shape[dim])[k]
                if places.step < 0: places, reverse = places[::-1], reverse + [dim]
                view, dim = view.slice(dim, places.start, max(places.stop, places.start), places.step), dim + 1
            else: view = view.select(dim, k)
        return view, reverse

    def __getitem__(self, key):
        keys = key if isinstance(key, tuple) else (key,)
        if any(isinstance(k, Array) for k in keys):
            return evaluate("local t, index = ... return t[index]", self, self.index(keys))
        view, reverse = self.chosen(keys)
        return view.flip(reverse) if reverse else view

    def __setitem__(self, key, value):
        keys = key if isinstance(key, tuple) else (key,)
        if any(isinstance(k, Array) for k in keys):
            evaluate("local t, index, value = ... t[index] = value", self, self.index(keys), value)
            return
        view, reverse = self.chosen(keys)
        if not isinstance(value, Array): value = tensor(value, self.dtype)
        view.copy_(value.expand(view.shape).flip(reverse) if reverse else value)

    def index(self, keys):  # a mask, or indices of the leading dimensions, counted from their ends where negative
        if keys[0].dtype == "bool" if isinstance(keys[0], Array) else False: return keys[0]
        keys = [k if isinstance(k, Array) else tensor(k, "int64") for k in keys]
        return [strew.where(k.lt(0), k + n, k) if k.dtype.name[0] == "i" else k for k, n in zip(keys, self.shape)]

    def __dlpack_device__(self): return 1, 0

    def __dlpack__(self, *, stream=None, max_version=None, dl_device=None, copy=None):
        if self.device != "cpu": raise BufferError(f"on {self.device}")
        x, old, managed = self.clone() if copy else self, not max_version or max_version[0] < 1, c_void_p()
        succeed("strew_to_dlpack", c_void_p(x.tensor), (c_uint64 * 5)(old), byref(managed))
        return pythonapi.PyCapsule_New(managed, b"dltensor" if old else b"dltensor_versioned", delete_unused)


def define_operators():
    reflected = {"add": "add", "sub": "sub", "mul": "mul", "truediv": "div", "floordiv": "floor_divide",
                 "mod": "remainder", "pow": "pow", "matmul": "matmul", "and": "bitwise_and", "or": "bitwise_or",
                 "xor": "bitwise_xor", "lshift": "bitwise_left_shift", "rshift": "bitwise_right_shift"}
    compared = {name: name for name in "eq ne lt le gt ge".split()}
    alone = {"neg": "neg", "pos": "positive", "abs": "abs", "invert": "bitwise_not"}

    def operand(self, x):  # an integer above those of Lua is one of uint64
        return tensor(x, self.dtype) if isinstance(x, int) and not -2**63 <= x < 2**63 else x

    def define(name, method):
        method.__name__ = method.__qualname__ = name
        setattr(Array, name, method)

    def binary(name):
        f = getattr(strew, name)
        return lambda self, other, /: f(self, operand(self, other)) if is_operand(other) else NotImplemented

    def right(name):
        f = getattr(strew, name)
        return lambda self, other, /: f(operand(self, other), self) if is_operand(other) else NotImplemented

    def in_place(name):
        def method(self, other, /):
            getattr(strew, name + "_")(self, operand(self, other))
            return self
        return method

    def unary(name):
        f = getattr(strew, name)
        return lambda self, /: f(self)

    for name, call in (reflected | compared).items(): define(f"__{name}__", binary(call))
    for name, call in alone.items(): define(f"__{name}__", unary(call))
    for name, call in reflected.items():
        define(f"__r{name}__", right(call))
        if name != "matmul": define(f"__i{name}__", in_place(call))


def is_operand(x): return isinstance(x, (Array, bool, int, float))


define_operators()


# ------------------------------------------------------------------------------------- tensors of values, and of memory

def succeed(name, *arguments):  # a function of C that returns a status
    if getattr(library, name)(*arguments, byref(error := Error())): raise ValueError(error.message.decode())


def made(name, *arguments):  # by a function of C that makes a tensor
    succeed(name, *arguments, byref(pointer := c_void_p()))
    top = lua.lua_gettop(L)
    library.strew_push(L, pointer)
    result = Array(top + 1)
    lua.lua_settop(L, top)
    library.strew_release(pointer)
    return result


def flatten(values, depth):
    for _ in range(depth): values = [x for row in values for x in row]
    return values


def plain(values):
    if isinstance(values, (list, tuple)): return [plain(x) for x in values]
    return values.tolist() if isinstance(values, Array) else values


def tensor(values, dtype=None, device=None):
    """From numbers in nested lists, an Array, or memory that tells its shape, as NumPy's."""
    if isinstance(values, Array): return values.to(dtype or values.dtype).clone()
    if not isinstance(values, (bool, int, float, list, tuple)):
        x = wrap(values).clone()
        return x.to(dtype) if dtype else x
    values = plain(values)
    sizes, row = [], values
    while isinstance(row, list):
        sizes.append(len(row))
        row = row[0] if row else 0.0
    flat = flatten([values], len(sizes))
    if len(flat) != math.prod(sizes): raise ValueError(f"lists of different lengths for shape {sizes}")
    dtype = dtype or ("bool" if all(isinstance(x, bool) for x in flat) and flat else
                      "int64" if all(isinstance(x, int) for x in flat) and flat else "float32")
    dtype = DTYPES[DTYPES.index(dtype)]
    if dtype == "bfloat16": return tensor(values, "float32", device).to(dtype)
    kind = bool if dtype == "bool" else float if LETTERS[dtype] in "efd" else int
    data = struct.pack(f"={len(flat)}{LETTERS[dtype]}", *map(kind, flat))
    x = made("strew_from", c_void_p(CPU), DTYPES.index(dtype), len(sizes), (c_int64 * len(sizes))(*sizes), data)
    return x.to(device) if device else x


lent = {}  # the owners of memory that tensors use
give_back = CFUNCTYPE(None, c_size_t)(lambda key: lent.pop(key, None) and None)
of_format = {letter: name for name, letter in LETTERS.items() if name != "time"} | {"l": "int64", "L": "uint64"}


def wrap(memory):
    """A tensor over the memory of an array, of NumPy as well, which lives as long as a view of the tensor."""
    view = memoryview(memory)
    if view.format not in of_format or not view.c_contiguous: raise TypeError(f"format {view.format}, in C's order?")
    dtype, sizes = DTYPES.index(of_format[view.format]), (c_int64 * view.ndim)(*view.shape)
    if view.readonly: return made("strew_from", c_void_p(CPU), dtype, view.ndim, sizes, view.tobytes())  # a copy
    data = (c_char * view.nbytes).from_buffer(memory)
    lent[key := id(data)] = data
    return made("strew_wrap", c_void_p(CPU), dtype, view.ndim, sizes, None, data, c_size_t(view.nbytes), give_back,
                c_size_t(key))


# DLPack's capsules: whoever takes what one holds renames it.
for name, result, kinds in (("New", py_object, [c_void_p, c_char_p, c_void_p]),
                            ("SetName", c_int, [py_object, c_char_p]),
                            ("GetPointer", c_void_p, [c_void_p, c_char_p]), ("IsValid", c_int, [c_void_p, c_char_p])):
    declare(pythonapi, result, **{"PyCapsule_" + name: kinds})
# Of each kind the word of its struct that is the deleter, and the name of a capsule that was taken.
DELETERS = {b"dltensor": (7, b"used_dltensor"), b"dltensor_versioned": (2, b"used_dltensor_versioned")}


@CFUNCTYPE(None, c_void_p)
def delete_unused(capsule):
    for name, (word, _) in DELETERS.items():
        if pythonapi.PyCapsule_IsValid(capsule, name):
            managed = pythonapi.PyCapsule_GetPointer(capsule, name)
            CFUNCTYPE(None, c_void_p)(c_void_p.from_address(managed + 8 * word).value)(managed)


def from_dlpack(x):
    """A tensor over the memory of another library's array, without a copy."""
    try: capsule = x.__dlpack__(max_version=(1, 0))
    except TypeError: capsule = x.__dlpack__()
    name = next(name for name in DELETERS if pythonapi.PyCapsule_IsValid(id(capsule), name))
    result = made("strew_from_dlpack", c_void_p(CPU), c_void_p(pythonapi.PyCapsule_GetPointer(id(capsule), name)))
    pythonapi.PyCapsule_SetName(capsule, DELETERS[name][1])
    return result


if __name__ == "__main__":
    station, rain, sums = array("q", [0, 2, 1, 2, 0, 2]), array("f", [1.5, 0.25, 3, 4, 2.5, 0.5]), array("f", [0, 0, 0])
    index, src, out = wrap(station), wrap(rain), wrap(sums)
    for station[4] in 0, 7:  # the second time out of range: nothing is written
        try: strew.scatter_sum(src, index, out=out)
        except ValueError as error: print(error)
        print(*sums)
