"""The compiled kernel, which an installation may lack, and the stubs; all else is pyproject.toml's.

What a type checker and an editor see of the witnesses is made here, from their source: in place for
an editable installation, else in what is built. Nothing is needed for it but this checkout.
"""

import os
import runpy
from pathlib import Path

from setuptools import Command, Extension, setup
from setuptools.command.build import build

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


class Stubs(Command):
    """Write the stubs of the witnesses: a step of `build`."""

    description = "write what a type checker sees of the witnesses"
    user_options = []  # noqa: RUF012
    editable_mode = False
    build_lib: str | None = None

    def initialize_options(self):
        """Nothing can be chosen."""

    def finalize_options(self):
        """Learn from `build` where the rest goes."""
        self.set_undefined_options("build", ("build_lib", "build_lib"))
        tool = Path(__file__).resolve().parent / "tools" / "make_stubs.py"
        self.tool = runpy.run_path(str(tool))

    def run(self):
        """Write them."""
        folders = self.tool["FOLDERS"]
        if not self.editable_mode:
            folders = {name: self._built(name) for name in folders}
        self.tool["write"](folders)

    def get_source_files(self):
        """Return what they are made by; the rest is in the packages."""
        return ["tools/make_stubs.py"]

    def get_outputs(self):
        """Return what an installation has of them."""
        return list(self.get_output_mapping())

    def get_output_mapping(self):
        """Return where each would stand -> where it stands in the checkout."""
        return {
            str(self._built(name) / "__init__.pyi"): str(folder / "__init__.pyi")
            for name, folder in self.tool["FOLDERS"].items()
        }

    def _built(self, name):
        return Path(self.build_lib, *name.split("."))


class Build(build):
    """Make the stubs when all else is there."""

    sub_commands = [*build.sub_commands, ("stubs", None)]  # noqa: RUF012


setup(
    ext_modules=[] if os.environ.get("DPORACLE_PURE") == "1" else [KERNEL],
    cmdclass={"build": Build, "stubs": Stubs},
)
