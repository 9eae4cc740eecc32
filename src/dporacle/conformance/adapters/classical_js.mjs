// A complete adapter in JavaScript, with nothing but Node.js: a sample, since we know of no
// JavaScript library that calibrates Gaussian noise. It holds the classical mechanism and the
// error bound by Mills' ratio, both of which are on the safe side.
//
// Judge it with  dporacle conform javascript-sample  (which installs Node.js for it), or with
// dporacle conform --adapter 'node examples/adapter.mjs'

import { createInterface } from "node:readline";

class Refusal extends Error {}

function within(name, value, low, high) {
  if (!(value > low && value < high)) {
    throw new Refusal(`${name} must be above ${low} and below ${high}, got ${value}`);
  }
}

function finite(value) {
  if (!Number.isFinite(value)) {
    throw new Refusal("the answer is out of the range of numbers");
  }
  return value;
}

// Δ·√(2 ln(1.25/δ))/ε is enough noise for 0 < ε ≤ 1. Two logarithms, since 1.25/δ overflows.
function classicalSigma({ epsilon, delta, sensitivity }) {
  within("epsilon", epsilon, 0, 1 + 2 ** -52);
  within("delta", delta, 0, 1);
  within("sensitivity", sensitivity, 0, Infinity);
  const factor = Math.sqrt(2 * (Math.log(1.25) - Math.log(delta)));
  return finite((sensitivity * factor) / epsilon);
}

// Pr[|noise| > a] ≤ exp(−a²/(2σ²)), so a = σ·√(2 ln(1/α)) is exceeded with probability α at most.
function tailBound({ alpha, sigma }) {
  within("alpha", alpha, 0, 1 + 2 ** -52);
  within("sigma", sigma, 0, Infinity);
  return finite(sigma * Math.sqrt(-2 * Math.log(alpha)));
}

const FUNCTIONS = {
  classicalSigma: {
    call: classicalSigma,
    quantity: "calibrate_sigma",
    arguments: ["epsilon", "delta", "sensitivity"],
  },
  tailBound: { call: tailBound, quantity: "accuracy", arguments: ["alpha", "sigma"] },
};

// What is not a JSON number arrives as "nan", "inf" or "-inf".
const WORDS = { nan: NaN, inf: Infinity, "-inf": -Infinity };

function one(name, written) {
  const values = Object.fromEntries(
    Object.entries(written).map(([key, value]) => [key, WORDS[value] ?? value]),
  );
  try {
    return { value: FUNCTIONS[name].call(values) };
  } catch (error) {
    return error instanceof Refusal ? { refused: error.message } : { error: String(error) };
  }
}

// A batch has a list for each argument, and gets as many answers.
function run({ function: name, arguments: written }) {
  const [first] = Object.values(written);
  if (!Array.isArray(first)) return one(name, written);
  const row = (i) => Object.fromEntries(Object.entries(written).map(([key, all]) => [key, all[i]]));
  return { answers: first.map((_, i) => one(name, row(i))) };
}

for await (const line of createInterface({ input: process.stdin })) {
  const message = JSON.parse(line);
  if (message.command === "stop") break;
  const answer =
    message.command === "run"
      ? run(message)
      : {
          protocol: Math.min(message.protocol, 2),
          name: "classical-js",
          version: "1.0",
          language: `JavaScript, Node.js ${process.versions.node}`,
          functions: Object.entries(FUNCTIONS).map(([name, { quantity, arguments: names }]) => ({
            name,
            quantity,
            arguments: names,
            ...(message.protocol > 1 && { batch: 100 }),
          })),
        };
  process.stdout.write(`${JSON.stringify({ id: message.id, ...answer })}\n`);
}
