// Servers that never give a whole answer, or one that is too long: a read is given up, and not begun again.

import { expect, test } from "vitest";
import type { TransportError } from "../../../provider/client";
import { openClient, failureOf, inProject, ofService } from "../../support/client";
import { textWith } from "../../support/matchers";
import type { Reply } from "../../support/scriptedServer";
import { wireService } from "../fixtures";

const drip =
  (head: string, piece: string): Reply =>
  (response) => {
    const { socket } = response;
    socket?.write(head);
    const timer = setInterval(() => socket?.write(piece), 2);
    socket?.once("close", () => clearInterval(timer));
  };

/** So short a pause that there would be time to ask again. */
const IMPATIENT = { readTimeoutMs: 250, random: () => 0.05 };
const NO_ANSWER = "does not answer: check";

const mute: [string, Reply, string][] = [
  ["nothing", () => undefined, NO_ANSWER],
  ["half a header", (response) => void response.socket?.write("HTTP/1.1 200 OK\r\nContent-Ty"), NO_ANSWER],
  ["headers without end", drip("HTTP/1.1 200 OK\r\n", "X-More: 1\r\n"), NO_ANSWER],
  [
    "a body byte by byte",
    drip("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n", "1\r\n \r\n"),
    "",
  ],
];

test.each(mute)("%s: asked once, and the error says what to check", async (_, reply, hint) => {
  const { client, server } = await openClient([reply], IMPATIENT);
  const failure = (await failureOf(client.projects.list())) as TransportError;
  expect(failure).toMatchObject({ code: "TRANSPORT", sent: "maybe" });
  expect([failure.message, server.asked.length]).toEqual([textWith("250 ms"), 1]);
  expect(failure.hint ?? "").toContain(hint);
});

test("if the address has answered before, the error has no advice about it", async () => {
  const { client } = await openClient([{ json: [] }, () => undefined], IMPATIENT);
  await client.projects.list();
  expect(await failureOf(client.projects.list())).toMatchObject({ code: "TRANSPORT", hint: undefined });
});

test("an answer longer than an object, or a page of logs, can be is refused", async () => {
  const replies = [2_000_000, 9_000_000].map((length) => ({ json: { logs: ["x".repeat(length)] } }));
  const { client } = await openClient([{ json: { ...wireService, name: "x".repeat(1_100_000) } }, ...replies]);
  expect(await failureOf(client.services.get(ofService))).toMatchObject({ message: textWith("1048576 bytes") });
  expect((await client.services.logs(ofService)).logs[0]).toHaveLength(2_000_000);
  expect(await failureOf(client.services.logs(ofService))).toMatchObject({ message: textWith("8388608 bytes") });
});

test("thousands of services are in order", async () => {
  const all = Array.from({ length: 9_000 }, (_, index) => ({
    ...wireService,
    service_id: `svc${index}`,
  }));
  const { client } = await openClient([{ json: all }]);
  expect(await client.services.list(inProject)).toHaveLength(9_000);
});
