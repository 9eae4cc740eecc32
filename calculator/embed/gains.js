// What (ε, δ)-differential privacy lets an attacker gain at most, in closed form.
//
// A test with false positive rate a finds a share of at most min(e^ε a + δ, 1 − e^(−ε)(1 − δ − a)):
// both follow from P(S) ≤ e^ε Q(S) + δ, for S and for its complement with P and Q exchanged.
export function found(epsilon, delta, rate) {
  return Math.min(1, Math.exp(epsilon) * rate + delta,
    1 - Math.exp(-epsilon) * Math.max(0, 1 - delta - rate));
}

// The two lines cross where false positives and misses are equal, at (1 − δ)/(1 + e^ε).
export function right(epsilon, delta) {
  return 1 - (1 - delta) / (1 + Math.exp(epsilon));
}

// Whoever rebuilds a share of the records without the data rebuilds at most this share with it.
export const rebuilt = found;

// A share in per cent, rounded up to three digits, or to two of what is missing to 100 %. What float64
// may lose is far less than is added.
export function percent(share) {
  const value = share * 100 * (1 + 1e-12);
  const missing = 100 - value;
  if (missing < 1e-9) return "100 %";
  if (missing < 1) {
    const places = 1 - Math.floor(Math.log10(missing));
    const step = 10 ** -places;
    return `${(100 - Math.floor(missing / step) * step).toFixed(places)} %`;
  }
  const step = 10 ** (Math.floor(Math.log10(value)) - 2);
  return `${Number((Math.ceil(value / step) * step).toPrecision(3))} %`;
}

// Returns the number, or an error that says what is wrong.
export function number(name, text, least, most) {
  const value = /^\s*[0-9.]+(e[-+]?[0-9]+)?\s*$/i.test(text) ? Number(text) : NaN;
  if (!(value >= least && value <= most)) {
    throw new RangeError(`${name} must be a number from ${least} to ${most}, got ${text || "nothing"}`);
  }
  return value;
}
