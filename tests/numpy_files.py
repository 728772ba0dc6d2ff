# usage: python3 numpy_files.py write|check|check_gzip FOLDER
# NumPy's side of the tests of files, and that of Python's csv and gzip: writes the samples of tests/data/numpy, which
# file_spec.lua reads, or checks the files that file_spec.lua has saved. Both compute the elements by the same rule: see
# `values`.
import csv
import gzip
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
    np.savez("unsigned.npz", **{f"{order}u{size}": unsigned(size).astype(f"{order}u{size}") for order in "<>" for size in (2, 4)})
    write_dates("dates.tsv.gz")


def unsigned(size):
    return np.array([0, 1, 127, 128, 255, 256, 2 ** (8 * size - 1) - 1, 2 ** (8 * size - 1), 2 ** (8 * size) - 1])


# Dates of all years as text, with the seconds that NumPy gives them, and numbers with decimal commas.
def write_dates(path):
    random = np.random.RandomState(7)
    seconds = random.randint(-62167219200, 253402300800, size=400).tolist()
    with gzip.GzipFile(path, "wb", mtime=0) as file, io.TextIOWrapper(file, newline="") as text:
        lines = csv.writer(text, delimiter="\t")
        lines.writerow(["date", "days", "time", "seconds", "comma", "number"])
        for i, second in enumerate(seconds):
            time = np.datetime64(second, "s")
            day = time.astype("datetime64[D]")
            number = float(random.randn()) * 10.0 ** int(random.randint(-30, 30))
            comma = repr(number).replace(".", ",")
            lines.writerow([day, day.astype("int64"), str(time) + ["", "Z"][i % 2], second, comma, number.hex()])


# What file_spec.lua has saved as columns: whole numbers, halves and words.
def check_columns(path, delimiter):
    with gzip.open(path, "rt", newline="") as file:
        rows = list(csv.reader(file, delimiter=delimiter))
    words = ["a\tb", 'say "c"', "d,\ne"]
    expected = [["i", "half", "word"]] + [[str(i), str(i / 2), words[i % 3]] for i in range(100)]
    if rows != expected:
        sys.exit(f"{path} has {rows}")


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


def check_gzip(folder):
    os.chdir(folder)
    check_columns("columns.csv.gz", ",")
    check_columns("columns.tsv.gz", "\t")
    with gzip.open("gzip.npy.gz") as file:
        check_same("gzip.npy.gz", np.load(file), values("int32", (2, 3, 4)))
    print("same")


if __name__ == "__main__":
    {"write": write, "check": check, "check_gzip": check_gzip}[sys.argv[1]](sys.argv[2])
