// usage: node --no-experimental-fetch --stack-size=3000 tests/web_node.js FOLDER [ARGUMENT...]
// The program of make web, in FOLDER, under node, with the machine's files.
"use strict";
const fs = require("fs"), path = require("path");
const [folder, ...args] = process.argv.slice(2);
const create = require(path.resolve(folder, "strew.js"));
function mount(module) {
  for (const entry of fs.readdirSync("/", { withFileTypes: true })) {
    const place = "/" + entry.name;
    if (!entry.isDirectory() || ["dev", "proc", "sys"].includes(entry.name)) continue;
    if (!module.FS.analyzePath(place).exists) module.FS.mkdir(place);
    module.FS.mount(module.NODEFS, { root: place }, place);
  }
  module.FS.chdir(process.cwd());
}
create({ preRun: [mount] }).then(module => { process.exitCode = module.callMain(args); });
