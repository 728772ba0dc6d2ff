# usage: python3 tests/coming_from_peers.py BUILD
# The codes of NumPy, pandas and PyTorch in scripts/reference/coming_from.lua, as far as these are installed, in a folder
# for their files: each gives the result written there, in the text of tests/results.lua.
import ast
import os
import subprocess
import sys
import tempfile

build = sys.argv[1]
# Nothing is within a field: two NUL end a row.
rows_of_lua = r"""
for _, page in ipairs(dofile "scripts/reference/coming_from.lua") do
  for _, row in ipairs(page.peer and page.rows or {}) do
    io.write(table.concat({page[1], row[1], page.there, row[2], row.there or row[4]}, "\0"), "\0\0")
  end
end"""


def number(x):
    if isinstance(x, bool):
        return str(x).lower()
    return "nan" if x != x else "%.6g" % x if isinstance(x, float) else str(x)


def elements(x):
    return "{" + ", ".join(map(elements, x)) + "}" if isinstance(x, list) else number(x)


def text(x):
    kind = type(x).__module__.split(".")[0] + "." + type(x).__name__
    if kind == "torch.Tensor":
        return str(x.dtype).removeprefix("torch.") + " " + elements(x.tolist())
    if kind == "pandas.DataFrame":
        named = x.reset_index() if any(x.index.names) else x
        return "{" + ", ".join(sorted(f"{name} = {text(named[name])}" for name in named)) + "}"
    if kind == "pandas.Series" and any(x.index.names):
        return text(x.reset_index())
    if hasattr(x, "dtype"):
        if x.dtype.kind not in "biuf":
            return "text {" + ", ".join(x) + "}"
        return f"{x.dtype.name} {elements(x.tolist())}"
    if isinstance(x, (list, tuple)):
        return "{" + ", ".join(map(text, x)) + "}"
    return "%.1f" % x if isinstance(x, float) and x == x // 1 else x if isinstance(x, str) else number(x)


# The results of a code, which ends in an expression; of more than one, and of tuples, one after the other.
def results(code, names):
    body = ast.parse(code).body
    last = body.pop()
    exec(compile(ast.Module(body, []), "code", "exec"), names)

    def flat(x):
        is_shape = isinstance(x, tuple) and all(type(size) is int for size in x)
        return [part for y in x for part in flat(y)] if isinstance(x, tuple) and not is_shape else [text(x)]

    return "; ".join(flat(eval(compile(ast.Expression(last.value), "code", "eval"), names)))


program = subprocess.run([f"{build}/strew", "-E", "-e", rows_of_lua], stdout=subprocess.PIPE, check=True)
rows = [row.split("\0") for row in program.stdout.decode().split("\0\0")[:-1]]
passed, failed, absent = 0, 0, set()
with tempfile.TemporaryDirectory() as folder:
    os.chdir(folder)
    for page, title, operands, code, expected in rows:
        names = {}
        try:
            exec(operands, names)
            if page == "pandas" and names["pd"].__version__ < "2":  # whose counts have no name
                raise ImportError
        except ImportError:
            absent.add(page)
            continue
        try:
            got = results(code, names)
        except Exception as error:
            got = f"{type(error).__name__}: {error}"
        if got == expected:
            passed += 1
            continue
        failed += 1
        print(f"coming_from.lua, {page}: {title}\n  gives    {got}\n  expected {expected}")
    os.chdir("/")
for page in sorted(absent):
    print(f"coming_from: without {'pandas 2 or later' if page == 'pandas' else page}, which is not installed for {sys.executable}")
print("coming_from: left out, needs NumPy, pandas or PyTorch (PYTHON=...)" if passed + failed == 0 else
      f"coming_from: {passed} passed, {failed} failed")
sys.exit(failed > 0)
