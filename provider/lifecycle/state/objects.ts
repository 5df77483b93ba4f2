// How an object is called in messages, and its key in the view of the run.

import { oneLine } from "../../domain/values/printable";
import { textOf, type Values } from "../../domain/values/value";

/** "service orders (svc1234567)" */
export function labelOf(resource: { readonly noun: string }, values: Values, id: string): string {
  const name = textOf(values, "name");
  return name !== undefined ? `${resource.noun} ${oneLine(name)} (${id})` : `${resource.noun} ${id}`;
}

/** The key of an object in the view of the run. Ids of different kinds may be equal. */
export function objectOf(resource: { readonly kind: string }, id: string): string {
  return `${resource.kind}/${id}`;
}
