// The page: what was verified, filters, and what leads from one part to the other.

function head() {
  find("model").replaceChildren(...parted(verification.model.split(/[\\/]/).pop()));
  find("verdict").replaceChildren(words.headline);
  find("verdict").dataset.verdict = verification.verdict;
  find("tally").replaceChildren(words.tally);
  if (words.fits) {
    find("fits").replaceChildren(`${words.fits[0].toUpperCase()}${visible(words.fits.slice(1))}.`);
    find("fits").hidden = false;
  }
  const shown = (label, value) => (label === "sha256" ? [make("code", { title: value }, `${value.slice(0, 16)}…`)] : parted(value));
  find("facts").append(...words.facts.map(([label, value]) => make("div", {}, make("dt", {}, label), make("dd", {}, ...shown(label, value)))));
}

/** The strip of operators; ``open`` is given the position of a case. Returns what dims the cells of other cases. */
function graph(operators, open) {
  if (!operators.length) return () => {};
  const items = operators.map((operator) => {
    const verdict = operator.case === null ? null : verification.verdicts[operator.case];
    const outcome = verdict ? verdict.outcome : "not tried";
    return {
      subgraph: operator.subgraph,
      outcome,
      label: `#${operator.index} ${operator.operator}: ${outcomes.get(outcome).text}`,
      told: verdict ? words.cases[operator.case].name : "",
      open: verdict && (() => open(operator.case)),
      ...(verdict ? {} : { shown: "" }),
    };
  });
  const hint = "Point at an operator, or move with the arrow keys; Enter leads to its case.";
  const cells = strip(find("strip"), find("told"), items, hint);
  find("graph").hidden = false;
  return (kept) => cells.forEach((one, n) => one.classList.toggle("dim", !kept(operators[n].case)));
}

/** What nothing is known of, because no operator of the model had it. */
function untried() {
  const kinds = words.untried.map(([kind, parameters]) => [make("dt", {}, make("code", {}, kind)), make("dd", {}, parameters.join(", "))]);
  find("untried-kinds").append(...kinds.map((pair) => make("div", {}, ...pair)));
  find("untried").hidden = !kinds.length;
}

function start() {
  theme();
  head();
  untried();
  const input = find("filter");
  const cases = new Table(find("cases"), { columns: COLUMNS, items: verification.verdicts, details: (_, n) => details(n) });
  const operators = operatorTable(find("operators"), words.operators, (operator) => reached(operator, (position) => open(position)));
  let dim = () => {};
  let kept = new Set();
  const filter = () => {
    kept = matching(input.value, chosen);
    cases.keep(kept);
    operators.keep(new Set(words.operators.flatMap(({ positions }, n) => (positions.some((one) => kept.has(one)) ? [n] : []))));
    saying(kept.size, verification.verdicts.length);
    dim((position) => position !== null && kept.has(position));
  };
  const chosen = chips(verification.counts, filter);
  const open = (position) => {
    if (!kept.has(position)) {
      input.value = "";
      for (const chip of document.querySelectorAll(".chip[aria-pressed=true]")) chip.click();
      filter();
    }
    cases.reveal(position);
  };
  dim = graph(words.strip, open);
  drift(find("drift"), verification.drift, (step) => {
    const found = words.strip.find((operator) => operator.subgraph === 0 && operator.index === step.operator);
    if (found && found.case !== null) open(found.case);
  });
  search(input, filter, cases);
  filter();
}

/** The cases of a kind of operator, each of which leads to itself. */
function reached({ positions }, open) {
  const item = (position) => {
    const { number, operator, name } = words.cases[position];
    const ended = verification.verdicts[position].outcome;
    const button = make("button", { type: "button", onclick: () => open(position) }, ...parted(`${operator} #${number} `), ...parted(name));
    return make("li", {}, sign(ended), `${outcomes.get(ended).text} `, button);
  };
  return make("ul", { class: "listed" }, ...positions.map(item));
}

start();
