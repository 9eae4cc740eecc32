"""Check certificates of every kind: prove what `check_certificate` can, confirm the others.

    .venv/bin/python tools/check_any_certificate.py CERTIFICATE.json ...

Most kinds of noise are beyond the stand-alone checker. Their verdicts were proved in ball
arithmetic; here mpmath computes the quantity anew by other identities (`dporacle.identities`, the
fourth witness, and `reference`), each until two precisions agree to four digits more than are
compared. That is no proof: it is another program, another arithmetic and another identity, which
agree. Claims over ranges are proved again by boxes, which are then checked as `dporacle prove
--verify` does. The judge's reader reads the claim; nothing else of the judge is used.

Exit status 0 if every certificate is proved or confirmed, 1 if one is contradicted, 3 if none is
contradicted but one is of a kind that is not checked here, 2 if a file is not there.
"""

import argparse
import hashlib
import json
import math
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

import mpmath
import msgspec

from dporacle import claims, reference, regions
from dporacle.claims.claim import Claim
from dporacle.identities import IDENTITIES
from dporacle.regions import formulas
from dporacle.regions.verify import verify

sys.path.insert(0, str(Path(__file__).parent))
import check_certificate as standalone

FORMAT = "dporacle-certificate/4"
DIGITS = 9  # to which a quantity is compared
MORE_DIGITS = 4
MOST_BITS = 1 << 11
LONGEST = 1_000_000  # steps of a matrix that is written out
ROUNDED = {"up": math.ceil, "down": math.floor, "nearest": lambda x: math.floor(x + Fraction(1, 2))}

Ends = tuple[Fraction, Fraction]
Record = dict[str, Any]


class UnknownError(Exception):
    """A certificate that is not for this program."""


def require(condition: bool, what: str) -> None:
    """Raise a ValueError unless the certificate says what it should."""
    if not condition:
        raise ValueError(what)


def unknown(condition: bool, what: str) -> None:
    """Raise an error if the certificate is not for this program."""
    if condition:
        raise UnknownError(what)


def settled(function: Callable[[Any], Any]) -> Fraction:
    """Return what a function of an mpmath context is, once two precisions agree."""
    context = mpmath.MPContext()
    bits, previous = 4 * (DIGITS + MORE_DIGITS), None
    while bits <= MOST_BITS:
        context.prec = bits
        value = function(context)
        if previous is not None:
            context.prec = 2 * bits
            if abs(value - previous) <= abs(value) / context.mpf(10) ** (DIGITS + MORE_DIGITS):
                return exact(value)
        previous, bits = value, bits + 24
    raise UnknownError("two precisions do not agree")


def exact(value: Any) -> Fraction:
    """Return a number of mpmath as the fraction that it is."""
    sign, mantissa, exponent, _ = value._mpf_
    return Fraction(int(mantissa)) * Fraction(2) ** int(exponent) * (-1 if sign else 1)


def identity(name: str, **given: Any) -> Fraction:
    """Return a quantity by the fourth witness."""
    inputs = {each: Fraction(value) for each, value in given.items()}
    return settled(lambda context: IDENTITIES[name](context, inputs))


def referred(name: str, **given: Any) -> Fraction:
    """Return a quantity by the reference."""
    return exact(getattr(reference, name)(**given, digits=DIGITS + 2 * MORE_DIGITS))


def once(value: Fraction) -> Ends:
    """Return both ends of what is known exactly."""
    return value, value


def gaussian_delta(epsilon: Fraction, mu_squared: Fraction) -> Fraction:
    """Return δ(ε) of Gaussian noise."""
    return settled(lambda context: gaussian(context, rounded(context, epsilon), mu_squared))


def rounded(context: Any, value: Fraction) -> Any:
    """Return a fraction in a context."""
    return context.mpf(value.numerator) / value.denominator


