// A process that has ended but is not reaped, as in a container without an init. Linux only.

import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { text } from "node:stream/consumers";
import { expect, onTestFinished } from "vitest";

export interface UnreapedProcess {
  readonly pid: number;
  /** Resolves when the process is a zombie. */
  readonly end: () => Promise<void>;
}

/** A process whose parent never reaps its children; both end with the test. */
export async function startUnreaped(): Promise<UnreapedProcess> {
  const parent = spawn("sh", ["-c", "sleep 60 >&- & echo $!; exec sleep 60 >&-"], {
    stdio: ["ignore", "pipe", "ignore"],
  });
  onTestFinished(() => void parent.kill());
  const pid = Number(await text(parent.stdout));
  return {
    pid,
    end: async () => {
      // Both have started: the parent is also a program that never reaps its children.
      await expect.poll(() => readFileSync(`/proc/${parent.pid ?? 0}/comm`, "utf8")).toBe("sleep\n");
      process.kill(pid, "SIGKILL");
      await expect.poll(() => readFileSync(`/proc/${pid}/stat`, "utf8")).toMatch(/\) Z /);
    },
  };
}
