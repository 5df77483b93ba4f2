// Checks requests to the admin API against their schemas; errors name the wrong field, or suggest the word that was
// probably meant.

import type { z } from "zod";
import { invalid } from "../../controlPlane/actions/failure";
import { schemaOf } from "../openapi/parts";
import { advice, didYouMean } from "../../unknownNames";

type Issue = z.core.$ZodIssue;

/** The parts of a JSON schema that this file reads. */
interface Shape {
  readonly anyOf?: readonly Shape[];
  readonly oneOf?: readonly Shape[];
  readonly properties?: Readonly<Record<string, Shape>>;
  readonly propertyNames?: Shape;
  readonly items?: Shape;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
}

/** Throws a Failure with status 400. */
export function requested<T>(schema: z.ZodType<T>, given: unknown): T {
  const checked = checkShape(schema, given);
  if ("data" in checked) return checked.data;
  const [first, ...others] = checked.problems;
  throw invalid(`invalid request: ${first}`, others.length === 0 ? undefined : others.join("; "));
}

/** The parsed input, or the problems with it in sentences. */
export function checkShape<T>(
  schema: z.ZodType<T>,
  given: unknown,
): { data: T } | { problems: readonly [string, ...string[]] } {
  const result = schema.safeParse(given);
  if (result.success) return { data: result.data };
  // A misspelt field also counts as missing: report the misspelling first.
  const isName = ({ code }: Issue): boolean => code === "unrecognized_keys";
  const issues = result.error.issues.toSorted((a, b) => Number(isName(b)) - Number(isName(a)));
  const [first = "no reason given", ...others] = issues.flatMap((issue) => sentencesOf(issue, schema, given));
  return { problems: [first, ...others] };
}

function sentencesOf(issue: Issue, schema: z.ZodType, given: unknown): string[] {
  const where = issue.path.map(String).join(".");
  const value = valueAt(given, issue.path);
  if (issue.code === "unrecognized_keys") {
    const names = namesAt(schemaOf(schema), issue.path, given);
    return issue.keys.map((key) => `${where === "" ? "" : `${where}: `}there is no field ${key}${hintAt(key, names)}`);
  }
  const words = where === "" ? [] : wordsOf(shapeAt(schemaOf(schema), issue.path, given));
  if (where !== "" && value === undefined) {
    return [`${where} is missing${words.length > 1 ? `; it is one of ${words.join(", ")}` : ""}`];
  }
  if (typeof value === "string" && words.length > 1) {
    return [`${where} is one of ${words.join(", ")}; not ${JSON.stringify(value)}${didYouMean(value, words)}`];
  }
  const text = issue.code === "invalid_union" ? unionText(issue) : issue.message;
  return [where === "" ? text : `${where}: ${text}`];
}

const hintAt = (key: string, names: readonly string[]): string => (names.length === 0 ? "" : `; ${advice(key, names)}`);

/** For a union, Zod reports only that no member matches. */
function unionText({ errors }: Issue & { code: "invalid_union" }): string {
  return [...new Set(errors.flat().map(({ message }) => message.replace("Invalid input: ", "")))].join(", or ");
}

function valueAt(given: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>((value, key) => (isObject(value) ? Reflect.get(value, key) : undefined), given);
}

const isObject = (value: unknown): value is object => typeof value === "object" && value !== null;

/** The union members that the input may be: those whose constants equal its values. */
function shapeAt(shape: Shape, [key, ...path]: readonly PropertyKey[], given: unknown): Shape[] {
  const forms = [...(shape.anyOf ?? []), ...(shape.oneOf ?? [])];
  if (forms.length > 0) {
    const fitting = forms.filter((form) => fits(form, given));
    const counted = fitting.length === 0 ? forms : fitting;
    return counted.flatMap((form) => shapeAt(form, key === undefined ? [] : [key, ...path], given));
  }
  if (key === undefined) return [shape];
  const inner = typeof key === "number" ? shape.items : shape.properties?.[String(key)];
  return inner === undefined ? [] : shapeAt(inner, path, valueAt(given, [key]));
}

function fits({ properties = {} }: Shape, given: unknown): boolean {
  return Object.entries(properties).every(
    ([name, one]) => one.const === undefined || one.const === valueAt(given, [name]),
  );
}

function namesAt(shape: Shape, path: readonly PropertyKey[], given: unknown): string[] {
  return shapeAt(shape, path, given).flatMap(({ properties, propertyNames }) => [
    ...Object.keys(properties ?? {}),
    ...(propertyNames?.enum ?? []).map(String),
  ]);
}

const wordsOf = (shapes: readonly Shape[]): string[] =>
  shapes.flatMap((shape) => (shape.const === undefined ? (shape.enum ?? []) : [shape.const])).map(String);
