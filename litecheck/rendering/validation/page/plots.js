// Plots of a model: scales along the graph, and how much of its type's range each constant uses.

const SIDE = 64, EDGE = 12, TALL = 220, BOTTOM = 190;
/** Room for the number of an operator below a plot. */
const ROOM = 50;

const place = (at, operators) => SIDE + ((at + 0.5) / operators) * (plotted() - SIDE - EDGE);

/** How wide a mark may be, so that those of neighbours stand apart. */
const thick = (operators) => Math.max(1, Math.min(6, (0.7 * (plotted() - SIDE - EDGE)) / operators));

/** A mark's column, which answers to the pointer. */
function answering(x, told, show) {
  const hit = draw("rect", { x: x - 4, y: 0, width: 8, height: BOTTOM, class: "hit", onpointerenter: () => show(told) });
  hit.append(draw("title", {}, visible(told)));
  return hit;
}

/** The numbers of operators below a plot. */
function numbers(operators) {
  const every = Math.ceil((ROOM * operators) / (plotted() - SIDE - EDGE));
  const shown = Array.from({ length: Math.ceil(operators / every) }, (_, n) => n * every);
  return shown.map((at) => text(place(at, operators), TALL - 8, at, { class: "quiet", "text-anchor": "middle" }));
}

function rule(y, label, kind = "grid") {
  const line = draw("line", { x1: SIDE, x2: plotted() - EDGE, y1: y, y2: y, class: kind });
  return [line, text(SIDE - 8, y + 4, label, { class: "quiet", "text-anchor": "end" })];
}

/** Scales of what operators make, and of weights: a line from the smallest to the largest of a tensor, by decades. */
function scales({ operators, made, weights }, show) {
  const ends = [...made, ...weights].flatMap(([, low, high]) => [low, high]);
  const low = Math.floor(Math.log10(Math.min(...ends)));
  const high = Math.max(low + 1, Math.ceil(Math.log10(Math.max(...ends))));
  const y = (scale) => BOTTOM - ((Math.log10(scale) - low) / (high - low)) * (BOTTOM - EDGE);
  const skip = Math.ceil((high - low) / 7);
  const decades = Array.from({ length: high - low + 1 }, (_, n) => n).filter((n) => n % skip === 0);
  const grid = decades.flatMap((n) => rule(y(10 ** (low + n)), tick(10 ** (low + n))));
  const side = Math.max(1.5, 0.7 * thick(operators));
  const mark = (kind) => ([at, least, most]) => {
    const x = place(at, operators) + (kind === "made" ? -0.5 : 0.5) * side;
    return draw("line", { x1: x, x2: x, y1: y(least) + 2.5, y2: y(most) - 2.5, class: kind, "stroke-width": side });
  };
  const hits = [...made, ...weights].map(([at, , , told]) => answering(place(at, operators), told, show));
  const label = `Scales of ${made.length + weights.length} tensors along the graph`;
  return picture(plotted(), TALL, label, ...grid, ...made.map(mark("made")), ...weights.map(mark("weights")), ...numbers(operators), ...hits);
}

/** The stored values of constants of one type: a bar from the smallest to the largest, within the type's range. */
function values({ type, range: [least, most], marks }, operators, show) {
  const y = (value) => BOTTOM - ((value - least) / (most - least)) * (BOTTOM - EDGE);
  const ends = [least, ...(least < 0 ? [0] : []), most];
  const grid = ends.flatMap((value) => rule(y(value), value, value ? "grid" : "axis"));
  const wide = thick(operators);
  const bars = marks.map(([at, low, high, , striking]) => {
    const box = { x: place(at, operators) - wide / 2, y: y(high) - 1, width: wide, height: y(low) - y(high) + 2 };
    return draw("rect", { ...box, class: striking ? "codes striking" : "codes" });
  });
  const hits = marks.map(([at, , , told]) => answering(place(at, operators), told, show));
  return picture(plotted(), TALL, `Stored values of ${marks.length} ${type} constants`, ...grid, ...bars, ...numbers(operators), ...hits);
}

function key(shape, words) {
  return make("span", {}, draw("svg", { width: 12, height: 12, "aria-hidden": "true" }, shape), ` ${words}`);
}

const stroke = (kind) => draw("line", { x1: 6, x2: 6, y1: 0, y2: 12, class: kind, "stroke-width": 4 });
const block = (kind) => draw("rect", { x: 3, y: 0, width: 6, height: 12, class: kind });

/** A heading, a key, plots, what is pointed at, and the same as a list. */
function plotSection(head, keys, name, marks, pictures) {
  const line = make("p", { class: "told" }, "Point at a mark to read it.");
  const show = (told) => line.replaceChildren(visible(told));
  const box = plots(name);
  refilled(box, () => box.replaceChildren(...pictures(show)));
  return [head, make("p", { class: "legend" }, ...keys), box, line, listing(() => marks.map(([, , , told]) => told))];
}

/** What can be seen of a model's quantization; nothing where no tensor was surveyed. */
function modelPlots(all, heading) {
  const parts = [];
  const { operators, made, weights } = all;
  if (made.length + weights.length) {
    const keys = [key(stroke("made"), "what operators make"), key(stroke("weights"), "weights, from the smallest scale of a channel to the largest")];
    const head = heading("Scales", "along the graph, by decades");
    parts.push(...plotSection(head, keys, "Plot of scales", [...made, ...weights], (show) => [scales(all, show)]));
  }
  for (const one of all.values) {
    const keys = [key(block("codes"), "from the smallest stored value to the largest"), key(block("codes striking"), "less than a quarter of the range is used")];
    const head = heading(`Stored values, ${one.type}`, `${counted(one.count)} ${one.count === 1 ? "constant" : "constants"} within the range of the type`);
    parts.push(...plotSection(head, keys, `Plot of ${one.type} values`, one.marks, (show) => [values(one, operators, show)]));
  }
  return parts;
}
