// A key service for stacks, with the two operations of HashiCorp Vault that Pulumi calls. Pulumi: deriving a key from a
// passphrase takes a tenth of a second of CPU time in every call of the CLI; the states are encrypted alike.

import { createServer } from "node:http";
import { json } from "node:stream/consumers";
import { listen } from "../scriptedServer";

/** The value for `--secrets-provider`. */
export const KEY_URL = "hashivault://tests";

let service: Promise<Readonly<Record<string, string>>> | undefined;

/** The environment of a CLI that uses it: one for all worlds of this process, closed with the process. */
export function keyServiceEnvironment(): Promise<Readonly<Record<string, string>>> {
  return (service ??= startKeyService());
}

async function startKeyService(): Promise<Readonly<Record<string, string>>> {
  const kept: string[] = [];
  const server = createServer((request, response) => {
    void (async () => {
      const asked = (await json(request)) as { plaintext?: string; ciphertext?: string };
      const { plaintext, ciphertext } = asked;
      const data =
        plaintext === undefined
          ? { plaintext: kept[Number(ciphertext?.split(":").at(-1))] }
          : { ciphertext: `vault:v1:${kept.push(plaintext) - 1}` };
      response.setHeader("content-type", "application/json");
      response.end(JSON.stringify({ data }));
    })();
  });
  server.unref();
  return { VAULT_SERVER_URL: `http://127.0.0.1:${await listen(server)}`, VAULT_SERVER_TOKEN: "of-the-tests" };
}
