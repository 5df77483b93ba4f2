// The installed command `pulumi-dbcloud emulator` as a process of its own: killed with -9, without a reader, in a container,
// and under an account that this machine has no name for.

import { spawnSync } from "node:child_process";
import { once } from "node:events";
import { chownSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { isReachableByAll } from "../../emulator/databases/install/account";
import { httpClientFor } from "../emulator/support/httpClient";
import { until } from "../support/cliProcess";
import { temporaryFolder } from "../support/folder";
import { createRandom } from "../support/random";
import { repeats } from "../support/repeats";
import { killed, main, servicesOf, startCommand } from "./emulatorProcess";

const lives = repeats(6, 20);
const writesPerLife = 10;

const startWith = (data: string) => startCommand(["--data", data, "--quick", "--quiet", "--postgres", "off"]);

test(`${lives * writesPerLife} writes, killed at ${lives} random moments: whatever was answered is there`, async () => {
  const data = path.join(temporaryFolder(), "world");
  const random = createRandom(20);
  const answered = new Map<string, unknown>();
  const asked = new Set<string>();
  for (let life = 0; life < lives; life += 1) {
    const running = await startWith(data);
    const { ask } = httpClientFor(running);
    const last = answered.size + random.below(writesPerLife);
    // So many are answered at least; the kill meets the others wherever they are just then.
    const writes = Array.from({ length: writesPerLife }, async (_, index) => {
      const name = `s-${life}-${index}`;
      asked.add(name);
      const made = await ask(202, "POST", servicesOf(running), { name }).catch(() => undefined);
      if (made !== undefined) answered.set(name, made["service_id"]);
    });
    await until(() => answered.size >= last);
    await killed(running);
    await Promise.all(writes);
  }
  const running = await startWith(data);
  const list = await httpClientFor(running).askList(servicesOf(running));
  running.child.kill("SIGTERM");
  expect(await once(running.child, "exit")).toEqual([0, null]);
  const found = new Map(list.map(({ name, service_id: id }) => [String(name), id]));
  expect([...answered].filter(([name, id]) => found.get(name) !== id)).toEqual([]);
  // No write is there twice, and none that nobody asked for.
  expect(found.size).toBe(list.length);
  expect([...found.keys()].filter((name) => !asked.has(name))).toEqual([]);
  expect(asked.size).toBe(lives * writesPerLife);
  // The moments were not all before or all after the writes.
  expect(answered.size).toBeGreaterThan(lives);
  expect(answered.size).toBeLessThan(asked.size);
});

test("a reader that goes away after the first lines does not end the server", async () => {
  const { child, baseUrl } = await startCommand([]);
  child.stdout.destroy();
  // Each refusal prints a line into the broken pipe.
  for (let index = 0; index < 20; index += 1) expect((await fetch(`${baseUrl}/projects`)).status).toBe(401);
  expect(child.exitCode).toBeNull();
  child.kill("SIGTERM");
  expect(await once(child, "exit")).toEqual([0, null]);
});

const apart = ["--pid", "--fork", "--mount-proc"];
const canBeApart = process.platform === "linux" && spawnSync("unshare", [...apart, "true"]).status === 0;

test.runIf(canBeApart)("an emulator that sees no others' processes, as in a container, leaves folders", async () => {
  const folder = temporaryFolder();
  const { child } = await startWith(folder);
  const other = spawnSync("unshare", [...apart, process.execPath, main, "emulator", "--port", "0", "--data", folder]);
  expect(other.stderr.toString()).toMatch(/is in use by an emulator/);
  expect(other.status).toBe(1);
  child.kill("SIGTERM");
  expect(await once(child, "exit")).toEqual([0, null]);
});

const uid = 12_345;
const canChange = process.getuid?.() === 0 && isReachableByAll(main) && isReachableByAll(process.execPath);

test.runIf(canChange).each([{ HOME: "/" }, {}])(
  "an account without a name, with %j: the command is ready at once, and says why there are no databases",
  async (env) => {
    const cwd = temporaryFolder();
    chownSync(cwd, uid, uid);
    const { said } = await startCommand([], { cwd, uid, gid: uid, env: { PATH: process.env["PATH"], ...env } });
    expect(said()).toMatch(/nothing listens \(PostgreSQL needs a name .* 12345 has none: add it to \/etc\/passwd/);
  },
);
