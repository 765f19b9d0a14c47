// What the other files build on: unpacking, words for numbers, and the table for download. No page is needed for these.

/** Bytes from base64. */
function bytesOf(text) {
  const binary = atob(text);
  const bytes = new Uint8Array(binary.length);
  for (let i = 0; i < binary.length; i += 1) bytes[i] = binary.charCodeAt(i);
  return bytes;
}

/** Numbers, eight little-endian bytes each. */
const unpackNumbers = (text) => new Float64Array(bytesOf(text).buffer);

/** Indices, four little-endian bytes each. */
const unpackIndices = (text) => new Uint32Array(bytesOf(text).buffer);

/** The columns of all samples, unpacked. */
function unpackSamples(packed, training) {
  const count = packed.accepted.length;
  // Rows in order, from 0 each, are not told.
  const inOrder = () => Uint32Array.from({ length: count }, (_, i) => (i < training ? i : i - training));
  return {
    count,
    row: packed.row === "" ? inOrder() : unpackIndices(packed.row),
    name: packed.name,
    score: unpackNumbers(packed.score),
    membership: unpackNumbers(packed.membership),
    pValue: unpackNumbers(packed.p_value),
    region: unpackIndices(packed.region),
    accepted: packed.accepted,
    label: packed.label,
    trimmed: new Set(unpackIndices(packed.trimmed)),
  };
}

/** A number for the eye. */
function show(value) {
  if (value === null || value === undefined || Number.isNaN(value)) return "not a number";
  if (value === Infinity) return "infinite";
  if (value === -Infinity) return "minus infinite";
  const size = Math.abs(value);
  if (size !== 0 && (size < 1e-3 || size >= 1e6)) return value.toExponential(3).replace("-", "−");
  const text = size >= 100 ? value.toFixed(1) : size >= 1 ? value.toFixed(3) : value.toFixed(4);
  return text.replace(/\.?0+$/, "").replace(/^-0$/, "0").replace("-", "−") || "0";
}

/** As many letters as fit, the middle left out. */
function cut(text, most) {
  const letters = Array.from(text);
  if (letters.length <= most) return text;
  return `${letters.slice(0, Math.ceil(most / 2)).join("")}…${letters.slice(letters.length - Math.floor(most / 2) + 1).join("")}`;
}

const LABELS = { n: "nominal", o: "outlier", "-": "" };

/** What a sample is called. */
function nameOf(samples, training, i) {
  const what = i < training ? "training sample" : "row";
  const name = samples.name.length > 0 ? samples.name[i] : "";
  return name ? `${what} ${samples.row[i]}, ${cut(name, 40)}` : `${what} ${samples.row[i]}`;
}

/** A cell of text: quoted where needed, and never a formula to a spreadsheet. */
function csvText(text) {
  const harmless = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\n\r]/.test(harmless) ? `"${harmless.replace(/"/g, '""')}"` : harmless;
}

/** A cell with a number, as many digits as it has; empty if it is none. */
const csvNumber = (value) => (Number.isFinite(value) ? String(value) : "");

/** All scores as CSV, with the columns of `eocc score`. */
function csvOf(samples, training) {
  const hasNames = samples.name.length > 0;
  const hasLabels = /[no]/.test(samples.label);
  const hasNew = samples.count > training;
  const head = ["row"];
  if (hasNames) head.push("name");
  head.push("score", "membership", "accepted", "region", "p_value");
  if (hasNew) head.push("set");
  if (hasLabels) head.push("label");
  const lines = [head.join(",")];
  for (let i = 0; i < samples.count; i += 1) {
    const cells = [String(samples.row[i])];
    if (hasNames) cells.push(csvText(samples.name[i]));
    cells.push(csvNumber(samples.score[i]), csvNumber(samples.membership[i]), samples.accepted[i] === "1" ? "true" : "false");
    cells.push(String(samples.region[i]), csvNumber(samples.pValue[i]));
    if (hasNew) cells.push(i < training ? "training" : "new");
    if (hasLabels) cells.push(LABELS[samples.label[i]]);
    lines.push(cells.join(","));
  }
  return `${lines.join("\n")}\n`;
}

/** Round ticks inside a domain, at most `most` of them: multiples of 1, 2 or 5 times a power of ten. */
function ticks(low, high, most) {
  const length = high - low;
  if (!(length > 0) || !Number.isFinite(length)) return [];
  for (let exponent = Math.floor(Math.log10(length / most)); ; exponent += 1) {
    for (const mantissa of [1, 2, 5]) {
      const step = mantissa * 10 ** exponent;
      const first = Math.ceil(low / step - 1e-9);
      const last = Math.floor(high / step + 1e-9);
      if (last - first < most) {
        const digits = Math.max(0, -exponent);
        const found = [];
        for (let i = first; i <= last; i += 1) {
          const label = Math.abs(i * step) >= 1e6 || digits > 5 ? (i * step).toExponential(0) : (i * step).toFixed(digits);
          found.push({ value: i * step, label: label.replace("-", "−") });
        }
        return found;
      }
    }
  }
}

/** The smallest interval that holds all finite values, with some room. */
function extent(values, room = 0) {
  let low = Infinity;
  let high = -Infinity;
  for (const value of values) {
    if (Number.isFinite(value)) {
      low = Math.min(low, value);
      high = Math.max(high, value);
    }
  }
  if (low > high) return [0, 1];
  if (high - low <= 1e-12 * Math.max(Math.abs(low), Math.abs(high))) return [low - 0.5, high + 0.5];
  return [low - room * (high - low), high + room * (high - low)];
}

// For the tests, which run without a page.
if (typeof module !== "undefined") {
  module.exports = { unpackNumbers, unpackIndices, unpackSamples, show, cut, nameOf, csvText, csvNumber, csvOf, ticks, extent };
}
