// The sections below the map: thresholds, labels, weights, training, and the table of samples.

/** Densities of the differences, and a slider over the percentile. */
function thresholdSection(place, data) {
  const { slider, density } = data;
  const what = data.is_closeness ? "difference to the largest closeness of the region" : "difference to the highest score of the region";
  const all = density.flatMap((curve) => curve.y);
  const end = density.length > 0 ? density[0].x[density[0].x.length - 1] : 1;
  const plot = axes(`Density of the ${what}, by region`, { name: what, domain: [0, end] }, { name: "density", domain: [0, 1.05 * extent([0, ...all])[1]] });
  for (const curve of density) addLine(plot, curve.x.map((x, i) => [x, curve.y[i]]), colorOf(curve.region));
  const lines = draw("g", { "stroke-dasharray": "6 4", "stroke-width": 2 });
  plot.svg.append(lines);
  const input = make("input", { type: "range", id: "percentile", min: 0, max: slider.percentiles.length - 1, step: 1, value: slider.own });
  const value = make("output", { for: "percentile", id: "percentile-value" });
  const counts = make("p", { class: "counts", id: "counts", "aria-live": "polite" });
  const [training, nominals, outliers] = slider.totals;
  function count(id, number, total, noun) {
    return [make("strong", { id }, String(number)), ` of ${total} ${noun}`];
  }
  function update() {
    const i = Number(input.value);
    const l = slider.percentiles[i];
    const share = show(1 - l / 100);
    const rule = slider.is_by_region ? `differences up to percentile ${show(l)} of each region` : `p-values above ${share}`;
    const own = i === slider.own ? ", the model’s own threshold" : "";
    value.textContent = `Percentile ${show(l)}: accepts ${rule}${own}.`;
    input.setAttribute("aria-valuetext", value.textContent);
    const parts = [count("accepted-training", slider.training[i], training, "training samples")];
    if (slider.nominals) parts.push(count("accepted-nominals", slider.nominals[i], nominals, slider.outliers ? "new nominals" : "new samples"));
    if (slider.outliers) parts.push(count("accepted-outliers", slider.outliers[i], outliers, "outliers"));
    counts.replaceChildren("Accepted: ", ...parts.flatMap((part, p) => (p > 0 ? [", ", ...part] : part)), ".");
    const marks = slider.boundaries[i].flatMap((boundary, region) => {
      if (boundary === null || !(boundary >= 0) || boundary > end) return [];
      const x = plot.atX(boundary);
      return [draw("line", { x1: x, x2: x, y1: plot.top, y2: plot.bottom, stroke: colorOf(region) })];
    });
    lines.replaceChildren(...marks);
  }
  input.addEventListener("input", update);
  update();
  const rows = () => slider.percentiles.map((l, i) => {
    const row = [l, slider.training[i]];
    if (slider.nominals) row.push(slider.nominals[i]);
    if (slider.outliers) row.push(slider.outliers[i]);
    return row;
  });
  const head = ["percentile", "training samples"];
  if (slider.nominals) head.push(slider.outliers ? "new nominals" : "new samples");
  if (slider.outliers) head.push("outliers");
  const curves = () => (density.length > 0 ? density[0].x.map((x, i) => [x, ...density.map((curve) => curve.y[i])]) : []);
  const caption = "A curve for each region; dashed, how far its samples may fall short and still be accepted.";
  place.append(
    make("h2", {}, "Where the threshold lies"),
    figure(caption, plot.svg, folded("densities", [what, ...density.map((c) => `region ${c.region}`)], curves)),
    make("label", { for: "percentile", class: "screen" }, "Percentile of the nominals that is accepted"),
    make("div", { class: "screen" }, input),
    make("p", {}, value),
    counts,
    folded("accepted samples by percentile", head, rows),
  );
}

/** A curve in the unit square. */
function unitCurve(label, names, points, diagonal) {
  const plot = axes(label, { name: names[0], domain: [0, 1] }, { name: names[1], domain: [0, 1] });
  if (diagonal) addLine(plot, [[0, 0], [1, 1]], "var(--line)", { "stroke-dasharray": "4 4" });
  addLine(plot, points, "var(--r0)");
  return figure(label, plot.svg, folded(label, names, () => points));
}

