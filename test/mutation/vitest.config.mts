import { defineConfig } from "vitest/config";

// The tests that stand for what `scripts/mutation.ts` mutates. With more of them each mutant would take minutes.
const decisions = ["test/plan/*.test.ts", "test/lifecycle/view/*.test.ts"];
const view = [
  "test/lifecycle/{create,state,view}/*.test.ts",
  "test/lifecycle/resources/replicaSet*.test.ts",
  "test/host/otherProcesses.test.ts",
];

export default defineConfig({ test: { include: process.env["MUTATION_OF"] === "view" ? view : decisions } });
