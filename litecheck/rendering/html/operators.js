// The table of operators by type and by granularity of their weights: how the cases of each ended.

const VERDICTS = ["conforms", "not claimed", "not supported", "not checked", "waived", "incomplete", "fails"];
const failing = ({ ends }) => Object.entries(ends).reduce((sum, [name, number]) => sum + (outcomes.get(name).bad ? number : 0), 0);
const cases = ({ ends }) => Object.values(ends).reduce((sum, number) => sum + number, 0);

/** How many cases ended how: a sign and a number for each way, and its name for those who hear the page. */
const ended = ({ ends }) =>
  Object.entries(ends).map(([name, number]) =>
    make("span", { class: "end", title: outcomes.get(name).text }, sign(name), counted(number), make("span", { class: "heard" }, ` ${outcomes.get(name).text}, `)),
  );

const operand = ({ kind, weights }) => [kind, weights].filter(Boolean).join(", ");

/** The operator; on telephones, which leave out those columns, with its type and its weights. */
const operator = (row) => [...parted(row.opcode), make("span", { class: "narrow" }, operand(row))];

const OPERATORS = [
  { name: "Operator", key: ({ opcode }) => opcode, cell: operator },
  { name: "Type", key: ({ kind }) => kind, spare: true },
  { name: "Weights", key: ({ weights }) => weights, spare: true },
  { name: "Verdict", key: ({ verdict }) => VERDICTS.indexOf(verdict), cell: verdict, down: true },
  { name: "Cases", key: cases, cell: (row) => counted(cases(row)), number: true, down: true, spare: true },
  { name: "Ended", key: failing, cell: ended, down: true },
  { name: "Tolerance", key: ({ tolerance }) => tolerance, cell: ({ allowed }) => allowed, number: true, down: true, spare: true },
  { name: "Worst", key: ({ size }) => real(size), cell: ({ worst }) => worst, number: true, down: true, spare: true },
  { name: "Arithmetic", key: ({ arithmetic }) => arithmetic, cell: ({ arithmetic }) => parted(arithmetic), spare: true },
  { name: "Placement", key: ({ placement }) => placement, spare: true },
];

function verdict(row) {
  return [make("span", { class: "sign", "data-conclusion": row.verdict, "aria-hidden": "true" }, row.sign), row.verdict];
}

/** The table, what fails first; columns in which nothing stands are left out. */
function operatorTable(table, rows, details) {
  const filled = ({ key, name }) => ["Operator", "Verdict", "Ended"].includes(name) || rows.some((row) => key(row));
  const first = OPERATORS.find(({ name }) => name === "Verdict");
  return new Table(table, { columns: OPERATORS.filter(filled), items: rows, details, first });
}
