// usage: node tests/web_page.js FOLDER CHROMIUM [PICTURES]
// The page of make web in headless Chromium, over its debugging pipe: what is typed, completed, dropped, stopped, linked.
// PICTURES: a folder for screenshots. Prints failures, and how many checks passed.
"use strict";
const fs = require("fs"), http = require("http"), os = require("os"), path = require("path");
const { spawn } = require("child_process");
const [folder, chromium, pictures] = process.argv.slice(2);
const kinds = { ".html": "text/html", ".js": "text/javascript", ".css": "text/css", ".wasm": "application/wasm", ".json": "application/json" };
const profile = fs.mkdtempSync(path.join(os.tmpdir(), "web-"));
let passed = 0, failed = 0;
function check(name, is, expected) {
  const ok = expected instanceof RegExp ? expected.test(is) : is === expected;
  if (ok) passed++;
  else { failed++; console.log(`FAILED ${name}: ${JSON.stringify(is)}, expected ${expected}`); }
}

// ------------------------------------------------------------------------------------------------------- the browser

const server = http.createServer((request, answer) => {
  const file = path.join(folder, request.url.replace(/[?#].*/, "").replace(/\/$/, "/index.html"));
  if (!fs.existsSync(file)) return answer.writeHead(404).end();
  answer.writeHead(200, { "content-type": kinds[path.extname(file)] || "application/octet-stream" });
  answer.end(fs.readFileSync(file));
});
let browser, session, count = 0, pending = "";
const answers = new Map(), dialogs = [];
function send(method, params = {}, to = session) {
  const id = ++count;
  browser.stdio[3].write(JSON.stringify({ id, method, params, sessionId: to }) + "\0");
  return new Promise((resolve, reject) => answers.set(id, { resolve, reject, method }));
}
function receive(text) {
  pending += text;
  const parts = pending.split("\0");
  pending = parts.pop();
  for (const { id, result, error, method, params } of parts.map(part => JSON.parse(part))) {
    if (method === "Runtime.exceptionThrown") dialogs.push(params.exceptionDetails.text + " " + JSON.stringify(params.exceptionDetails.exception));
    const answer = answers.get(id);
    answers.delete(id);
    if (error) answer?.reject(new Error(`${answer.method}: ${error.message}`));
    else answer?.resolve(result);
  }
}
async function open() {
  browser = spawn(chromium, ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--remote-debugging-pipe",
    `--user-data-dir=${profile}`, "about:blank"], { stdio: ["ignore", "ignore", "ignore", "pipe", "pipe"] });
  browser.stdio[4].setEncoding("utf8").on("data", receive);
  const { targetInfos } = await send("Target.getTargets");
  const page = targetInfos.find(({ type }) => type === "page");
  ({ sessionId: session } = await send("Target.attachToTarget", { targetId: page.targetId, flatten: true }));
  await send("Runtime.enable");
  await send("Page.enable");
}
async function value(expression) {
  const { result, exceptionDetails } = await send("Runtime.evaluate", { expression, awaitPromise: true, returnByValue: true });
  return exceptionDetails ? `${exceptionDetails.text} ${exceptionDetails.exception?.description}` : result.value;
}
async function until(expression, seconds = 20) {
  for (const end = Date.now() + seconds * 1000; Date.now() < end;) {
    if (await value(`Boolean(${expression})`) === true) return true;
    await new Promise(resolve => setTimeout(resolve, 50));
  }
  return false;
}
async function visit(address) {
  await send("Page.navigate", { url: "about:blank" });
  await send("Page.navigate", { url: address });
  return until("document.documentElement.dataset.ready && !stop");
}
const named = { Enter: 13, Tab: 9, ArrowUp: 38, ArrowDown: 40 };
async function press(key, modifiers = 0) {
  const all = { key, modifiers, windowsVirtualKeyCode: named[key] || key.toUpperCase().charCodeAt(0), code: named[key] ? key : "Key" + key.toUpperCase() };
  await send("Input.dispatchKeyEvent", { type: "rawKeyDown", ...all });
  await send("Input.dispatchKeyEvent", { type: "keyUp", ...all });
}
const type = text => send("Input.insertText", { text });
const isIdle = "!stop && !queue.length";
// What an entry prints, after its echo.
async function run(text, seconds) {
  await value("output.replaceChildren()");
  await type(text);
  await press("Enter");
  await until(isIdle, seconds);
  return shown();
}
const shown = () => value("[...output.children].filter(p => p.className !== 'typed').map(p => p.textContent).join('\\n')");
async function picture(name) {
  if (!pictures) return;
  const { data } = await send("Page.captureScreenshot");
  fs.writeFileSync(path.join(pictures, name + ".png"), Buffer.from(data, "base64"));
}
const screen = (width, height, dark) => Promise.all([
  send("Emulation.setDeviceMetricsOverride", { width, height, deviceScaleFactor: 1, mobile: width < 600 }),
  send("Emulation.setEmulatedMedia", { features: [{ name: "prefers-color-scheme", value: dark ? "dark" : "light" }] })]);

// --------------------------------------------------------------------------------------------------------- the checks

const drop = name => `{ const all = new DataTransfer();
  all.items.add(new File(["city,rain\\nRome,2.5\\nOslo,4\\n"], ${JSON.stringify(name)}));
  document.dispatchEvent(new DragEvent("drop", { dataTransfer: all, bubbles: true })); }`;

async function checks(address) {
  await screen(1200, 800, false);
  check("it opens", await visit(address), true);
  console.log(`ready after ${await value("document.documentElement.dataset.ready")} ms`);
  check("a value", await run("6 * 7"), "42");
  check("a tensor", await run("strew.zeros(3):scatter_add_(0, strew.tensor{0, 2, 2}, strew.ones(3))"), "float32[3] cpu\n 1  0  2");
  check("an error", await run("strew.zeros(3):scater_()"), /has no 'scater_'.*\n.*did you mean 'scatter_'/);
  await run("local kept = 5");
  check("locals live on", await run("kept + 1"), "6");
  await run("for i = 1, 2 do");
  check("an entry continues", await value("element('mark').textContent"), ">>");
  check("and ends", (await run("print(i) end")).replace(/^\(.*\)\n/, ""), "1\n2");
  check("help", await run("?scatter_add"), /scatter_add[^]*index/);
  check("output without a newline", await run("io.write('no end');"), "no end");
  check("colours", await run("strew.show(strew.eye(4))") && await value("[...output.querySelectorAll('span')].some(e => e.style.color.startsWith('rgb'))"), true);
  await picture("desktop");

  await type("strew.scatter_m");
  await press("Tab");
  await until("element('names').childElementCount > 2");
  check("completions", await value("[...element('names').children].map(e => e.textContent).join(' ')"), "scatter_max scatter_mean scatter_median scatter_min scatter_mul");
  await value("entry.value = ''");
  await type("strew.scatter_softm");
  await press("Tab");
  await until("entry.value.endsWith('softmax')");
  check("the only completion", await value("entry.value"), "strew.scatter_softmax");
  await value("entry.value = ''");
  await press("ArrowUp");
  check("history", await value("entry.value"), "strew.show(strew.eye(4))");
  await value("entry.value = ''; resize()");
  check("history is kept", (JSON.parse(await value("localStorage.getItem(HISTORY)")) || []).includes("6 * 7"), true);

  for (const [name, text] of [["a loop", "while true do end"], ["a pcall in a loop", "while true do pcall(error) end"],
    ["a coroutine", "coroutine.wrap(function() while true do end end)()"],
    ["calls", "local big = strew.randn(1 << 22); while true do big:sort() end"]]) {
    await value("output.replaceChildren()");
    await type(text);
    await press("Enter");
    await new Promise(resolve => setTimeout(resolve, 500));
    const begin = Date.now();
    await press("c", 2);
    check(`Ctrl-C ends ${name}`, await until(isIdle, 8) && await shown(), /interrupted!/);
    console.log(`${name} ends ${Date.now() - begin} ms after Ctrl-C`);
  }
  check("the session goes on", await run("kept"), "5");

  await value("output.replaceChildren()");
  await value(drop("rain 2024.csv"));
  await until("output.textContent.includes('Oslo')");
  check("a file that is dropped", await shown(), /^table: 2 rows, 2 columns, cpu\n city {5}rain/);
  check("is a table named so", await run("rain_2024.rain:sum()"), "float64[] cpu  6.5000");
  await run("strew.image(strew.arange(64):view(8, 8), {scale = 4})");
  check("a picture", await value("output.querySelector('canvas')?.width"), 32);
  await run("strew.plot(strew.tensor{1, 4, 2, 3}, {title = 'a title'})");
  check("a plot", await until("output.querySelector('img')?.naturalWidth > 100"), true);
  await picture("picture");

  await value("toggleExamples()");
  const examples = await value("data.examples.length");
  check("examples", examples > 200, true);
  await picture("examples");
  await value("toggleExamples()");
  let same = 0;
  for (let i = 0; i < examples; i += 20) {
    await value(`output.replaceChildren(); enter(data.examples[${i}].code.trimEnd(), data.examples[${i}])`);
    await until(isIdle);
    if (/\(as in the manual\)$/.test(await shown())) same++;
    else check(`the example of ${await value(`data.examples[${i}].title`)}`, await shown(), "as in the manual");
  }
  check("their output", same, Math.ceil(examples / 20));

  check("a link runs", await visit(address + "#run=" + Buffer.from("print('a' .. 1)").toString("base64url")) && await until("output.textContent.includes('a1')"), true);
  await visit(address + "#code=" + Buffer.from("print 'α'\nprint(2)").toString("base64url"));
  check("a link keeps a script", await value("entry.value"), "print 'α'\nprint(2)");
  await value("element('link').click()");
  check("as the page makes it", await value("location.hash"), "#code=" + Buffer.from("print 'α'\nprint(2)").toString("base64url"));

  await visit(address + "?run=digest");
  check("the digest", await until("output.querySelector('#digests')", 300) && await value("output.querySelector('#digests').rows[0].cells[1].textContent === data.digest"), true);
  await picture("digest");
  await visit(address.replace("index", "manual"));
  check("the manual's links", await until("document.querySelectorAll('pre.example a[href^=\"index.html#run=\"]').length > 100"), true);
  await screen(390, 800, true);
  await visit(address + "#run=" + Buffer.from("strew.group_by(strew.tensor{1, 1, 2}):sum(strew.tensor{1.5, 2, 3})").toString("base64url"));
  await until(isIdle);
  await picture("phone-dark");
  await value("toggleExamples()");
  await picture("phone-examples");
  check("uncaught errors", dialogs.join("\n"), "");
}

server.listen(0, "127.0.0.1", async () => {
  try {
    await open();
    await checks(`http://127.0.0.1:${server.address().port}/index.html`);
  } catch (error) {
    failed++;
    console.log(error);
  }
  browser?.kill();
  browser?.on("exit", () => {
    fs.rmSync(profile, { recursive: true, force: true, maxRetries: 5 });
    console.log(`the page: ${passed} passed, ${failed} failed`);
    process.exit(failed ? 1 : 0);
  });
});
