// The preview of an `up`: it has a process of its own and calls nothing, and what it shows as known must come true.

import { ProviderError } from "../../../provider/domain/errors";
import { UNKNOWN } from "../../../provider/domain/values/value";
import { type Declared, resolve } from "../operator/declared";
import type { Command } from "./outcome";
import { planOf } from "./plan";

/** Only a plugin shows outputs, so there is none for the dynamic form. An error ends it, as it ends that of the CLI. */
export async function preview(
  { processes, state, judge }: Pick<Command, "processes" | "state" | "judge">,
  program: readonly Declared[],
  forced: string | undefined,
): Promise<void> {
  const ids = new Map<string, string>();
  const replaced = new Set<string>();
  for (const declared of program) {
    const { logical, kind, options = {} } = declared;
    const { only } = processes.of(options.provider)[kind];
    if (only === undefined) return;
    const entry = state.entries.get(logical);
    const args = resolve(declared.args, (name) => ids.get(name) ?? UNKNOWN);
    const planning = {
      processes,
      state,
      declared,
      args,
      isForced: logical === forced,
      replaced,
      count: () => undefined,
    };
    try {
      const { does, news, failures } = await planOf(planning);
      if (failures.length > 0) return;
      if (entry === undefined || does === "replace" || does === "force") {
        if (entry !== undefined) replaced.add(logical);
        await only.createPreview(declared, news);
        continue;
      }
      ids.set(logical, entry.id);
      judge.previewed(entry, does === "keep" ? entry.outputs : await only.updatePreview(entry, news));
    } catch (error) {
      if (!(error instanceof ProviderError))
        judge.blame("untrue", `${logical}: the preview has a defect: ${String(error)}`);
      return;
    }
  }
}
