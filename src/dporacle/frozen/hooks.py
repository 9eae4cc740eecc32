"""Ready hooks for diffprivlib, OpenDP, PipelineDP and numpy; each is imported when asked for."""

import functools
import inspect
import math
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from dporacle.frozen.calls import Hook, NoisyCall, Norm

_LAPLACE = ("Laplace", "LaplaceTruncated")
_GAUSSIAN = ("Gaussian", "GaussianAnalytic")
_GEOMETRIC = ("Geometric", "GeometricTruncated")


def diffprivlib() -> list[Hook]:
    """Return a hook for `randomise` of every mechanism of diffprivlib."""
    from diffprivlib import mechanisms

    classes = {each for each in vars(mechanisms).values() if inspect.isclass(each)}
    return [
        Hook(owner=each, attribute="randomise", read=_of_diffprivlib)
        for each in sorted(classes, key=lambda each: each.__name__)
        if "randomise" in vars(each) and not inspect.isabstract(each)
    ]


def _of_diffprivlib(mechanism: Any, value: Any = None) -> NoisyCall:
    name, epsilon, delta = type(mechanism).__name__, mechanism.epsilon, mechanism.delta
    kind, scale = name, None
    sensitivity = getattr(mechanism, "sensitivity", None)
    if name in _LAPLACE:
        kind, scale = "laplace", _ratio(sensitivity, epsilon - math.log1p(-delta))
    elif name in _GEOMETRIC:
        kind, scale = "geometric", _ratio(sensitivity, epsilon)
    elif name in _GAUSSIAN:
        kind, scale = "gaussian", mechanism._scale
    scores = getattr(mechanism, "utility", None)  # a selection: what moves are the scores
    return NoisyCall(
        kind=kind,
        value=value if scores is None else scores,
        sensitivity=sensitivity,
        epsilon=epsilon,
        delta=delta,
        scale=scale,
        norm="spectral" if name == "Bingham" else 1 if scores is None else "largest",
        bounds=(mechanism.lower, mechanism.upper) if name.endswith("Truncated") else None,
    )


def _ratio(above: Any, below: float) -> float | None:
    return above / below if below else None


def opendp(*, distance: Any) -> list[Hook]:
    """Return hooks for measurements of OpenDP, alone and asked of a `Context`.

    A chain declares the map of its transformation.

    Args:
        distance: d_in, how far apart neighbours lie in the input metric of the measurements: under
            the symmetric distance 1 for add-remove and 2 for replace-one.
    """
    from opendp import core, mod

    def made(measurement: Any) -> tuple[str, Mapping[str, Any]]:
        kept = getattr(measurement, "__opendp_dict__", {})  # which constructor made it, of what
        return kept.get("__function__", "measurement"), kept.get("__kwargs__", {})

    def read(this: Any, arg: Any) -> NoisyCall | None:
        if made(this)[0].endswith("composition"):  # it answers with a queryable, without noise
            return None
        while made(this)[0] == "make_chain_pm":
            this = made(this)[1]["measurement0"]
        sensitivity: Any = None
        if made(this)[0] == "make_chain_mt":
            before = made(this)[1]["transformation0"]
            this, sensitivity, arg = (
                made(this)[1]["measurement1"],
                before.map(distance),
                before(arg),
            )
        name, given = made(this)
        metric, domain = str(this.input_metric), str(this.input_domain)
        scored = metric.startswith(("LInf", "RangeDistance"))
        kind = {"make_laplace": "laplace", "make_gaussian": "gaussian"}.get(name, name)
        if domain.partition("T=")[2][:1] in ("i", "u") and kind != name:  # on whole numbers
            kind = "geometric" if kind == "laplace" else "discrete-gaussian"
        return NoisyCall(
            kind=kind,
            value=arg if kind != name or scored else None,
            sensitivity=sensitivity if isinstance(sensitivity, int | float) else None,
            delta=0 if "MaxDivergence" in str(this.output_measure) else None,
            scale=given.get("scale"),
            norm="largest" if scored else 2 if metric.startswith("L2") else 1,
        )

    def with_data(real: Any) -> Any:
        def invoke(this: Any, arg: Any) -> Any:
            answer = real(this, arg)
            if isinstance(answer, mod.Queryable):
                vars(answer)["asked_of"] = arg
            return answer

        return invoke

    def asked(queryable: Any, query: Any) -> NoisyCall | None:
        known = "asked_of" in vars(queryable) and isinstance(query, mod.Measurement)
        return read(query, queryable.asked_of) if known else None

    return [
        Hook(owner=core, attribute="measurement_invoke", read=read, within="opendp"),
        Hook(owner=core, attribute="measurement_invoke", instead=with_data),
        Hook(owner=mod.Queryable, attribute="__call__", read=asked, within="opendp"),
    ]


