"""speclint: the linter and autofixer for SGLang launches."""

__version__ = "0.1.0"
