// A trace as a picture for the docs: a row for each resource, as Perfetto draws it, in an SVG that needs nothing else.

interface TraceEvent {
  ph: string;
  pid: number;
  tid: number;
  name: string;
  cat?: string;
  ts?: number;
  dur?: number;
  args?: { name?: string };
}

const [LEFT, WIDTH, ROW, TOP] = [110, 760, 26, 34];

export function tracePicture(text: string): string {
  const events = JSON.parse(`${text.replace(/,\n$/, "")}]`) as TraceEvent[];
  const slices = events.filter(({ ph, cat }) => ph === "X" && cat !== "operation");
  // Of the process that changed something; the others only compared.
  const pid = slices.find(({ cat }) => cat === "call")?.pid;
  const own = slices.filter((one) => one.pid === pid);
  const from = Math.min(...own.map(({ ts = 0 }) => ts));
  const to = Math.max(...own.map(({ ts = 0, dur = 0 }) => ts + dur));
  const x = (ts: number): number => LEFT + (WIDTH * (ts - from)) / (to - from);
  const names = events.filter((one) => one.name === "thread_name" && one.pid === pid);
  const tracks = names.filter(({ tid }) => own.some((one) => one.tid === tid));
  const rows = tracks.map(({ tid, args }, index) => {
    const y = TOP + index * ROW;
    const bars = own
      .filter((one) => one.tid === tid)
      .toSorted((one, other) => Number(one.cat === "call") - Number(other.cat === "call"))
      .map(({ name, cat = "", ts = 0, dur = 0 }) => {
        const width = Math.max(2, x(ts + dur) - x(ts));
        const label = cat === "wait" && width > name.length * 6.6 + 4 ? name : "";
        const words =
          label === "" ? "" : `<text class="in" x="${(x(ts) + 4).toFixed(1)}" y="${y + 13}">${label}</text>`;
        return `<rect class="${cat}" x="${x(ts).toFixed(1)}" y="${cat === "call" ? y + 14 : y}" width="${width.toFixed(1)}" height="${cat === "call" ? 6 : 18}" rx="2"/>${words}`;
      });
    return `<text x="12" y="${y + 13}">${args?.name ?? ""}</text>${bars.join("")}`;
  });
  const height = TOP + tracks.length * ROW + 30;
  const seconds = ((to - from) / 1_000_000).toFixed(1);
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 900 ${height}" width="900" height="${height}" font-family="ui-monospace, Menlo, Consolas, 'DejaVu Sans Mono', monospace" font-size="11">
<title>The trace of an up: a row for each resource, with its steps, waits and calls</title>
<style>
.frame { fill: #f6f8fa; stroke: #d0d7de; } text { fill: #24292f; } .in { font-size: 10px; }
.step { fill: #cfd8e6; } .wait { fill: #a9c1f5; } .call { fill: #1d4fc4; }
@media (prefers-color-scheme: dark) {
.frame { fill: #161b22; stroke: #30363d; } text { fill: #e6edf3; } .step { fill: #3a4657; } .wait { fill: #34508f; } .call { fill: #8db0ff; }
}
</style>
<rect class="frame" x="0.5" y="0.5" width="899" height="${height - 1}" rx="6"/>
<text x="12" y="20">pulumi up, ${seconds} s</text>
${rows.join("\n")}
<text x="12" y="${height - 12}">grey: a step · blue: waiting for the server, by its status · the line below: a call</text>
</svg>
`;
}
