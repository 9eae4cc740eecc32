// The page: forms from the vocabulary, answers from Python, a link that carries the inputs.
const byId = (id) => document.getElementById(id);
const [form, go, stop, state, error] = ["form", "go", "stop", "state", "error"].map(byId);
// What is chosen, one after the other: each leaves fewer questions.
const CHOICES = ["known", "scheme", "title", "relation"];
const SVG = "http://www.w3.org/2000/svg";
let worker, waiting, number = 0, questions = [];

function start() {
  worker?.terminate();
  waiting = new Map();
  worker = new Worker(new URL("./worker.js", import.meta.url), { type: "module" });
  worker.onmessage = ({ data: { id, result, failure } }) => {
    const { resolve, reject } = waiting.get(id);
    waiting.delete(id);
    if (failure === undefined) resolve(result); else reject(new Error(failure));
  };
  worker.onerror = (event) => complain(`Python could not be loaded: ${event.message ?? "no worker"}`);
}

const ask = (call, request) => new Promise((resolve, reject) => {
  waiting.set(++number, { resolve, reject });
  worker.postMessage({ id: number, call, request });
});

const unique = (values) => [...new Set(values)];
let asked, before, last;
const chosen = () => asked;

// The questions that are left after each choice; a choice that is not among them becomes the first.
function choose(wanted) {
  let left = questions;
  for (const choice of CHOICES) {
    const values = unique(left.map((each) => each[choice]));
    const value = values.includes(wanted[choice]) ? wanted[choice] : values[0];
    const select = byId(choice);
    select.replaceChildren(...values.map((text) => element("option", { value: text }, text)));
    select.value = value;
    select.disabled = false;
    select.closest(".field").hidden = values.length === 1 && choice !== "known" && choice !== "title";
    left = left.filter((each) => each[choice] === value);
  }
  asked = left[0];
}
const inputs = () => Object.fromEntries(
  chosen().arguments.map(({ name }) => [name, byId(`argument-${name}`).value.trim()]));

function complain(text) {
  error.textContent = text;
  error.hidden = !text;
  for (const each of form.querySelectorAll("input")) {
    const wrong = text && text.split(/\W/, 1)[0] === (each.dataset.name ?? each.id);
    each.setAttribute("aria-invalid", String(Boolean(wrong)));
    if (wrong) each.focus();
  }
}

function element(name, attributes = {}, text = "") {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.textContent = text;
  return made;
}

// What was typed before stays where the next question has the same argument.
function fields(kept) {
  const { note, digits, most, arguments: wanted } = chosen();
  byId("note").textContent = note;
  byId("digits-hint").textContent = `1 to ${most}`;
  const typed = byId("digits");
  if (!before || typed.value === String(before.digits) || Number(typed.value) > most) {
    typed.value = kept.digits ?? digits;
  }
  before = chosen();
  byId("arguments").replaceChildren(...wanted.map(({ name, meaning, domain, everyday }) => {
    const id = `argument-${name}`;
    const row = element("div", { class: "field" });
    const input = element("input", { id, "data-name": name, "aria-describedby": `${id}-hint`,
      autocapitalize: "none", spellcheck: "false" });
    input.value = kept[name] ?? everyday;
    row.append(element("label", { for: id }, name), input,
      element("span", { class: "hint", id: `${id}-hint` }, `${meaning}; ${domain}`));
    return row;
  }));
}

function fromLink() {
  const given = Object.fromEntries(new URLSearchParams(location.hash.slice(1)));
  choose(questions.find(({ name }) => name === given.question) ?? questions[0]);
  fields(given);
  if (given.digits) byId("digits").value = given.digits;
}

function busy(text) {
  state.textContent = text;
  go.disabled = Boolean(text);
  stop.hidden = !text;
}

async function compute() {
  const request = { question: chosen().name, digits: byId("digits").value.trim(), arguments: inputs() };
  const { known, scheme, relation, title: what } = chosen();
  const title = [known, scheme, relation, what].filter(Boolean).join(", ") + ": " +
    Object.entries(request.arguments).map(([name, value]) => `${name} = ${value}`).join(", ");
  complain("");
  byId("answer").hidden = byId("figure").hidden = byId("draw").hidden = true;
  busy("computing…");
  try {
    const found = await ask("answer", request);
    if (found.error) { complain(found.error); return; }
    byId("asked").textContent = title;
    byId("value").textContent = found.value;
    byId("float64").textContent = found.float64 ?? "none: the value is above the largest float64";
    byId("hex").textContent = found.hex ? `${found.hex}, rounded ${found.rounded}` : "";
    const hash = "#" + new URLSearchParams(
      { question: request.question, ...request.arguments, digits: request.digits });
    history.replaceState(null, "", hash);
    byId("bound").hidden = !found.bound;
    byId("answer").hidden = false;
    last = found.curve;
    byId("draw").hidden = !found.curve?.costly;
    if (found.curve && !found.curve.costly) await picture();
  } catch (failure) {
    complain(failure.message);
  } finally {
    busy("");
  }
}

