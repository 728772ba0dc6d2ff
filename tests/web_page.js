// usage: node tests/web_page.js FOLDER CHROMIUM [PICTURES]
// The page of make web in headless Chromium, over its debugging pipe: what is typed, completed, dropped, stopped, linked;
// the manual, its examples and its search. STEP: one in so many examples is run, 20 unless set.
// PICTURES: a folder for screenshots. Prints failures, and how many checks passed.
"use strict";
const fs = require("fs"), http = require("http"), os = require("os"), path = require("path");
const { spawn } = require("child_process");
const [folder, chromium, pictures] = process.argv.slice(2), STEP = +process.env.STEP || 20;
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

const inFrame = 'element("manual").contentDocument';
const go = async address => {
  await send("Page.navigate", { url: "about:blank" });
  await send("Page.navigate", { url: address });
  await until("document.readyState === 'complete' && typeof hits === 'function'");
};

// The manual with its examples: every twentieth prints what it says, in its place.
async function manual(address) {
  await go(address);
  await until("document.querySelectorAll('button.run').length > 200");
  const run = `(i, change) => new Promise(resolve => {
    const button = document.querySelectorAll("button.run")[i], example = button.nextElementSibling;
    const after = example.nextElementSibling, expected = after.matches("pre.output") ? after.textContent : "";
    if (change) example.textContent = change;
    button.click();
    const wait = setInterval(() => {
      if (button.textContent === "Stop" || !example.nextElementSibling.matches(".live")) return;
      clearInterval(wait);
      const lines = [...example.nextElementSibling.children].map(line => line.textContent.replace(/\\n$/, ""));
      const said = lines.join("\\n");
      resolve(change ? said : isSame(said, expected) || said + "\\nexpected\\n" + expected);
    }, 20);
  })`;
  const count = await value("document.querySelectorAll('button.run').length");
  for (let i = 0; i < count; i += STEP) check(`example ${i} of the manual`, await value(`(${run})(${i})`), true);
  check("an example that is changed", await value(`(${run})(1, "print(6 * 7)")`), "42");
  check("a plot in the manual", await value(`(${run})(2, "strew.plot(strew.arange(3))").then(() => document.querySelector(".live img")?.alt)`), "plot");
  await value("setTimeout(() => [...document.querySelectorAll('button.run')][3].click(), 500)");
  check("an example that is stopped", await value(`(${run})(3, "while true do end")`), /interrupted!/);
}

