// The program of a walk: the classes of this package as they are declared.

import * as pulumi from "@pulumi/pulumi";
import * as dynamic from "../../../provider/index";
import type { PeeringArgs, ReadReplicaSetArgs, VpcArgs } from "../../../provider/index";
import * as native from "../../../provider/native";
import type { Form } from "../../../provider/pulumi/stateNames";
import { PASSWORD_OF_KEY } from "../../invariants/judge/judge";
import { type Declared, type Options, resolve } from "../../invariants/operator/declared";
import type { Kind } from "../../support/providerProcess";

/** Long enough for whatever happens in milliseconds; as long as a create looks for what a lost answer made. */
const TIMEOUTS = { create: "6s", update: "6s", delete: "6s", read: "6s" };

/** The handler of another provider: each change deletes first. Its id is the password of a service. */
const KEY_HANDLER = `exports.handler = () => ({
  check: async (_olds, news) => ({ inputs: news }),
  diff: async (_id, olds, news) => olds.value === news.value ? {} : { replaces: ["value"], deleteBeforeReplace: true },
  create: async (news) => ({ id: "${PASSWORD_OF_KEY}" + news.value, outs: news }),
  read: async (id, props) => ({ id, props }),
  delete: async () => undefined,
});`;

/** The classes of each form. */
const CLASSES = { dynamic, native };

export async function declare(form: Form, declared: readonly Declared[], apiKey: string): Promise<void> {
  const { Peering, Provider, ReadReplicaSet, Service, Vpc } = CLASSES[form];
  const make: Record<Kind, (name: string, args: object, opts: pulumi.CustomResourceOptions) => pulumi.CustomResource> =
    {
      service: (name, args, opts) => new Service(name, args, opts),
      vpc: (name, args, opts) => new Vpc(name, args as VpcArgs, opts),
      peering: (name, args, opts) => new Peering(name, args as PeeringArgs, opts),
      readReplicaSet: (name, args, opts) => new ReadReplicaSet(name, args as ReadReplicaSetArgs, opts),
    };
  const made = new Map<string, pulumi.CustomResource>();
  const all = declared.flatMap(({ options = {} }) => [options]);
  const group = all.some(({ parent }) => parent)
    ? new pulumi.ComponentResource("walk:index:Group", "group")
    : undefined;
  const numbers = new Set(all.flatMap(({ provider }) => provider ?? []));
  const providers = new Map([...numbers].map((one) => [one, new Provider(`provider-${one}`, { apiKey })]));
  const hook = new pulumi.ResourceHook("walk", () => undefined);
  const again = new pulumi.ErrorHook("again", ({ errors }) => errors.length < 2);
  const optionsOf = (given: Options): object => {
    const { hooks, aliases, deletedWith, replaceWith, dependsOn, parent, provider, policy: _, ...plain } = given;
    return compact({
      ...plain,
      hooks: hooks && { beforeCreate: [hook], afterUpdate: [hook], beforeDelete: [hook], onError: [again] },
      parent: parent && group,
      provider: providers.get(provider ?? 0),
      replaceWith: listed(made.get(replaceWith ?? "")),
      deletedWith: made.get(deletedWith ?? ""),
      dependsOn: made.get(dependsOn ?? ""),
      aliases: aliases?.map(aliasOf),
    });
  };
  await Promise.resolve();
  for (const { logical, kind, args: given, options = {} } of declared) {
    const { password, ...others } = resolve(given, (source) => made.get(source)?.id);
    // What names no value is a value of the other provider.
    const isKey = typeof password === "object" && password !== null;
    const args = compact({
      ...others,
      password: isKey ? new Key(`${logical}-key`, { value: (password as { key?: unknown }).key }, {}).id : password,
      timeouts: TIMEOUTS,
    });
    made.set(logical, make[kind](logical, args, optionsOf(options)));
  }
}

export class Key extends pulumi.CustomResource {
  constructor(name: string, args: object, opts: pulumi.CustomResourceOptions) {
    super("pulumi-nodejs:dynamic:Resource", name, { __provider: KEY_HANDLER, ...args }, opts);
  }
}

function aliasOf({ name, parent }: { name?: string; parent?: "" }): object {
  return compact({ name, parent: parent === undefined ? undefined : pulumi.rootStackResource });
}

function listed<T>(value: T | undefined): T[] | undefined {
  return value === undefined ? undefined : [value];
}

function compact<T extends object>(values: T): { [K in keyof T]: NonNullable<T[K]> } {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as never;
}
