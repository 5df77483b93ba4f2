// The classes and functions of `pulumi-dbcloud`, for stacks whose resources the plugin `pulumi-resource-dbcloud` manages. A
// program chooses by its import, and everything else is the same.

import type * as pulumi from "@pulumi/pulumi";
import { Peering as DynamicPeering, type PeeringArgs } from "./kinds/peering/class";
import type { PeeringWaitFor } from "./kinds/peering/inputs";
import type { NoOutput } from "./pulumi/lifecycleArgs";
import { Provider as DynamicProvider } from "./pulumi/provider";
import { ReadReplicaSet as DynamicReadReplicaSet, type ReadReplicaSetArgs } from "./kinds/readReplicaSet/class";
import type { ServiceArgs } from "./kinds/service/args.class";
import { Service as DynamicService } from "./kinds/service/class";
import { Vpc as DynamicVpc, type VpcArgs } from "./kinds/vpc/class";

/** A managed PostgreSQL service, managed by the plugin. The same as `Service` of `pulumi-dbcloud`. */
export class Service extends DynamicService {
  /** @internal */
  static override readonly form = "native";

  /** Unlike that one, it takes the option `import`. */
  constructor(name: string, args?: NoOutput<ServiceArgs>, opts: pulumi.CustomResourceOptions = {}) {
    super(name, args, opts);
  }
}

/** A virtual private cloud, managed by the plugin. The same as `Vpc` of `pulumi-dbcloud`. */
export class Vpc extends DynamicVpc {
  /** @internal */
  static override readonly form = "native";

  /** Unlike that one, it takes the option `import`. */
  constructor(name: string, args: NoOutput<VpcArgs>, opts: pulumi.CustomResourceOptions = {}) {
    super(name, args, opts);
  }
}

/** A peering of a VPC, managed by the plugin. The same as `Peering` of `pulumi-dbcloud`. */
export class Peering<W extends PeeringWaitFor = "provisioned"> extends DynamicPeering<W> {
  /** @internal */
  static override readonly form = "native";

  /** Unlike that one, it takes the option `import`. */
  constructor(
    name: string,
    args: NoOutput<PeeringArgs> & { waitFor?: pulumi.Input<W | undefined> },
    opts: pulumi.CustomResourceOptions = {},
  ) {
    super(name, args, opts);
  }
}

/** Nodes beside a service that serve reads, managed by the plugin. The same as `ReadReplicaSet` of `pulumi-dbcloud`. */
export class ReadReplicaSet extends DynamicReadReplicaSet {
  /** @internal */
  static override readonly form = "native";

  /** Unlike that one, it takes the option `import`. */
  constructor(name: string, args: NoOutput<ReadReplicaSetArgs>, opts: pulumi.CustomResourceOptions = {}) {
    super(name, args, opts);
  }
}

/** A second account or project in one program, for resources of this form. */
export class Provider extends DynamicProvider {
  /** @internal */
  static override readonly form = "native";
}

export { Addon, Environment, ForkStrategy, PeeringWaitFor, ServiceOnMissing, ServiceWaitFor } from "./pulumi/enums";
export * from "./pulumi/lookups";

export type * from "./types";
