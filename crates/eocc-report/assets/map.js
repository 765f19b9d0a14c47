// The map: samples, edges and what is under the pointer. Drawn on a canvas, since there may be thousands; what it shows can be
// reached by keys and is in the table of samples too.

function createMap(place, data, samples, sayHover, pin) {
  const which = unpackIndices(data.map.sample);
  const xs = unpackNumbers(data.map.x);
  const ys = unpackNumbers(data.map.y);
  const edges = unpackIndices(data.map.edges);
  const hasNew = samples.count > data.training;
  const extentX = extent(xs, 0.04);
  const extentY = extent(ys, 0.04);
  // By suspicion: the order of the keys, and of drawing.
  const order = Array.from(which.keys()).sort((a, b) => samples.score[which[a]] - samples.score[which[b]] || a - b);
  const canvas = make("canvas", {});
  const tooltip = make("div", { class: "tooltip", hidden: true });
  const box = make("div", {
    class: "map", tabindex: "0", role: "application", "aria-roledescription": "map", "aria-describedby": "map-help",
    "aria-label": `Map of ${which.length} samples: ${data.map.axes.join(" and ")}`,
  }, canvas, tooltip);
  place.append(box);
  const view = { scale: 1, x: 0, y: 0 };
  const state = { hover: -1, pinned: -1, drag: null };

  const size = () => [canvas.clientWidth || 600, canvas.clientHeight || 400];
  function at(i) {
    const [width, height] = size();
    const pad = 14;
    const x = pad + ((xs[i] - extentX[0]) / (extentX[1] - extentX[0])) * (width - 2 * pad);
    const y = height - pad - ((ys[i] - extentY[0]) / (extentY[1] - extentY[0])) * (height - 2 * pad);
    return [(x - width / 2) * view.scale + width / 2 + view.x, (y - height / 2) * view.scale + height / 2 + view.y];
  }
  const isBackground = (i) => hasNew && which[i] < data.training;
  function radius(i) {
    const degree = samples.membership[which[i]];
    const own = 2.2 + 4 * (Number.isFinite(degree) ? Math.min(Math.max(degree, 0), 1) : 0);
    return isBackground(i) ? 0.55 * own : own;
  }

  function shape(context, i, x, y, grow = 0) {
    const r = radius(i) + grow;
    context.beginPath();
    if (samples.accepted[which[i]] === "1") {
      context.arc(x, y, r, 0, 2 * Math.PI);
    } else {
      const s = Math.max(r, 4 + grow);
      context.moveTo(x, y - 1.3 * s);
      context.lineTo(x + 1.2 * s, y + 0.9 * s);
      context.lineTo(x - 1.2 * s, y + 0.9 * s);
      context.closePath();
    }
  }

  function paint() {
    const [width, height] = size();
    const ratio = window.devicePixelRatio || 1;
    canvas.width = Math.round(width * ratio);
    canvas.height = Math.round(height * ratio);
    const context = canvas.getContext("2d");
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    const style = getComputedStyle(document.documentElement);
    const color = (name) => style.getPropertyValue(name).trim();
    const palette = Array.from({ length: 8 }, (_, r) => color(`--r${r}`));
    const page = color("--page");
    const ink = color("--ink");
    const places = Array.from(which.keys(), at);
    context.beginPath();
    for (let e = 0; e + 1 < edges.length; e += 2) {
      const [a, b] = [places[edges[e]], places[edges[e + 1]]];
      context.moveTo(a[0], a[1]);
      context.lineTo(b[0], b[1]);
    }
    context.strokeStyle = color("--edge");
    context.lineWidth = 0.7;
    context.stroke();
    // The most suspicious last, on top; training samples below new ones.
    const painted = [...order].reverse().sort((a, b) => Number(isBackground(b)) - Number(isBackground(a)));
    for (const i of painted) {
      const [x, y] = places[i];
      if (x < -20 || y < -20 || x > width + 20 || y > height + 20) continue;
      const own = palette[samples.region[which[i]] % 8];
      const isHollow = samples.label[which[i]] === "o";
      shape(context, i, x, y);
      context.globalAlpha = isBackground(i) ? 0.45 : 0.9;
      context.fillStyle = isHollow ? page : own;
      context.fill();
      context.lineWidth = isHollow ? 2 : 0.8;
      context.strokeStyle = isHollow ? own : page;
      context.stroke();
    }
    context.globalAlpha = 1;
    for (const [i, width] of [[state.hover, 2], [state.pinned, 3]]) {
      if (i < 0) continue;
      shape(context, i, ...places[i], 3);
      context.strokeStyle = ink;
      context.lineWidth = width;
      context.stroke();
    }
  }

  let waiting = false;
  function repaint() {
    if (waiting) return;
    waiting = true;
    requestAnimationFrame(() => {
      waiting = false;
      paint();
    });
  }

  /** The drawn sample closest to a place, if one is close; those that are not background first. */
  function nearest(x, y) {
    let best = -1;
    let least = 14 * 14;
    for (let i = 0; i < which.length; i += 1) {
      const [px, py] = at(i);
      const apart = (px - x) ** 2 + (py - y) ** 2 + (isBackground(i) ? 9 : 0);
      if (apart < least) [best, least] = [i, apart];
    }
    return best;
  }

  function hover(i) {
    if (i === state.hover) return;
    state.hover = i;
    tooltip.hidden = i < 0;
    if (i >= 0) {
      tooltip.replaceChildren(...sayHover(which[i], i).map((line) => make("div", {}, line)));
      const [x, y] = at(i);
      const [width] = size();
      tooltip.style.top = `${Math.max(y + 12, 0)}px`;
      tooltip.style.left = x < width / 2 ? `${Math.max(x + 12, 0)}px` : "";
      tooltip.style.right = x < width / 2 ? "" : `${Math.max(width - x + 12, 0)}px`;
    }
    repaint();
  }

  function choose(i) {
    state.pinned = i;
    pin(i < 0 ? -1 : which[i], i);
    repaint();
  }

  function zoom(factor, x, y) {
    const [width, height] = size();
    const [cx, cy] = [x ?? width / 2, y ?? height / 2];
    const scale = Math.min(Math.max(view.scale * factor, 1), 40);
    const by = scale / view.scale;
    view.x = (view.x - (cx - width / 2)) * by + (cx - width / 2);
    view.y = (view.y - (cy - height / 2)) * by + (cy - height / 2);
    if (scale === 1) [view.x, view.y] = [0, 0];
    view.scale = scale;
    hover(-1);
    repaint();
  }

  canvas.addEventListener("pointermove", (event) => {
    if (state.drag && view.scale > 1 && event.buttons) {
      view.x += event.offsetX - state.drag[0];
      view.y += event.offsetY - state.drag[1];
      state.drag = [event.offsetX, event.offsetY, true];
      repaint();
    } else hover(nearest(event.offsetX, event.offsetY));
  });
  canvas.addEventListener("pointerdown", (event) => {
    state.drag = [event.offsetX, event.offsetY, false];
  });
  canvas.addEventListener("pointerleave", () => hover(-1));
  canvas.addEventListener("click", (event) => {
    if (!state.drag || !state.drag[2]) choose(nearest(event.offsetX, event.offsetY));
    state.drag = null;
  });
  canvas.addEventListener("wheel", (event) => {
    if (!event.ctrlKey && document.activeElement !== box) return;
    event.preventDefault();
    zoom(event.deltaY < 0 ? 1.25 : 0.8, event.offsetX, event.offsetY);
  }, { passive: false });
  box.addEventListener("keydown", (event) => {
    const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
    if (step) {
      const from = order.indexOf(state.hover >= 0 ? state.hover : state.pinned);
      const next = from < 0 ? 0 : Math.min(Math.max(from + step, 0), order.length - 1);
      hover(order[next]);
    } else if (event.key === "Enter" || event.key === " ") choose(state.hover);
    else if (event.key === "Escape") {
      hover(-1);
      choose(-1);
    } else if (event.key === "+" || event.key === "=") zoom(1.5);
    else if (event.key === "-") zoom(1 / 1.5);
    else if (event.key === "0") zoom(0);
    else return;
    event.preventDefault();
  });
  new ResizeObserver(repaint).observe(canvas);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", repaint);
  window.addEventListener("beforeprint", paint);
  window.addEventListener("afterprint", repaint);
  paint();
  const drawnAt = new Map(Array.from(which, (sample, i) => [sample, i]));
  return {
    zoom,
    /** Where a sample is on the canvas, in pixels of the page. */
    where: (sample) => (drawnAt.has(sample) ? at(drawnAt.get(sample)) : null),
    pin: (sample) => {
      const i = drawnAt.has(sample) ? drawnAt.get(sample) : -1;
      state.pinned = i;
      pin(sample, i);
      repaint();
    },
  };
}
