// Where error enters and how it grows: the largest and the root mean square difference of each tensor.

const HEIGHT = 230, LEFT = 58, RIGHT = 12, TOP = 12, ZERO = 190;
/** The lowest decade stands so far above zero that their labels do not meet. */
const ABOVE_ZERO = 20;
/** Room for the number of an operator below the plot. */
const NUMBER = 50;

/** Decades from the least to the largest difference; zero stands below them. */
function scale(steps) {
  const sizes = steps.flatMap((step) => [Math.abs(real(step.largest)), real(step.rms)]);
  const some = sizes.filter((size) => size > 0 && Number.isFinite(size));
  const low = Math.floor(Math.log10(Math.min(1, ...some)));
  const high = Math.max(low + 1, Math.ceil(Math.log10(Math.max(...some, 10 ** low))));
  const decade = (ZERO - ABOVE_ZERO - TOP) / (high - low);
  const place = (size) => (size === 0 ? ZERO : Number.isFinite(size) ? ZERO - ABOVE_ZERO - (Math.log10(size) - low) * decade : TOP);
  const ticks = Array.from({ length: high - low + 1 }, (_, n) => 10 ** (low + n));
  return { place, ticks };
}

function axes({ place, ticks }, unit) {
  const skip = Math.ceil(ticks.length / 7);
  return [0, ...ticks.filter((_, n) => n % skip === 0)].flatMap((value) => [
    draw("line", { x1: LEFT, x2: plotted() - RIGHT, y1: place(value), y2: place(value), class: value ? "grid" : "axis" }),
    text(LEFT - 8, place(value) + 4, value ? tick(value) : `0 ${unit}`, { class: "quiet", "text-anchor": "end" }),
  ]);
}

const told = (step) => {
  const size = (value) => (step.unit === "LSB" ? `${value} LSB` : `${value} of the largest expected magnitude`);
  const largest = size(typeof step.largest === "number" ? Math.abs(Number(step.largest.toPrecision(3))) : step.largest);
  const part = Number((100 * real(step.share)).toPrecision(3));
  const rms = Number(real(step.rms).toPrecision(3));
  const where = `${step.operator} ${step.opcode}: largest ${largest}, rms ${rms}, ${part} % of ${counted(step.size)} differ`;
  return step.entered ? `${where}; error enters here` : where;
};

/** One step's marks, and the column that answers to the pointer. */
function column(step, x, width, { place }, show, open) {
  const side = Math.min(6, Math.max(2, width));
  const largest = { x: x - side / 2, y: place(Math.abs(real(step.largest))) - side / 2, width: side, height: side };
  const dot = draw("circle", { cx: x, cy: place(real(step.rms)), r: side / 2.4, class: "dot" });
  const parts = [dot, draw("rect", { ...largest, class: "largest" })];
  if (step.entered) parts.push(draw("path", { d: `M${x} ${ZERO + 6}l5 9h-10z`, class: "entered" }));
  const hit = draw("rect", { x: x - width / 2, y: 0, width, height: HEIGHT, class: "hit", onpointerenter: () => show(step), onclick: () => open(step) });
  return draw("g", {}, ...parts, hit);
}

function plot(steps, show, open) {
  const measure = scale(steps);
  const each = (plotted() - LEFT - RIGHT) / steps.length;
  const x = (n) => LEFT + (n + 0.5) * each;
  const path = steps.map((step, n) => `${n ? "L" : "M"}${x(n).toFixed(1)} ${measure.place(real(step.rms)).toFixed(1)}`).join("");
  const line = draw("path", { d: path, class: "rms" });
  const columns = steps.map((step, n) => column(step, x(n), each, measure, show, open));
  const every = Math.ceil(NUMBER / each);
  const numbers = steps.map((step, n) => (n % every ? "" : text(x(n), HEIGHT - 6, step.operator, { class: "quiet", "text-anchor": "middle" })));
  const label = `Largest and root mean square difference of ${steps.length} tensors`;
  const unit = steps[0].unit === "LSB" ? "LSB" : "rel.";
  return picture(plotted(), HEIGHT, label, ...axes(measure, unit), line, ...columns, ...numbers.filter(Boolean));
}

function legend() {
  const entry = (name, told) => {
    const marks = {
      largest: draw("rect", { x: 3, y: 3, width: 6, height: 6, class: "largest" }),
      rms: draw("path", { d: "M0 6H12", class: "rms" }),
      entered: draw("path", { d: "M6 1l5 9h-10z", class: "entered" }),
    };
    return make("span", {}, draw("svg", { width: 12, height: 12, "aria-hidden": "true" }, marks[name]), ` ${told}`);
  };
  const entries = [entry("largest", "largest"), entry("rms", "root mean square"), entry("entered", "error enters here")];
  return make("p", { class: "legend" }, ...entries);
}

/** A plot for each unit, because they share no scale. ``open`` is given the step that was clicked. */
function drift(section, steps, open) {
  if (!steps.length) return;
  const line = make("p", { class: "told" });
  const show = (step) => line.replaceChildren(visible(`${told(step)} (${step.name})`));
  const units = new Set(steps.map((step) => step.unit).sort());
  const box = plots("Plot of how differences grow");
  const each = (unit) => plot(steps.filter((step) => step.unit === unit), show, open);
  refilled(box, () => box.replaceChildren(...[...units].map(each)));
  const lines = () => steps.map((step) => `${told(step)} (${step.name})`);
  section.append(legend(), box, line, listing(lines));
  section.hidden = false;
}
