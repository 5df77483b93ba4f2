// Compute sizes: whole millicores and gigabytes, or the word "shared" for a service on shared resources.

export type Size = number | "shared";

/** The warning for an unusual size. Those seen in the field are 250 millicores per gigabyte; no other one is refused. */
export function warningsOfSize(cpuMillis: Size, memoryGbs: Size): string[] {
  // A check of its own refuses one word beside a number.
  if (cpuMillis === "shared" || memoryGbs === "shared" || cpuMillis === memoryGbs * 250) return [];
  const words = `cpuMillis ${cpuMillis} with memoryGbs ${memoryGbs} is unusual`;
  return [`${words}: the usual sizes have 250 millicores per GB, and 1000 millicores are one core`];
}
