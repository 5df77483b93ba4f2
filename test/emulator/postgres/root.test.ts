// An emulator that root runs: what the account of its servers, and any other account, can make root do or show.

import { execFileSync } from "node:child_process";
import { chmodSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync } from "node:fs";
import path from "node:path";
import { beforeEach, expect, onTestFinished, test, vi } from "vitest";
import { serverAccount } from "../../../emulator/databases/install/account";
import { packageFiles } from "../../../emulator/databases/install/platformPackage";
import { openRunFolder } from "../../../emulator/databases/install/runFolder";
import { temporaryFolder, writeFiles } from "../../support/folder";
import { openDatabases, query } from "./support";

beforeEach(({ skip }) => {
  skip(process.getuid?.() !== 0, "this user is not root");
});

const other = { uid: 1, gid: 1 };

/** Whether the commands work as that account; its text. */
function as(owner: { uid: number; gid: number }, script: string, ...words: string[]): string {
  try {
    const options = { ...owner, cwd: "/", encoding: "utf8", stdio: "pipe" } as const;
    return execFileSync("sh", ["-euc", script, "sh", ...words], options);
  } catch {
    return "refused";
  }
}

const asServers = (script: string, ...words: string[]): string => as(serverAccount().owner ?? other, script, ...words);

/** A folder that only root can enter, and what is in it. */
function rootOnly() {
  const folder = temporaryFolder();
  const file = path.join(folder, "secret");
  writeFiles(folder, { secret: "secret" }, 0o600);
  writeFiles(folder, { "below/kept": "kept" });
  const seen = (): unknown => {
    const [own, above] = [statSync(file), statSync(folder)];
    const names = readdirSync(folder, { recursive: true });
    return [readFileSync(file, "utf8"), own.uid, own.gid, own.mode, own.ino, above.uid, above.mode, names];
  };
  return { folder, file, seen };
}

test("links that the servers' account makes in its folders lead root nowhere", async () => {
  const { emulator, create, ask, call, change } = await openDatabases();
  const root = path.dirname(emulator.caFile ?? "");
  const { folder, file, seen } = rootOnly();
  const before = seen();
  const { path: service, url } = await create();
  const [name = ""] = readdirSync(path.join(root, "sockets"));
  const data = path.join(root, "servers", name);

  const names = "postgresql.conf postgresql.auto.conf pg_hba.conf standby.signal recovery.signal made-by-emulator";
  const link = `for name in ${names}; do rm -f "$1/$name"; ln -s "$2" "$1/$name"; done`;
  expect(asServers(link, data, file)).toBe("");
  await change(service, "stop");
  expect(seen()).toEqual(before);
  expect(asServers('rm -rf "$1"; ln -s "$2" "$1"', path.join(root, "sockets", name), folder)).toBe("");
  await ask(202, "POST", `${service}/start`);
  await expect
    .poll(async () => (await ask(200, "GET", service))["status"], { timeout: 30_000 })
    .toMatch(/READY|UNSTABLE/);
  expect(seen()).toEqual(before);

  expect(asServers('rm "$1"; ln -s "$2" "$1"', path.join(root, "sockets", name), path.join(folder, "below"))).toBe("");
  expect(asServers('mv "$1" "$1-moved"; ln -s "$2" "$1"', data, folder)).toBe("");
  expect((await call("POST", `${service}/forkService`, { fork_strategy: "NOW" })).status).toBeLessThan(500);
  expect((await call("DELETE", service)).status).toBe(202);
  await emulator.close();
  expect(seen()).toEqual(before);
  expect(url).not.toBe("");
});

test("the servers' account cannot change their settings; another account sees neither data, sockets nor the key", async () => {
  const { emulator, create } = await openDatabases();
  const root = path.dirname(emulator.caFile ?? "");
  const { url } = await create();
  const [name = ""] = readdirSync(path.join(root, "sockets"));
  const settings = path.join(root, "settings");
  expect(readdirSync(settings).toSorted()).toEqual([`${name}.conf`, "pg_hba.conf", "pg_ident.conf"].toSorted());
  for (const file of [`${name}.conf`, "pg_hba.conf", "pg_ident.conf"]) {
    expect(asServers('echo "# changed" >> "$1"', path.join(settings, file))).toBe("refused");
    expect(asServers('rm -f "$1"', path.join(settings, file))).toBe("refused");
  }
  expect(readFileSync(path.join(settings, "pg_hba.conf"), "utf8")).not.toContain("trust");
  for (const place of ["servers", "sockets"]) expect(as(other, 'ls "$1"', path.join(root, place))).toBe("refused");
  for (const place of ["server.key", "processes"])
    expect(as(other, 'cat "$1"', path.join(root, place))).toBe("refused");
  expect(await query(emulator, url, "SELECT 1")).toEqual([["1"]]);
});

test("a data folder that another account can change is refused", async () => {
  const folder = temporaryFolder();
  chmodSync(folder, 0o777);
  await expect(openDatabases({ data: path.join(folder, "world") })).rejects.toThrow(
    `${folder} belongs to another account or can be changed by all`,
  );
});

test("the folder of a run is not made where another account can replace it", async () => {
  const { folder } = rootOnly();
  chmodSync(folder, 0o777);
  vi.stubEnv("TMPDIR", folder);
  const run = openRunFolder(serverAccount());
  onTestFinished(() => run.close());
  expect(path.dirname(run.root)).toBe("/tmp");
});

test("a link among the programs of a package is not followed into the copy that all can read", () => {
  const { folder, file } = rootOnly();
  const native = path.join(folder, "native");
  writeFiles(folder, { "native/bin/postgres": "", "native/pg-symlinks.json": "[]" });
  writeFiles(folder, { "package.json": `{ "version": "0.0.0-test" }` });
  symlinkSync(file, path.join(native, "bin", "link"));
  const copy = path.dirname(packageFiles(serverAccount(), folder).bin);
  onTestFinished(() => rmSync(copy, { recursive: true }));
  expect(copy).not.toBe(native);
  expect(readdirSync(path.join(copy, "bin"))).toEqual(["postgres"]);
});
