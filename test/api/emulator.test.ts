// The client against a whole control plane that shares no code with it: every operation, and the ways in which deployments
// differ. What the client makes of single answers is tested in ./http and ./operations.

import { expect, test } from "vitest";
import type { Emulator, EmulatorOptions } from "../../emulator/index";
import { contract, methodOf, objectOf } from "../contract/operations";
import { clientCaller, walk } from "../contract/walk";
import { failureOf, openEmulated } from "../support/client";
import { textLike } from "../support/matchers";

/** The objects of the world, each with its properties as text. */
function objectsOf(emulator: Emulator): Map<string, { kind: string; object: Map<string, string> }> {
  const { vpcs, peerings, services, replicaSets } = emulator.state();
  const all = { vpc: vpcs, peering: peerings, service: services, replicaSet: replicaSets };
  const textOf = (object: object) =>
    new Map(Object.entries(object).map(([name, value]) => [name, JSON.stringify([value])]));
  return new Map(
    Object.entries(all).flatMap(([kind, objects]) =>
      objects.map((object) => [`${kind} ${object.id}`, { kind, object: textOf(object) }]),
    ),
  );
}

/** Which objects came and went, and which properties of the others changed. */
function changesBetween(before: ReturnType<typeof objectsOf>, after: ReturnType<typeof objectsOf>): string[] {
  const keys = [...new Set([...before.keys(), ...after.keys()])];
  return keys
    .flatMap((key) => {
      const [was, is] = [before.get(key), after.get(key)];
      if (was === undefined || is === undefined) return `${was?.kind ?? is?.kind} ${was ? "went" : "came"}`;
      const names = [...new Set([...was.object.keys(), ...is.object.keys()])];
      return names
        .filter((name) => name !== "replicaSetIds" && was.object.get(name) !== is.object.get(name))
        .map((name) => `${is.kind} ${name}`);
    })
    .toSorted();
}

test.each<[string, NonNullable<EmulatorOptions["switches"]>]>([
  ["the default", {}],
  ["null for absent, and members nobody knows", { nullFields: true, unknownFields: true, omitZeroHa: true }],
  ["former spellings", { vpcEndpointSpelling: "vpcEndpoint", cursorSpelling: "lastCursor", logEntries: false }],
  ["lower-case words", { statusCase: "lower", endpointInVpc: "empty" }],
  ["upper-case words", { statusCase: "upper", renameVpcAnswer: "vpc" }],
  ["ids of all letters", { idLooks: "hostile" }],
  ["asynchronous VPCs", { vpcStatus: true, endpointGapReads: 2 }],
])("a walk through every operation reads what was changed, and changes nothing else, with %s", async (_, switches) => {
  const { emulator, client } = await openEmulated({ switches });
  let before = objectsOf(emulator);
  await walk(contract, clientCaller(client), {
    before: () => {
      emulator.settle();
      before = objectsOf(emulator);
    },
    sent: () => emulator.settle(),
    after: (row) => {
      const kind = objectOf(row) ?? "";
      const changes = (row.changes ?? []).map((property) => `${kind} ${property}`);
      const came = row.creates ? [`${kind} came`] : [];
      const went = methodOf(row) === "DELETE" ? [`${kind} went`] : [];
      const found = changesBetween(before, objectsOf(emulator));
      expect([row.name, found]).toEqual([row.name, [...changes, ...came, ...went].toSorted()]);
    },
  });
  const called = new Set(emulator.requests().map(({ operation }) => operation));
  expect(called).toEqual(new Set(contract.map(({ name }) => name)));
});

test("a refusal meets what the contract does not show, where a server has only that", async () => {
  const { emulator, client, project } = await openEmulated({ profile: "documented" });
  const service = { ...project, serviceId: emulator.mutate.createService({}).id };
  const at = { project: service, vpc: { ...service, vpcId: "1" }, peering: { ...service, vpcId: "1", peeringId: "1" } };
  for (const row of contract.filter(({ isUndocumented }) => isUndocumented)) {
    const error = await failureOf(row.call(client, { ...at, service, set: { ...service, replicaSetId: "1" } }));
    expect([row.name, error]).toMatchObject([row.name, { category: textLike(/absentRoute|notFound/) }]);
  }
  expect(emulator.state().services).toHaveLength(1);
});
