# usage: python3 numpy_files.py write|check FOLDER
# NumPy's side of the tests of files: writes the samples of tests/data/numpy, which file_spec.lua reads, or checks the
# files that file_spec.lua has saved. Both compute the elements by the same rule: see `values`.
import io
import os
import sys

import numpy as np

DTYPES = ["float32", "float64", "float16", "int64", "int32", "int16", "int8", "uint8", "bool"]
SHAPES = {"scalar": (), "empty": (0, 3), "line": (5,), "block": (2, 3, 4)}


def values(dtype, shape):
    i = np.arange(int(np.prod(shape)), dtype="int64").reshape(shape)
    if dtype == "bool":
        return i % 3 == 0
    return (i * 37 - 5).astype(dtype) if "int" in dtype else (i * 0.5 - 1.25).astype(dtype)


def all_arrays():
    return {f"{dtype}/{name}": values(dtype, shape) for dtype in DTYPES for name, shape in SHAPES.items()}


def write(folder):
    os.chdir(folder)
    block = values("int32", (2, 3, 4))
    np.savez("stored.npz", **all_arrays())
    np.savez_compressed("deflated.npz", **all_arrays())
    np.savez("big_endian.npz", **{name: a.astype(a.dtype.newbyteorder(">")) for name, a in all_arrays().items()})
    np.savez("fortran.npz", **{name: np.array(a, order="F") for name, a in all_arrays().items()})
    for version in (1, 2, 3):
        with open(f"version{version}.npy", "wb") as file:
            np.lib.format.write_array(file, block, version=(version, 0))


def check_same(name, is_a, expected):
    same = is_a.dtype == expected.dtype and is_a.shape == expected.shape and is_a.tobytes() == expected.tobytes()
    if not same:
        sys.exit(f"{name} is {is_a.dtype}{is_a.shape} {is_a.tolist()}, expected {expected.dtype}{expected.shape} {expected.tolist()}")


def check(folder):
    os.chdir(folder)
    expected = all_arrays()
    for path in ("stored.npz", "deflated.npz", "turned.npz"):
        with np.load(path) as archive:
            if sorted(archive.files) != sorted(expected):
                sys.exit(f"{path} has {archive.files}")
            for name in archive.files:
                check_same(f"{path}: {name}", archive[name], expected[name])
                if path == "turned.npz" and not archive[name].flags.f_contiguous:
                    sys.exit(f"{path}: {name} is not in Fortran's order")
    for name, array in expected.items():
        path = name.replace("/", "_") + ".npy"
        check_same(path, np.load(path), array)
        ours, theirs = open(path, "rb").read(), io.BytesIO()
        np.save(theirs, array)
        if ours != theirs.getvalue():
            sys.exit(f"{path} has other bytes than NumPy writes")
    print("same")


if __name__ == "__main__":
    {"write": write, "check": check}[sys.argv[1]](sys.argv[2])
