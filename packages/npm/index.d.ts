export type Grade = "exact" | "acceptable" | "conservative" | "violating" | "no-answer";
export type Inputs = Record<string, number | string>;
export interface Vector {
  id: string;
  inputs: Inputs;
  safe: number;
  relative: number;
  low: string;
  high: string;
  flags: string[];
  rounding: "up" | "down";
}
export interface Refusal { id: string; inputs: Inputs; argument: string }
export interface VectorFile {
  function: string;
  rounding: "up" | "down";
  harm: string;
  vectors: Vector[];
  refusals: Refusal[];
}
export function load(): Record<string, VectorFile>;
export function judge(vector: Vector, answer: number): Grade;
export function fromBits(digits: string): number;
export function toBits(number: number): string;
