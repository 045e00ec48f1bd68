// Pictures of one difference: how far elements are off, in which channels, and who gives which value.

const BINS = 128;
const bar = (x, y, width, height, title, attributes = {}) =>
  draw("rect", { x, y, width, height, class: "bar", ...attributes }, draw("title", {}, title));

const signed = (number) => `${number < 0 ? "" : "+"}${counted(number)}`;
const span = ({ low, high }) => (low === high ? signed(low) : `${signed(low)} to ${signed(high)}`);

/** A row for each bucket. */
function histogram(buckets) {
  const most = Math.max(...buckets.map((bucket) => bucket.count));
  const names = buckets.map(span);
  const left = 12 + 7.5 * Math.max(...names.map((name) => name.length));
  const rows = buckets.map((bucket, n) => {
    const width = Math.max(2, (bucket.count / most) * (across() - 90 - left));
    const told = counted(bucket.count);
    return draw(
      "g",
      {},
      text(left - 8, 20 * n + 15, names[n], { "text-anchor": "end" }),
      bar(left, 20 * n + 3, width, 15, `${names[n]} LSB: ${told}`),
      text(left + width + 6, 20 * n + 15, told, { class: "quiet" }),
    );
  });
  return figure("Difference in LSB", picture(across(), 20 * buckets.length + 4, "Histogram of differences", ...rows));
}

/** Mismatches along the dimension in which they gather; of many indexes, several share a bar, which shows the worst. */
function along({ name, counts }) {
  const each = Math.ceil(counts.length / BINS);
  const bins = Array.from({ length: Math.ceil(counts.length / each) }, (_, n) => counts.slice(n * each, (n + 1) * each));
  const most = Math.max(...counts);
  const width = (across() - 20) / bins.length;
  const bars = bins.map((bin, n) => {
    const highest = Math.max(...bin);
    const height = highest && Math.max(2, (highest / most) * 96);
    const worst = n * each + bin.indexOf(highest);
    const title = `${name} ${worst}: ${counted(highest)}`;
    return bar(10 + n * width, 114 - height, Math.max(1, width - (width > 4 ? 1 : 0)), height, title);
  });
  const low = text(10, 130, "0", { class: "quiet" });
  const high = text(across() - 10, 130, counts.length - 1, { class: "quiet", "text-anchor": "end" });
  const peak = text(10, 12, `at most ${counted(most)}`, { class: "quiet" });
  const axis = draw("line", { x1: 10, x2: across() - 10, y1: 114.5, y2: 114.5, class: "axis" });
  const unit = each > 1 ? `, ${each} to a bar` : "";
  const image = picture(across(), 136, `Mismatches by ${name}`, ...bars, axis, low, peak, ...(counts.length > 1 ? [high] : []));
  return figure(`Mismatches by ${name}${unit}`, image);
}

/** ``25,031 × 0.00457425 = 114.4981``, as far as it is known. */
function equation({ accumulator, multiplier, fixed, quotient }) {
  const parts = [];
  const part = (value, label) => parts.push(make("span", { class: "part" }, make("b", {}, value), make("i", {}, label)));
  if (accumulator !== null) part(counted(accumulator), "accumulator");
  if (multiplier !== null) {
    parts.push("×");
    const point = fixed && `multiplier: ${counted(fixed[0])} × 2^${fixed[1] - 31}`;
    part(real(multiplier).toPrecision(9), point || "multiplier");
  }
  if (quotient) {
    if (parts.length) parts.push("=");
    part(quotient, "exact quotient");
  }
  return parts.length ? [make("p", { class: "equation" }, ...parts)] : [];
}

/** Who computes which value: the device's first, then the expected one. */
function candidates({ candidates: all }, worst) {
  const groups = new Map();
  for (const value of worst ? [real(worst.actual), real(worst.expected)] : []) groups.set(value, []);
  const excluded = all.filter(({ name, value }) => worst && name.startsWith("defect: ") && !groups.has(value));
  for (const { name, value, note } of all) {
    if (excluded.some((other) => other.name === name)) continue;
    if (!groups.has(value)) groups.set(value, []);
    groups.get(value).push(note && note !== "as the device" ? `${name} (${note})` : name);
  }
  const rows = [...groups].map(([value, names]) => {
    const tags = [];
    if (worst && value === real(worst.actual)) tags.push(make("em", { class: "tag device" }, "the device"));
    if (worst && value === real(worst.expected)) tags.push(make("em", { class: "tag" }, "expected"));
    const who = names.length ? names.map((name) => make("li", {}, name)) : [make("li", { class: "none" }, "no way known")];
    return make("tr", {}, make("th", { scope: "row" }, counted(value)), make("td", {}, ...tags), make("td", {}, make("ul", {}, ...who)));
  });
  if (excluded.length) {
    const names = excluded.map(({ name, value }) => `${name.slice(11)} (${counted(value)})`).join(", ");
    const who = make("details", {}, make("summary", {}, `${excluded.length} defects`), names);
    rows.push(make("tr", {}, make("th", { scope: "row" }, "others"), make("td"), make("td", {}, who)));
  }
  return make("table", { class: "candidates" }, make("caption", {}, "Ways of computing, by the value they give"), ...rows);
}
