// Every operation of the admin API once, against the document that describes it.

import { expect, test } from "vitest";
import { z } from "zod";
import type { Emulator } from "../../../emulator/index";
import type { Json } from "../support/httpClient";
import { openAdmin } from "../support/emulator";
import { documentAt, operationsOf, requestSchema } from "../support/openapi";

/** Each operation once, in an order that makes sense: what it is asked with. */
const walk: [string, string, (Json | unknown[])?][] = [
  ["GET", "/state"],
  ["POST", "/vpcs", { name: "net" }],
  ["PATCH", "/vpcs/VPC", { cidr: "10.1.0.0/16" }],
  ["POST", "/vpcs/VPC/peerings", { peerVpcId: "vpc-1" }],
  ["PATCH", "/peerings/PEERING", { status: "failed", errorMessage: "no", provisionedId: null }],
  ["DELETE", "/peerings/PEERING"],
  ["POST", "/services", { name: "billing", cpuMillis: 1000, memoryGbs: 4, vpcId: "VPC" }],
  ["PATCH", "/services/SERVICE", { paused: true, vpcId: null, wire: { future_field: 1 } }],
  ["POST", "/services/SERVICE/logs", [{ message: "hello", severity: "ERROR" }]],
  ["POST", "/services/SERVICE/replicaSets", { nodes: 2 }],
  ["PATCH", "/replicaSets/SET", { poolerEnabled: true, status: "error" }],
  ["DELETE", "/replicaSets/SET"],
  ["DELETE", "/services/SERVICE"],
  ["DELETE", "/vpcs/VPC"],
  ["GET", "/ledger"],
  ["POST", "/faults", { kind: "status", status: 503, times: "always", operation: "getProjects" }],
  ["POST", "/faults/random", { seed: 1, rate: 0.5, kinds: ["html"], operations: ["listVpcs"] }],
  ["GET", "/faults"],
  ["DELETE", "/faults/FAULT"],
  ["DELETE", "/faults"],
  ["GET", "/clock"],
  ["POST", "/clock/advance", { ms: 5 }],
  ["POST", "/clock/freeze"],
  ["POST", "/clock/resume"],
  ["GET", "/settings"],
  ["PATCH", "/settings", { timings: { resize: "forever", create: [1, 2] }, stale: { reads: 2 }, rateLimit: null }],
  ["PATCH", "/settings", { switches: { busyStatus: 423 } }],
  ["POST", "/settle"],
  ["POST", "/snapshot"],
  ["POST", "/restore", { the: "snapshot" }],
  ["GET", "/requests"],
  ["DELETE", "/requests"],
  ["POST", "/reset"],
];

/** What an operation that only looks answers: what the function of the emulator gives. */
const functions: Record<string, (emulator: Emulator) => unknown> = {
  "/state": (emulator) => emulator.state(),
  "/ledger": (emulator) => emulator.ledger(),
  "/faults": (emulator) => emulator.faults.list(),
  "/clock": (emulator) => emulator.clock.state(),
  "/settings": ({ settings }) => ({ ...settings, rateLimit: settings.rateLimit ?? null }),
  "/requests": (emulator) => emulator.requests(),
};

const asJson = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

test("every operation takes the requests of the document, and none is missing", async () => {
  const { admin, emulator } = await openAdmin();
  const document = await documentAt(`${emulator.adminUrl}/openapi.json`);
  const operations = operationsOf(document);
  const ids = new Map<string, string>();
  let snapshot: Json = {};
  const done = new Set<string>();
  for (const [method, template, given] of walk) {
    const fill = (text: string): string => text.replaceAll(/[A-Z]{3,}/g, (word) => ids.get(word) ?? word);
    const body = template === "/restore" ? snapshot : given && (JSON.parse(fill(JSON.stringify(given))) as unknown);
    const found = [...operations.keys()].find((key) => matches(key.split(" ")[1] ?? "", template));
    const name = `${method} ${found?.split(" ")[1]}`;
    const operation = operations.get(name);
    if (!operation) throw new Error(`${name} is not in the document`);
    const asked = requestSchema(operation);
    expect([name, asked ? z.fromJSONSchema(asked).safeParse(body).error?.issues : body]).toEqual([name, undefined]);

    const answer = await admin.call(method, fill(template), body);
    const hasBody = answer.text !== "";
    const status = hasBody ? (/^(create|add)/.test(operation.operationId) ? 201 : 200) : 204;
    expect([name, answer.status, answer.json === undefined]).toEqual([name, status, !hasBody]);
    expect(Object.keys(operation.responses ?? {})).toContain(String(status));
    const shown = method === "GET" ? asJson(functions[template]?.(emulator)) : answer.json;
    expect([name, answer.json]).toEqual([name, shown]);
    done.add(name);
    const { id } = (answer.json ?? {}) as { id?: string };
    const kind = { "/vpcs": "VPC", "/services": "SERVICE", "/faults": "FAULT" }[template];
    if (kind !== undefined && id !== undefined) ids.set(kind, id);
    if (template.endsWith("/peerings") && id !== undefined) ids.set("PEERING", id);
    if (template.endsWith("/replicaSets") && id !== undefined) ids.set("SET", id);
    if (template === "/snapshot") snapshot = answer.json as Json;
  }
  const others = ["GET /openapi.json", "GET /control-plane/openapi.json"];
  expect([...done, ...others].toSorted()).toEqual([...operations.keys()].toSorted());
  expect(emulator.state().services).toEqual([]);
});

function matches(template: string, given: string): boolean {
  const [wanted, there] = [template.split("/"), given.split("/")];
  return (
    wanted.length === there.length &&
    wanted.every(
      (segment, index) =>
        segment === there[index] || (segment.startsWith("{") && /^[A-Z]{3,}$/.test(there[index] ?? "")),
    )
  );
}
