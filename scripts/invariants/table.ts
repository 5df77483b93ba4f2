// What the checks came to, as tables.
import type { Tally } from "./check.ts";
import type { Detector } from "./mutants.ts";

export function tableOf({ runs, counts, breaches }: Tally, elapsedMs: number): string {
  return aligned([
    ["runs", number(runs)],
    ["commands", number(counts["commands"])],
    ["operations", listOf(counts, "operation ")],
    ["requests", number(counts["requests"])],
    ["known outputs", number(counts["known outputs"])],
    ["faults", listOf(counts, "fault ")],
    ["drawn", listOf(counts, "drawn ")],
    ["acts of others", listOf(counts, "act ")],
    ["options", listOf(counts, "option ")],
    ["breaches", listOf(breaches, "") || "none"],
    ["time", `${Math.round(elapsedMs / 1000)} s`],
  ]);
}

/** From so many commands of a walk on, or from the default number of runs, an act that was drawn too rarely is a failure. */
export const FULL_COMMANDS = 1_500;
export const LEAST_DRAWN = 20;

/** What must happen often enough. In the runs: what others do, what answers lack, and options. In a walk: options, flags, events. */
const ABSENCES = `
act tag, act attach, act create, act take a name, act delete, act rename, act fail or recover
drawn outage, drawn outage of reads, drawn outage of lists, drawn one object hidden, drawn cut lists
drawn lists with a next page, drawn members, drawn paused without addresses, drawn unknown status`.trim();
const ACTED = `
${ABSENCES}, drawn fail, drawn heal, option another provider, option ignoreChanges, option policy
option replaceOnChanges, option replacementTrigger, option replaceWith, option deletedWith, option hooks`;
const DRAWN = `
deleteBeforeReplace, replaceOnChanges, retainOnDelete, deletedWith, protect, ignoreChanges, aliases, parent, dependsOn
ignoreChanges *, replacementTrigger, replaceWith, another provider, hooks, provider, import, adoptId, DBCLOUD_ADOPT, key, remove, rename, rename with alias, other stack
up --replace, up --target-replace, up --target, up --target-dependents, up --exclude, up --refresh, up --run-program
up --continue-on-error, up --parallel 1, up --plan, destroy, destroy --target, destroy --target-dependents
destroy --exclude, destroy --exclude-protected, destroy --refresh, destroy --run-program, destroy --continue-on-error
destroy --parallel 1, refresh, refresh --run-program, refresh --target, state taint, state untaint, state protect
state unprotect, state delete, state move, tag, untag, heal, delete out of band, faults, kill the CLI
kill the provider process, kill everything
${ABSENCES}`;

export const MUST_HAPPEN: Readonly<Record<Detector, readonly string[]>> = {
  runs: ACTED.trim().split(/, |\n/),
  walk: DRAWN.trim().split(/, |\n/),
};

/** How often each of them has happened. */
export function drawnTable({ counts }: Tally): string {
  return aligned(MUST_HAPPEN.walk.map((name) => [name, number(counts[name])]));
}

function aligned(rows: readonly (readonly string[])[]): string {
  const wide = Math.max(...rows.map(([name = ""]) => name.length));
  return rows.map(([name = "", value = ""]) => `${name.padEnd(wide)} ${value}`).join("\n");
}

function listOf(counts: Tally["counts"], prefix: string): string {
  const some = Object.entries(counts).filter(([what]) => what.startsWith(prefix));
  const sorted = some.toSorted(([, a], [, b]) => b - a);
  return sorted.map(([what, times]) => `${what.slice(prefix.length)} ${number(times)}`).join(", ");
}

function number(value = 0): string {
  return value.toLocaleString("en-US");
}