def gaussian(context: Any, epsilon: Any, mu_squared: Fraction) -> Any:
    """Return δ(ε) of Gaussian noise at any real ε: Pr[L ≥ ε] − e^ε Pr[L' ≤ −ε], by erfc."""
    eta = rounded(context, mu_squared) / 2
    if not eta:
        return max(context.zero, -context.expm1(epsilon))
    width = 2 * context.sqrt(eta)
    above, below = (context.erfc((epsilon + side * eta) / width) for side in (-1, 1))
    return (above - context.exp(epsilon) * below) / 2


# Mechanisms: (the mechanism, what is asserted) -> ends of δ(ε).


def dp_sgd(run: Record, asserts: Record) -> Ends:
    """δ(ε) of random batches; of shuffled ones a bound from above."""
    if "sampling_rate" in run:
        rate = run["sampling_rate"]
    else:
        rate = run["batch_size"] / run["dataset_size"]
    steps = run["steps"] if "steps" in run else ROUNDED[run["rounding"]](run["epochs"] / rate)
    replaced = asserts["neighbours"] == "replace-one"
    at = {"epsilon": asserts["epsilon"], "sigma": run["noise_multiplier"]}
    sampling, group = run.get("sampling", "poisson"), run.get("group", run.get("records_per_user"))
    if sampling == "shuffled":
        # Whatever the order is, each record is in one batch of each epoch: E Gaussian releases.
        unknown(asserts["neighbours"] == "add-remove", "not of shuffled batches under add-remove")
        epochs = math.ceil(run["epochs"] if "epochs" in run else steps * rate)
        distance = 2 if replaced else 1
        return Fraction(0), gaussian_delta(at["epsilon"], epochs * (distance / at["sigma"]) ** 2)
    unknown(sampling != "poisson", f"not of {sampling} batches")
    unknown("group_cap" in run, "not of a group with a cap")
    unknown(run.get("divisor") in ("from-n", "drawn"), "not of a divisor that tells of the records")
    unknown(
        bool(run.get("rate_from_n")), "not of a rate that is computed from the number of records"
    )
    # A record enters as many of m batches as a group of m enters one.
    size = (1 if group is None else group) * run.get("microbatches", 1)
    if group is not None or size > 1:
        at["size"] = size
    name = "subsampled_group_delta" if "size" in at else "subsampled_delta"
    name += "_replace" * replaced
    return once(identity(name, **at, rate=rate, steps=steps))


def histogram(about: Record, asserts: Record) -> Ends:
    """The larger of both directions, over the categories that are shared (C3 of the claims)."""
    most = about.get("linf", Fraction(1))

    def worst(context: Any) -> Any:
        z = rounded(context, (about["threshold"] - most) / about["sigma"])
        kept = context.log1p(-context.erfc(z / context.sqrt(2)) / 2)
        epsilon, found = rounded(context, asserts["epsilon"]), []
        for shared in range(about["l0"] + 1):
            hidden = (about["l0"] - shared) * kept
            square = shared * (most / about["sigma"]) ** 2
            q = context.exp(hidden)
            found += [
                1 - q + q * gaussian(context, epsilon - hidden, square),
                gaussian(context, epsilon + hidden, square),
            ]
        return max(found)

    return once(settled(worst))


STATISTICS: Mapping[str, tuple[str, bool]] = {
    "sum": ("sum_sensitivity", True),
    "mean": ("mean_sensitivity", False),
    "variance": ("variance_sensitivity", False),
    "squared-deviations": ("squared_deviations_sensitivity", False),
    "covariance": ("covariance_sensitivity", False),
    "second-moments": ("regression_sensitivity_squared", True),
    "regression": ("regression_sensitivity_squared", True),
    "counts": ("counts_sensitivity", True),
    "rounded-sum": ("rounded_norm_squared", False),
    "quantile-score": ("quantile_score_sensitivity", False),
}
"""Kind -> the reference's function, and whether there is another one for a replaced record."""


