// Checks what comes from outside against its schema. An error is a sentence that names the wrong field, in the words of
// the API and not in those of the validator.

import { z } from "zod";

/** Throws a TypeError for the first unknown name: a JavaScript test would otherwise ignore it without a sign. */
export function requireKnown(where: string, given: object | undefined, known: readonly string[]): void {
  for (const name of Object.keys(given ?? {})) {
    if (!known.includes(name))
      throw new TypeError(`${where}: there is no option ${name}; there are ${known.join(", ")}`);
  }
}

type Issue = z.core.$ZodIssue;
type RawIssue = z.core.$ZodRawIssue;

/** The parsed input, or the problems with it. */
export function checkShape<T>(
  schema: z.ZodType<T>,
  given: unknown,
): { data: T } | { problems: readonly [string, ...string[]] } {
  const result = schema.safeParse(given, { error: textOf, reportInput: true });
  if (result.success) return { data: result.data };
  // A misspelt field also counts as missing: report the misspelling first.
  const isName = ({ code }: Issue): boolean => code === "unrecognized_keys";
  const issues = result.error.issues.toSorted((a, b) => Number(isName(b)) - Number(isName(a)));
  const [first = "no reason given", ...others] = issues.map(sentenceOf);
  return { problems: [first, ...others] };
}

function sentenceOf({ path, message, input }: Issue): string {
  const where = path.map(String).join(".");
  if (where === "") return message;
  if (input === undefined) return `${where} is missing`;
  return message.startsWith("is ") ? `${where} ${message}` : `${where}: ${message}`;
}

function textOf(issue: RawIssue): string {
  switch (issue.code) {
    case "invalid_type":
      return `must be ${typeWords[issue.expected] ?? issue.expected}`;
    case "invalid_value":
      return oneOf(issue.values.map(String), issue.input);
    case "unrecognized_keys":
      return issue.keys.map((key) => noField(key, namesIn(issue.inst))).join("; ");
    case "invalid_union":
      return unionText(issue);
    case "too_small":
      return `must ${extent(issue.origin, "at least", Number(issue.minimum))}`;
    case "too_big":
      return `must ${extent(issue.origin, "at most", Number(issue.maximum))}`;
    default:
      return "has not the form that it must have";
  }
}

const typeWords: Readonly<Record<string, string>> = {
  string: "a string",
  number: "a number",
  int: "an integer",
  boolean: "true or false",
  array: "an array",
  object: "an object",
  record: "an object",
};

function extent(origin: string, bound: string, count: number): string {
  const unit = { string: "character", array: "item" }[origin];
  return unit === undefined ? `be ${bound} ${count}` : `have ${bound} ${count} ${unit}${count === 1 ? "" : "s"}`;
}

function oneOf(words: readonly string[], given: unknown): string {
  const [only = ""] = words;
  if (words.length < 2) return `must be ${JSON.stringify(only)}`;
  return `is one of ${words.join(", ")}; not ${JSON.stringify(given)}`;
}

const noField = (name: string, known: readonly string[]): string =>
  `there is no field ${name}${known.length === 0 ? "" : `; there are ${known.join(", ")}`}`;

/** The fields that the schema that refused has. */
function namesIn(refusing: unknown): string[] {
  if (refusing instanceof z.ZodObject) return Object.keys(refusing.shape);
  return refusing instanceof z.ZodRecord && refusing.keyType instanceof z.ZodEnum
    ? refusing.keyType.options.map(String)
    : [];
}

/** Of the members of a union, those that the discriminator can name, or what each of them says. */
function unionText(issue: RawIssue & { code: "invalid_union" }): string {
  if (issue.discriminator === undefined) {
    const texts = new Set(issue.errors.flat().map(({ message }) => message.replace(/^must be /, "")));
    return `must be ${[...texts].join(", or ")}`;
  }
  const words = Array.isArray(issue.options) ? issue.options.map(String) : [];
  const given: unknown = Reflect.get(Object(issue.input) as object, issue.discriminator);
  return given === undefined ? `is missing; it is one of ${words.join(", ")}` : oneOf(words, given);
}
