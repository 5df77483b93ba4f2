// Identifies a process by a text that a file can store.

import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { codeOf } from "./errors";

/** The system reuses pids; pid and start time together are unique. Only a living process has such a text. */
export const ownerText = (pid: number): string => `${pid} ${startOf(pid) ?? "ended"}`;

/** The process that the text identifies, as long as it lives. */
export function livingOwner(text: string): number | undefined {
  const pid = Number.parseInt(text, 10);
  return pid > 0 && startOf(pid) !== undefined && text === ownerText(pid) ? pid : undefined;
}

/** Undefined if the process has ended. */
function startOf(pid: number): string | undefined {
  try {
    if (existsSync("/proc/self/stat")) return startIn(readFileSync(`/proc/${pid}/stat`, "utf8"));
    process.kill(pid, 0);
  } catch (error) {
    if (codeOf(error) !== "EPERM") return undefined;
  }
  try {
    // Every process must read the same text, whatever its language and time zone.
    const env = { LC_ALL: "C", TZ: "UTC" };
    return execFileSync("ps", ["-o", "lstart=", "-p", String(pid)], { encoding: "utf8", env }).trim();
  } catch {
    return "running"; // Windows.
  }
}

/**
 * In the fields after the name of the process, which may contain spaces and brackets. One that has ended, but whose parent
 * has not read the exit status, has the state Z; in a container without an init no parent ever does.
 */
function startIn(file: string): string | undefined {
  const fields = file.split(") ").pop()?.split(" ") ?? [];
  return fields[0] === "Z" ? undefined : fields[19];
}
