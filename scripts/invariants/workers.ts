// Worker processes that perform runs side by side.
import { fork } from "node:child_process";
import { fileURLToPath } from "node:url";
import type { CheckedRun, Task } from "../../test/invariants/scenarios.ts";

/** The result of a run. */
export interface Outcome extends CheckedRun {
  run: number;
}

export interface Runs {
  /** The compiled module that performs a run. */
  module: string;
  from: number;
  to: number;
  workers: number;
  /** What each run is asked. */
  task: Omit<Task, "run">;
  /** Whether no further run may start. */
  isOver: () => boolean;
  onRun: (outcome: Outcome) => void;
}

/** Runs `from` to `to` of a seed, until they are done or `isOver` returns true. */
export async function runAll({ module, from, to, workers, task, isOver, onRun }: Runs): Promise<void> {
  const program = fileURLToPath(new URL("worker.ts", import.meta.url));
  let next = from;
  const children = Array.from({ length: Math.min(workers, to - from) }, () =>
    fork(program, [module], { stdio: ["ignore", "inherit", "inherit", "ipc"] }),
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
        child.on("message", (outcome: Outcome) => {
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
