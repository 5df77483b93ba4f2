// Objects of all kinds in one deployment, and the places where they are then looked for by mistake.

import { afterEach, beforeEach } from "vitest";
import { createEmulator, type Emulator } from "../../../emulator/index";
import { startScriptedServer, type Reply, type ScriptedServer } from "../../support/scriptedServer";
import { openWorld, type Handlers, type Kept, type World } from "../../support/world";

export const KINDS = ["vpc", "peering", "service", "readReplicaSet"] as const;
export const READ_ONLY = "a-key-that-may-only-look";

export let world: World;
export let kept: Record<(typeof KINDS)[number], Kept>;
let opened: { close(): Promise<void> }[];

/** Opens a world before each test, with an object of each kind, and closes all that was opened after it. */
export function useWrongPlaces(): void {
  beforeEach(async () => {
    opened = [];
    world = await openWorld({
      callers: [{ token: READ_ONLY, kind: "pat", readOnly: true }],
      projects: [
        { id: "proj000001", name: "ours" },
        { id: "proj000002", name: "another" },
      ],
    });
    const timeouts = { update: "3m", delete: "3m" };
    const vpc = await world.vpc.create({ timeouts, name: "net", cidr: "10.0.0.0/24", regionCode: "us-east-1" });
    const peer = { timeouts, vpcId: vpc.id, peerAccountId: "1", peerRegionCode: "us-east-1", peerVpcId: "vpc-1" };
    const service = await world.service.create({ timeouts, name: "orders", environment: "DEV" });
    const set = { timeouts, serviceId: service.id, name: "readers", nodes: 1, cpuMillis: 500, memoryGbs: 2 };
    kept = {
      vpc,
      peering: await world.peering.create(peer),
      service,
      readReplicaSet: await world.readReplicaSet.create(set),
    };
    world.calls();
  });

  afterEach(async () => {
    await Promise.all(opened.map((one) => one.close()));
    await world.close();
  });
}

/** A server that answers everything alike. */
export async function answering(reply: Reply): Promise<ScriptedServer> {
  const server = await startScriptedServer(reply);
  opened.push(server);
  return server;
}

/** Another control plane, on the same clock. */
export async function another(projectId: string, apiKey: string, seed = 2): Promise<Emulator> {
  const emulator = await createEmulator({ seed, projectId, apiKey, now: () => world.clock.now() });
  opened.push(emulator);
  return emulator;
}

export const settings = (more: Record<string, string>): Record<string, string> => {
  const { baseUrl, apiKey, projectId } = world.emulator;
  return { baseUrl, apiKey, projectId, ...more };
};

export async function refusal(work: Promise<unknown>): Promise<string> {
  return work.then(
    (value) => `it worked: ${JSON.stringify(value)}`,
    (error: unknown) => (error instanceof Error && "fullMessage" in error ? String(error.fullMessage) : String(error)),
  );
}

/** Refreshes and removals that did not end in these words. */
export async function unlike(there: World, words: RegExp): Promise<string[]> {
  const wrong: string[] = [];
  const judge = async (what: string, work: (handlers: Handlers, one: Kept) => Promise<unknown>): Promise<void> => {
    for (const kind of KINDS) {
      const said = await refusal(work(there[kind], kept[kind]));
      if (!words.test(said)) wrong.push(`${what} of ${kind}: ${said}`);
    }
  };
  await judge("refresh", (handlers, one) => handlers.refresh(one));
  await judge("delete", (handlers, one) => handlers.remove(one));
  if (!nothingDeleted()) wrong.push("something was deleted");
  return wrong;
}

export function nothingDeleted(): boolean {
  const { vpcs, peerings, services, replicaSets } = world.emulator.state();
  return [vpcs, peerings, services, replicaSets].every((all) => all.length === 1);
}
