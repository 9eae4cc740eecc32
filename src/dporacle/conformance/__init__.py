"""Conformance: point the judge at a library and read which of its answers are wrong.

A library runs in a process of its own (`process`), in an environment of its own
(`environments`), behind a small adapter (`adapters`) that speaks JSON lines (`protocol`).
The inputs are the certified vectors (`cases`) and fresh ones (`behaviour`); the answers are
collected first (`runner`, `asking`), judged afterwards against intervals that are proofs (`judge`)
and against each other (`relations`), and told in a table (`report`).
"""
