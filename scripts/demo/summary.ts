// The end of the demo: the number of calls by operation, the objects left on the server, and how to continue by hand.
import path from "node:path";
import type { DemoEnvironment } from "./environment.ts";
import { heading, print } from "./output.ts";
import type { Collection, ServerCheck } from "./serverCheck.ts";

const nouns: Readonly<Record<Collection, string>> = {
  vpcs: "VPC",
  peerings: "peering",
  services: "service",
  replicaSets: "read replica set",
};

export function printRequests(server: ServerCheck, elapsedMs: number): void {
  heading("Requests that the server received");
  const rows = Object.entries(server.everything()).toSorted(([a], [b]) => a.localeCompare(b));
  const width = Math.max(...rows.map(([operation]) => operation.length));
  const cells = rows.map(([operation, count]) => `${operation.padEnd(width)} ${String(count).padStart(4)}`);
  for (let at = 0; at < cells.length; at += 3) print(`  ${cells.slice(at, at + 3).join("     ")}`);
  const requests = rows.reduce((sum, [, count]) => sum + count, 0);
  print("", `${requests} requests in ${Math.round(elapsedMs / 1000)} s. Left on the server: ${leftOn(server)}.`);
}

function leftOn(server: ServerCheck): string {
  const objects = server.objects();
  const left = (Object.keys(nouns) as Collection[]).filter((kind) => objects[kind] > 0);
  if (left.length === 0) return "nothing";
  return left.map((kind) => `${objects[kind]} ${nouns[kind]}${objects[kind] === 1 ? "" : "s"}`).join(", ");
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
