// A program of its own, run with the chosen Node: puts the official Pulumi CLI into a folder. It looks first whether
// the server answers at all, because without a network the installer waits for minutes.
// Arguments: the folder, the version.
import { createRequire } from "node:module";

const server = "https://get.pulumi.com/install.sh";
const patienceMs = 5_000;

async function main(folder, version) {
  await assertReachable();
  const require = createRequire(import.meta.url);
  const { PulumiCommand } = require("@pulumi/pulumi/automation");
  const { SemVer } = createRequire(require.resolve("@pulumi/pulumi/package.json"))("semver");
  await PulumiCommand.install({ root: folder, version: new SemVer(version) });
}

async function assertReachable() {
  const answer = await fetch(server, { method: "HEAD", signal: AbortSignal.timeout(patienceMs) }).catch((error) => {
    const reason =
      error.name === "TimeoutError" ? `no answer in ${patienceMs / 1000} s` : (error.cause ?? error).message;
    throw new Error(`${new URL(server).host} cannot be reached (${reason})`);
  });
  if (!answer.ok) throw new Error(`${server} answers ${answer.status}`);
}

try {
  await main(...process.argv.slice(2));
} catch (error) {
  // The reason is the last line, and the exit does not wait for a name look-up that may still be on its way.
  process.stderr.write(`${error.message.trim().split("\n").join(" ")}\n`, () => process.exit(1));
}
