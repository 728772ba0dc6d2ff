"""The Jupyter kernel of scripts/notebook: its notebook runs with the outputs that it shows; and completion, help, errors,
interrupts and input, asked as a front end does. Needs nbclient and ipykernel.
usage: python3 -B tests/notebook_test.py BUILD"""

import json
import os
import queue
import shutil
import sys
import tempfile
import threading
import time

from pathlib import Path

try:
    import nbformat
    import ipykernel  # noqa: F401
    from jupyter_client.manager import KernelManager
    from nbclient import NotebookClient
except ImportError as error:
    print(f"notebook: left out, {error.name} is absent (Debian: python3-nbclient python3-ipykernel)")
    sys.exit(0)

ROOT = Path(__file__).resolve().parent.parent
BUILD = Path(sys.argv[1] if len(sys.argv) > 1 else "build").resolve()
passed, failed = 0, 0


def same(name, expected, got):
    global passed, failed
    if expected == got:
        passed += 1
    else:
        failed += 1
        print(f"FAILED {name}: expected\n{expected}\nnot\n{got}")


def holds(name, what, got):
    same(name, True, what(got))
    if not what(got):
        print(got)


# Pictures by their first bytes: compressed ones differ by the library.
def plain(output):
    output = json.loads(json.dumps(output))
    for kind, data in output.get("data", {}).items():
        if kind == "image/png":
            output["data"][kind] = data[:8]
    output.pop("metadata", None)
    return output


def test_tour():
    shown = nbformat.read(ROOT / "scripts/notebook/tour.ipynb", 4)
    run = nbformat.read(ROOT / "scripts/notebook/tour.ipynb", 4)
    NotebookClient(run, kernel_name="strew", allow_errors=True, timeout=60).execute()
    for old, new in zip(shown.cells, run.cells):
        if old.cell_type == "code":
            same(old.source, [plain(o) for o in old.outputs], [plain(o) for o in new.outputs])
    kinds = {kind for cell in run.cells for o in cell.get("outputs", []) for kind in o.get("data", {})}
    same("kinds of output", {"text/plain", "text/html", "image/png", "image/svg+xml"}, kinds)


class Front:
    """A front end: a kernel and a client of it."""

    def __init__(self):
        self.manager = KernelManager(kernel_name="strew")
        self.manager.start_kernel()
        self.client = self.manager.client()
        self.client.start_channels()
        self.client.wait_for_ready(60)

    def answer(self, number):
        while True:
            message = self.client.get_shell_msg(timeout=30)
            if message["parent_header"].get("msg_id") == number:
                return message["content"]

    def run(self, code, typed=None, interrupt_after=None, asks=False):
        """Returns the outputs of a cell as texts: streams, results, "error: ..."."""
        number, texts = self.client.execute(code, allow_stdin=asks or typed is not None), []
        if asks:
            self.client.get_stdin_msg(timeout=30)
        if typed is not None:
            self.client.get_stdin_msg(timeout=30)
            self.client.input(typed)
        while True:
            message = self.client.get_iopub_msg(timeout=30)
            kind, content = message["msg_type"], message["content"]
            if message["parent_header"].get("msg_id") != number:
                continue
            if kind == "execute_input" and interrupt_after is not None:  # no earlier Ctrl-C is the cell's
                threading.Timer(interrupt_after, self.manager.interrupt_kernel).start()
            if kind == "status" and content["execution_state"] == "idle":
                self.status = self.answer(number)["status"]
                return "|".join(texts)
            if kind == "stream":
                texts.append(content["text"].rstrip("\n"))
            elif kind in ("execute_result", "display_data"):
                texts.append(content["data"].get("text/plain", "") + "".join(f"<{k}>" for k in sorted(content["data"]) if k != "text/plain"))
            elif kind == "error":
                texts.append("error: " + "\n".join(content["traceback"]))

    def complete(self, code):
        content = self.answer(self.client.complete(code, len(code)))
        return [code[:content["cursor_start"]] + match for match in content["matches"]]

    def is_complete(self, code):
        return self.answer(self.client.is_complete(code))["status"]

    def inspect(self, code, at):
        return self.answer(self.client.inspect(code, at))["data"].get("text/plain", "").split("\n")[0]

    def close(self):
        self.client.stop_channels()
        self.manager.shutdown_kernel(now=True)


