import { defineConfig } from "vitest/config";

// `scripts/mutation.ts` names the tests. On a busy machine the ones of all combinations take seconds.
const testTimeout = 60_000;
export default defineConfig({
  test: {
    testTimeout,
    include: process.env["MUTATION_TESTS"]?.split(" ") ?? [],
    // Most of a run would go into loading the modules anew for each file.
    isolate: false,
    setupFiles: "test/support/takeBack.ts",
  },
});
