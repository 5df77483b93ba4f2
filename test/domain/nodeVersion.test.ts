// The version of Node.js is judged before anything is sent.

import { expect, test } from "vitest";
import { nodeProblem } from "../../provider/domain/config/nodeVersion";

test.each(["20.20.2", "22.0.0", "22.18.9"])("Node %s is refused, with what to do", (version) => {
  expect(nodeProblem(version)?.message).toBe(`Node ${version} is too old: the provider needs 22.19.0 or newer`);
  expect(nodeProblem(version)?.fullMessage).toMatch(/comes first on the PATH/);
});

test.each(["22.19.0", "24.1.0", "26.10.0"])("Node %s is enough", (version) => {
  expect(nodeProblem(version)).toBeUndefined();
});
