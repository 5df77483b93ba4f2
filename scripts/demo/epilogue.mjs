// The last page: what the server was asked in all, what is left on it, and how a person goes on by hand.
import path from "node:path";
import { heading, say } from "./voice.mjs";

export function tellWhatWasSeen(witness, elapsedMs) {
  heading("What the server saw");
  const rows = Object.entries(witness.everything()).toSorted(([a], [b]) => a.localeCompare(b));
  const width = Math.max(...rows.map(([operation]) => operation.length));
  const cells = rows.map(([operation, count]) => `${operation.padEnd(width)} ${String(count).padStart(4)}`);
  for (let at = 0; at < cells.length; at += 3) say(`  ${cells.slice(at, at + 3).join("     ")}`);
  const left = Object.entries(witness.objects()).filter(([, count]) => count > 0);
  const requests = rows.reduce((sum, [, count]) => sum + count, 0);
  say("", `${requests} requests in ${Math.round(elapsedMs / 1000)} s. Left on the server: ${leftInWords(left)}.`);
}

const nouns = { vpcs: "VPC", peerings: "peering", services: "service", replicaSets: "read replica set" };

function leftInWords(left) {
  if (left.length === 0) return "no services, nothing else either";
  return left.map(([kind, count]) => `${count} ${nouns[kind]}${count === 1 ? "" : "s"}`).join(", ");
}

export function tellHowToGoOn({ settings }) {
  heading("Go on by hand");
  say("The emulator and the stack stay until you press Ctrl-C here. In another terminal, in this folder:", "");
  for (const [name, value] of Object.entries({ ...settings, PATH: searchPath() }))
    say(`  export ${name}=${quoted(value)}`);
  say(
    "",
    "  pulumi preview                                # no changes",
    "  pulumi config set season calm && pulumi up    # back to normal",
    "  pulumi config set deletionProtection false && pulumi up && pulumi destroy",
    "",
  );
}

/** The Pulumi CLI and the Node that were found or got for this repository may not be on the user's own PATH. */
function searchPath() {
  const folders = [path.dirname(process.execPath)];
  if (process.env.DBCLOUD_PULUMI_ROOT) folders.push(path.join(process.env.DBCLOUD_PULUMI_ROOT, "bin"));
  return `${folders.join(path.delimiter)}${path.delimiter}$PATH`;
}

function quoted(value) {
  return /^[\w/:.,$@%+=-]+$/.test(value) ? value : `"${value}"`;
}
