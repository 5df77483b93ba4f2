// The end of the demo: the number of calls by operation, and how to continue by hand.
import path from "node:path";
import type { DemoEnvironment } from "./environment.ts";
import { heading, print } from "./output.ts";
import type { ServerCheck } from "./serverCheck.ts";

export function printRequests(server: ServerCheck, elapsedMs: number): void {
  heading("Requests that the server received");
  const rows = Object.entries(server.everything()).toSorted(([a], [b]) => a.localeCompare(b));
  for (const [operation, count] of rows) print(`  ${String(count).padStart(4)} ${operation}`);
  const requests = rows.reduce((sum, [, count]) => sum + count, 0);
  print("", `${requests} requests in ${Math.round(elapsedMs / 1000)} s.`);
}

/** `url` is the address of the orders database, if there is one. */
export function printHowToGoOn({ settings }: DemoEnvironment, url: string | undefined): void {
  heading("Go on by hand");
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
