// The report in a real browser. `cargo xtask browser` runs these.
"use strict";
const assert = require("node:assert/strict");
const { after, before, test } = require("node:test");
const { eocc, file, folder, fs, launch, open, packages, parsed, picture, places, table } = require("./support.cjs");
const { show } = require("../../assets/data.js");

const NOMINALS = 300;
const OUTLIERS = 40;
const LABELS = ["--label", "class", "--nominal", "good"];
let browser;
let scores;

before(async () => {
  fs.writeFileSync(file("all.csv"), table(NOMINALS, OUTLIERS));
  eocc("fit", "all.csv", ...LABELS, "-o", "model.eocc");
  scores = parsed(eocc("score", "model.eocc", "all.csv", "--label", "class"));
  eocc("report", "model.eocc", "all.csv", ...LABELS, "-o", "report.html", "--title", "Two clusters and what does not belong");
  browser = await launch();
});

after(async () => {
  await browser?.close();
  fs.rmSync(folder, { recursive: true });
});

test("the page opens without errors, and asks for nothing else", async () => {
  const { context, page, faults } = await open(browser, "report.html");
  await page.waitForTimeout(200);
  assert.deepEqual(faults, []);
  assert.match(await page.title(), /Two clusters/);
  for (const id of ["thresholds", "labelled", "weights", "training", "samples"]) {
    assert.ok(await page.locator(`#${id} h2`).count(), id);
  }
  // The answer comes first, and what the model is like last and folded.
  const titles = await page.locator("h2").allTextContents();
  assert.equal(titles[0], "The most unusual");
  assert.equal(await page.locator("#internals").getAttribute("open"), null);
  await picture(page, "report.png", { clip: { x: 0, y: 0, width: 1200, height: 900 } });
  await context.close();
});

