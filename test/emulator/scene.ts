// A world with a VPC and a ready service in it, and what a refusal is: one request that must not change anything.

import { expect } from "vitest";
import type { EmulatorOptions } from "../../emulator/index";
import { openWorld, someService, type TestWorld } from "./world";

export interface Scene extends TestWorld {
  serviceId: string;
  vpcId: string;
  /** P: the project, S: the service, V: the VPC. */
  fill: (template: string) => string;
}

export async function openScene(options: EmulatorOptions = {}): Promise<Scene> {
  const world = await openWorld(options);
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
  prepare?: (scene: Scene) => unknown;
  /** Method and path, like "POST S/resize". */
  request: string;
  body?: object | ((scene: Scene) => object);
  status: number;
  /** The whole message, or a part of it. */
  text: string | RegExp;
  options?: EmulatorOptions;
}

export async function expectRefused({ prepare, request, body, status, text, options }: Refusal): Promise<void> {
  const scene = await openScene(options);
  await prepare?.(scene);
  const before = { state: scene.emulator.state(), ledger: scene.emulator.ledger() };
  const [method = "", path = ""] = request.split(" ");
  const answer = await scene.call(method, scene.fill(path), typeof body === "function" ? body(scene) : body);
  const { message = "" } = answer.json as { message?: string };
  expect({ status: answer.status, message }).toEqual({
    status,
    message: expect.stringMatching(whole(text)) as unknown,
  });
  expect({ state: scene.emulator.state(), ledger: scene.emulator.ledger() }).toEqual(before);
  const refusedAsBusy = message.includes("already being updated");
  expect(scene.emulator.requests().at(-1)).toMatchObject({ committed: false, status, refusedAsBusy });
}

const whole = (text: string | RegExp): RegExp => (typeof text === "string" ? new RegExp(`^${text}$`) : text);

export const size = { cpu_millis: "1000", memory_gbs: "4" };

export const replica = { name: "r", nodes: 1, cpu_millis: 500, memory_gbs: 2 };

export const peer = { peer_account_id: "1", peer_region_code: "us-east-1", peer_vpc_id: "vpc-1" };

export const pause = ({ emulator, serviceId }: Scene): unknown => emulator.mutate.service(serviceId, { paused: true });

export const attach = ({ emulator, serviceId, vpcId }: Scene): unknown => emulator.mutate.service(serviceId, { vpcId });

export const ofVpc = ({ vpcId }: Scene): object => ({ vpc_id: vpcId });
