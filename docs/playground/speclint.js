// speclint in WebAssembly: its wheel runs in Pyodide; shell is parsed by tree-sitter's own build for the web, since Pyodide
// has the library tree-sitter but not the grammar of bash.

// A tree as flat rows, in the order of a walk: [type, start, end, flags, field, number of children].
function rows(tree) {
  const found = [];
  const cursor = tree.walk();
  const visit = () => {
    const node = cursor.currentNode;
    const flags = (node.isNamed ? 1 : 0) | (node.isMissing ? 2 : 0) | (node.isError ? 4 : 0) | (node.hasError ? 8 : 0);
    const row = [node.type, node.startIndex, node.endIndex, flags, cursor.currentFieldName ?? "", 0];
    found.push(row);
    if (cursor.gotoFirstChild()) {
      do {
        row[5] += 1;
        visit();
      } while (cursor.gotoNextSibling());
      cursor.gotoParent();
    }
  };
  visit();
  cursor.delete();
  return found;
}

// Start speclint. `pyodide`: an instance that has PyYAML; `Parser`, `Language`: those of web-tree-sitter, initialised;
// `grammar`: where tree-sitter-bash.wasm is; `wheel`, `standin`: the bytes of speclint's wheel, the text of tree_sitter.py.
export async function start({ pyodide, Parser, Language, grammar, wheel, standin }) {
  const parser = new Parser();
  parser.setLanguage(await Language.load(grammar));
  pyodide.globals.set("parse_bash", (text) => {
    const tree = parser.parse(text);
    const told = JSON.stringify(rows(tree));
    tree.delete();
    return told;
  });
  pyodide.unpackArchive(wheel, "zip", { extractDir: "/speclint" });
  pyodide.runPython(standin);
  const ask = pyodide.globals.get("ask");
  return (name, text, ...words) => JSON.parse(ask(name, text, words));
}