def test_cells(front):
    for code, expected in (
            ("6 * 7", "42"),
            ("6 * 7;", ""),
            ("x = 3", ""),
            ("local y = 4\nprint(y)\ny + x", "4|7"),
            ("y\n-- the end", "4"),
            ("local a = y\n-1\na", "3"),
            ("print(1)\ny = = 2", "error: In [7]:2: unexpected symbol near '='"),
            ("f = function(v)\n  return v + 1\nend\nf\n(y)", "5"),
            ("f = print\n(y)", "4"),
            ("y, 'ä'", "4\tä"),
            ("strew.zeros(2):scater_(1)", "error: In [11]:1: tensor has no 'scater_'\n  hint  did you mean 'scatter_'?"),
            ("error({})", "error: (error object is a table value)"),
            ("io.stderr:write('a note\\n');", "a note"),
            ("strew.show(strew.arange(4))", "▁▃▆█\n0 .. 3"),
            ("strew.show(strew.eye(2), {min = 2, max = 1})", "error: In [15]: show: 'min' is 2, expected less than 'max', which is 1"),
            ("strew.show(strew.zeros(2, 2, 3):to('uint8'))", None),
            ("strew.plot(strew.arange(3), {width = 9, height = 3})", None),
            ("strew.plot()", "error: In [18]: plot: 'y' is missing, expected values"),
            ("strew.plot(strew.arange(3), {style = 'svg'})", None),
            ("strew.table{a = {1}}", "table: 1 row, 1 column, cpu\n     a\n int64\n     1<text/html>"),
            ("t = strew.table{['<b>'] = {'a&b'}}", ""),
            ("getmetatable(t).__html(t):match('<th [^>]*>(.-)</th>'), getmetatable(t).__html(t):match('>(a.-)<')",
             "&lt;b&gt;\ta&amp;b"),
            (":quit", None)):
        got = front.run(code)
        if expected is not None:
            same(code, expected, got)
    same("after its end the program starts again", "2", front.run("1 + 1"))
    same("a cell that stops within a block", "error: In [25]:1: 'end' expected near <eof>", front.run("if 1 then"))
    for size in ("{width = 20, height = 6}", "{width = 400, height = 300}", "{title = 'a'}"):
        holds("a plot", lambda text: "<image/svg+xml>" in text, front.run(f"strew.plot(strew.arange(3), {size})"))
    holds("a plot of a table", lambda text: "<image/svg+xml>" in text,
          front.run("strew.table{a = {1, 2}, b = {3, 4}}:plot{x = 'a', y = 'b'}"))
    holds("a plot's text", lambda text: text.startswith("<svg"), front.run("strew.plot(strew.ones(3), {style = 'svg'})"))
    holds("a picture", lambda text: "<image/png>" in text, front.run("strew.zeros(2, 3, 3):to('uint8')"))
    holds("help", lambda text: text.startswith("strew.gather(self"), front.run("z = 1\n?gather"))
    same("much output", 600000, len(front.run("for i = 1, 100000 do print('abcde') end")) + 1)
    same("what looks like a mark", "\x1eabc done 1\n3", front.run("print('\\30abc done 1')\n3").replace("|", "\n"))


def test_questions(front):
    front.run("sales = strew.table{price = {1.5}, pieces = {2}}")
    same("columns", ["sales.pieces"], front.complete("sales.pie"))
    same("a later line", ["ä = 1\nstrew.scatter_mean"], front.complete("ä = 1\nstrew.scatter_mea"))
    same("dtypes", ["strew.rand(2, {dtype = 'float16", "strew.rand(2, {dtype = 'float32", "strew.rand(2, {dtype = 'float64"],
         front.complete("strew.rand(2, {dtype = 'fl"))
    same("more", "incomplete", front.is_complete("for i = 1, 2 do"))
    same("all", "complete", front.is_complete("for i = 1, 2 do\nend\ni"))
    same("wrong", "invalid", front.is_complete("for i = 1, 2 do end end"))
    same("a command", "complete", front.is_complete("?gather"))
    holds("help", lambda text: text.startswith("strew.gather(self"), front.inspect("t:gather(0, i)", 4))
    same("no help", "", front.inspect("nothing_of_this", 3))
    same("input", "'ab'", front.run("'\\'' .. io.read() .. '\\''", typed="ab"))
    same("no input", "''", front.run("'\\'' .. io.read() .. '\\''"))
    same("Ctrl-C in a question", "error: interrupted!", front.run("io.read()", asks=True, interrupt_after=0.3)[:19])
    same("and after it", "3", front.run("1 + 2"))


def test_interrupts(front):
    front.run("kept = 5")
    for code in ("while true do end", "for i = 1, 1e9 do strew.rand(3000, 3000):matmul(strew.rand(3000, 3000)) end",
                 "local function deeper() pcall(deeper) while true do pcall(error) end end deeper()"):
        begin = time.monotonic()
        got = front.run(code, interrupt_after=0.3)
        holds(code, lambda text: text.startswith("error: ") and "interrupted!" in text.split("\n")[0], got)
        holds(code, lambda seconds: seconds < 20, time.monotonic() - begin)
        same("variables stay", "5", front.run("kept"))


def main():
    if os.environ.get("STREW_PROGRAM") is None:
        os.environ["STREW_PROGRAM"] = str(BUILD / "strew")
    with tempfile.TemporaryDirectory() as folder:
        kernels = Path(folder, "kernels", "strew")
        kernels.mkdir(parents=True)
        shutil.copy(ROOT / "scripts/notebook/kernel.json", kernels)
        os.environ.update(JUPYTER_PATH=folder, PYTHONPATH=str(ROOT / "scripts/notebook"), PYTHONDONTWRITEBYTECODE="1",
                          PYDEVD_DISABLE_FILE_VALIDATION="1")
        os.chdir(folder)
        test_tour()
        front = Front()
        try:
            test_cells(front)
            test_questions(front)
            test_interrupts(front)
        except queue.Empty:
            same("the kernel answers", "an answer", "none in 30 s")
        finally:
            front.close()
    print(f"notebook: {passed} passed, {failed} failed")
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
