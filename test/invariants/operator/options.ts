// Resource options, each with the change of the program that makes it count.

import type { Values } from "../../../provider/domain/values/value";
import type { Kind } from "../../support/providerProcess";
import { choose, type Random } from "../../support/random";
import { type Declared, needsOf, type Options } from "./declared";
import { fresh, peer, type Program, SIZES } from "./program";

/** An input of each kind, and how it changes. */
const INPUTS: Readonly<Record<Kind, readonly [string, (program: Program, random: Random) => Values]>> = {
  service: ["cpuMillis", (_, random) => random.pick(SIZES)],
  readReplicaSet: ["cpuMillis", (_, random) => random.pick(SIZES)],
  vpc: ["name", (program) => ({ name: fresh(program, "renamed") })],
  peering: ["peerVpcId", (_, random) => peer(random)],
};

/** Sets one or two options, by weights; what was given stays, or goes now and then. */
export function chooseOptions(program: Program, target: Declared, random: Random, weights: string): void {
  const { kind } = target;
  const at = program.declared.indexOf(target);
  const other = random.pickFrom(program.declared.slice(0, at < 0 ? undefined : at));
  const source = needsOf(target.args)[0] ?? other?.logical;
  const [input, changed] = INPUTS[kind];
  // Without Pulumi's own `protect`, which the class sets for these, the provider's protection counts.
  const isProtected = target.args["deletionProtection"] === true || target.args["environment"] === "PROD";
  const ways: Readonly<Record<string, () => Options>> = {
    provider: () => ({ provider: random.pick([undefined, 1, 2]) }),
    "another provider": () => ({
      provider: random.pick([undefined, 1, 2].filter((one) => one !== target.options?.provider)),
    }),
    ignoreChanges: () => ({ ignoreChanges: [input] }),
    "ignoreChanges *": () => ({ ignoreChanges: ["*"] }),
    replaceOnChanges() {
      target.args = { ...target.args, ...changed(program, random) };
      return { replaceOnChanges: [input] };
    },
    replacementTrigger: () => ({ replacementTrigger: random.seed() }),
    replaceWith() {
      if (other !== undefined) other.options = { ...other.options, replacementTrigger: random.seed() };
      return { replaceWith: other?.logical };
    },
    deletedWith: () => ({ deletedWith: source }),
    "deletedWith owner": () => (kind === "readReplicaSet" ? { deletedWith: source } : {}),
    dependsOn: () => ({ dependsOn: source }),
    hooks: () => ({ hooks: true }),
    policy: () => ({ policy: true }),
    deleteBeforeReplace: () => ({ deleteBeforeReplace: true }),
    retainOnDelete: () => ({ retainOnDelete: true }),
    protect: () => ({ protect: !isProtected && random.isLucky(0.5) }),
    parent: () => ({ parent: "group", aliases: [{ parent: "" }] }),
    moved: () => ({ parent: "group" }),
  };
  let options: Options = random.isLucky(0.2) ? {} : { ...target.options };
  for (let count = random.isLucky(0.5) ? 2 : 1; count > 0; count -= 1)
    options = { ...options, ...ways[choose(random, weights)]?.() };
  // The class refuses the two together.
  if (options.deleteBeforeReplace === true) delete options.retainOnDelete;
  target.options = options;
}
