// The scripts of the page, without a page: `node --test crates/eocc-report/tests/scripts/`.
"use strict";
const assert = require("node:assert/strict");
const test = require("node:test");
const page = require("../../assets/data.js");

const packed = (array) => Buffer.from(array.buffer).toString("base64");
const columns = (changes) => ({
  row: packed(new Uint32Array([0, 7])),
  name: [],
  score: packed(new Float64Array([-1.5, NaN])),
  membership: packed(new Float64Array([0.25, 0])),
  p_value: packed(new Float64Array([0.1, 1 / 3])),
  region: packed(new Uint32Array([0, 2])),
  accepted: "10",
  label: "--",
  trimmed: packed(new Uint32Array([1])),
  ...changes,
});

test("numbers come back to the bit", () => {
  const numbers = [0.1, -1e-300, Infinity, 2 ** 53 + 2];
  assert.deepEqual(Array.from(page.unpackNumbers(packed(new Float64Array(numbers)))), numbers);
  assert.deepEqual(Array.from(page.unpackIndices(packed(new Uint32Array([0, 4294967295])))), [0, 4294967295]);
  assert.equal(page.unpackNumbers("").length, 0);
});

test("numbers for the eye", () => {
  const shown = [0, 0.05, -1.5, 1234.56, 1e-9, null, NaN, -Infinity, 100].map(page.show);
  assert.deepEqual(shown, ["0", "0.05", "−1.5", "1234.6", "1.000e−9", "not a number", "not a number", "minus infinite", "100"]);
});

test("long texts lose their middle, and no letter is cut in two", () => {
  assert.equal(page.cut("short", 10), "short");
  const cut = page.cut("🦀".repeat(10000), 20);
  assert.equal(Array.from(cut).length, 20);
  assert.ok(cut.includes("…") && !cut.includes("\ufffd"));
});

test("cells are quoted, and no formulas", () => {
  assert.equal(page.csvText("plain"), "plain");
  assert.equal(page.csvText('a "b", c'), '"a ""b"", c"');
  for (const start of ["=", "+", "-", "@", "\t", "\r"]) assert.match(page.csvText(`${start}cmd|' /C calc'!A0`), /^"?'/);
  assert.equal(page.csvNumber(-1.5), "-1.5");
  assert.equal(page.csvNumber(NaN), "");
});

test("the table for download", () => {
  const plain = page.csvOf(page.unpackSamples(columns({}), 2), 2);
  assert.equal(plain, "row,score,membership,accepted,region,p_value\n0,-1.5,0.25,true,0,0.1\n7,,0,false,2,0.3333333333333333\n");
  const full = page.csvOf(page.unpackSamples(columns({ name: ["=1+1", "b"], label: "-o" }), 1), 1);
  assert.equal(full.split("\n")[0], "row,name,score,membership,accepted,region,p_value,set,label");
  assert.equal(full.split("\n")[1], "0,'=1+1,-1.5,0.25,true,0,0.1,training,");
  assert.equal(full.split("\n")[2], "7,b,,0,false,2,0.3333333333333333,new,outlier");
});

test("rows in order need not be told", () => {
  assert.deepEqual(Array.from(page.unpackSamples(columns({ row: "" }), 1).row), [0, 0]);
});

test("ticks are round, and there are never too many", () => {
  assert.deepEqual(page.ticks(0, 1, 6).map((t) => t.label), ["0.0", "0.2", "0.4", "0.6", "0.8", "1.0"]);
  assert.deepEqual(page.ticks(1, 1, 5), []);
  assert.deepEqual(page.ticks(NaN, 1, 5), []);
  for (const high of [1e-9, 0.37, 99, 1e12]) assert.ok(page.ticks(0, high, 7).length <= 7);
});

test("extents hold what is finite", () => {
  assert.deepEqual(page.extent([1, NaN, 3, Infinity]), [1, 3]);
  assert.deepEqual(page.extent([]), [0, 1]);
  assert.deepEqual(page.extent([2, 2]), [1.5, 2.5]);
});
