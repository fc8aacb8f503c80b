"""Runs in the browser, in place of tree_sitter and tree_sitter_bash: nodes made of what the parser there has found."""

import io
import json
import os
import sys
from contextlib import redirect_stderr, redirect_stdout
from types import ModuleType


class Node:
    """A node, with what speclint asks of one; offsets count bytes."""

    def __init__(self, row, places, data, parent):
        self.type, start, end, flags, self.field, self.child_count = row
        self.start_byte = places[start] if places else start
        self.end_byte = places[end] if places else end
        self.is_named, self.is_missing, self.is_error, self.has_error = (bool(flags & bit) for bit in (1, 2, 4, 8))
        self.parent = parent
        self.children = []
        self.next_sibling = None
        self.id = id(self)
        self._data = data

    @property
    def text(self):
        return self._data[self.start_byte : self.end_byte]

    @property
    def named_children(self):
        return [child for child in self.children if child.is_named]

    @property
    def named_child_count(self):
        return len(self.named_children)

    def named_child(self, index):
        return next(iter(self.named_children[index : index + 1]), None)

    def children_by_field_name(self, name):
        return [child for child in self.children if child.field == name]

    def child_by_field_name(self, name):
        return next(iter(self.children_by_field_name(name)), None)


class Tree:
    def __init__(self, root_node):
        self.root_node = root_node


class Parser:
    def __init__(self, language):
        pass

    def parse(self, data):
        text = data.decode("utf-8", "replace")
        rows = iter(json.loads(parse_bash(text)))  # noqa: F821 - JavaScript puts it here
        return Tree(self._node(rows, None if text.isascii() else self._places(text), data, None))

    def _places(self, text):
        """The byte at which each UTF-16 unit begins."""
        places, at = [], 0
        for letter in text:
            places.extend([at] * (2 if letter > "\uffff" else 1))
            at += len(letter.encode("utf-8"))
        return [*places, at]

    def _node(self, rows, places, data, parent):
        node = Node(next(rows), places, data, parent)
        for _ in range(node.child_count):
            child = self._node(rows, places, data, node)
            if node.children:
                node.children[-1].next_sibling = child
            node.children.append(child)
        return node


for name, parts in (
    ("tree_sitter", {"Parser": Parser, "Language": lambda grammar: grammar, "Node": Node}),
    ("tree_sitter_bash", {"language": lambda: None}),
):
    for module in (name, f"{name}._binding"):
        sys.modules[module] = ModuleType(module)
        vars(sys.modules[module]).update(parts)
sys.path.append("/speclint")
os.makedirs("/playground", exist_ok=True)
os.chdir("/playground")


def ask(name, text, words):
    """Run speclint on a text as if it were a file: what it prints, on both streams, and its exit status."""
    from speclint.cli import main

    for old in os.listdir():
        os.remove(old)
    with open(os.path.basename(name), "w", encoding="utf-8", newline="") as file:
        file.write(text)
    out, err = io.StringIO(), io.StringIO()
    with redirect_stdout(out), redirect_stderr(err):
        status = main([*words, os.path.basename(name)])
    with open(os.path.basename(name), encoding="utf-8", newline="") as file:
        after = file.read()
    return json.dumps({"status": status, "out": out.getvalue(), "err": err.getvalue(), "text": after})