async function picture() {
  byId("draw").hidden = true;
  busy("drawing…");
  draw(await ask("curve", last), last);
}

// The least of 1, 2, 5, 10, … times a power of ten that is not below a number.
function tidy(least) {
  const power = 10 ** Math.floor(Math.log10(least) + 1e-9);
  return [1, 2, 5, 10].map((each) => each * power).find((each) => each >= least * (1 - 1e-9));
}

function draw(points, { at, shown }) {
  if (points.length < 2) return;
  const [left, right, top, bottom] = [86, 620, 14, 300];
  const end = points.at(-1)[0];
  const lows = points.map(([, y]) => y);
  const [low, high] = [Math.floor(Math.min(...lows)), Math.min(0, Math.ceil(Math.max(...lows)))];
  const x = (value) => left + (right - left) * value / end;
  const y = (value) => bottom - (bottom - top) * (value - low) / (high - low || 1);
  const add = (name, attributes, text = "") => {
    const made = document.createElementNS(SVG, name);
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
    made.textContent = text;
    byId("picture").append(made);
  };
  byId("picture").replaceChildren();
  const step = Math.max(1, tidy((high - low) / 5));
  for (let power = Math.floor(high / step) * step; power >= low; power -= step) {
    add("line", { class: "grid", x1: left, x2: right, y1: y(power), y2: y(power) });
    add("text", { x: left - 8, y: y(power) + 5, "text-anchor": "end" }, power ? `1e${power}` : "1");
  }
  const apart = tidy(end / 5);
  for (let tick = 0; tick * apart <= end * (1 + 1e-9); tick += 1) {
    const place = x(tick * apart);
    add("line", { class: "axis", x1: place, x2: place, y1: bottom, y2: bottom + 5 });
    add("text", { x: place, y: bottom + 24, "text-anchor": "middle" },
      Number((tick * apart).toPrecision(3)));
  }
  add("line", { class: "axis", x1: left, x2: right, y1: bottom, y2: bottom });
  add("line", { class: "axis", x1: left, x2: left, y1: top, y2: bottom });
  add("text", { x: (left + right) / 2, y: bottom + 50, "text-anchor": "middle" }, "ε");
  add("text", { x: 18, y: (top + bottom) / 2, "text-anchor": "middle" }, "δ");
  add("path", { class: "curve", d: "M" + points.map((p) => `${x(p[0])},${y(p[1])}`).join("L") });
  if (at) add("circle", { class: "point", cx: x(at[0]), cy: y(at[1]), r: 7 });
  byId("caption").textContent = "The privacy profile: δ for each ε, at " +
    Object.entries(shown).map(([name, value]) => `${name} = ${value}`).join(", ") +
    (at ? `. The point: ε = ${Number(at[0].toPrecision(6))}, δ = ` +
      `${Number((10 ** at[1]).toPrecision(6)) || `1e${at[1].toFixed(3)}`}.` : ".");
  byId("figure").hidden = false;
}

async function load() {
  start();
  try {
    questions = await ask("questions");
  } catch (failure) {
    complain(`Python could not be loaded: ${failure.message}`);
    state.textContent = "";
    return;
  }
  busy("");
}

form.addEventListener("submit", (event) => { event.preventDefault(); if (!go.disabled) compute(); });
for (const each of CHOICES) {
  byId(each).addEventListener("change", () => {
    const wanted = Object.fromEntries(CHOICES.map((name) => [name, byId(name).value]));
    choose(wanted);
    fields(Object.fromEntries(
      [...form.querySelectorAll("[data-name]")].map((field) => [field.dataset.name, field.value])));
  });
}
byId("draw").addEventListener("click", async () => {
  try {
    await picture();
  } catch (failure) {
    complain(failure.message);
  } finally {
    busy("");
  }
});
stop.addEventListener("click", () => { load(); state.textContent = "stopped; loading Python again…"; });
async function copy(button, text, marked) {
  const words = button.textContent;
  let said = "Copied";
  try {
    await navigator.clipboard.writeText(text);
  } catch {  // no clipboard without https, or it is refused: it is selected, or in the address bar
    if (marked) getSelection().selectAllChildren(marked);
    said = marked ? "Selected: copy with the keyboard" : "It is the address of this page";
  }
  button.textContent = said;
  setTimeout(() => { button.textContent = words; }, 2000);
}
byId("copy").addEventListener("click", (event) =>
  copy(event.target, byId("value").textContent, byId("value")));
byId("link").addEventListener("click", (event) => copy(event.target, location.href));
window.addEventListener("hashchange", () => { fromLink(); compute(); });
await load();
if (questions.length) { fromLink(); await compute(); }
