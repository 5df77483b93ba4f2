// Random programs: services, alone, in VPCs, forked from each other, with replica sets; VPCs with peerings. Only what a
// user could sensibly write.

import { z } from "zod";
import { resources } from "../../../provider/kinds/index";
import type { Values } from "../../../provider/domain/values/value";
import type { Declared } from "./declared";
import type { Kind } from "../../support/providerProcess";
import type { Random } from "../../support/random";

export interface Program {
  /** Parents before children. */
  declared: Declared[];
  /** Every name is used once. */
  names: number;
}

export const REGIONS = ["us-east-1", "eu-west-1"] as const;
export const SIZES = [
  { cpuMillis: 500, memoryGbs: 2 },
  { cpuMillis: 1000, memoryGbs: 4 },
  { cpuMillis: 2000, memoryGbs: 8 },
] as const;

export function fresh(program: Program, prefix: string): string {
  program.names += 1;
  return `${prefix}-${program.names}`;
}

/** How many of six new resources are of each kind. */
const SHARES: Readonly<Record<Kind, number>> = { service: 3, vpc: 1, peering: 1, readReplicaSet: 1 };
const NEXT = Object.entries(SHARES).flatMap(([kind, share]) => Array<Kind>(share).fill(kind as Kind));

/** New resources of one kind; none where there is nothing to put them into. */
export function drawResources(program: Program, random: Random): Declared[] {
  const kind = random.pick(NEXT);
  const vpc = random.pickFrom(program.declared.filter((one) => one.kind === "vpc"));
  const services = program.declared.filter((one) => one.kind === "service");
  const service = random.pickFrom(services.filter(({ args }) => args["paused"] !== true));
  // Sets of one service start at the same time; the provider must create them one after the other.
  return Array.from({ length: kind === "readReplicaSet" ? 1 + random.below(3) : 1 }).flatMap(() => {
    const logical = fresh(program, kind);
    const args = argsFor(kind, { program, random, vpc, service });
    return args === undefined ? [] : [{ logical, kind, args }];
  });
}

interface Surroundings {
  program: Program;
  random: Random;
  vpc: Declared | undefined;
  service: Declared | undefined;
}

function argsFor(kind: Kind, { program, random, vpc, service }: Surroundings): Values | undefined {
  const made: Readonly<Record<Kind, () => Values | undefined>> = {
    service: () => serviceArgs(program, random, vpc, service),
    vpc: () => ({ name: fresh(program, "net"), cidr: cidr(random), regionCode: random.pick(REGIONS) }),
    peering: () =>
      vpc === undefined ? undefined : { vpcId: { ref: vpc.logical }, ...peer(random), ...waitFor(random) },
    readReplicaSet() {
      if (service === undefined) return undefined;
      const fixed = { serviceId: { ref: service.logical }, name: fresh(program, "reads"), nodes: 1 + random.below(2) };
      return { ...fixed, ...random.pick(SIZES), ...some(random, 0.4, { poolerEnabled: true }) };
    },
  };
  return made[kind]();
}

function serviceArgs(
  program: Program,
  random: Random,
  vpc: Declared | undefined,
  parent: Declared | undefined,
): Values {
  const name = fresh(program, "db");
  const changeable = Object.assign(
    {},
    ...CHANGEABLE.service.map((make) => (random.isLucky(0.3) ? make(random) : {})),
  ) as Values;
  const lifecycle = {
    ...some(random, 0.3, { allowReplace: true }),
    ...some(random, 0.2, { deletionProtection: random.isLucky(0.5) }),
    ...some(random, 0.15, { paused: true }),
  };
  if (parent !== undefined && random.isLucky(0.25)) {
    const forkFrom = { serviceId: { ref: parent.logical }, strategy: random.pick(["NOW", "LAST_SNAPSHOT"]) };
    return { name, forkFrom, ...changeable };
  }
  const inVpc = vpc !== undefined && random.isLucky(0.4);
  return {
    name,
    regionCode: inVpc ? vpc.args["regionCode"] : random.pick(REGIONS),
    ...(inVpc ? { vpcId: { ref: vpc.logical } } : {}),
    ...some(random, 0.3, { addons: random.pick([[], ["time-series"]]) }),
    ...changeable,
    ...lifecycle,
  };
}

type Draw = (random: Random) => Values;

const size: Draw = (random) => random.pick(SIZES);

/** Inputs that are drawn otherwise than by their schema; null for those that an action of its own changes. */
const DRAWS: Readonly<Partial<Record<Kind, Readonly<Record<string, Draw | null>>>>> = {
  service: {
    name: null,
    vpcId: null,
    paused: null,
    memoryGbs: null,
    cpuMillis: size,
    environment: (random) => ({ environment: random.pick(["DEV", "DEV", "PROD"]) }),
    haReplicas: (random) => ({
      haReplicas: random.pick([{ replicaCount: 0 }, { replicaCount: 1 }, { replicaCount: 2, syncReplicaCount: 1 }]),
    }),
    password: (random) => ({ password: `Pw-${random.seed().toString(36)}-${random.seed().toString(36)}` }),
  },
  readReplicaSet: { memoryGbs: null, cpuMillis: size, environment: () => ({ environment: "DEV" }) },
};

/** The inputs that a call changes in place, by the table of the kind's inputs: a new one is drawn by its schema. */
function drawsOf(kind: Kind): readonly Draw[] {
  return Object.entries(resources[kind].fields).flatMap(([key, { change, schema }]) => {
    const own = DRAWS[kind]?.[key];
    if (change !== "inPlace" || own === null) return [];
    const shape = z.toJSONSchema(schema, { unrepresentable: "any" });
    return own ?? ((random: Random): Values => ({ [key]: drawn(shape, random) }));
  });
}

function drawn(schema: z.core.JSONSchema._JSONSchema, random: Random): unknown {
  if (typeof schema === "boolean") return undefined;
  if (schema.anyOf !== undefined) return drawn(random.pick(schema.anyOf), random);
  if (schema.const !== undefined) return schema.const;
  if (schema.enum !== undefined) return random.pick(schema.enum);
  if (schema.type === "boolean") return random.isLucky(0.7);
  if (schema.type === "integer" || schema.type === "number") return (schema.minimum ?? 0) + random.below(4);
  if (schema.type === "object") {
    const members = Object.entries(schema.properties ?? {});
    return Object.fromEntries(members.map(([key, member]) => [key, drawn(member, random)]));
  }
  return `drawn-${random.below(1_000)}`;
}

export const CHANGEABLE = { service: drawsOf("service"), readReplicaSet: drawsOf("readReplicaSet") };

function some(random: Random, share: number, values: Values): Values {
  return random.isLucky(share) ? values : {};
}

export function cidr(random: Random): string {
  return `10.${random.below(256)}.${random.below(256)}.0/24`;
}

export function peer(random: Random): Values {
  const peerVpcId = `vpc-${random.seed().toString(16).padStart(8, "0")}`;
  return { peerAccountId: "123456789012", peerRegionCode: random.pick(REGIONS), peerVpcId };
}

export function waitFor(random: Random): Values {
  // With "none" the provider does not wait for the VPC to be free: only the server's refusal keeps changes apart then.
  return some(random, 0.4, { waitFor: random.pick(["provisioned", "active"]) });
}
