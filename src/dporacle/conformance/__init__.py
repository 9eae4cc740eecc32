"""Conformance: point the judge at a library and read which of its answers are wrong.

A library stands behind a small adapter (`adapters`), in an environment of its own (`libraries`),
and runs in a process of its own (`process`) that speaks JSON lines (`protocol`). It is asked the
certified vectors and fresh inputs (`ask`). Each answer is judged against an interval that is a
proof, and against the others (`judge`). What they amount to is the function's grade (`grade`).
All of that is done for several libraries at once (`run`), and told by `dporacle.report`.
"""
