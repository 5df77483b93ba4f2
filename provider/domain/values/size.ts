// Compute sizes: whole millicores and gigabytes, or the word "shared" for a service on shared resources.

export type Size = number | "shared";

/** The warning for an unusual size. Those seen in the field are 250 millicores per gigabyte; no other one is refused. */
export function warningsOfSize(cpuMillis: Size, memoryGbs: Size): string[] {
  // A check of its own refuses one word beside a number.
  if (cpuMillis === "shared" || memoryGbs === "shared" || cpuMillis === memoryGbs * 250) return [];
  const words = `cpuMillis ${cpuMillis} with memoryGbs ${memoryGbs} is unusual: the usual sizes have 250 millicores per GB`;
  return [`${words}; ${usualSize(cpuMillis, memoryGbs)}`];
}

function usualSize(cpuMillis: number, memoryGbs: number): string {
  if (cpuMillis < SMALLEST) {
    const cores = cpuMillis === 1 ? "one core" : `${cpuMillis} cores`;
    return `${cores} ${cpuMillis === 1 ? "is" : "are"} cpuMillis ${cpuMillis * 1_000}, with memoryGbs ${cpuMillis * 4}`;
  }
  if (cpuMillis % 250 === 0) return `for cpuMillis ${cpuMillis}: memoryGbs ${cpuMillis / 250}`;
  return `for memoryGbs ${memoryGbs}: cpuMillis ${memoryGbs * 250}`;
}

/** Fewer millicores than any server offers: the user probably means cores. */
const SMALLEST = 100;

/** A number that was given as a text, as configuration has it. */
export function numberMeant(value: unknown): string | undefined {
  return numberBefore(/^$/, value);
}

/** The same with the unit of other systems behind it: "1000m". */
export function millicoresMeant(value: unknown): string | undefined {
  return numberBefore(/^(?:m|millicores?|milliCPU)?$/i, value);
}

/** "4Gi", "4 GB". */
export function gigabytesMeant(value: unknown): string | undefined {
  return numberBefore(/^(?:gi?b?|gbs|gigabytes?)?$/i, value);
}

function numberBefore(unit: RegExp, value: unknown): string | undefined {
  if (typeof value === "string" && value.trim().toLowerCase() === "shared") return '"shared"';
  const [, amount, rest = ""] = (typeof value === "string" && /^(\d+)\s*([a-z]*)$/i.exec(value.trim())) || [];
  return amount !== undefined && unit.test(rest) ? String(Number(amount)) : undefined;
}
