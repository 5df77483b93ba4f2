// Where a command that runs no program may send the API key. Who runs a program of a repository trusts its code; a
// command that only reads its configuration must not send the key where that configuration says.

import { mayDecide, type Settings } from "./config";
import { ConfigError } from "../errors";

/** Hosts (with the port where it is not the usual one) that a key from the environment may go to, separated by commas. */
export const ALLOWED_HOSTS = "DBCLOUD_ALLOWED_HOSTS";

/** Throws a ConfigError where the address comes from a place that is trusted less than the one the key comes from. */
export function checkKeyRoute({ config, origins }: Settings, allowedHosts: string | undefined): void {
  const { apiKey: key, baseUrl: address } = origins;
  if (key === undefined || address === undefined || config.baseUrl === undefined) return;
  if (mayDecide(address, key)) return;
  const { host } = new URL(config.baseUrl);
  if (hostsOf(allowedHosts).includes(host.toLowerCase())) return;
  throw new ConfigError(
    `the API key of the environment is not sent to ${config.baseUrl}, because that address comes from the stack's configuration`,
    `If it is your control plane, set DBCLOUD_BASE_URL=${config.baseUrl} or give --base-url, or allow its host for good: ${ALLOWED_HOSTS}=${host}.`,
  );
}

function hostsOf(text = ""): string[] {
  return text.split(",").flatMap((word) => word.trim().toLowerCase() || []);
}