test("hover and click show what the program says of the sample", async () => {
  const { context, page, faults } = await open(browser, "report.html");
  await page.locator("canvas").scrollIntoViewIfNeeded();
  const at = await places(page, Array.from({ length: NOMINALS * 2 + OUTLIERS }, (_, i) => i));
  const apart = (a, b) => Math.hypot(a[0] - b[0], a[1] - b[1]);
  // Rows of the file come after the training samples. Nominal rows lie on top of themselves, outliers alone.
  const rows = scores.map((score, row) => ({ score, row, sample: NOMINALS + row }));
  const alone = rows.filter(({ sample }) => at.every((other, i) => i === sample || apart(other, at[sample]) > 4));
  assert.ok(alone.length >= 10, `${alone.length} samples lie alone`);
  for (const { score, row, sample } of alone.slice(0, 25)) {
    await page.mouse.move(...at[sample]);
    const said = await page.locator(".tooltip").innerText();
    const lines = said.split("\n");
    assert.match(lines[0], new RegExp(`^row ${row}, outlier$`));
    assert.equal(lines[1], score.accepted === "true" ? "accepted" : "rejected");
    assert.equal(lines[2], `membership ${show(Number(score.membership))}`);
    assert.equal(lines[3], `p-value ${show(Number(score.p_value))}`);
    assert.equal(lines[4], `score ${show(Number(score.score))}`);
    assert.equal(lines[5], `region ${score.region}`);
    assert.match(lines[6], /^nearest nominals: #\d+ \(/);
    await page.mouse.click(...at[sample]);
    assert.equal(await page.locator("#pinned-title").innerText(), `row ${row}, outlier`);
    const values = await page.locator("#pinned-values").innerText();
    assert.ok(values.includes(`p-value ${show(Number(score.p_value))}`) && values.includes(`region ${score.region}`), values);
    const reasons = JSON.parse(eocc("explain", "model.eocc", "all.csv", "--label", "class", "--row", String(row), "--json"));
    const panel = await page.locator("#pinned").innerText();
    for (const feature of reasons.features) {
      assert.ok(panel.includes(feature.value) && panel.includes(feature.usual), `${row}: ${JSON.stringify(feature)}`);
    }
    assert.ok(panel.includes(reasons.nearest[0].name));
  }
  assert.deepEqual(faults, []);
  await picture(page, "report-pinned.png");
  await context.close();
});

test("the slider's counts equal a recomputation", async () => {
  const { context, page } = await open(browser, "report.html");
  const training = parsed(eocc("score", "model.eocc", "all.csv", "--label", "class")).slice(0, NOMINALS);
  const data = JSON.parse(await page.locator("#data").evaluate((e) => e.textContent));
  const slider = page.locator("#percentile");
  for (let i = 0; i < data.slider.percentiles.length; i += 1) {
    await slider.evaluate((e, value) => {
      e.value = value;
      e.dispatchEvent(new Event("input"));
    }, i);
    const l = data.slider.percentiles[i];
    const isAccepted = (score) => (i === data.slider.own ? score.accepted === "true" : Number(score.p_value) > 1 - l / 100);
    const count = (some) => String(some.filter(isAccepted).length);
    assert.equal(await page.locator("#accepted-training").innerText(), count(training), `percentile ${l}`);
    assert.equal(await page.locator("#accepted-nominals").innerText(), count(scores.slice(0, NOMINALS)), `percentile ${l}`);
    assert.equal(await page.locator("#accepted-outliers").innerText(), count(scores.slice(NOMINALS)), `percentile ${l}`);
  }
  await context.close();
});

test("what labels tell", async () => {
  const { context, page } = await open(browser, "report.html");
  const [good, bad] = [scores.slice(0, NOMINALS), scores.slice(NOMINALS)].map((some) => some.map((s) => Number(s.score)));
  let wins = 0;
  for (const a of good) for (const b of bad) wins += a > b ? 1 : a === b ? 0.5 : 0;
  const text = await page.locator("#labelled").innerText();
  assert.ok(text.includes(`AUC ${show(wins / (good.length * bad.length))}`), text);
  const rejected = (some) => some.filter((s) => s.accepted === "false").length;
  const cells = await page.locator("#labelled table").first().locator("td.number").allInnerTexts();
  const [n, o] = [rejected(scores.slice(0, NOMINALS)), rejected(scores.slice(NOMINALS))];
  assert.deepEqual(cells, [NOMINALS - n, n, OUTLIERS - o, o].map(show));
  await context.close();
});

test("the download holds the numbers of eocc score", async () => {
  const { context, page, faults } = await open(browser, "report.html");
  const [download] = await Promise.all([page.waitForEvent("download"), page.locator("#download").click()]);
  const rows = parsed(fs.readFileSync(await download.path(), "utf8")).filter((row) => row.set === "new");
  assert.equal(rows.length, scores.length);
  rows.forEach((row, i) => {
    for (const column of ["row", "score", "membership", "region", "p_value"]) assert.equal(Number(row[column]), Number(scores[i][column]), column);
    assert.equal(row.accepted, scores[i].accepted);
    assert.equal(row.label, i < NOMINALS ? "nominal" : "outlier");
  });
  assert.deepEqual(faults, []);
  await context.close();
});

test("the keyboard reaches what the pointer does", async () => {
  const { context, page } = await open(browser, "report.html");
  await page.locator(".map").focus();
  await page.keyboard.press("ArrowRight");
  const spoken = await page.locator("#spoken").innerText();
  const lowest = Math.min(...scores.map((s) => Number(s.score)));
  assert.ok(spoken.includes(`score ${show(lowest)}`), spoken);
  await page.keyboard.press("Enter");
  assert.ok((await page.locator("#pinned").innerText()).includes(`score ${show(lowest)}`));
  await page.keyboard.press("Escape");
  assert.match(await page.locator("#pinned").innerText(), /No sample is pinned/);
  await page.locator("#samples button").first().click();
  assert.match(await page.locator("#pinned-title").innerText(), /^row \d+/);
  await context.close();
});

for (const colorScheme of ["light", "dark"]) {
  test(`axe finds nothing serious, ${colorScheme}`, async () => {
    // The page allows no other scripts, so axe needs leave.
    const { context, page } = await open(browser, "report.html", { colorScheme, bypassCSP: true });
    await page.locator("#samples button").first().click();
    for (const details of await page.locator("details").all()) await details.evaluate((e) => { e.open = true; });
    await page.waitForTimeout(100);
    await page.addScriptTag({ path: packages.resolve("axe-core/axe.min.js") });
    const found = await page.evaluate(() => window.axe.run());
    const serious = found.violations.filter((v) => ["serious", "critical"].includes(v.impact));
    assert.deepEqual(serious.map((v) => `${v.id}: ${v.nodes.slice(0, 3).map((n) => n.html).join(" ")}`), []);
    await context.close();
  });
}

test("dark mode is dark", async () => {
  const { context, page, faults } = await open(browser, "report.html", { colorScheme: "dark" });
  const background = await page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  const light = background.match(/\d+/g).map(Number).reduce((a, b) => a + b) / 3;
  assert.ok(light < 60, background);
  const pixel = await page.evaluate(() => Array.from(document.querySelector("canvas").getContext("2d").getImageData(1, 1, 1, 1).data));
  assert.ok(pixel[3] === 0 || pixel[0] < 90, `${pixel}`);
  assert.deepEqual(faults, []);
  await picture(page, "report-dark.png");
  await context.close();
});

test("a phone shows all of it, 390 pixels wide", async () => {
  const { context, page, faults } = await open(browser, "report.html", { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true });
  assert.ok((await page.evaluate(() => document.documentElement.scrollWidth)) <= 390);
  await page.locator("#samples button").first().click();
  await page.waitForTimeout(100);
  assert.ok((await page.evaluate(() => document.documentElement.scrollWidth)) <= 390);
  assert.deepEqual(faults, []);
  await page.evaluate(() => window.scrollTo(0, 0));
  await picture(page, "report-phone.png");
  await context.close();
});

test("it can be printed", async () => {
  const { context, page, faults } = await open(browser, "report.html", { colorScheme: "dark" });
  await page.emulateMedia({ media: "print" });
  const ink = await page.evaluate(() => getComputedStyle(document.body).color);
  assert.equal(ink, "rgb(0, 0, 0)");
  assert.ok((await page.pdf()).length > 10000);
  assert.deepEqual(faults, []);
  await context.close();
});

test("the paper's classifier, its search, and what the fit took", async () => {
  const said = eocc("fit", "all.csv", ...LABELS, "--preset", "paper", "--search", "genetic", "--evaluations", "60", "-o", "paper.eocc", "--json");
  fs.writeFileSync(file("fit.json"), said);
  eocc("report", "paper.eocc", "all.csv", ...LABELS, "--fit", "fit.json", "-o", "paper.html");
  const { context, page, faults } = await open(browser, "paper.html");
  await page.locator("#internals > summary").click();
  const text = await page.locator("#training").innerText();
  assert.match(text, /descent over k/);
  assert.match(text, /The search/);
  assert.match(text, /memory, at its peak/);
  const own = parsed(eocc("score", "paper.eocc", "all.csv", "--label", "class"));
  const accepted = own.slice(0, NOMINALS).filter((s) => s.accepted === "true").length;
  assert.equal(await page.locator("#accepted-nominals").innerText(), String(accepted));
  assert.deepEqual(faults, []);
  await context.close();
});

test("strings, series and graphs show how a sample differs", async () => {
  const words = ["while", "where", "which", "whose", "there", "these", "those", "their", "them", "then", "than", "this", "that", "thing", "think", "thick"];
  fs.writeFileSync(file("words.txt"), words.concat("xylophone").join("\n") + "\n");
  const series = Array.from({ length: 24 }, (_, i) => Array.from({ length: 12 }, (_, t) => Math.sin(t / 2 + i / 9 + (i === 23 ? t * t : 0)).toFixed(4)).join(","));
  fs.writeFileSync(file("series.csv"), ["t0,t1,t2,t3,t4,t5,t6,t7,t8,t9,t10,t11", ...series].join("\n") + "\n");
  const ring = (n, odd) => ({
    nodes: Array.from({ length: n }, (_, i) => ({ id: String(i), label: odd && i === 0 ? "N" : "C" })),
    edges: Array.from({ length: n }, (_, i) => ({ source: String(i), target: String((i + 1) % n) })),
  });
  fs.mkdirSync(file("graphs"), { recursive: true });
  for (let i = 0; i < 16; i += 1) fs.writeFileSync(file(`graphs/g${i}.json`), JSON.stringify(ring(4 + (i % 4), i === 15)));
  for (const [data, model, options, word] of [
    ["words.txt", "words.eocc", [], "|"],
    ["series.csv", "series.eocc", ["--input", "series-wide"], "step "],
    ["graphs", "graphs.eocc", [], "edits that lead here"],
  ]) {
    eocc("fit", data, ...options, "-o", model);
    eocc("report", model, "-o", `${model}.html`);
    const { context, page, faults } = await open(browser, `${model}.html`);
    await page.locator("#samples button").first().click();
    const text = await page.locator("#pinned pre").innerText();
    assert.ok(text.includes(word), `${model}: ${text}`);
    assert.deepEqual(faults, []);
    await context.close();
  }
});

test("hostile names, values and numbers do no harm", async () => {
  const evil = [
    "</script><script>window.hacked = 1</script>", "<img src=x onerror='window.hacked = 2'>", "\u2028 \u2029 ]]> <!-- ${1}",
    "=cmd|' /C calc'!A0", "quote ' and 🦀 and &amp;", "y".repeat(10000),
  ];
  const quoted = (text) => `"${text.replace(/"/g, '""')}"`;
  const column = "</style></script><script>window.hacked = 3</script>";
  const lines = [["name", quoted(column), "b"].join(",")];
  for (let i = 0; i < 60; i += 1) lines.push([quoted(`${evil[i % evil.length]}${i}`), (i * 7919) % 101, (i * 104729) % 97].join(","));
  fs.writeFileSync(file("evil.csv"), lines.join("\n") + "\n");
  eocc("fit", "evil.csv", "--id", "name", "-o", "evil.eocc");
  eocc("report", "evil.eocc", "evil.csv", "-o", "evil.html", "--title", evil[0]);
  const pages = ["evil.html"];
  // Scores that are no numbers, which no model gives: made by the example `hostile`.
  if (process.env.EOCC_HOSTILE) pages.push(process.env.EOCC_HOSTILE);
  for (const name of pages) {
    const { context, page, faults } = await open(browser, name);
    for (const button of (await page.locator("#samples table button").all()).slice(0, 6)) await button.click();
    for (const details of await page.locator("details").all()) await details.evaluate((e) => { e.open = true; });
    await page.waitForTimeout(100);
    assert.equal(await page.evaluate(() => window.hacked), undefined, name);
    assert.equal(await page.locator("img").count(), 0, name);
    assert.equal(await page.locator("script").count(), 2, name);
    assert.deepEqual(faults, [], name);
    assert.ok((await page.evaluate(() => document.documentElement.scrollWidth)) <= 1200, name);
    const [download] = await Promise.all([page.waitForEvent("download"), page.locator("#download").click()]);
    assert.doesNotMatch(fs.readFileSync(await download.path(), "utf8"), /(^|,)"?[=@]/m);
    await context.close();
  }
  if (process.env.EOCC_HOSTILE) {
    const { context, page } = await open(browser, process.env.EOCC_HOSTILE);
    assert.match(await page.locator("#samples").innerText(), /not a number/);
    await context.close();
  }
});

// Each would set `hacked` to its number if it ran, in one of the browsers of the last twenty years.
const payloads = [
  (n) => `</script><script>window.hacked=${n}</script>`,
  (n) => `<script>window.hacked=${n}</script>`,
  (n) => `<ScRiPt >window.hacked=${n}</sCrIpT >`,
  (n) => `<img src=x onerror=window.hacked=${n}>`,
  (n) => `"><img src=x onerror="window.hacked=${n}">`,
  (n) => `'><img src=x onerror='window.hacked=${n}'>`,
  (n) => `<svg onload=window.hacked=${n}>`,
  (n) => `<svg><script>window.hacked=${n}</script></svg>`,
  (n) => `<svg><animate onbegin=window.hacked=${n} attributeName=x dur=1s>`,
  (n) => `</title><script>window.hacked=${n}</script>`,
  (n) => `</style><script>window.hacked=${n}</script>`,
  (n) => `</textarea><script>window.hacked=${n}</script>`,
  (n) => `--><script>window.hacked=${n}</script><!--`,
  (n) => `<!--<script>window.hacked=${n}</script>`,
  (n) => `]]><script>window.hacked=${n}</script>`,
  (n) => `<iframe srcdoc="<script>parent.hacked=${n}</script>">`,
  (n) => `<iframe src="javascript:parent.hacked=${n}">`,
  (n) => `<a href="javascript:window.hacked=${n}" autofocus>x</a>`,
  (n) => `<input autofocus onfocus=window.hacked=${n}>`,
  (n) => `<details open ontoggle=window.hacked=${n}>`,
  (n) => `<body onload=window.hacked=${n}>`,
  (n) => `<video><source onerror=window.hacked=${n}></video>`,
  (n) => `<object data="data:text/html,<script>parent.hacked=${n}</script>">`,
  (n) => `<math><mtext></table><mglyph><style><img src=x onerror=window.hacked=${n}></style>`,
  (n) => `<link rel=stylesheet href="data:text/css,*{background:red}"><x onclick=window.hacked=${n}>`,
  (n) => `<meta http-equiv=refresh content="0;url=javascript:window.hacked=${n}">`,
  (n) => `<base href="javascript:window.hacked=${n}//">`,
  (n) => `" onmouseover="window.hacked=${n}" x="`,
  (n) => `' style='animation-name:x' onanimationstart='window.hacked=${n}`,
  (n) => `"};window.hacked=${n};var x={"a":"`,
  (n) => `\\u003c/script>\\");window.hacked=${n};//`,
  (n) => `\u2028window.hacked=${n};\u2029`,
  (n) => "${window.hacked=" + n + "}{{constructor.constructor('window.hacked=" + n + "')()}}",
  (n) => `&lt;script&gt;window.hacked=${n}&lt;/script&gt;&#60;img src=x onerror=window.hacked=${n}&#62;`,
  (n) => `\u0000<scr\u0000ipt>window.hacked=${n}</scr\u0000ipt>`,
];

test("no payload runs, wherever it stands", async () => {
  const quoted = (text) => `"${text.replace(/"/g, '""')}"`;
  const next = (() => { let state = 11; return () => (state = (state * 1664525 + 1013904223) % 4294967296) / 4294967296; })();
  const executed = [];
  for (const [number, payload] of payloads.entries()) {
    // A number for each place: a column, a cell and so a level, a sample, a label, the file, the title.
    const at = (place) => payload(1000 * place + number + 1);
    // Zero bytes are refused in tables and in the names of files.
    const clean = (text) => text.replaceAll("\u0000", "");
    const rows = [[clean(at(1)), "b", clean(at(2)), "name", "class"].map(quoted).join(",")];
    for (let i = 0; i < 60; i += 1) {
      const level = i % 3 === 0 ? clean(at(3)) : `level ${i % 3}`;
      rows.push([(next() * 9).toFixed(3), (next() * 9).toFixed(3), quoted(level), quoted(`${clean(at(4))}${i}`), quoted(i < 50 ? clean(at(5)) : "bad")].join(","));
    }
    const name = `${clean(at(6)).replaceAll("/", "_").slice(0, 200)}.csv`;
    fs.writeFileSync(file(name), rows.join("\n") + "\n");
    const labels = ["--label", "class", `--nominal=${clean(at(5))}`];
    // A comma separates classes.
    const [data, options] = at(5).includes(",") ? [name, ["--drop", "class"]] : [name, labels];
    eocc("fit", `./${data}`, "--id", "name", ...options, "-o", "payload.eocc");
    eocc("report", "payload.eocc", `./${data}`, ...options, "-o", "payload.html", `--title=${clean(at(7))}`);
    const { context, page, faults } = await open(browser, "payload.html");
    for (const button of (await page.locator("#samples table button").all()).slice(0, 3)) await button.click();
    for (const details of await page.locator("details").all()) await details.evaluate((e) => { e.open = true; });
    await page.locator(".map").focus();
    await page.keyboard.press("ArrowRight");
    await page.waitForTimeout(30);
    const found = await page.evaluate(() => window.hacked);
    if (found !== undefined) executed.push([number, found]);
    assert.equal(await page.locator("img, iframe, object, video, base, link, meta[http-equiv=refresh]").count(), 0, at(0));
    assert.equal(await page.locator("script").count(), 2, at(0));
    assert.deepEqual(faults, [], at(0));
    await context.close();
  }
  if (process.env.EOCC_PAYLOADS) fs.writeFileSync(process.env.EOCC_PAYLOADS, JSON.stringify({ payloads: payloads.length, executed: executed.length }));
  assert.deepEqual(executed, []);
  assert.ok(payloads.length >= 31);
});

test("a name of 70,000 letters makes no page wider", async () => {
  const long = "x".repeat(70000);
  const rows = [`name,a,${long}`];
  for (let i = 0; i < 80; i += 1) rows.push([i === 7 ? long : `n${i}`, i === 7 ? 900 : (i * 37) % 101, (i * 17) % 89].join(","));
  fs.writeFileSync(file("long.csv"), rows.join("\n") + "\n");
  eocc("fit", "long.csv", "-o", "long.eocc");
  eocc("report", "long.eocc", "long.csv", "-o", "long.html", "--title", long);
  eocc("outliers", "long.csv", "-o", "long.odd.csv", "--report", "odd.html");
  for (const name of ["long.html", "odd.html"]) {
    const { context, page, faults } = await open(browser, name);
    for (const button of (await page.locator("#samples table button").all()).slice(0, 3)) await button.click();
    for (const details of await page.locator("details").all()) await details.evaluate((e) => { e.open = true; });
    await page.waitForTimeout(100);
    const width = await page.evaluate(() => document.documentElement.scrollWidth);
    assert.ok(width <= 1200, `${name}: ${width} pixels`);
    assert.deepEqual(faults, [], name);
    await context.close();
  }
});

test("no policy, no scripts: what is not ours does not run", async () => {
  const evil = fs.readFileSync(file("report.html"), "utf8").replace("</main>", "<script>window.hacked = 1</script></main>");
  fs.writeFileSync(file("changed.html"), evil);
  const { context, page } = await open(browser, "changed.html");
  assert.equal(await page.evaluate(() => window.hacked), undefined);
  await context.close();
});
