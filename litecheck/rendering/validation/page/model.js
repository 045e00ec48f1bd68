// One model: its strip, what was found by requirement and by operator, what was not checked, and its plots.

const STATUSES = ["violates", "not covered", "waived", "structure checked only", "not applicable", "conforms"];
const LEVELS = ["note", "warning", "violation"];
const signed = (name) => [sign(name), name];

const REQUIREMENTS = [
  { name: "Level", key: ({ level }) => LEVELS.indexOf(level), cell: ({ level }) => signed(level), down: true },
  { name: "Requirement", key: ({ path }) => path, cell: ({ path }) => parted(path) },
  { name: "Findings", key: ({ places }) => places, cell: ({ places }) => counted(places), number: true, down: true },
  { name: "Effect", key: ({ effect }) => effect, spare: true },
];

const PLACE = { name: "Place", key: ({ place }) => place };

const OPERATORS_OF_A_MODEL = [
  { name: "#", key: ({ subgraph, number }) => subgraph * 1e7 + number, cell: ({ subgraph, number }) => (subgraph ? `${subgraph}/${number}` : number), number: true },
  { name: "Operator", key: ({ opcode }) => opcode, cell: ({ opcode }) => parted(opcode) },
  { name: "Status", key: ({ status }) => STATUSES.indexOf(status), cell: ({ status }) => signed(status) },
  PLACE,
  { name: "Findings", key: ({ findings }) => findings.length, cell: ({ findings }) => findings.length || "", number: true, down: true },
  { name: "Name", key: ({ name }) => name, spare: true, title: ({ name }) => name },
];

const pairs = (facts) => facts.flatMap(([label, value]) => [make("dt", {}, label), make("dd", {}, ...parted(value))]);
const list = (items) => make("ul", { class: "listed" }, ...items.map((item) => make("li", {}, ...[item].flat())));

/** A table without rows yet, called by a heading. */
function emptyTable(name) {
  return make("table", { class: "cases", role: "treegrid", "aria-label": name }, make("thead", {}, make("tr")), make("tbody"));
}

/** A requirement that was not kept: why it is one, and where, what was found alike together. */
function requirement({ path, facts, cases, more }) {
  const items = cases.map(({ found, required, places, more: others }) => {
    const where = places.map((one) => make("li", {}, ...parted(one)));
    if (others) where.push(make("li", {}, `and ${counted(others)} more`));
    return make("li", {}, make("div", {}, make("b", {}, "found "), ...parted(found)), make("div", {}, make("b", {}, "required "), ...parted(required)), make("ul", {}, ...where));
  });
  const rest = more ? [make("p", { class: "quiet" }, `and ${counted(more)} other cases: the json format holds them all`)] : [];
  return make("div", { class: "details" }, make("h4", {}, ...parted(path)), make("dl", {}, ...pairs(facts)), make("ul", { class: "found" }, ...items), ...rest);
}

/** An operator: what its status means, and every finding. */
function operatorDetails({ number, opcode, name, status, reason, place, findings }) {
  const heading = make("h4", {}, ...parted(`${opcode} #${number} `), make("span", { class: "quiet" }, ...parted(name)));
  const meaning = make("p", { class: "meaning" }, sign(status), make("b", {}, status), reason || outcomes.get(status).meaning);
  const items = findings.map(([state, path, sentence]) => make("li", {}, ...signed(state), " ", make("code", {}, ...parted(path)), make("div", {}, ...parted(sentence))));
  const where = place ? [make("p", { class: "quiet" }, ...parted(place))] : [];
  return make("div", { class: "details" }, heading, meaning, ...where, ...(items.length ? [make("ul", { class: "found" }, ...items)] : []));
}

/** The strip, which leads to the rows of operators; and how many ended how. */
function graphOf({ cells, coverage }, heading, open) {
  if (!cells.length) return [];
  const box = make("div"), line = make("p", { class: "told" });
  const items = cells.map(([subgraph, first, last, outcome, label, told]) => ({ subgraph, outcome, label, told, open: () => open(subgraph, first, last) }));
  const coarse = cells.some(([, first, last]) => last > first);
  strip(box, line, items, "Point at an operator, or move with the arrow keys; Enter leads to its row.");
  const keys = Object.entries(coverage).filter(([, number]) => number).map(([status, number]) => make("span", {}, sign(status), `${counted(number)} ${status}`));
  return [heading("Operators in the order they run", coarse ? "a cell stands for several, and shows the worst of them" : ""), box, line, make("p", { class: "keys" }, ...keys)];
}

function requirementsOf({ blocks }, heading) {
  if (!blocks.length) return [];
  const table = emptyTable("Findings by requirement");
  const rows = new Table(table, { columns: REQUIREMENTS, items: blocks, details: requirement });
  if (blocks.length === 1) rows.open(rows.rows[0]);
  return [heading("Findings", "by requirement"), table];
}

/** The rows of operators, and what shows those of a cell. */
function operatorsOf({ operators, left }, heading) {
  if (!operators.length) return { parts: [], open: () => {} };
  const element = emptyTable("Operators");
  const table = new Table(element, { columns: OPERATORS_OF_A_MODEL.filter((one) => one !== PLACE || operators.some(({ place }) => place)), items: operators, details: operatorDetails });
  const rest = left ? [make("p", { class: "quiet" }, `${counted(left)} more conform without a finding: the json format holds them all`)] : [];
  const open = (subgraph, first, last) => {
    const inside = operators.map((one, n) => [one, n]).filter(([one]) => one.subgraph === subgraph && one.number >= first && one.number <= last);
    const best = Math.min(...inside.map(([{ status }]) => STATUSES.indexOf(status)));
    const found = inside.find(([{ status }]) => STATUSES.indexOf(status) === best);
    if (found) table.reveal(found[1]);
  };
  return { parts: [heading("Operators", "and what was found of each"), element, ...rest], open };
}

function asideOf({ problems, remarks, reasons, waived }, heading) {
  const parts = [];
  if (problems.length) parts.push(heading("Problems of the file", ""), list(problems.map(parted)));
  if (remarks.length) parts.push(heading("Remarks", ""), list(remarks.map(parted)));
  if (reasons.length) {
    const items = reasons.map(([status, opcode, number, why]) => [sign(status), `${status}: ${counted(number)} × `, make("code", {}, opcode), `: ${why}`]);
    parts.push(heading("Not checked", "no rule of quantization speaks of them"), list(items));
  }
  if (waived.length) parts.push(heading("Waived", ""), list(waived.map(([path, number, why]) => [`${counted(number)} × `, make("code", {}, ...parted(path)), ` ${why}`])));
  return parts;
}

/** Everything about a model; ``level`` is that of its headings. */
function modelBody(model, level) {
  const heading = (words, small) => make(level, {}, words, ...(small ? [" ", make("small", {}, small)] : []));
  const operators = operatorsOf(model, heading);
  const parts = [
    ...graphOf(model, heading, operators.open),
    ...requirementsOf(model, heading),
    ...asideOf(model, heading),
    ...modelPlots(model.plots, heading),
    ...operators.parts,
  ];
  return make("div", { class: "model" }, ...parts);
}
