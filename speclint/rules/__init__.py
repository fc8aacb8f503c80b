"""Rules: what is wrong with a launch, written as data in ``rules/``, and the engine that asks them.

Rules see launches, options and three-valued answers; they know nothing of files or host languages.
"""
