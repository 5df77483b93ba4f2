// Servers that take a request and never give a whole answer: a read is given up when its time is over, and not begun again.

import { expect, test } from "vitest";
import type { TransportError } from "../../../provider/client";
import { openClient, failureOf } from "../../support/client";
import { textWith } from "../../support/matchers";
import type { Reply } from "../../support/scriptedServer";

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
