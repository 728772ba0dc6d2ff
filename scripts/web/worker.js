// worker.js: the program in a worker of the page. The page posts {open}, {enter}, {complete},
// {file}, {digest}; the worker posts {out, err}, {entry}, {names}, {ready}, {done}.
"use strict";
importScripts("strew.js");

let module, stopUrl = null;

// Output is posted by lines, or every so many bytes of a long one.
const bytes = { out: [], err: [] };
const decoder = new TextDecoder();
let posted = 0, waiting = [];

function flush() {
  for (const kind of ["out", "err"]) cut(kind);
  if (waiting.length) postMessage({ output: waiting });
  waiting = [];
  posted = performance.now();
}
function cut(kind) {
  if (!bytes[kind].length) return;
  const text = decoder.decode(new Uint8Array(bytes[kind]));
  bytes[kind] = [];
  const last = waiting[waiting.length - 1];
  if (last && last[0] === kind) last[1] += text;
  else waiting.push([kind, text]);
}
function put(kind, byte) {
  bytes[kind].push(byte);
  if (byte !== 10 && bytes[kind].length < 1 << 16) return;
  cut(kind);
  if (performance.now() - posted > 50) flush();
}

// The page revokes the address to interrupt: a request that fails says so, without shared memory.
function isInterrupted() {
  flush();
  if (!stopUrl) return false;
  try {
    const request = new XMLHttpRequest();
    request.open("GET", stopUrl, false);
    request.send();
    return request.status !== 200;
  } catch {
    return true;
  }
}

async function start() {
  module = await createStrew({ isInterrupted, remember: entry => postMessage({ entry }) });
  module.TTY.default_tty_ops.put_char = (tty, byte) => put("out", byte);
  module.TTY.default_tty1_ops.put_char = (tty, byte) => put("err", byte);
  module.FS.mkdir("/work");
  module.FS.chdir("/work");
}

const utf8Length = text => new TextEncoder().encode(text).length;

const answers = {
  open({ columns }) {
    module.ccall("web_open", "number", ["number"], [columns]);
    flush();
    return { ready: true };
  },
  enter({ text, columns, stop }) {
    stopUrl = stop;
    const above = module.ccall("web_enter", "number", ["string", "number"], [text, columns]);
    flush();
    return { done: true, above: above ? module.UTF8ToString(above) : null };
  },
  complete({ line, start, id }) {
    const names = [], bytes = [utf8Length(line.slice(0, start)), utf8Length(line)];
    for (let name; (name = module.ccall("prompt_complete", "number", ["string", "number", "number", "number"],
      [line, ...bytes, names.length])) !== 0; module._free(name)) names.push(module.UTF8ToString(name));
    return { names, id };
  },
  file({ name, content }) {
    module.FS.writeFile(name, new Uint8Array(content));
    return { written: name };
  },
  digest() {
    const begin = performance.now();
    module.callMain(["--digest"]);
    flush();
    return { digested: performance.now() - begin };
  }
};

const started = start();
onmessage = async ({ data }) => {
  await started;
  postMessage(answers[data.what](data));
};
