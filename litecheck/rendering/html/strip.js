// The graph as a strip: a cell for each operator in the order they run, which tells what it is and leads to more.

/** ``items`` have outcome, label, what is told beyond it, what a click opens or null, and a sign where it is another. */
function cell({ outcome, label, told, open, shown = outcomes.get(outcome).sign }, show) {
  const tell = () => show(told ? `${label} (${told})` : label);
  const attributes = {
    type: "button",
    class: "cell",
    tabindex: -1,
    "data-outcome": outcome,
    "aria-label": label,
    onpointerenter: tell,
    onfocus: tell,
    onclick: () => open && open(),
  };
  return make("button", attributes, shown);
}

/** Fills ``box`` with a row of cells for each subgraph; ``line`` tells of the one that is pointed at. Returns the cells. */
function strip(box, line, items, hint) {
  const show = (words) => line.replaceChildren(visible(words));
  const cells = items.map((item) => cell(item, show));
  const subgraphs = [...new Set(items.map(({ subgraph }) => subgraph))];
  for (const subgraph of subgraphs) {
    const own = cells.filter((_, n) => items[n].subgraph === subgraph);
    const label = `Operators of subgraph ${subgraph}`;
    const row = make("div", { class: "cells", role: "toolbar", "aria-label": label }, ...own);
    const roving = rove(() => own, { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -1, ArrowDown: 1, Home: -Infinity, End: Infinity });
    row.addEventListener("keydown", roving.move);
    roving.reach(own[0]);
    box.append(...(subgraphs.length > 1 ? [make("p", { class: "quiet" }, `subgraph ${subgraph}`)] : []), row);
  }
  show(hint);
  return cells;
}
