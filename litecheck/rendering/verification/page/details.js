// All that is known of one case, made when it is opened.

const verification = read("verification");

/** The words of a case, one label after the other, with a picture where there is something to see. */
function details(position) {
  const verdict = verification.verdicts[position];
  const told = words.cases[position];
  const differing = verdict.differences.filter((difference) => difference.mismatches);
  const heading = make("h3", {}, ...parted(`${told.operator} #${told.number} `), make("span", {}, ...parted(verdict.name)));
  const meaning = make("p", { class: "meaning" }, sign(verdict.outcome), make("b", {}, outcomes.get(verdict.outcome).text), outcomes.get(verdict.outcome).meaning);
  const body = make("div", { class: "details" }, heading, meaning, ...operators(verdict));
  let list = make("dl");
  let difference = null;
  for (const [label, lines] of told.details) {
    if (label === "output") difference = differing.shift();
    list.append(make("dt", {}, label), make("dd", {}, ...lines.map((line) => make("div", {}, line))));
    if (label in DRAWN) {
      body.append(list, ...DRAWN[label](difference));
      list = make("dl");
    }
  }
  body.append(list);
  return body;
}

/** What is drawn below the words of a label. */
const DRAWN = { differ: pictures, because: explained };

function operators({ operators: numbers, opcodes }) {
  if (numbers.length < 2) return [];
  const list = make("ol", {}, ...numbers.map((number, n) => make("li", { value: number }, opcodes[n])));
  return [make("details", {}, make("summary", {}, `${counted(numbers.length)} operators`), list)];
}

function pictures(difference) {
  const found = [];
  if (difference.histogram.length) found.push(histogram(difference.histogram));
  if (difference.along) found.push(along(difference.along));
  return found.length ? [make("div", { class: "pictures" }, ...found)] : [];
}

function explained({ explained: told, worst }) {
  if (!told) return [];
  return [...equation(told), ...(told.candidates.length ? [candidates(told, told.spot ?? worst)] : [])];
}