def of_statistic(statistic: Record, relation: str, norm: Any = 2) -> Fraction:
    """Return the square of a statistic's sensitivity by the reference (X.SENS)."""
    kind, replaced = statistic["kind"], relation == "replace-one"
    name, turned = STATISTICS[kind]
    at = {each: value for each, value in statistic.items() if each not in ("kind", "divisor")}
    if least := at.pop("least_records", None):
        if kind == "squared-deviations":  # the limit
            return Fraction(at["upper"] - at["lower"]) ** 4
        at["records"] = max(least + (relation == "add-remove"), 1 if kind == "mean" else 2)
    if "coordinates" in at:
        at["dimension"] = at.pop("coordinates")
    if kind == "mean" and relation == "zero-out":
        name = "public_mean_sensitivity"
    if kind == "counts":
        at.setdefault("total", at["l0"] * at["linf"])
        name += "_squared" * (norm == 2)
    if kind == "second-moments":
        at["target_bound"] = 0
    if turned and replaced:
        name += "_replace"
        at |= {"dimension": 2} if "target_bound" in at else {}  # two features or more
    if kind == "quantile-score" and replaced:
        return Fraction(1)
    found = referred(name, **at)
    square = found if "_squared" in name else found**2
    return 4 * square if kind == "rounded-sum" and replaced else square


def computed(about: Record, asserts: Record) -> Ends:
    """δ(ε) of Gaussian noise on a statistic."""
    unknown("statistic" not in about, f"not of {about['kind']}")
    square = of_statistic(about["statistic"], asserts["neighbours"])
    if about["kind"] == "gaussian":
        square /= about["sigma"] ** 2
    else:  # the parameter is that of the stated relation
        square /= of_statistic(about["statistic"], about["neighbours"])
        square *= {
            "zcdp": lambda: 2 * about["rho"],
            "gdp": lambda: about["mu"] ** 2,
            "rdp": lambda: 2 * about["epsilon"] / about["order"],
        }[about["kind"]]()
    return once(gaussian_delta(asserts["epsilon"], square))


def scaled(about: Record, asserts: Record) -> Fraction:
    """Return the sensitivity for the relation, or the bound of it that is used."""
    if "statistic" in about:
        square = of_statistic(about["statistic"], asserts["neighbours"], 1)
        return settled(lambda context: context.sqrt(rounded(context, square)))
    known = about["neighbours"] == asserts["neighbours"]
    unknown(not known, "not of a sensitivity for another relation")
    return Fraction(about["sensitivity"])


def laplace(about: Record, asserts: Record) -> Ends:
    """δ(ε) of one release."""
    at = {"epsilon": asserts["epsilon"], "scale": about["scale"]}
    counts = about.get("statistic", {})
    if counts.get("kind") == "counts":  # as many move at once as one or two persons have
        people = 2 if asserts["neighbours"] == "replace-one" else 1
        moved = min(people * counts["l0"], counts["coordinates"])
        at |= {"releases": moved, "sensitivity": counts["linf"]}
        return once(referred("laplace_repeated_delta", **at))
    found = identity("laplace_delta_at_epsilon", **at, sensitivity=scaled(about, asserts))
    return once(found)


