// Pictures on a page: their text keeps its size where there is less room, and who has no pointer can look along them.

/** The width of a picture in details; its text keeps its size where there is less of it. */
const across = () => (NARROW.matches ? 310 : 460);
/** The width of a plot of a whole model. */
const plotted = () => (NARROW.matches ? 380 : 1080);

/** A picture with its name for those who hear the page. */
function picture(width, height, label, ...children) {
  const box = { viewBox: `0 0 ${width} ${height}`, width, height, role: "img", "aria-label": label };
  return draw("svg", box, ...children);
}

const text = (x, y, content, attributes = {}) => draw("text", { x, y, ...attributes }, content);
const figure = (title, image) => make("figure", {}, make("figcaption", {}, title), image);

/** The box of plots that may be wider than the screen: the keyboard reaches it, to look along it. */
const plots = (label) => make("div", { class: "plots", tabindex: 0, role: "group", "aria-label": label });

/** Fills a box now, and again where the screen changes. */
function refilled(box, fill) {
  fill();
  NARROW.addEventListener("change", fill);
}

/** The same for those who read rather than look; made when asked for. */
function listing(lines) {
  const summary = make("summary", {}, "As a list");
  const box = make("details", {}, summary);
  const fill = () => box.append(make("ol", { class: "listed" }, ...lines().map((line) => make("li", {}, line))));
  summary.addEventListener("click", fill, { once: true });
  return box;
}

const tick = (value) => (value < 1e-3 || value >= 1e4 ? value.toExponential(0).replace("+", "") : String(Number(value.toPrecision(1))));
