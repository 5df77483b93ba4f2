// Before all tests of a run, and after them.

import { spawnSync } from "node:child_process";
import { chmodSync, existsSync, mkdtempSync, readdirSync, rmSync, statfsSync, writeFileSync } from "node:fs";
import { freemem, tmpdir } from "node:os";
import path from "node:path";
import { privateFolder, serverAccount } from "../../emulator/databases/install/account";

/** In memory, where the machine offers that: thousands of files of databases and stacks come and go. */
const MEMORY = "/dev/shm";
/** What the build server has there at once, and as much again for the processes. */
const ENOUGH_BYTES = 8 * 2 ** 30;

/** Containers often have 64 MB there, in which no program can be run. */
function isUsable(folder: string): boolean {
  if (!existsSync(folder)) return false;
  const { bavail, bsize } = statfsSync(folder);
  if (Math.min(bavail * bsize, freemem()) < ENOUGH_BYTES) return false;
  const program = path.join(mkdtempSync(path.join(folder, "dbc-")), "program");
  writeFileSync(program, "#!/bin/sh\n", { mode: 0o755 });
  const { status } = spawnSync(program);
  rmSync(path.dirname(program), { recursive: true });
  return status === 0;
}

/** What a run has left that was killed. */
function removeAbandoned(parent: string): void {
  for (const name of readdirSync(parent)) {
    const [, pid] = /^dbc-(\d+)-/.exec(name) ?? [];
    if (pid !== undefined && !isRunning(Number(pid))) rmSync(path.join(parent, name), { recursive: true, force: true });
  }
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

/** A temporary folder for all tests, in which the emulators of the run share the prepared cluster of their databases. */
export default function setUp(): () => void {
  const parent = isUsable(MEMORY) ? MEMORY : tmpdir();
  removeAbandoned(parent);
  const folder = mkdtempSync(path.join(parent, `dbc-${process.pid}-`));
  // As /tmp has it: some tests work as another account.
  chmodSync(folder, 0o1777);
  const clusters = path.join(folder, "clusters");
  privateFolder(serverAccount(), clusters);
  Object.assign(process.env, { TMPDIR: folder, DBCLOUD_TEST_CLUSTERS: clusters });
  return () => rmSync(folder, { recursive: true, force: true });
}
