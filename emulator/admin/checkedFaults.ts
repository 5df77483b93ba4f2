// Faults of a test in this process, by the shapes of the admin API: one that is misspelt would never strike, and the test
// would pass without it.

import type { z } from "zod";
import type { Fault, FaultRule, FaultScope, Faults } from "../http/faults";
import { didYouMean, requireKnown } from "../unknownNames";
import { faultFields, faultKinds, faultRequest, randomFaultFields, randomFaultsRequest } from "./faultShapes";

/** Throws a TypeError for what the admin API answers with 400. */
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

/** JSON has no infinity: there it is a word, or left out where that means the same. */
const jsonOf =
  (kind: FaultRule["kind"]) =>
  ([name, value]: [string, unknown]): [string, unknown][] => {
    if (value !== Infinity) return [[name, value]];
    if (name === "times") return [[name, "always"]];
    return kind === "down" || kind === "stuck" ? [] : [[name, value]];
  };

function fitting<T>(where: string, schema: z.ZodType<T>, given: Record<string, unknown>): T {
  const result = schema.safeParse(given);
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  const path = issue?.path.map(String) ?? [];
  const value = path.reduce<unknown>((inner, key) => (isObject(inner) ? Reflect.get(inner, key) : undefined), given);
  const name = `${where}: ${path.join(".")}`;
  const words = issue === undefined ? [] : wordsOf(issue);
  if (value === undefined) throw new TypeError(`${name} is missing`);
  if (typeof value === "string" && words.length > 1) throw notOneOf(name, value, words);
  throw new TypeError(`${name}: ${issue?.message ?? "of another form"}`);
}

const isObject = (value: unknown): value is object => typeof value === "object" && value !== null;

type Issue = z.core.$ZodIssue;

/** What an enumeration allows, also one beside other forms. */
function wordsOf(issue: Issue): string[] {
  if (issue.code === "invalid_value") return issue.values.map(String);
  return issue.code === "invalid_union" ? issue.errors.flat().flatMap(wordsOf) : [];
}

function notOneOf(name: string, given: unknown, words: readonly string[]): TypeError {
  if (given === undefined) return new TypeError(`${name} is missing; it is one of ${words.join(", ")}`);
  const hint = typeof given === "string" ? didYouMean(given, words) : "";
  return new TypeError(`${name} is one of ${words.join(", ")}; not ${JSON.stringify(given)}${hint}`);
}
