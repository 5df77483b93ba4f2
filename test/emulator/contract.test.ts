// The contract, operation by operation, by plain HTTP. Aimed at the emulator, or with CONTRACT_BASE_URL and
// CONTRACT_API_KEY at another server.

import { expect, onTestFinished, test } from "vitest";
import { createEmulator, type EmulatorOptions } from "../../emulator/index";
import { contract, documented, type Row } from "../contract/operations";
import { httpCaller, walk } from "../contract/walk";
import { isBuildServer } from "../support/repeats";
import { postgres } from "./postgres/support";
import { documentAt, operationsOf } from "./support/openapi";

const elsewhere = process.env["CONTRACT_BASE_URL"];

/** The last: whether fields that the contract does not know are let through. */
const places: [name: string, rows: readonly Row[], options: EmulatorOptions, isOpen: boolean][] = [
  ["a full emulator", contract, {}, false],
  ["an emulator of what is documented", documented, { profile: "documented" }, false],
  ["real servers", contract, { postgres, timings: { queued: 60, create: 200 } }, false],
  ["stale reads", contract, { stale: { reads: 3 }, listLag: { reads: 2 } }, false],
  [
    "another generation",
    contract,
    { switches: { vpcStatus: true, nullFields: true, unknownFields: true, vpcEndpointSpelling: "vpc_endpoint" } },
    true,
  ],
];

/** Real servers show the same more slowly. */
const some = places.filter(([name]) => isBuildServer || name !== "real servers");

test.skipIf(elsewhere).each(some)("%s speaks the contract", async (_, rows, options, isOpen) => {
  const emulator = await createEmulator({ ...options, seed: 11 });
  onTestFinished(() => emulator.close());
  await walk(rows, httpCaller(emulator, isOpen), { projectId: emulator.projectId, deadlineMs: 60_000 });
  const called = new Set(emulator.requests().map(({ operation }) => operation));
  expect(called).toEqual(new Set(rows.map(({ name }) => name)));
  const document = await documentAt(`${emulator.adminUrl}/control-plane/openapi.json`);
  const operations = [...operationsOf(document).values()];
  for (const { operation, status = 0 } of emulator.requests()) {
    const answers = operations.find(({ operationId }) => operationId === operation)?.responses ?? {};
    expect([operation, ...Object.keys(answers)]).toContain(status === 404 ? "4XX" : String(status));
  }
});

test.runIf(elsewhere)(
  "the server speaks the contract",
  async () => {
    const target = { baseUrl: elsewhere ?? "", apiKey: process.env["CONTRACT_API_KEY"] ?? "" };
    const patience = { pollMs: 2_000, deadlineMs: 45 * 60_000 };
    await walk(documented, httpCaller(target, true), { projectId: process.env["CONTRACT_PROJECT_ID"], ...patience });
    expect(target.apiKey).not.toBe("");
  },
  6 * 60 * 60_000,
);
