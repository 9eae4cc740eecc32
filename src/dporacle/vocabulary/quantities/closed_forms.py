"""Closed formulas for the noise of one release, private or not."""

from dporacle.vocabulary.domains import POSITIVE, UNIT
from dporacle.vocabulary.draws import Power
from dporacle.vocabulary.kinds import NOISE_NEEDED
from dporacle.vocabulary.mechanisms import CLASSICAL
from dporacle.vocabulary.quantities.row import POSITIVE_EPSILON, Quantity

ROWS = (
    Quantity(
        name="classical_sigma",
        mechanism=CLASSICAL,
        kind=NOISE_NEEDED,
        arguments=("epsilon", "delta", "sensitivity"),
        exact="the formula Δ√(2 ln(1.25/δ))/ε, private or not",
        harm="less noise than the theorem asks for",
        statements=("BW18.T1",),
        arithmetic="elementary",
        served=True,
        public=True,
        own={
            # The theorem holds up to ε = 1.
            "epsilon": {
                "domain": POSITIVE,
                "usual": (-3.0, 0.0),
                "extreme": (-12.0, 0.0),
                "edges": (Power(-300, -13),),
                "asked": UNIT,
            }
        },
    ),
    Quantity(
        name="pinsker_sigma",
        mechanism=CLASSICAL,
        kind=NOISE_NEEDED,
        arguments=("delta", "sensitivity"),
        exact="Δ/(2δ), for ε = 0",
        harm="less noise than the formula says",
        statements=("BW18.T2",),
        arithmetic="elementary",
        float64=(0, 2.0**-52),
    ),
    Quantity(
        name="dwork_2006_sigma",
        mechanism=CLASSICAL,
        kind=NOISE_NEEDED,
        arguments=("epsilon", "delta", "sensitivity"),
        exact="Δ√(2 ln(2/δ))/ε",
        harm="less noise than the formula says",
        statements=("X.CF",),
        arithmetic="elementary",
        own=POSITIVE_EPSILON,
    ),
    Quantity(
        name="dwork_roth_sigma",
        mechanism=CLASSICAL,
        kind=NOISE_NEEDED,
        arguments=("epsilon", "delta", "sensitivity"),
        exact="Δ√(2 ln(√(2/π)e^{4/9}/δ))/ε",
        harm="less noise than the formula says",
        statements=("GMA.R1",),
        arithmetic="elementary",
        own=POSITIVE_EPSILON,
    ),
    Quantity(
        name="vinterbo_sigma",
        mechanism=CLASSICAL,
        kind=NOISE_NEEDED,
        arguments=("epsilon", "delta", "sensitivity"),
        exact="Vinterbo's closed formula",
        harm="less noise than the formula says",
        statements=("X.CF",),
        arithmetic="elementary",
        own=POSITIVE_EPSILON,
    ),
    Quantity(
        name="plrv_tail_sigma",
        mechanism=CLASSICAL,
        kind=NOISE_NEEDED,
        arguments=("epsilon", "delta", "sensitivity"),
        exact="the least σ at which the privacy loss exceeds ε with probability δ at most",
        harm="less noise than the formula says",
        statements=("X.CF", "BW18.O1", "JL24.D1"),
        own=POSITIVE_EPSILON,
    ),
)
