import { defineConfig } from "vitest/config";

// Layers from fast to real: `unit` needs nothing but the sources, `process` starts the real provider process from
// `dist`, `engine` drives the real Pulumi CLI.
export default defineConfig({
  test: {
    projects: [
      {
        test: {
          name: "unit",
          include: ["test/**/*.test.ts"],
          exclude: ["test/process/**", "test/engine/**"],
        },
      },
      {
        test: {
          name: "process",
          include: ["test/process/**/*.test.ts"],
          fileParallelism: false,
          testTimeout: 30_000,
          hookTimeout: 30_000,
        },
      },
      {
        test: {
          name: "engine",
          include: ["test/engine/**/*.test.ts"],
          fileParallelism: false,
          testTimeout: 180_000,
          hookTimeout: 180_000,
        },
      },
    ],
  },
});
