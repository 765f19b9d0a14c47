// What the browser tests share: the program, pages made with it, and a browser.
"use strict";
const { execFileSync } = require("node:child_process");
const fs = require("node:fs");
const { createRequire } = require("node:module");
const os = require("node:os");
const path = require("node:path");
const { pathToFileURL } = require("node:url");

// Packages are below the target folder; see xtask/src/browser.rs.
const packages = createRequire(path.join(process.env.EOCC_NODE_PACKAGES, "package.json"));
const { chromium } = packages("playwright-core");

const folder = fs.mkdtempSync(path.join(os.tmpdir(), "eocc-report-"));
const file = (name) => path.join(folder, name);
const eocc = (...words) => execFileSync(process.env.EOCC_PROGRAM, ["--quiet", ...words], { cwd: folder, maxBuffer: 1 << 28 }).toString();

/** Repeatable numbers in [0, 1). */
function random(seed) {
  let state = seed;
  return () => {
    state = (state * 1664525 + 1013904223) % 4294967296;
    return state / 4294967296;
  };
}
const normal = (next) => next() + next() + next() + next() + next() + next() - 3;

/** Rows of a table with two clusters of nominals, and outliers. */
function table(nominals, outliers) {
  const next = random(7);
  const row = (shift, width, name) => [...Array(4)].map((_, c) => ((c < 2 ? shift : 0) + width * normal(next)).toFixed(4)).concat(name);
  const rows = [];
  for (let i = 0; i < nominals; i += 1) rows.push(row(i % 3 === 0 ? 6 : 0, 1, "good"));
  for (let i = 0; i < outliers; i += 1) rows.push(row(i % 2 === 0 ? 3 : -6, 3, "bad"));
  return ["a,b,c,d,class", ...rows.map((r) => r.join(","))].join("\n") + "\n";
}

/** Rows of plain CSV as objects. */
function parsed(text) {
  const [head, ...rows] = text.trimEnd().split("\n").map((line) => line.split(","));
  return rows.map((row) => Object.fromEntries(row.map((cell, c) => [head[c], cell])));
}

const launch = () => chromium.launch({
  executablePath: process.env.EOCC_BROWSER,
  args: ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync"],
});

/** Opens a page; `faults` are errors, warnings and requests for anything but the page itself. */
async function open(browser, name, options = {}) {
  const context = await browser.newContext({ viewport: { width: 1200, height: 900 }, ...options });
  const page = await context.newPage();
  const faults = [];
  const address = pathToFileURL(path.isAbsolute(name) ? name : file(name)).href;
  page.on("console", (message) => ["error", "warning"].includes(message.type()) && faults.push(message.text()));
  page.on("pageerror", (error) => faults.push(String(error)));
  page.on("request", (request) => request.url() !== address && !request.url().startsWith("blob:") && faults.push(request.url()));
  await page.goto(address);
  await page.waitForSelector("html[data-ready=true]", { timeout: 10000 });
  return { context, page, faults };
}

/** Where samples are in the window. */
const places = (page, samples) => page.evaluate((all) => {
  const box = document.querySelector("canvas").getBoundingClientRect();
  return all.map((sample) => {
    const detail = { sample, at: null };
    document.dispatchEvent(new CustomEvent("eocc-where", { detail }));
    return detail.at && [detail.at[0] + box.left, detail.at[1] + box.top];
  });
}, samples);

/** Keeps a picture, if a folder for pictures is named. */
async function picture(page, name, options = {}) {
  const to = process.env.EOCC_SCREENSHOTS;
  if (to) await page.screenshot({ path: path.join(to, name), ...options });
}

module.exports = { eocc, file, folder, fs, launch, open, packages, parsed, picture, places, table };
