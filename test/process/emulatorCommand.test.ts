// The installed command `pulumi-dbcloud emulator` as a process of its own: without a reader, in a container, and under an
// account that this machine has no name for.

import { spawnSync } from "node:child_process";
import { once } from "node:events";
import { chownSync } from "node:fs";
import { expect, test } from "vitest";
import { isReachableByAll } from "../../emulator/databases/install/account";
import { temporaryFolder } from "../support/folder";
import { main, startCommand } from "./emulatorProcess";

test("a reader that goes away after the first lines does not end the server", async () => {
  const { child, baseUrl } = await startCommand([]);
  child.stdout.destroy();
  // Each refusal prints a line into the broken pipe.
  for (let index = 0; index < 20; index += 1) expect((await fetch(`${baseUrl}/projects`)).status).toBe(401);
  expect(child.exitCode).toBeNull();
  child.kill("SIGTERM");
  expect(await once(child, "exit")).toEqual([0, null]);
});

const apart = ["--pid", "--fork", "--mount-proc"];
const canBeApart = process.platform === "linux" && spawnSync("unshare", [...apart, "true"]).status === 0;

test.runIf(canBeApart)("an emulator that sees no others' processes, as in a container, leaves folders", async () => {
  const folder = temporaryFolder();
  const { child } = await startCommand(["--data", folder, "--quick", "--quiet", "--postgres", "off"]);
  const other = spawnSync("unshare", [...apart, process.execPath, main, "emulator", "--port", "0", "--data", folder]);
  expect(other.stderr.toString()).toMatch(/is in use by an emulator/);
  expect(other.status).toBe(1);
  child.kill("SIGTERM");
  expect(await once(child, "exit")).toEqual([0, null]);
});

const uid = 12_345;
const canChange = process.getuid?.() === 0 && isReachableByAll(main) && isReachableByAll(process.execPath);

test.runIf(canChange).each([{ HOME: "/" }, {}])(
  "an account without a name, with %j: the command is ready at once, and says why there are no databases",
  async (env) => {
    const cwd = temporaryFolder();
    chownSync(cwd, uid, uid);
    const { said } = await startCommand([], { cwd, uid, gid: uid, env: { PATH: process.env["PATH"], ...env } });
    expect(said()).toMatch(/nothing listens \(PostgreSQL needs a name .* 12345 has none: add it to \/etc\/passwd/);
  },
);