// The pages of make doc, from a disk: sections, the search, light and dark, a phone.
async function site(address) {
  await screen(1200, 900, false);
  await go(address);
  const shown = "[...document.querySelectorAll('main > section:not([hidden])')].map(section => section.id).join()";
  check("the manual begins with tasks", await value(shown + " + document.querySelector('#start h2').textContent"), "startWhat do you want to do?");
  await picture("manual");
  await value("location.hash = 'scatter_add'");
  check("a name leads to its section", await until(shown + " === 'group-scatter-by-position'"), true);
  await value("location.hash = 'everything'");
  check("all sections", await until(shown + ".split(',').length > 40"), true);
  await value("location.hash = 'task-group'");
  await until(shown + " === 'task-group'");
  await picture("manual-task");
  for (const [words, best] of [["scatter_add", "scatter_add"], ["t:scatter_add_(", "scatter_add"], ["np.take", "index_select"],
    ["moving average", "group-rolling-mean"], ["read csv", "load"], ["heatmap", "show"], ["one-hot", "one_hot"], ["pd.merge", "join"],
    ["group by", "group_by"], ["scater_ad", "scatter_add"], ["train", "grad"], ["untrusted scripts", "limits"]])
    check(`a search for ${words}`, await value(`hits(${JSON.stringify(words)}).slice(0, 2).map(hit => hit.node.id).join()`), new RegExp(`\\b${best}\\b`));
  check("a search for nothing", await value("hits('qqqq wwww').length"), 0);
  await value("search.focus()");
  await type("moving average");
  check("what is found", await value("found.hidden || found.textContent"), /^Rolling mean/);
  await picture("manual-search");
  await press("Enter");
  check("Enter goes there", await until("location.hash === '#group-rolling-mean' && found.hidden && " + shown + " === 'task-window'"), true);
  await value("element('theme').click()");
  check("dark", await value("getComputedStyle(document.body).backgroundColor"), "rgb(22, 24, 27)");
  await picture("manual-dark");
  await value("element('theme').click()");
  await screen(390, 844, true);
  await value("location.hash = ''");
  await picture("manual-phone");
  for (const part of ["task-group", "scatter_add", "which", "from-numpy", "program"]) {
    await value(`location.hash = '${part}'`);
    check(`${part} fits a phone`, await until("document.documentElement.scrollWidth <= 390"), true);
  }
  await value("location.hash = 'task-scatter'");
  await picture("manual-phone-task");
  await go(address.replace("index", "c") + "?q=group");
  check("C is searched", await value("found.querySelector('b').textContent"), /group/i);
  await picture("manual-c");
}

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
  await picture("stopped");
  check("the session goes on", await run("kept"), "5");

  await value("output.replaceChildren()");
  await value(drop("rain 2024.csv"));
  await until("output.textContent.includes('Oslo')");
  check("a file that is dropped", await shown(), /^table: 2 rows, 2 columns, cpu\n city {5}rain/);
  await picture("dropped");
  check("is a table named so", await run("rain_2024.rain:sum()"), "float64[] cpu  6.5000");
  await run("strew.image(strew.arange(64):view(8, 8), {scale = 4})");
  check("a picture", await value("output.querySelector('canvas')?.width"), 32);
  await picture("image");
  await run("strew.plot(strew.tensor{1, 4, 2, 3}, {title = 'a title'})");
  check("a plot", await until("output.querySelector('img')?.naturalWidth > 100"), true);
  await picture("plot");

  await value("toggleManual()");
  check("the manual beside the prompt", await until(`${inFrame}?.querySelectorAll("button.run").length > 200`), true);
  await value(`output.replaceChildren(); ${inFrame}.querySelector("button.run").click()`);
  check("without a link to a second prompt", await value(`${inFrame}.querySelector("header a[href='index.html']")`), null);
  check("runs its examples there", await until("/\\(as in the manual\\)$/.test(output.textContent)"), true);
  await picture("beside");
  await value("toggleManual()");

  check("a link runs", await visit(address + "#run=" + Buffer.from("print('a' .. 1)").toString("base64url")) && await until("output.textContent.includes('a1')"), true);
  await visit(address + "#code=" + Buffer.from("print 'α'\nprint(2)").toString("base64url"));
  await picture("link");
  check("a link keeps a script", await value("entry.value"), "print 'α'\nprint(2)");
  await value("element('link').click()");
  check("as the page makes it", await value("location.hash"), "#code=" + Buffer.from("print 'α'\nprint(2)").toString("base64url"));

  await visit(address + "?run=digest");
  check("the digest", await until("output.querySelector('#digests')", 300) && await value("output.querySelector('#digests').rows[0].cells[1].textContent === data.digest"), true);
  await picture("digest");
  await manual(address.replace("index", "manual"));
  await screen(390, 800, true);
  await visit(address + "#run=" + Buffer.from("strew.group_by(strew.tensor{1, 1, 2}):sum(strew.tensor{1.5, 2, 3})").toString("base64url"));
  await until(isIdle);
  await picture("phone-dark");
  await value("toggleManual()");
  await until(`${inFrame}?.querySelector("button.run")`);
  await picture("phone-beside");
  await site("file://" + path.resolve(folder, "../doc/index.html"));
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
    // The browser's own processes may still write there.
    fs.rmSync(profile, { recursive: true, force: true, maxRetries: 30 });
    console.log(`the page: ${passed} passed, ${failed} failed`);
    process.exit(failed ? 1 : 0);
  });
});
