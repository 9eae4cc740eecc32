"""Definitions as they are written, each once, for all tests that compare a function with them.

They are in plain sums and formulas of the textbook, and import nothing of what is tested.
"""
