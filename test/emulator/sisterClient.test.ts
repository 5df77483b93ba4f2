// The command line of the published sibling of this API, against the profile `public` and real databases. Its program is
// what DBCLOUD_SISTER_CLI names; CONTRIBUTING says how it is built.

import { execFile } from "node:child_process";
import { expect, test } from "vitest";
import { temporaryFolder } from "../support/folder";
import { openDatabases } from "./postgres/support";

const program = process.env["DBCLOUD_SISTER_CLI"];

interface Said {
  readonly code: number | string;
  readonly text: string;
}

async function openClient() {
  const { emulator } = await openDatabases({ profile: "public", apiKey: "secret-key" });
  const home = temporaryFolder();
  const usual = ["--config-dir", `${home}/config`, "--password-storage", "pgpass", "--skip-update-check"];
  const env = { ...process.env, HOME: home, TIGER_API_URL: emulator.baseUrl, PGSSLROOTCERT: emulator.caFile ?? "" };
  const call = (...words: string[]): Promise<Said> =>
    new Promise((resolve) => {
      execFile(program ?? "", [...words, ...usual, "--analytics=false"], { env }, (error, out, errors) =>
        resolve({ code: error?.code ?? 0, text: `${out}${errors}` }),
      );
    });
  /** It succeeds, and says something like this. */
  const ok = async (said: RegExp, ...words: string[]): Promise<string> => {
    const { code, text } = await call(...words);
    expect([words.join(" "), code, text]).toEqual([words.join(" "), 0, expect.stringMatching(said)]);
    return text;
  };
  const made = async (...words: string[]): Promise<string> => {
    const text = await ok(/service_id/, "service", ...words, "-o", "json");
    // The first one of a fork is its parent's.
    return [...text.matchAll(/"service_id": "(\w+)"/g)].at(-1)?.[1] ?? "";
  };
  return { call, ok, made, emulator };
}

test("it finds everything as it expects it", { timeout: 600_000 }, async ({ skip }) => {
  skip(program === undefined, "DBCLOUD_SISTER_CLI names no program");
  const { call, ok, made, emulator } = await openClient();
  await ok(/./, "config", "set", "api_url", emulator.baseUrl);
  await ok(/api_url/, "config", "show");
  await ok(/./, "version");
  await ok(/./, "auth", "login", "--public-key", "public", "--secret-key", "secret-key");
  await ok(/./, "auth", "status");
  for (const form of ["table", "json", "yaml"]) await ok(/No services/, "service", "list", "-o", form);

  const id = await made("create", "--name", "one", "--cpu", "500", "--memory", "2", "--with-password");
  for (const form of ["table", "json", "yaml"]) {
    await ok(/one/, "service", "get", id, "-o", form);
    await ok(/one/, "service", "list", "-o", form);
  }
  await ok(/postgresql:/, "db", "connection-string", id);
  await ok(/postgresql:.*:.*@/, "db", "connection-string", id, "--with-password");
  await ok(/./, "db", "test-connection", id);
  await ok(/ready to accept/, "service", "logs", id);
  await ok(/./, "service", "logs", id, "--tail", "5");
  await ok(/./, "service", "update-password", id, "--new-password", "a-new-password-1");
  await ok(/./, "db", "test-connection", id);
  await ok(/./, "service", "resize", id, "--cpu", "1000", "--memory", "4");
  await ok(/1 cores|1000|1\.0/, "service", "get", id);
  await ok(/./, "service", "stop", id);
  await ok(/PAUSED/, "service", "get", id, "-o", "json");
  await ok(/./, "service", "start", id);
  await ok(/READY/, "service", "get", id, "-o", "json");
  await ok(/./, "db", "test-connection", id);

  const fork = await made("fork", id, "--now", "--name", "two", "--with-password");
  await ok(/two/, "service", "get", fork);
  await ok(/./, "db", "test-connection", fork);
  await ok(/postgresql:.*:.*@/, "db", "connection-string", fork, "--with-password");
  await made("fork", id, "--last-snapshot", "--name", "three");
  await made("create", "--name", "four", "--addons", "time-series", "--no-wait");
  await made("create", "--name", "five", "--replicas", "1", "--cpu", "1000", "--memory", "4");
  await made("create", "--name", "six", "--addons", "none", "--cpu", "shared", "--memory", "shared");

  for (const words of ["get", "delete --confirm", "resize --cpu 1000 --memory 4", "stop", "logs"]) {
    const [verb = "", ...flags] = words.split(" ");
    const { code, text } = await call("service", verb, "nonexistent", ...flags);
    expect([words, code === 0, text]).toEqual([words, false, expect.stringMatching(/no service|not.?found/i)]);
  }
  await ok(/./, "db", "create", "role", id, "--name", "writer");
  // Only an extension of the vendor keeps such a role from writing: the emulator says no instead of pretending.
  const { code, text } = await call("db", "create", "role", id, "--name", "reader", "--read-only");
  expect([code, text]).toEqual([1, expect.stringContaining('permission denied to set parameter "tsdb_admin.')]);
  await ok(/./, "config", "set", "service_id", id);
  await ok(/one/, "service", "get");
  await ok(/./, "config", "unset", "service_id");
  for (const service of [fork, id]) await ok(/./, "service", "delete", service, "--confirm");
  await ok(/./, "auth", "logout");
  const refused = emulator
    .requests()
    .filter(({ status = 0, refusal = "" }) => status >= 500 || /body|route/.test(refusal));
  expect(refused).toEqual([]);
});
