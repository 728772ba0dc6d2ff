# onnx_backend.py: strew as a backend of ONNX (onnx.backend.base), by arrays.py and onnx.lua: models and nodes whose
# operators strew has. Its scoreboard, onnx.backend.test: python3 -m pytest scripts/hosts/onnx_backend.py
import pathlib

import numpy as np
import onnx
from onnx.backend.base import Backend, BackendRep

from arrays import DTYPES, Array, evaluate, strew, wrap

PATH = pathlib.Path(__file__).with_name("onnx.lua")
lua = evaluate(PATH.read_text(), name=f"@{PATH}")


def to_strew(x):
    if x is None or isinstance(x, Array): return x
    if isinstance(x, (list, tuple)): return [to_strew(one) for one in x]
    x = np.asarray(x)
    if x.dtype.kind in "OSU": return strew.tensor([str(word) for word in x.ravel()]).reshape(x.shape)
    if x.dtype.name not in DTYPES: raise NotImplementedError(f"dtype {x.dtype}")
    bits = np.array(x.view("uint16") if x.dtype.name == "bfloat16" else x, order="C")
    return wrap(bits).view_as(x.dtype.name) if bits.dtype != x.dtype else wrap(bits)


def to_numpy(x):
    if isinstance(x, list): return [to_numpy(one) for one in x]
    if x.dtype == "text": return np.array(x.tolist(), object)
    dtype = onnx.helper.tensor_dtype_to_np_dtype(onnx.TensorProto.BFLOAT16) if x.dtype == "bfloat16" else x.dtype.name
    return np.frombuffer(x.tobytes(), dtype).reshape(x.shape)


class Model(BackendRep):
    def __init__(self, model): self.model = lua["model"](model.SerializeToString())
    def run(self, inputs, **kwargs): return tuple(to_numpy(x) for x in called(self.model["run"], inputs))


def called(run, inputs, *arguments):  # NotImplementedError: of an operator or dtype that strew lacks
    try: return run(*arguments, [to_strew(x) for x in inputs])
    except ValueError as error:
        if isinstance(error.args[0], dict): raise NotImplementedError(*error.args[0].values()) from None
        raise


class StrewBackend(Backend):
    @classmethod
    def supports_device(cls, device): return device == "CPU"

    @classmethod
    def is_compatible(cls, model, device="CPU", **kwargs):
        return all(node.op_type in lua["operators"] for node in model.graph.node)

    @classmethod
    def prepare(cls, model, device="CPU", **kwargs):
        super().prepare(model, device, **kwargs)
        return Model(model)

    @classmethod
    def run_node(cls, node, inputs, device="CPU", outputs_info=None, **kwargs):
        super().run_node(node, inputs, device, outputs_info, **kwargs)
        return tuple(to_numpy(x) for x in called(lua["run_node"], inputs, node.SerializeToString()))


prepare, run_node, run_model = StrewBackend.prepare, StrewBackend.run_node, StrewBackend.run_model
supports_device = StrewBackend.supports_device
