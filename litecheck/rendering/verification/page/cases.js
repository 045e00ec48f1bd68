// The table of cases: sorted, filtered, opened and closed, with pointer or keys.

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

/** Columns: heading, what is sorted by, what is shown, and whether the largest comes first. */
const COLUMNS = [
  { name: "#", key: (_, n) => n, cell: (_, n) => words.cases[n].number, number: true },
  { name: "Operator", key: (_, n) => words.cases[n].operator, cell: (_, n) => parted(words.cases[n].operator) },
  { name: "Outcome", key: (verdict) => ORDER.indexOf(verdict.outcome), cell: (verdict) => [sign(verdict.outcome), verdict.outcome], down: true },
  { name: "Differ", key: mismatches, cell: (_, n) => words.cases[n].differ, number: true, down: true },
  { name: "Share", key: share, cell: percent, number: true, down: true },
  { name: "Largest", key: largest, cell: (_, n) => words.cases[n].largest, number: true, down: true },
  { name: "Arithmetic", key: (verdict) => verdict.arithmetic || verdict.also.join(", "), cell: arithmetic },
  { name: "Name", key: (_, n) => words.cases[n].name, cell: named },
];

/** The admissible arithmetic that fits; else, as such, a published one that does. */
function arithmetic(verdict) {
  const [other, ...more] = verdict.also;
  if (verdict.arithmetic || !other) return verdict.arithmetic;
  return make("span", { class: "other", title: `fits exactly: ${verdict.also.join(", ")}` }, `fits ${other}${more.length ? ` +${more.length}` : ""}`);
}

/** The name, and what was said where no values tell more. */
function named(verdict, n) {
  const said = verdict.message ? [make("span", { class: "message" }, verdict.message)] : [];
  return [words.cases[n].name, ...said];
}

class Cases {
  constructor(changed) {
    this.changed = changed;
    this.kept = new Set();
    this.rows = verification.verdicts.map((verdict, n) => this.row(verdict, n));
    this.order = [...this.rows];
    this.opened = new Map();
    this.roving = rove(() => this.order, { ArrowUp: -1, ArrowDown: 1, PageUp: -20, PageDown: 20, Home: -Infinity, End: Infinity });
    this.headings = COLUMNS.map((column) => this.heading(column));
    find("columns").append(...this.headings);
    find("rows").addEventListener("keydown", (event) => this.pressed(event));
    find("rows").addEventListener("click", (event) => this.clicked(event));
    this.sorted = {};
    this.sort(COLUMNS[0]);
    if (this.rows.length) this.roving.reach(this.rows[0]);
  }

  row(verdict, n) {
    const attributes = { class: "case", "aria-level": 1, "aria-expanded": "false", tabindex: -1 };
    const cells = COLUMNS.map(({ name, key, cell = key, number }) => {
      const content = [cell(verdict, n)].flat();
      return make("td", { role: "gridcell", class: number ? "number" : name.toLowerCase() }, ...content);
    });
    cells[COLUMNS.length - 1].title = visible(verdict.name);
    cells[4].style.setProperty("--share", share(verdict));
    return make("tr", attributes, ...cells);
  }

  heading(column) {
    const button = make("button", { type: "button", onclick: () => this.sort(column) }, column.name);
    return make("th", { scope: "col", class: column.number ? "number" : "" }, button);
  }

  /** By a column; once more, the other way round. What is equal keeps the order of the operators. */
  sort(column) {
    const down = column === this.sorted.column ? !this.sorted.down : Boolean(column.down);
    this.sorted = { column, down };
    const keys = verification.verdicts.map((verdict, n) => column.key(verdict, n));
    const positions = keys.map((_, n) => n);
    const compare = (a, b) => (keys[a] < keys[b] ? -1 : keys[a] > keys[b] ? 1 : 0);
    positions.sort((a, b) => (this.sorted.down ? compare(b, a) : compare(a, b)) || a - b);
    this.order = positions.map((n) => this.rows[n]);
    find("rows").replaceChildren(...this.order.flatMap((row) => [row, ...(this.opened.has(row) ? [this.opened.get(row)] : [])]));
    COLUMNS.forEach((other, n) => this.headings[n].setAttribute("aria-sort", other !== column ? "none" : this.sorted.down ? "descending" : "ascending"));
  }

  /** Keeps the cases that hold all words of ``query`` and end in one of ``chosen``, where any are chosen. */
  filter(query, chosen) {
    const wanted = query.toLowerCase().split(/\s+/).filter(Boolean);
    this.kept = new Set();
    verification.verdicts.forEach((verdict, n) => {
      const { number, operator } = words.cases[n];
      const told = [`#${number}`, operator, verdict.name, verdict.outcome, verdict.arithmetic, ...verdict.also, verdict.message];
      const text = visible(told.join(" ")).toLowerCase();
      if ((!chosen.size || chosen.has(verdict.outcome)) && wanted.every((word) => text.includes(word))) this.kept.add(n);
    });
    this.rows.forEach((row, n) => {
      row.hidden = !this.kept.has(n);
      if (this.opened.has(row)) this.opened.get(row).hidden = row.hidden;
    });
    const shown = this.order.filter((row) => !row.hidden);
    if (shown.length && !shown.some((row) => row.tabIndex === 0)) this.roving.reach(shown[0]);
    this.changed(this.kept);
  }

  open(row) {
    if (this.opened.has(row)) return;
    const cell = make("td", { role: "gridcell", colspan: COLUMNS.length }, details(this.rows.indexOf(row)));
    const below = make("tr", { class: "below", "aria-level": 2 }, cell);
    this.opened.set(row, below);
    row.after(below);
    row.setAttribute("aria-expanded", "true");
  }

  close(row) {
    if (!this.opened.has(row)) return;
    this.opened.get(row).remove();
    this.opened.delete(row);
    row.setAttribute("aria-expanded", "false");
  }

  toggle(row) {
    if (this.opened.has(row)) this.close(row);
    else this.open(row);
  }

  /** Opens a case and leads to it. */
  reveal(position) {
    const row = this.rows[position];
    this.open(row);
    this.roving.reach(row, true);
    row.scrollIntoView({ block: "start" });
  }

  clicked(event) {
    const row = event.target.closest("tr.case");
    if (!row || String(document.getSelection())) return;
    this.roving.reach(row, true);
    this.toggle(row);
  }

  pressed(event) {
    const below = event.target.closest("tr.below");
    const row = below ? below.previousElementSibling : event.target.closest("tr.case");
    if (event.key === "Escape" && this.opened.has(row)) {
      this.close(row);
      this.roving.reach(row, true);
    } else if (event.target === row && ["Enter", " "].includes(event.key)) {
      this.toggle(row);
    } else if (event.target === row && event.key === "ArrowRight") {
      this.open(row);
    } else if (event.target === row && event.key === "ArrowLeft") {
      this.close(row);
    } else {
      this.roving.move(event);
      return;
    }
    event.preventDefault();
  }
}
