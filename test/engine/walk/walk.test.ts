// The sequences that must not lose a database, a part of the random walk over the engine (`npm run invariants -- --engine`
// does more, with kills).

import { expect, test, vi } from "vitest";
import type { Form } from "../../../provider/pulumi/stateNames";
import { isBuildServer, repeats, someOf } from "../../support/repeats";
import { SEQUENCES } from "./sequences";
import { replay, walk } from "./walk";

vi.setConfig({ testTimeout: 10 * 60_000 });

test.runIf(isBuildServer)("a short random walk breaks no rule", async () => {
  const { violations, lines, counts } = await walk({ seed: 1, run: 0 }, "dynamic", false);
  if (violations.length > 0) process.stdout.write(`${lines.join("\n")}\n`);
  expect(violations).toEqual([]);
  expect(counts["commands"]).toBeGreaterThan(10);
});

const sequences = (["dynamic", "native"] as const).flatMap((form: Form) =>
  Object.entries(SEQUENCES).map((entry) => [form, ...entry] as const),
);

test.each(repeats(someOf(sequences, 5), sequences))(
  "with the %s classes %s",
  async (form, _, { steps, ends = "it fails" }) => {
    const walked = await replay({ seed: 1, run: 0 }, form, steps);
    if (walked.ends !== ends || walked.violations.length > 0) process.stdout.write(`${walked.lines.join("\n")}\n`);
    expect(walked).toMatchObject({ violations: [], ends });
  },
);
