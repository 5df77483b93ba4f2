// The preview of an `up`: it has a process of its own and calls nothing, and what it shows as known must come true.

import { ProviderError } from "../../../provider/domain/errors";
import { UNKNOWN } from "../../../provider/domain/values/value";
import { type Declared, resolve } from "../operator/declared";
import type { Command } from "./outcome";

/** Only a plugin shows outputs, so there is none for the dynamic form. An error ends it, as it ends that of the CLI. */
export async function preview(
  { process, state, judge }: Command,
  program: readonly Declared[],
  forced: string | undefined,
): Promise<void> {
  const ids = new Map<string, string>();
  for (const declared of program) {
    const { logical, kind } = declared;
    const handlers = process[kind];
    if (handlers.only === undefined) return;
    const entry = state.entries.get(logical);
    const isForced = logical === forced;
    const args = resolve(declared.args, (name) => ids.get(name) ?? UNKNOWN);
    try {
      const { inputs, failures } = await handlers.check(declared, isForced ? {} : (entry?.inputs ?? {}), args);
      if (failures.length > 0) return;
      const difference = entry === undefined || isForced ? undefined : await handlers.diff(entry, inputs);
      if (entry === undefined || difference === undefined || difference.replaces.length > 0) {
        await handlers.only.createPreview(declared, inputs);
        continue;
      }
      ids.set(logical, entry.id);
      const isSame = !difference.hasChanges && !entry.isHalfMade;
      judge.previewed(entry, isSame ? entry.outputs : await handlers.only.updatePreview(entry, inputs));
    } catch (error) {
      if (!(error instanceof ProviderError))
        judge.blame("untrue", `${logical}: the preview has a defect: ${String(error)}`);
      return;
    }
  }
}
