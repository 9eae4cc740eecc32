"use strict";
const find = id => document.getElementById(id);
const boxes = [...document.querySelectorAll("#filter input")];
const selects = ["library", "quantity", "flag"].map(find);
const [library, quantity, flag] = selects;
// data-m holds, for each class of what is marked, the flags: "0:3,5 7:3".
const marked = [...document.querySelectorAll("[data-m]")].map(element => ({
  element, kinds: element.dataset.m.split(" ").map(kind => {
    const [name, flags] = kind.split(":");
    return [name, flags.split(",")];
  })}));
const cases = marked.filter(({element}) => element.classList.contains("case"));

function apply() {
  const wanted = new Set(boxes.filter(box => box.checked).map(box => box.value));
  for (const {element, kinds} of marked)
    element.toggleAttribute("hidden", !kinds.some(([name, flags]) =>
      wanted.has(name) && (!flag.value || flags.includes(flag.value))));
  for (const each of document.querySelectorAll("section[data-library], tr[data-library]"))
    each.hidden = Boolean(library.value) && each.dataset.library !== library.value;
  for (const each of document.querySelectorAll("[data-quantity]"))
    if (quantity.value && each.dataset.quantity !== quantity.value) each.hidden = true;
    else if (!each.dataset.m) each.hidden = false;
  for (const each of document.querySelectorAll("section[data-library]"))
    if (!each.querySelector(".function:not([hidden])")) each.hidden = true;
  const shown = cases.filter(({element}) => !element.closest("[hidden]")).length;
  find("told").textContent = `${shown} of ${cases.length} listed cases match`;
}
for (const each of [...boxes, ...selects]) each.addEventListener("change", apply);
find("all").addEventListener("click", () => {
  const some = boxes.some(box => !box.checked);
  for (const box of boxes) box.checked = some;
  apply();
});
find("reset").addEventListener("click", () => {
  for (const box of boxes) box.checked = true;
  for (const each of selects) each.value = "";
  apply();
});

function open() {
  const target = find(decodeURIComponent(location.hash.slice(1)));
  if (!target) return;
  for (let each = target; each; each = each.parentElement)
    if (each instanceof HTMLDetailsElement) each.open = true;
  target.scrollIntoView();
}
addEventListener("hashchange", open);

// What a mark tells, below its picture: by pointer, by touch, or by the arrow keys.
for (const picture of document.querySelectorAll(".picture")) {
  const readout = picture.nextElementSibling;
  const ring = picture.querySelector(".ring");
  let current = null;
  const tell = mark => {
    current = mark;
    readout.textContent = mark.querySelector("title").textContent;
    for (const [to, from] of [["cx", "x"], ["cy", "y"]])
      ring.setAttribute(to, mark.getAttribute(from));
    ring.classList.add("on");
  };
  readout.hidden = false;
  readout.textContent = "Point at a mark, tap it, or use the arrow keys to read it here.";
  picture.setAttribute("tabindex", "0");
  const nearest = event => {
    const box = picture.getBoundingClientRect();
    const scale = picture.viewBox.baseVal.width / box.width;
    const x = (event.clientX - box.left) * scale, y = (event.clientY - box.top) * scale;
    const away = mark => Math.hypot(mark.getAttribute("x") - x, mark.getAttribute("y") - y);
    const found = [...picture.querySelectorAll("use:not([hidden])")]
      .map(mark => [away(mark), mark]).sort((one, other) => one[0] - other[0])[0];
    if (found && found[0] < 14) tell(found[1]);
  };
  picture.addEventListener("pointermove", nearest);
  picture.addEventListener("click", nearest);
  picture.addEventListener("keydown", event => {
    const marks = [...picture.querySelectorAll("use:not([hidden])")];
    marks.sort((one, other) => one.getAttribute("x") - other.getAttribute("x")
      || one.getAttribute("y") - other.getAttribute("y"));
    const at = marks.indexOf(current), last = marks.length - 1;
    const next = {ArrowRight: Math.min(at + 1, last), ArrowLeft: Math.max(at - 1, 0),
      Home: 0, End: last}[event.key];
    if (next === undefined || !marks[next]) return;
    event.preventDefault();
    tell(marks[next]);
  });
}

// Paper cannot be unfolded; the long lists stay folded unless somebody opened them.
let folded = [];
addEventListener("beforeprint", () => {
  folded = [...document.querySelectorAll("details:not([open]):not(.violations)")];
  for (const each of folded) each.open = true;
});
addEventListener("afterprint", () => { for (const each of folded) each.open = false; });

find("filter").hidden = false;
apply();
open();
