"""One module for each output format: a function from findings to text."""
