// The command drift: in which form it tells, and the stacks that the CLI gives it.

import { describe, expect, test } from "vitest";
import { type Report, reportOf } from "../../../cli/drift/findings";
import { asTable } from "../../../cli/drift/texts";
import { textWith } from "../../support/matchers";
import { writePulumi } from "../program";
import { exported, type Held, scene, sizes, useScene } from "./scene";

let orders: Held;

useScene(async () => {
  orders = await scene.service(sizes);
});

describe("the report is", () => {
  test("a table without control characters of names", async () => {
    scene.emulator.mutate.service(orders.id, { cpuMillis: 1_000, memoryGbs: 4 });
    scene.emulator.mutate.createService({ name: "a|b <i>@all</i> `x`\u001b[31m" });
    scene.emulator.mutate.createVpc({ name: "theirs", cidr: "10.9.0.0/24" });
    const plain = await scene.run(["drift", "--state", scene.stack("dev", { orders })]);
    expect(plain.code).toBe(2);
    expect(plain.out).toMatch(
      /shop\/dev {2}Service \w+ {2}orders: cpuMillis +500 +1000 +repairs it: resize; resize re/,
    );
    expect(plain.out).toMatch(/orders: memoryGbs +2 +4 +repairs it/);
    expect(plain.out).toMatch(
      /what +next +command +details\n {2}Vpc theirs \(\w+\) is in no stack .* 10\.9\.0\.0\/24, /,
    );
    expect(plain.out).not.toContain("\u001b");
    expect(plain.out).toMatch(/^4 findings: .*\n\nChanged outside Pulumi, and what `pulumi up --refresh`/);
  });

  test("without drift where what was found is no drift", async () => {
    scene.emulator.mutate.createService({ name: "theirs" });
    const { code, out } = await scene.run(["drift", "--state", scene.stack("dev", { orders }), "--fail-on", "missing"]);
    expect([code, out]).toEqual([0, textWith("1 finding, no drift: compared 1 stack")]);
  });

  test("plain where the backend has no stack", () => {
    const report = reportOf({ stacks: [], projects: ["proj000001"], findings: [] }, [], 0);
    expect(asTable(report)).toBe("No drift: compared no stack with project proj000001.\n");
  });

  test("Markdown in which every name is code, and no cell is long", async () => {
    scene.emulator.mutate.service(orders.id, { cpuMillis: 1_000 });
    const plain = ["@all", "https://evil.example", "www.evil.example", "c\\|d", "![i](j)"];
    const names = [...plain, "a|b", "`x` ``y", "z".repeat(70_000)];
    for (const name of names) scene.emulator.mutate.createService({ name });
    const { out } = await scene.run(["drift", "--state", scene.stack("dev", { orders }), "--markdown"]);
    expect(out).toMatch(/^\| `shop\/dev` \| `Service \w+` \| orders: cpuMillis \|/m);
    for (const name of [...plain, "a|b"]) expect(out).toContain(`| \`Service ${name.replace("|", "¦")} (`);
    expect(out).toContain("| ``` Service `x` ``y (");
    expect(out).toContain("| repairs it: resize; resize restarts the service");
    const lines = out.split("\n");
    const foreign = lines.filter((text) => text.startsWith("| ") && !/^\| (?:---|stack|what) /.test(text));
    expect(foreign).toHaveLength(names.length + 1);
    // Without its code nothing but the table and plain words are left.
    for (const text of foreign) expect(text.replaceAll(/(`+)(?!`).*?(?<!`)\1(?!`)/g, "")).toMatch(/^[|\w ,;:.-]+$/);
    expect(Math.max(...lines.map(({ length }) => length))).toBeLessThan(1_500);
  });
});

describe("the Pulumi CLI", () => {
  const run = (...args: string[]) => scene.run(["drift", "--json", ...args], { PATH: scene.folder });

  test("gives the selected stack, those that are named, or all; each once, and it is not given the key", async () => {
    const dev = exported("dev", { orders });
    const called = writePulumi(scene.folder, { dev, "acme/shop/dev": dev, empty: exported("empty", {}) });
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
    for (const { environment, args } of called()) {
      expect(environment).not.toHaveProperty("DBCLOUD_API_KEY");
      expect(args).not.toContain("--show-secrets");
    }
  });

  test("ends it with 1 and what to do, where it is not there or knows no such stack", async () => {
    const ask = (...args: string[]) => scene.run(["drift", ...args], { PATH: scene.folder });
    const absent = await ask();
    expect([absent.code, absent.error]).toEqual([1, textWith("there is no Pulumi CLI on the PATH")]);
    writePulumi(scene.folder, { dev: exported("dev", {}) });
    const wrong = await ask("--stack", "prod");
    expect([wrong.code, wrong.error]).toEqual([1, textWith("stack prod cannot be read: no stack named 'prod' found")]);
  });

  test.each([
    [["--all-stacks"], "broken", "stack broken gave no state"],
    [["--stack", "dev", "--stack", "prod"], "prod", "stack prod cannot be read: no stack named 'prod' found"],
  ])("with %j, reports the stack that it can read, and names the other and its cause", async (args, stack, reason) => {
    writePulumi(scene.folder, { dev: exported("dev", { orders }), broken: {} });
    scene.emulator.mutate.service(orders.id, { cpuMillis: 1_000 });
    scene.emulator.mutate.createService({ name: "of-the-other" });
    const { code, out } = await run(...args);
    const report = JSON.parse(out) as Report;
    expect([code, report.outcome, report.stacks]).toEqual([1, "unknown", [{ name: "shop/dev", resources: 1 }]]);
    expect(report.findings).toMatchObject([
      { category: "unknown", stack, about: [], reason: textWith(reason), remedy: textWith("leaves out unmanaged") },
      { category: "changed", name: "orders" },
    ]);
    expect((await scene.run(["drift", ...args], { PATH: scene.folder })).out).toContain(`stack ${stack}`);
  });

  test.each([
    [["--stack", "prod"], {}, "stack prod cannot be read: no stack named 'prod' found", "stack export --stack prod"],
    [[], { DBCLOUD_API_KEY: "" }, "no API key is set", "does not read the configuration"],
  ])("with %j and %j, --json prints a document, and nothing is compared", async (args, environment, reason, remedy) => {
    writePulumi(scene.folder, { dev: exported("dev", {}) });
    const { code, out, error } = await scene.run(["drift", "--json", ...args], {
      PATH: scene.folder,
      ...environment,
    });
    const finding = { category: "unknown", reason: textWith(reason), remedy: textWith(remedy) };
    expect(JSON.parse(out)).toMatchObject({ outcome: "unknown", exitCode: 1, stacks: [], findings: [finding] });
    expect([code, error]).toEqual([1, textWith(reason)]);
  });
});
