"""A Jupyter kernel for strew: one process of the program `strew -i`, whose prompt session.lua makes a server."""

import ctypes
import os
import queue
import re
import secrets
import shutil
import signal
import subprocess
import threading

from base64 import b64encode
from pathlib import Path

from ipykernel.kernelbase import Kernel

HERE = Path(__file__).resolve().parent
MIME = {"html": "text/html", "png": "image/png", "svg": "image/svg+xml"}


def find_program():
    """$STREW_PROGRAM, `strew` on the PATH, or the build of the checkout that this file is in."""
    built = HERE.parents[2] / "build" / "strew"
    wanted = os.environ.get("STREW_PROGRAM")
    found = wanted or shutil.which("strew") or (str(built) if built.exists() else None)
    if not found:
        raise FileNotFoundError("strew is not on the PATH: run make install, or set STREW_PROGRAM=/path/to/strew")
    return found


def quoted(text):
    """A text as a string of Lua's."""
    return '"' + "".join("\\%03d" % byte for byte in os.fsencode(text)) + '"'


class Program:
    """The process, and what it writes as events (stream, kind, bytes) in a queue: "text" is output, "end" the end."""

    def __init__(self):
        self.token = secrets.token_hex(8)
        self.mark = b"\x1e" + self.token.encode() + b" "
        self.events = queue.Queue()
        reading, self.requests = os.pipe()
        self.process = subprocess.Popen(
            [find_program(), "-i"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            pass_fds=[reading], start_new_session=True, preexec_fn=self.end_with_parent)
        script, path = quoted(HERE / "session.lua"), quoted(f"/dev/fd/{reading}")
        first = f'assert(load(assert(io.open({script})):read("a"), "=strew.notebook"))("{self.token}", {path});\n'
        self.type_in(first)
        for name in ("stdout", "stderr"):
            threading.Thread(target=self.read, args=(name, getattr(self.process, name)), daemon=True).start()
        self.request("check", "")
        self.said = b""
        while (event := self.events.get())[1] != "check":
            self.said += event[2] if event[0] == "stderr" else b""
            if event[1] == "end":
                raise RuntimeError(self.said.decode(errors="replace").strip() or "strew ended as it started")
        os.close(reading)

    @staticmethod
    def end_with_parent():
        ctypes.CDLL(None).prctl(1, signal.SIGKILL, 0, 0, 0)  # PR_SET_PDEATHSIG

    def type_in(self, text):
        self.process.stdin.write(text.encode())
        self.process.stdin.flush()

    def request(self, kind, text):
        data = text.encode()
        data = f"{kind} {len(data)}\n".encode() + data
        while data:
            data = data[os.write(self.requests, data):]

    def read(self, name, pipe):
        """Splits what comes from a pipe into output and marks "\\x1eTOKEN KIND BYTES\\n" with their bytes."""
        rest = b""
        while chunk := pipe.read1(1 << 16):
            rest = self.split(name, rest + chunk)
        self.events.put((name, "text", rest))
        self.events.put((name, "end", b""))

    def split(self, name, text):
        while text:
            at = text.find(self.mark)
            if at < 0:  # a mark may have begun
                keep = max((n for n in range(1, len(self.mark)) if text.endswith(self.mark[:n])), default=0)
                self.events.put((name, "text", text[:len(text) - keep]))
                return text[len(text) - keep:]
            if at > 0:
                self.events.put((name, "text", text[:at]))
            head, newline, body = text[at:].partition(b"\n")
            fields = head[len(self.mark):].split(b" ")
            if not newline or len(body) < int(fields[1]):
                return text[at:]
            self.events.put((name, fields[0].decode(), body[:int(fields[1])]))
            text = body[int(fields[1]):]
        return b""

    def ask(self, kind, text):
        """Returns the answer to a request that runs no code; "" if the program has ended."""
        if self.process.poll() is not None:
            return ""
        self.request(kind, text)
        while (event := self.events.get())[1] not in (kind, "end"):
            pass
        return event[2].decode(errors="replace")

    def interrupt(self):
        self.process.send_signal(signal.SIGINT)

    def close(self):
        if self.requests is not None:
            os.close(self.requests)
            self.requests = None
        try:
            self.process.wait(2)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()


class StrewKernel(Kernel):
    implementation, implementation_version = "strew", "0.2.0"
    language_info = {"name": "lua", "mimetype": "text/x-lua", "file_extension": ".lua", "pygments_lexer": "lua",
                     "codemirror_mode": "lua", "version": "5.4"}
    banner = "strew: tensors and tables in Lua. ?name shows help, ?which the call for a task"
    help_links = []

    def __init__(self, **options):
        super().__init__(**options)
        self.running, self.wanted, self.asking = False, False, False
        self.program = Program()

    # ------------------------------------------------------------------------------------------------------ running

    def do_execute(self, code, silent, store_history=True, user_expressions=None, allow_stdin=False):
        if self.program.process.poll() is not None:
            self.program = Program()
        self.silent, self._allow_stdin = silent, allow_stdin
        self.shown, self.error, self.open = None, None, {"stdout", "stderr"}
        self.program.request("run", f"{self.execution_count}\n{code}")
        while self.open:
            self.take(*self.program.events.get())
        return self.reply()

    def pre_handler_hook(self):
        """Before each message; the handler before is put back behind it."""
        super().pre_handler_hook()
        self.running, self.wanted, self.asking = False, False, False
        signal.signal(signal.SIGINT, self.on_interrupt)

    def on_interrupt(self, *_):
        """Ctrl-C is for the running cell, once: before it starts it waits, after its end it is dropped."""
        if self.running:
            self.program.interrupt()
        else:
            self.wanted = True
        if self.asking:
            raise KeyboardInterrupt

    def take(self, stream, kind, data):
        if kind == "done" and data != b"%d" % self.execution_count:
            return  # of a cell before, whose end a late Ctrl-C repeated
        if kind in ("done", "end"):
            self.running = False
            self.open.discard(stream)
            if kind == "end" and not self.open:
                self.program.close()
            if kind == "end" and self.error is None:
                self.error = b"strew ended; the next cell starts it again, without variables"
        elif kind == "start":
            self.running = True
            if self.wanted:
                self.program.interrupt()
        elif kind == "error":
            self.error = b""
        elif kind == "text":
            self.take_text(stream, data)
        elif kind in ("result", "display"):
            self.shown = {"kind": kind, "text": b"", "data": {}}
        elif kind == "shown":
            self.show()
        elif kind == "input":
            self.answer()
        elif kind in MIME:
            text = b64encode(data).decode() if kind == "png" else data.decode(errors="replace")
            if self.shown is None:
                self.send("display_data", {"data": {MIME[kind]: text}, "metadata": {}})
            else:
                self.shown["data"][MIME[kind]] = text

    def take_text(self, stream, data):
        if stream == "stderr" and self.error is not None:
            self.error += data
        elif stream == "stdout" and self.shown is not None:
            self.shown["text"] += data
        elif data:
            self.send("stream", {"name": stream, "text": data.decode(errors="replace")})

    def show(self):
        """A result or display: its text, as at the prompt, and its other forms."""
        shown, self.shown = self.shown, None
        if shown is None:
            return
        text = shown["text"].decode(errors="replace").removesuffix("\n")
        if not text and not shown["data"]:
            return
        content = {"data": {"text/plain": text, **shown["data"]}, "metadata": {}}
        if shown["kind"] == "result":
            self.send("execute_result", {**content, "execution_count": self.execution_count})
        else:
            self.send("display_data", content)

    def answer(self):
        """Asks the front end for a line. Ctrl-C stops the question, and io.read."""
        self.asking = True
        try:
            line = self.raw_input("") + "\n"
        except KeyboardInterrupt:
            line = ""
        except Exception:  # StdinNotImplementedError: a front end without input
            line = "\n"
        self.asking = False
        self.program.type_in(line)

    def send(self, kind, content):
        if not self.silent:
            self.send_response(self.iopub_socket, kind, content)

    def reply(self):
        self.show()  # what an error left open
        if self.error is None:
            return {"status": "ok", "execution_count": self.execution_count, "payload": [], "user_expressions": {}}
        lines = self.error.decode(errors="replace").rstrip("\n").split("\n")
        content = {"ename": "error", "evalue": lines[0], "traceback": lines}
        self.send("error", content)
        return {"status": "error", "execution_count": self.execution_count, **content}

    # --------------------------------------------------------------------------------------------- what runs no code

    def do_complete(self, code, cursor_pos):
        start, *matches = self.program.ask("complete", code[:cursor_pos]).split("\n")
        line = code[:cursor_pos].rpartition("\n")[2]
        before = line.encode()[:int(start or 0)].decode(errors="replace")
        return {"status": "ok", "matches": [m for m in matches if m], "metadata": {},
                "cursor_start": cursor_pos - len(line) + len(before), "cursor_end": cursor_pos}

    def do_inspect(self, code, cursor_pos, detail_level=0, omit_sections=()):
        name = re.search(r"[\w.:]*$", code[:cursor_pos]).group() + re.match(r"\w*", code[cursor_pos:]).group()
        page = self.program.ask("inspect", name) if name else ""
        return {"status": "ok", "found": bool(page), "data": {"text/plain": page} if page else {}, "metadata": {}}

    def do_is_complete(self, code):
        status = self.program.ask("check", code) or "unknown"
        return {"status": status, "indent": "  "} if status == "incomplete" else {"status": status}

    def do_shutdown(self, restart):
        self.program.close()
        return {"status": "ok", "restart": restart}
