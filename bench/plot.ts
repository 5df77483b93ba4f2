// Two charts in one SVG: the cost of `up` against the number of services, and the cost of waiting. Both axes are
// logarithmic, so that proportional growth is a straight line. No script, no font, no meaning by colour alone: each
// line has its name at its end.

import { getsOf } from "./figures.ts";
import { figuresOf, type Figures, type Result, type SubjectName } from "./model.ts";

const WIDTH = 420;
const HEIGHT = 300;
const PAD = { left: 62, right: 110, top: 36, bottom: 44 };
const COLOURS: Readonly<Record<SubjectName, string>> = { floor: "#8a8f98", ours: "#2563eb", naive: "#d97706" };
const NAMES: Readonly<Record<SubjectName, string>> = { floor: "engine floor", ours: "pulumi-dbcloud", naive: "naive" };

type Point = readonly [size: number, value: number];
interface Line {
  subject: SubjectName;
  points: Point[];
}
interface Scale {
  place(value: number): number;
  ticks: readonly number[];
}

export function plot(results: readonly Result[]): string {
  const walls = pick(
    results,
    (one) => one.kind === "lifecycle" && one.checkpoints,
    ({ wallMs }) => wallMs / 1_000,
  );
  const gets = pick(
    results,
    (one) => one.kind === "waiting",
    ({ requests }) => getsOf(requests),
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

/** A line for each subject: the time of its `up`, by ascending size. */
function pick(
  results: readonly Result[],
  isWanted: (result: Result) => boolean,
  valueOf: (figures: Figures) => number,
): Line[] {
  const wanted = results.filter(isWanted).toSorted((a, b) => a.size - b.size);
  return (["floor", "ours", "naive"] as const).flatMap((subject) => {
    const own = wanted.filter(({ subjects }) => subjects[subject] !== undefined);
    const points = own.map((one): Point => [one.size, Math.max(valueOf(figuresOf(one, subject, "up")), 0.1)]);
    return points.length === 0 ? [] : [{ subject, points }];
  });
}

function panel(title: string, lines: readonly Line[], offset: number): string {
  const points = lines.flatMap((line) => line.points);
  if (points.length === 0) return "";
  const x = scale(decades(points.map(([size]) => size)), PAD.left, WIDTH - PAD.right);
  const y = scale(decades(points.map(([, value]) => value)), HEIGHT - PAD.bottom, PAD.top);
  const drawn = lines.map((line) => drawLine(line, x, y));
  return `<g transform="translate(${offset} 0)">
<text x="${PAD.left}" y="20" font-weight="600" fill="#111827">${title}</text>
${grid(x, y)}
<text x="${(PAD.left + WIDTH - PAD.right) / 2}" y="${HEIGHT - 8}" text-anchor="middle" fill="#374151">services</text>
${drawn.join("\n")}
</g>`;
}

function decades(values: readonly number[]): [number, number] {
  const low = Math.floor(Math.log10(Math.min(...values)));
  const high = Math.ceil(Math.log10(Math.max(...values)));
  return [low, Math.max(high, low + 1)];
}

function scale([low, high]: [number, number], from: number, to: number): Scale {
  const place = (value: number): number => from + ((Math.log10(value) - low) / (high - low)) * (to - from);
  const ticks = Array.from({ length: high - low + 1 }, (_, step) => 10 ** (low + step));
  return { place, ticks };
}

function grid(x: Scale, y: Scale): string {
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

function drawLine({ subject, points }: Line, x: Scale, y: Scale): string {
  const places = points.map(([size, value]) => [x.place(size).toFixed(1), y.place(value).toFixed(1)]);
  const colour = COLOURS[subject];
  const dots = places.map(([cx, cy]) => `<circle cx="${cx}" cy="${cy}" r="3" fill="${colour}"/>`).join("");
  const [endX, endY] = places.at(-1) ?? [];
  // Two names at one place would overlap: the floor's is below its line, the others above.
  const shift = subject === "floor" ? 14 : -4;
  return `<polyline points="${places.map((place) => place.join(",")).join(" ")}" fill="none" stroke="${colour}" stroke-width="2"/>${dots}<text x="${Number(endX) + 8}" y="${Number(endY) + shift}" fill="${colour}">${NAMES[subject]}</text>`;
}

const label = (value: number): string => (value >= 1 ? value.toLocaleString("en-US") : String(value));
