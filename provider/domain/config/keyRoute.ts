// Decides where a command that runs no program may send the API key. A user who runs the program of a repository trusts its
// code. A command that only reads the repository's configuration must not send the key to the address that it names.

import { mayDecide, type Settings } from "./config";
import { ConfigError } from "../errors";
import { oneLine, shellWord } from "../values/printable";

/** Hosts that a key from the environment may be sent to, with the port if it is not the default, separated by commas. */
export const ALLOWED_HOSTS = "DBCLOUD_ALLOWED_HOSTS";

/** Throws a ConfigError if the source of the address is less trusted than the source of the key. */
export function checkKeyRoute({ config, origins }: Settings, allowedHosts: string | undefined): void {
  const { apiKey: key, baseUrl: address } = origins;
  if (key === undefined || address === undefined || config.baseUrl === undefined) return;
  if (mayDecide(address, key)) return;
  const { host } = new URL(config.baseUrl);
  if (hostsOf(allowedHosts).includes(host.toLowerCase())) return;
  throw new ConfigError(
    "address-not-confirmed",
    `the API key of the environment is not sent to ${oneLine(config.baseUrl)}, because that address comes from the stack's configuration`,
    `If it is your control plane, set DBCLOUD_BASE_URL=${shellWord(config.baseUrl)} or give --base-url, or allow its host for good: ${ALLOWED_HOSTS}=${shellWord(host)}.`,
  );
}

function hostsOf(text = ""): string[] {
  return text.split(",").flatMap((word) => word.trim().toLowerCase() || []);
}
