// usage: node scripts/bench/page_numpy.mjs PYODIDE NUMPY [TURNS]
// The calls of page.lua in Pyodide, of the folder PYODIDE, with the NumPy that is unpacked in the folder NUMPY.
import path from "node:path";
const [runtime, numpy, turns = "200"] = process.argv.slice(2);
const { loadPyodide } = await import(path.resolve(runtime, "pyodide.mjs"));
const python = await loadPyodide({ indexURL: path.resolve(runtime) + "/" });
python.FS.mkdir("/numpy");
python.FS.mount(python.FS.filesystems.NODEFS, { root: path.resolve(numpy) }, "/numpy");
python.runPython(`
import sys, time
sys.path.insert(0, "/numpy")
import numpy as np
n, rng = 1 << 15, np.random.default_rng(1)
x, y = rng.random(n, np.float32), rng.random(n, np.float32)
index, order = rng.integers(0, 1000, n, np.int32), rng.permutation(n).astype(np.int32)
a, b = rng.random((64, 64), np.float32), rng.random((64, 64), np.float32)
for name, call in (
    ("x + y", lambda: x + y), ("exp(x)", lambda: np.exp(x)), ("sum(x)", lambda: x.sum()), ("sort(x)", lambda: np.sort(x)),
    ("x[order]", lambda: x[order]), ("x[x > 0.5]", lambda: x[x > 0.5]),
    ("add.at, 1000 places", lambda: np.add.at(np.zeros(1000, np.float32), index, x)),
    ("bincount, 1000 weighted", lambda: np.bincount(index, x, 1000)), ("unique(index)", lambda: np.unique(index)),
    ("matmul, 64 x 64", lambda: a @ b)):
    best = np.inf
    for _ in range(${turns}):
        begin = time.perf_counter()
        call()
        best = min(best, time.perf_counter() - begin)
    print(f"{name}\\t{best * 1e3:.4f}", flush=True)
`);
