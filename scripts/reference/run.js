// run.js: the manual's examples can be edited and run, in their place; where the manual is beside the prompt, there.
"use strict";
{
  const files = fetch("data.json").then(answer => answer.json()).then(data => data.files);
  let worker = null, print, finish, last = Promise.resolve();
  if (parent !== window) document.querySelector("header a[href='index.html']").remove();

  function start(all) {
    worker = new Worker("worker.js");
    worker.onmessage = ({ data: message }) => {
      for (const part of message.output || []) print(...part);
      if (message.done) finish();
    };
    worker.onerror = event => finish(print("err", `strew does not run in this browser: ${event.message}`));
    worker.postMessage({ what: "open", columns: 80 });
    for (const [name, text] of Object.entries(all)) worker.postMessage({ what: "file", name, content: new TextEncoder().encode(text).buffer });
  }

  async function run(text, output, button) {
    const stop = URL.createObjectURL(new Blob(["1"]));
    if (!worker) start(await files);
    output.replaceChildren();
    print = printer(node => output.appendChild(node));
    await new Promise(resolve => {
      finish = resolve;
      worker.postMessage({ what: "enter", text, columns: 80, stop });
      button.textContent = "Stop";
      button.onclick = () => { // a call that cannot be interrupted ends with its session
        URL.revokeObjectURL(stop);
        setTimeout(() => { if (finish === resolve) worker = worker.terminate() || resolve() || null; }, 3000);
      };
    });
    finish = null;
  }

  for (const example of document.querySelectorAll("pre.example")) {
    const button = textNode("button", "run", "Run"), expected = example.nextElementSibling;
    const isShown = expected?.matches("pre.output"), output = textNode("div", "output live", "");
    function begin() {
      const text = example.textContent.trimEnd();
      if (parent !== window) return parent.runExample(text, isShown ? expected.textContent : "");
      if (!output.isConnected) isShown ? expected.replaceWith(output) : example.after(output);
      last = last.then(() => run(text, output, button)).then(() => Object.assign(button, { textContent: "Run", onclick: begin }));
    }
    button.onclick = begin;
    example.contentEditable = "plaintext-only";
    example.spellcheck = false;
    example.before(button);
  }
}
