// Compute sizes: whole millicores and gigabytes, or the word "shared" for a service on shared resources.

export type Size = number | "shared";

/** Sizes seen in the field are 250 millicores per gigabyte; others are warned about, never refused. */
export function isUsualSize(cpuMillis: Size, memoryGbs: Size): boolean {
  if (cpuMillis === "shared" || memoryGbs === "shared") return cpuMillis === memoryGbs;
  return cpuMillis === memoryGbs * 250;
}

/** What is said of a size that is not usual. */
export function unusualSize(cpuMillis: Size, memoryGbs: Size): string {
  const core = typeof cpuMillis === "number" && cpuMillis < SMALLEST ? "; 1000 is one core" : "";
  return `cpuMillis ${cpuMillis} with memoryGbs ${memoryGbs} is unusual: sizes have 250 millicores per GB${core}`;
}

/** Fewer millicores than any server offers: whoever writes that means cores. */
const SMALLEST = 100;

/** A number that was given as a text, as configuration has it. */
export function numberMeant(value: unknown): string | undefined {
  return typeof value === "string" && /^\d+$/.test(value.trim()) ? String(Number(value)) : undefined;
}
