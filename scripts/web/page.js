// page.js: the page: what is typed goes to the worker, entry by entry; what it prints comes back.
"use strict";
const element = id => document.getElementById(id);
const output = element("output"), entry = element("entry"), main = document.querySelector("main");
const MOST_LINES = 4000, HISTORY = "strew.history", MOST_ENTRIES = 1000;

let worker, data, stop = null, queue = [], above = "", printed = "", example = null, session = [];
let history = [], at = 0, draft = "";
try { history = JSON.parse(localStorage.getItem(HISTORY)) || []; } catch { /* none */ }

// ------------------------------------------------------------------------------------------------------------ output

function add(node) {
  const isAtEnd = main.scrollHeight - main.scrollTop - main.clientHeight < 80;
  output.append(node);
  while (output.childElementCount > MOST_LINES) output.firstElementChild.remove();
  if (isAtEnd) main.scrollTop = main.scrollHeight;
  return node;
}
const addText = (kind, text) => add(textNode("p", kind, text)), print = printer(add);

// ------------------------------------------------------------------------------------------------------------ running

function columns() {
  const probe = addText("", "0".repeat(100));
  probe.style.cssText = "position:absolute;visibility:hidden;white-space:pre";
  const width = probe.getBoundingClientRect().width / 100;
  probe.remove();
  return Math.max(20, Math.floor((output.clientWidth || 700) / width) - 1);
}

const showState = () => { element("mark").textContent = above ? ">>" : ">"; element("stop").hidden = !stop; };

// Runs a text as if it had been typed; `of`: the example that it is.
function enter(text, of = null) {
  queue.push([text, of]);
  if (!stop) next();
}
function next() {
  if (!queue.length) return;
  const [text, of] = queue.shift();
  text.split("\n").forEach((part, i) => addText("typed", (i || above ? ">> " : "> ") + part));
  main.scrollTop = main.scrollHeight;
  [printed, example, stop] = ["", of, URL.createObjectURL(new Blob(["1"]))];
  print.end();
  worker.postMessage({ what: "enter", text: above ? above + "\n" + text : text, columns: columns(), stop });
  showState();
}
function finished(newAbove) {
  if (stop) URL.revokeObjectURL(stop);
  [stop, above] = [null, newAbove || ""];
  print.end();
  if (newAbove === null) addText("note", "(the session has ended; reload the page for a new one)");
  if (example) compare(example);
  showState();
  next();
}
function interrupt() {
  queue = [];
  if (!stop) { above = entry.value = ""; resize(); showState(); return; }
  const stopping = stop;
  URL.revokeObjectURL(stopping);
  setTimeout(() => {
    if (stop !== stopping) return;
    const again = Object.assign(document.createElement("button"), { textContent: "Start a new session" });
    addText("note", "(this call cannot be interrupted) ").append(again);
    again.onclick = () => { worker.terminate(); stop = null; start(); };
  }, 3000);
}

function compare({ output: expected }) {
  addText("note", isSame(printed, expected) ? "(as in the manual)" : "(the manual has)\n" + expected);
}

const messages = {
  output(parts) {
    for (const [kind, text] of parts) { printed += text; print(kind, text); }
  },
  ready() {
    element("loading").textContent = `${data.version} · in this page, on one thread · ? help · Tab completes · drop a CSV file`;
    document.documentElement.dataset.ready = Math.round(performance.now());
    for (const [name, text] of Object.entries(data.files)) send(name, new TextEncoder().encode(text).buffer);
    fromAddress();
  },
  done(_, { above: newAbove }) { finished(newAbove); },
  entry(text) {
    if (example) return;
    session.push(text);
    history = [...history.filter(old => old !== text), text].slice(-MOST_ENTRIES);
    at = history.length;
    try { localStorage.setItem(HISTORY, JSON.stringify(history)); } catch { /* not kept */ }
  },
  names(names, { id }) { if (id === asked) complete(names); }
};
function start() {
  worker = new Worker("worker.js");
  worker.onmessage = ({ data: message }) => {
    for (const kind of Object.keys(messages)) if (kind in message) messages[kind](message[kind], message);
  };
  worker.onerror = event => addText("err", `strew does not run in this browser: ${event.message}`);
  worker.postMessage({ what: "open", columns: columns() });
}

// ------------------------------------------------------------------------------------------------------------ typing

function resize() {
  entry.style.height = "auto";
  entry.style.height = entry.scrollHeight + 2 + "px";
  element("names").replaceChildren();
}
function submit() {
  enter(entry.value);
  entry.value = "";
  resize();
}
function recall(step) {
  if (at === history.length) draft = entry.value;
  const to = at + step;
  if (to < 0 || to > history.length) return;
  at = to;
  entry.value = at === history.length ? draft : history[at];
  resize();
}

