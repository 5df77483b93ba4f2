// The emulator in a separate process, as a real server would be. `openControlPlane` starts it; the other half of this
// file is that process. It decides when each service becomes ready, so it knows those times.

import { fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { createEmulator } from "pulumi-dbcloud/emulator";
import type { Moments, Readiness, Requests } from "./model.ts";

const here = fileURLToPath(import.meta.url);

interface Answers {
  where: { baseUrl: string; apiKey: string; projectId: string };
  requests: Requests;
  ready: Moments;
}

type Question = keyof Answers;

export type ControlPlane = Awaited<ReturnType<typeof openControlPlane>>;

/** Starts an emulator in a separate process. */
export async function openControlPlane(ready: Readiness, deleteMs = 0) {
  const child = fork(here, [JSON.stringify(ready), String(deleteMs)], {
    stdio: ["ignore", "inherit", "inherit", "ipc"],
  });
  const ask = async <Q extends Question>(question: Q): Promise<Answers[Q]> => {
    const answered = once(child, "message");
    child.send(question);
    const [answer] = (await answered) as [Answers[Q]];
    return answer;
  };
  return {
    ...(await ask("where")),
    /** Requests since the last time, by operation. */
    takeRequests: () => ask("requests"),
    /** When each service became ready. */
    readyMoments: () => ask("ready"),
    close: async () => {
      const ended = once(child, "exit");
      child.disconnect();
      await ended;
    },
  };
}

async function serve(ready: Readiness, deleteMs: number): Promise<void> {
  const readyAt = new Map<string, number>();
  const atOnce = { resize: 0, delete: deleteMs };
  const create = ({ name }: { name: string }): number => {
    const ms = Math.max(0, msUntilReady(ready, name) - queuedMs(ready));
    readyAt.set(name, Date.now() + queuedMs(ready) + ms);
    return ms;
  };
  const emulator = await createEmulator({ seed: 1, timings: { ...atOnce, queued: queuedMs(ready), create } });
  process.on("message", (question: Question) => process.send?.(answers[question]()));
  // This process ends with its parent.
  process.once("disconnect", () => void emulator.close().then(() => process.exit(0)));

  const answers: { [Q in Question]: () => Answers[Q] } = {
    where: () => ({ baseUrl: emulator.baseUrl, apiKey: emulator.apiKey, projectId: emulator.projectId }),
    ready: () => Object.fromEntries(readyAt),
    requests: () => {
      const counts: Record<string, number> = {};
      for (const { operation = "unknown" } of emulator.requests()) counts[operation] = (counts[operation] ?? 0) + 1;
      emulator.clearRequests();
      return counts;
    },
  };
}

function queuedMs(ready: Readiness): number {
  return ready.kind === "atOnce" ? 0 : Math.min(1_000, ready.fromMs / 2);
}

/** Spread evenly over the range, in an order unrelated to the order of creation. */
function msUntilReady(ready: Readiness, name: string): number {
  if (ready.kind === "atOnce") return 0;
  const index = Number(/\d+/.exec(name)?.[0] ?? 0);
  if (index === 0 && ready.slowestMs !== undefined) return ready.slowestMs;
  const place = ((index * 7_919) % ready.of) / Math.max(1, ready.of - 1);
  return Math.round(ready.fromMs + place * (ready.toMs - ready.fromMs));
}

if (process.argv[1] === here && process.send !== undefined) {
  await serve(JSON.parse(process.argv[2] ?? "") as Readiness, Number(process.argv[3]));
}
