// Calls whose caller gives up, or whose client is aborted: what was sent gets its answer, and nothing more is sent.

import { getEventListeners } from "node:events";
import type { ServerResponse } from "node:http";
import { describe, expect, test } from "vitest";
import { systemClock } from "../../provider/api/clock";
import { onAbort } from "../../provider/domain/values/abort";
import { wireBareService } from "./fixtures";
import { openClient, failureOf, inProject, ofService } from "../support/client";

test("an aborted caller gets an error that says whether the request was sent", async () => {
  const { client, server, clock } = await openClient([{ status: 429 }]);
  const signal = AbortSignal.abort(new Error("enough"));
  const unsent = await failureOf(client.services.create({ ...inProject, name: "orders" }, { signal }));
  expect(unsent).toMatchObject({ code: "TRANSPORT", sent: "no", operation: "createService" });
  expect(server.asked).toHaveLength(0);

  const controller = new AbortController();
  const waiting = client.services.get(ofService, { signal: controller.signal });
  const sleep = clock.sleep.bind(clock);
  clock.sleep = (ms, given) => {
    controller.abort(new Error("enough"));
    return sleep(ms, given);
  };
  expect(await failureOf(waiting)).toMatchObject({ code: "TRANSPORT", sent: "no", message: /was aborted/ });
  expect(server.asked).toHaveLength(1);
});

describe("until it is aborted", () => {
  const orders = { ...inProject, name: "orders" };

  test("a change that was sent gets its answer, and nothing more is sent", async () => {
    const over = new AbortController();
    const answerLate = (response: ServerResponse): void => {
      over.abort(new Error("enough"));
      setImmediate(() => response.writeHead(201).end(JSON.stringify(wireBareService)));
    };
    const { client, server } = await openClient([answerLate, { json: [] }], { until: over.signal });
    expect(await client.services.create(orders)).toMatchObject({ id: wireBareService.service_id });
    for (const call of [client.services.create(orders), client.services.list(inProject)]) {
      expect(await failureOf(call)).toMatchObject({ code: "TRANSPORT", message: /was aborted/ });
    }
    expect(server.asked).toHaveLength(1);
  });

  test("a read that was sent ends", async () => {
    const over = new AbortController();
    const { client, server } = await openClient([() => over.abort(new Error("enough"))]);
    const read = client.services.get(ofService, { until: over.signal });
    expect(await failureOf(read)).toMatchObject({ code: "TRANSPORT", message: /was aborted/ });
    expect(server.asked).toHaveLength(1);
  });
});

test("calls remove their listeners from a signal that outlives them", async () => {
  const { signal } = new AbortController();
  const replies = [{ status: 429 }, { status: 500 }, { json: [] }];
  const { client } = await openClient(replies, { clock: systemClock, random: () => 0 });
  await failureOf(client.services.create({ ...inProject, name: "orders" }, { signal }));
  await Promise.all([client.services.list(inProject, { signal }), client.services.list(inProject, { signal })]);
  expect(getEventListeners(signal, "abort")).toEqual([]);
});

test("who stops listening twice takes nothing from the others, who share one listener", () => {
  const { signal } = new AbortController();
  const listen = (): (() => void) => onAbort(signal, () => undefined);
  const stop = listen();
  stop();
  const others = [listen()];
  stop();
  others.push(listen());
  expect(getEventListeners(signal, "abort")).toHaveLength(1);
  for (const stopOther of others) stopOther();
  expect(getEventListeners(signal, "abort")).toEqual([]);
});
