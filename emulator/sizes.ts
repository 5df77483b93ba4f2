// Sizes as the requests write them: digits as text, the word `shared`, or nothing. Decides what a half-given size means.

import { invalid } from "./failure";
import type { Switches } from "./switches";

/** Both absent means shared. */
export interface Size {
  readonly cpuMillis?: number | undefined;
  readonly memoryGbs?: number | undefined;
}

const millisPerGb = 250;

/** The size a request asks for, completed from `otherwise` and else by the usual ratio; a size is shared as a whole or not at all. */
export function sizeFrom(
  request: { cpu_millis?: string | undefined; memory_gbs?: string | undefined },
  otherwise: Size,
): Size {
  const { cpu_millis: cpu, memory_gbs: memory } = request;
  if (cpu === undefined && memory === undefined) {
    return { cpuMillis: otherwise.cpuMillis, memoryGbs: otherwise.memoryGbs };
  }
  if (cpu === "shared" || memory === "shared") {
    if ((cpu ?? "shared") === (memory ?? "shared")) return {};
    throw invalid('cpu_millis and memory_gbs must both be "shared" or both be sizes');
  }
  const cpuMillis = cpu === undefined ? otherwise.cpuMillis : Number(cpu);
  const memoryGbs = memory === undefined ? otherwise.memoryGbs : Number(memory);
  return {
    cpuMillis: cpuMillis ?? (memoryGbs ?? 0) * millisPerGb,
    memoryGbs: memoryGbs ?? Math.max(1, Math.round((cpuMillis ?? 0) / millisPerGb)),
  };
}

export const isShared = (size: Size): boolean => size.cpuMillis === undefined;

export const smallestSize: Size = { cpuMillis: 500, memoryGbs: 2 };

/** Refuses a size that no plan has, before it reaches an object. */
export function demandOffered({ cpuMillis = 0, memoryGbs = 0 }: Size, switches: Switches): void {
  if (cpuMillis > switches.maxCpuMillis) throw invalid(`cpu_millis: at most ${switches.maxCpuMillis}`);
  if (memoryGbs > switches.maxMemoryGbs) throw invalid(`memory_gbs: at most ${switches.maxMemoryGbs}`);
}
