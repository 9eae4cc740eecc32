"""dporacle: proves whether statements about differential privacy are true.

    >>> import dporacle
    >>> dporacle.calibrate_sigma(epsilon=1, delta=1e-5)
    3.7306316348159423
    >>> dporacle.calibrate_sigma(epsilon=1, delta=1e-5, exact=True)
    3.730631634815942

The functions at this level are the float64 witness (`dporacle.fast`): they take scalars or
arrays that broadcast, and round to the private side. Others go further: `calibrate_sigma(…,
exact=True)` is proved to be the smallest private float64, `audit` proves or refutes a claim
(`dporacle.claims`), and `dp_sgd_epsilon` and `dp_sgd_noise_multiplier` are proved.
`dporacle.reference` answers the same questions to any number of digits, `dporacle.enclosures` with
intervals that are proofs.

Importing this package imports none of the witnesses: each is loaded when it is first used.
"""

import sys

# Nothing else is imported here, not even __future__: until __main__ has run, Ctrl-C shows a
# traceback.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from dporacle import fast as _fast
    from dporacle.calibration import calibrate_sigma
    from dporacle.claims import audit
    from dporacle.dp_sgd import dp_sgd_ends, dp_sgd_epsilon, dp_sgd_noise_multiplier
    from dporacle.fast import (
        alpha_at_accuracy,
        classical_sigma,
        delta_at_epsilon,
        epsilon_at_delta,
        sigma_at_accuracy,
    )

    accuracy = _fast.accuracy  # from dporacle.fast it would be the module

__version__ = "0.3.0"

__all__ = [
    "accuracy",
    "alpha_at_accuracy",
    "audit",
    "calibrate_sigma",
    "classical_sigma",
    "delta_at_epsilon",
    "dp_sgd_ends",
    "dp_sgd_epsilon",
    "dp_sgd_noise_multiplier",
    "epsilon_at_delta",
    "sigma_at_accuracy",
]

_HOMES = {
    "audit": "dporacle.claims",
    "calibrate_sigma": "dporacle.calibration",
    "dp_sgd_ends": "dporacle.dp_sgd",
    "dp_sgd_epsilon": "dporacle.dp_sgd",
    "dp_sgd_noise_multiplier": "dporacle.dp_sgd",
}
_MOVED = {
    "coq": "wings.coq",
    "exploration": "dev.exploration",
    "papers": "wings.papers",
    "recorded_batches": "wings.recorded_batches",
    "registry": "wings.registry",
    "sampler_plot": "wings.samplers.plots",
    "samplers": "wings.samplers",
    "specimens": "dev.specimens",
}
_PACKAGES = ("claims", "enclosures", "fast", "plots", "reference", "risk", "wings")


def __getattr__(name: str) -> object:
    import importlib

    if name in _PACKAGES:
        try:
            return importlib.import_module(f"dporacle.{name}")
        except ImportError as error:  # of an extra: whoever looks through dir() goes on without it
            raise AttributeError(f"dporacle.{name} cannot be imported: {error}") from error
    if name in __all__:
        return getattr(importlib.import_module(_HOMES.get(name, "dporacle.fast")), name)
    if name == "samplers":  # a name before the wings were: see old_names
        return importlib.import_module("dporacle.samplers")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


class _OldNames:
    """Finds what has another name today; first of all, since the folder of a wing has its name."""

    @staticmethod
    def find_spec(name: str, path: object = None, target: object = None) -> object:
        if not name.startswith("dporacle.") or name.split(".")[1] not in _MOVED:
            return None
        from dporacle.old_names import found

        return found(name, _MOVED)


sys.meta_path.insert(0, _OldNames)  # type: ignore[arg-type]


def __dir__() -> list[str]:
    own = {name for name in globals() if name.startswith("__")}
    return sorted({*own, *__all__, *_PACKAGES})
