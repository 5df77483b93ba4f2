// The gate: so many per second, so many at once, in order, and nobody waits in vain.

import { describe, expect, test } from "vitest";
import { createGate, type GateOptions, type Turn } from "../../../provider/api/http/rate";
import { openClient, failureOf, inProject } from "../../support/client";
import { createTestClock, type TestClock } from "../../support/clock";

const gateOf = (options: Partial<GateOptions>): { gate: ReturnType<typeof createGate>; clock: TestClock } => {
  const clock = createTestClock(0);
  return { clock, gate: createGate({ clock, maxRequestsPerSecond: 10, maxConcurrency: 100, ...options }) };
};

function done(turn: Turn): void {
  turn.answered();
  turn.leave();
}

describe("per second", () => {
  test("requests are spread evenly, first come, first served", async () => {
    const { gate, clock } = gateOf({ maxRequestsPerSecond: 5 });
    const times: [number, number][] = [];
    await Promise.all(
      [0, 1, 2, 3, 4].map(async (index) => {
        const turn = await gate.enter();
        times.push([index, clock.now()]);
        done(turn);
      }),
    );
    expect(times).toEqual([
      [0, 0],
      [1, 200],
      [2, 400],
      [3, 600],
      [4, 800],
    ]);
  });

  test("idle time is not saved up", async () => {
    const { gate, clock } = gateOf({ maxRequestsPerSecond: 1 });
    done(await gate.enter());
    await clock.sleep(60_000);
    done(await gate.enter());
    const before = clock.now();
    done(await gate.enter());
    expect(clock.now() - before).toBe(1_000);
  });
});

describe("at once", () => {
  test("no more than allowed, in order", async () => {
    const { gate } = gateOf({ maxRequestsPerSecond: 1e9, maxConcurrency: 2 });
    const order: number[] = [];
    const turns: Turn[] = [];
    const enter = async (index: number): Promise<void> => {
      turns.push(await gate.enter());
      order.push(index);
    };
    const all = [0, 1, 2, 3].map(enter);
    await Promise.all(all.slice(0, 2));
    expect(order).toEqual([0, 1]);
    turns[1]?.leave();
    turns[1]?.leave();
    await all[2];
    await Promise.resolve();
    expect(order).toEqual([0, 1, 2]);
    turns[0]?.leave();
    await all[3];
    expect(order).toEqual([0, 1, 2, 3]);
  });

  test("the client keeps to it", async () => {
    const slow = (response: { end: (text: string) => void }): void => void setTimeout(() => response.end("[]"), 5);
    const { client, server } = await openClient([slow], { maxConcurrency: 3 });
    await Promise.all(Array.from({ length: 12 }, (_, index) => client.services.list({ projectId: `p${index}` })));
    expect(server.asked).toHaveLength(12);
    expect(server.mostAtOnce).toBe(3);
  });
});

describe("giving up", () => {
  test("while waiting: the others move up, and no timer stays behind", async () => {
    const { gate, clock } = gateOf({ maxRequestsPerSecond: 1 });
    done(await gate.enter());
    const controller = new AbortController();
    const first = gate.enter(controller.signal);
    const second = gate.enter();
    controller.abort(new Error("enough"));
    expect(await failureOf(first)).toMatchObject({ message: "enough" });
    (await second).leave();
    expect(clock.now()).toBe(1_000);

    const last = gate.enter(AbortSignal.abort(new Error("before")));
    expect(await failureOf(last)).toMatchObject({ message: "before" });
    const other = new AbortController();
    const waiting = gate.enter(other.signal);
    expect(clock.sleeping).toBe(1);
    other.abort(new Error("after"));
    expect(clock.sleeping).toBe(0);
    const next = gate.enter();
    expect(await failureOf(waiting)).toMatchObject({ message: "after" });
    expect(clock.sleeping).toBe(1);
    (await next).leave();
  });
});

describe("a server that refuses", () => {
  test("gets half as many requests, once for all that were under way, and slowly more again", async () => {
    const { gate, clock } = gateOf({ maxRequestsPerSecond: 10 });
    const distanceMs = async (): Promise<number> => {
      done(await gate.enter());
      const before = clock.now();
      done(await gate.enter());
      return clock.now() - before;
    };
    expect(await distanceMs()).toBe(100);
    const together = [await gate.enter(), await gate.enter()];
    for (const turn of together) turn.refused(0);
    for (const turn of together) turn.leave();
    const slowed = await distanceMs();
    expect(slowed).toBeGreaterThan(180);
    expect(slowed).toBeLessThanOrEqual(200);
    for (let answer = 0; answer < 30; answer++) done(await gate.enter());
    expect(await distanceMs()).toBe(100);
  });
});

describe("a pause that the server asks for", () => {
  test("holds for all calls of the client", async () => {
    const times: number[] = [];
    const world = await openClient([
      { status: 429, headers: { "retry-after": "30" } },
      (response) => {
        times.push(world.clock.now());
        response.end("[]");
      },
    ]);
    const { client, clock } = world;
    const start = clock.now();
    await failureOf(client.projects.list({ attempts: "once" }));
    await Promise.all(["a", "b", "c"].map((projectId) => client.services.list({ projectId })));
    // And then not all at once.
    expect(times.map((time) => time - start)).toEqual([30_000, 30_001, 30_001]);
  });

  test("is reported, and a caller with less time does not wait for it", async () => {
    const { client, clock, server } = await openClient([
      { status: 429, headers: { "retry-after": "30" } },
      { json: [] },
    ]);
    await failureOf(client.projects.list({ attempts: "once" }));
    const hurried = client.services.list(inProject, { deadlineMs: clock.now() + 29_000 });
    expect(await failureOf(hurried)).toMatchObject({ code: "TRANSPORT", sent: "no" });
    expect(server.asked).toHaveLength(1);

    const lines: string[] = [];
    const report = (line: string): void => void lines.push(line);
    const start = clock.now();
    const patient = client.services.list(inProject, { report });
    const joined = client.services.list(inProject, { deadlineMs: start + 1 });
    expect(await failureOf(joined)).toMatchObject({ code: "TRANSPORT" });
    await patient;
    expect(clock.now() - start).toBe(30_000);
    expect(lines).toEqual([
      "listServices (projects/prj0000001): the server asked for a break; waiting 30 s before sending",
    ]);
  });
});

test("a thousand calls against a server that allows five per second", async () => {
  const { client, clock, server } = await openClient([{ json: [] }], { maxRequestsPerSecond: 5 });
  const start = clock.now();
  const told: string[] = [];
  const report = (line: string): void => void told.push(line);
  const calls = Array.from({ length: 1_000 }, (_, index) =>
    client.services.list({ projectId: `p${index}` }, { report }),
  );
  await Promise.all(calls);
  expect(server.asked).toHaveLength(1_000);
  expect(clock.now() - start).toBeGreaterThanOrEqual(199_000);
  expect(told.length).toBeGreaterThan(980);
});
