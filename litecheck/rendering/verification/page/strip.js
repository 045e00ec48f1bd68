// The graph as a strip: a cell for each operator in the order they run, which tells what it is and leads to its case.

function cell(operator, show, open) {
  const verdict = operator.case === null ? null : verification.verdicts[operator.case];
  const outcome = verdict ? verdict.outcome : "not tried";
  const label = `#${operator.index} ${operator.operator}: ${outcome}`;
  const name = verdict ? words.cases[operator.case].name : "";
  const tell = () => show(name ? `${label} (${name})` : label);
  const attributes = {
    type: "button",
    class: "cell",
    tabindex: -1,
    "data-outcome": outcome,
    "aria-label": label,
    onpointerenter: tell,
    onfocus: tell,
    onclick: () => verdict && open(operator.case),
  };
  return make("button", attributes, verdict ? outcomes.get(outcome).sign : "");
}

/** Fills the strip; ``open`` is given the position of a case. Returns what dims the cells of other cases. */
function strip(section, operators, open) {
  if (!operators.length) return () => {};
  const show = (line) => find("told").replaceChildren(visible(line));
  const cells = operators.map((operator) => cell(operator, show, open));
  const subgraphs = [...new Set(operators.map((operator) => operator.subgraph))];
  for (const subgraph of subgraphs) {
    const own = cells.filter((_, n) => operators[n].subgraph === subgraph);
    const label = `Operators of subgraph ${subgraph}`;
    const row = make("div", { class: "cells", role: "toolbar", "aria-label": label }, ...own);
    const roving = rove(() => own, { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -1, ArrowDown: 1, Home: -Infinity, End: Infinity });
    row.addEventListener("keydown", roving.move);
    roving.reach(own[0]);
    find("strip").append(...(subgraphs.length > 1 ? [make("p", { class: "quiet" }, `subgraph ${subgraph}`)] : []), row);
  }
  show("Point at an operator, or move with the arrow keys; Enter leads to its case.");
  section.hidden = false;
  return (kept) => cells.forEach((one, n) => one.classList.toggle("dim", !kept(operators[n].case)));
}
