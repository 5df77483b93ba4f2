// Identifies a process by a text that a file can store.

import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";

/** The system reuses pids; pid and start time together are unique. Only a living process has such a text. */
export function ownerText(pid: number): string {
  if (!isAlive(pid)) return `${pid} ended`;
  return `${pid} ${startOf(pid) ?? "running"}`;
}

function startOf(pid: number): string | undefined {
  try {
    const stat = `/proc/${pid}/stat`;
    if (existsSync(stat)) return statFields(stat)[19];
    // Every process must read the same text, whatever its language and time zone.
    const env = { LC_ALL: "C", TZ: "UTC" };
    return execFileSync("ps", ["-o", "lstart=", "-p", String(pid)], { encoding: "utf8", env }).trim();
  } catch {
    return undefined; // Windows, or the process has just ended.
  }
}

/** The fields after the process name, which may contain spaces and brackets: the state is the first. */
const statFields = (file: string): string[] => readFileSync(file, "utf8").split(") ").pop()?.split(" ") ?? [];

/** The process that the text identifies, as long as it lives. */
export function livingOwner(text: string): number | undefined {
  const pid = Number.parseInt(text, 10);
  return pid > 0 && text === ownerText(pid) ? pid : undefined;
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return !isZombie(pid);
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "EPERM";
  }
}

/**
 * The process has ended, but its parent has not read the exit status. In a container without an init no parent ever
 * does.
 */
function isZombie(pid: number): boolean {
  try {
    return statFields(`/proc/${pid}/stat`)[0] === "Z";
  } catch {
    return false; // A system other than Linux.
  }
}
