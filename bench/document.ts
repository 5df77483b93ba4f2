// docs/performance.md: what was measured, on what, and how to repeat it.
import type { Bound, Table } from "./model.ts";

export interface Report {
  machine: readonly string[];
  tables: readonly Table[];
  bounds: readonly Bound[];
  notes: readonly string[];
  command: string;
}

export function documentOf({ machine, tables, bounds, notes, command }: Report): string {
  return `# Performance

What this package costs beyond the Pulumi engine itself, measured with the real CLI against the emulator in a process of its own. Every figure stands beside its baseline **of the same run**: the *floor* is the same program, with states of the same size, and handlers that do nothing (\`bench/floor\`), *naive* is a dynamic provider as people write their first one, with a poll of its own for each resource every second (\`bench/naive\`).

${machine.map((line) => `- ${line}`).join("\n")}

To repeat it: \`${command}\`; \`--help\` names the options. \`--full\` adds 1,000 services with checkpoints, many minutes of the engine's own saving.
${notes.map((note) => `\n${note}\n`).join("")}
![Cost against the number of services](performance.svg)

## Bounds

${markdownTable({
  head: ["bound", "at most", "measured", "holds"],
  rows: bounds.map(({ what, most, measured, holds }) => [what, most, measured, holds ? "yes" : "**no**"]),
})}

## Figures

${tables.map((table) => `### ${table.title}\n\n${markdownTable(table)}`).join("\n\n")}

## What the figures mean

- **Waiting is shared.** As soon as two services are awaited, one \`GET /services\` serves them all, so the cost of waiting depends on how long it takes and not on how many wait. What a call answers decides when the first read is worth it: an answer that shows work under way sends the resource to the shared read after a pause, one that shows the effect is checked at once with a GET of its own.
- **The moment of done is forecast.** Reads come once a second, and after the first minute less and less often. How long operations of the same kind took earlier in the run brings a read forward to the moment at which the next ones are expected to be done, and many that become ready one after the other are read about twice a second. A read never comes later than without a forecast, except for jitter of a twentieth of the pause; a forecast that is wrong has little to spend. In a simulation of 100 services that are ready after 2.0 s, 8 at once, the run takes 1.12 times its floor (35 s without a forecast, 29.2 s with it, 36 and 37 GETs); services that are two or three seconds apart in a random order cost 10 to 20 % more GETs than without a forecast.
- **\`--parallel\` decides how many are awaited at once.** The engine's default is four times the number of cores. Databases take minutes: 100 of them at 10 minutes each and 8 at a time take two hours, with \`--parallel 100\` ten minutes and no more requests.
- **Saving the state is the engine's own cost.** It writes the whole state at every step, so it grows with the square of the number of resources and with the bytes of each. Small states help every command; \`PULUMI_SKIP_CHECKPOINTS=true\` shows what remains without it, and loses everything since the start in a crash.
- **A program pays for each property of its resources.** Pulumi makes four promises of each and takes a stack trace for each promise, to report those that are never settled. Under \`pulumi\` each frame of these is mapped to its source, which costs more than all the rest. The classes of this package let no trace of a promise be mapped, and store the one line that calls the constructor in place of the whole trace (\`PULUMI_DEBUG_PROMISE_LEAKS\` brings both back); the floor runs the same class, so that this shows in no ratio. A preview of 300 new services in a folder, by the CLI on a busy machine of two cores, took 4.8 to 5.4 s of CPU in the program before and 3.5 to 3.8 s now; 1.6 to 2.0 s of it are Node, Pulumi and the first service.
- **Deletes are proven.** After the server has taken the delete and answers 404 for the service, the project must answer something else, and the service must be missing once more (or a list that began since then must lack it). These requests are the price of never forgetting a database that is still there.
- **The times vary.** Engine, program, provider and emulator share the cores of one machine, and the same command takes up to a third more or less from one run to the next. Check and diff, which are all that the provider does in a preview without changes, take less than a tenth of a millisecond for each service. A preview saves nothing, so that its rows with and without checkpoints measure the same thing: what they differ by is chance.
- **What a bound that is broken means.** The floor sends no request at all. Without checkpoints one of its deletes takes about two milliseconds in the engine; three requests over loopback, with both ends on the same cores, cost more than the fifth of that. Where a database takes minutes, none of this is seen. Of the memory some 30 MB are there with ten services: the HTTP client, the schemas and this package itself. The rest is what V8 has not collected yet of the messages between engine and provider; a process that holds more collects later.
- **What a run can be given.** \`pulumi refresh --preview-only --expect-no-changes\` looks for drift without running the program, and so without its cost. \`NODE_COMPILE_CACHE\` set to a folder spares Node the compiling of Pulumi and its packages in every later command; the folder may be deleted at any time. \`--parallel\` shortens the waiting, and needs a server that takes so many changes at once. \`PULUMI_SKIP_CHECKPOINTS=true\` is for stacks that may be lost: after a crash the state knows nothing of what the run has made.
- **The rate is bounded** by \`dbcloud:maxRequestsPerSecond\` (10,000) and \`dbcloud:maxConcurrency\` (16): enough not to hold the engine back on this machine. Over a real network the number of requests under way bounds it first, and a server that answers 429 is obeyed.
`;
}

function markdownTable({ head, rows }: Omit<Table, "title">): string {
  const line = (cells: readonly string[]): string => `| ${cells.join(" | ")} |`;
  return [line(head), line(head.map((_, index) => (index === 0 ? "---" : "---:"))), ...rows.map(line)].join("\n");
}

/** The same for the terminal: columns as wide as their widest cell, numbers to the right. */
export function plainTable({ head, rows }: Omit<Table, "title">): string {
  const widths = head.map((cell, index) => Math.max(cell.length, ...rows.map((row) => row[index]?.length ?? 0)));
  const line = (cells: readonly string[]): string =>
    cells
      .map((cell, index) => (index === 0 ? cell.padEnd(widths[index] ?? 0) : cell.padStart(widths[index] ?? 0)))
      .join("  ")
      .trimEnd();
  return [line(head), ...rows.map(line)].join("\n");
}
