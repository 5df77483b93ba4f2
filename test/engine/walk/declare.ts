// The program of a walk: the classes of this package with what a `Spec` says.

import * as pulumi from "@pulumi/pulumi";
import * as dynamic from "../../../provider/index";
import type { PeeringArgs, ReadReplicaSetArgs, VpcArgs } from "../../../provider/index";
import * as native from "../../../provider/native";
import type { Front } from "../../../provider/pulumi/stateNames";
import type { Kind } from "../../support/providerProcess";
import type { Options, Spec } from "./model";

/** Long enough for whatever happens in milliseconds; as long as a create looks for what a lost answer made. */
const TIMEOUTS = { create: "6s", update: "6s", delete: "6s", read: "6s" };

/** The handler of another provider: each change deletes first. Its id is the password of a service. */
const KEY_HANDLER = `exports.handler = () => ({
  check: async (_olds, news) => ({ inputs: news }),
  diff: async (_id, olds, news) => olds.value === news.value ? {} : { replaces: ["value"], deleteBeforeReplace: true },
  create: async (news) => ({ id: "a-password-" + news.value, outs: news }),
  read: async (id, props) => ({ id, props }),
  delete: async () => undefined,
});`;

/** The classes of each front. */
const CLASSES = { dynamic, native };

export async function declare(front: Front, specs: readonly Spec[], apiKey: string): Promise<void> {
  const { Peering, Provider, ReadReplicaSet, Service, Vpc } = CLASSES[front];
  const make: Record<Kind, (name: string, args: object, opts: pulumi.CustomResourceOptions) => pulumi.CustomResource> =
    {
      service: (name, args, opts) => new Service(name, args, opts),
      vpc: (name, args, opts) => new Vpc(name, args as VpcArgs, opts),
      peering: (name, args, opts) => new Peering(name, args as PeeringArgs, opts),
      readReplicaSet: (name, args, opts) => new ReadReplicaSet(name, args as ReadReplicaSetArgs, opts),
    };
  const made = new Map<string, pulumi.CustomResource>();
  const isUsed = (key: "parent" | "provider") => specs.some(({ opts }) => opts[key] !== undefined);
  const group = isUsed("parent") ? new pulumi.ComponentResource("walk:index:Group", "group") : undefined;
  const names = new Set(specs.flatMap(({ opts }) => opts.provider ?? []));
  const providers = new Map([...names].map((name) => [name, new Provider(name, { apiKey })]));
  const hook = new pulumi.ResourceHook("walk", () => undefined);
  const again = new pulumi.ErrorHook("again", ({ errors }) => errors.length < 2);
  const optionsOf = ({ hooks, aliases, deletedWith, replaceWith, dependsOn, parent, provider, ...plain }: Options) => ({
    ...plain,
    ...(hooks === true
      ? { hooks: { beforeCreate: [hook], afterUpdate: [hook], beforeDelete: [hook], onError: [again] } }
      : {}),
    ...(parent === undefined || group === undefined ? {} : { parent: group }),
    ...(provider === undefined ? {} : named("provider", providers.get(provider))),
    ...named("replaceWith", listed(made.get(replaceWith ?? ""))),
    ...named("deletedWith", made.get(deletedWith ?? "")),
    ...named("dependsOn", made.get(dependsOn ?? "")),
    ...named(
      "aliases",
      aliases?.map((alias) => aliasOf(alias, group)),
    ),
  });
  await Promise.resolve();
  for (const { name, kind, of, args, opts } of specs) {
    const source = made.get(of ?? "");
    const options = optionsOf(opts);
    // The class refuses a plain one together with `deleteBeforeReplace`.
    const onDelete = "onDelete" in args ? { onDelete: pulumi.output(args["onDelete"]) } : {};
    if (kind === "key") made.set(name, new Key(name, args, options));
    else
      made.set(
        name,
        make[kind](name, { ...args, ...onDelete, ...inputFrom(kind, source), timeouts: TIMEOUTS }, options),
      );
  }
}

export class Key extends pulumi.CustomResource {
  constructor(name: string, args: object, opts: pulumi.CustomResourceOptions) {
    super("pulumi-nodejs:dynamic:Resource", name, { __provider: KEY_HANDLER, ...args }, opts);
  }
}

/** What a resource takes from its source: a service a password, its VPC, or the service that it is a fork of. */
function inputFrom(kind: Spec["kind"], source: pulumi.CustomResource | undefined): object {
  if (source === undefined) return {};
  if (kind === "peering") return { vpcId: source.id };
  if (kind === "readReplicaSet") return { serviceId: source.id };
  // The classes of the plugin extend these.
  if (source instanceof dynamic.Vpc) return { vpcId: source.id };
  if (source instanceof Key) return { password: source.id };
  return { forkFrom: { serviceId: source.id, strategy: "NOW" } };
}

function aliasOf({ name, parent }: { name?: string; parent?: string }, group: pulumi.Resource | undefined) {
  if (parent === undefined) return named("name", name);
  return { ...named("name", name), parent: parent === "group" && group ? group : pulumi.rootStackResource };
}

function listed<T>(value: T | undefined): T[] | undefined {
  return value === undefined ? undefined : [value];
}

function named<T>(key: string, value: T | undefined): Record<string, T> {
  return value === undefined ? {} : { [key]: value };
}
