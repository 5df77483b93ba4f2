// Checks the faults that a test in this process adds, by the schemas of the admin API: a misspelt fault would never
// apply, and the test would pass without it.

import type { z } from "zod";
import { checkShape } from "../../checkedShape";
import type { Fault, Faults, FaultScope } from "../../controlPlane/http/faults";
import { faultRequest, randomFaultsRequest } from "./faultShapes";

/** Throws a TypeError for input that the admin API answers with 400. */
export const checkedFaults = (faults: Faults): Faults => ({
  ...faults,
  add(given: (FaultScope & Fault) | undefined) {
    const { match, ...fault } = given ?? {};
    if (match !== undefined && typeof match !== "function")
      throw new TypeError(`faults.add: match is a function of the request, not ${JSON.stringify(match)}`);
    const checked = fitting("faults.add", faultRequest, fault);
    return faults.add(match === undefined ? checked : { ...checked, match });
  },
  random: (options) => faults.random(fitting("faults.random", randomFaultsRequest, options)),
});

/** JSON has neither infinity nor `undefined`. */
function fitting<T>(where: string, schema: z.ZodType<T>, given: object): T {
  const json = Object.entries(given)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]): [string, unknown] => [name, value === Infinity ? "always" : value]);
  const checked = checkShape(schema, Object.fromEntries(json));
  if ("data" in checked) return checked.data;
  throw new TypeError(`${where}: ${checked.problems.join("; ")}`);
}
