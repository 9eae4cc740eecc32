// The form: its numbers are in the address, so that a page can show it with some, and a link keeps them.
import { found, number, percent, rebuilt, right } from "./gains.js";
const byId = (id) => document.getElementById(id);
const FIELDS = ["epsilon", "delta"];

function show() {
  const error = byId("error");
  error.hidden = true;
  for (const name of FIELDS) byId(name).removeAttribute("aria-invalid");
  try {
    const epsilon = number("epsilon", byId("epsilon").value, 0, 1000);
    const delta = number("delta", byId("delta").value, 0, 1);
    byId("right").textContent = percent(right(epsilon, delta));
    byId("tenth").textContent = percent(found(epsilon, delta, 0.1));
    byId("thousandth").textContent = percent(found(epsilon, delta, 0.001));
    byId("rebuilt").textContent = percent(rebuilt(epsilon, delta, 0.01));
    const query = `?${new URLSearchParams({ epsilon: byId("epsilon").value.trim(),
      delta: byId("delta").value.trim() })}`;
    history.replaceState(null, "", query);
    byId("link").href = query;
  } catch (failure) {
    error.textContent = failure.message;
    error.hidden = false;
    for (const each of byId("gains").querySelectorAll("dd")) each.textContent = "–";
    byId(failure.message.split(" ", 1)[0])?.setAttribute("aria-invalid", "true");
  }
}

const given = new URLSearchParams(location.search);
for (const name of FIELDS) if (given.get(name)) byId(name).value = given.get(name);
byId("form").addEventListener("input", show);
byId("form").addEventListener("submit", (event) => event.preventDefault());
show();
