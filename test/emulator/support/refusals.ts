// A world with a VPC and a ready service in it, and what a refusal is: one request that must not change anything.

import { expect } from "vitest";
import type { EmulatorOptions } from "../../../emulator/index";
import { openEmulator, someService, type TestEmulator } from "./emulator";

export interface Fixture extends TestEmulator {
  serviceId: string;
  vpcId: string;
  /** P: the project, S: the service, V: the VPC. */
  fill: (template: string) => string;
}

export async function openWithVpcAndService(options: EmulatorOptions = {}): Promise<Fixture> {
  const world = await openEmulator(options);
  const made = await world.ask(202, "POST", world.paths.services, someService);
  const serviceId = String(made["service_id"]);
  world.emulator.settle();
  const vpcId = world.emulator.mutate.createVpc({ regionCode: "us-east-1" }).id;
  const places: Record<string, string> = {
    P: `/projects/${world.emulator.projectId}`,
    S: world.paths.service(serviceId),
    V: world.paths.vpc(vpcId),
  };
  const fill = (template: string): string => template.replace(/^[PSV]/, (letter) => places[letter] ?? letter);
  return { ...world, serviceId, vpcId, fill };
}

export interface Refusal {
  what: string;
  prepare?: (fixture: Fixture) => unknown;
  /** Method and path, like "POST S/resize". */
  request: string;
  body?: object | ((fixture: Fixture) => object);
  status: number;
  /** The whole message, or a part of it. */
  text: string | RegExp;
  options?: EmulatorOptions;
}

export async function expectRefused({ prepare, request, body, status, text, options }: Refusal): Promise<void> {
  const fixture = await openWithVpcAndService(options);
  await prepare?.(fixture);
  const before = { state: fixture.emulator.state(), ledger: fixture.emulator.ledger() };
  const [method = "", path = ""] = request.split(" ");
  const answer = await fixture.call(method, fixture.fill(path), typeof body === "function" ? body(fixture) : body);
  const { message = "" } = answer.json as { message?: string };
  expect({ status: answer.status, message }).toEqual({
    status,
    message: expect.stringMatching(whole(text)) as unknown,
  });
  expect({ state: fixture.emulator.state(), ledger: fixture.emulator.ledger() }).toEqual(before);
  const refusedAsBusy = message.includes("already being updated");
  expect(fixture.emulator.requests().at(-1)).toMatchObject({ committed: false, status, refusedAsBusy });
}

const whole = (text: string | RegExp): RegExp => (typeof text === "string" ? new RegExp(`^${text}$`) : text);

export const size = { cpu_millis: "1000", memory_gbs: "4" };

export const replica = { name: "r", nodes: 1, cpu_millis: 500, memory_gbs: 2 };

export const peer = { peer_account_id: "1", peer_region_code: "us-east-1", peer_vpc_id: "vpc-1" };

export const pause = ({ emulator, serviceId }: Fixture): unknown =>
  emulator.mutate.service(serviceId, { paused: true });

export const attach = ({ emulator, serviceId, vpcId }: Fixture): unknown =>
  emulator.mutate.service(serviceId, { vpcId });

export const ofVpc = ({ vpcId }: Fixture): object => ({ vpc_id: vpcId });