/** What labels tell. */
function labelledSection(place, data, samples, pinButton) {
  const { labelled } = data;
  if (!labelled) return;
  const { confusion, bins } = labelled;
  const most = Math.max(1, ...labelled.nominals, ...labelled.outliers);
  const histogram = axes("Histogram of the scores", { name: "score", domain: [bins[0], bins[bins.length - 1]] }, { name: "samples", domain: [0, most * 1.05] });
  const bars = (counts, color, shift) => counts.forEach((count, i) => {
    const x = histogram.atX(bins[i]);
    const width = (histogram.atX(bins[i + 1]) - x) / 2;
    const y = histogram.atY(count);
    histogram.svg.append(draw("rect", { x: x + shift * width, y, width, height: Math.max(histogram.bottom - y, 0), fill: color }));
  });
  bars(labelled.nominals, "var(--r0)", 0);
  bars(labelled.outliers, "var(--r1)", 1);
  if (labelled.boundary !== null && labelled.boundary >= bins[0] && labelled.boundary <= bins[bins.length - 1]) {
    const x = histogram.atX(labelled.boundary);
    histogram.svg.append(draw("line", { x1: x, x2: x, y1: histogram.top, y2: histogram.bottom, stroke: "var(--ink)", "stroke-width": 2, "stroke-dasharray": "6 4" }));
  }
  const ofBins = () => labelled.nominals.map((count, i) => [bins[i], bins[i + 1], count, labelled.outliers[i]]);
  const mistake = (m) => [
    pinButton(m.sample),
    m.is_missed ? "outlier accepted" : "nominal rejected",
    samples.score[m.sample],
    samples.pValue[m.sample],
    samples.region[m.sample],
  ];
  place.append(
    make("h2", {}, "How well outliers are told from nominals"),
    make("div", { class: "halves" },
      unitCurve(`ROC curve, AUC ${show(labelled.auc)}`, ["fraction of nominals rejected", "fraction of outliers rejected"], labelled.roc, true),
      unitCurve(`Precision and recall of finding outliers, average precision ${show(labelled.average_precision)}`, ["recall", "precision"], labelled.precision_recall, false),
      figure("Scores: nominals (left bars), outliers (right bars); dashed, the smallest accepted score. The first and the last bin hold all beyond.",
        histogram.svg, folded("histogram of the scores", ["from", "to", "nominals", "outliers"], ofBins)),
      make("div", {},
        tableOf("At the threshold", ["", "accepted", "rejected"], [
          ["nominals", confusion.nominals_accepted, confusion.nominals_rejected],
          ["outliers", confusion.outliers_accepted, confusion.outliers_rejected],
        ]),
        labelled.mistakes.length > 0
          ? tableOf("The worst mistakes, accepted outliers and rejected nominals in turn", ["sample", "what", "score", "p-value", "region"], labelled.mistakes.map(mistake))
          : make("p", {}, "No sample is judged against its label."))),
  );
}

/** Weights of the features, as bars. */
function weightsSection(place, data) {
  const shown = data.weights.filter(([, value]) => value !== null);
  if (shown.length === 0) return;
  const most = 24;
  const order = [...shown].sort((a, b) => Math.abs(b[1]) - Math.abs(a[1]));
  const largest = Math.max(...shown.map(([, value]) => Math.abs(value)), 1e-300);
  const alike = shown.every(([, value]) => value === shown[0][1]);
  place.append(make("h2", {}, "Weights of the features"));
  if (alike) {
    place.append(make("p", {}, `All ${shown.length} weigh ${show(shown[0][1])}: no search has changed them.`));
  } else {
    const bars = order.slice(0, most).map(([name, value]) => {
      const bar = make("span", { class: "bar" });
      bar.style.width = `${(10 * Math.abs(value)) / largest}rem`;
      return [cut(name, 40), value, bar];
    });
    const caption = shown.length > most ? `The ${most} largest of ${shown.length}` : "Largest first";
    place.append(tableOf(caption, ["feature", "weight", ""], bars));
  }
  place.append(folded("all weights", ["feature", "weight"], () => shown.map(([name, value]) => [cut(name, 80), value])));
  if (data.views.length > 0) {
    place.append(tableOf("Views whose scores are added", ["view", "weight"], data.views));
  }
}

