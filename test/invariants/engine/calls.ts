// What the engine calls for one kind of resource, in either form: dynamic, or the plugin.

import { isDeepStrictEqual } from "node:util";
import type { Front } from "../../../plugin/front";
import type { Values } from "../../../provider/domain/values/value";
import { createUrns } from "../../../provider/host/urns";
import type { Reading } from "../../../provider/core/read";
import type { Kind, ResourceHandlers } from "../../support/providerProcess";
import type { Entry, Named } from "./state";

type Known = Pick<Entry, "logical" | "kind" | "id" | "inputs" | "outputs">;

interface Difference {
  hasChanges: boolean;
  replaces: readonly string[];
  deleteBeforeReplace: boolean;
}

export interface EngineCalls {
  /** `olds`: the inputs of the state. `isReset`: so are the arguments, without what the class adds. */
  check(named: Named, olds: Values, args: Values, isReset?: boolean): Promise<{ inputs: Values; failures: string[] }>;
  diff(entry: Known, news: Values): Promise<Difference>;
  create(named: Named, news: Values): Promise<{ id: string; outs: Values }>;
  update(entry: Known, news: Values): Promise<{ outs: Values }>;
  read(entry: Known): Promise<Reading>;
  delete(entry: Known): Promise<void>;
  /** What only a plugin is asked for. */
  only?: {
    /** What a preview shows of the outputs, with unknown ones among them. */
    createPreview(named: Named, news: Values): Promise<Values>;
    updatePreview(entry: Known, news: Values): Promise<Values>;
    /** `pulumi import`, of an object that a state may have too. */
    import(entry: Known): Promise<Reading>;
  };
}

/** The constant that the state stores instead of code. */
export const LINE = 'exports.handler = () => require("pulumi-dbcloud/provider").provider("…");';

/** Its inputs have hidden ones among them, and it gets no old inputs. */
export function dynamicCalls(handlers: ResourceHandlers): EngineCalls {
  // The host adds the URN to the inputs; the state does not store it.
  const withUrn = (named: Named, inputs: Values): Values => ({ ...inputs, __urn: urnOf(named, DYNAMIC_TYPE) });
  const urns = createUrns();
  const kept = (outs: Values): Values => ({ ...outs, __provider: LINE });
  return {
    check(named, olds, args, isReset = false) {
      const hidden = { __provider: LINE, __defaultName: named.logical };
      const raw = isReset ? args : withUrn(named, { ...args, ...hidden });
      const { inputs, failures } = handlers.check(olds, raw);
      if (failures.length === 0) urns.remember(inputs, raw["__urn"], olds);
      return Promise.resolve({ inputs: { ...inputs, __provider: LINE }, failures });
    },
    diff(entry, news) {
      const { raw, isUnnamed } = urns.ofDiff(entry.id, news, entry.outputs);
      const difference = handlers.diff(entry.id, entry.outputs, raw, isUnnamed);
      const hasChanges = difference.changes ?? !isDeepStrictEqual(news, entry.inputs);
      const { replaces = [], deleteBeforeReplace = false } = difference;
      return Promise.resolve({ hasChanges, replaces, deleteBeforeReplace });
    },
    async create(_named, news) {
      const { id, outs } = await urns.create(news, (raw) => handlers.create(raw));
      return { id, outs: kept(outs) };
    },
    async update(entry, news) {
      const { outs } = await handlers.update(entry.id, entry.outputs, urns.ofUpdate(entry.id, news, entry.outputs));
      return { outs: kept(outs) };
    },
    async read(entry) {
      const seen = await handlers.read(entry.id, entry.outputs);
      return {
        ...seen,
        ...(seen.props !== undefined && { props: kept(seen.props) }),
        ...(seen.inputs !== undefined && { inputs: kept(seen.inputs) }),
      };
    },
    delete: (entry) => handlers.delete(entry.id, entry.outputs),
  };
}

export function nativeCalls(front: Front): EngineCalls {
  const call = (named: Named): { urn: string } => ({ urn: urnOf(named, NATIVE_TYPE) });
  return {
    async check(named, olds, args) {
      const { inputs, failures } = await front.check(call(named), olds, args);
      return { inputs, failures: failures.map(({ reason }) => reason) };
    },
    diff: (entry, news) => front.diff(call(entry), entry.id, entry.outputs, entry.inputs, news),
    create: (named, news) => front.create(call(named), news, false),
    update: (entry, news) => front.update(call(entry), entry.id, entry.outputs, entry.inputs, news, false),
    read: (entry) => front.read(call(entry), entry.id, entry.outputs, entry.inputs),
    delete: (entry) => front.delete(call(entry), entry.id, entry.outputs, entry.inputs),
    only: {
      createPreview: async (named, news) => (await front.create(call(named), news, true)).outs,
      updatePreview: async (entry, news) =>
        (await front.update(call(entry), entry.id, entry.outputs, entry.inputs, news, true)).outs,
      import(entry) {
        const key = PARENT_KEYS[entry.kind];
        const [id, parent] = [entry.id, key && String(entry.outputs[key])];
        if (key === undefined || parent === undefined) return front.read(call(entry), id, {}, {});
        // An id of a strange server that has slashes does not go together with another; a `get` says the parent apart.
        if (`${parent}${id}`.includes("/")) return front.read(call(entry), id, { [key]: parent }, {});
        return front.read(call(entry), `${parent}/${id}`, {}, {});
      },
    },
  };
}

/** The input with the object that an object is in. */
const PARENT_KEYS: Readonly<Partial<Record<Kind, string>>> = { peering: "vpcId", readReplicaSet: "serviceId" };

const DYNAMIC_TYPE = "pulumi-nodejs:dynamic/dbcloud:";
const NATIVE_TYPE = "dbcloud:index:";

function urnOf({ logical, kind }: Named, type: string): string {
  return `urn:pulumi:dev::shop::${type}${kind}::${logical}`;
}
