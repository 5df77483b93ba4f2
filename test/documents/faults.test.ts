// The lists of faults in the documents: each kind once, with an example that the admin API accepts.

import { readFileSync } from "node:fs";
import path from "node:path";
import { runInNewContext } from "node:vm";
import { describe, expect, test } from "vitest";
import { faultKinds, faultRequest } from "../../emulator/driving/admin/faultShapes";

describe.each([
  ["emulator.md", /^\| `\w+` .*`(\{ "kind": .*\})` +\|$/gm],
  ["testing.md", /^ {2}(\{ kind: .*\}),$/gm],
])("docs/%s", (name, pattern) => {
  const text = readFileSync(path.join(__dirname, "../../docs", name), "utf8");
  const examples = Array.from(text.matchAll(pattern), ([, example = ""]) => runInNewContext(`(${example})`) as unknown);

  test("has an example of each kind of fault, which the emulator accepts", () => {
    expect(examples.map((example) => faultRequest.parse(example).kind)).toEqual(faultKinds);
  });
});
