// The set-up installs no PostgreSQL where the emulator would use the machine's own.

import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { hasOwnPostgres } from "../../scripts/setup/postgres.mjs";

const root = path.join(__dirname, "..", "..");
let folder: string;

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), "dbcloud-own-postgres-"));
  // Where root runs the test, another account runs the servers.
  chmodSync(folder, 0o755);
});

afterEach(() => rmSync(folder, { recursive: true }));

function install(said: string): void {
  for (const program of ["postgres", "initdb"]) {
    writeFileSync(path.join(folder, program), `#!/bin/sh\necho "${said}"\n`, { mode: 0o755 });
  }
}

const found = () => hasOwnPostgres({ root, env: { ...process.env, PATH: folder }, node: process.execPath });

test("PostgreSQL on PATH that the emulator uses", async () => {
  install("postgres (PostgreSQL) 17.2");
  expect(await found()).toBe(true);
});

test("a missing build changes nothing", async () => {
  install("postgres (PostgreSQL) 17.2");
  const place = { root: folder, env: { ...process.env, PATH: folder }, node: process.execPath };
  expect(await hasOwnPostgres(place)).toBe(false);
});
