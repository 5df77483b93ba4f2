// Objects of all kinds in one deployment, and the places where they are then looked for by mistake.

import { afterEach } from "vitest";
import { createEmulator, type Emulator } from "../../../emulator/index";
import { type Reply, type ScriptedServer, startScriptedServer } from "../../support/scriptedServer";
import type { Handlers, Kept, World } from "../../support/world";
import { KINDS, NET, PEER, setOf, useWorld, world } from "../scene";

export const READ_ONLY = "a-key-that-may-only-look";

export let kept: Record<(typeof KINDS)[number], Kept>;
const opened: { close(): Promise<void> }[] = [];

/** A world with an object of each kind before each test; closes all that was opened after it. */
export function useWrongPlaces(): void {
  const callers = [{ token: READ_ONLY, kind: "pat" as const, readOnly: true }];
  const projects = [
    { id: "proj000001", name: "ours" },
    { id: "proj000002", name: "another" },
  ];
  useWorld({ callers, projects }, async () => {
    const timeouts = { update: "3m", delete: "3m" };
    const vpc = await world.vpc.create({ timeouts, ...NET });
    const peering = await world.peering.create({ timeouts, vpcId: vpc.id, ...PEER });
    const service = await world.service.create({ timeouts, name: "orders", environment: "DEV" });
    const readReplicaSet = await world.readReplicaSet.create(setOf(service, { timeouts }));
    kept = { vpc, peering, service, readReplicaSet };
    world.calls();
  });
  afterEach(async () => {
    await Promise.all(opened.splice(0).map((one) => one.close()));
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
