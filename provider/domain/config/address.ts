// The address of the API, checked alike wherever it is given.

import { ConfigError } from "../errors";
import { show } from "../values/value";

export const ADDRESS_ALLOWED = "an http(s) address that ends in the version segment, like https://…/v1";

const NO_ADDRESS = "a string that is not a URL";

/** What is wrong with it, without repeating it, because it may contain a pasted key or credentials. */
export function problemOf(address: string): string | undefined {
  if (!URL.canParse(address)) return NO_ADDRESS;
  const { protocol, username, password, search, hash } = new URL(address);
  if (protocol !== "https:" && protocol !== "http:") return "a URL that is not http(s)";
  if (username !== "" || password !== "") return "an address with credentials in it";
  return search !== "" || hash !== "" ? "an address with a query or a fragment" : undefined;
}

/** Without a closing slash, and without credentials and a query, which may hold secrets. */
export function placeOf(address: string): string {
  if (!URL.canParse(address)) return NO_ADDRESS;
  const { protocol, host, pathname } = new URL(address);
  return `${protocol}//${host}${pathname.replace(/\/+$/, "")}`;
}

const ONLY_BASE_URL = "DBCLOUD_ONLY_BASE_URL";

/**
 * The environment may name the one address that may be called: the test of a stack must not reach a real deployment, whatever
 * address its program, its configuration or an explicit Provider names. Throws a ConfigError before anything is sent elsewhere.
 */
export function refuseOtherAddress(
  baseUrl: string | undefined,
  environment: Readonly<Record<string, string | undefined>>,
): void {
  const only = environment[ONLY_BASE_URL] ?? "";
  if (only === "" || baseUrl === undefined || placeOf(baseUrl) === placeOf(only)) return;
  throw new ConfigError(
    "address-not-allowed",
    `baseUrl: given ${show(placeOf(baseUrl))}; allowed: only ${show(placeOf(only))}, because ${ONLY_BASE_URL} is set`,
    `In a test, take the address from the environment (DBCLOUD_BASE_URL) or from the configuration of the stack; elsewhere, unset ${ONLY_BASE_URL}.`,
  );
}
