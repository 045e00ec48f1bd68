// The table of cases: what stands in its columns, and which cases hold the words that are looked for.

const ORDER = words.outcomes.map((outcome) => outcome.name);
const size = (verdict) => verdict.elements || verdict.differences.reduce((sum, d) => sum + d.size, 0);
const mismatches = (verdict) => verdict.differences.reduce((sum, d) => sum + d.mismatches, 0);
const share = (verdict) => mismatches(verdict) / (size(verdict) || 1);
/** What is not finite is larger than all that is. */
const extent = (value) => (Number.isNaN(real(value)) ? Infinity : Math.abs(real(value)));
const largest = (verdict) => Math.max(0, ...verdict.differences.map((d) => extent(d.largest)));

function percent(verdict) {
  const part = 100 * share(verdict);
  if (!mismatches(verdict)) return "";
  return part < 0.01 ? "< 0.01 %" : part < 100 && part > 99.99 ? "> 99.99 %" : `${Number(part.toPrecision(3))} %`;
}

const COLUMNS = [
  { name: "#", key: (_, n) => n, cell: (_, n) => words.cases[n].number, number: true },
  { name: "Operator", key: (_, n) => words.cases[n].operator, cell: (_, n) => parted(words.cases[n].operator) },
  { name: "Outcome", key: (verdict) => ORDER.indexOf(verdict.outcome), cell: (verdict) => [sign(verdict.outcome), outcomes.get(verdict.outcome).text], down: true },
  { name: "Differ", key: mismatches, cell: (_, n) => words.cases[n].differ, number: true, down: true, spare: true },
  { name: "Share", key: share, cell: percent, number: true, down: true, share },
  { name: "Largest", key: largest, cell: (_, n) => words.cases[n].largest, number: true, down: true, spare: true },
  { name: "Arithmetic", key: (verdict, n) => words.cases[n].arithmetic || verdict.also.join(", "), cell: arithmetic, spare: true },
  { name: "Name", key: (_, n) => words.cases[n].name, cell: named, spare: true, title: (verdict) => verdict.name },
];

/** The admissible arithmetic that fits; else, as such, a published one that does. */
function arithmetic(verdict, n) {
  const [other, ...more] = verdict.also;
  if (verdict.arithmetic || !other) return words.cases[n].arithmetic;
  return make("span", { class: "other", title: `fits exactly: ${verdict.also.join(", ")}` }, `fits ${other}${more.length ? ` +${more.length}` : ""}`);
}

/** The name, and what was said where no values tell more. */
function named(verdict, n) {
  const said = verdict.message ? [make("span", { class: "message" }, verdict.message)] : [];
  return [words.cases[n].name, ...said];
}

/** The positions of the cases that hold all words of ``query`` and end in one of ``chosen``, where any are chosen. */
function matching(query, chosen) {
  const wanted = query.toLowerCase().split(/\s+/).filter(Boolean);
  const found = verification.verdicts.flatMap((verdict, n) => {
    const { number, operator } = words.cases[n];
    const said = [`#${number}`, operator, verdict.name, outcomes.get(verdict.outcome).text, verdict.arithmetic, ...verdict.also, verdict.message];
    const text = visible(said.join(" ")).toLowerCase();
    return (!chosen.size || chosen.has(verdict.outcome)) && wanted.every((word) => text.includes(word)) ? [n] : [];
  });
  return new Set(found);
}
