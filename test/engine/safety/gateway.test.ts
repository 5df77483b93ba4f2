// A gateway between the CLI and the control plane: it compresses unasked, answers with its own words, and redirects one method.
// What the user reads on the row and in the error is what was answered.

import { createServer, request, type IncomingMessage, type ServerResponse } from "node:http";
import { gzipSync } from "node:zlib";
import { beforeAll, expect, test } from "vitest";
import { fail, type Outcome, succeed } from "../../support/cliProcess";
import type { Project } from "../../support/cli/project";
import { listen } from "../../support/scriptedServer";
import { useEngineWorld, world } from "../world";

const program = `
const { Service } = require("pulumi-dbcloud");
const { readFileSync } = require("node:fs");
new Service("orders", JSON.parse(readFileSync("args.json", "utf8")));
`;

let project: Project;
/** Answers in place of the control plane; undefined where it does not. */
let instead: (request: IncomingMessage) => ((response: ServerResponse) => void) | undefined = () => undefined;
let baseUrl: string;

useEngineWorld({}, async () => {
  project = await world.project("gateway", { "index.js": program, "args.json": "{}" });
});

beforeAll(async () => {
  const target = new URL(world.emulator.baseUrl);
  const gateway = createServer((asked, response) => {
    const own = instead(asked);
    if (own !== undefined) {
      own(response);
      return;
    }
    const { method, headers, url: path } = asked;
    const passed = request({ host: target.hostname, port: target.port, method, path, headers }, (answer) => {
      const chunks: Buffer[] = [];
      answer.on("data", (chunk: Buffer) => chunks.push(chunk));
      answer.on("end", () => {
        const { "content-length": _, ...rest } = answer.headers;
        const packed = { ...rest, "content-encoding": "gzip" };
        response.writeHead(answer.statusCode ?? 500, packed).end(gzipSync(Buffer.concat(chunks)));
      });
    });
    asked.pipe(passed);
  });
  baseUrl = `http://127.0.0.1:${await listen(gateway)}${target.pathname}`;
  return () => {
    gateway.closeAllConnections();
    gateway.close();
  };
});

const run = (args: string): Promise<Outcome> =>
  project.pulumi(`${args} --yes --skip-preview`, { DBCLOUD_BASE_URL: baseUrl });
const answer =
  (status: number, json: object, headers: Record<string, string> = {}) =>
  (response: ServerResponse) =>
    response.writeHead(status, { "content-type": "application/json", ...headers }).end(JSON.stringify(json));

test("a 503 to the create is told with the server's words, on the row and first in the error", async () => {
  const say = answer(503, { code: "NO_CAPACITY", message: "no capacity in us-east-1 today" });
  instead = ({ method }) => (method === "POST" ? say : undefined);
  const { text } = await fail(run("up"));
  expect(text).toContain(
    "createService: the server answered 503 NO_CAPACITY no capacity in us-east-1 today; watching the list",
  );
  expect(text).toMatch(
    /error: createService of service \S+: the server answered 503 NO_CAPACITY no capacity in us-east-1 today/,
  );
  expect(text).not.toContain("the answer was lost");
});

test("a redirect of the create alone names the place, and is not followed", async () => {
  instead = ({ method, url = "" }) => {
    const location = `https://api.example${url.replace("/v1/", "/v2/")}`;
    return method === "POST" ? answer(307, {}, { location }) : undefined;
  };
  const { text } = await fail(run("up"));
  expect(text).toContain(
    "the server answered 307 the server redirects to https://api.example; the key is not sent there",
  );
  expect(text).toContain("is not part of the API: check dbcloud:baseUrl (DBCLOUD_BASE_URL)");
  expect(world.calls()).toEqual([]);
});

test("a gateway that compresses all answers changes nothing: create, refresh, change, destroy", async () => {
  instead = () => undefined;
  await succeed(run("up"));
  const { orders } = await project.resources();
  expect(orders?.id).toBe(world.emulator.state().services[0]?.id);
  expect((await succeed(run("refresh"))).text).toMatch(/2 unchanged/);
  project.write({ "args.json": JSON.stringify({ haReplicas: { replicaCount: 1 } }) });
  // The gateway's own refusal, which is about no input.
  const refusal = answer(400, { message: "the plan is too small" });
  instead = ({ url = "" }) => (url.endsWith("/setHA") ? refusal : undefined);
  const { text } = await fail(run("up"));
  expect(text).toContain("400 the plan is too small");
  expect(text).not.toContain("Change `haReplicas`");
  instead = () => undefined;
  await succeed(run("destroy"));
  expect(world.emulator.state().services).toEqual([]);
});
