"""A name for the stub beside it, which type checkers read; nothing here is for running."""