/** The descent over k, the progress of the search, and what the training took. */
function trainingSection(place, data) {
  const parts = [];
  if (data.descent.length > 0) {
    const points = data.descent.map((step) => [step.neighbors, step.eta]);
    const plot = axes("Objective η against the number of neighbors k", { name: "neighbors k", domain: extent(points.map((p) => p[0]), 0.05) }, { name: "objective η", domain: extent(points.map((p) => p[1]), 0.1) });
    addLine(plot, points, "var(--r0)");
    for (const [k, eta] of points) {
      const isChosen = k === data.neighbors;
      plot.svg.append(draw("circle", { cx: plot.atX(k), cy: plot.atY(eta), r: isChosen ? 6 : 3, fill: isChosen ? "var(--r1)" : "var(--r0)" }));
    }
    const caption = `The descent over k, from right to left; it kept k = ${data.neighbors} (large point).`;
    parts.push(figure(caption, plot.svg, folded("the descent", ["k", "η", "regions"], () => data.descent.map((s) => [s.neighbors, s.eta, s.regions]))));
  }
  if (data.search.length > 0) {
    let best = Infinity;
    const bests = data.search.map((eta, i) => {
      best = Math.min(best, eta);
      return [i + 1, best];
    });
    const each = data.search.map((eta, i) => [i + 1, eta]);
    const plot = axes("Progress of the search", { name: "evaluation", domain: extent(each.map((p) => p[0])) }, { name: "objective η", domain: extent(data.search, 0.05) });
    for (const [i, eta] of each) plot.svg.append(draw("circle", { cx: plot.atX(i), cy: plot.atY(eta), r: 1.6, fill: "var(--r5)" }));
    addLine(plot, bests, "var(--r1)");
    parts.push(figure("The search: every evaluation, and the best so far (line).", plot.svg, folded("the search", ["evaluation", "η", "best"], () => each.map(([i, eta], at) => [i, eta, bests[at][1]]))));
  }
  if (data.stages.length > 0) parts.push(tableOf("Time and memory", ["stage", "what it took"], data.stages));
  if (parts.length > 0) place.append(make("h2", {}, "How the model was found"), make("div", { class: "halves" }, ...parts));
}

/** All samples in pages, the most suspicious first, and the download. */
function samplesSection(place, data, samples, pinButton) {
  const rows = 20;
  const order = Array.from({ length: samples.count }, (_, i) => i);
  // New samples first, since they are what is asked about.
  const isOld = (i) => Number(samples.count > data.training && i < data.training);
  order.sort((a, b) => isOld(a) - isOld(b) || samples.score[a] - samples.score[b] || a - b);
  const hasLabels = /[no]/.test(samples.label);
  const head = ["sample", "decision", "score", "membership", "p-value", "region", ...(hasLabels ? ["label"] : [])];
  const body = make("div", {});
  const said = make("span", { role: "status" });
  const back = make("button", { type: "button" }, "Previous");
  const next = make("button", { type: "button" }, "Next");
  const pages = Math.max(Math.ceil(order.length / rows), 1);
  let page = 0;
  function update() {
    const some = order.slice(page * rows, (page + 1) * rows).map((i) => [
      pinButton(i),
      `${samples.accepted[i] === "1" ? "accepted" : "rejected"}${samples.trimmed.has(i) ? ", far out" : ""}`,
      samples.score[i], samples.membership[i], samples.pValue[i], samples.region[i],
      ...(hasLabels ? [LABELS[samples.label[i]]] : []),
    ]);
    body.replaceChildren(tableOf("All samples, the lowest scores first", head, some));
    said.textContent = `Page ${page + 1} of ${pages}`;
    back.disabled = page === 0;
    next.disabled = page === pages - 1;
  }
  back.addEventListener("click", () => { page -= 1; update(); });
  next.addEventListener("click", () => { page += 1; update(); });
  update();
  const download = make("button", { type: "button", id: "download" }, "Download all scores (CSV)");
  download.addEventListener("click", () => {
    const address = URL.createObjectURL(new Blob([csvOf(samples, data.training)], { type: "text/csv" }));
    make("a", { href: address, download: "scores.csv" }).click();
    setTimeout(() => URL.revokeObjectURL(address), 10000);
  });
  place.append(make("h2", {}, "Samples"), body, make("div", { class: "tools screen" }, back, said, next, download));
}
