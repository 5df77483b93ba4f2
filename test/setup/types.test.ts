// `npm run types` on a fresh clone: what is imported by the package's own name is read from the sources, not from a build.

import { expect, test } from "vitest";
import { textOf } from "../support/repository";

const read = (file: string): unknown => JSON.parse(textOf(file));

test("each entry of the package has its source file among the paths of tsconfig.json", () => {
  const { exports } = read("package.json") as { exports: Record<string, unknown> };
  const { compilerOptions } = read("tsconfig.json") as { compilerOptions: { paths: Record<string, string[]> } };
  const entries = Object.keys(exports).filter((name) => !name.endsWith(".json"));
  expect(Object.keys(compilerOptions.paths)).toEqual(entries.map((name) => `pulumi-dbcloud${name.slice(1)}`));
});
