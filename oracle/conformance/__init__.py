"""Conformance: point the judge at a library and read which of its answers are wrong.

A library runs in a process of its own (`process`), in an environment of its own
(`environments`), behind a small adapter (`adapters`) that speaks JSON lines (`protocol`).
The inputs are fixed (`cases`); the answers are collected first (`runner`) and judged
afterwards against intervals that are proofs (`judge`), and told in a table (`report`).
"""
