// What a reader changes on a page: light and dark, words to filter by, chips that choose how things ended.

const THEME = "litecheck-theme";

/** Storage may be forbidden, as in files opened from a disk: the choice then lasts as long as the page. */
function remembered(value) {
  try {
    if (value !== undefined) localStorage.setItem(THEME, value);
    return localStorage.getItem(THEME);
  } catch {
    return null;
  }
}

function theme() {
  const button = find("theme");
  const dark = matchMedia("(prefers-color-scheme: dark)");
  const current = () => document.documentElement.dataset.theme || (dark.matches ? "dark" : "light");
  const other = () => (current() === "dark" ? "light" : "dark");
  const label = () => button.replaceChildren(other() === "dark" ? "Dark" : "Light");
  const kept = remembered();
  if (["light", "dark"].includes(kept)) document.documentElement.dataset.theme = kept;
  button.addEventListener("click", () => {
    document.documentElement.dataset.theme = other();
    remembered(document.documentElement.dataset.theme);
    label();
  });
  dark.addEventListener("change", label);
  label();
}

/** A chip for each ending with its number; returns the set of those that are pressed. */
function chips(counts, changed) {
  const chosen = new Set();
  for (const [outcome, count] of Object.entries(counts)) {
    const toggle = (event) => {
      const on = !chosen.delete(outcome);
      if (on) chosen.add(outcome);
      event.currentTarget.setAttribute("aria-pressed", on);
      changed();
    };
    const attributes = { type: "button", class: "chip", "aria-pressed": "false", "data-outcome": outcome, onclick: toggle };
    find("chips").append(make("button", attributes, sign(outcome), `${outcomes.get(outcome).text} `, make("b", {}, counted(count))));
  }
  return chosen;
}

/** The field to filter in: ``changed`` is called as it changes, ``/`` leads to it, and an arrow on to the table. */
function search(input, changed, table) {
  input.addEventListener("input", changed);
  input.addEventListener("keydown", (event) => {
    if (event.key === "Escape") input.value = "";
    if (event.key === "Escape") changed();
    if (event.key === "ArrowDown") table.reached()?.focus();
  });
  document.addEventListener("keydown", (event) => {
    if (event.key !== "/" || event.target.matches("input") || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    input.select();
    input.focus();
  });
  find("open-all").addEventListener("click", () => table.shown().forEach((row) => table.open(row)));
  find("close-all").addEventListener("click", () => table.shown().forEach((row) => table.close(row)));
}

/** Says how many are shown of all. */
const saying = (kept, all) => find("shown").replaceChildren(kept === all ? `${counted(all)} shown` : `${counted(kept)} of ${counted(all)} shown`);
