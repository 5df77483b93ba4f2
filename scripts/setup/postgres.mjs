// A PostgreSQL for the endpoints of the emulator, from npm into tools/postgres. It is optional: if it cannot be
// installed, one line says why, and the emulator runs without databases or with the machine's own. Built-ins only.
import { ensurePackages } from "./npm.mjs";
import { messageOf, say } from "./step.mjs";

/** @param {Omit<import("./npm.mjs").Installation, "title" | "flags">} choice */
export async function ensurePostgres({ tell = say, ...choice }) {
  const title = "PostgreSQL into tools/postgres";
  try {
    // Its install script would only link libraries, which the emulator does by itself; newer npm versions block scripts.
    await ensurePackages({ ...choice, title, flags: ["--ignore-scripts"], tell });
  } catch (error) {
    tell(`${title}: ${messageOf(error).split("\n")[0]}; going on without it`);
  }
}
