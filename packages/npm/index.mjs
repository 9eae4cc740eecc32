import { readFileSync } from "node:fs";

const view = new DataView(new ArrayBuffer(8));

/** The float64 with these 16 hexadecimal digits. */
export function fromBits(digits) {
  view.setBigUint64(0, BigInt("0x" + digits));
  return view.getFloat64(0);
}

export function toBits(number) {
  view.setFloat64(0, number);
  return view.getBigUint64(0).toString(16).padStart(16, "0");
}

function inputs(text) {
  const pairs = text.split(",").map((each) => each.split("="));
  return Object.fromEntries(
    pairs.map(([name, value]) => [name, /^[0-9a-f]{16}$/.test(value) ? fromBits(value) : value]));
}

/** All functions by name, with their vectors and refusals. */
export function load() {
  const text = readFileSync(new URL("./edition.tsv", import.meta.url), "utf8");
  const all = {};
  let file;
  for (const line of text.trimEnd().split("\n")) {
    const [kind, ...cells] = line.split("\t");
    if (kind === "F") {
      const [name, rounding, harm] = cells;
      file = all[name] = { function: name, rounding, harm, vectors: [], refusals: [] };
    } else if (kind === "V") {
      const [id, given, safe, relative, low, high, flags] = cells;
      file.vectors.push({
        id, inputs: inputs(given), safe: fromBits(safe), relative: fromBits(relative), low, high,
        flags: flags.split(","), rounding: file.rounding,
      });
    } else {
      file.refusals.push({ id: cells[0], inputs: inputs(cells[1]), argument: cells[2] });
    }
  }
  return all;
}

/** Grade an answer to a vector. */
export function judge(vector, answer) {
  const sign = vector.rounding === "up" ? 1 : -1;
  if (answer === vector.safe) return "exact";
  if (!Number.isFinite(answer)) return "no-answer";
  if (sign * answer < sign * vector.safe) return "violating";
  const gap = Math.abs(answer - vector.safe);
  const unit = Math.max(Math.abs(vector.safe) * 2 ** -52, 5e-324);
  return gap <= Math.max(4 * unit, vector.relative * Math.abs(vector.safe)) ? "acceptable" : "conservative";
}
