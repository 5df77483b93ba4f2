// Sizes as requests give them: digits as text, the word `shared`, or nothing. Decides what a size with only one of its
// two parts means.

import { invalid } from "../failure";
import type { Switches } from "../../settings/switches";

/** Both absent means shared. */
export interface Size {
  readonly cpuMillis?: number | undefined;
  readonly memoryGbs?: number | undefined;
}

interface SizeRequest {
  readonly cpu_millis?: string | undefined;
  readonly memory_gbs?: string | undefined;
}

const millisPerGb = 250;

/** Completes a size from `otherwise`, or else by the usual ratio; CPU and memory are shared together or not at all. */
export function sizeFrom(request: SizeRequest, otherwise: Size, switches: Switches): Size {
  const size = requestedSize(request, otherwise);
  requireOffered(size, switches);
  return size;
}

function requestedSize(request: SizeRequest, otherwise: Size): Size {
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

export function exactSize(request: { cpu_millis: string; memory_gbs: string }, switches: Switches): Required<Size> {
  const size = { cpuMillis: Number(request.cpu_millis), memoryGbs: Number(request.memory_gbs) };
  requireOffered(size, switches);
  return size;
}

/** Refuses a size that no plan offers, before any object has it. */
export function requireOffered({ cpuMillis = 0, memoryGbs = 0 }: Size, switches: Switches): void {
  if (cpuMillis > switches.maxCpuMillis) throw invalid(`cpu_millis: at most ${switches.maxCpuMillis}`);
  if (memoryGbs > switches.maxMemoryGbs) throw invalid(`memory_gbs: at most ${switches.maxMemoryGbs}`);
}
