// A world with one of each kind in it, and what a refusal is: one request that must not change anything.

import { expect } from "vitest";
import type { EmulatorOptions } from "../../../emulator/index";
import { openWithService } from "./emulator";

export type Fixture = Awaited<ReturnType<typeof openWithVpcAndService>>;

/** P: the project, S: a ready service, V: a VPC, R: a replica set that is made when it is first named. */
export async function openWithVpcAndService(options: EmulatorOptions = {}) {
  const world = await openWithService(options);
  const { emulator, paths, id: serviceId } = world;
  const vpcId = emulator.mutate.createVpc({ regionCode: "us-east-1" }).id;
  const places: Record<string, () => string> = {
    P: () => `/projects/${emulator.projectId}`,
    S: () => paths.service(serviceId),
    V: () => paths.vpc(vpcId),
    R: () => paths.replicaSet(serviceId, emulator.mutate.createReplicaSet(serviceId).id),
  };
  const fill = (template: string): string =>
    template.replace(/^[PSVR](?=\/|$|\?)/, (letter) => places[letter]?.() ?? letter);
  return { ...world, serviceId, vpcId, fill };
}

/** Method and path like "POST S/resize", the body, the status, and a part of the message; what has happened before. */
export type Refusal = [
  what: string,
  request: string,
  body: object | ((fixture: Fixture) => object) | undefined,
  status: number,
  text: string,
  prepare?: ((fixture: Fixture) => unknown) | undefined,
  options?: EmulatorOptions,
];

export async function refusalOf([, request, body, , , prepare, options]: Refusal) {
  const fixture = await openWithVpcAndService(options);
  await prepare?.(fixture);
  const { emulator } = fixture;
  const before = [emulator.state(), emulator.ledger()];
  const [method = "", path = ""] = request.split(" ");
  const { status, json } = await fixture.call(
    method,
    fixture.fill(path),
    typeof body === "function" ? body(fixture) : body,
  );
  expect([emulator.state(), emulator.ledger()]).toEqual(before);
  const message = String((json as { message?: string }).message);
  const refusedAsBusy = message.includes("already being updated");
  expect(emulator.requests().at(-1)).toMatchObject({ committed: false, status, refusedAsBusy });
  return [status, message];
}

export const size = { cpu_millis: "1000", memory_gbs: "4" };

export const replica = { name: "r", nodes: 1, cpu_millis: 500, memory_gbs: 2 };

export const peer = { peer_account_id: "1", peer_region_code: "us-east-1", peer_vpc_id: "vpc-1" };

export const pause = ({ emulator, serviceId }: Fixture): unknown =>
  emulator.mutate.service(serviceId, { paused: true });

export const attach = ({ emulator, serviceId, vpcId }: Fixture): unknown =>
  emulator.mutate.service(serviceId, { vpcId });
