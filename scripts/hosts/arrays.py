# arrays.py: Python calls libstrew by ctypes alone: arrays, those of NumPy as well, are used in place, without a copy.
# python3 arrays.py [libstrew.so]
import sys
from array import array
from ctypes import CDLL, Structure, byref, c_bool, c_char, c_char_p, c_int, c_int64, c_size_t, c_uint64, c_void_p

strew = CDLL(sys.argv[1] if len(sys.argv) > 1 else "libstrew.so.0")
FLOAT32, INT64, SUM = 0, 4, 0  # STREW_FLOAT32, STREW_INT64, STREW_GROUP_SUM

class Groups(Structure): _fields_ = [("index", c_void_p), ("grouping", c_void_p), ("ends", c_void_p), ("is_sorted", c_bool)]
class Error(Structure): _fields_ = [("alias", c_char_p), ("op", c_char_p), ("code", c_int), ("argument", c_char_p),
    ("has_value", c_bool), ("value", c_int64 * 2), ("position_rank", c_int), ("position", c_int64 * 16),
    ("hint", c_char * 256), ("message", c_char * 2048), ("reserved", c_uint64 * 8)]

def call(name, *arguments):  # a function that returns a status
    if getattr(strew, name)(*arguments, byref(error := Error())): raise ValueError(error.message.decode())

def wrap(dtype, a):  # a tensor over the array's memory, which must live longer
    data, tensor = (c_char * (len(a) * a.itemsize)).from_buffer(a), c_void_p()
    call("strew_wrap", cpu, dtype, 1, byref(c_int64(len(a))), None, data, c_size_t(len(data)), None, None, byref(tensor))
    return tensor

call("strew_context_create", None, byref(context := c_void_p()))
call("strew_device_find", context, b"cpu", byref(cpu := c_void_p()))
station, rain, sums = array("q", [0, 2, 1, 2, 0, 2]), array("f", [1.5, 0.25, 3, 4, 2.5, 0.5]), array("f", [0, 0, 0])
tensors = index, src, out = wrap(INT64, station), wrap(FLOAT32, rain), wrap(FLOAT32, sums)
for station[4] in 0, 7:  # the second time out of range: nothing is written
    try: call("strew_group_reduce", Groups(index), SUM, src, None, byref(out), None)
    except ValueError as error: print(error)
    print(*sums)
for tensor in tensors: strew.strew_release(tensor)
strew.strew_context_release(context)
