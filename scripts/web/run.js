// run.js: the manual's examples get links to the page that runs them.
for (const example of document.querySelectorAll("pre.example")) {
  const bytes = new TextEncoder().encode(example.textContent.trimEnd());
  const packed = btoa(String.fromCharCode(...bytes)).replace(/\+/g, "-").replace(/\//g, "_").replace(/=+$/, "");
  const link = Object.assign(document.createElement("a"), { href: "index.html#run=" + packed, textContent: "Run" });
  link.style.cssText = "float: right; padding-left: 1rem";
  example.prepend(link);
}
