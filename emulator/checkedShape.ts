// Checks what comes from outside against its schema.

import type { z } from "zod";

/** Throws a TypeError for the first unknown name: a JavaScript test would otherwise ignore it without a sign. */
export function requireKnown(where: string, given: object | undefined, known: readonly string[]): void {
  for (const name of Object.keys(given ?? {})) {
    if (!known.includes(name))
      throw new TypeError(`${where}: there is no option ${name}; there are ${known.join(", ")}`);
  }
}

/** The parsed input, or the problems with it, each with the field that it is about. */
export function checkShape<T>(
  schema: z.ZodType<T>,
  given: unknown,
): { data: T } | { problems: readonly [string, ...string[]] } {
  const result = schema.safeParse(given);
  if (result.success) return { data: result.data };
  // A misspelled field also counts as missing: report the misspelling first.
  const isName = ({ code }: z.core.$ZodIssue): boolean => code === "unrecognized_keys";
  const issues = result.error.issues.toSorted((a, b) => Number(isName(b)) - Number(isName(a)));
  const [first = "no reason given", ...others] = issues.map(({ path, message }) =>
    [path.map(String).join("."), message].filter(Boolean).join(": "),
  );
  return { problems: [first, ...others] };
}

/** Throws a TypeError that begins with `where`. */
export function required<T>(where: string, schema: z.ZodType<T>, given: unknown): T {
  const checked = checkShape(schema, given);
  if ("data" in checked) return checked.data;
  throw new TypeError(`${where}: ${checked.problems.join("; ")}`);
}
