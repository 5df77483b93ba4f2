// Writes docs/performance.md: the results, the machine, and how to repeat the measurement.
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

What this package costs beyond the Pulumi engine itself, measured with the real CLI against the emulator in a separate process. Every figure has its baseline **from the same run**, the *floor*: the same program, with states of about the same size (the table of states shows both), and handlers that do nothing (\`bench/floor\`).

The machine:

${machine.map((line) => `- ${line}`).join("\n")}

To repeat it: \`${command}\`; \`--help\` names the options. \`--full\` adds 1,000 services with checkpoints, many minutes of the engine's own saving.
${notes.map((note) => `\n${note}\n`).join("")}
## Bounds

${markdownTable({
  head: ["bound", "at most", "measured", "holds"],
  rows: bounds.map(({ what, most, measured, holds }) => [what, most, measured, holds ? "yes" : "**no**"]),
})}

## Figures

${tables.map((table) => `### ${table.title}\n\n${markdownTable(table)}`).join("\n\n")}

## Options of a run

- **\`pulumi refresh --preview-only --expect-no-changes\`** looks for drift without running the program. It compares with the last \`up\`, not with the current program.
- **\`--parallel N\`** sets how many operations run at once; the default is four times the number of cores. Databases take minutes: 100 of them at 10 minutes each take two hours with 8 at a time, and ten minutes with \`--parallel 100\`, with no more requests. The server must accept that many changes at once, and a killed run leaves that many half-made resources.
- **\`NODE_COMPILE_CACHE=FOLDER\`** saves Node from compiling Pulumi and its packages in every command. The folder grows with each version of Node and of a package, and may be deleted at any time.
- **\`PULUMI_SKIP_CHECKPOINTS=true\`** saves the state only at the end. It is for stacks that may be lost: after a crash the state knows nothing of what the run has made.
- **\`dbcloud:maxRequestsPerSecond\`** (10,000) and **\`dbcloud:maxConcurrency\`** (16) bound the requests. The defaults do not slow the engine on this machine. Over a real network the number of requests under way is the first limit, and a server that answers 429 is obeyed.

## What the figures mean

**The times vary.** A preview and a refresh are measured at least five times, and the median counts. Engine, program, provider and emulator share the cores of one machine, and the same command takes up to a third more or less from one run to the next. A preview saves nothing, so its rows with and without checkpoints measure the same thing, and differ by chance. Check and diff take less than a tenth of a millisecond for each service, and are all that the provider does in a preview without changes.

**Saving the state is the engine's own cost.** It writes the whole state at every step. So its cost grows with the square of the number of resources, and with the bytes of each: small states help every command.

**Waiting is shared.** While the provider waits for two or more services, one \`GET /services\` serves them all. So the cost of waiting depends on how long it takes, and not on the number of services. The answer of a call decides when the first read is useful. If it shows work under way, the resource joins the shared read after a pause. If it shows the effect, the resource is read alone at once.

**Reads before an operation are not delayed.** The pauses between shared reads are for waits only. A second object soon after the first causes one list, which serves a refresh for five seconds and an update for one second; an object that was changed since then is read alone. So \`--parallel 1\`, or a chain of dependencies, costs no more than the operations themselves (\`test/lifecycle/session/readsAtOnce.test.ts\`).

**The pause between reads follows the age of a wait.** It is a quarter of the age, at least 100 ms and at most 500 ms, or 2 % of the age if that is more, which is from 25 seconds on; \`dbcloud:pollInterval\` scales it and \`dbcloud:pollIntervalMax\` bounds it. The shared read comes when the first of the waits is due, at least 100 ms after the one before; a long stream of lists has at most four a second. So an operation of two seconds is seen at most half a second late, and one of five minutes some seconds late. In a simulation (\`test/lifecycle/session/pace.test.ts\`):

- 100 services that are ready after 2.0 s, 8 at once, take 1.13 times their floor with 120 GETs;
- 100 services that are ready after 2 to 20 s, all at once, are seen 0.24 s late (median) with 48 GETs;
- one service that is ready after five minutes is at most 6 s late, with 183 GETs;
- an endless stream of services takes at most four GETs a second.

With checkpoints the engine starts the next operation only after it has saved the state, so services that start in waves soon spread out.

**A program pays for each property of its resources.** Pulumi makes some thirty promises for each property, and takes four stack traces to report promises that are never settled. Under \`pulumi\` each frame of these traces is mapped to its source, which costs more than everything else. So the classes of this package turn these traces off while their constructor runs, except in a program with transformations and with \`PULUMI_DEBUG_PROMISE_LEAKS\`, which need them.

Of the CPU time that is left, about a second is Node's and Pulumi's own start.

**Deletes are proven.** After the server has accepted a delete and answers 404 for the service, the project must answer another request, and the service must be missing once more (or a list that began since then must lack it). These requests are the price of never forgetting a database that still exists.

**Why some bounds are broken.** The floor sends no requests. Without checkpoints one of its deletes takes about two milliseconds in the engine, and three requests over loopback, with both ends on the same cores, cost more than a fifth of that. Where a database takes minutes, none of this is visible. Of the memory above the floor, some 30 MB are there with ten services: the HTTP client, the schemas and this package itself. The rest is garbage that V8 has not collected yet: gRPC keeps the messages of every request until the next full collection, and a value of the state takes about 2 KB of messages in a refresh. Our states have nine values more than those of the floor.
`;
}

function markdownTable({ head, rows }: Omit<Table, "title">): string {
  const line = (cells: readonly string[]): string => `| ${cells.join(" | ")} |`;
  return [line(head), line(head.map((_, index) => (index === 0 ? "---" : "---:"))), ...rows.map(line)].join("\n");
}

/** The same for the terminal: columns as wide as their widest cell, numbers right-aligned. */
export function plainTable({ head, rows }: Omit<Table, "title">): string {
  const widths = head.map((cell, index) => Math.max(cell.length, ...rows.map((row) => row[index]?.length ?? 0)));
  const line = (cells: readonly string[]): string =>
    cells
      .map((cell, index) => (index === 0 ? cell.padEnd(widths[index] ?? 0) : cell.padStart(widths[index] ?? 0)))
      .join("  ")
      .trimEnd();
  return [line(head), ...rows.map(line)].join("\n");
}
