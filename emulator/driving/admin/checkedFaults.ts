// Checks the faults that a test in this process adds, by the schemas of the admin API: a misspelt fault would never
// apply, and the test would pass without it.

import type { z } from "zod";
import type { Fault, FaultRule, FaultScope, Faults } from "../../controlPlane/http/faults";
import { didYouMean, requireKnown } from "../../unknownNames";
import { faultFields, faultKinds, faultRequest, randomFaultFields, randomFaultsRequest } from "./faultShapes";
import { checkShape } from "./requested";

/** Throws a TypeError for input that the admin API answers with 400. */
export const checkedFaults = (faults: Faults): Faults => ({
  ...faults,
  add: (fault) => faults.add(checkedFault(fault)),
  random(options) {
    requireKnown("faults.random", options, randomFaultFields);
    return faults.random(fitting("faults.random", randomFaultsRequest, defined(options)));
  },
});

function checkedFault(fault: FaultScope & Fault): FaultScope & Fault {
  const { match, ...rest }: Record<string, unknown> = defined(fault);
  const kind = faultKinds.find((one) => one === rest["kind"]);
  if (kind === undefined) throw notOneOf("faults.add: kind", rest["kind"], faultKinds);
  requireKnown(`faults.add: ${kind}`, rest, faultFields(kind));
  if (match !== undefined && !isMatch(match))
    throw new TypeError(`faults.add: match is a function of the request, not ${JSON.stringify(match)}`);
  const checked = fitting("faults.add", faultRequest, Object.fromEntries(Object.entries(rest).flatMap(jsonOf(kind))));
  return match === undefined ? checked : { ...checked, match };
}

const defined = (given: object | undefined): Record<string, unknown> =>
  Object.fromEntries(Object.entries(given ?? {}).filter(([, value]) => value !== undefined));

const isMatch = (match: unknown): match is NonNullable<FaultScope["match"]> => typeof match === "function";

/** JSON has no infinity: it is written as a word, or left out where absence means the same. */
const jsonOf =
  (kind: FaultRule["kind"]) =>
  ([name, value]: [string, unknown]): [string, unknown][] => {
    if (value !== Infinity) return [[name, value]];
    if (name === "times") return [[name, "always"]];
    return kind === "down" || kind === "stuck" ? [] : [[name, value]];
  };

function fitting<T>(where: string, schema: z.ZodType<T>, given: Record<string, unknown>): T {
  const checked = checkShape(schema, given);
  if ("data" in checked) return checked.data;
  throw new TypeError(`${where}: ${checked.problems.join("; ")}`);
}

function notOneOf(name: string, given: unknown, words: readonly string[]): TypeError {
  if (given === undefined) return new TypeError(`${name} is missing; it is one of ${words.join(", ")}`);
  const hint = typeof given === "string" ? didYouMean(given, words) : "";
  return new TypeError(`${name} is one of ${words.join(", ")}; not ${JSON.stringify(given)}${hint}`);
}
