// What a user types and reads, as lines of text in an SVG. It does not move, and needs no fonts
// of its own, so that it looks the same wherever it is shown and can be copied from.

/** As much as a page shows without making it smaller. */
const WIDTH = 118;
const LINE = 18;
const COLUMN = 7.3;
const MARGIN = 16;

/** What a line begins with, and its class. */
const CLASSES: readonly (readonly [RegExp, string])[] = [
  [/^# /, "title"],
  [/^\$ /, "command"],
  [/^ ~/, "change"],
];

export function pictureOf(title: string, lines: readonly string[]): string {
  const width = Math.ceil(WIDTH * COLUMN) + 2 * MARGIN;
  const height = lines.length * LINE + 2 * MARGIN;
  const texts = lines.flatMap((line, at) => {
    if (line === "") return [];
    const name = CLASSES.find(([start]) => start.test(line))?.[1];
    const attributes = name === undefined ? "" : ` class="${name}"`;
    return `<text x="${MARGIN}" y="${MARGIN + (at + 1) * LINE - 5}" xml:space="preserve"${attributes}>${escaped(line.trimEnd())}</text>`;
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" font-family="ui-monospace, Menlo, Consolas, 'DejaVu Sans Mono', monospace" font-size="12">
<title>${escaped(title)}</title>
<style>
rect { fill: #f6f8fa; stroke: #d0d7de; } text { fill: #24292f; }
.title { fill: #57606a; } .command { font-weight: bold; } .change { fill: #7d4e00; }
@media (prefers-color-scheme: dark) {
rect { fill: #161b22; stroke: #30363d; } text { fill: #e6edf3; } .title { fill: #8b949e; } .change { fill: #e3b341; }
}
</style>
<rect x="0.5" y="0.5" width="${width - 1}" height="${height - 1}" rx="6"/>
${texts.join("\n")}
</svg>
`;
}

function escaped(text: string): string {
  const cut = text.length > WIDTH ? `${text.slice(0, WIDTH - 1)}…` : text;
  return cut.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
