// The page of a validation: one model laid out, or several in a table whose rows open.

const VERDICTS = ["violates", "not checked", "conforms"];
const shortened = (name) => name.split(/[\\/]/).pop();

const MODELS = [
  { name: "Verdict", key: ({ verdict }) => VERDICTS.indexOf(verdict), cell: ({ verdict }) => signed(verdict) },
  { name: "Model", key: ({ name }) => name, cell: ({ name }) => parted(name) },
  ...["violation", "warning", "note"].map((level) => ({
    name: `${level[0].toUpperCase()}${level.slice(1)}s`,
    key: ({ counts }) => counts[level],
    cell: ({ counts }) => (counts[level] ? counted(counts[level]) : ""),
    number: true,
    down: true,
    spare: level !== "violation",
  })),
  { name: "Not covered", key: ({ coverage }) => coverage["not covered"], cell: ({ coverage }) => (coverage["not covered"] ? counted(coverage["not covered"]) : ""), number: true, down: true, spare: true },
  { name: "Size", key: ({ bytes }) => bytes, cell: ({ size }) => size, number: true, down: true, spare: true },
];

const labelled = (facts) => facts.map(([label, value]) => make("div", {}, make("dt", {}, label), make("dd", {}, ...parted(value))));

function head() {
  const alone = words.models.length === 1;
  find("model").replaceChildren(...(alone ? parted(shortened(words.title)) : [`${counted(words.models.length)} models`]));
  find("verdict").replaceChildren(words.verdict);
  find("verdict").dataset.verdict = words.verdict;
  find("tally").replaceChildren(visible(alone ? `${words.models[0].why[0].toUpperCase()}${words.models[0].why.slice(1)}.` : words.summary));
  find("facts").append(...labelled([...(alone ? [["model", words.title], ...words.models[0].facts] : []), ...words.facts]));
  find("entries").append(...words.stale.map((entry) => make("li", {}, ...parted(entry))));
  find("stale").hidden = !words.stale.length;
}

/** What a model's row opens to. */
function unfolded(model) {
  const heading = make("h3", {}, ...parted(model.name));
  const why = make("p", { class: "meaning" }, sign(model.verdict), make("b", {}, model.verdict), model.why);
  const rest = model.told ? [make("dl", {}, ...pairs(model.facts)), modelBody(model, "h3")] : [make("p", { class: "quiet" }, "This page tells of as many models as it opens quickly with; a page of this model alone has all of it.")];
  return make("div", { class: "details" }, heading, why, ...rest);
}

/** What a model is found by: its name, its verdict, the requirements that it does not keep. */
const searched = ({ name, verdict, blocks = [] }) => visible([name, verdict, ...blocks.map(({ path }) => path)].join(" ")).toLowerCase();

function several() {
  const table = new Table(find("models"), { columns: MODELS, items: words.models, details: unfolded });
  const texts = words.models.map(searched);
  const input = find("filter");
  const filter = () => {
    const wanted = input.value.toLowerCase().split(/\s+/).filter(Boolean);
    const fits = ({ verdict }, n) => (!chosen.size || chosen.has(verdict)) && wanted.every((word) => texts[n].includes(word));
    const kept = words.models.flatMap((model, n) => (fits(model, n) ? [n] : []));
    table.keep(new Set(kept));
    saying(kept.length, words.models.length);
  };
  const chosen = chips(words.verdicts, filter);
  search(input, filter, table);
  filter();
  find("several").hidden = false;
}

function start() {
  theme();
  head();
  if (words.models.length === 1) find("alone").append(modelBody(words.models[0], "h2"));
  else several();
}

start();
