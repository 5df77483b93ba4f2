// The programs of the recordings. Each registers its resources one after the other, so that the order of the calls is
// always the same.

import * as pulumi from "@pulumi/pulumi";
import {
  Peering,
  Provider,
  ReadReplicaSet,
  type ReadReplicaSetArgs,
  Service,
  type ServiceArgs,
  Vpc,
} from "../../../provider/index";
import { Key } from "../walk/declare";
import type { Program, Step } from "./case";

type Options = pulumi.CustomResourceOptions;

const SIZE = { cpuMillis: 500, memoryGbs: 2 } as const;
const REGION = { regionCode: "us-east-1" } as const;
export const LARGER = { cpuMillis: 1000, memoryGbs: 4 } as const;

/** A region cannot change, except by a replacement that the program allows. */
export const movable = { allowReplace: true, deletionProtection: false };
export const moved = { ...movable, regionCode: "eu-west-1" };

/** Resolves when the engine has answered. */
async function registered<T extends pulumi.Resource>(resource: T): Promise<T> {
  await new Promise((resolve) => void resource.urn.apply(resolve));
  return resource;
}

/** How often commands have forced a replacement of each resource. The new service needs a name that the old one has not. */
export const forced = new Map<string, number>();

/** The next run makes another service, while the old one stays. */
export const elseNamed =
  (name: string): Step =>
  () =>
    void forced.set(name, 2);

/** The old one is deleted already, and its name is free. */
export const sameNamed: Step = () => forced.clear();

export function service(name: string, args: ServiceArgs = {}, options: Options = {}): Promise<Service> {
  const times = forced.get(name);
  const free = times === undefined ? {} : { name: `${name}-${times}` };
  return registered(new Service(name, { ...REGION, ...SIZE, ...free, ...args }, options));
}

export const fork = (name: string, of: Service, options: Options = {}): Promise<Service> =>
  registered(new Service(name, { ...SIZE, forkFrom: { serviceId: of.serviceId, strategy: "NOW" } }, options));

export function set(
  name: string,
  of: Service,
  options: Options = {},
  args: Partial<ReadReplicaSetArgs> = {},
): Promise<ReadReplicaSet> {
  return registered(new ReadReplicaSet(name, { serviceId: of.serviceId, nodes: 1, ...SIZE, ...args }, options));
}

export const vpc = (name: string, options: Options = {}, called?: string): Promise<Vpc> =>
  registered(new Vpc(name, { cidr: "10.0.0.0/24", ...REGION, name: called }, options));

export function peering(name: string, of: Vpc, options: Options = {}): Promise<Peering> {
  const peer = { peerAccountId: "1", peerRegionCode: "us-east-1", peerVpcId: "vpc-1" };
  return registered(new Peering(name, { vpcId: of.vpcId, ...peer }, options));
}

export const provider = (name: string): Promise<Provider> => registered(new Provider(name, {}));

export const group = (name: string, options: pulumi.ComponentResourceOptions = {}): Promise<pulumi.ComponentResource> =>
  registered(new pulumi.ComponentResource("test:index:Group", name, {}, options));

export interface Shop {
  args?: ServiceArgs;
  options?: Options;
  /** Of the set. */
  setOptions?: Options;
  setArgs?: Partial<ReadReplicaSetArgs>;
  /** Which dependents there are. Default: the set. */
  has?: readonly ("set" | "copy")[];
}

/** A service `db`, its read replica set and its fork, and then a service that has nothing to do with them. */
export const shop =
  ({ args = {}, options = {}, setOptions = {}, setArgs = {}, has = ["set"] }: Shop = {}): Program =>
  async () => {
    const db = await service("db", args, options);
    if (has.includes("set")) await set("set", db, setOptions, setArgs);
    if (has.includes("copy")) await fork("copy", db);
    await service("other");
  };

/** What is left when everything else is taken out of the shop. */
export const onlyOther: Program = () => service("other");

/**
 * A service, without waiting for it: the program does not hear of one that fails. It is the last resource of its program.
 */
export async function attempted(name: string, args: ServiceArgs, options: Options = {}): Promise<void> {
  await Promise.resolve(new Service(name, { ...REGION, ...SIZE, ...args }, options));
}

/** One service, which the cloud calls "db", whatever its name in the program is. */
export const named =
  (name: string, args: ServiceArgs = {}): Program =>
  () =>
    attempted(name, { name: "db", ...args });

/** Reads a service without managing it. */
export const lookUp = (name: string, of: Service): Promise<Service> => registered(Service.get(name, of.serviceId));

/** The program throws when it has registered its resources. */
export const broken =
  (program: Program): Program =>
  async () => {
    await program();
    throw new pulumi.RunError("the program fails");
  };

/** A VPC with a peering and a service in it. */
export const network =
  (options: Options = {}, called?: string): Program =>
  async () => {
    const net = await vpc("net", options, called);
    await peering("peer", net);
    await service("inside", { vpcId: net.vpcId });
  };

/** A resource of another package, whose `diff` asks for a replacement that deletes first, gives a service its password. */
export const foreign =
  (value: string, hasService = true): Program =>
  async () => {
    const other = await registered(new Key("foreign", { value }, {}));
    if (!hasService) return;
    const db = await service("db", { password: other.id });
    await set("set", db);
  };
