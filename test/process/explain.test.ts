// For programs in other languages, whose users have the plugin and no npm.

import { execFileSync } from "node:child_process";
import path from "node:path";
import { expect, test } from "vitest";
import { explain } from "../../provider/domain/explain";

test("the plugin's executable explains an error", () => {
  const executable = path.join(__dirname, "..", "..", "dist", "plugin", "pulumi-resource-dbcloud");
  const said = execFileSync(executable, ["explain", "name-taken"], { encoding: "utf8" });
  expect(said).toBe(explain("name-taken").text);
});
