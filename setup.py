"""The compiled kernel, which an installation may lack; all else stands in pyproject.toml."""

import os

from setuptools import Extension, setup

# Without a compiler the build goes on without it; with DPORACLE_PURE=1 a wheel is for every system.
KERNEL = Extension(
    "dporacle.fast.gaussian._compiled",
    ["fast/gaussian/_compiled.c"],
    optional=True,
    # Nothing here changes a result: products and sums stay two operations each.
    extra_compile_args=[
        "-O3",
        "-g0",  # what a debugger reads is four fifths of the file
        "-ffp-contract=off",
        "-fno-fast-math",
        "-fno-trapping-math",
        "-fno-math-errno",
    ],
)
setup(ext_modules=[] if os.environ.get("DPORACLE_PURE") == "1" else [KERNEL])
