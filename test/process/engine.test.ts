// What the provider process tells the engine while it works, and that it ends when the engine is gone.

import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { temporaryFolder } from "../support/folder";
import { textLike, textWith } from "../support/matchers";
import { repeats } from "../support/repeats";
import { failureOf, startProvider, type Values } from "./provider";
import { lines, openScene, urnOf } from "./scene";

const urn = urnOf("service", "orders");

test("progress appears on the row of its resource and disappears with it, and all lines arrive before the call ends", async () => {
  // Long enough to be seen on a busy machine.
  const { engine, provider, checked } = await openScene({ emulator: { timings: { create: 2_000, delete: 400 } } });
  const inputs = await checked("service", "orders", { poolerEnabled: true, password: "not for rows" });
  const { id, outs } = await provider.create(inputs);
  const texts = engine.lines.map(({ text }) => text);
  expect(texts).toContain("createService: orders-dev");
  expect(texts).toContain("enablePooler: poolerEnabled false → true");
  expect(texts).toContainEqual(textLike(/^createService: CONFIGURING/));
  expect(texts.at(-1)).toMatch(/^updatePassword: /);
  expect(engine.lines).toEqual(texts.map((text) => ({ urn, text, severity: "info", isEphemeral: true })));

  // Of two entries the older one goes: its resource is registered as new.
  await checked("service", "orders");
  await provider.delete(id, outs);
  expect(engine.lines.at(-1)).toMatchObject({ urn, text: textLike(/^deleteService: gone/) });
  expect(JSON.stringify(engine.lines)).not.toContain("not for rows");
});

test("a short update shows no progress, and a preview shows its warning at once", async () => {
  const { emulator, engine, provider, checked } = await openScene();
  const inputs = await checked("service", "orders", { name: "quick" });
  const { id, outs } = await provider.create(inputs);
  engine.lines.length = 0;
  const renamed = await checked("service", "orders", { name: "quicker" }, inputs);
  const { outs: after } = await provider.update(id, outs, { ...renamed, onMissing: "error" });
  expect(emulator.state().services).toMatchObject([{ name: "quicker" }]);
  expect(engine.lines).toEqual([]);
  await provider.diff(id, { ...after, poolerEnabled: false, __inputs: "poolerEnabled" }, renamed);
  expect(engine.lines).toMatchObject([{ text: textLike(/no longer managed.*: poolerEnabled$/) }]);
});

test("log lines for a malformed URN are sent without it, because it would make the CLI panic", async () => {
  const { engine, provider, checked } = await openScene();
  const improper = ["not at all a URN", "04da6b54-80e4-46f7-96ec-b56ff0331ba9", "urn:pulumi:dev::shop", "", 42];
  for (const [index, given] of improper.entries()) {
    const haReplicas = { replicaCount: 1, syncReplicaCount: 1 };
    const args: Values = { __urn: given, name: `orders-${index}`, haReplicas };
    await provider.create(await checked("service", "orders", args));
  }
  expect(engine.lines.filter(({ severity }) => severity === "warning")).toHaveLength(improper.length);
  expect(new Set(engine.lines.map((said) => said.urn))).toEqual(new Set([""]));
});

test("after the engine's death a call that was sent is answered, nothing more is sent, and the process ends", async () => {
  const { emulator, engine, provider, checked } = await openScene();
  const inputs = await checked("service", "orders", { name: "begun", poolerEnabled: true });
  // The engine is killed between the create and the pooler.
  emulator.faults.add({ operation: "createService", kind: "delay", ms: 1_000 });
  const answered = provider.create(inputs).catch(() => "nobody is there to be answered");
  const exited = once(provider.process, "exit");
  await expect.poll(() => emulator.state().services, { timeout: 60_000 }).toHaveLength(1);
  engine.kill();
  await answered;
  expect(await exited).toEqual([0, null]);
  // The next run may have begun.
  expect(emulator.requests().at(-1)).toMatchObject({ operation: "createService" });
  expect(emulator.state().services).toMatchObject([{ name: "begun", poolerEnabled: false }]);
});

