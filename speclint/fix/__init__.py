"""Fixes: from what a rule wants changed to text edits, and from edits to a file that is known to be right."""
