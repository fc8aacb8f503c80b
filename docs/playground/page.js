// The page around speclint.js: loads what is needed at the first check, and shows what speclint tells.
import { start } from "./speclint.js";

const PYODIDE = "https://cdn.jsdelivr.net/pyodide/v314.0.7/full/";
const TREE_SITTER = "https://cdn.jsdelivr.net/npm/web-tree-sitter@0.27.2/";
const GRAMMAR = "https://cdn.jsdelivr.net/npm/tree-sitter-bash@0.25.1/tree-sitter-bash.wasm";
const YAML = "pyyaml";

const part = (name) => document.getElementById(`playground-${name}`);
let started = null;

async function load() {
  const { loadPyodide } = await import(`${PYODIDE}pyodide.mjs`);
  const { Parser, Language } = await import(`${TREE_SITTER}web-tree-sitter.js`);
  const [pyodide, wheel, standin] = await Promise.all([
    loadPyodide({ indexURL: PYODIDE }),
    fetch(new URL("speclint.whl", import.meta.url)).then((answer) => answer.arrayBuffer()),
    fetch(new URL("standin.py", import.meta.url)).then((answer) => answer.text()),
    Parser.init({ locateFile: (name) => TREE_SITTER + name }),
  ]);
  await pyodide.loadPackage(YAML);
  return start({ pyodide, Parser, Language, grammar: GRAMMAR, wheel, standin });
}

async function check(...words) {
  const out = part("out");
  try {
    out.textContent = started ? "Checking …" : "Loading Python …";
    started ??= load();
    const ask = await started;
    await new Promise((drawn) => setTimeout(drawn)); // the line above is shown before the page is busy
    const release = part("release").value.trim();
    const asked = release ? ["--sglang-version", release] : [];
    const told = ask(part("name").value, part("text").value, "--isolated", ...asked, ...words);
    part("text").value = told.text;
    out.textContent = told.err + told.out;
  } catch (error) {
    started = null;
    out.textContent = `speclint could not be loaded: ${error}`;
  }
}

part("check").addEventListener("click", () => check());
part("fix").addEventListener("click", () => check("--fix"));
