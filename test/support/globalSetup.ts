// Before all tests of a run, and after them.

import { chmodSync, existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { privateFolder, serverAccount } from "../../emulator/databases/install/account";

/** In memory, where the machine offers that: thousands of files of databases and stacks come and go. */
const MEMORY = "/dev/shm";

/** A temporary folder for all tests, in which the emulators of the run share the prepared cluster of their databases. */
export default function setUp(): () => void {
  const folder = mkdtempSync(path.join(existsSync(MEMORY) ? MEMORY : tmpdir(), "dbc-"));
  // As /tmp has it: some tests work as another account.
  chmodSync(folder, 0o1777);
  const clusters = path.join(folder, "clusters");
  privateFolder(serverAccount(), clusters);
  Object.assign(process.env, { TMPDIR: folder, DBCLOUD_TEST_CLUSTERS: clusters });
  return () => rmSync(folder, { recursive: true, force: true });
}
