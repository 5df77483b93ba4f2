// Warns once per process when the API key is in plain text in the stack's configuration, with the command that encrypts it.

import * as pulumi from "@pulumi/pulumi";

let hasLooked = false;

export function warnOfPlainKey(): void {
  if (hasLooked) return;
  hasLooked = true;
  if (new pulumi.Config("dbcloud").get("apiKey") === undefined || isSecret("dbcloud:apiKey")) return;
  void pulumi.log.warn(
    "dbcloud:apiKey is in the stack's configuration in plain text. Encrypt it with `pulumi config set --secret dbcloud:apiKey …`, and revoke the old key.",
  );
}

// Pulumi: the runtime knows which keys are secret, and only its declarations hide that.
function isSecret(key: string): boolean {
  const ask: unknown = Reflect.get(pulumi.runtime, "isConfigSecret");
  return typeof ask === "function" ? Boolean(Reflect.apply(ask, pulumi.runtime, [key])) : true;
}
