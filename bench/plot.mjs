// Two pictures in one SVG: what `up` costs against the number of services, and what waiting costs. Both axes are
// logarithmic, so that "twice as many, twice as dear" is a straight line. No script, no font, no colour alone: each line
// has its name at its end.

import { getsOf } from "./figures.mjs";

const WIDTH = 420;
const HEIGHT = 300;
const PAD = { left: 62, right: 110, top: 36, bottom: 44 };
const COLOURS = { floor: "#8a8f98", ours: "#2563eb", naive: "#d97706" };
const NAMES = { floor: "engine floor", ours: "pulumi-dbcloud", naive: "naive" };

export function plot(results) {
  const walls = pick(
    results,
    (one) => one.kind === "life" && one.checkpoints,
    ({ up }) => up.wallMs / 1_000,
  );
  const gets = pick(
    results,
    (one) => one.kind === "waiting",
    ({ up }) => getsOf(up.requests),
  );
  const panels = [
    panel("up with checkpoints, seconds", walls, 0),
    panel("GETs while 2 to 20 s pass", gets, WIDTH + 20),
  ];
  const whole = 2 * WIDTH + 20;
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${whole} ${HEIGHT}" width="${whole}" height="${HEIGHT}" role="img" aria-label="Cost against the number of services" font-family="system-ui, sans-serif" font-size="12">
<rect width="100%" height="100%" fill="#ffffff"/>
${panels.join("\n")}
</svg>
`;
}

/** Subject → its points (size, value), ascending. */
function pick(results, isWanted, valueOf) {
  const lines = {};
  for (const { size, subjects } of results.filter(isWanted).toSorted((a, b) => a.size - b.size)) {
    for (const [subject, summary] of Object.entries(subjects)) {
      (lines[subject] ??= []).push([size, Math.max(valueOf(summary), 0.1)]);
    }
  }
  return lines;
}

function panel(title, lines, offset) {
  const points = Object.values(lines).flat();
  if (points.length === 0) return "";
  const x = scale(decades(points.map(([size]) => size)), PAD.left, WIDTH - PAD.right);
  const y = scale(decades(points.map(([, value]) => value)), HEIGHT - PAD.bottom, PAD.top);
  const drawn = Object.entries(lines).map(([subject, line]) => drawLine(subject, line, x, y));
  return `<g transform="translate(${offset} 0)">
<text x="${PAD.left}" y="20" font-weight="600" fill="#111827">${title}</text>
${grid(x, y)}
<text x="${(PAD.left + WIDTH - PAD.right) / 2}" y="${HEIGHT - 8}" text-anchor="middle" fill="#374151">services</text>
${drawn.join("\n")}
</g>`;
}

function decades(values) {
  const low = Math.floor(Math.log10(Math.min(...values)));
  const high = Math.ceil(Math.log10(Math.max(...values)));
  return [low, Math.max(high, low + 1)];
}

function scale([low, high], from, to) {
  const place = (value) => from + ((Math.log10(value) - low) / (high - low)) * (to - from);
  const ticks = Array.from({ length: high - low + 1 }, (_, step) => 10 ** (low + step));
  return { place, ticks };
}

function grid(x, y) {
  const across = y.ticks.map((tick) => {
    const at = y.place(tick).toFixed(1);
    return `<line x1="${PAD.left}" x2="${WIDTH - PAD.right}" y1="${at}" y2="${at}" stroke="#e5e7eb"/><text x="${PAD.left - 8}" y="${at}" dy="4" text-anchor="end" fill="#374151">${label(tick)}</text>`;
  });
  const down = x.ticks.map((tick) => {
    const at = x.place(tick).toFixed(1);
    return `<line x1="${at}" x2="${at}" y1="${PAD.top}" y2="${HEIGHT - PAD.bottom}" stroke="#e5e7eb"/><text x="${at}" y="${HEIGHT - PAD.bottom + 18}" text-anchor="middle" fill="#374151">${label(tick)}</text>`;
  });
  return [...across, ...down].join("\n");
}

function drawLine(subject, line, x, y) {
  const places = line.map(([size, value]) => [x.place(size).toFixed(1), y.place(value).toFixed(1)]);
  const colour = COLOURS[subject];
  const dots = places.map(([cx, cy]) => `<circle cx="${cx}" cy="${cy}" r="3" fill="${colour}"/>`).join("");
  const [endX, endY] = places.at(-1);
  // Two names at one place would hide each other: the floor stands below its line, the others above.
  const shift = subject === "floor" ? 14 : -4;
  return `<polyline points="${places.map((place) => place.join(",")).join(" ")}" fill="none" stroke="${colour}" stroke-width="2"/>${dots}<text x="${Number(endX) + 8}" y="${Number(endY) + shift}" fill="${colour}">${NAMES[subject]}</text>`;
}

const label = (value) => (value >= 1 ? value.toLocaleString("en-US") : String(value));
