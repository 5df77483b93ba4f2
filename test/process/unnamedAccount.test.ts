// The command of an account that this machine has no name for, as in a container with an arbitrary user id.

import { spawn } from "node:child_process";
import { mkdtempSync, rmSync, chownSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { isReachableByAll } from "../../emulator/databases/install/account";

const main = path.resolve("dist", "cli", "main.js");
const uid = 12_345;
const canChange = process.getuid?.() === 0 && isReachableByAll(main) && isReachableByAll(process.execPath);

test.runIf(canChange).each([{ HOME: "/" }, {}])(
  "with %j the command is ready at once, and says why there are no databases",
  async (env) => {
    const cwd = mkdtempSync(path.join(tmpdir(), "dbcloud-unnamed-"));
    chownSync(cwd, uid, uid);
    const options = { cwd, uid, gid: uid, env: { PATH: process.env["PATH"], ...env } };
    const child = spawn(process.execPath, [main, "emulator", "--port", "0"], options);
    onTestFinished(() => {
      child.kill("SIGKILL");
      rmSync(cwd, { recursive: true, force: true });
    });
    let said = "";
    child.stdout.on("data", (chunk: Buffer) => (said += chunk.toString()));
    await expect.poll(() => said, { timeout: 20_000 }).toContain("Ctrl-C");
    expect(said).toMatch(/nothing listens \(PostgreSQL needs a name .* 12345 has none: add it to \/etc\/passwd/);
  },
);
