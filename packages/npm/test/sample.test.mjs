// A runner: put your function in the place of `sigma`. SAMPLE=faulty shows how a fault is found.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import test from "node:test";
import { fromBits, judge, load, toBits } from "dporacle-vectors";

const above = (x) => (x === Infinity ? x : fromBits((BigInt("0x" + toBits(x)) + 1n).toString(16).padStart(16, "0")));
const rounded = process.env.SAMPLE === "faulty" ? (x) => x : above;

function sigma({ delta, sensitivity }) {
  if (!(delta > 0 && delta < 1)) throw new RangeError("delta");
  if (!(sensitivity > 0 && sensitivity < Infinity)) throw new RangeError("sensitivity");
  return rounded(sensitivity / (2 * delta));
}

const file = load().pinsker_sigma;
for (const vector of file.vectors) {
  test(vector.id, () => {
    const grade = judge(vector, sigma(vector.inputs));
    assert.ok(!["violating", "no-answer"].includes(grade), `${grade}: ${file.harm}`);
  });
}
for (const refusal of file.refusals) test(refusal.id, () => assert.throws(() => sigma(refusal.inputs)));

test("no number is rounded", () => {
  const text = readFileSync(new URL("../edition.tsv", import.meta.url), "utf8");
  for (const [digits] of text.matchAll(/(?<=[\t=])(?!7ff8)[0-9a-f]{16}(?=[\t,])/g)) assert.equal(toBits(fromBits(digits)), digits);
});
