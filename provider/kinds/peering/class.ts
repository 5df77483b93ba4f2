// The class `Peering` as programs see it. What it does is in the handlers, which load in the provider process.

import * as pulumi from "@pulumi/pulumi";
import type { Timeouts } from "../../domain/fields";
import type { Peering as Observed, PeeringInputs, PeeringWaitFor } from "./inputs";
import type { LifecycleArgs, NoOutput, ResourceOptions } from "../../pulumi/lifecycleArgs";
import { complete, idOf, isOfShape, registration, type Shape } from "../../pulumi/registration";
import type { Form } from "../../pulumi/stateNames";

/** The inputs of a `Peering`. */
export interface PeeringArgs extends LifecycleArgs {
  /** The id of the `Vpc`. Required. A change replaces the object. Contract: VPC peerings, create. */
  vpcId: pulumi.Input<string>;
  /**
   * The cloud account that the peer's VPC belongs to. Required. A change replaces the object. Contract: VPC peerings,
   * create.
   */
  peerAccountId: pulumi.Input<string>;
  /** The cloud region of the peer's VPC. Required. A change replaces the object. Contract: VPC peerings, create. */
  peerRegionCode: pulumi.Input<string>;
  /** The id of the peer's VPC. Required. A change replaces the object. Contract: VPC peerings, create. */
  peerVpcId: pulumi.Input<string>;
  /**
   * How long creation waits. `"provisioned"`: until `provisionedId` is known, so that an accepter in the same program can
   * use it. `"active"`: until the peer has accepted, outside of this program. `"none"`: not at all. Default:
   * `"provisioned"`. Lifecycle input: a change to it makes no API call.
   */
  waitFor?: pulumi.Input<PeeringWaitFor | undefined>;
}

/** What `Peering.get` needs besides the id. */
export interface PeeringState {
  /** The id of the VPC that the peering belongs to. Required: the API finds peerings only within their VPC. */
  vpcId: pulumi.Input<string>;
  /** The project of the VPC. Default: the configured project. */
  projectId?: pulumi.Input<string | undefined>;
}

const inputs = {
  vpcId: undefined,
  peerAccountId: undefined,
  peerRegionCode: undefined,
  peerVpcId: undefined,
  waitFor: undefined,
  projectId: undefined,
  adoptId: undefined,
  timeouts: undefined,
} satisfies Record<keyof PeeringInputs, undefined>;

const properties = {
  ...inputs,
  status: undefined,
  provisionedId: undefined,
  errorMessage: undefined,
} satisfies Record<keyof PeeringInputs | Exclude<keyof Observed, "peeringId">, undefined>;

const shape: Shape = {
  kind: "peering",
  inputs,
  properties,
  asGiven: ["waitFor", "adoptId", "timeouts"] satisfies (keyof typeof inputs)[],
};

/**
 * A peering between a `Vpc` and a VPC in another cloud account. The owner of that account accepts it by `provisionedId`.
 *
 * @example
 * ```ts
 * const peering = new Peering("office", {
 *   vpcId: vpc.vpcId,
 *   peerAccountId: "123456789012",
 *   peerRegionCode: "us-east-1",
 *   peerVpcId: "vpc-0a1b2c3d",
 * });
 * export const toAccept = peering.provisionedId;
 * ```
 */
export class Peering<W extends PeeringWaitFor = "provisioned"> extends pulumi.CustomResource {
  /** @internal */
  static readonly form: Form = "dynamic";

  /** The id of the `Vpc`. */
  declare readonly vpcId: pulumi.Output<string>;
  /** The cloud account that the peer's VPC belongs to. */
  declare readonly peerAccountId: pulumi.Output<string>;
  /** The cloud region of the peer's VPC. */
  declare readonly peerRegionCode: pulumi.Output<string>;
  /** The id of the peer's VPC. */
  declare readonly peerVpcId: pulumi.Output<string>;
  /** How long creation waited, as given. */
  declare readonly waitFor: pulumi.Output<PeeringWaitFor | undefined>;
  /** The id of the project that the VPC belongs to. */
  declare readonly projectId: pulumi.Output<string>;
  /** The id of the object to adopt at creation, as given. */
  declare readonly adoptId: pulumi.Output<string | undefined>;
  /** The timeouts, as given. */
  declare readonly timeouts: pulumi.Output<Timeouts | undefined>;
  /** The status that the API reports, such as `pending` or `active`. */
  declare readonly status: pulumi.Output<string | undefined>;
  /** The id that the cloud assigned (`pcx-…`). The peer accepts the peering by it. May be absent with `waitFor: "none"`. */
  declare readonly provisionedId: pulumi.Output<"none" extends W ? string | undefined : string>;
  /** Why the peering failed, as the API reports it. */
  declare readonly errorMessage: pulumi.Output<string | undefined>;

  /**
   * @param name The resource's name in the program, unique among peerings.
   * @param args The inputs.
   * @param opts Pulumi's resource options, except `import`: the error says what to do instead.
   */
  constructor(
    name: string,
    args: NoOutput<PeeringArgs> & { waitFor?: pulumi.Input<W | undefined> },
    opts: ResourceOptions = {},
  ) {
    super(...registration(new.target.form, shape, name, args, opts));
    complete(this, shape, opts);
  }

  /**
   * Reads an existing peering without managing it: no run changes or deletes it.
   *
   * @param id The id of the peering. If the VPC has no such peering, it's an error.
   */
  static get(
    name: string,
    id: pulumi.Input<pulumi.ID>,
    state: PeeringState,
    opts?: pulumi.CustomResourceOptions,
  ): Peering<PeeringWaitFor> {
    // Reading asks for less than creating: the inputs that creation requires come from the server.
    return new this<PeeringWaitFor>(name, state as PeeringArgs, { ...opts, id });
  }

  /** Whether a value is a `Peering`, even one from another copy of this package. */
  static override isInstance(value: unknown): value is Peering<PeeringWaitFor> {
    return isOfShape(value, shape);
  }

  /** The id of the peering, the same as `id`. Known in previews of updates. */
  get peeringId(): pulumi.Output<string> {
    return idOf(this);
  }
}
