// The pace of a client: so many requests per second, so many at once, in order, and nobody waits in vain.

import { describe, expect, test } from "vitest";
import type { Client, ClientOptions } from "../../../provider/client";
import { failureOf, inProject, openClient } from "../../support/client";
import { textLike } from "../../support/matchers";
import type { Reply, ScriptedServer } from "../../support/scriptedServer";

/** A client, and when its requests came in on its clock. `list` sends one of its own; others are shared. */
async function open(options: Partial<ClientOptions> = {}, first: Reply[] = []) {
  const came: [path: string, ms: number][] = [];
  let start = 0;
  const last: Reply = (response, { url = "" }) => {
    came.push([url.split("/")[3] ?? "", clock.now() - start]);
    response.end("[]");
  };
  const { client, clock, server } = await openClient([...first, last], options);
  start = clock.now();
  const list = (name: number | string, signal?: AbortSignal) =>
    client.services.list({ projectId: `p${name}` }, signal && { signal });
  return { client, clock, server, came, list, times: () => came.map(([, ms]) => ms) };
}

const again = { status: 429, headers: { "retry-after": "30" } };

test("requests are spread evenly, first come, first served, and idle time is not saved up", async () => {
  const { list, clock, came, times } = await open({ maxRequestsPerSecond: 5 });
  await Promise.all([0, 1, 2, 3].map((name) => list(name)));
  expect(came.map(([name]) => name)).toEqual(["p0", "p1", "p2", "p3"]);
  await clock.sleep(60_000);
  await Promise.all([4, 5].map((name) => list(name)));
  expect(times()).toEqual([0, 200, 400, 600, 60_600, 60_800]);
});

test("no more requests than allowed are under way at once", async () => {
  const slow: Reply = (response) => void setTimeout(() => response.end("[]"), 5);
  const { client, server } = await openClient([slow], { maxConcurrency: 3 });
  await Promise.all(Array.from({ length: 12 }, (_, index) => client.services.list({ projectId: `p${index}` })));
  expect([server.asked.length, server.mostAtOnce]).toEqual([12, 3]);
});

test("a caller that gives up while it waits lets the others move up, and no timer stays behind", async () => {
  const { list, clock, times } = await open({ maxRequestsPerSecond: 1 });
  await list(0);
  const controller = new AbortController();
  const [waiting, next] = [list(1, controller.signal), list(2)];
  controller.abort(new Error("enough"));
  expect(await failureOf(waiting)).toMatchObject({ code: "TRANSPORT", sent: "no" });
  await next;
  expect([times(), clock.sleeping]).toEqual([[0, 1_000], 0]);
});

test("a server that refuses gets fewer requests, and slowly more again", async () => {
  const { list, client, times } = await open({ maxRequestsPerSecond: 10 }, [
    { status: 429, headers: { "retry-after": "0" } },
  ]);
  await failureOf(client.projects.list({ attempts: "once" }));
  for (let name = 0; name < 40; name += 1) await list(name);
  const distances = times()
    .slice(1)
    .map((ms, index) => ms - (times()[index] ?? 0));
  expect(distances[0]).toBeGreaterThan(150);
  expect(distances.at(-1)).toBe(100);
});

test("a pause that the server asks for holds for all calls of the client, which then do not come all at once", async () => {
  const { client, list, times } = await open({}, [again]);
  await failureOf(client.projects.list({ attempts: "once" }));
  await Promise.all(["a", "b", "c"].map((name) => list(name)));
  expect(times()).toEqual([30_000, 30_001, 30_001]);
});

test("a pause is reported, and a caller with less time does not wait for it", async () => {
  const { client, clock, server } = await open({}, [again]);
  await failureOf(client.projects.list({ attempts: "once" }));
  const hurried = client.services.list(inProject, { deadlineMs: clock.now() + 29_000 });
  expect(await failureOf(hurried)).toMatchObject({ code: "TRANSPORT", sent: "no" });
  expect(server.asked).toHaveLength(1);

  const lines: string[] = [];
  const patient = client.services.list(inProject, { report: (line) => lines.push(line) });
  const joined = client.services.list(inProject, { deadlineMs: clock.now() + 1 });
  expect(await failureOf(joined)).toMatchObject({ code: "TRANSPORT" });
  await patient;
  expect(lines).toEqual([textLike(/^listServices \(projects\/prj0000001\): .*waiting 30 s/)]);
});

