import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { sectionsIn } from "../../provider/domain/explain";
import { line, useCommandLine } from "./program";

const root = path.join(__dirname, "../..");

useCommandLine();

test("an error ends with the command that explains it", async () => {
  const { error } = await line.run(["logs", "orders"], { environment: { DBCLOUD_API_KEY: "" } });
  const [, ...args] = /^More: npx (pulumi-dbcloud) (explain) (.*)\n$/m.exec(error)?.slice(1) ?? [];
  const { code, out } = await line.run(args);
  expect(code).toBe(0);
  expect(out).toBe(`setting-missing

  no … is set (…)

Set the API key or the base URL where the message says. \`refresh\` and \`destroy\` use the configuration saved in the state: for them, use the environment.

More: ${path.join(root, "docs/configuration.md")}
`);
  expect(existsSync(path.join(root, "docs/configuration.md"))).toBe(true);
});

test("the error of a misspelt guard is explained while it is set", async () => {
  const environment = { DBCLOUD_READONLY: "1" };
  const { error } = await line.run(["logs", "orders"], { environment });
  const [, name = ""] = /^More: npx pulumi-dbcloud explain (.*)\n$/m.exec(error) ?? [];
  const explained = await line.run(["explain", name], { environment });
  expect([explained.code, explained.out.split("\n")[0]]).toEqual([0, name]);
});

test("without a name all errors are listed, one line each", async () => {
  const { code, out } = await line.run(["explain"]);
  expect(code).toBe(0);
  const page = readFileSync(path.join(root, "docs/errors.md"), "utf8");
  const names = sectionsIn(page).flatMap(({ sections }) => sections.map(({ name }) => name));
  expect([...out.matchAll(/^ {2}([a-z-]+) {2,}\S.*\.$/gm)].map(([, name]) => name)).toEqual(names);
});

test("an unknown name is told with the command that lists all names", async () => {
  const { code, out, error } = await line.run(["explain", "name-takn"]);
  expect({ code, out }).toEqual({ code: 1, out: "" });
  expect(error).toContain('there is no error "name-takn"\nTo list all names, run: npx pulumi-dbcloud explain\n');
});

test("one name at a time, and nobody is asked", async () => {
  expect(await line.run(["explain", "protected", "busy"])).toMatchObject({ code: 1 });
  expect(line.emulator.requests()).toEqual([]);
});
