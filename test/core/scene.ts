// The world of most tests in this folder: opened before each test and closed after it, with the words of its objects.

import { beforeEach, expect, onTestFinished } from "vitest";
import type { EmulatorOptions, Fault, FaultHandle, FaultScope } from "../../emulator/index";
import { ProviderError, RefusedError } from "../../provider/domain/errors";
import type { Values } from "../../provider/domain/values/value";
import { type Kept, openWorld, type World } from "../support/world";

export const SMALL = { cpuMillis: 500, memoryGbs: 2 };
export const LARGE = { cpuMillis: 1000, memoryGbs: 4 };
export const NET = { name: "net", cidr: "10.0.0.0/24", regionCode: "us-east-1" };
export const PEER = { peerAccountId: "1", peerRegionCode: "us-east-1", peerVpcId: "vpc-1" };
export const KINDS = ["vpc", "peering", "service", "readReplicaSet"] as const;
export const MINUTE_MS = 60_000;

export let world: World;

/** Opens a world before each test, with what `prepare` makes in it. */
export function useWorld(
  options: EmulatorOptions = {},
  prepare: () => Promise<unknown> = () => Promise.resolve(),
): void {
  beforeEach(async () => {
    await open(options);
    await prepare();
  });
}

/** Opens a world, which closes with the test. */
export async function open(options: EmulatorOptions = {}, given: Record<string, string> = {}): Promise<void> {
  const opened = await openWorld(options, given);
  onTestFinished(() => opened.close());
  world = opened;
}

/** Somebody else's object, beside which a missing one of its kind is not all that was there. */
export function makeBystander(kind: "service" | "vpc" = "service", { mutate } = world.emulator): void {
  if (kind === "service") mutate.createService({ name: "bystander" });
  else mutate.createVpc({ name: "bystander", cidr: "10.9.0.0/24" });
}

/** The settings of another process at the same emulator. */
export function settings(more: Record<string, string> = {}): Record<string, string> {
  const { baseUrl, apiKey, projectId } = world.emulator;
  return { baseUrl, apiKey, projectId, ...more };
}

/** The same with the emulator under another name. */
export const underOtherName = (): Record<string, string> =>
  settings({ baseUrl: world.emulator.baseUrl.replace("127.0.0.1", "localhost") });

export const urn = (name: string): Values => ({
  __urn: `urn:pulumi:dev::shop::pulumi-nodejs:dynamic/dbcloud:Any::${name}`,
});

/** A read replica set as a program says it. */
export const setOf = ({ id }: { id: string }, more: Values = {}): Values => ({
  serviceId: id,
  name: "readers",
  nodes: 1,
  ...SMALL,
  ...more,
});

/** The server does this from now on. */
export const fault = (given: Fault & FaultScope): FaultHandle => world.emulator.faults.add(given);

/** From now on lists show of no service in which VPC it is. */
export function hideVpcsInLists(): void {
  const members = { vpc_endpoint: "absent", vpcEndpoint: "absent" } as const;
  fault({ kind: "members", members, in: "lists", times: Infinity });
}

/** A create or update that must not fail. */
export async function done(work: Promise<Kept>): Promise<Kept> {
  const kept = await work;
  expect(kept.failed).toBeUndefined();
  return kept;
}

/** What an earlier run did: the next call is that of another one. */
export async function earlier<T>(work: Promise<T>): Promise<T> {
  const made = await work;
  world.nextRun();
  return made;
}

/** A refresh that must find the object. */
export async function refreshed(kept: Kept, kind: (typeof KINDS)[number] = "service"): Promise<Kept> {
  const seen = await world[kind].refresh(kept);
  if (seen === undefined) throw new Error("it is gone");
  return seen;
}

/** The error of what must be refused. */
export async function errorOf(work: Promise<unknown>): Promise<ProviderError> {
  const error: unknown = await work.then(
    () => new TypeError("it was not refused"),
    (thrown: unknown) => thrown,
  );
  if (error instanceof ProviderError) return error;
  // What `check` refuses.
  if (error instanceof Error && error.constructor === Error) return new RefusedError("busy", error.message);
  throw error;
}

/** A service with every setting. */
export const ALL = {
  name: "orders",
  ...SMALL,
  environment: "PROD",
  haReplicas: { replicaCount: 1 },
  poolerEnabled: true,
  paused: false,
  deletionProtection: false,
};

/** The inputs that differ after a refresh of a service by a new process. */
export async function changedInputs(kept: Kept, args: Values): Promise<string[]> {
  world.restart();
  const seen = await refreshed(kept);
  return world.service.preview(seen, args).properties;
}
