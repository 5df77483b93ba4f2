// The pace of a client: so many requests per second, so many at once, in order, and nobody waits in vain.

import { expect, test } from "vitest";
import type { ClientOptions } from "../../../provider/client";
import { failureOf, inProject, openClient } from "../../support/client";
import { textLike } from "../../support/matchers";
import type { Reply } from "../../support/scriptedServer";

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