def discrete_sigma(about: Record) -> Fraction:
    """Return σ of a discrete Gaussian, where it is rational or nearly."""
    square = about["sigma_squared"]
    if about["sigma"] is not None:
        return Fraction(about["sigma"])
    if about["rho"] is not None:
        square = about["sensitivity"] ** 2 / (2 * about["rho"])
    scale = 10 ** (2 * DIGITS + MORE_DIGITS)  # the quantity then moves by less than is compared
    return Fraction(math.isqrt(square.numerator * scale**2 // square.denominator), scale)


def discrete(about: Record, asserts: Record) -> Ends:
    """δ(ε) of one release."""
    at = {"epsilon": asserts["epsilon"], "sigma": discrete_sigma(about)}
    found = identity("discrete_delta_at_epsilon", **at, sensitivity=scaled(about, asserts))
    return once(found)


def matrix(about: Record, asserts: Record) -> Ends:
    """δ(ε) of Gaussian noise of the matrix's sensitivity."""
    return once(gaussian_delta(asserts["epsilon"], matrix_mu_squared(about, asserts)))


def nodes(size: int, steps: Sequence[int]) -> Counter[tuple[int, int]]:
    """Count the steps in each complete node of a tree."""
    return Counter(
        (level, step >> level)
        for level in range(size.bit_length())
        for step in steps
        if ((step >> level) + 1) << level <= size
    )


def matrix_mu_squared(about: Record, asserts: Record) -> Fraction:
    """Return S²/z²; S² from the columns as they stand."""
    word, _, bands = about["matrix"].partition(":")
    size, most, gap = about.get("size", 0), about["participations"], about.get("separation", 1)
    if word == "tree":
        # The steps 0, b, 2b, … are the worst of a fixed period (M9), and of others where they
        # reach what nodes have room for (M10).
        unknown(size > LONGEST, "not of so many steps")
        steps = range(0, min(most * gap, size), gap)
        square = Fraction(sum(each**2 for each in nodes(size, steps).values()))
        room = sum(
            steps_of // cap * cap**2 + (steps_of % cap) ** 2
            for level in range(size.bit_length())
            for cap in [-(-(1 << level) // gap)]
            for steps_of in [sum(step < size >> level << level for step in steps)]
        )
        unknown(not about["epochs_fixed"] and square < room, "not of steps that are uneven")
    else:
        unknown(word not in ("identity", "prefix", "sqrt-toeplitz"), f"not of the matrix {word}")
        unknown(size > LONGEST, "not of so many steps")
        column = [Fraction(1)]
        for k in range(1, 1 if word == "identity" else min(int(bands or size), size)):
            column.append(column[-1] * (Fraction(2 * k - 1, 2 * k) if word[0] == "s" else 1))
        # c₀ ≥ c₁ ≥ … ≥ 0: the steps 0, b, 2b, … are the worst (M6 of the matrices).
        rows = [Fraction(0)] * size
        for start in range(0, min(most * gap, size), gap):
            for k, entry in enumerate(column[: size - start]):
                rows[start + k] += entry
        square = sum((row**2 for row in rows), Fraction(0))
    distance = 2 if asserts["neighbours"] == "replace-one" else 1
    return square * distance**2 / about["noise_multiplier"] ** 2


PRIVACY: Mapping[str, Callable[[Record, Record], Ends]] = {
    "dp-sgd": dp_sgd,
    "thresholded-histogram": histogram,
    "laplace": laplace,
    "discrete-gaussian": discrete,
    "matrix": matrix,
    "gaussian": computed,
    "zcdp": computed,
    "gdp": computed,
    "rdp": computed,
}

# Assertions: (the claim, its certificate) -> ends of its quantity.


def privacy(claim: Record, _: Record) -> Ends:
    """δ(ε) of a mechanism."""
    about, asserts = claim["mechanism"], claim["asserts"]
    unknown(about["kind"] not in PRIVACY, f"not of {about['kind']}")
    return PRIVACY[about["kind"]](about, asserts)


def parameter(claim: Record, record: Record) -> Ends:
    """The ρ, the μ or the Rényi divergence of Gaussian noise, from μ²."""
    about, asserts = claim["mechanism"], claim["asserts"]
    unknown("up_to_epsilon" in asserts, "not of a range of ε")
    if about["kind"] == "matrix":
        low = high = matrix_mu_squared(about, asserts)
    else:
        try:
            stated = standalone.read("mechanism", record["claim"]["mechanism"])
            high, low = standalone.extent(stated, asserts["neighbours"])
        except ValueError as error:
            raise UnknownError(f"not of this noise: {error}") from None
    if asserts["kind"] == "gdp":
        low, high = (
            settled(lambda context, square=square: context.sqrt(rounded(context, square)))
            for square in (low, high)
        )
        return low, high
    factor = asserts["order"] / 2 if asserts["kind"] == "rdp" else Fraction(1, 2)
    return factor * low, factor * high


def accuracy(claim: Record, _: Record) -> Ends:
    """The probability that the largest of the errors exceeds a bound."""
    about, asserts = claim["mechanism"], claim["asserts"]
    if about["kind"] == "laplace":
        at = {"error": asserts["at_most"], "scale": about["scale"], "queries": asserts["queries"]}
        return once(identity("laplace_max_error_probability", **at))
    unknown(about["kind"] != "discrete-gaussian", f"not of the error of {about['kind']}")
    at = {"error": math.floor(asserts["at_most"]), "sigma": discrete_sigma(about)}
    tail = identity("discrete_tail", **at)
    return once(1 - (1 - tail) ** asserts["queries"])


def conversion(claim: Record, record: Record) -> Ends:
    """δ of the Gaussian mechanism with a parameter, and what a conversion proves for all."""
    asserts, given = claim["asserts"], claim["asserts"]["given"]
    unknown(given["kind"] in ("black-box", "composition"), f"not of a {given['kind']}")
    if given["kind"] == "gdp":
        return once(gaussian_delta(asserts["epsilon"], given["mu"] ** 2))
    if given["kind"] == "zcdp":
        square = 2 * given["rho"]
    else:
        points = given.get("points", [given])
        square = min(2 * point["epsilon"] / point["order"] for point in points)
    unknown(record["witness"] is None, "not of this conversion")
    order = Fraction(record["witness"])
    require(order > 1, "an order of Rényi divergence above 1")
    if given["kind"] == "zcdp":
        divergence = order * given["rho"]
    else:
        above = [point["epsilon"] for point in points if point["order"] >= order]
        require(bool(above), "an order that is stated, or a lower one")
        divergence = min(above)

    def proved(context: Any) -> Any:
        # e^{(α−1)(D−ε)}(1 − 1/α)^α/(α−1): Canonne, Kamath & Steinke, 2020.
        a, gap = rounded(context, order), rounded(context, divergence - asserts["epsilon"])
        return context.exp((a - 1) * gap + a * context.log1p(-1 / a)) / (a - 1)

    return gaussian_delta(asserts["epsilon"], square), settled(proved)


def sensitivity(claim: Record, _: Record) -> Ends:
    """How far one record moves a statistic."""
    asserts = claim["asserts"]
    statistic = asserts.get("statistic") or claim["mechanism"]["statistic"]
    square = of_statistic(statistic, asserts["neighbours"], asserts["norm"])
    return once(settled(lambda context: context.sqrt(rounded(context, square))))


def formula(claim: Record, _: Record) -> Ends:
    """δ of rank-one noise with the published σ*."""
    at = {name: claim["asserts"][name] for name in ("epsilon", "dimension")}
    unknown(claim["asserts"]["name"] != "r1smg", f"not of {claim['asserts']['name']}")
    star = referred("rank_one_sigma_star", **at, delta=claim["asserts"]["delta"])
    return once(referred("rank_one_delta_at_epsilon", **at, sigma_star=star))


def by_boxes(claim: Record, record: Record) -> Ends:
    """What boxes prove of a range; they are written, and checked as they stand in the file."""
    asserts = claim["asserts"]
    spans = {
        name: (Fraction(asserts[name]["from"]), Fraction(asserts[name]["to"]))
        for name in ("epsilon", "delta")
    }
    unknown(record["verdict"] != "HOLDS", "not of a range with a counterexample")
    theorem = formulas.theorem(asserts["name"], **spans, constant=asserts["constant"])
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "boxes"
        regions.prove(theorem, output=path)
        found = verify(path)
    require(not found.faults and found.status == "proved", "the boxes do not prove it")
    return Fraction(0), Fraction(1)


def inequality(claim: Record, _: Record) -> Ends:
    """The left side over the right side."""
    name, at = claim["asserts"]["statement"], claim["asserts"]["at"]
    unknown(name not in QUOTIENTS, f"not of {name}")
    return once(QUOTIENTS[name](at))


def loss_quotient(at: Record) -> Fraction:
    """Return ((Φ⁻¹(δ))² + ε)/ε² over σ²."""
    bound = referred("analytic_loss_bound", **at, dimension=1)
    return bound / referred("calibrate_sigma", **at) ** 2


def lecture_quotient(at: Record) -> Fraction:
    """Return δ(ρ/2 + √(2ρ ln(1/δ))) over δ, at μ² = ρ."""
    rho, delta = at["rho"], at["delta"]

    def found(context: Any) -> Any:
        r = rounded(context, rho)
        epsilon = r / 2 + context.sqrt(-2 * r * context.log(rounded(context, delta)))
        return gaussian(context, epsilon, rho)

    return settled(found) / delta


def counted(claim: Record, record: Record) -> Ends:
    """The p-value of what an audit counted; by the incomplete beta functions of the reference."""
    asserts, evidence = claim["asserts"], claim["evidence"]
    orders = len(evidence.get("orders", [0])) if asserts["kind"] == "lower-bound" else 1
    rate = (1 - asserts["confidence"]) / (evidence["tried"] * orders)
    require(Fraction(record["bound"]) == rate, "the bound is not the rate of one test")
    names = {
        "audit_p_value": ("false_positives", "negatives", "false_negatives", "positives"),
        "audit_joint_p_value": ("false_positives", "negatives", "false_negatives", "positives"),
        "one_run_p_value": ("guesses", "correct", "canaries"),
    }
    kinds = {
        "counts": "audit_p_value",
        "joint-counts": "audit_joint_p_value",
        "one-run": "one_run_p_value",
    }
    if (kind := evidence["kind"]) in kinds:
        name = kinds[kind]
        at = {each: int(evidence[each]) for each in names[name]}
        return once(referred(name, **at, epsilon=asserts["epsilon"], delta=asserts["delta"]))
    at_least, delta = asserts["kind"] == "lower-bound", asserts["delta"]
    tails = [
        referred(
            "binomial_tail",
            successes=int(each["heads"] if at_least else each["draws"] - each["heads"]),
            trials=int(each["draws"]),
            probability=delta if at_least else 1 - delta,
        )
        for each in evidence["orders"]
    ]
    return once(min(tails) if at_least else max(tails))


QUOTIENTS: Mapping[str, Callable[[Record], Fraction]] = {
    "BW18.C1": lambda at: (
        Fraction(3, 2)
        * (referred("calibrate_sigma", **at) / referred("classical_sigma", **at)) ** 2
    ),
    "GN.T1": lecture_quotient,
    "JL24.L2": loss_quotient,
    "JL24.L2.reversed": lambda at: 1 / loss_quotient(at),
}
ASSERTIONS: Mapping[str, Callable[[Record, Record], Ends]] = {
    "privacy": privacy,
    "zcdp": parameter,
    "gdp": parameter,
    "rdp": parameter,
    "sensitivity": sensitivity,
    "accuracy": accuracy,
    "conversion": conversion,
    "formula": formula,
    "formula-range": by_boxes,
    "inequality": inequality,
    "lower-bound": counted,
    "upper-bound": counted,
}


def numbers(written: Any) -> Any:
    """Return a claim as it is written, its exact numbers as fractions."""
    if isinstance(written, dict):
        texts = ("kind", "id", "source", "unit", "name", "matrix", "statement")
        return {k: v if k in texts else numbers(v) for k, v in written.items()}
    if isinstance(written, list | tuple):
        return [numbers(each) for each in written]
    if isinstance(written, str) and standalone.NUMBER.fullmatch(written):
        return Fraction(written)
    return written


def read(record: Record) -> tuple[Claim, Record]:
    """Return the claim as the judge reads it, and as it is written, which must be the same."""
    claim = claims.make(record["claim"])
    written = msgspec.to_builtins(claim, enc_hook=str)
    told = (json.dumps(one, sort_keys=True) for one in (written, record["claim"]))
    require(next(told) == next(told), "the claim is not written as the judge writes it")
    return claim, numbers(written)


def check(text: str) -> str:
    """Return what a certificate's text is confirmed to say.

    Raises:
        ValueError: if it is contradicted.
        UnknownError: if it is not for this program.
    """
    record = json.loads(text)
    unknown(not isinstance(record, dict) or record.get("format") != FORMAT, "not this format")
    content = {name: value for name, value in record.items() if name != "sha256"}
    packed = json.dumps(content, sort_keys=True, separators=(",", ":")).encode()
    require(record.get("sha256") == hashlib.sha256(packed).hexdigest(), "the digest is another")
    claim, written = read(record)
    kind = written["asserts"]["kind"]
    unknown(kind not in ASSERTIONS, f"not of {kind}")
    quantity, bound = claim.asserts.subject()
    require(record["quantity"] == quantity, "the quantity is not the claim's")
    low, high = Fraction(record["low"]), Fraction(record["high"])
    verdict, stated = record["verdict"], Fraction(record["bound"])
    require(quantity in ("mu", "p-value") or bound == stated, "the bound is not the claim's")
    require(kind != "gdp" or stated == written["asserts"]["mu"], "the bound is not the claim's")
    least, most = ASSERTIONS[kind](written, record)
    below, above = (abs(end) / 10**DIGITS for end in (least, most))
    about = written["mechanism"] or {}
    if (
        about.get("sampling") == "shuffled"
    ):  # what is found is a bound from above, and the certificate has a closer one
        unknown(verdict != "HOLDS", "this program checks only upper bounds of shuffled batches")
        unknown(
            most > high,
            f"this program can check an upper bound of shuffled batches only for a {quantity} of "
            f"{decimal(most)} or more; the certificate has {record['high']}",
        )
    else:
        told = f"{quantity} is {decimal(least)}, not in the enclosure"
        require(low <= least + below and most - above <= high, told)
    if verdict == "HOLDS":
        require(most <= stated + above and high <= stated, "the verdict does not follow")
    elif verdict == "VIOLATED":
        require(least > stated - below and low > stated, "the verdict does not follow")
        last = about.get("released") == "last-iterate"
        require(not last, "of the last iterate alone no violation follows")
    else:
        open_ = low <= stated or about.get("released") == "last-iterate"
        require(open_ and stated <= high, "the verdict does not follow")
        require(verdict == "UNDECIDED", "no verdict")
    supposed = claim.asserts.supposes(claim.about) if verdict == "VIOLATED" else ""
    require(record["supposes"] == supposed, f"it supposes that {supposed or 'nothing'}")
    under = [each.says for each in claim.asserts.hypotheses(claim.about)]
    require(record["hypotheses"] == under, f"it is proved under {under or 'nothing'}")
    value = decimal(most) if least == most else f"between {decimal(least)} and {decimal(most)}"
    return f"{verdict}: {quantity} = {value}, claimed {decimal(stated)}"


def decimal(value: Fraction) -> str:
    """Return a number in twelve digits."""
    return f"{float(value):.12g}"


def judge(path: Path) -> tuple[str, str]:
    """Return what is found of a certificate, and the words for it."""
    try:
        text = path.read_text(encoding="utf-8")
        record = json.loads(text)
        if isinstance(record, dict) and str(record.get("standalone")).startswith("no"):
            try:
                return "confirmed", check(text)
            except UnknownError as error:
                return "not judged", str(error)
        return f"proved {standalone.check(text)}", ""
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        return "contradicted", str(error)


def main() -> int:
    """Check the files that are named."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("certificates", nargs="+", type=Path)
    ends: list[str] = []
    paths = parser.parse_args().certificates
    if missing := [str(path) for path in paths if not path.is_file()]:
        parser.error(f"no such file: {', '.join(missing)}")
    for path in paths:
        end, told = judge(path)
        ends.append(end)
        print(f"{path}: {end}: {told}" if told else f"{path}: {end}", flush=True)
    if len(ends) > 1:
        print(f"{len(ends)} files:", ", ".join(f"{ends.count(e)} {e}" for e in sorted(set(ends))))
    return 1 if "contradicted" in ends else 3 * ("not judged" in ends)


if __name__ == "__main__":
    sys.exit(main())
