// What the provider process tells the engine while it works, and that it ends when the engine is gone.

import { once } from "node:events";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, expect, onTestFinished, test } from "vitest";
import { createEmulator, type Emulator } from "../../emulator/index";
import { type Engine, startEngine } from "./engine";
import { failureOf, type Provider, startProvider, type Values } from "./provider";
import { listen } from "../support/scriptedServer";
import { textLike, textWith } from "../support/matchers";

const line = 'exports.handler = () => require("pulumi-dbcloud/provider").provider("service");';
const urn = "urn:pulumi:dev::shop::pulumi-nodejs:dynamic/dbcloud:Service::orders";

let emulator: Emulator;
let engine: Engine;
let provider: Provider;

afterEach(async () => {
  await provider.end();
  engine.kill();
  await emulator.close();
});

/** `undefined` takes a setting away. */
type Settings = Record<string, string | undefined>;

async function start(settings: Settings = {}, environment: Record<string, string> = {}): Promise<void> {
  // Long enough to be reported.
  emulator = await createEmulator({ seed: 1, timings: { create: 400, delete: 400 } });
  engine = await startEngine();
  provider = await startProvider({ engine, environment });
  const usual = { apiKey: emulator.apiKey, baseUrl: emulator.baseUrl, pollInterval: "5ms" };
  const given = Object.entries<string | undefined>({ ...usual, ...settings });
  await provider.configure(
    Object.fromEntries(given.flatMap(([key, value]) => (value === undefined ? [] : [[`dbcloud:${key}`, value]]))),
  );
}

async function checked(args: Values, olds: Values = {}): Promise<Values> {
  const { inputs, failures } = await provider.check(olds, { __provider: line, __defaultName: "orders-dev", ...args });
  expect(failures).toEqual([]);
  return inputs;
}

test("progress appears on the row of its resource and disappears with it, and all lines arrive before the call ends", async () => {
  await start();
  const inputs = await checked({ __urn: urn, poolerEnabled: true, password: "not for rows" });
  const { id, outs } = await provider.create(inputs);
  const texts = engine.lines.map(({ text }) => text);
  expect(texts).toContain("createService: orders-dev");
  expect(texts).toContain("enablePooler: poolerEnabled false → true");
  expect(texts.find((text) => text.startsWith("createService: CONFIGURING"))).toBeDefined();
  expect(texts.at(-1)).toMatch(/^updatePassword: /);
  expect(engine.lines).toEqual(texts.map((text) => ({ urn, text, severity: "info", isEphemeral: true })));

  // Of two entries the older one goes: its resource is registered as new.
  await checked({ __urn: urn });
  await provider.delete(id, outs);
  expect(engine.lines.at(-1)).toMatchObject({ urn, text: textLike(/^deleteService: gone/) });
  expect(JSON.stringify(engine.lines)).not.toContain("not for rows");
});

test("a short update shows no progress, and a preview shows its warning at once", async () => {
  await start();
  const inputs = await checked({ __urn: urn, name: "quick" });
  const { id, outs } = await provider.create(inputs);
  engine.lines.length = 0;
  const renamed = await checked({ __urn: urn, name: "quicker" }, inputs);
  const { outs: after } = await provider.update(id, outs, { ...renamed, onDelete: "stop" });
  expect(emulator.state().services).toMatchObject([{ name: "quicker" }]);
  expect(engine.lines).toEqual([]);

  // A preview has no second moment: whatever it has to say is said at once.
  await provider.diff(id, { ...after, poolerEnabled: false, __inputs: "poolerEnabled" }, renamed);
  expect(engine.lines.map(({ text }) => text)).toEqual([
    expect.stringMatching(/^service \w+ \(\w+\): no longer managed, left as is: poolerEnabled$/),
  ]);
});

test("a missing key is one warning in a preview, and in an up an error that says where to set it", async () => {
  await start({ apiKey: undefined });
  const inputs = await checked({ __urn: urn });
  await checked({ __urn: urn, name: "another" });
  expect(engine.lines).toEqual([{ urn, severity: "warning", isEphemeral: false, text: textWith("DBCLOUD_API_KEY") }]);
  const { message } = await failureOf(provider.create(inputs));
  expect(message).toContain("dbcloud:apiKey is not set");
  expect(message).toContain("pulumi config set --secret dbcloud:apiKey");
  expect(provider.stderr()).toBe("");
});

test("a missing address is an error in an up, and none in a preview", async () => {
  await start({ baseUrl: undefined });
  const { message } = await failureOf(provider.create(await checked({ __urn: urn })));
  expect(message).toMatch(/^dbcloud:baseUrl is not set\nSet DBCLOUD_BASE_URL in the environment/);
});

test("a malformed setting is an error in a preview, without a warning about the key", async () => {
  await start({ pollInterval: "soon", apiKey: undefined });
  const { failures } = await provider.check({}, { __provider: line, __defaultName: "orders-dev", __urn: urn });
  expect(failures).toEqual([
    {
      property: "",
      reason: textWith('configuration dbcloud:pollInterval: given "soon"; allowed: '),
    },
  ]);
  expect(engine.lines).toEqual([]);
});

