// The folder of `--data`: readable by its owner alone.

import { accessSync, constants, existsSync, mkdirSync, realpathSync, statSync } from "node:fs";
import path from "node:path";
import { storingIn } from "../../durable";

/** Makes the folder if it is missing. Throws an Error if another account could read or change what is stored there. */
export function ownFolder(given: string): string {
  const folder = storingIn(path.resolve(given), () => {
    // The parent folders are not secret: if root starts the emulator, the account of the servers must traverse them.
    makeFolder(given, 0o700);
    accessSync(given, constants.W_OK | constants.X_OK);
    return realpathSync(given);
  });
  requireOwn(folder);
  return folder;
}

/** Windows has no such owners and modes. */
function requireOwn(folder: string): void {
  const { uid, mode } = statSync(folder);
  if (process.getuid === undefined) return;
  if (uid !== process.getuid())
    throw new Error(
      `data: ${folder} belongs to the account ${uid}, and would hold keys of another one: name another folder`,
    );
  if ((mode & 0o022) !== 0)
    throw new Error(
      `data: other accounts can write in ${folder} (mode ${(mode & 0o7777).toString(8)}), and would get its keys: \`chmod go-w\` it, or name another folder`,
    );
}

/** Node.js: its own recursion never ends where the system makes no folders, as in /proc. */
function makeFolder(folder: string, mode = 0o777): void {
  try {
    if (!existsSync(path.dirname(folder))) makeFolder(path.dirname(folder));
    mkdirSync(folder, { mode });
  } catch (error) {
    if (statSync(folder, { throwIfNoEntry: false })?.isDirectory() !== true) throw error;
  }
}
