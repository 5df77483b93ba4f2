// The document of the emulator: its `curl` lines do what it says, and it names every path of the admin API.

import { readFileSync } from "node:fs";
import path from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { createEmulator } from "../../emulator/index";
import { curlLinesOf, runCurl } from "../support/curl";

const text = readFileSync(path.join(__dirname, "../../docs/emulator.md"), "utf8");

test("every line of curl gets what the document says, and in the end both services are there", async () => {
  const emulator = await createEmulator();
  onTestFinished(() => emulator.close());
  const { baseUrl, apiKey, projectId, adminUrl, adminKey } = emulator;
  const lines = curlLinesOf(text, {
    DBCLOUD_BASE_URL: baseUrl,
    DBCLOUD_API_KEY: apiKey,
    DBCLOUD_PROJECT_ID: projectId,
    DBCLOUD_EMULATOR_ADMIN_URL: adminUrl,
    DBCLOUD_EMULATOR_ADMIN_KEY: adminKey,
  });
  expect(lines.length).toBeGreaterThanOrEqual(9);
  const files = new Map<string, string>();
  const left: number[] = [];
  let last = "";
  for (const line of lines) {
    const { outcome, text: body } = await runCurl(line, files);
    expect({ line: line.words, outcome }).toEqual({ line: line.words, outcome: line.outcome });
    last = body;
    left.push(emulator.state().services.length);
  }
  // Made, a fault, made without an answer, the clock, kept, thrown away, put back, and two looks.
  expect(left).toEqual([1, 1, 2, 2, 2, 0, 2, 2, 2]);
  expect(emulator.state().services).toMatchObject([
    { name: "orders", status: "READY" },
    { name: "billing", status: "READY" },
  ]);
  // `reset` has forgotten the requests, and the admin API's own are none.
  expect(JSON.parse(last)).toEqual([]);
});

test("every path of the admin API is named", async () => {
  const emulator = await createEmulator();
  onTestFinished(() => emulator.close());
  const document = (await (await fetch(`${emulator.adminUrl}/openapi.json`)).json()) as { paths: object };
  const named = new Set(
    [...text.matchAll(/(?:GET|POST|PATCH|DELETE) ([\w./-]+)|`([\w-]+\/[\w/]+)`|`(vpcs)`/g)].map(
      ([, a, b, c]) => a ?? b ?? c ?? "",
    ),
  );
  const paths = Object.keys(document.paths).map((one) => one.slice(1).replaceAll(/\{\w+\}/g, "ID"));
  expect(paths.length).toBeGreaterThan(20);
  expect(paths.filter((one) => !named.has(one) && one !== "vpcs/ID")).toEqual([]);
});
