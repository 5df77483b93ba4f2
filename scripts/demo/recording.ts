// The demo as a picture for the README: one screen a step, each for a few seconds, in the colours that the reader's
// system prefers. Made of the lines of a real run.
import { stripVTControlCharacters } from "node:util";

const SECONDS = 6;
const LINE = 17;
const COLUMN = 7.3;
const WIDTH = 116;
const MARGIN = 14;

/** What a line begins with, and its class. */
const CLASSES: readonly (readonly [RegExp, string])[] = [
  [/^━/, "title"],
  [/^\$ /, "command"],
  [/^✓/, "good"],
  [/^ *\+ /, "good"],
  [/^ *~ /, "change"],
  [/^ *- \w+ \S+ (?:delete|deleted)/, "bad"],
  [/^ *(?:error|warning|ERROR|psql): ?/, "bad"],
];

/** `printed`: all lines of the run, with their colours. */
export function recordingOf(printed: readonly string[]): string {
  const screens: string[][] = [];
  for (const line of printed.map(stripVTControlCharacters)) {
    if (/^━━━ \d/.test(line)) screens.push([]);
    screens.at(-1)?.push(line);
  }
  const height = Math.max(...screens.map((lines) => lines.length)) * LINE + 2 * MARGIN;
  const width = Math.round(WIDTH * COLUMN) + 2 * MARGIN;
  const shown = 100 / screens.length;
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" font-family="ui-monospace, Menlo, Consolas, monospace" font-size="12">
<title>npm start: ${screens.length} steps from preview to destroy</title>
<style>
.paper { fill: #ffffff; } text { fill: #24292f; white-space: pre; }
.title { fill: #0a6c8f; font-weight: bold; } .command { font-weight: bold; }
.good { fill: #1a7f37; } .change { fill: #9a6700; } .bad { fill: #cf222e; }
@media (prefers-color-scheme: dark) {
.paper { fill: #0d1117; } text { fill: #e6edf3; }
.title { fill: #56d4dd; } .good { fill: #3fb950; } .change { fill: #d29922; } .bad { fill: #ff7b72; }
}
.screen { visibility: hidden; animation: turn ${screens.length * SECONDS}s step-end infinite; }
@keyframes turn { 0% { visibility: visible; } ${shown}% { visibility: hidden; } }
@media (prefers-reduced-motion: reduce) { .screen { animation: none; } .screen:nth-of-type(2) { visibility: visible; } }
</style>
<rect class="paper" width="100%" height="100%" rx="8"/>
${screens.map(screenOf).join("\n")}
</svg>
`;
}

function screenOf(lines: readonly string[], index: number): string {
  const texts = lines.map((line, at) => {
    const name = CLASSES.find(([start]) => start.test(line))?.[1];
    const attributes = name === undefined ? "" : ` class="${name}"`;
    return `<text x="${MARGIN}" y="${MARGIN + (at + 1) * LINE - 4}"${attributes}>${escaped(line)}</text>`;
  });
  return `<g class="screen" style="animation-delay: ${index * SECONDS}s">\n${texts.join("\n")}\n</g>`;
}

function escaped(line: string): string {
  const cut = line.length > WIDTH ? `${line.slice(0, WIDTH - 1)}…` : line;
  return cut.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
