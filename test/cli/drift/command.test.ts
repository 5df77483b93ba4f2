// The command `drift`: which states it reads, what is nobody's, what it cannot tell, its forms and its exit codes.

import { chmodSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { Kept } from "../../support/world";
import { startScriptedServer } from "../../support/scriptedServer";
import { textWith } from "../../support/matchers";
import { exported, type Held, openScene, type Scene } from "./scene";

const sizes = { cpuMillis: 500, memoryGbs: 2 };
let scene: Scene;
let orders: Kept;
let file: string;

beforeEach(async () => {
  scene = await openScene({
    projects: [
      { id: "proj000001", name: "first" },
      { id: "proj000002", name: "second" },
    ],
    callers: [
      { token: "key-that-may-only-read", kind: "pat", readOnly: true },
      { token: "key-of-another-project", kind: "pat", projectId: "proj000002" },
    ],
  });
  orders = await scene.service.create({ name: "orders", ...sizes });
  file = scene.stack("dev", { orders: ["Service", orders] });
});

afterEach(() => scene.close());

const drifted = (): unknown => scene.emulator.mutate.service(orders.id, { cpuMillis: 1_000 });

describe("objects that no stack manages", () => {
  test("are named with age, size and VPC; what is in them is counted; patterns leave out what is others'", async () => {
    const { mutate } = scene.emulator;
    const vpcId = mutate.createVpc({ name: "theirs", cidr: "10.9.0.0/24" }).id;
    mutate.createPeering(vpcId, {});
    const legacy = mutate.createService({ name: "legacy", cpuMillis: 2_000, memoryGbs: 8, vpcId, environment: "PROD" });
    mutate.createReplicaSet(legacy.id, { name: "legacy-readers" });
    mutate.createReplicaSet(orders.id, { name: "by-hand" });
    mutate.createService({ name: "leaving", status: "DELETING" });
    const { code, found, report } = await scene.drift([file]);
    expect(found).toEqual(["unmanaged Vpc theirs", "unmanaged Service legacy", "unmanaged ReadReplicaSet by-hand"]);
    expect(report.findings[1]).toMatchObject({
      id: legacy.id,
      projectId: "proj000001",
      ageMs: expect.any(Number) as unknown,
      cpuMillis: 2_000,
      memoryGbs: 8,
      vpcId,
      environment: "PROD",
      readReplicaSets: 1,
    });
    expect(report.findings[2]).toMatchObject({ parentId: orders.id });
    expect(code).toBe(2);
    const table = await scene.run(["drift", "--state", file]);
    expect(table.out).toContain(`Service legacy (${legacy.id})`);
    const ignored = await scene.drift([file], ["--ignore", "leg*", "--ignore", "by-han?", "--ignore", vpcId]);
    expect([ignored.code, ignored.found]).toEqual([0, []]);
    const dots = await scene.drift([file], ["--ignore", "the.rs", "--ignore", "egacy"]);
    expect(dots.found).toHaveLength(3);
  });

  test("a peering in a managed VPC is one; a managed VPC of another stack is none", async () => {
    const main = await scene.vpc.create({ name: "main", cidr: "10.1.0.0/24", regionCode: "us-east-1" });
    scene.emulator.mutate.createPeering(main.id, { peerVpcId: "vpc-0theirs" });
    expect((await scene.drift([file])).found).toEqual(["unmanaged Vpc main"]);
    const network = scene.stack("network", { main: ["Vpc", main] });
    expect((await scene.drift([file, network])).found).toEqual(["unmanaged Peering vpc-0theirs"]);
  });

  test("what a stack only reads is not managed by it", async () => {
    const reading = scene.stack("reading", { orders: ["Service", orders, { external: true }] });
    expect((await scene.drift([reading])).found).toEqual(["unmanaged Service orders"]);
    expect((await scene.drift([reading, file])).found).toEqual([]);
  });
});

test("an object that two stacks hold, or two resources of one", async () => {
  const other = scene.stack("other", { mine: ["Service", orders], twin: ["Service", orders] });
  const { code, found, report } = await scene.drift([file, other]);
  expect(found).toEqual([`shared ${orders.id}`]);
  expect(report.findings[0]).toMatchObject({
    holders: [
      { stack: "shop/dev", name: "orders" },
      { stack: "shop/other", name: "mine" },
      { stack: "shop/other", name: "twin" },
    ],
  });
  expect(code).toBe(2);
});

describe("what cannot be read is never no drift", () => {
  test.each([
    ["a key that is not accepted", { DBCLOUD_API_KEY: "another-key-0123456789" }, /401/],
    ["a key of another project", { DBCLOUD_API_KEY: "key-of-another-project" }, /403/],
    ["a dead port", { DBCLOUD_BASE_URL: "http://127.0.0.1:9/v1" }, /connection refused|ECONNREFUSED/i],
  ])("%s", async (_, environment, why) => {
    const { code, out, report } = await scene.drift([file], [], environment);
    expect(code).toBe(1);
    expect(report.outcome).toBe("unknown");
    expect(out).toMatch(why);
    const table = await scene.run(["drift", "--state", file, "--fail-on", "none"], { environment });
    expect(table.code).toBe(1);
    expect(table.out).toMatch(why);
    expect(table.out).toContain("This report is not complete");
    expect(table.out).not.toContain("No drift");
  });

  test("a page of HTML", async () => {
    const server = await startScriptedServer({
      text: "<html>Sign in</html>",
      headers: { "content-type": "text/html" },
    });
    const { code, out } = await scene.drift([file], [], { DBCLOUD_BASE_URL: server.baseUrl });
    await server.close();
    expect(code).toBe(1);
    expect(out).toContain("HTML page");
    expect(out).not.toContain("Sign in");
  });

  test("a list that is readable in half: what is in it, and what may be it", async () => {
    drifted();
    const lost = await scene.service.create({ name: "lost" });
    const both = scene.stack("both", { orders: ["Service", orders], lost: ["Service", lost] });
    scene.emulator.mutate.service(lost.id, { wire: { status: 7 } });
    const { code, found, out, report } = await scene.drift([both]);
    expect(found.toSorted()).toEqual(["changed orders.cpuMillis", "unknown", "unknown lost"]);
    expect(code).toBe(1);
    expect(report.outcome).toBe("unknown");
    expect(out).toContain(`(${lost.id}): status`);
  });

  test("one service whose GET fails does not hide the rest", async () => {
    drifted();
    const gone = await scene.service.create({ name: "gone" });
    scene.emulator.mutate.deleteService(gone.id);
    scene.emulator.faults.add({ operation: "getService", kind: "status", status: 500, times: Infinity });
    const both = scene.stack("both", { orders: ["Service", orders], gone: ["Service", gone] });
    const { code, found } = await scene.drift([both]);
    expect([code, found]).toEqual([1, ["unknown gone", "changed orders.cpuMillis"]]);
  });

  test("a state that is none, or none at all", async () => {
    writeFileSync(path.join(scene.folder, "page.json"), "<html>");
    const page = await scene.drift(["page.json"]);
    expect([page.code, page.out]).toEqual([1, ""]);
    expect(page.error).toContain("page.json gave no state");
    const nothing = await scene.drift(["nowhere.json"]);
    expect(nothing.code).toBe(1);
    expect(nothing.error).toContain("nowhere.json cannot be read");
  });
});

test("a key that may only read is enough, and nothing but GET is sent", async () => {
  drifted();
  const { code, found, requests } = await scene.drift([file], [], { DBCLOUD_API_KEY: "key-that-may-only-read" });
  expect([code, found]).toEqual([2, ["changed orders.cpuMillis"]]);
  expect(requests.every((request) => request.startsWith("GET "))).toBe(true);
});

test("40 objects of three stacks, with 12 differences of every kind: six requests", async () => {
  const main = await scene.vpc.create({ name: "main", cidr: "10.1.0.0/24", regionCode: "us-east-1" });
  const peer = { vpcId: main.id, peerAccountId: "123456789012", peerRegionCode: "us-east-1" };
  const network: Record<string, Held> = { main: ["Vpc", main] };
  for (const name of ["a", "b"])
    network[name] = ["Peering", await scene.peering.create({ ...peer, peerVpcId: `vpc-${name}` })];
  const services: Kept[] = [];
  for (let n = 0; n < 30; n += 1) services.push(await scene.service.create({ name: `s${n}`, ...sizes }));
  const sets: Kept[] = [];
  for (const { id } of services.slice(0, 6))
    sets.push(await scene.readReplicaSet.create({ serviceId: id, name: "r", nodes: 1, ...sizes }));
  const held = (kind: "Service" | "ReadReplicaSet", some: readonly Kept[]): Record<string, Held> =>
    Object.fromEntries(some.map((kept, index) => [`${kind}${index}`, [kind, kept]]));
  const files = [
    scene.stack("network", network),
    scene.stack("one", { orders: ["Service", orders], ...held("Service", services.slice(0, 15)) }),
    scene.stack("two", { ...held("Service", services.slice(15)), ...held("ReadReplicaSet", sets) }),
  ];
  const { mutate } = scene.emulator;
  mutate.vpc(main.id, { name: "by-hand" });
  mutate.deleteService(services[29]?.id ?? "");
  for (const { id } of services.slice(0, 8)) mutate.service(id, { cpuMillis: 1_000 });
  mutate.createService({ name: "legacy" });
  mutate.createService({ name: "older" });
  const { found, report, requests } = await scene.drift(files);
  expect(report.stacks.reduce((sum, { resources }) => sum + resources, 0)).toBe(40);
  expect(found).toHaveLength(12);
  expect(requests.length).toBeLessThanOrEqual(6);
});

describe("--project", () => {
  test("looks at that project alone; without it, every project of the stacks counts", async () => {
    const elsewhere = await scene.service.create({ name: "elsewhere", projectId: "proj000001" });
    const both = scene.stack("both", { orders: ["Service", orders], elsewhere: ["Service", elsewhere] });
    const none = await scene.drift([both], ["--project", "proj000002"], { DBCLOUD_API_KEY: "key-of-another-project" });
    expect([none.code, none.report.projects, none.report.stacks[0]?.resources]).toEqual([0, ["proj000002"], 0]);
    const all = await scene.drift([both]);
    expect([all.code, all.report.projects]).toEqual([0, ["proj000001"]]);
  });
});

describe("forms", () => {
  test("a table with colours on a terminal alone; Markdown in which no name is more than text", async () => {
    drifted();
    scene.emulator.mutate.createService({ name: "a|b <i>@all</i> `x`\u001b[31m" });
    const plain = await scene.run(["drift", "--state", file]);
    expect(plain.code).toBe(2);
    expect(plain.out).toContain("shop/dev  orders (Service");
    expect(plain.out).toMatch(/cpuMillis +500 +1000 +repairs it: resize; resize restarts the service/);
    expect(plain.out).not.toContain("\u001b");
    const terminal = await scene.run(["drift", "--state", file], { isTerminal: true });
    expect(terminal.out).toContain("\n\u001b[33mChanged outside Pulumi\u001b[0m\n");
    expect(terminal.out).not.toContain("b <i>@all</i> `x`\u001b");
    const bare = await scene.run(["drift", "--state", file], { isTerminal: true, environment: { NO_COLOR: "1" } });
    expect(bare.out).not.toContain("\u001b");
    const markdown = await scene.run(["drift", "--state", file, "--markdown"]);
    expect(markdown.out).toContain("| shop/dev | orders (Service");
    expect(markdown.out).toContain(String.raw`a\|b &lt;i&gt;&#64;all&lt;/i&gt; \`x\``);
  });

  test("the same findings in all three", async () => {
    drifted();
    scene.emulator.mutate.createService({ name: "legacy" });
    const { report } = await scene.drift([file]);
    const table = await scene.run(["drift", "--state", file]);
    const markdown = await scene.run(["drift", "--state", file, "--markdown"]);
    for (const word of ["orders", "cpuMillis", "legacy"]) {
      for (const text of [JSON.stringify(report), table.out, markdown.out]) expect(text).toContain(word);
    }
    expect(report.counts).toMatchObject({ changed: 1, unmanaged: 1, missing: 0 });
  });

  test("--fail-on chooses what counts", async () => {
    drifted();
    expect((await scene.drift([file], ["--fail-on", "unmanaged,missing"])).code).toBe(0);
    expect((await scene.drift([file], ["--fail-on", "unmanaged,changed"])).code).toBe(2);
    expect((await scene.drift([file], ["--fail-on", "none"])).code).toBe(0);
  });

  test.each([
    [
      ["--fail-on", "everything"],
      "--fail-on knows changed, moved, missing, unprotected, owed, shared, unmanaged and none",
    ],
    [["--watch", "5"], "--watch wants a duration"],
    [["--watch", "5m", "--markdown"], "--watch prints a table or JSON"],
    [["--json", "--markdown"], "say either --markdown or --json"],
    [["--all-stacks", "--stack", "dev"], "say either --stack or --all-stacks"],
    [["orders"], "drift takes no objects"],
  ])("%j makes no sense", async (args, why) => {
    const { code, error } = await scene.run(["drift", ...args]);
    expect([code, error]).toEqual([2, textWith(why)]);
  });
});

test("--watch prints what has changed since the last time, and ends with the last exit code", async () => {
  const over = new AbortController();
  const seen: string[] = [];
  const ended = scene.run(["drift", "--state", file, "--watch", "5m"], {
    signal: over.signal,
    onOut: (text) => {
      seen.push(text);
      if (text.startsWith("No drift")) drifted();
      else if (text.includes("+ Changed")) scene.emulator.mutate.service(orders.id, { cpuMillis: 500 });
      else if (text.includes("- Changed")) {
        scene.emulator.mutate.createService({ name: "legacy" });
      } else if (text.includes("+ Managed by none")) over.abort();
    },
  });
  expect((await ended).code).toBe(2);
  expect(seen[0]).toMatch(/^No drift: 1 stack, 1 resource/);
  const told = seen.slice(1).filter((text) => text !== "");
  expect(told[0]).toMatch(
    /^\S+Z \+ Changed outside Pulumi: shop\/dev {2}orders \(Service \S+\) {2}cpuMillis {2}500 {2}1000/,
  );
  expect(told[1]).toMatch(/^\S+Z - Changed outside Pulumi: /);
  expect(told).toHaveLength(3);
});

describe("the Pulumi CLI", () => {
  /** A `pulumi` with these stacks, which writes down how it was called. */
  function pulumi(stacks: Readonly<Record<string, object>>): void {
    const script = `#!${process.execPath}
const { appendFileSync } = require("node:fs");
const stacks = ${JSON.stringify(stacks)};
const args = process.argv.slice(2);
appendFileSync(${JSON.stringify(calls())}, JSON.stringify({ args, key: process.env.DBCLOUD_API_KEY }) + "\\n");
if (args[1] === "ls") console.log(JSON.stringify(Object.keys(stacks).map((name) => ({ name }))));
else {
  const name = args.includes("--stack") ? args[args.indexOf("--stack") + 1] : Object.keys(stacks)[0];
  if (stacks[name] === undefined) { console.error("error: no stack named '" + name + "' found"); process.exit(1); }
  console.log(JSON.stringify(stacks[name]));
}
`;
    writeFileSync(path.join(scene.folder, "pulumi"), script);
    chmodSync(path.join(scene.folder, "pulumi"), 0o755);
  }

  const calls = (): string => path.join(scene.folder, "calls");
  const called = (): { args: string[]; key?: string }[] =>
    existsSync(calls())
      ? readFileSync(calls(), "utf8")
          .trim()
          .split("\n")
          .map((line) => JSON.parse(line) as { args: string[] })
      : [];
  const run = (...args: string[]) => scene.run(["drift", "--json", ...args], { environment: { PATH: scene.folder } });

  test("gives the selected stack, those that are named, or all; each once, and it is not given the key", async () => {
    const dev = exported("dev", { orders: ["Service", orders] });
    pulumi({ dev, "acme/shop/dev": dev, empty: exported("empty", {}) });
    for (const args of [[], ["--stack", "dev"], ["--all-stacks"]]) {
      const { code, out } = await run(...args);
      expect([code, out]).toEqual([0, textWith('"outcome": "in-sync"')]);
    }
    expect((await run("--stack", "empty")).out).toContain('"unmanaged": 1');
    expect(called().map(({ args }) => args.join(" "))).toEqual(
      expect.arrayContaining([
        "stack export --non-interactive",
        "stack export --non-interactive --stack dev",
        "stack ls --all --json --non-interactive",
        "stack export --non-interactive --stack acme/shop/dev",
      ]),
    );
    expect(called().every(({ key, args }) => key === undefined && !args.includes("--show-secrets"))).toBe(true);
  });

  test("that is not there, or that knows no such stack: exit code 1, with what to do", async () => {
    const absent = await run();
    expect([absent.code, absent.error]).toEqual([1, textWith("there is no Pulumi CLI on the PATH")]);
    pulumi({ dev: exported("dev", {}) });
    const wrong = await run("--stack", "prod");
    expect([wrong.code, wrong.error]).toEqual([1, textWith("stack prod cannot be read: no stack named 'prod' found")]);
    expect(scene.emulator.requests().filter(({ operation }) => operation === "listServices")).toEqual(
      expect.any(Array),
    );
  });
});
