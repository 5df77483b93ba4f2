// The destination of requests: checks the base URL, and finds the proxy on the way.

import { BlockList, isIP } from "node:net";
import { ADDRESS_ALLOWED, placeOf, problemOf } from "../../domain/config/address";
import type { ProcessEnvironment } from "../../domain/config/config";
import { waysToSet } from "../../domain/config/remedies";
import { ConfigError } from "../../domain/errors";

/** The base URL without a closing slash. Plain http is accepted for this machine alone, unless it is allowed explicitly. */
export function checkBaseUrl(baseUrl: string, allowInsecure: boolean): string {
  const problem = problemOf(baseUrl);
  if (problem !== undefined) {
    throw new ConfigError(
      "base-url-invalid",
      `the base URL is ${problem}; allowed: ${ADDRESS_ALLOWED}`,
      waysToSet("baseUrl"),
    );
  }
  const url = new URL(baseUrl);
  if (url.protocol === "http:" && !allowInsecure && !isLoopback(url)) {
    throw new ConfigError(
      "plain-http",
      `the base URL ${url.origin} uses plain http, so anybody on the network can read the API key`,
      "Use https. If the network is safe, set dbcloud:allowInsecure to true where the key is set, or in the environment as " +
        "DBCLOUD_ALLOW_INSECURE: for a key from the environment the stack's configuration cannot allow it.",
    );
  }
  return placeOf(baseUrl);
}

/** By address, or by the one name that means it everywhere: names below `localhost` are left to DNS on many machines. */
export function isLoopback(url: URL): boolean {
  const host = hostOf(url);
  if (isIP(host) === 4) return host.startsWith("127.");
  return host === "::1" || host === "localhost";
}

function hostOf(url: URL): string {
  return url.hostname.replace(/^\[(.*)\]$/, "$1").toLowerCase();
}

interface ProxyChoice {
  variable: "HTTPS_PROXY" | "HTTP_PROXY";
  /** The address of the proxy; may hold its credentials. */
  proxy: string;
  noProxy: string;
}

/** Undefined if no proxy applies. The lower-case variables win, as in other tools. */
export function chooseProxy(url: URL, environment: ProcessEnvironment): ProxyChoice | undefined {
  if (isLoopback(url)) return undefined;
  const read = (name: string): string => environment[name.toLowerCase()] || environment[name] || "";
  const variable = url.protocol === "https:" ? "HTTPS_PROXY" : "HTTP_PROXY";
  const proxy = read(variable);
  const noProxy = read("NO_PROXY");
  if (proxy === "" || noProxy.split(/[\s,]+/).some((entry) => isInNetwork(hostOf(url), entry))) return undefined;
  // As the programs of Pulumi read it: without a scheme it is http.
  return { variable, proxy: proxy.includes("://") ? proxy : `http://${proxy}`, noProxy };
}

/** undici knows no networks. As the programs of Pulumi read them: no name is looked up for it. */
function isInNetwork(host: string, entry: string): boolean {
  const [network = "", bits = ""] = entry.split("/");
  const family = isIP(host) === 4 ? "ipv4" : "ipv6";
  const list = new BlockList();
  try {
    list.addSubnet(network, Number.parseInt(bits, 10), family);
    return list.check(host, family);
  } catch {
    return false;
  }
}

/** For a message: `HTTPS_PROXY (proxy.example:3128)`, never with credentials. */
export function proxyName(url: URL, environment: ProcessEnvironment): string | undefined {
  const choice = chooseProxy(url, environment);
  if (choice === undefined) return undefined;
  return URL.canParse(choice.proxy) ? `${choice.variable} (${new URL(choice.proxy).host})` : choice.variable;
}
