// Resources as the engine holds them for a plugin, and what it calls for an `up`.

import type { DetailedDiff, Front } from "../../plugin/front";
import { PartialError } from "../../provider/domain/errors";
import type { Values } from "../../provider/domain/values/value";
import type { Kind } from "./providerProcess";
import type { World } from "./world";

export interface Kept {
  kind: Kind;
  urn: string;
  id: string;
  inputs: Values;
  outputs: Values;
}

export async function make(world: World, kind: Kind, args: Values): Promise<Kept> {
  const urn = `urn:pulumi:dev::shop::dbcloud:index:${kind}::${kind}`;
  const inputs = await checked(world, { kind, urn, inputs: {} }, args);
  const { id, outs } = await world.front(kind).create({ urn }, inputs, false);
  return { kind, urn, id, inputs, outputs: outs };
}

/** The result of `check`. */
export async function checked(
  world: World,
  { kind, urn, inputs: olds }: Pick<Kept, "kind" | "urn" | "inputs">,
  args: Values,
): Promise<Values> {
  const { inputs, failures } = await world.front(kind).check({ urn }, olds, args);
  if (failures.length > 0) throw new Error(failures.map(({ reason }) => reason).join("\n"));
  return inputs;
}

export async function compared(world: World, kept: Kept, args: Values): Promise<DetailedDiff> {
  const news = await checked(world, kept, args);
  return world.front(kept.kind).diff({ urn: kept.urn }, kept.id, kept.outputs, kept.inputs, news);
}

/** What the preview of an update shows of the outputs. */
export async function previewed(world: World, kept: Kept, args: Values): Promise<Values> {
  await compared(world, kept, args);
  return (await updating(world, kept, args, true)).outputs;
}

/** An update that ends early keeps the old inputs. */
export async function change(world: World, kept: Kept, args: Values): Promise<Kept> {
  try {
    return await updating(world, kept, args, false);
  } catch (error) {
    if (error instanceof PartialError) return { ...kept, outputs: error.outputs };
    throw error;
  }
}

async function updating(world: World, kept: Kept, args: Values, isPreview: boolean): Promise<Kept> {
  const { kind, urn, id, inputs: oldInputs, outputs: olds } = kept;
  const inputs = await checked(world, kept, args);
  const { outs } = await world.front(kind).update({ urn }, id, olds, oldInputs, inputs, isPreview);
  return { ...kept, inputs, outputs: outs };
}

/** What `pulumi import`, the option `import` and `get` read. */
export async function imported(world: World, kind: Kind, given: string): Promise<Kept> {
  const urn = `urn:pulumi:dev::shop::dbcloud:index:${kind}::imported`;
  const { id = "", props = {}, inputs = {} } = await world.front(kind).read({ urn, isImport: true }, given, {}, {});
  return { kind, urn, id, inputs, outputs: props };
}

export function refreshed(world: World, { kind, urn, id, outputs, inputs }: Kept): ReturnType<Front["read"]> {
  return world.front(kind).read({ urn }, id, outputs, inputs);
}
