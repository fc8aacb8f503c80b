// The playground without a browser, for its tests: node tools/playground.mjs NODE_MODULES WHEEL YAML FILE...
// Prints one array: what speclint tells of each file. YAML is the folder of PyYAML, of which the Python part will do.
import fs from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";

const [modules, wheel, yaml, ...files] = process.argv.slice(2);
const here = path.join(import.meta.dirname, "..", "docs", "playground");
const load = (...parts) => import(pathToFileURL(path.join(...parts)));
const { loadPyodide } = await load(modules, "pyodide", "pyodide.mjs");
const { Parser, Language } = await load(modules, "web-tree-sitter", "web-tree-sitter.js");
const { start } = await load(here, "speclint.js");

const pyodide = await loadPyodide();
pyodide.FS.mkdirTree("/speclint/yaml");
for (const name of fs.readdirSync(yaml).filter((name) => name.endsWith(".py"))) {
  pyodide.FS.writeFile(`/speclint/yaml/${name}`, fs.readFileSync(path.join(yaml, name)));
}
await Parser.init();
const ask = await start({
  pyodide,
  Parser,
  Language,
  grammar: path.join(modules, "tree-sitter-bash", "tree-sitter-bash.wasm"),
  wheel: new Uint8Array(fs.readFileSync(wheel)).buffer,
  standin: fs.readFileSync(path.join(here, "standin.py"), "utf8"),
});
const told = files.map((file) => ask(path.basename(file), fs.readFileSync(file, "utf8"), "--isolated", "--fix"));
console.log(JSON.stringify(told));
