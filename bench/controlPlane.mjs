// The emulator in a process of its own, as a server would be. `openControlPlane` starts it; the other half of this file
// is that process. It knows when each service became ready, because it decides that itself.

import { fork } from "node:child_process";
import { fileURLToPath } from "node:url";

const here = fileURLToPath(import.meta.url);

/**
 * Starts an emulator. `ready`: how long a new service takes.
 * @param {{ ready: { kind: "atOnce" } | { kind: "spread", fromMs: number, toMs: number, of: number, slowestMs?: number } }} options
 */
export async function openControlPlane(options) {
  const child = fork(here, [JSON.stringify(options)], { stdio: ["ignore", "inherit", "inherit", "ipc"] });
  let question = 0;
  const answers = new Map();
  child.on("message", ({ to, answer }) => {
    answers.get(to)?.(answer);
    answers.delete(to);
  });
  const ask = (word) =>
    new Promise((resolve, reject) => {
      question += 1;
      answers.set(question, resolve);
      child.send({ number: question, word }, (error) => error && reject(error));
    });
  const { baseUrl, apiKey, projectId } = await ask("where");
  return {
    baseUrl,
    apiKey,
    projectId,
    /** Requests since the last time, by operation. */
    takeRequests: () => ask("requests"),
    /** Name of each service → the moment it was ready, epoch milliseconds. */
    readyMoments: () => ask("ready"),
    close: () => {
      const ended = new Promise((resolve) => child.once("exit", resolve));
      child.disconnect();
      return ended;
    },
  };
}

async function serve({ ready }) {
  const { createEmulator } = await import("pulumi-dbcloud/emulator");
  const readyAt = new Map();
  const atOnce = { resize: 0, ha: 0, pooler: 0, environment: 0, stop: 0, start: 0, attach: 0, detach: 0, delete: 0 };
  const create = ({ name }) => {
    const ms = Math.max(0, msUntilReady(ready, name) - queuedMs(ready));
    readyAt.set(name, Date.now() + queuedMs(ready) + ms);
    return ms;
  };
  const emulator = await createEmulator({ seed: 1, timings: { ...atOnce, queued: queuedMs(ready), create } });
  process.on("message", ({ number, word }) => {
    process.send({ to: number, answer: answer(word) });
  });
  // The parent's end is ours.
  process.once("disconnect", () => void emulator.close().then(() => process.exit(0)));

  function answer(word) {
    if (word === "where") {
      return { baseUrl: emulator.baseUrl, apiKey: emulator.apiKey, projectId: emulator.projectId };
    }
    if (word === "ready") return Object.fromEntries(readyAt);
    const counts = {};
    for (const { operation } of emulator.requests()) counts[operation] = (counts[operation] ?? 0) + 1;
    emulator.clearRequests();
    return counts;
  }
}

function queuedMs(ready) {
  return ready.kind === "atOnce" ? 0 : Math.min(1_000, ready.fromMs / 2);
}

/** Spread evenly over the range, in an order that has nothing to do with the order of creation. */
function msUntilReady(ready, name) {
  if (ready.kind === "atOnce") return 0;
  const index = Number(/\d+/.exec(name)?.[0] ?? 0);
  if (index === 0 && ready.slowestMs !== undefined) return ready.slowestMs;
  const place = ((index * 7_919) % ready.of) / Math.max(1, ready.of - 1);
  return Math.round(ready.fromMs + place * (ready.toMs - ready.fromMs));
}

if (process.argv[1] === here && process.send !== undefined) await serve(JSON.parse(process.argv[2]));
