// Adapts the handlers of one kind to Pulumi's interface.

import type * as pulumi from "@pulumi/pulumi";
import { printable } from "../domain/values/printable";
import { check } from "../core/check";
import { create } from "../core/create";
import { remove } from "../core/delete";
import { diff } from "../core/diff";
import { read } from "../core/read";
import { update } from "../core/update";
import type { Resource } from "../core/kind";
import { membersOf, type Values, withoutUndefined } from "../domain/values/value";
import { AT_ONCE, createCalls, type CallContext, type ProcessState, PROGRESS_DELAY_MS } from "./calls";
import { defaultNameOf, hiddenDifferences, withUrn } from "./hidden";
import { createSettingsReader } from "./settings";
import { markSecrets } from "./shapes";
import { createUrns } from "./urns";

export function createHandlers(resource: Resource, shared: ProcessState): pulumi.dynamic.ResourceProvider {
  const settings = createSettingsReader(shared.environment);
  const call = createCalls(shared, settings);
  const urns = createUrns();
  const stored = (state: Values, raw: Values): Values => markSecrets(withUrn(state, raw));
  return {
    configure: ({ config }) => {
      settings.configure((key) => config.get(key), keysOf(config));
      return Promise.resolve();
    },

    check: (olds: Values, news: Values) =>
      call(news, AT_ONCE, (context) => {
        const { inputs, failures } = checked(resource, context, olds, news);
        // Pulumi: no call follows a `check` that has failed.
        if (failures.length === 0) urns.remember(inputs, news["__urn"], olds);
        // Pulumi: the class marks the program's own secrets; one that a transformation adds is marked only here.
        return { inputs: markSecrets(inputs), failures };
      }),

    diff: (id: string, olds: Values, news: Values) => {
      const { raw, isUnnamed } = urns.ofDiff(id, news, olds);
      const work = (context: CallContext): ReturnType<typeof diff> =>
        diff(resource, { ...context, ...hiddenDifferences(olds, raw), isUnnamed }, id, olds, raw);
      return call(raw, AT_ONCE, work, olds);
    },

    create: (inputs: Values) =>
      urns.create(inputs, (raw) =>
        call(raw, PROGRESS_DELAY_MS, async (context) => {
          const { id, outs } = await create(resource, context, raw);
          return { id, outs: stored(outs, raw) };
        }),
      ),

    update: (id: string, olds: Values, news: Values) => {
      const raw = urns.ofUpdate(id, news, olds);
      const work = async (context: CallContext): Promise<{ outs: Values }> => {
        const { outs } = await update(resource, context, id, olds, raw);
        return { outs: stored(outs, raw) };
      };
      return call(raw, PROGRESS_DELAY_MS, work, olds);
    },

    delete: (id: string, props: Values) =>
      call(props, PROGRESS_DELAY_MS, (context) => remove(resource, context, id, props)),

    read: (id: string, props: Values = {}) =>
      call(props, PROGRESS_DELAY_MS, async (context) => {
        const { props: seen, inputs, ...rest } = await read(resource, context, id, props);
        return {
          ...rest,
          ...withoutUndefined({ props: seen && stored(seen, props), inputs: inputs && markSecrets(inputs) }),
        };
      }),
  };
}

/** Checks the inputs, and shows what there is to say of them. */
export function checked(
  resource: Resource,
  context: CallContext,
  olds: Values,
  news: Values,
): { inputs: Values; failures: { property: string; reason: string }[] } {
  const result = check(resource, { ...context, ...defaultNameOf(news) }, olds, news);
  const { inputs, failures, warnings, warningsOfRun, notes } = result;
  for (const warning of warnings) context.warn(warning);
  for (const warning of [...warningsOfRun, ...context.missing]) context.warnOnce(warning);
  for (const note of notes) context.progress(note);
  // A malformed setting is an error for every resource. A missing one is not, because a preview needs none.
  const reasons = [...context.malformed, ...failures];
  // Pulumi: a failure that names a property prints its value, secrets included; an empty one prints none.
  return { inputs, failures: reasons.map((reason) => ({ property: "", reason: printable(reason) })) };
}

/** Pulumi: the configuration object holds all keys that the engine sent; only its declaration hides them. */
function keysOf(config: object): string[] {
  return Object.keys(membersOf(Reflect.get(config, "rawConfig")));
}
