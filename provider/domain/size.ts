// Compute sizes: whole millicores and gigabytes, or the word "shared" for a service on shared resources.

export type Size = number | "shared";

/** Sizes seen in the field are 250 millicores per gigabyte; others are warned about, never refused. */
export function isUsualSize(cpuMillis: Size, memoryGbs: Size): boolean {
  if (cpuMillis === "shared" || memoryGbs === "shared") return cpuMillis === memoryGbs;
  return cpuMillis === memoryGbs * 250;
}
