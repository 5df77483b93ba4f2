// The version of Node.js is judged before anything is sent.

import { expect, test } from "vitest";
import { createTransport } from "../../provider/api/http/transport";
import { nodeProblem } from "../../provider/domain/config/nodeVersion";

test.each(["20.20.2", "22.0.0", "22.18.9"])("Node %s is refused, with what to do", (version) => {
  expect(nodeProblem({ node: version })?.message).toBe(
    `Node ${version} is too old: the provider needs 22.19.0 or newer`,
  );
  expect(nodeProblem({ node: version })?.fullMessage).toMatch(/put it first on the PATH/);
});

test.each(["22.19.0", "24.1.0", "26.10.0"])("Node %s is enough", (version) => {
  expect(nodeProblem({ node: version })).toBeUndefined();
});

test("Bun is refused, as its own HTTP client ends each request without a cause", () => {
  const versions = { node: "24.3.0", bun: "1.3.0" };
  expect(nodeProblem(versions)?.message).toMatch(/^Bun 1\.3\.0 runs this: the provider needs Node\.js 22\.19\.0/);
  const options = { baseUrl: "http://127.0.0.1:1/v1", connections: 1, environment: {} };
  expect(() => createTransport({ ...options, versions })).toThrow("Bun 1.3.0 runs this");
});

test("the client and every command that sends requests refuse an old Node", () => {
  const options = { baseUrl: "http://127.0.0.1:1/v1", connections: 1, environment: {} };
  expect(() => createTransport({ ...options, versions: { node: "20.20.2" } })).toThrow("Node 20.20.2 is too old");
  expect(() => createTransport(options)).not.toThrow();
});
