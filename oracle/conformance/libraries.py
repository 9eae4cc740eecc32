"""The libraries that the judge knows, pinned with everything that they need.

Each list was installed and run; with another version of the library its own requirements
decide instead.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

__all__ = ["LIBRARIES", "SELF", "Library", "find"]

_VERSION = re.compile(r"[0-9A-Za-z][0-9A-Za-z.!+_-]{0,60}", re.ASCII)


@dataclass(frozen=True)
class Library:
    """A library and how its environment is made.

    Attributes:
        name: its name on the command line.
        adapter: the adapter's file name.
        distribution: its name on the package index; empty for this project itself.
        version: the version that was tried.
        needs: the versions of what it needs that were tried with it.
        pythons: the Python versions that these have wheels for, the preferred one first.
        source_only: it is published as source only, which is then built.
        summary: what is judged.
    """

    name: str
    adapter: str
    distribution: str
    version: str
    needs: tuple[str, ...] = ()
    pythons: tuple[str, ...] = ("3.11", "3.12", "3.13", "3.14")
    source_only: bool = False
    summary: str = ""

    @property
    def requirements(self) -> tuple[str, ...]:
        """What its environment holds."""
        if not self.distribution:
            return ()
        return (f"{self.distribution}=={self.version}", *self.needs)


_SCIPY = ("numpy==2.4.6", "scipy==1.17.1")

SELF = Library(
    "self",
    "dporacle_fast.py",
    "",
    "",
    summary="this project's own float64 functions; no second environment, no network",
)

LIBRARIES = {
    library.name: library
    for library in (
        Library(
            "dp-accounting",
            "dp_accounting.py",
            "dp-accounting",
            "0.6.0",
            (
                "absl-py==2.5.1",
                "attrs==23.2.0",
                "dm-tree==0.1.10",
                "mpmath==1.4.1",
                "wrapt==2.5.2",
                *_SCIPY,
            ),
            summary="exact conversions and the privacy loss distribution",
        ),
        Library(
            "opendp",
            "opendp.py",
            "opendp",
            "0.16.0",
            ("deprecated==1.3.1", "wrapt==2.5.2"),
            summary="zCDP converted to (ε, δ), and accuracy",
        ),
        Library(
            "diffprivlib",
            "diffprivlib.py",
            "diffprivlib",
            "0.6.6",
            (
                "cloudpickle==3.1.2",
                "joblib==1.6.0",
                "numpy==2.2.6",
                "scikit-learn==1.5.2",
                "scipy==1.15.3",
                "setuptools==80.9.0",
                "threadpoolctl==3.6.0",
            ),
            pythons=("3.11", "3.12", "3.13"),
            summary="the analytic and the classical mechanism",
        ),
        Library(
            "autodp",
            "autodp.py",
            "autodp",
            "0.2.3.1",
            (
                "absl-py==2.5.1",
                "contourpy==1.3.3",
                "cycler==0.12.1",
                "fonttools==4.68.0",
                "kiwisolver==1.5.1",
                "matplotlib==3.11.2",
                "packaging==26.3",
                "pillow==13.0.0",
                "pyparsing==3.3.3",
                "python-dateutil==4.0.0",
                "tzdata==2026.6",
                *_SCIPY,
            ),
            source_only=True,
            summary="Balle and Wang's published script, RDP, and exact conversions",
        ),
        Library(
            "python-dp",
            "python_dp.py",
            "python-dp",
            "1.1.5",
            summary="Google's C++ library",
        ),
        Library(
            "pipelinedp",
            "pipelinedp.py",
            "pipeline-dp",
            "0.3.1",
            ("dill==0.4.1", "python-dp==1.1.5", *_SCIPY),
            summary="calibration through python-dp, its own δ and ε",
        ),
        Library(
            "pfl",
            "pfl.py",
            "pfl",
            "0.6.0",
            (
                "absl-py==1.4.0",
                "attrs==23.2.0",
                "dill==0.4.1",
                "dm-tree==0.1.10",
                "dp-accounting==0.5.1",
                "mpmath==1.4.1",
                "multiprocess==0.70.19",
                "packaging==25.0",
                "prv-accountant==0.2.0",
                "wheel==0.45.1",
                "wrapt==2.5.2",
                *_SCIPY,
            ),
            summary="Algorithm 1 in log-space arithmetic",
        ),
        Library(
            "dpmm",
            "dpmm.py",
            "dpmm",
            "0.1.9",
            (
                "cloudpickle==3.1.2",
                "deprecated==1.3.1",
                "disjoint-set==0.7.4",
                "joblib==1.6.0",
                "networkx==2.8.8",
                "numpy==1.26.4",
                "opendp==0.12.1",
                "pandas==2.1.0",
                "python-dateutil==4.0.0",
                "pytz==2026.6",
                "scikit-learn==1.5.0",
                "scipy==1.17.1",
                "threadpoolctl==3.8.0",
                "tqdm==4.70.1",
                "tzdata==2026.6",
                "wrapt==2.5.2",
            ),
            pythons=("3.11",),
            summary="the zCDP conversion by which its noise is set",
        ),
    )
}
"""Every known library by its name."""


def find(text: str) -> Library:
    """Return the library that `NAME` or `NAME==VERSION` means.

    Raises:
        ValueError: if there is none of this name, or the version is not written as one.
    """
    name, equals, version = text.partition("==")
    key = re.sub(r"[-_.]+", "-", name.strip()).lower()
    key = {"pipeline-dp": "pipelinedp"}.get(key, key)
    if key == SELF.name and not equals:
        return SELF
    library = LIBRARIES.get(key)
    if library is None:
        known = ", ".join([*sorted(LIBRARIES), SELF.name])
        raise ValueError(f"no adapter for the library {name[:60]!r}; known are {known}")
    if not equals or version.strip() == library.version:
        return library
    if not _VERSION.fullmatch(version.strip()):
        raise ValueError(f"not a version of {library.name}: {version[:60]!r}")
    return replace(library, version=version.strip(), needs=())
