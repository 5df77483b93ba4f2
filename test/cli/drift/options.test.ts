// The options of the command drift: what it looks at, in which form it tells, and the stacks that the CLI gives it.

import { existsSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { textWith } from "../../support/matchers";
import { file, orders, resizeOutside, scene, useOrdersScene } from "./ordersScene";
import { exported } from "./scene";

useOrdersScene();

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
  test("a table without control characters of names", async () => {
    scene.emulator.mutate.service(orders.id, { cpuMillis: 1_000, memoryGbs: 4 });
    scene.emulator.mutate.createService({ name: "a|b <i>@all</i> `x`\u001b[31m" });
    scene.emulator.mutate.createVpc({ name: "theirs", cidr: "10.9.0.0/24" });
    const plain = await scene.run(["drift", "--state", file]);
    expect(plain.code).toBe(2);
    expect(plain.out).toContain("shop/dev  orders (Service");
    expect(plain.out).toMatch(/cpuMillis +500 +1000 +repairs it: resize; resize restarts the service/);
    expect(plain.out.match(/resize restarts/g)).toHaveLength(1);
    expect(plain.out).toMatch(/memoryGbs +2 +4 +as above/);
    expect(plain.out).toMatch(/object +age +size +VPC +more\n(?:.*\n)*.*Vpc theirs \(\w+\) +10\.9\.0\.0\/24, /);
    expect(plain.out).not.toContain("\u001b");
  });

  test("Markdown in which every name is code, and no cell is long", async () => {
    resizeOutside();
    const names = [
      "@all",
      "https://evil.example",
      "www.evil.example",
      "a|b",
      "c\\|d",
      "`x` ``y",
      "![i](j)",
      "z".repeat(70_000),
    ];
    for (const name of names) scene.emulator.mutate.createService({ name });
    const { out } = await scene.run(["drift", "--state", file, "--markdown"]);
    expect(out).toContain("| `shop/dev` | `orders (Service");
    for (const name of ["@all", "https://evil.example", "www.evil.example", "a¦b", "c\\¦d", "![i](j)"]) {
      expect(out).toContain(`| \`Service ${name} (`);
    }
    expect(out).toContain("| ``` Service `x` ``y (");
    const lines = out.split("\n");
    const foreign = lines.filter((text) => text.startsWith("| ") && !/^\| (?:---|stack|object) /.test(text));
    expect(foreign).toHaveLength(names.length + 1);
    // Without its code nothing but the table is left.
    for (const text of foreign) expect(text.replaceAll(/(`+)(?!`).*?(?<!`)\1(?!`)/g, "")).toMatch(/^[| ]+$/);
    expect(Math.max(...lines.map(({ length }) => length))).toBeLessThan(1_500);
  });

  test("--fail-on chooses what counts", async () => {
    resizeOutside();
    expect((await scene.drift([file], ["--fail-on", "unmanaged,missing"])).code).toBe(0);
    expect((await scene.drift([file], ["--fail-on", "unmanaged,changed"])).code).toBe(2);
    expect((await scene.drift([file], ["--fail-on", "none"])).code).toBe(0);
  });
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
    writeFileSync(path.join(scene.folder, "pulumi"), script, { mode: 0o755 });
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
  });
});
