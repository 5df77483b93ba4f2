import { defineConfig } from "vitest/config";

// `scripts/mutation.ts` names the tests.
export default defineConfig({ test: { include: process.env["MUTATION_TESTS"]?.split(" ") ?? [] } });
