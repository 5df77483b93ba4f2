// Who may call and what they see.

import { expect, test } from "vitest";
import type { CallerOptions } from "../../../emulator/index";
import { openEmulator, openWithService, someService } from "../support/emulator";

const projects = [
  { id: "projecta", name: "A" },
  { id: "projectb", name: "B" },
  { id: "projectc", name: "C" },
];

const callers: CallerOptions[] = [
  { token: "pat-of-b", kind: "pat", projectId: "projectb" },
  { token: "user-of-all", kind: "oauth" },
  { token: "reader", kind: "oauth", readOnly: true },
];

const open = () => openEmulator({ projects, apiKey: "key-of-a", callers });

test.each([
  ["no header", undefined],
  ["a wrong token", "Bearer wrong"],
  ["another scheme", "Basic key-of-a"],
  ["the bare token", "key-of-a"],
  ["an empty token", "Bearer "],
])("%s is 401, on every route, known or not", async (_, authorization) => {
  const { call, emulator } = await open();
  for (const path of ["/projects", "/projects/projecta/services", "/projects/nope/services", "/nowhere"]) {
    const headers: Record<string, string> = authorization === undefined ? {} : { authorization };
    const answer = await call("GET", path, undefined, { token: undefined, headers });
    expect([answer.status, answer.json]).toMatchObject([401, { code: "UNAUTHORIZED" }]);
    expect(answer.headers.get("www-authenticate")).toBe("Bearer");
  }
  expect(emulator.requests().map((request) => request.caller)).not.toContain("pat-0");
});

test.each([
  ["key-of-a", ["projecta"]],
  ["pat-of-b", ["projectb"]],
  ["user-of-all", ["projecta", "projectb", "projectc"]],
])("%s sees the projects %j", async (token, expected) => {
  const { call } = await open();
  const answer = await call("GET", "/projects", undefined, { token });
  expect(answer.json).toEqual(projects.filter((project) => expected.includes(project.id)));
});

test("a project that the token may not see is 403, so is a change by a reader; an unknown project is 404", async () => {
  const { call, emulator } = await open();
  const ask = async (path: string, token: string) => {
    const { status, json } = await call("GET", path, undefined, { token });
    return [status, json];
  };
  expect(await ask("/projects/projectb/services", "key-of-a")).toMatchObject([
    403,
    { message: "missing project permission" },
  ]);
  expect(await ask("/projects/projecta/services", "pat-of-b")).toMatchObject([403, { code: "FORBIDDEN" }]);
  expect(await ask("/projects/projectb/services", "pat-of-b")).toEqual([200, []]);
  expect(await ask("/projects/nope/services", "key-of-a")).toMatchObject([404, { code: "NOT_FOUND" }]);
  expect(await ask("/projects/projecta/services", "reader")).toEqual([200, []]);
  const written = await call("POST", "/projects/projecta/services", someService, { token: "reader" });
  expect([written.status, emulator.state().services]).toEqual([403, []]);
});

test("each caller's services are in the project of the path, and requests name the caller without its token", async () => {
  const { call, emulator } = await open();
  await call("POST", "/projects/projectb/services", someService, { token: "pat-of-b" });
  await call("POST", "/projects/projectc/services", someService, { token: "user-of-all" });
  expect(emulator.state().services.map((service) => service.projectId)).toEqual(["projectb", "projectc"]);
  expect(emulator.requests().map((request) => request.caller)).toEqual(["pat-1", "oauth-2"]);
  const recorded = JSON.stringify(emulator.requests());
  for (const token of ["key-of-a", ...callers.map((caller) => caller.token)]) expect(recorded).not.toContain(token);
});

test("requests without a key use up no fault, no rate limit and no record", async () => {
  const { call, emulator, paths, path } = await openWithService({ rateLimit: { perSecond: 1, burst: 3 } });
  emulator.clearRequests();
  const fault = emulator.faults.add({ kind: "status", status: 503 });
  for (const token of [undefined, "wrong", undefined, "wrong"])
    for (const where of [path, "/nowhere"]) expect((await call("GET", where, undefined, { token })).status).toBe(401);
  expect((await call("GET", "/../outside", undefined, { token: undefined })).status).toBe(404);
  expect([fault.struck, emulator.requests()]).toEqual([0, []]);
  expect([(await call("GET", paths.services)).status, (await call("GET", paths.services)).status]).toEqual([503, 200]);
});
