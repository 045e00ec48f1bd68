"use strict";
// What the page holds, and how its elements are made: text from a model reaches the page as text only.

const read = (id) => JSON.parse(document.getElementById(id).textContent);
const words = read("words");
const outcomes = new Map(words.outcomes.map((outcome) => [outcome.name, outcome]));

/** Telephones: as in base.css. */
const NARROW = matchMedia("(max-width: 46rem)");

const find = (id) => document.getElementById(id);
const counted = (number) => number.toLocaleString("en");
/** JSON has no name for some floats; the record writes them as words. */
const real = (value) => (typeof value === "number" ? value : { inf: Infinity, "-inf": -Infinity }[value] ?? NaN);

/** Characters that act instead of being seen become escapes, as in every other format. */
function visible(text) {
  return String(text).replace(/[\p{C}\p{Z}]/gu, (character) => (character === " " ? " " : escaped(character)));
}

function escaped(character) {
  const code = character.codePointAt(0);
  const known = { 9: "\\t", 10: "\\n", 13: "\\r" }[code];
  const [letter, digits] = code < 0x100 ? ["x", 2] : code < 0x10000 ? ["u", 4] : ["U", 8];
  return known ?? `\\${letter}${code.toString(16).padStart(digits, "0")}`;
}

function filled(node, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else if (value === true) node.setAttribute(name, "");
    else if (value !== false) node.setAttribute(name, visible(value));
  }
  node.append(...children.map((child) => (child instanceof Node ? child : visible(child))));
  return node;
}

/** An element; ``on...`` attributes are listeners, children that are no nodes become text. */
const make = (tag, attributes = {}, ...children) => filled(document.createElement(tag), attributes, children);

/** The same for pictures. The address is the name of a vocabulary; nothing is fetched from it. */
const draw = (tag, attributes = {}, ...children) =>
  filled(document.createElementNS("http://www.w3.org/2000/svg", tag), attributes, children);

/** Text that may be broken behind the signs that join its words, rather than within them. */
const parted = (text) =>
  visible(text)
    .split(/(?<=[_/\\,;:.\-](?=[^_/\\,;:.\-\s]))/)
    .flatMap((part, n) => (n ? [document.createElement("wbr"), part] : [part]));

/** The sign of an outcome on its colour. */
const sign = (name) =>
  make("span", { class: "sign", "data-outcome": name, "aria-hidden": "true" }, outcomes.get(name).sign);

/** Makes one of a row of elements the one that Tab reaches, and arrow keys move from one to the next. */
function rove(elements, steps) {
  const reach = (element, focus) => {
    for (const other of elements()) other.tabIndex = other === element ? 0 : -1;
    if (focus) element.focus();
  };
  const move = (event) => {
    const all = elements().filter((element) => !element.hidden);
    const at = all.indexOf(event.target);
    if (at < 0 || !(event.key in steps) || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    reach(all[Math.max(0, Math.min(all.length - 1, at + steps[event.key]))], true);
  };
  return { reach, move };
}
