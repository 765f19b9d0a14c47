// Puts the page together.

function start() {
  const data = JSON.parse(document.getElementById("data").textContent);
  const samples = unpackSamples(data.samples, data.training);
  const place = (id) => document.getElementById(id);
  const drawn = new Map(Array.from(unpackIndices(data.map.sample), (sample, i) => [sample, i]));
  const whyOf = (i) => (i >= 0 && data.why.length > i ? data.why[i] : null);
  const verdict = (i) => (samples.accepted[i] === "1" ? "accepted" : "rejected");

  function said(sample, i) {
    const label = LABELS[samples.label[sample]];
    const lines = [
      `${nameOf(samples, data.training, sample)}${label ? `, ${label}` : ""}`,
      `${verdict(sample)}${samples.trimmed.has(sample) ? ", far out" : ""}`,
      `membership ${show(samples.membership[sample])}`,
      `p-value ${show(samples.pValue[sample])}`,
      `score ${show(samples.score[sample])}`,
      `region ${samples.region[sample]}`,
    ];
    const why = whyOf(i);
    if (why && why.nearest.length > 0) {
      lines.push(`nearest nominals: ${why.nearest.slice(0, 3).map(([name, far]) => `${cut(name, 24)} (${show(far)})`).join(", ")}`);
    }
    return lines;
  }

  const spoken = place("spoken");
  const sayHover = (sample, i) => {
    const lines = said(sample, i);
    spoken.textContent = lines.join("; ");
    return lines;
  };

  const pinned = make("div", { class: "panel", id: "pinned" });
  function pin(sample, i) {
    if (sample < 0) {
      pinned.replaceChildren(make("h3", {}, "No sample is pinned"), make("p", { class: "muted" }, "Click a sample of the map, or a sample in a table, to see why it is judged as it is."));
      return;
    }
    const why = whyOf(i);
    const [title, ...lines] = said(sample, -1);
    const parts = [make("h3", { id: "pinned-title" }, title), make("p", { id: "pinned-values" }, lines.join(", "))];
    if (!why) parts.push(make("p", { class: "muted" }, i < 0 ? "It is not drawn, and why it is judged so is not kept for it." : "Why it is judged so is not kept: the model does not hold its training samples."));
    if (why && why.features.length > 0) {
      const rows = why.features.map((feature) => {
        const bar = make("span", { class: "bar" });
        bar.style.width = `${4 * feature.share}rem`;
        return [cut(feature.name, 40), `${(100 * feature.share).toFixed(0)} %`, bar, cut(feature.value, 60), cut(feature.usual, 80)];
      });
      parts.push(tableOf("What sets it apart", ["feature", "share", "", "value", "among the nominals"], rows));
    }
    if (why && why.nearest.length > 0) {
      parts.push(tableOf("Nearest nominals", ["name", "dissimilarity"], why.nearest.map(([name, far]) => [cut(name, 60), far])));
    }
    if (why && why.matched) {
      parts.push(make("h3", {}, "Beside the nearest"), make("pre", { tabindex: "0", role: "region", "aria-label": "Beside the nearest" }, why.matched));
    }
    pinned.replaceChildren(...parts);
  }
  pin(-1, -1);

  const board = place("map-place");
  // Without coordinates there is nothing to draw, but samples can be pinned from the tables.
  const hasMap = unpackNumbers(data.map.x).length > 0;
  const map = hasMap ? createMap(board, data, samples, sayHover, pin) : {
    pin: (sample) => pin(sample, drawn.has(sample) ? drawn.get(sample) : -1), where: () => null,
  };
  const button = (text, label, action) => {
    const one = make("button", { type: "button", "aria-label": label }, text);
    one.addEventListener("click", action);
    return one;
  };
  if (hasMap) {
    board.append(make("div", { class: "tools screen" },
      button("+", "Zoom in", () => map.zoom(1.5)), button("−", "Zoom out", () => map.zoom(1 / 1.5)), button("All", "Show all of the map", () => map.zoom(0))));
    legend(place("legend"), data, samples);
  } else {
    board.append(make("p", { class: "muted" }, "There is no map; the notes above say why."));
    place("map-help").hidden = true;
  }
  place("pinned-place").append(pinned);

  const pinButton = (sample) => {
    const one = make("button", { type: "button" }, nameOf(samples, data.training, sample));
    one.addEventListener("click", () => {
      map.pin(sample);
      pinned.scrollIntoView({ block: "nearest" });
    });
    return one;
  };
  thresholdSection(place("thresholds"), data);
  labelledSection(place("labelled"), data, samples, pinButton);
  weightsSection(place("weights"), data);
  trainingSection(place("training"), data);
  samplesSection(place("samples"), data, samples, pinButton);
  // What is folded is on paper all the same.
  addEventListener("beforeprint", () => { place("internals").open = true; });
  document.documentElement.dataset.ready = "true";
  // For tests: where a sample is on the page.
  document.addEventListener("eocc-where", (event) => { event.detail.at = map.where(event.detail.sample); });
  return drawn;
}

/** What shapes, colors and sizes mean. */
function legend(place, data, samples) {
  const icon = (...shapes) => draw("svg", { viewBox: "0 0 16 16", "aria-hidden": "true" }, ...shapes);
  const triangle = (attributes) => draw("path", { d: "M8 2L14 13L2 13Z", ...attributes });
  const items = [];
  data.regions.slice(0, 8).forEach((region, r) => {
    items.push([icon(draw("circle", { cx: 8, cy: 8, r: 6, fill: colorOf(r) })), `region ${r} (${region.size})`]);
  });
  if (data.regions.length > 8) items.push([icon(), `${data.regions.length - 8} more regions, colors repeat`]);
  items.push([icon(draw("circle", { cx: 8, cy: 8, r: 6, fill: "var(--muted)" })), "accepted; larger is more central"]);
  items.push([icon(triangle({ fill: "var(--muted)" })), "rejected"]);
  if (samples.count > data.training) items.push([icon(draw("circle", { cx: 8, cy: 8, r: 2.5, fill: "var(--muted)" })), "small and pale: training sample"]);
  if (/o/.test(samples.label)) items.push([icon(draw("circle", { cx: 8, cy: 8, r: 5, fill: "none", stroke: "var(--muted)", "stroke-width": 2 })), "hollow: labelled as an outlier"]);
  place.append(...items.map(([sign, words]) => make("li", {}, sign, words)));
}

start();
