// The address of the API, checked alike wherever it is given.

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
