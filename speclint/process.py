"""What holds for this process as a whole; as little as can be, since no start does without it."""

from __future__ import annotations

# Whether nothing but speclint runs in this process, so that what all share (the collector, modules) may be changed.
is_ours = False
# What the engine behind ``re`` makes expressions of, by their texts and flags: see speclint.prepared.
expressions: dict[tuple[str | bytes, int], bytes] = {}
# The expressions that had to be compiled: text, flags, and the module that defines it.
compiled: list[tuple[str | bytes, int, str]] = []
