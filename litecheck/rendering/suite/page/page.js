// The page of a suite: the table of operators, what each unfolds to, and the models that must be rejected.

function head() {
  find("device").replaceChildren(...parted(words.device.split(/[\\/](?=[^\\/]*$)/).pop()));
  find("verdict").replaceChildren(words.headline);
  find("verdict").dataset.verdict = words.verdict;
  find("sentence").replaceChildren(`${words.sentence[0].toUpperCase()}${visible(words.sentence.slice(1))}.`);
  find("tally").replaceChildren(words.tally);
  find("facts").append(...pairs(words.facts));
  find("hashes").append(...words.hashes.map(([label, value]) => make("div", {}, make("dt", {}, label), make("dd", {}, make("code", {}, value)))));
}

const pairs = (facts) => facts.map(([label, value]) => make("div", {}, make("dt", {}, label), make("dd", {}, ...parted(value))));

/** What an operator's row opens to: what it computes, then its cases, those that fail first. */
function unfolded(row) {
  const heading = make("h3", {}, ...parted(row.opcode), make("span", {}, ` ${operand(row)}`));
  const facts = row.facts.flatMap(([label, value]) => [make("dt", {}, label), make("dd", {}, value)]);
  const body = make("div", { class: "details" }, heading, make("dl", {}, ...facts), ...row.failing.map(failed));
  const groups = Map.groupBy ? Map.groupBy(row.others, ([ending]) => ending) : grouped(row.others);
  for (const [ending, cases] of groups) body.append(folded(ending, cases, row.ends[ending]));
  if (row.more) body.append(make("p", { class: "quiet" }, `${counted(row.more)} more: the json format holds them all`));
  return body;
}

function grouped(cases) {
  const groups = new Map();
  for (const one of cases) groups.set(one[0], [...(groups.get(one[0]) ?? []), one]);
  return groups;
}

/** A case that fails, with all that is known of it. */
function failed({ ending, title, details, waived }) {
  const facts = details.flatMap(([label, lines]) => [make("dt", {}, label), make("dd", {}, ...lines.map((line) => make("div", {}, ...parted(line))))]);
  return make("section", { class: "failing" }, make("h4", {}, sign(ending), `${outcomes.get(ending).text}${waived ? ", waived" : ""}: `, ...parted(title)), make("dl", {}, ...facts));
}

/** Cases that ended alike, optimized out. */
function folded(ending, cases, number) {
  const items = cases.map(([, title, why]) => make("li", {}, ...parted(title), ...(why ? [make("span", { class: "why" }, `: ${why}`)] : [])));
  const summary = make("summary", {}, sign(ending), `${counted(number)} ${outcomes.get(ending).text}`);
  return make("details", {}, summary, make("p", { class: "quiet" }, outcomes.get(ending).meaning), make("ul", { class: "listed" }, ...items));
}

const REFUSALS = [
  { name: "Operator", key: ({ opcode }) => opcode, cell: ({ opcode }) => parted(opcode) },
  { name: "Models", key: ({ cases }) => cases.length, cell: ({ cases }) => counted(cases.length), number: true, down: true },
  { name: "Accepted", key: ({ ends }) => ends.accepted ?? 0, cell: ({ ends }) => (ends.accepted ? counted(ends.accepted) : ""), number: true, down: true },
  { name: "Ended", key: ({ cases, ends }) => cases.length - (ends["rejected"] ?? 0), cell: ended, down: true },
];

/** The models of an operator that must be rejected: alike paths together, with the types that were tried. */
function refusal({ cases }) {
  const alike = new Map();
  for (const [ending, path, effect, form] of cases) {
    const key = `${ending}\0${path}\0${effect}`;
    alike.set(key, [...(alike.get(key) ?? []), form]);
  }
  const items = [...alike].map(([key, forms]) => {
    const [ending, path, effect] = key.split("\0");
    const types = [...new Set(forms)].filter(Boolean).join("; ");
    return make("li", {}, sign(ending), `${outcomes.get(ending).text} `, make("code", {}, ...parted(path)), make("span", { class: "why" }, ` ${[effect, types].filter(Boolean).join(", ")}`));
  });
  return make("div", { class: "details" }, make("ul", { class: "listed" }, ...items));
}

/** Letters and digits of a text, each word behind a space, so that "int8" is looked for at the beginning of words. */
const spelled = (text) => ` ${visible(text).toLowerCase().replace(/[^\p{L}\p{N}]+/gu, " ").trim()}`;

function searched({ opcode, kind, weights, verdict: said, arithmetic, placement, failing: bad, others }) {
  const titles = [...bad.map(({ title }) => title), ...others.map(([, title]) => title)];
  return spelled([opcode, kind, weights, said, arithmetic, placement, ...titles].join(" "));
}

function sections() {
  if (words.refusals.length) new Table(find("refusals"), { columns: REFUSALS, items: words.refusals, details: refusal });
  if (words.uncovered.length) find("uncovered").append(...words.uncovered.map(([because, several]) => make("div", {}, make("dt", {}, because), make("dd", {}, several.join(", ")))));
  if (words.claims.length) find("claims").append(...words.claims.map(([state, sentence]) => make("li", {}, make("b", {}, state), ": ", ...parted(sentence))));
  for (const list of ["common", "missing", "excused", "untried"]) {
    if (words[list].length) find(list).append(...words[list].map((sentence) => make("li", {}, ...parted(sentence))));
  }
}

/** What fails is printed unfolded. */
function printing(table) {
  let opened = [];
  addEventListener("beforeprint", () => {
    opened = table.shown().filter((row) => words.operators[table.rows.indexOf(row)].failing.length && !table.opened.has(row));
    opened.forEach((row) => table.open(row));
  });
  addEventListener("afterprint", () => opened.forEach((row) => table.close(row)));
}

function start() {
  theme();
  head();
  sections();
  const rows = words.operators;
  const texts = rows.map(searched);
  const input = find("filter");
  const table = operatorTable(find("operators"), rows, unfolded);
  const filter = () => {
    const wanted = spelled(input.value).split(" ").filter(Boolean).map((word) => ` ${word}`);
    const ends = ({ ends: those }) => !chosen.size || Object.keys(those).some((name) => chosen.has(name));
    const kept = rows.flatMap((row, n) => (ends(row) && wanted.every((word) => texts[n].includes(word)) ? [n] : []));
    table.keep(new Set(kept));
    saying(kept.length, rows.length);
  };
  const chosen = chips(words.counts, filter);
  search(input, filter, table);
  printing(table);
  filter();
}

start();
