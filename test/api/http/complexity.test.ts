// Long answers that would cost far more memory than they are long, and long answers that are in order.

import { expect, test } from "vitest";
import { wireService } from "../fixtures";
import { openClient, failureOf, inProject, ofService } from "../../support/client";
import { textWith } from "../../support/matchers";

const LONG = 70_000;
const many = (part: string, bytes: number): string =>
  `[${Array(Math.floor(bytes / (part.length + 1)))
    .fill(part)
    .join(",")}]`;

test.each([
  ["deep lists", `${"[".repeat(LONG)}${"]".repeat(LONG)}`],
  ["deep objects", `${'{"a":'.repeat(LONG)}1${"}".repeat(LONG)}`],
  ["many lists", many("[]", 4_000_000)],
  ["many objects", many("{}", 4_000_000)],
])("an answer of %s is refused as too complex, and not asked for again", async (_, text) => {
  const { client, server } = await openClient([{ text }]);
  expect(await failureOf(client.services.list(inProject))).toMatchObject({
    code: "CONTRACT",
    message: textWith("nested too deeply"),
  });
  expect(server.asked).toHaveLength(1);
});

test("an answer longer than an object, or a page of logs, can be is refused", async () => {
  const replies = [2_000_000, 9_000_000].map((length) => ({ json: { logs: ["x".repeat(length)] } }));
  const { client } = await openClient([{ json: { ...wireService, name: "x".repeat(1_100_000) } }, ...replies]);
  expect(await failureOf(client.services.get(ofService))).toMatchObject({ message: textWith("1048576 bytes") });
  expect((await client.services.logs(ofService)).logs[0]).toHaveLength(2_000_000);
  expect(await failureOf(client.services.logs(ofService))).toMatchObject({ message: textWith("8388608 bytes") });
});

test("thousands of services are in order, and brackets, quotes and backslashes in their texts do not count", async () => {
  const awkward = ["[".repeat(LONG), '\\"{[', '"]}"', "\\\\[{"];
  const all = Array.from({ length: 9_000 }, (_, index) => ({
    ...wireService,
    service_id: `svc${index}`,
    name: awkward[index] ?? "orders",
  }));
  const { client } = await openClient([{ json: all }]);
  expect(await client.services.list(inProject)).toHaveLength(9_000);
});
