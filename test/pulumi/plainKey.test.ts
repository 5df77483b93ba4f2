// A plain-text key in the stack's configuration is said, and an encrypted one is not.

import * as pulumi from "@pulumi/pulumi";
import { afterEach, beforeEach, expect, test, vi } from "vitest";

// It looks once a program, and a file before this one may have been one.
beforeEach(() => vi.resetModules());

afterEach(() => pulumi.runtime.setAllConfig({}));

async function warningsWith(config: Record<string, string>, secretKeys: string[]): Promise<string[]> {
  pulumi.runtime.setAllConfig(config, secretKeys);
  const warn = vi.spyOn(pulumi.log, "warn").mockResolvedValue();
  const { warnOfPlainKey } = await import("../../provider/pulumi/plainKey.js");
  warnOfPlainKey();
  warnOfPlainKey();
  return warn.mock.calls.map(([text]) => text);
}

test("a key in plain text causes one warning that names the command to fix it, without the key", async () => {
  const said = await warningsWith({ "dbcloud:apiKey": "plain-key" }, []);
  expect(said).toHaveLength(1);
  expect(said[0]).toContain("pulumi config set --secret dbcloud:apiKey");
  expect(said[0]).not.toContain("plain-key");
});

test.each([
  ["an encrypted one", { "dbcloud:apiKey": "k" }, ["dbcloud:apiKey"]],
  ["none", {}, []],
])("%s earns none", async (_case, config, secretKeys) => {
  expect(await warningsWith(config, secretKeys)).toEqual([]);
});