test("log lines for a malformed URN are sent without it, because it would make the CLI panic", async () => {
  await start();
  const improper = [
    "not at all a URN",
    "04da6b54-80e4-46f7-96ec-b56ff0331ba9",
    "urn:pulumi:dev::shop",
    "",
    undefined,
    42,
  ];
  for (const [index, given] of improper.entries()) {
    const hidden = given === undefined ? {} : { __urn: given };
    const inputs = await checked({ ...hidden, name: `orders-${index}`, cpuMillis: 500, memoryGbs: 3 });
    await provider.create(inputs);
  }
  expect(engine.lines.filter(({ severity }) => severity === "warning")).toHaveLength(improper.length);
  expect(new Set(engine.lines.map((said) => said.urn))).toEqual(new Set([""]));
});

test("the process ends when the engine is gone", async () => {
  await start();
  await checked({ __urn: urn });
  const exited = once(provider.process, "exit");
  engine.kill();
  expect(await exited).toEqual([0, null]);
});

test("before it ends, a call that was sent is answered; nothing more is sent, because the next run may have begun", async () => {
  await start();
  const inputs = await checked({ __urn: urn, name: "begun", poolerEnabled: true });
  // The engine is killed between the create and the pooler.
  emulator.faults.add({ operation: "createService", kind: "delay", ms: 300 });
  const answered = provider.create(inputs).catch(() => "nobody is there to be answered");
  const exited = once(provider.process, "exit");
  await expect.poll(() => emulator.state().services).toHaveLength(1);
  engine.kill();
  await answered;
  expect(await exited).toEqual([0, null]);
  expect(emulator.requests().at(-1)).toMatchObject({ operation: "createService" });
  expect(emulator.state().services).toMatchObject([{ name: "begun", poolerEnabled: false }]);
});

/** Somebody else's dynamic resource in the same process: its create takes a while, by what Node does in the background. */
const others: [string, string][] = [
  ["a timer", "await new Promise((resolve) => setTimeout(resolve, 1_500));"],
  ["an answer over the network", "await (await fetch(process.env.SLOW_ADDRESS)).text();"],
  [
    "a digest in a thread",
    `
    const { pbkdf2 } = require("node:crypto");
    await new Promise((resolve) => pbkdf2("password", "salt", 3_000_000, 64, "sha512", resolve));`,
  ],
  [
    "a program it started",
    `
    const { execFile } = require("node:child_process");
    await new Promise((resolve) => execFile(process.execPath, ["-e", "setTimeout(() => {}, 1_500)"], resolve));`,
  ],
];

const otherProvider = (work: string): string => `exports.handler = () => ({
  create: async ({ file }) => {
    require("node:fs").appendFileSync(file, "begun,");
    ${work}
    require("node:fs").appendFileSync(file, "done");
    return { id: "other", outs: {} };
  },
});`;

test.each(others)("it does not end before other work in it is finished: %s", async (_, work) => {
  const slow = createServer((_request, response) => void setTimeout(() => response.end("late"), 1_500));
  const address = `http://127.0.0.1:${await listen(slow)}`;
  onTestFinished(() => void slow.close());
  await start({}, { SLOW_ADDRESS: address });
  const file = path.join(mkdtempSync(path.join(tmpdir(), "dbcloud-others-")), "said");
  onTestFinished(() => rmSync(path.dirname(file), { recursive: true, force: true }));
  const said = (): string => (existsSync(file) ? readFileSync(file, "utf8") : "");
  const answered = provider.create({ __provider: otherProvider(work), file }).catch(() => "nobody is there");
  await expect.poll(said).toBe("begun,");
  await checked({ __urn: urn });
  const exited = once(provider.process, "exit");
  engine.kill();
  provider.hangUp();
  await answered;
  expect(await exited).toEqual([0, null]);
  expect(said()).toBe("begun,done");
});

test("a server that another provider has opened in the process still answers after the engine is gone", async () => {
  await start();
  const file = path.join(mkdtempSync(path.join(tmpdir(), "dbcloud-others-")), "said");
  onTestFinished(() => rmSync(path.dirname(file), { recursive: true, force: true }));
  const work = `
    const server = require("node:http").createServer((_, response) => server.close(response.end("still here")));
    await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
    require("node:fs").appendFileSync(file, server.address().port + ",");`;
  await provider.create({ __provider: otherProvider(work), file });
  await checked({ __urn: urn });
  const exited = once(provider.process, "exit");
  const alone = await startProvider({ engine });
  onTestFinished(() => alone.end());
  await alone.configure({});
  await alone.check({}, { __provider: line, __urn: urn });
  const firstExited = once(alone.process, "exit");
  engine.kill();
  provider.hangUp();
  expect(await firstExited).toEqual([0, null]);
  const [, port] = readFileSync(file, "utf8").split(",");
  const answer = await fetch(`http://127.0.0.1:${port}`, { headers: { connection: "close" } });
  expect(await answer.text()).toBe("still here");
  expect(await exited).toEqual([0, null]);
});
