"use strict";
const filter = document.getElementById("filter");
if (filter) {
  const [words, library, grade, harm] =
    ["words", "library", "grade", "harm"].map(id => document.getElementById(id));
  const rows = [...document.querySelectorAll(".verdicts li")].map(element => ({
    element, text: element.textContent.toLowerCase(),
    library: element.closest("section").dataset.library}));
  const apply = () => {
    const wanted = words.value.toLowerCase().split(/\s+/);
    let shown = 0;
    for (const {element, text, library: of} of rows) {
      element.hidden = Boolean(library.value && of !== library.value
        || grade.value && element.dataset.grade !== grade.value
        || Number(element.dataset.harm) < Number(harm.value)
        || !wanted.every(word => `${of} ${text}`.includes(word)));
      shown += !element.hidden;
    }
    for (const each of document.querySelectorAll("section[data-library]"))
      each.hidden = !each.querySelector("li:not([hidden])");
    document.getElementById("told").textContent = `${shown} of ${rows.length} functions`;
  };
  filter.addEventListener("input", apply);
  filter.addEventListener("submit", event => event.preventDefault());
  filter.addEventListener("reset", () => setTimeout(apply));
  const chosen = document.getElementById("chosen");
  chosen.hidden = false;
  chosen.open = innerWidth > 720; // on a phone the verdicts come first
  apply();
}
for (const button of document.querySelectorAll(".copied button")) {
  const text = button.previousElementSibling;
  button.hidden = false;
  button.addEventListener("click", async () => {
    getSelection().selectAllChildren(text); // what cannot be copied is marked
    try {
      await navigator.clipboard.writeText(text.textContent);
      button.textContent = "Copied";
    } catch { button.textContent = "Marked"; }
  });
}
// A link to a finding of an earlier version opens what it is folded into.
const open = () => {
  const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
  for (let each = target; each; each = each.parentElement)
    if (each instanceof HTMLDetailsElement) each.open = true;
  if (target) target.scrollIntoView();
};
addEventListener("hashchange", open);
open();
