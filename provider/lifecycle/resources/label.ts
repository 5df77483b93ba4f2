// The label of an object in messages.

import { oneLine } from "../../domain/values/printable";
import type { Resource, Values } from "./resource";

/** "service orders (svc1234567)" */
export function labelOf(resource: Resource, values: Values, id: string): string {
  const name = values["name"];
  return typeof name === "string" ? `${resource.noun} ${oneLine(name)} (${id})` : `${resource.noun} ${id}`;
}
