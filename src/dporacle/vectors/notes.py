"""Why cases exist (flags), and how exact answers can be expected to be (tolerances)."""

from collections.abc import Iterable

NOTES = {
    "core": "Parameters that releases use.",
    "zero-epsilon": "ε = 0 is a valid request ((0,δ)-DP, total variation); a search over "
    "σ = c/ε or over a bracket that doubles from ε loops or divides by zero "
    "(opendp/opendp#429).",
    "small-epsilon": "ε far below δ: 1 − e^ε and differences of Φ cancel to nothing in float64.",
    "exp-overflow": "e^ε overflows float64 above ε = 709.78; the product e^ε·Φ(…) is then inf or "
    "NaN and a search that believes it returns no noise (google/differential-privacy#430).",
    "near-exp-overflow": "The last ε before e^ε overflows float64.",
    "large-epsilon": "ε in the hundreds and above, where solutions have been loose and then failed "
    "(yuxiangw/autodp#39).",
    "tiny-delta": "δ at or below 1e-16: an absolute tolerance on δ, or 1 − δ, says nothing here.",
    "absolute-tolerance": "A search that stops when δ is met within 1e-12 returns a σ whose true δ "
    "is 1.4 times the one asked for.",
    "subnormal": "The smallest positive float64.",
    "large-delta": "δ at or above 1/2, where the sign in Algorithm 1 changes and careless formulas "
    "give negative ε (pytorch/opacus#585, opendp/opendp#621).",
    "almost-one": "The largest float64 below 1; its distance to 1 is exact.",
    "algorithm-1-sign": "The sign of α in Algorithm 1: the wrong one gives σ = 0.134 at (1, 1e-5) "
    "(opendifferentialprivacy/smartnoise-core#316).",
    "beyond-classical": "ε > 1, outside the classical theorem: its formula is loose here and "
    "violates for larger ε (opendp/smartnoise-sdk#462, uvm-plaid/programming-dp#45).",
    "clipped-epsilon": "ε > 1 must be honoured, not clipped to 1 (opendp/opendp#428).",
    "scaled": "The answer scales with the sensitivity; squares and products of it may over- or "
    "underflow before. A σ that was not divided by the clipping norm is another question "
    "(pytorch/opacus#11, tensorflow/privacy#104).",
    "overflow": "The exact answer is above the largest float64: an error that says so is right, "
    "inf or a number is not.",
    "underflow": "The exact answer is positive and below the smallest positive float64, which is "
    "the right answer when rounding up; 0 would claim pure ε-privacy.",
    "zero-answer": "The exact answer is 0, not negative (pytorch/opacus#585).",
    "wide-bracket": "The root lies far outside brackets such as [0, 500] (pytorch/opacus#775).",
    "alpha-matters": "The same σ at several α: an accuracy that ignores α is caught "
    "(opendp/smartnoise-sdk#399).",
    "nonsense": "Not in the domain: an answer here hides a bug in the caller.",
    "zero-delta": "No finite Gaussian noise gives δ = 0.",
    "zero-sensitivity": "A sensitivity of 0 must not turn into no noise for others in a batch "
    "(tmodel-ccs2018/privcount#400).",
    "square-overflow": "μ² and σ² leave the range of float64 long before the answer does, "
    "or the other way round.",
    "factor-two": "ρ of zCDP is μ²/2; the lecture's ρ is μ². Taken one for the other, σ is wrong "
    "by √2; a scale that is squared once too often is of the same family "
    "(opendifferentialprivacy/smartnoise-core#316).",
    "exact-power": "μ is a power of two, so that σ = 1/μ is a float64 too and a library that takes "
    "σ is asked exactly this.",
    "tiny-fpr": "A false positive rate far below one over any number of records: 1 − α is 1 in "
    "float64, and a tail that is read from its other side is 0.",
    "fpr-near-one": "The error of type II says something here, and 1 minus the power loses it.",
    "atom-of-the-loss": "The loss of Laplace noise has atoms at both its ends: the curve has "
    "straight parts, and a kink where a formula for densities would go on.",
    "below-the-diagonal": "No trade-off curve has a power below the false positive rate. A curve "
    "that is read from a privacy loss on a grid can have one.",
    "rare-record": "The prior is small: nearly every guess that it is out is right, and 1 less the "
    "share of right answers loses the digits of the risk.",
    "other-order": "Where the false positive rate is large, the pair in the other order is worse: "
    "a curve of one direction says too little.",
    "order-one": "α = 1 is the limit, the Kullback–Leibler divergence; a formula with α − 1 below "
    "the line divides by zero.",
    "trivial-bound": "The bound says nothing here: δ = 1, not above, and no square of a negative "
    "number.",
    "loose-order": "The best order α is beyond the usual grids of orders.",
    "near-diagonal": "α and its complement: a quantile of 1 − α loses what α says.",
    "composition": "k releases cost √k in μ and in σ: not k, and not nothing.",
    "many-releases": "Thousands of releases and more: sums of k terms lose what √k keeps.",
    "lattice": "The discrete noise is not the continuous one rounded: δ jumps in slope where "
    "εσ²/D + D/2 passes an integer, and may rise with σ.",
    "concentrated": "σ well below 1: nearly all noise is 0, the normaliser is close to 1 and "
    "integrals in the place of sums are wrong.",
    "wide-lattice": "σ in the hundreds: sums of thousands of terms, where the continuous formula "
    "is close and not right.",
    "integer-answer": "The answer is an integer: the next smaller one is exceeded too often.",
    "single-query": "k = 1 is the accuracy of one release.",
    "many-queries": "1 − (1−β)^{1/k} cancels to nothing when k is large or β small.",
    "union-gap": "β where the union bound and the exact quantile part.",
    "zero-signal": "θ = 0, where shrinking gains most.",
    "strong-signal": "‖θ‖ far above the noise, where shrinking gains nothing and the risk must not "
    "exceed that of the release.",
    "few-dimensions": "d = 3, the first dimension in which James and Stein's estimator gains.",
    "many-dimensions": "Thousands of dimensions: gamma functions overflow, products of d do not.",
    "too-few-dimensions": "The estimator is for d ≥ 3.",
    "sign-of-mean": "The risk is even in θ.",
    "no-threshold": "At a tiny λ the estimator is nearly the release itself.",
    "outside-theorem": "Outside the domain of the formula's theorem: the value of the formula, not "
    "a private σ.",
    "pure": "Pure differential privacy, δ = 0: Laplace noise gives it, Gaussian noise does not.",
    "pure-edge": "The exact answer is the difference of two numbers that agree to 53 bits: as they "
    "are rounded, it is 0 or not, on the wrong side.",
    "fft-noise": "δ near the rounding noise of a fast Fourier transform and of what was cut off "
    "before it: a part of δ is missing from the answer.",
    "deep-tail": "A tail of the composed loss so far out that sums in float64 hold no digit of it "
    "(microsoft/prv_accountant#17).",
    "single-step": "T = 1 is a single release: q times the δ of the noise at ln(1 + (e^ε−1)/q), "
    "and not q times the ε (yuxiangw/autodp#2).",
    "no-sampling": "q = 1 is the plain Gaussian composition, and no logarithm of 0 "
    "(pytorch/opacus#74).",
    "tiny-rate": "A record is in hardly any batch: the loss is nearly an atom, and a mesh of its "
    "values misses it.",
    "many-epsilons": "ε far above 10, where meshes for small losses were too coarse and gave up "
    "(pytorch/opacus#601, microsoft/prv_accountant#36).",
    "central-limit": "The central limit of many steps has a smaller ε than they give, and is no "
    "bound (pytorch/opacus#384, #400).",
    "two-directions": "Adding and removing a record are different under sampling: the larger of "
    "the two after composition is the answer, not one of them, nor of each step.",
    "antipodal": "One record is another one: under sampling that is neither add/remove nor its "
    "double, but the pair of opposite shifts.",
    "half-noise": "Batches of a fixed size, one record more or less: it takes another one's place, "
    "so that the sum moves by two clipping norms. Poisson sampling's figure at the same noise is "
    "too small, by up to a factor of seven in ε; at half the noise it is right.",
    "few-batches": "Two or three batches: the loss of an epoch is far from normal, and half of all "
    "runs have the record in the first of them.",
    "many-batches": "Thousands of batches and little noise: the sum of as many lognormal variables "
    "is ruled by its largest, so that neither its moments nor a normal law tell its tail.",
    "schedule": "Noise and rate change once: losses add, and neither averages nor the worst "
    "phase stands for them.",
    "group": "k records of one user, each sampled on its own: the ε of one record and k times it "
    "are too small, and one record at k times the rate, or k times as long, is another one. For "
    "σ = 4, q = 0.01, T = 1000, δ = 1e-5, eight records have ε = 2.6859; 8 times one's is 2.1771.",
    "group-of-one": "A group of one record is one record.",
    "zero-rate": "A record that enters no batch loses nothing: an answer of 0 is let pass.",
    "contributions": "Who is counted k times is shown by the largest of k noises: δ is not "
    "that of one, and the union bound δ/k is on the safe side.",
    "below-one": "A threshold of 1 or less, which a count of 1 passes more often than not.",
    "replaced-twice": "One record replaces another: the sum moves by 2C, and noise over C is half "
    "as much over Δ. dp-accounting 0.6.0 says ε = 1.0126 by RDP for σ = 4C at δ = 1e-5, where "
    "1.9931 is exact, and 5.243 for batches of a fixed size of which 14.718 is attained "
    "(google/differential-privacy#378, BorealisAI/private-data-generation#5).",
    "partial-batches": "60 epochs of 60000 records in batches of 256 are 14100 steps where the "
    "last batch of each is kept, not ⌈60·60000/256⌉ = 14063, as tensorflow-privacy 0.9.0 counts "
    "(tensorflow/privacy#103, pytorch/opacus#19).",
    "constant-batches": "A batch of one size is not Poisson's: Opacus 1.6.0 says what Poisson "
    "gives (pytorch/opacus#80, tensorflow/privacy#483, lxuechen/private-transformers#7).",
    "accumulated": "Four batches before each update: four times the rate and a quarter of the "
    "steps, which are updates and not batches (google-deepmind/jax_privacy#288, #234).",
    "loader-rate": "A sampler that draws 1280 of 10000 records in batches of 160: the rate is "
    "160/10000, and not one over its 8 batches (pytorch/opacus#813).",
    "loose-conversion": "From Rényi divergences to ε the older conversion is far above the best "
    "(pytorch/opacus#157, #186, yuxiangw/autodp#46).",
    "order-at-one": "Between the grid of orders and 1: a rule that sets ε to 0 for small "
    "divergences is right only where δ covers the loss (tensorflow/privacy#166).",
    "two-bins": "A record that is replaced leaves one bin of a histogram and enters another: √2 "
    "in ℓ2, 2 in ℓ1 (opendp/opendp#369, w3c/attribution#212).",
    "both-ways": "Three rows of a group leave and three others come: a sum within ±10 moves by "
    "60, not by 30 (opendp/opendp#2945).",
    "one-bound": "Data within (0, 100): the square of the lower bound alone says 0 where 10000 is "
    "the sensitivity; diffprivlib 0.6.6 does (IBM/differential-privacy-library#105).",
    "unknown-size": "The mean of values in [0, 1] moves by 1/2 where a record joins a single one: "
    "its sensitivity under add/remove is no matter of the size of the data at hand "
    "(opendp/smartnoise-core#355, #356).",
    "mass-at-threshold": "Whole noise has mass at the threshold itself, which is shown: OpenDP "
    "0.16.0 says δ = 0.0049 at b = 1 and τ = 5, where 0.0134 is exact (opendp/opendp#2922).",
    "shares-for-counts": "Laplace noise for shares of 1000 records on their counts, of which a "
    "record that is replaced moves two: ε = 83 in each of twelve tables that share 1 "
    "(DataResponsibly/DataSynthesizer#34).",
    "inverted-scale": "A scale of ε/Δ, where Δ/ε gives ε (WICG/attribution-reporting-api#1329).",
    "divided-noise": "Thirty measurements share half of ε = 3, and their noise was divided by the "
    "number of attributes, 4: they take 6 (opendp/smartnoise-sdk#472).",
    "two-aggregates": "A sum and the count of users beside it, each with all of (1, 1e-5): "
    "together they take more (opendp/smartnoise-sdk#200, #385).",
    "other-figures": "σ = √2 and 20 releases, as they were printed for ε = 3.34, which 2√2 and 5 "
    "give (microsoft/DPSDA#6).",
    "missing-root": "Three groups with two rows each: √3·2 in ℓ2, not 3·2 "
    "(opendp/smartnoise-core#243).",
    "averaged-noise": "Noise of 0.012 on a mean of 1250 updates clipped to 15 is a multiplier of "
    "1 (tensorflow/privacy#174).",
    "rounds-of-clients": "50 of 3012 clients in each of 100 rounds: T is the rounds, q the share "
    "of the clients, and no batches within a client count (google-research/federated#18, #25).",
    "search-below": "A search for σ that ends within 0.01 on either side spends more than ε "
    "(pytorch/opacus#346, lxuechen/private-transformers#8).",
    "foreign-threshold": "Gaussian noise with the threshold of Laplace noise, which is too low "
    "(opendp/smartnoise-sdk#204).",
    "zero-releases": "No release tells nothing: an answer of 0 is let pass, others are not.",
}
"""Flag -> why cases with this flag exist."""

TOLERANCES = {
    "integer": ("0", "An integer: only the answer itself is right."),
    "elementary": ("4e-15", "A few roots, logarithms and products: 16 units in the last place."),
    "core": ("1e-9", "Parameters that releases use; a root or a special function is computed."),
    "hard": ("1e-6", "Extreme parameters; a root or a special function is computed."),
    "range": (
        "0",
        "No float64 has the answer: an error, or an infinity that rounds to the safe side.",
    ),
}
"""Class of tolerance -> the largest relative error that is acceptable, and what is in the class."""

EVERYDAY = frozenset({"core", "alpha-matters"})
"""Flags of the inputs where people work."""


def everyday(flags: Iterable[str]) -> bool:
    """Whether an input with these flags is one where people work."""
    return not EVERYDAY.isdisjoint(flags)
