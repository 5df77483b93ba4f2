// The label of an object in messages.

import { oneLine } from "../../domain/values/printable";
import type { Observable } from "./observation";
import type { Values } from "../../domain/values/value";

/** "service orders (svc1234567)" */
export function labelOf(resource: Observable, values: Values, id: string): string {
  const name = values["name"];
  return typeof name === "string" ? `${resource.noun} ${oneLine(name)} (${id})` : `${resource.noun} ${id}`;
}
