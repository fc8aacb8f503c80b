"""The least that any scanner of a tree does: list its folders, read what may hold a launch, look for one word.

``python -I floor.py ROOT`` prints how many files were read and how many of them hold it. Nothing but os and sys is
imported, so that the start of the interpreter is all that is added.
"""

import os
import sys

WORD = b"sglang"
SKIPPED = frozenset((".git", ".venv", "node_modules", "__pycache__"))
SUFFIXES = frozenset(("py", "sh", "bash", "yaml", "yml", "md", "json", "toml", "txt", "j2", "service", "ipynb", "rst"))


def candidates(root):
    """The files below a folder that may hold a launch, by their names."""
    found, folders = [], [root]
    while folders:
        with os.scandir(folders.pop()) as entries:
            for entry in entries:
                name = entry.name
                if entry.is_dir(follow_symlinks=False):
                    if name not in SKIPPED:
                        folders.append(entry.path)
                elif name.rpartition(".")[2] in SUFFIXES or name.startswith(("Dockerfile", "Makefile")):
                    found.append(entry.path)
    return found


def main(root):
    """Read them."""
    size = 1 << 20
    buffer = bytearray(size)
    view = memoryview(buffer)
    holding = 0
    paths = candidates(root)
    for path in paths:
        handle = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
        read = os.readv(handle, (view,))
        if buffer.find(WORD, 0, read) >= 0:
            holding += 1
        elif read == size:
            rest = bytes(buffer)
            while True:
                more = os.read(handle, size)
                if not more:
                    break
                rest = rest[-len(WORD) :] + more
                if WORD in rest:
                    holding += 1
                    break
        os.close(handle)
    print(len(paths), holding)


main(sys.argv[1])
