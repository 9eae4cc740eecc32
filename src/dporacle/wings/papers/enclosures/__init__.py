"""Statements of papers that the core does without."""
