// Long answers that would cost far more memory than they are long, and long answers that are in order.

import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { isTooComplex } from "../../../provider/api/http/complexity";
import { wireService } from "../fixtures";
import { openClient, failureOf, inProject, ofService } from "../../support/client";
import { textWith } from "../../support/matchers";

const LONG = 70_000;
const many = (part: string, bytes: number): string =>
  `[${Array(Math.floor(bytes / (part.length + 1)))
    .fill(part)
    .join(",")}]`;

describe("too much", () => {
  test.each([
    ["deep lists", `${"[".repeat(LONG)}${"]".repeat(LONG)}`],
    ["deep objects", `${'{"a":'.repeat(LONG)}1${"}".repeat(LONG)}`],
    ["many lists", many("[]", 4_000_000)],
    ["many objects", many("{}", 4_000_000)],
  ])("%s", async (_, text) => {
    expect(isTooComplex(text)).toBe(true);
    const { client, server } = await openClient([{ text }]);
    expect(await failureOf(client.services.list(inProject))).toMatchObject({
      code: "CONTRACT",
      message: textWith("nested too deeply, or has too many parts"),
    });
    expect(server.asked).toHaveLength(1);
  });

  test("for one object, and for a page of logs", async () => {
    const long = JSON.stringify({ ...wireService, name: "x".repeat(1_100_000) });
    const { client } = await openClient([{ text: long }]);
    expect(await failureOf(client.services.get(ofService))).toMatchObject({
      message: textWith("the answer is longer than 1048576 bytes"),
    });
    const logs = await openClient([
      { json: { logs: ["x".repeat(2_000_000)] } },
      { json: { logs: ["x".repeat(9_000_000)] } },
    ]);
    expect((await logs.client.services.logs(ofService)).logs[0]).toHaveLength(2_000_000);
    expect(await failureOf(logs.client.services.logs(ofService))).toMatchObject({
      message: textWith("the answer is longer than 8388608 bytes"),
    });
  });
});

describe("in order", () => {
  test("thousands of services", async () => {
    const all = Array.from({ length: 9_000 }, (_, index) => ({ ...wireService, service_id: `svc${index}` }));
    const { client } = await openClient([{ json: all }]);
    expect(await client.services.list(inProject)).toHaveLength(9_000);
  });

  test("brackets, quotes and backslashes within texts do not count", () => {
    const awkward = fc.string({ unit: fc.constantFrom("[", "{", "]", "}", '"', "\\", "a") });
    fc.assert(
      fc.property(fc.array(awkward, { minLength: 1 }), (texts) => {
        const json = JSON.stringify([...texts, "[".repeat(LONG), ...texts]);
        expect(isTooComplex(json)).toBe(false);
        expect(isTooComplex(`[${json},${"[".repeat(100)}`)).toBe(true);
      }),
    );
  });
});
