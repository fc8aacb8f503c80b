"""SGLang itself, release by release: its options, its command line and its version numbers.

Nothing in here knows files or host languages; nothing outside states what an SGLang release accepts.
"""
