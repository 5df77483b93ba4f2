// Prints the demo: a heading for each step, the commands that it runs, and the results of its checks on the server; at the
// end the number of calls by operation, and how to continue by hand.
import path from "node:path";
import { styleText } from "node:util";
import { print } from "../options.ts";

let steps = 0;

/** Starts a numbered step. */
export function step(title: string, ...lines: readonly string[]): void {
  steps += 1;
  print("", styleText(["bold", "cyan"], `━━━ ${steps}. ${title} `.padEnd(100, "━")), ...lines, "");
}

/** Prints a command as a user would type it. */
export function command(text: string): void {
  print(`${styleText("green", "$")} ${styleText("bold", text)}`);
}

/** Prints a check that has passed. */
export function checked(sentence: string): void {
  print(`${styleText("green", "✓")} ${sentence}`);
}

function heading(title: string): void {
  print("", styleText("bold", title));
}

const COLUMNS = 3;

/** A small table: each cell is an operation and how often it was called. */
export function printRequests(counts: Readonly<Record<string, number>>, elapsedMs: number): void {
  heading("Requests that the server received");
  const cells = Object.entries(counts).toSorted(([a], [b]) => a.localeCompare(b));
  const texts = cells.map(([operation, count]) => `${String(count).padStart(5)} ${operation}`.padEnd(32));
  for (let at = 0; at < texts.length; at += COLUMNS)
    print(
      texts
        .slice(at, at + COLUMNS)
        .join("")
        .trimEnd(),
    );
  const requests = cells.reduce((sum, [, count]) => sum + count, 0);
  print("", `${requests} requests in ${Math.round(elapsedMs / 1000)} s.`);
}

/** `url` is the address of the orders database, if there is one. */
export function printHowToGoOn(
  settings: Readonly<Record<string, string>>,
  consoleUrl: string,
  url: string | undefined,
): void {
  heading("Go on by hand");
  print(`See it, and change things by hand, in a browser: ${consoleUrl}`, "");
  print("The emulator and the stack stay until you press Ctrl-C here. In another terminal, in this folder:", "");
  for (const [name, value] of Object.entries({ ...settings, PATH: searchPath() })) {
    print(`  export ${name}=${quoted(value)}`);
  }
  print(
    "",
    ...(url === undefined
      ? []
      : [
          `  psql "${url}"  # the orders, until an update below moves them`,
          '  psql "$(pulumi stack output ordersUrl --show-secrets)"  # wherever they are',
        ]),
    "  pulumi preview                                     # no changes",
    "  pulumi config set profile normal && pulumi up      # back to the normal profile",
    "  pulumi config set deletionProtection false && pulumi up && pulumi destroy",
    "",
  );
}

/** The Pulumi CLI and the Node of this repository may not be on the user's own PATH. */
function searchPath(): string {
  const folders = [path.dirname(process.execPath)];
  const pulumi = process.env["DBCLOUD_PULUMI_ROOT"];
  if (pulumi !== undefined) folders.push(path.join(pulumi, "bin"));
  return `${folders.join(path.delimiter)}${path.delimiter}$PATH`;
}

function quoted(value: string): string {
  return /^[\w/:.,$@%+=-]+$/.test(value) ? value : `"${value}"`;
}
