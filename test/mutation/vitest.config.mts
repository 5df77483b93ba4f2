import { defineConfig } from "vitest/config";

// The tests that stand for what `scripts/mutation.ts` mutates. With more of them each mutant would take minutes.
export default defineConfig({ test: { include: ["test/plan/*.test.ts", "test/lifecycle/view/*.test.ts"] } });
