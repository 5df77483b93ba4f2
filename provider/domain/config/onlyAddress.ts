// The one address that may be called, if the environment names one: the test of a stack must not reach a real deployment,
// whatever address its program, its configuration or an explicit Provider names.

import { ConfigError } from "../errors";
import { show } from "../values/value";
import { placeOf } from "./address";
import type { ProcessEnvironment } from "./config";

const ONLY_BASE_URL = "DBCLOUD_ONLY_BASE_URL";

/** Throws a ConfigError before anything is sent elsewhere. */
export function refuseOtherAddress(baseUrl: string | undefined, environment: ProcessEnvironment): void {
  const only = environment[ONLY_BASE_URL] ?? "";
  if (only === "" || baseUrl === undefined || placeOf(baseUrl) === placeOf(only)) return;
  throw new ConfigError(
    "address-not-allowed",
    `baseUrl: given ${show(placeOf(baseUrl))}; allowed: only ${show(placeOf(only))}, because ${ONLY_BASE_URL} is set`,
    `In a test, take the address from the environment (DBCLOUD_BASE_URL) or from the configuration of the stack; elsewhere, unset ${ONLY_BASE_URL}.`,
  );
}