let asked = 0, wordStart = 0;
function askNames() {
  const before = entry.value.slice(0, entry.selectionStart), lineStart = before.lastIndexOf("\n") + 1;
  const start = before.slice(lineStart).search(/[^\s"\\'`@$><=;|&{}()[\].:,+\-*/%^#~!?]*$/);
  wordStart = lineStart + start;
  worker.postMessage({ what: "complete", line: before.slice(lineStart), start, id: ++asked });
}
function insert(text) {
  entry.setRangeText(text, wordStart, entry.selectionStart, "end");
  resize();
  entry.focus();
}
function complete(names) {
  if (!names.length) return;
  let common = names[0];
  for (const name of names) while (!name.startsWith(common)) common = common.slice(0, -1);
  if (common.length > entry.selectionStart - wordStart || names.length === 1) insert(common);
  if (names.length > 1) element("names").replaceChildren(...names.slice(0, 200).map(name =>
    Object.assign(document.createElement("button"), { textContent: name, onclick: () => insert(name) })));
  main.scrollTop = main.scrollHeight;
}

const isAtEdge = up => !entry.value.slice(...(up ? [0, entry.selectionStart] : [entry.selectionEnd])).includes("\n");
entry.addEventListener("keydown", event => {
  const { key, ctrlKey, shiftKey } = event;
  if (key === "Enter" && !shiftKey) submit();
  else if (key === "Tab" && !shiftKey) askNames();
  else if (key === "ArrowUp" && isAtEdge(true)) recall(-1);
  else if (key === "ArrowDown" && isAtEdge(false)) recall(1);
  else if (ctrlKey && key === "l") output.replaceChildren();
  else return;
  event.preventDefault();
});
document.addEventListener("keydown", event => {
  if (!event.ctrlKey || event.key !== "c" || String(getSelection()) || entry.selectionStart !== entry.selectionEnd) return;
  event.preventDefault();
  interrupt();
});
entry.addEventListener("input", resize);
element("run").onclick = () => { submit(); entry.focus(); };
element("stop").onclick = interrupt;

// ------------------------------------------------------------------------------------------------------- files, links

function send(name, content) { worker.postMessage({ what: "file", name, content }, [content]); }
async function open(files) {
  for (const file of files) {
    send(file.name, await file.arrayBuffer());
    const name = file.name.replace(/\.\w+$/, "").replace(/^(?![A-Za-z_])|\W/g, "_");
    enter(`${name} = strew.load ${JSON.stringify(file.name)}; print(${name})`);
  }
}
element("file").onchange = ({ target }) => open(target.files);
for (const kind of ["dragover", "dragleave", "drop"])
  document.addEventListener(kind, event => {
    event.preventDefault();
    main.classList.toggle("dropping", kind === "dragover");
    if (kind === "drop") open(event.dataTransfer.files);
  });

// #code=...: a script in the entry; #run=...: run at once.
const packed = text => btoa(String.fromCharCode(...new TextEncoder().encode(text))).replace(/\+/g, "-").replace(/\//g, "_").replace(/=+$/, "");
const unpacked = text => new TextDecoder().decode(Uint8Array.from(atob(text.replace(/-/g, "+").replace(/_/g, "/")), c => c.charCodeAt(0)));
element("link").onclick = async () => {
  const address = location.href.replace(/[?#].*/, "") + "#code=" + packed(entry.value || session.join("\n"));
  window.history.replaceState(null, "", address);
  const copied = await navigator.clipboard?.writeText(address).then(() => true, () => false);
  addText("note", `(${copied ? "copied: " : ""}${address})`);
};
function fromAddress() {
  const [, how, text] = location.hash.match(/^#(code|run)=([\w-]+)/) || [];
  if (new URLSearchParams(location.search).get("run") === "digest") digest();
  if (!how) return;
  entry.value = unpacked(text);
  resize();
  if (how === "run") submit();
}
addEventListener("hashchange", fromAddress);

// ------------------------------------------------------------------------------------------------------------ digest

function digest() {
  const counter = new Worker("worker.js");
  const note = addText("note", "computing the digest of random calls: some seconds ...");
  let text = "";
  counter.onmessage = ({ data: message }) => {
    for (const [, part] of message.output || []) text += part;
    if (!("digested" in message)) return;
    const here = (text.match(/[0-9a-f]{16}/g) || []).join(", ");
    note.remove();
    const table = add(document.createElement("table"));
    table.id = "digests";
    const rows = [["this browser, WebAssembly with SIMD128", here], ...data.processors];
    for (const cells of rows) for (const [i, cell] of cells.entries()) (i ? table.rows[table.rows.length - 1] : table.insertRow()).insertCell().textContent = cell;
    addText(here === data.digest ? "note" : "err", here === data.digest
      ? `of ${data.calls}: the same as natively where this page was built; ${Math.round(message.digested / 100) / 10} s` : `other than where this page was built: ${data.digest}\n${text}`);
    counter.terminate();
  };
  counter.postMessage({ what: "digest" });
}
element("digest").onclick = digest;

// ---------------------------------------------------------------------------------------- the manual, beside the prompt

function toggleManual(event) {
  const manual = element("manual");
  event?.preventDefault();
  manual.src ||= "manual.html";
  manual.hidden = !manual.hidden;
}
element("open").onclick = toggleManual;
function runExample(code, output) { // run.js calls it
  if (matchMedia("(max-width: 60rem)").matches) toggleManual();
  enter(code, { output });
}

fetch("data.json").then(answer => answer.json()).then(found => {
  data = found;
  document.querySelector("h1").textContent = data.version;
  at = history.length;
  start();
});
