// The line in which the provider says what an update would call, and the test package that reads it.

import { expect, test } from "vitest";
import { createCalls } from "../../provider/host/calls";
import { createSettingsReader } from "../../provider/host/settings";
import { UNKNOWN } from "../../provider/domain/values/value";
import { Memory } from "../../provider/core/runView";
import { createRecorder } from "../../testing/result";

const urn = "urn:pulumi:dev::shop::pulumi-nodejs:dynamic/dbcloud:Service::orders";
const type = "pulumi-nodejs:dynamic/dbcloud:Service";

async function lineOf(label: string, operations: readonly string[]): Promise<string[]> {
  const lines: string[] = [];
  const environment = { DBCLOUD_SHOW_CALLS: "1" };
  const row = {
    progress: (text: string): void => void lines.push(text),
    warn: (text: string): void => void lines.push(`warning: ${text}`),
    end: () => Promise.resolve(),
  };
  const shared = {
    environment,
    memory: new Memory(),
    openSession: () => {
      throw new Error("nothing is asked");
    },
    openRow: () => row,
    calls: { underWay: 0 },
    signal: new AbortController().signal,
    adopt: [],
    believedGone: [],
    warnings: new Set<string>(),
  };
  await createCalls(shared, createSettingsReader(environment))({ __urn: urn }, 0, ({ showCalls }) =>
    showCalls?.(label, operations),
  );
  return lines;
}

function callsOf(messages: readonly string[], severity: "info" | "warning" = "info"): string[] {
  const recorder = createRecorder(true);
  const metadata = { op: "update" as const, urn, type, provider: "", keys: [], diffs: [], logical: true };
  const event = { sequence: 0, timestamp: 0 };
  recorder.onEvent({ ...event, resourcePreEvent: { metadata, planning: true } });
  for (const message of messages) {
    recorder.onEvent({ ...event, diagnosticEvent: { urn, message, severity, color: "never" } });
  }
  return recorder.result(new Map()).calls("orders");
}

test.each([
  ["service orders (svc1)", ["rename", "resize"]],
  ["service calls: stop (svc1)", ["resize"]],
  ["peering p1", ["deletePeering"]],
])("%s: the line names the resource, and is read back", async (label, operations) => {
  const lines = await lineOf(label, operations);
  expect(lines).toEqual([`${label}: calls: ${operations.join(", ")}`]);
  expect(callsOf(lines)).toEqual(operations);
});

test("without a call there is no line, and what only sounds like one is none", async () => {
  expect(await lineOf("service orders (svc1)", [])).toEqual([]);
  expect(callsOf(["service orders (svc1): no longer managed, left as is: paused"])).toEqual([]);
  expect(callsOf(["service orders (svc1): calls: resize"], "warning")).toEqual([]);
});

test("what a preview does not know is no value in its changes", () => {
  const recorder = createRecorder(true);
  const state = { type, urn, id: "", parent: "", provider: "", protect: false, outputs: {} };
  const inputs = { vpcId: UNKNOWN, haReplicas: { replicaCount: UNKNOWN }, cpuMillis: 500 };
  const metadata = { op: "create" as const, urn, type, provider: "", keys: [], diffs: [], logical: true };
  const resourcePreEvent = { metadata: { ...metadata, new: { ...state, inputs } }, planning: true };
  recorder.onEvent({ sequence: 0, timestamp: 0, resourcePreEvent });
  expect(recorder.result(new Map()).changes("orders")).toEqual({
    vpcId: [undefined, "[unknown]"],
    haReplicas: [undefined, { replicaCount: "[unknown]" }],
    cpuMillis: [undefined, 500],
  });
});