test("a thousand calls against a server that allows five per second all come, and their callers are told", async () => {
  const { client, clock, server } = await openClient([{ json: [] }], { maxRequestsPerSecond: 5 });
  const start = clock.now();
  const told: string[] = [];
  const report = (line: string): void => void told.push(line);
  const projects = Array.from({ length: 1_000 }, (_, index) => ({ projectId: `p${index}` }));
  await Promise.all(projects.map((project) => client.services.list(project, { report })));
  expect(server.asked).toHaveLength(1_000);
  expect(clock.now() - start).toBeGreaterThanOrEqual(199_000);
  expect(told.length).toBeGreaterThan(980);
});

/** A read and the change that rests on it, for the object of that name. */
async function lookAndStop(client: Client, name: number, until?: AbortSignal): Promise<void> {
  const object = { projectId: "prj0000001", serviceId: `svc${name}` };
  await client.inTurn({ label: "stop", until }, async (turn) => {
    await client.services.list({ projectId: `look${name}` }, { turn });
    await client.services.stop(object, { turn });
  });
}

describe("a turn of several requests", () => {
  const looksAndStops = (server: ScriptedServer): string[] =>
    server.asked.map(({ url }) => url.split("/").slice(3, 6).join("/").replace("prj0000001/services/", ""));

  test("sends them one right after the other, at the configured rate in all", async () => {
    const { client, server, clock } = await openClient([{ json: [] }], { maxRequestsPerSecond: 2, maxConcurrency: 1 });
    const start = clock.now();
    await Promise.all([lookAndStop(client, 1), client.projects.list(), lookAndStop(client, 2)]);
    const asked = looksAndStops(server);
    for (const name of [1, 2]) expect(asked.indexOf(`svc${name}`)).toBe(asked.indexOf(`look${name}/services`) + 1);
    expect(server.mostAtOnce).toBe(1);
    expect(clock.now() - start).toBe(1_500);
  });

  test("ends with a refusal that asks for a long pause, and then one such turn at a time is let in, one more with each that gets through", async () => {
    const under = { now: 0, most: [] as number[] };
    const slow: Reply = (response, { method, url = "" }) => {
      if (method === "GET") under.most.push((under.now += url.includes("look") ? 1 : 0));
      setTimeout(() => {
        if (method === "POST") under.now -= 1;
        response.end("[]");
      }, 5);
    };
    const { client, server } = await openClient([again, slow], { maxConcurrency: 3 });
    expect(await failureOf(lookAndStop(client, 0))).toMatchObject({ status: 429 });
    await Promise.all([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12].map((name) => lookAndStop(client, name)));
    expect(looksAndStops(server)).not.toContain("svc0");
    expect(under.most.slice(0, 3)).toEqual([1, 1, 2]);
  });

  test("sends nothing more after such a refusal, also of what was asked for at once", async () => {
    const { client, server } = await openClient([again, { json: [] }]);
    const [stopped] = await client.inTurn({ label: "stop" }, async (turn) => {
      const looks = [1, 2].map((name) => client.services.list({ projectId: `look${name}` }, { turn }));
      const stop = client.services.stop({ projectId: "prj0000001", serviceId: "svc1" }, { turn });
      return Promise.all([failureOf(stop), ...looks.map(failureOf)]);
    });
    expect(looksAndStops(server)).toEqual(["look1/services"]);
    expect(stopped).toMatchObject({ status: 429, operation: "listServices" });
  });

  test("repeats the third read or a later one after a short pause, and never a change", async () => {
    const brief = { status: 429, headers: { "retry-after": "1" } };
    const { client, clock, server } = await openClient(
      [{}, {}, brief, {}, {}, brief].map((one) => ({ json: [], ...one })),
    );
    const start = clock.now();
    const stop = client.inTurn({ label: "stop" }, async (turn) => {
      await Promise.all([1, 2, 3, 4].map((name) => client.services.list({ projectId: `look${name}` }, { turn })));
      expect(Math.floor(clock.now() - start)).toBe(1_000);
      await client.services.stop({ projectId: "prj0000001", serviceId: "svc1" }, { turn });
    });
    expect(await failureOf(stop)).toMatchObject({ status: 429, operation: "stop" });
    const looks = [1, 2, 3, 4, 3].map((name) => `look${name}/services`);
    expect(looksAndStops(server)).toEqual([...looks, "svc1"]);
  });

  test("keeps the distance that the server accepts from its fifth request on", async () => {
    const { client, came, times, server } = await open({ maxRequestsPerSecond: 4 });
    await client.inTurn({ label: "stop" }, async (turn) => {
      for (const name of [1, 2, 3, 4, 5, 6]) await client.services.list({ projectId: `look${name}` }, { turn });
    });
    expect(came).toHaveLength(server.asked.length);
    expect(times()).toEqual([0, 0, 0, 0, 250, 500]);
  });

  test("gets through where the server takes fewer requests at once than the turn has", async () => {
    const bucket = { tokens: 3, atMs: 0 };
    const throttling: Reply = (response) => {
      const nowMs = clock.now();
      bucket.tokens = Math.min(3, bucket.tokens + ((nowMs - bucket.atMs) / 1_000) * 2);
      bucket.atMs = nowMs;
      if (bucket.tokens < 1) response.statusCode = 429;
      else bucket.tokens -= 1;
      response.end("[]");
    };
    const { client, clock } = await openClient([throttling]);
    const looksAndStop = (): Promise<unknown> =>
      client.inTurn({ label: "stop" }, async (turn) => {
        for (const name of [1, 2, 3, 4]) await client.services.list({ projectId: `look${name}` }, { turn });
        await client.services.stop({ projectId: "prj0000001", serviceId: "svc1" }, { turn });
      });
    let refusals = 0;
    while (
      await looksAndStop().then(
        () => false,
        () => true,
      )
    )
      refusals += 1;
    expect(refusals).toBeGreaterThan(2);
    expect(refusals).toBeLessThan(20);
  });

  test("is left by who gives up, and given to the next", async () => {
    const { client, server } = await openClient([{ status: 503, headers: { "retry-after": "20" } }, { json: [] }]);
    await failureOf(client.projects.list({ attempts: "once" }));
    const controller = new AbortController();
    const [given, next] = [lookAndStop(client, 1, controller.signal), lookAndStop(client, 2)];
    controller.abort(new Error("enough"));
    expect(await failureOf(given)).toMatchObject({ code: "TRANSPORT", sent: "no" });
    await next;
    expect(looksAndStops(server).slice(1)).toEqual(["look2/services", "svc2"]);
    const work = client.inTurn({ label: "stop", deadlineMs: 1 }, () => Promise.resolve("began"));
    expect(await work).toBe("began");
  });

  test("is not taken by a call that was given up before it began", async () => {
    const { client, server, clock } = await openClient([{ json: [] }], { maxRequestsPerSecond: 1 });
    const start = clock.now();
    const signal = AbortSignal.abort(new Error("enough"));
    for (const call of [client.services.list({ projectId: "p1" }, { signal }), lookAndStop(client, 1, signal)]) {
      expect(await failureOf(call)).toMatchObject({ code: "TRANSPORT", sent: "no" });
    }
    await client.services.list({ projectId: "p2" });
    expect([server.asked.length, clock.now() - start]).toEqual([1, 0]);
  });

  test("that does not come is told of, and ends at the deadline of its call", async () => {
    const { client, clock } = await openClient([{ json: [] }], { maxConcurrency: 1 });
    const held = Promise.withResolvers<void>();
    const holder = client.inTurn({ label: "start" }, () => held.promise);
    const told: [string, number][] = [];
    const start = clock.now();
    const report = (line: string): void => void told.push([line, clock.now() - start]);
    const call = { label: "stop", deadlineMs: start + 60_000, report };
    const error = await failureOf(client.inTurn(call, () => Promise.reject(new Error("sent"))));
    expect(error).toMatchObject({
      code: "TRANSPORT",
      sent: "no",
      message: textLike(/^stop: was still waiting for its turn/),
    });
    expect([clock.now() - start, told]).toEqual([
      60_000,
      [["stop: too many requests at once; waiting before sending", 10_000]],
    ]);
    held.resolve();
    await holder;
    expect(await client.inTurn(call, () => Promise.resolve("next"))).toBe("next");
    expect(clock.sleeping).toBe(0);
  });
});