test("a signal ends the wait of a create, whose answer has the id, and then the process", async () => {
  const { emulator, provider, checked } = await openScene({ emulator: { timings: { create: 60_000 } } });
  const exited = once(provider.process, "exit");
  const failure = failureOf(
    provider.create(await checked("service", "orders", { name: "begun", poolerEnabled: true })),
  );
  await expect.poll(() => emulator.state().services, { timeout: 60_000 }).toHaveLength(1);
  const sinceMs = performance.now();
  provider.process.kill("SIGTERM");
  const { kept } = await failure;
  expect(performance.now() - sinceMs).toBeLessThan(5_000);
  expect(kept?.id).toBe(emulator.state().services[0]?.id);
  expect(kept?.reasons).toEqual([textWith("the command was canceled, so nothing more is sent")]);
  expect(await exited).toEqual([null, "SIGTERM"]);
});

test("a signal ends the process at once while no call of this provider is under way", async () => {
  const { provider, checked } = await openScene();
  await checked("service", "orders");
  const exited = once(provider.process, "exit");
  provider.process.kill("SIGINT");
  expect(await exited).toEqual([null, "SIGINT"]);
});

/** The provider of somebody else's dynamic resource in the same process. */
const otherProvider = (work: string): string => `exports.handler = () => ({
  create: async ({ file }) => {
    require("node:fs").appendFileSync(file, "begun,");
    ${work}
    require("node:fs").appendFileSync(file, "done");
    return { id: "other", outs: {} };
  },
});`;

const newFile = (): string => path.join(temporaryFolder(), "said");

const OTHER_WORK: [what: string, work: string][] = [
  ["a timer", "await new Promise((resolve) => setTimeout(resolve, 1_500));"],
  [
    "a digest in a thread",
    `await new Promise((resolve) => require("node:crypto").pbkdf2("password", "salt", 3_000_000, 64, "sha512", resolve));`,
  ],
  [
    "a program that it started",
    `await new Promise((resolve) =>
      require("node:child_process").execFile(process.execPath, ["-e", "setTimeout(() => {}, 1_500)"], resolve));`,
  ],
];

test.each(repeats(OTHER_WORK.slice(0, 1), OTHER_WORK))(
  "the process does not end before other work in it: %s",
  async (_, work) => {
    const { engine, provider, checked } = await openScene();
    const file = newFile();
    const said = (): string => (existsSync(file) ? readFileSync(file, "utf8") : "");
    const answered = provider.create({ __provider: otherProvider(work), file }).catch(() => "nobody is there");
    await expect.poll(said, { timeout: 60_000 }).toBe("begun,");
    await checked("service", "orders");
    const exited = once(provider.process, "exit");
    engine.kill();
    provider.hangUp();
    await answered;
    expect(await exited).toEqual([0, null]);
    expect(said()).toBe("begun,done");
  },
);

test("a server that another provider has opened in the process still answers after the engine is gone", async () => {
  const { engine, provider, checked } = await openScene();
  const file = newFile();
  const work = `
    const server = require("node:http").createServer((_, response) => server.close(response.end("still here")));
    await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
    require("node:fs").appendFileSync(file, server.address().port + ",");`;
  await provider.create({ __provider: otherProvider(work), file });
  await checked("service", "orders");
  const exited = once(provider.process, "exit");
  const alone = await startProvider({ engine });
  onTestFinished(() => alone.end());
  await alone.configure({});
  await alone.check({}, { __provider: lines.service, __urn: urn });
  const firstExited = once(alone.process, "exit");
  engine.kill();
  provider.hangUp();
  expect(await firstExited).toEqual([0, null]);
  const [, port] = readFileSync(file, "utf8").split(",");
  const answer = await fetch(`http://127.0.0.1:${port}`, { headers: { connection: "close" } });
  expect(await answer.text()).toBe("still here");
  expect(await exited).toEqual([0, null]);
});
