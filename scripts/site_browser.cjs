// Opens every page of the site at 390 and 1280 pixels: no console errors, nothing fetched from elsewhere, nothing wider than the
// window, and a search that finds something. `python scripts/site.py --browser` runs it. Pictures go to target/site/pictures.
"use strict";
const fs = require("node:fs");
const http = require("node:http");
const path = require("node:path");
const { createRequire } = require("node:module");

const site = process.env.EOCC_SITE;
const { chromium } = createRequire(path.join(process.env.EOCC_NODE_PACKAGES, "package.json"))("playwright-core");
const pictures = path.join(site, "..", "pictures");
const PICTURED = ["index.html", "docs/any-data.html", "docs/guide/first-minutes.html", "docs/results/leaderboard.html", "api/python.html"];
const TYPES = { ".html": "text/html", ".css": "text/css", ".js": "text/javascript", ".json": "application/json", ".svg": "image/svg+xml", ".png": "image/png" };

const server = http.createServer((request, response) => {
  const file = path.join(site, decodeURIComponent(new URL(request.url, "http://localhost").pathname));
  fs.readFile(fs.existsSync(file) && fs.statSync(file).isDirectory() ? path.join(file, "index.html") : file, (error, data) => {
    response.writeHead(error ? 404 : 200, { "Content-Type": TYPES[path.extname(file)] ?? "application/octet-stream" });
    response.end(error ? "" : data);
  });
});

function pages(folder = site) {
  return fs.readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const full = path.join(folder, entry.name);
    if (entry.isDirectory()) return entry.name === "rust" ? [] : pages(full);
    return entry.name.endsWith(".html") && entry.name !== "404.html" ? [path.relative(site, full)] : [];
  });
}

async function main() {
  await new Promise((done) => server.listen(0, "127.0.0.1", done));
  const base = `http://127.0.0.1:${server.address().port}/`;
  const known = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];
  const folders = process.env.PATH.split(path.delimiter);
  const installed = known.flatMap((name) => folders.map((folder) => path.join(folder, name))).find((file) => fs.existsSync(file));
  const browser = await chromium.launch({ executablePath: process.env.EOCC_BROWSER ?? installed, args: ["--no-sandbox"] });
  fs.mkdirSync(pictures, { recursive: true });
  const faults = [];
  for (const [width, height] of [[390, 844], [1280, 800]]) {
    const context = await browser.newContext({ viewport: { width, height } });
    for (const name of pages()) {
      const page = await context.newPage();
      page.on("console", (message) => message.type() === "error" && faults.push(`${width} ${name}: ${message.text()}`));
      page.on("pageerror", (error) => faults.push(`${width} ${name}: ${error.message}`));
      page.on("request", (request) => {
        const url = request.url();
        if (!url.startsWith(base) && !url.startsWith("data:") && !url.startsWith("blob:")) faults.push(`${width} ${name}: asks for ${url}`);
      });
      await page.goto(base + name, { waitUntil: "load" });
      const wide = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
      if (wide > 1) faults.push(`${width} ${name}: ${wide} pixels too wide`);
      if (PICTURED.includes(name)) {
        await page.screenshot({ path: path.join(pictures, `${name.replaceAll("/", "-").replace(".html", "")}-${width}.png`) });
      }
      await page.close();
    }
    const page = await context.newPage();
    await page.goto(base + "index.html");
    await page.locator(".md-search__button, label.md-header__button[for=__search]").filter({ visible: true }).first().click();
    await page.waitForTimeout(500);
    await page.keyboard.type("membership");
    const found = page.locator('a[href*="h=membership"]').first();
    await found.waitFor({ timeout: 10_000 }).catch(() => faults.push(`${width}: the search finds nothing`));
    await page.screenshot({ path: path.join(pictures, `search-${width}.png`) });
    await context.close();
  }
  await browser.close();
  server.close();
  faults.forEach((fault) => console.error(fault));
  console.log(`${pages().length} pages at two widths, ${faults.length} faults`);
  process.exitCode = faults.length ? 1 : 0;
}

main();
