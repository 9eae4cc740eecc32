"""The page's style and script, which stand inside it."""

__all__ = ["SCRIPT", "STYLE"]

STYLE = """
:root { color-scheme: light dark;
  --back: #fdfdfc; --panel: #f3f3f0; --text: #1c1c1e; --soft: #55555c; --line: #c9c9c4;
  --bad: #a3161b; --warn: #7d4a00; --fair: #0b4f8a; --good: #12602f; --none: #55555c; }
@media (prefers-color-scheme: dark) { :root {
  --back: #17181b; --panel: #222429; --text: #ececf0; --soft: #b0b0ba; --line: #44464f;
  --bad: #ff9a94; --warn: #f2bd6b; --fair: #8ec5ff; --good: #86dba0; --none: #b0b0ba; } }
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 80rem; padding: 1rem; background: var(--back);
  color: var(--text); font: 1rem/1.5 system-ui, sans-serif; overflow-wrap: anywhere; }
h1 { font-size: 1.6rem; line-height: 1.2; } h2 { font-size: 1.25rem; margin-top: 2.2rem; }
h3 { font-size: 1rem; margin: 1.2rem 0 .3rem; } p { max-width: 48rem; }
a { color: var(--fair); } code, .number { font-family: ui-monospace, monospace; font-size: .9em; }
.soft { color: var(--soft); }
table { border-collapse: collapse; width: 100%; }
th, td { text-align: left; vertical-align: top; padding: .4rem .6rem;
  border-bottom: 1px solid var(--line); }
thead th { overflow-wrap: normal; border-bottom: 2px solid var(--text); }
.bad { color: var(--bad); } .warn { color: var(--warn); } .fair { color: var(--fair); }
.good { color: var(--good); } .none { color: var(--none); }
.verdict { font-weight: 600; } .sign { display: inline-block; min-width: 1.2em; }
td a { display: block; margin-bottom: .5rem; color: inherit; text-decoration: none; }
td a .soft { text-decoration: underline; }
fieldset { border: 1px solid var(--line); border-radius: .4rem; padding: .5rem .8rem; }
fieldset label { display: inline-block; padding: .35rem .9rem .35rem 0; cursor: pointer; }
input[type=checkbox] { width: 1.1rem; height: 1.1rem; vertical-align: -.2rem; }
:focus-visible { outline: 3px solid var(--fair); outline-offset: 2px; }
details { border: 1px solid var(--line); border-radius: .4rem; margin: .5rem 0;
  padding: .4rem .8rem; }
summary { cursor: pointer; padding: .2rem 0; }
.case { background: var(--panel); border-left: .3rem solid currentColor; padding: .5rem .8rem;
  margin: .6rem 0; }
.case > * { color: var(--text); } .case > .verdict { color: inherit; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .1rem .8rem; margin: .3rem 0; }
dt { color: var(--soft); } dd { margin: 0; }
.case dt { color: var(--soft); }
[hidden] { display: none !important; }
.skip { position: absolute; left: -99rem; } .skip:focus { position: static; }
@media (max-width: 45rem) {
  thead { position: absolute; left: -99rem; }
  table, tbody, tr, th, td { display: block; width: 100%; }
  tbody tr { border: 1px solid var(--line); border-radius: .4rem; margin-bottom: .8rem; }
  tbody th { background: var(--panel); } td:not(:has(a:not([hidden]))) { display: none; }
  td[data-label]::before { content: attr(data-label); display: block; color: var(--soft);
    font-size: .85rem; }
  dl { grid-template-columns: 1fr; } dd { margin-bottom: .3rem; } }
@media print { fieldset { display: none; } }
"""

SCRIPT = """
"use strict";
const boxes = [...document.querySelectorAll("fieldset input")];
const marked = [...document.querySelectorAll("[data-class]")];
const told = document.getElementById("told");
const all = document.getElementById("all");
function apply() {
  const wanted = new Set(boxes.filter(box => box.checked).map(box => box.value));
  for (const each of marked)
    each.hidden = !each.dataset.class.split(",").some(name => wanted.has(name));
  const cases = marked.filter(each => each.classList.contains("case"));
  const shown = cases.filter(each => !each.hidden).length;
  told.textContent = `${shown} of ${cases.length} listed cases match`;
}
for (const box of boxes) box.addEventListener("change", apply);
all.addEventListener("click", () => {
  const some = boxes.some(box => !box.checked);
  for (const box of boxes) box.checked = some;
  apply();
});
function open() {
  const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
  if (target instanceof HTMLDetailsElement) target.open = true;
}
addEventListener("hashchange", open);
document.getElementById("filter").hidden = false;
apply();
open();
"""
