// Elements, tables and curves. Whatever comes from the data becomes text, never markup.

const SVG = "http://www.w3.org/2000/svg";

/** An element with attributes and children; strings become text. */
function make(name, attributes = {}, ...children) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (value !== undefined && value !== false) element.setAttribute(key, value === true ? "" : value);
  }
  element.append(...children.filter((child) => child !== null && child !== undefined));
  return element;
}

/** The same for SVG. */
function draw(name, attributes = {}, ...children) {
  const element = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  element.append(...children);
  return element;
}

const colorOf = (region) => `var(--r${region % 8})`;

/** A table; numbers to the right. Cells are texts, numbers or elements. */
function tableOf(caption, head, rows) {
  const isNumber = (c) => rows.length > 0 && rows.every((row) => typeof row[c] === "number" || row[c] === null);
  const numeric = head.map((_, c) => isNumber(c));
  const cell = (value, c) => {
    const content = typeof value === "number" || value === null ? show(value) : value;
    return make("td", numeric[c] ? { class: "number" } : {}, content);
  };
  const table = make(
    "table",
    {},
    make("caption", {}, caption),
    make("thead", {}, make("tr", {}, ...head.map((name, c) => make("th", { scope: "col", class: numeric[c] ? "number" : undefined }, name)))),
    make("tbody", {}, ...rows.map((row) => make("tr", {}, ...row.map(cell)))),
  );
  return make("div", { class: "scroll", role: "region", tabindex: "0", "aria-label": caption }, table);
}

/** A table that opens when asked for, made only then. */
function folded(caption, head, rows) {
  const details = make("details", {}, make("summary", {}, `As a table: ${caption}`));
  details.addEventListener("toggle", () => {
    if (details.open && details.childElementCount === 1) details.append(tableOf(caption, head, rows()));
  });
  return details;
}

const PLOT = { width: 460, height: 300, left: 58, right: 14, top: 10, bottom: 46 };

/** An empty plot with axes, and the maps from numbers to places. */
function axes(label, x, y) {
  const { width, height, left, right, top, bottom } = PLOT;
  const svg = draw("svg", { viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": label });
  const [x0, x1] = x.domain;
  const [y0, y1] = y.domain;
  const atX = (value) => left + ((value - x0) / (x1 - x0)) * (width - left - right);
  const atY = (value) => height - bottom - ((value - y0) / (y1 - y0)) * (height - top - bottom);
  for (const tick of ticks(x0, x1, 7)) {
    const at = atX(tick.value);
    svg.append(draw("line", { class: "grid", x1: at, x2: at, y1: top, y2: height - bottom }));
    svg.append(draw("text", { x: at, y: height - bottom + 16, "text-anchor": "middle" }, tick.label));
  }
  for (const tick of ticks(y0, y1, 6)) {
    const at = atY(tick.value);
    svg.append(draw("line", { class: "grid", x1: left, x2: width - right, y1: at, y2: at }));
    svg.append(draw("text", { x: left - 6, y: at + 4, "text-anchor": "end" }, tick.label));
  }
  svg.append(draw("rect", { class: "frame", x: left, y: top, width: width - left - right, height: height - top - bottom }));
  svg.append(draw("text", { class: "name", x: (left + width - right) / 2, y: height - 8, "text-anchor": "middle" }, x.name));
  const middle = (top + height - bottom) / 2;
  const turned = { class: "name", x: 13, y: middle, "text-anchor": "middle", transform: `rotate(-90 13 ${middle})` };
  svg.append(draw("text", turned, y.name));
  return { svg, atX, atY, top, bottom: height - bottom, left, right: width - right };
}

/** The `d` of a line through points; a gap where a number is none. */
function lineThrough(points, plot) {
  let d = "";
  let pen = "M";
  for (const [x, y] of points) {
    if (Number.isFinite(x) && Number.isFinite(y)) {
      d += `${pen}${plot.atX(x).toFixed(2)} ${plot.atY(y).toFixed(2)}`;
      pen = "L";
    } else pen = "M";
  }
  return d;
}

/** Draws a line. */
function addLine(plot, points, color, attributes = {}) {
  plot.svg.append(draw("path", { d: lineThrough(points, plot), fill: "none", stroke: color, "stroke-width": 2, ...attributes }));
}

/** A figure: picture, caption, and the same as a table. */
function figure(caption, svg, table) {
  return make("figure", {}, svg, make("figcaption", {}, caption), table);
}
