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
  const variables = {
    DBCLOUD_BASE_URL: baseUrl,
    DBCLOUD_API_KEY: apiKey,
    DBCLOUD_PROJECT_ID: projectId,
    DBCLOUD_EMULATOR_ADMIN_URL: adminUrl,
    DBCLOUD_EMULATOR_ADMIN_KEY: adminKey,
    SERVICE_ID: "",
  };
  const { length } = curlLinesOf(text, variables);
  expect(length).toBeGreaterThanOrEqual(10);
  const files = new Map<string, string>();
  const left: number[] = [];
  const bodies: string[] = [];
  for (let at = 0; at < length; at += 1) {
    const line = curlLinesOf(text, variables)[at] ?? { words: [], outcome: "" };
    const { outcome, text: body } = await runCurl(line, files);
    expect({ line: line.words, outcome }).toEqual({ line: line.words, outcome: line.outcome });
    if (at === 0) variables.SERVICE_ID = (JSON.parse(body) as { service_id: string }).service_id;
    bodies.push(body);
    left.push(emulator.state().services.length);
  }
  // Made, a fault, made without an answer, the clock, changed by hand, two looks, kept, thrown away, put back.
  expect(left).toEqual([1, 1, 2, 2, 2, 2, 2, 2, 0, 2]);
  expect(emulator.state().services).toMatchObject([
    { name: "orders", status: "READY", cpuMillis: 4000, memoryGbs: 16 },
    { name: "billing", status: "READY" },
  ]);
  // The admin API's own requests are not recorded.
  expect(JSON.parse(bodies[6] ?? "")).toMatchObject([
    { operation: "createService", status: 202 },
    { operation: "createService", fault: "lostAfter" },
  ]);
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
