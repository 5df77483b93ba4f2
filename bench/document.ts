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

What this package costs beyond the Pulumi engine itself, measured with the real CLI against the emulator in a process of its own. Every figure stands beside its baseline **of the same run**: the *floor* is the same program, with states of about the same size (the table of states says both), and handlers that do nothing (\`bench/floor\`), *naive* is a dynamic provider as people write their first one, with a poll of its own for each resource every second (\`bench/naive\`).

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
- **What an operation reads before it begins, it reads at once.** The pauses between shared reads are for waits alone. A second object so soon after the first brings one list, which serves a refresh for five seconds and an update for one; what was changed since is read alone. So \`--parallel 1\`, or a chain of dependencies, costs no more than the operations themselves (\`test/lifecycle/session/readsAtOnce.test.ts\`).
- **The moment of done is forecast.** Reads come once a second, and after the first minute less and less often. How long operations of the same kind took earlier in the run adds a read between two of these where it spares more than it costs, and stretches pauses by up to a twentieth, as jitter does. Where nothing is known yet, nothing is expected within the first second. Many that become ready one after the other are read a little more often than twice a second, for some dozens of reads, and a little less often in the long run. What a read that was added has found pending is read again when it was due, so that nobody learns later than without a forecast. In a simulation (\`test/lifecycle/session/forecast.test.ts\`) 100 services that are ready after 2.0 s, 8 at once, take 1.06 times their floor with 27 GETs (1.35 times with 36 without a forecast); two kinds in any order, 1.5 to 5 s long, take no more GETs than without one, 10 services one after the other as long and as many as without, and a stream without an end stays below two GETs a second. With checkpoints the engine starts the next operation only after it has saved the state, so that its waves are no waves for long.
- **\`--parallel\` decides how many are awaited at once.** The engine's default is four times the number of cores. Databases take minutes: 100 of them at 10 minutes each and 8 at a time take two hours, with \`--parallel 100\` ten minutes and no more requests.
- **Saving the state is the engine's own cost.** It writes the whole state at every step, so it grows with the square of the number of resources and with the bytes of each. Small states help every command; \`PULUMI_SKIP_CHECKPOINTS=true\` shows what remains without it, and loses everything since the start in a crash.
- **A program pays for each property of its resources.** Pulumi makes some thirty promises of each and takes four stack traces, to report promises that are never settled. Under \`pulumi\` each frame of these is mapped to its source, which costs more than all the rest. Under \`pulumi\` the classes of this package declare what the program gives and what most programs read; any other output is asked of the engine when the program reads it, with one request for all such outputs of a resource that are read at the same time, some five milliseconds (\`test/engine/outputs.test.ts\`). An inline program can read an output after the run, so there every output is declared. The classes let no trace of a promise be mapped, and store the one line that calls the constructor in place of the whole trace (\`PULUMI_DEBUG_PROMISE_LEAKS\` brings traces back). Of the CPU that is left, more than a second is Node's and Pulumi's own start.
- **Other tools.** \`--peers\` runs OpenTofu with a generic REST provider (\`mastercard/restapi\`, version 3) against the same server, where \`tofu\` is on PATH and \`DBCLOUD_BENCH_PLUGINS\` names a folder with the plugin in \`registry.opentofu.org/mastercard/restapi/VERSION/OS_ARCH\`, and says what is missing where not. Both tools run with their defaults and as many operations at once. The generic provider does less: it is done when a call is answered, so a database that takes minutes is called made at once, and cannot be deleted until it is; it compares name and region alone, because the API shows the other inputs in another form; it proves no delete; and its \`destroy\` reads everything before.
- **Deletes are proven.** After the server has taken the delete and answers 404 for the service, the project must answer something else, and the service must be missing once more (or a list that began since then must lack it). These requests are the price of never forgetting a database that is still there.
- **The times vary.** Engine, program, provider and emulator share the cores of one machine, and the same command takes up to a third more or less from one run to the next. Check and diff, which are all that the provider does in a preview without changes, take less than a tenth of a millisecond for each service. A preview saves nothing, so that its rows with and without checkpoints measure the same thing: what they differ by is chance.
- **What a bound that is broken means.** The floor sends no request at all. Without checkpoints one of its deletes takes about two milliseconds in the engine; three requests over loopback, with both ends on the same cores, cost more than the fifth of that. Where a database takes minutes, none of this is seen. Of the memory some 30 MB are there with ten services: the HTTP client, the schemas and this package itself. The rest is what V8 has not collected yet of the messages between engine and provider; a process that holds more collects later.
- **What a run can be given.** \`pulumi refresh --preview-only --expect-no-changes\` looks for drift without running the program, and so without its cost; it compares with the last \`up\`, and not with what the program says by now. \`NODE_COMPILE_CACHE\` set to a folder spares Node the compiling of Pulumi and its packages in every later command; the folder grows with each version of Node and of a package, and may be deleted at any time. \`--parallel\` shortens the waiting, and needs a server that takes so many changes at once; a run that is killed then has as many half-made resources. \`PULUMI_SKIP_CHECKPOINTS=true\` saves the state only at the end, and is for stacks that may be lost: after a crash the state knows nothing of what the run has made.
- **The rate is bounded** by \`dbcloud:maxRequestsPerSecond\` (10,000) and \`dbcloud:maxConcurrency\` (16): enough not to hold the engine back on this machine. Over a real network the number of requests under way bounds it first, and a server that answers 429 is obeyed.
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
