// Worker processes that run scenarios side by side.
import { fork } from "node:child_process";
import { fileURLToPath } from "node:url";
import type { Front } from "../../provider/pulumi/stateNames.ts";
import type { CheckedRun } from "../../test/invariants/scenarios.ts";

/** A request to a worker. */
export interface Task {
  seed: number;
  run: number;
  isShrunk: boolean;
  isDetailed: boolean;
  front: Front;
  /** The path of a scenario that an earlier run was shortened to. */
  path?: string | undefined;
}

/** The result of a run. */
export interface Outcome extends CheckedRun {
  run: number;
}

export interface Runs<O> {
  /** The program of a worker. */
  worker?: "worker.ts" | "walkWorker.ts";
  /** The folder of the compiled sources. */
  out: string;
  seed: number;
  from: number;
  to: number;
  workers: number;
  /** Whether failing scenarios are shortened. */
  isShrunk: boolean;
  /** Whether the log has each request. */
  isDetailed?: boolean;
  front: Front;
  /** The path of a scenario that an earlier run was shortened to; for a single run. */
  path?: string | undefined;
  /** Whether no further run may start. */
  isOver?: () => boolean;
  onRun: (outcome: O) => void;
}

/** Runs `from` to `to` of a seed, until they are done or `isOver` returns true. */
export async function runAll<O = Outcome>({
  worker = "worker.ts",
  out,
  seed,
  from,
  to,
  workers,
  isShrunk,
  isDetailed,
  front,
  path,
  isOver,
  onRun,
}: Runs<O>): Promise<void> {
  const program = fileURLToPath(new URL(worker, import.meta.url));
  let next = from;
  const children = Array.from({ length: Math.min(workers, to - from) }, () =>
    fork(program, [out], { stdio: ["ignore", "inherit", "inherit", "ipc"] }),
  );
  const ends = children.map(
    (child) =>
      new Promise<void>((resolve, reject) => {
        const proceed = (): void => {
          if (next >= to || isOver?.() === true) {
            child.disconnect();
            return;
          }
          const task: Task = { seed, run: next++, isShrunk, isDetailed: isDetailed === true, front, path };
          child.send(task);
        };
        child.on("message", (outcome: O) => {
          onRun(outcome);
          proceed();
        });
        child.on("error", reject);
        child.on("exit", (code) => {
          if (code === 0) resolve();
          else reject(new Error(`a worker ended with code ${code}`));
        });
        proceed();
      }),
  );
  try {
    await Promise.all(ends);
  } finally {
    for (const child of children) child.kill();
  }
}
