// The class `Vpc` as programs see it. What it does is in the handlers, which load in the provider process.

import * as pulumi from "@pulumi/pulumi";
import type { Timeouts } from "../../domain/fields";
import type { VpcInputs } from "./inputs";
import type { LifecycleArgs, NoOutput, Region, ResourceOptions } from "../../pulumi/lifecycleArgs";
import { complete, idOf, isOfShape, registration, type Shape } from "../../pulumi/registration";
import type { Form } from "../../pulumi/stateNames";

/** The inputs of a `Vpc`. */
export interface VpcArgs extends LifecycleArgs {
  /**
   * The IPv4 block of the VPC, such as `"10.0.0.0/24"`. It must not overlap the block of a VPC that it is peered with.
   * Required. A change replaces the object. Contract: VPCs, create.
   */
  cidr: pulumi.Input<string>;
  /**
   * The cloud region, such as `"us-east-1"`. Required. A change replaces the object. It's an error while services are
   * attached. Contract: VPCs, create.
   */
  regionCode: pulumi.Input<Region>;
  /**
   * The name. Default: `<project>-<resource>-<stack>`, without the project if the resource's name begins with it; kept from
   * then on. Changed in place by `rename`. Contract: VPCs, rename.
   */
  name?: pulumi.Input<string | undefined>;
}

/** What `Vpc.get` needs besides the id. */
export interface VpcState {
  /** The project of the VPC. Default: the configured project. */
  projectId?: pulumi.Input<string | undefined>;
}

const inputs = {
  cidr: undefined,
  regionCode: undefined,
  name: undefined,
  projectId: undefined,
  adoptId: undefined,
  timeouts: undefined,
} satisfies Record<keyof VpcInputs, undefined>;

const properties = { ...inputs, status: undefined } satisfies Record<keyof VpcInputs | "status", undefined>;

const shape: Shape = {
  kind: "vpc",
  inputs,
  properties,
  asGiven: ["adoptId", "timeouts"] satisfies (keyof typeof inputs)[],
};

/**
 * A virtual private cloud that services can be attached to and that can be peered with a VPC of your own cloud account.
 *
 * @example
 * ```ts
 * const vpc = new Vpc("main", { cidr: "10.0.0.0/24", regionCode: "us-east-1" });
 * const db = new Service("orders", { regionCode: "us-east-1", vpcId: vpc.vpcId });
 * ```
 */
export class Vpc extends pulumi.CustomResource {
  /** @internal */
  static readonly form: Form = "dynamic";

  /** The IPv4 block of the VPC. */
  declare readonly cidr: pulumi.Output<string>;
  /** The cloud region. */
  declare readonly regionCode: pulumi.Output<string>;
  /** The name. */
  declare readonly name: pulumi.Output<string>;
  /** The id of the project that the VPC belongs to. */
  declare readonly projectId: pulumi.Output<string>;
  /** The id of the object to adopt at creation, as given. */
  declare readonly adoptId: pulumi.Output<string | undefined>;
  /** The timeouts, as given. */
  declare readonly timeouts: pulumi.Output<Timeouts | undefined>;
  /** The status that the API reports. Only newer deployments send one. */
  declare readonly status: pulumi.Output<string | undefined>;

  /**
   * @param name The resource's name in the program, unique among VPCs.
   * @param args The inputs.
   * @param opts Pulumi's resource options, except `import`: the error says what to do instead.
   */
  constructor(name: string, args: NoOutput<VpcArgs>, opts: ResourceOptions = {}) {
    super(...registration(new.target.form, shape, name, args, opts));
    complete(this, shape, opts);
  }

  /**
   * Reads an existing VPC without managing it: no run changes or deletes it.
   *
   * @param id The id of the VPC. It's an error if there is none.
   */
  static get(
    name: string,
    id: pulumi.Input<pulumi.ID>,
    state: VpcState = {},
    opts?: pulumi.CustomResourceOptions,
  ): Vpc {
    // Reading asks for less than creating: the inputs that creation requires come from the server.
    return new this(name, state as VpcArgs, { ...opts, id });
  }

  /** Whether a value is a `Vpc`, even one from another copy of this package. */
  static override isInstance(value: unknown): value is Vpc {
    return isOfShape(value, shape);
  }

  /** The id of the VPC, the same as `id`. Known in previews of updates. */
  get vpcId(): pulumi.Output<string> {
    return idOf(this);
  }
}
