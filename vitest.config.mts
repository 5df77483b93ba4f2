import { availableParallelism } from "node:os";
import { defineConfig } from "vitest/config";

// Layers from fast to real: `unit` needs nothing but the sources, `process` starts the real provider process from
// `dist`, `engine` drives the real Pulumi CLI, `languages` does so with programs in Python, Go and YAML, `browser` looks at
// the page in a real browser. Time limits
// only end what hangs: no test asserts on real time, and a busy machine may be ten times slower than a quiet one.
// `vitest bench --run` runs the micro benchmarks, and nothing else does.
const MINUTE_MS = 60_000;

// One more than there are cores: tests of the real CLI wait for other processes much of their time.
const WORKERS = availableParallelism() + 1;

// Real processes can be starved on a shared build server; a test that fails twice has something to say.
const retry = process.env["CI"] === "true" ? 1 : 0;

const noBenchmarks = { include: [] };

export default defineConfig({
  test: {
    maxWorkers: WORKERS,
    globalSetup: "test/support/globalSetup.ts",
    // A worker keeps the modules that it has loaded, from file to file: nearly half of the CPU time of `unit` went into
    // loading them anew. So each test takes back what it does to the environment and to functions of others.
    isolate: false,
    projects: [
      {
        test: {
          name: "unit",
          benchmark: noBenchmarks,
          include: ["test/**/*.test.ts"],
          exclude: ["test/process/**", "test/engine/**", "test/languages/**", "test/browser/**"],
          setupFiles: "test/support/takeBack.ts",
          testTimeout: 2 * MINUTE_MS,
          hookTimeout: 2 * MINUTE_MS,
        },
      },
      {
        test: {
          name: "process",
          benchmark: noBenchmarks,
          include: ["test/process/**/*.test.ts"],
          testTimeout: 2 * MINUTE_MS,
          hookTimeout: 2 * MINUTE_MS,
          retry,
        },
      },
      {
        test: {
          name: "engine",
          benchmark: noBenchmarks,
          include: ["test/engine/**/*.test.ts"],
          testTimeout: 5 * MINUTE_MS,
          hookTimeout: 5 * MINUTE_MS,
          retry,
        },
      },
      {
        test: {
          name: "languages",
          benchmark: noBenchmarks,
          include: ["test/languages/**/*.test.ts"],
          testTimeout: 5 * MINUTE_MS,
          hookTimeout: 15 * MINUTE_MS,
          retry,
        },
      },
      {
        test: {
          name: "browser",
          benchmark: noBenchmarks,
          include: ["test/browser/**/*.test.ts"],
          testTimeout: 2 * MINUTE_MS,
          hookTimeout: 2 * MINUTE_MS,
          retry,
        },
      },
      { test: { name: "bench", include: [], benchmark: { include: ["bench/**/*.bench.ts"] } } },
    ],
  },
});
