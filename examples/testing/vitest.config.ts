import { defineConfig } from "vitest/config";

// An `up` takes seconds: the engine is the real one.
export default defineConfig({ test: { include: ["test/*.vitest.ts"], testTimeout: 120_000 } });
