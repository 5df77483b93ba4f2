// Worker processes that run scenarios side by side.
import { fork } from "node:child_process";
import { fileURLToPath } from "node:url";
import type { Front } from "../../provider/pulumi/stateNames.ts";
import type { CheckedRun } from "../../test/invariants/scenarios.ts";

/** A request to a worker. */
export interface Task {
  seed: number;
  run: number;
  /** Whether failing scenarios are shortened. */
  isShrunk: boolean;
  /** Whether the log has each request. */
  isDetailed?: boolean;
  front: Front;
  /** The path of a scenario that an earlier run was shortened to, or the file of a walk to replay. */
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
  from: number;
  to: number;
  workers: number;
  /** What each run is asked. */
  task: Omit<Task, "run">;
  /** Whether no further run may start. */
  isOver: () => boolean;
  onRun: (outcome: O) => void;
}

/** Runs `from` to `to` of a seed, until they are done or `isOver` returns true. */
export async function runAll<O = Outcome>(runs: Runs<O>): Promise<void> {
  const { worker = "worker.ts", out, from, to, workers, task, isOver, onRun } = runs;
  const program = fileURLToPath(new URL(worker, import.meta.url));
  let next = from;
  const children = Array.from({ length: Math.min(workers, to - from) }, () =>
    fork(program, [out], { stdio: ["ignore", "inherit", "inherit", "ipc"] }),
  );
  const ends = children.map(
    (child) =>
      new Promise<void>((resolve, reject) => {
        const proceed = (): void => {
          if (next >= to || isOver()) {
            child.disconnect();
            return;
          }
          child.send({ ...task, run: next++ } satisfies Task);
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
