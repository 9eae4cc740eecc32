"""Check any certificate: those of DP-SGD by other identities, all others by `check_certificate`.

    .venv/bin/python tools/check_any_certificate.py CERTIFICATE.json ...

A verdict on DP-SGD was proved by contour inversion in ball arithmetic. Here the fourth witness
(`dporacle.identities`, mpmath alone) computes δ(ε) anew, in fixed-point integers on lines, periods
and meshes that each precision chooses for itself, until two precisions agree to four digits more
than are compared. That is no proof: it is another program, another arithmetic and another identity,
which agree. The stand-alone checker, which proves, has no sums over random batches.

Exit status 0 if every certificate is proved or confirmed, 1 if one is contradicted, 3 if one is of
a kind that neither program knows.
"""

import argparse
import hashlib
import json
import math
import sys
from fractions import Fraction
from pathlib import Path
from typing import Any

import mpmath

from dporacle.identities import IDENTITIES

sys.path.insert(0, str(Path(__file__).parent))
import check_certificate as fields

FORMAT = "dporacle-certificate/3"
DIGITS = 9  # to which δ is compared
MORE_DIGITS = 4
MOST_BITS = 1 << 11
ROUNDED = {"up": math.ceil, "down": math.floor, "nearest": lambda x: math.floor(x + Fraction(1, 2))}


# The fields of DP-SGD, beside those that the other program knows.
fields.RECORDS["dp-sgd"] = (
    "noise_multiplier sampling_rate- batch_size- dataset_size- steps- epochs- rounding- "
    "clipping_norm- sampling neighbours- group- records_per_user- group_cap- released"
)
fields.KINDS["mechanism"].append("dp-sgd")
fields.WORDS |= {
    "rounding": tuple(ROUNDED),
    "sampling": ("poisson", "shuffled", "fixed-size"),
    "released": ("every-step", "last-iterate"),
}
fields.COUNTS["dp-sgd.steps"] = (1, 10**12)
fields.POSITIVE += " sampling_rate batch_size dataset_size epochs"
SUPPOSED = {
    False: "a record may contribute the full clipping norm, in one direction at every step",
    True: "two records may contribute the full clipping norm, against each other, in one direction "
    "at every step",
}


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
    stated = record["claim"]["mechanism"] or {}
    unknown(stated.get("kind") != "dp-sgd", "not of DP-SGD")
    unknown(stated.get("sampling", "poisson") != "poisson", "not of Poisson-sampled batches")
    unknown(bool(stated.keys() & {"group", "records_per_user"}), "not of one record")
    unknown(record["claim"]["asserts"].get("kind") != "privacy", "not of (ε, δ)-DP")
    claim = fields.read("claim", record["claim"])
    mechanism, asserts = claim["mechanism"], claim["asserts"]
    unknown(record["quantity"] != "delta", "not of δ")
    unknown(record["verdict"] not in ("HOLDS", "VIOLATED"), "nothing is decided")
    require(record["bound"] == str(asserts["delta"]), "the bound is not the claim's")
    require(asserts["delta"] <= 1, "δ is above 1")
    low, high = Fraction(record["low"]), Fraction(record["high"])
    bound = Fraction(record["bound"])
    found = delta(mechanism, asserts)
    slack = abs(found) / 10**DIGITS
    require(low - slack <= found <= high + slack, f"δ is {float(found):.15g}, not in the enclosure")
    holds = record["verdict"] == "HOLDS"
    require(
        found <= bound + slack if holds else found > bound - slack, "the verdict does not follow"
    )
    if holds:
        require(high <= bound, "the enclosure does not prove the verdict")
    else:
        last = mechanism.get("released") == "last-iterate"
        require(not last, "of the last iterate alone no violation follows")
        require(low > bound, "the enclosure does not prove the verdict")
    supposed = "" if holds else SUPPOSED[asserts["neighbours"] == "replace-one"]
    require(record["supposes"] == supposed, f"it supposes that {supposed or 'nothing'}")
    return f"{record['verdict']}: δ = {float(found):.12g}, claimed {float(bound):.12g}"


def delta(mechanism: dict[str, Any], asserts: dict[str, Any]) -> Fraction:
    """Return δ(ε) of the claim's mechanism, by the fourth witness."""
    given = mechanism.keys()
    for one, two in (
        ({"sampling_rate"}, {"batch_size", "dataset_size"}),
        ({"steps"}, {"epochs", "rounding"}),
    ):
        require(given & (one | two) in (one, two), f"{' or '.join(sorted(one | two))}")
    if "sampling_rate" in mechanism:
        rate = mechanism["sampling_rate"]
    else:
        rate = mechanism["batch_size"] / mechanism["dataset_size"]
    require(0 < rate <= 1, "a sampling rate")
    if "steps" in mechanism:
        steps = mechanism["steps"]
    else:
        steps = ROUNDED[mechanism["rounding"]](mechanism["epochs"] / rate)
    require(steps >= 1, "a number of steps")
    replaced = asserts.get("neighbours") == "replace-one"
    identity = IDENTITIES["subsampled_delta_replace" if replaced else "subsampled_delta"]
    at = {
        "epsilon": asserts["epsilon"],
        "sigma": mechanism["noise_multiplier"],
        "rate": rate,
        "steps": Fraction(steps),
    }
    context = mpmath.MPContext()
    bits, previous = 4 * (DIGITS + MORE_DIGITS), None
    while bits <= MOST_BITS:
        context.prec = bits
        value = identity(context, at)
        if previous is not None:
            context.prec = 2 * bits
            if abs(value - previous) <= abs(value) / context.mpf(10) ** (DIGITS + MORE_DIGITS):
                mantissa, exponent = context.frexp(value)
                whole = int(context.ldexp(mantissa, bits))
                return Fraction(whole) * Fraction(2) ** (int(exponent) - bits)
        previous, bits = value, bits + 24
    raise UnknownError("two precisions do not agree")


def main() -> int:
    """Check the files that are named."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("certificates", nargs="+", type=Path)
    ends: list[str] = []
    for path in parser.parse_args().certificates:
        end, told = judge(path)
        ends.append(end)
        print(f"{path}: {end}: {told}" if told else f"{path}: {end}")
    if len(ends) > 1:
        print(f"{len(ends)} files:", ", ".join(f"{ends.count(e)} {e}" for e in sorted(set(ends))))
    return 1 if "contradicted" in ends else 3 * ("not judged" in ends)


def judge(path: Path) -> tuple[str, str]:
    """Return what is found of a certificate, and the words for it."""
    try:
        text = path.read_text(encoding="utf-8")
        try:
            return "confirmed", check(text)
        except UnknownError as error:
            record = json.loads(text)
            if record.get("standalone") != "yes":
                is_dp_sgd = '"dp-sgd"' in text
                own = str(record.get("standalone")).replace("no: it", "check_certificate.py")
                return "not judged", str(error) if is_dp_sgd else own
        return f"proved {fields.check(text)}", ""
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        return "contradicted", str(error)


if __name__ == "__main__":
    sys.exit(main())
