// One question asked by many at the same moment is one request; a change ends the sharing.

import { describe, expect, test } from "vitest";
import { createFlights } from "../../../provider/api/http/singleflight";
import type { Reply } from "../../support/scriptedServer";
import { openClient, failureOf, inProject, ofService } from "../../support/client";
import { textWith } from "../../support/matchers";

/** Answers only when the test says so. */
function held(json: unknown): { reply: Reply; release: () => void } {
  let release = (): void => undefined;
  const reply: Reply = (response) => {
    release = () => response.end(JSON.stringify(json));
  };
  return { reply, release: () => release() };
}

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise(setImmediate);
}

describe("the same read at the same moment", () => {
  test("is sent once for all", async () => {
    const { client, server } = await openClient([{ json: [] }]);
    const calls = Array.from({ length: 100 }, () => client.services.list(inProject));
    expect(await Promise.all(calls)).toEqual(calls.map(() => []));
    expect(server.asked).toHaveLength(1);
    await client.services.list(inProject);
    expect(server.asked).toHaveLength(2);
  });

  test("another question is another request", async () => {
    const { client, server } = await openClient([{ json: { logs: [] } }]);
    await Promise.all([
      client.services.logs({ ...ofService, cursor: "a" }),
      client.services.logs({ ...ofService, cursor: "b" }),
      client.services.logs(ofService),
    ]);
    expect(server.asked).toHaveLength(3);
  });

  test("fails for all, and each repeats it on their own terms", async () => {
    const { client, server } = await openClient([{ status: 500 }, { json: [] }]);
    const once = failureOf(client.services.list(inProject, { attempts: "once" }));
    const patient = client.services.list(inProject);
    expect(await once).toMatchObject({ status: 500 });
    expect(await patient).toEqual([]);
    expect(server.asked).toHaveLength(2);
  });

  test("continues when one caller aborts, and ends when all do", async () => {
    const { reply, release } = held([]);
    const { client, server } = await openClient([reply]);
    const [one, two] = [new AbortController(), new AbortController()];
    const left = client.services.list(inProject, { signal: one.signal });
    const stays = client.services.list(inProject, { signal: two.signal });
    await until(() => server.asked.length === 1);
    one.abort();
    expect(await failureOf(left)).toMatchObject({
      code: "TRANSPORT",
      message: textWith("was aborted"),
    });
    release();
    expect(await stays).toEqual([]);

    const alone = client.services.list(inProject, { signal: two.signal });
    await until(() => server.asked.length === 2);
    two.abort();
    expect(await failureOf(alone)).toMatchObject({ code: "TRANSPORT", sent: "maybe" });
  });
});

test("a read after a change does not share a read from before it", async () => {
  const { reply, release } = held([]);
  const { client, server } = await openClient([reply, { status: 204 }, { json: [] }]);
  const before = client.services.list(inProject);
  await until(() => server.asked.length === 1);
  const joined = client.services.list(inProject);
  await client.services.enablePooler(ofService);
  const after = client.services.list(inProject);
  await after;
  expect(server.asked.map(({ method }) => method)).toEqual(["GET", "POST", "GET"]);
  release();
  await Promise.all([before, joined]);
  expect(server.asked).toHaveLength(3);
});

test("a new read does not join a request that all callers have aborted", async () => {
  const flights = createFlights();
  const starts: AbortSignal[] = [];
  const start = (signal: AbortSignal): Promise<string> => {
    starts.push(signal);
    return new Promise((resolve) => setImmediate(() => resolve(`answer ${starts.length}`)));
  };
  const controller = new AbortController();
  const left = flights.share("q", start, controller.signal);
  controller.abort(new Error("enough"));
  expect(await failureOf(left)).toMatchObject({ message: "enough" });
  expect(starts[0]?.aborted).toBe(true);
  expect(await flights.share("q", start)).toBe("answer 2");
  expect(starts).toHaveLength(2);
});
