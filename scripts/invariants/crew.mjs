// A few processes that tell stories side by side. Stops early when told so.
import { fork } from "node:child_process";
import { fileURLToPath } from "node:url";

const worker = fileURLToPath(new URL("worker.mjs", import.meta.url));

/**
 * Tells runs `from` to `to` of a seed with the compiled machine in `out`. `onRun` sees each outcome and answers true when
 * it has seen enough.
 */
export async function tellAll({ out, seed, from, to, workers, isShrunk = true, isDetailed = false, onRun }) {
  let next = from;
  let isEnough = false;
  const crew = Array.from({ length: Math.min(workers, to - from) }, () =>
    fork(worker, [out], { stdio: ["ignore", "inherit", "inherit", "ipc"] }),
  );
  const shifts = crew.map(
    (child) =>
      new Promise((resolve, reject) => {
        const proceed = () => {
          if (isEnough || next >= to) child.disconnect();
          else child.send({ seed, run: next++, isShrunk, isDetailed });
        };
        child.on("message", (outcome) => {
          if (!isEnough && onRun(outcome) === true) isEnough = true;
          proceed();
        });
        child.on("error", reject);
        child.on("exit", (code) => (code === 0 ? resolve() : reject(new Error(`a worker ended with code ${code}`))));
        proceed();
      }),
  );
  try {
    await Promise.all(shifts);
  } finally {
    for (const child of crew) child.kill();
  }
}
