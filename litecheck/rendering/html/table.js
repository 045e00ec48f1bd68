// A table whose rows open: sorted, shown or hidden, opened and closed, with pointer or keys.

const compared = (a, b) => (a < b ? -1 : a > b ? 1 : 0);

class Table {
  /**
   * A row for each item. Columns: heading, what is sorted by, what is shown, whether the largest comes first; ``spare``
   * ones are left out on telephones, ``share`` is a bar behind the cell. ``details`` makes what an opened row shows,
   * ``first`` is the column that sorts in the beginning.
   */
  constructor(table, { columns, items, details, first = columns[0] }) {
    this.columns = columns;
    this.items = items;
    this.details = details;
    this.table = table;
    this.body = table.querySelector("tbody");
    this.rows = items.map((item, n) => this.row(item, n));
    this.order = [...this.rows];
    this.opened = new Map();
    this.roving = rove(() => this.order, { ArrowUp: -1, ArrowDown: 1, PageUp: -20, PageDown: 20, Home: -Infinity, End: Infinity });
    this.headings = columns.map((column) => this.heading(column));
    table.querySelector("thead tr").append(...this.headings);
    this.body.addEventListener("keydown", (event) => this.pressed(event));
    this.body.addEventListener("click", (event) => this.clicked(event));
    this.sorted = {};
    this.sort(first);
    if (this.rows.length) this.roving.reach(this.rows[0]);
  }

  row(item, n) {
    const attributes = { class: "case", "aria-level": 1, "aria-expanded": "false", tabindex: -1 };
    const cells = this.columns.map((column) => {
      const content = [(column.cell ?? column.key)(item, n)].flat();
      const cell = make("td", { role: "gridcell", class: kinds(column, column.name.toLowerCase()) }, ...content);
      if (column.share) cell.style.setProperty("--share", column.share(item));
      if (column.title) cell.title = visible(column.title(item));
      return cell;
    });
    return make("tr", attributes, ...cells);
  }

  heading(column) {
    const button = make("button", { type: "button", onclick: () => this.sort(column) }, column.name);
    return make("th", { scope: "col", class: kinds(column, "") }, button);
  }

  /** By a column; once more, the other way round. What is equal keeps its order. */
  sort(column) {
    const down = column === this.sorted.column ? !this.sorted.down : Boolean(column.down);
    this.sorted = { column, down };
    const keys = this.items.map((item, n) => column.key(item, n));
    const positions = keys.map((_, n) => n);
    positions.sort((a, b) => (down ? compared(keys[b], keys[a]) : compared(keys[a], keys[b])) || a - b);
    this.order = positions.map((n) => this.rows[n]);
    this.body.replaceChildren(...this.order.flatMap((row) => [row, ...(this.opened.has(row) ? [this.opened.get(row)] : [])]));
    this.columns.forEach((other, n) => this.headings[n].setAttribute("aria-sort", other !== column ? "none" : down ? "descending" : "ascending"));
  }

  /** Hides the rows whose positions are not kept. */
  keep(kept) {
    this.rows.forEach((row, n) => {
      row.hidden = !kept.has(n);
      if (this.opened.has(row)) this.opened.get(row).hidden = row.hidden;
    });
    const shown = this.shown();
    if (shown.length && !shown.some((row) => row.tabIndex === 0)) this.roving.reach(shown[0]);
  }

  shown() {
    return this.order.filter((row) => !row.hidden);
  }

  /** The row that Tab leads to. */
  reached() {
    return this.shown().find((row) => row.tabIndex === 0);
  }

  open(row) {
    if (this.opened.has(row)) return;
    const position = this.rows.indexOf(row);
    const cell = make("td", { role: "gridcell", colspan: this.columns.length }, this.details(this.items[position], position));
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

  /** Opens a row and leads to it. */
  reveal(position) {
    const row = this.rows[position];
    this.open(row);
    this.roving.reach(row, true);
    row.scrollIntoView({ block: "start" });
  }

  /** Whether an event is this table's own and not that of a table in an opened row. */
  own(event) {
    return event.target.closest("table.cases") === this.table;
  }

  clicked(event) {
    const row = event.target.closest("tr.case");
    if (!row || !this.own(event) || String(document.getSelection())) return;
    this.roving.reach(row, true);
    this.toggle(row);
  }

  pressed(event) {
    if (!this.own(event)) return;
    const nearest = event.target.closest("tr.below, tr.case");
    const row = nearest?.classList.contains("below") ? nearest.previousElementSibling : nearest;
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

/** The classes of a column's cells; a number's cells have no name of their own. */
function kinds({ number, spare, share }, name) {
  return [number ? "number" : name, spare && "spare", share && "share"].filter(Boolean).join(" ");
}
