"""Exploration: all witnesses against each other at random inputs, for as long as one likes.

    python -m dporacle.dev.exploration --minutes 60

It prints how many inputs each quantity was checked at and everything that does not fit together:
a finding is an error in at least one witness.
"""