def pipeline_dp() -> list[Hook]:
    """Return hooks for the additive mechanisms of PipelineDP; take public partitions."""
    from pipeline_dp import dp_computations as owner

    def added(mechanism: Any, value: Any) -> NoisyCall:
        is_laplace, scale = mechanism.noise_kind.name == "LAPLACE", mechanism.noise_parameter
        return NoisyCall(
            kind="laplace" if is_laplace else "gaussian",
            value=value,
            sensitivity=mechanism.sensitivity,
            epsilon=_ratio(mechanism.sensitivity, scale) if is_laplace else None,
            delta=0 if is_laplace else None,
            scale=scale,
            norm=1 if is_laplace else 2,
        )

    def laplace(value: Any, eps: float, l1_sensitivity: float) -> NoisyCall:
        return added(owner.LaplaceMechanism.create_from_epsilon(eps, l1_sensitivity), value)

    def gaussian(value: Any, eps: float, delta: float, l2_sensitivity: float) -> NoisyCall:
        make = owner.GaussianMechanism.create_from_epsilon_delta
        return added(make(eps, delta, l2_sensitivity), value)

    return [
        Hook(owner=owner.AdditiveMechanism, attribute="add_noise", read=added),
        Hook(owner=owner, attribute="apply_laplace_mechanism", read=laplace),
        Hook(owner=owner, attribute="apply_gaussian_mechanism", read=gaussian),
    ]


class FreezableGenerator:
    """A generator of numpy whose Laplace and normal noise can be frozen, as numpy's own cannot.

    While a check runs, `numpy.random.default_rng` makes these; wrap one that is made before.
    """

    def __init__(self, generator: np.random.Generator) -> None:
        self._generator = generator
        self._seeded = False

    @classmethod
    def made(cls, real: Any, *given: Any, **named: Any) -> "FreezableGenerator":
        """Make one as the function does, and note whether it gives a seed."""
        seed = next(iter((*given, *named.values())), None)
        if isinstance(seed, cls):  # numpy's own function gives such an argument back, too
            return seed
        found = cls(real(*given, **named))
        found._seeded = seed is not None and not isinstance(seed, np.random.Generator)
        return found

    @property
    def seeded(self) -> bool:
        """Whether it was made while a check ran, with a seed."""
        return self._seeded

    def __getattr__(self, name: str) -> Any:
        return getattr(self._generator, name)

    def laplace(self, *given: Any, **named: Any) -> Any:
        """Draw from the generator."""
        return self._generator.laplace(*given, **named)

    def normal(self, *given: Any, **named: Any) -> Any:
        """Draw from the generator."""
        return self._generator.normal(*given, **named)


def numpy(*, sensitivity: float | None = None, norm: Norm = 1) -> list[Hook]:
    """Return hooks for Laplace and normal noise of numpy: its value is what it is first added to.

    Args:
        sensitivity: what the program under test takes for each value, as numpy declares nothing;
            None: the noise is frozen, and the changes are summed over the calls.
        norm: the norm of that.
    """

    def read(kind: str, loc: Any = None, scale: Any = 1.0, size: Any = None) -> NoisyCall:
        shape = np.shape(loc) if size is None else size
        return NoisyCall(
            kind=kind,
            value=None if loc is None else np.broadcast_to(loc, shape),
            sensitivity=sensitivity,
            scale=scale if np.ndim(scale) == 0 else None,
            norm=norm,
        )

    def freezable(real: Any) -> Any:
        return functools.partial(FreezableGenerator.made, real)

    found = [Hook(owner=np.random, attribute="default_rng", instead=freezable)]
    for name, kind in (("laplace", "laplace"), ("normal", "gaussian")):
        of_module = lambda *given, kind=kind, **named: read(kind, *given, **named)  # noqa: E731
        of_object = lambda maker, *given, kind=kind, **named: replace(  # noqa: E731
            read(kind, *given, **named), seeded=maker.seeded
        )
        found.append(Hook(owner=np.random, attribute=name, read=of_module, added=True))
        found.append(Hook(owner=FreezableGenerator, attribute=name, read=of_object, added=True))
    return found
