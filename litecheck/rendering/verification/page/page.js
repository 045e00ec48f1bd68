// The page: what was verified, filters, light and dark, and what leads from one part to the other.

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

function head() {
  find("model").replaceChildren(...parted(verification.model.split(/[\\/]/).pop()));
  find("verdict").replaceChildren(verification.verdict);
  find("verdict").dataset.verdict = verification.verdict;
  find("tally").replaceChildren(words.tally);
  if (words.fits) {
    find("fits").replaceChildren(`${words.fits[0].toUpperCase()}${visible(words.fits.slice(1))}.`);
    find("fits").hidden = false;
  }
  const shown = (label, value) => (label === "sha256" ? [make("code", { title: value }, `${value.slice(0, 16)}…`)] : parted(value));
  find("facts").append(...words.facts.map(([label, value]) => make("div", {}, make("dt", {}, label), make("dd", {}, ...shown(label, value)))));
}

/** What nothing is known of, because no operator of the model had it. */
function untried() {
  const kinds = words.untried.map(([kind, parameters]) => [make("dt", {}, make("code", {}, kind)), make("dd", {}, parameters.join(", "))]);
  find("untried-kinds").append(...kinds.map((pair) => make("div", {}, ...pair)));
  find("untried").hidden = !kinds.length;
}

function chips(changed) {
  const chosen = new Set();
  for (const [outcome, count] of Object.entries(verification.counts)) {
    const toggle = (event) => {
      const on = !chosen.delete(outcome);
      if (on) chosen.add(outcome);
      event.currentTarget.setAttribute("aria-pressed", on);
      changed();
    };
    const attributes = { type: "button", class: "chip", "aria-pressed": "false", "data-outcome": outcome, onclick: toggle };
    find("chips").append(make("button", attributes, sign(outcome), `${outcome} `, make("b", {}, counted(count))));
  }
  return chosen;
}

function start() {
  theme();
  head();
  untried();
  const input = find("filter");
  let dim = () => {};
  const cases = new Cases((kept) => {
    const all = verification.verdicts.length;
    find("shown").replaceChildren(kept.size === all ? `${counted(all)} shown` : `${counted(kept.size)} of ${counted(all)} shown`);
    dim((position) => position !== null && kept.has(position));
  });
  const chosen = chips(() => cases.filter(input.value, chosen));
  const open = (position) => {
    if (!cases.kept.has(position)) {
      input.value = "";
      for (const chip of document.querySelectorAll(".chip[aria-pressed=true]")) chip.click();
      cases.filter("", chosen);
    }
    cases.reveal(position);
  };
  dim = strip(find("graph"), words.strip, open);
  drift(find("drift"), verification.drift, (step) => {
    const found = words.strip.find((operator) => operator.subgraph === 0 && operator.index === step.operator);
    if (found && found.case !== null) open(found.case);
  });
  cases.filter("", chosen);
  input.addEventListener("input", () => cases.filter(input.value, chosen));
  input.addEventListener("keydown", (event) => {
    if (event.key === "Escape") input.value = "";
    if (event.key === "Escape") cases.filter("", chosen);
    if (event.key === "ArrowDown") document.querySelector("tr.case[tabindex='0']:not([hidden])")?.focus();
  });
  document.addEventListener("keydown", (event) => {
    if (event.key !== "/" || event.target.matches("input") || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    input.select();
    input.focus();
  });
  const shown = () => cases.order.filter((row) => !row.hidden);
  find("open-all").addEventListener("click", () => shown().forEach((row) => cases.open(row)));
  find("close-all").addEventListener("click", () => shown().forEach((row) => cases.close(row)));
}

start();
