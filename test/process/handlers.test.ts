// The handlers as the engine meets them: loaded by the line that every state keeps, in the real provider process.

import { expect, test } from "vitest";
import { providerLine } from "../../provider/pulumi/stateNames";
import { failureOf, SECRET_KEY, type Values } from "./provider";
import { hidden, type Kind, lines, openScene, urnOf } from "./scene";

const UNKNOWN = "04da6b54-80e4-46f7-96ec-b56ff0331ba9";
const secret = (value: unknown): Values => ({ [SECRET_KEY]: "1b47061264138c4ac30d75fd1eb44270", value });

test("the class of each kind sends the fixed provider line, and the line loads its handlers", async () => {
  const { checked } = await openScene();
  const kinds: Record<Kind, Values> = {
    service: {},
    vpc: { cidr: "10.0.0.0/24", regionCode: "us-east-1" },
    peering: { vpcId: "v1", peerAccountId: "123456789012", peerRegionCode: "us-east-1", peerVpcId: "vpc-0a1b2c3d" },
    readReplicaSet: { serviceId: "s1", nodes: 1, cpuMillis: 500, memoryGbs: 2 },
  };
  for (const kind of Object.keys(kinds) as Kind[]) {
    expect(providerLine(kind)).toBe(lines[kind]);
    const name = kind === "peering" ? {} : { name: "orders-dev" };
    const inputs = await checked(kind, "orders", kinds[kind]);
    expect(inputs).toEqual({ ...kinds[kind], ...name, __provider: lines[kind] });
  }
});

test("a failed check names the path, what was given and what is allowed, but no property and no secret", async () => {
  const { provider, checked } = await openScene();
  const bad = { cpuMillis: 500, haReplicas: { replicaCount: 1, syncReplicaCount: 2 }, password: 12345678 };
  const { failures } = await provider.check({}, { ...hidden("service", "orders"), ...bad });
  // The engine prints the value of a property that is named.
  expect(failures.map(({ property }) => property)).toEqual(["", "", ""]);
  expect(failures.map(({ reason }) => reason).toSorted()).toEqual([
    expect.stringMatching(/^haReplicas\.syncReplicaCount: given 2, but replicaCount is 1 /),
    expect.stringMatching(
      /^memoryGbs: is missing, but cpuMillis is given; .*\nMore: npx pulumi-dbcloud explain missing-input$/,
    ),
    expect.stringMatching(/^password: given \[secret\]; allowed: /),
  ]);
  const unknown = { vpcId: UNKNOWN, cpuMillis: UNKNOWN, memoryGbs: 4 };
  expect(await checked("service", "orders", { ...unknown, password: "s3cret-8!" })).toMatchObject({
    ...unknown,
    password: secret("s3cret-8!"),
  });
});

test("create, read, update and delete of a service work, and every result marks the secrets", async () => {
  const { emulator, provider, checked } = await openScene();
  const args = { regionCode: "us-east-1", cpuMillis: 500, memoryGbs: 2, password: "correct horse" };
  const inputs = await checked("service", "life", args);
  const { id, outs } = await provider.create(inputs);
  const [service] = emulator.state().services;
  expect(service).toMatchObject({ id, name: "life-dev", cpuMillis: 500, password: "correct horse" });
  const initialPassword = service?.initialPassword;
  const secrets = { password: secret("correct horse"), initialPassword: secret(initialPassword) };
  expect(outs).toMatchObject({ ...inputs, ...secrets, status: "READY", projectId: "proj000001" });

  // The engine hands plain values back.
  const plain = { ...outs, password: "correct horse", initialPassword };
  const seen = await provider.read(id, plain);
  expect(seen).toEqual({ id, props: outs, inputs: { ...inputs, password: secrets.password } });

  const news = { ...inputs, cpuMillis: 1000, memoryGbs: 4 };
  expect(await provider.diff(id, plain, news)).toEqual({ changes: "unknown", replaces: [] });
  const updated = await provider.update(id, plain, news);
  expect(updated.outs).toMatchObject({ cpuMillis: 1000, memoryGbs: 4, ...secrets, __provider: lines.service });
  expect(emulator.state().services).toMatchObject([{ id, cpuMillis: 1000, memoryGbs: 4 }]);

  // Pulumi: what a resource of the program has is deleted only when it is replaced: then it is checked again, as new.
  await checked("service", "life");
  await provider.delete(id, { ...plain, ...news });
  expect(emulator.state().services).toEqual([]);
  expect(await provider.read(id, { ...plain, created: "2020-01-01T00:00:00Z" })).toMatchObject({ id: "" });
});

test("diff leaves the comparison to the engine, except where the inputs do not show the change", async () => {
  const { provider, checked } = await openScene();
  const args = { cidr: "10.1.0.0/24", regionCode: "us-east-1" };
  const inputs = await checked("vpc", "net", args);
  const { id, outs } = await provider.create(inputs);
  const diff = async (olds: Values, news: Values) =>
    provider.diff(id, { ...outs, ...olds }, await checked("vpc", "net", { ...args, ...news }, inputs));

  expect(await diff({}, {})).toEqual({ changes: "unknown", replaces: [] });
  expect(await diff({}, { name: UNKNOWN })).toEqual({ changes: "unknown", replaces: [] });
  expect(await diff({}, { cidr: "10.2.0.0/24" })).toEqual({ changes: "unknown", replaces: ["cidr"] });
  // A step that an interrupted run still owes; where inputs differ too, the engine names them.
  expect(await diff({ __pending: ["rename"] }, {})).toMatchObject({ changes: "some" });
  expect(await diff({ __pending: ["rename"] }, { name: "other" })).toEqual({ changes: "unknown", replaces: [] });
  const elsewhere = "exports.handler = () => require('elsewhere');";
  expect(await diff({ __provider: elsewhere }, {})).toMatchObject({ changes: "some" });
  // A resource that was only renamed or moved within the program.
  const moved = { ...inputs, __urn: urnOf("vpc", "moved") };
  expect(await provider.diff(id, outs, moved)).toEqual({ changes: "none", replaces: [] });
});

test("a create that fails half-way returns its id, the known outputs and the reason, and the next update continues", async () => {
  const { emulator, provider, checked } = await openScene();
  const fault = emulator.faults.add({ operation: "enablePooler", kind: "status", status: 403, times: Infinity });
  const inputs = await checked("service", "half", { poolerEnabled: true, password: "s3cret-8!" });
  const { message, kept } = await failureOf(provider.create(inputs));
  fault.remove();
  const [service] = emulator.state().services;
  const { id = "", initialPassword } = service ?? {};
  expect(kept?.id).toBe(id);
  expect(kept?.properties).toMatchObject({
    __provider: lines.service,
    name: "half-dev",
    status: "READY",
    poolerEnabled: false,
    initialPassword: secret(initialPassword),
  });
  expect(kept?.reasons).toEqual([expect.stringMatching(/service half-dev[^]*failed: enablePooler/)]);
  expect(message + String(kept?.reasons)).not.toMatch(/s3cret-8!|at \w+ \(/);

  const olds = { ...kept?.properties, initialPassword };
  // Pulumi: after a create that failed half-way the engine makes an update in any case, and names what the inputs show.
  expect(await provider.diff(id, olds, inputs)).toMatchObject({ changes: "unknown", replaces: [] });
  emulator.clearRequests();
  const { outs } = await provider.update(id, olds, inputs);
  const calls = emulator.requests().filter(({ method }) => method !== "GET");
  expect(calls.map(({ operation }) => operation)).toEqual(["enablePooler", "updatePassword"]);
  expect(outs).toMatchObject({ poolerEnabled: true, password: secret("s3cret-8!") });
  expect(outs).not.toHaveProperty("__pending");
});

test("errors of diff, read and delete reach the engine as one message, without a stack trace on stderr", async () => {
  const { emulator, provider, checked } = await openScene();
  const inputs = await checked("service", "quiet", { deletionProtection: true });
  const { id, outs } = await provider.create(inputs);
  await checked("service", "quiet");
  const refused = await failureOf(provider.delete(id, outs));
  expect(refused.message).toContain("is protected against deletion");
  const moved = await checked("service", "quiet", { ...inputs, projectId: "elsewhere" }, inputs);
  const changed = await failureOf(provider.diff(id, outs, moved));
  expect(changed.message).toContain("projectId");
  emulator.faults.add({ operation: "getService", kind: "status", status: 401, times: Infinity });
  const unread = await failureOf(provider.read(id, outs));
  expect(unread.message).toContain("401");
  expect([refused, changed, unread].map(({ message }) => message).join("\n")).not.toMatch(/^\s+at /m);
  expect(provider.stderr()).toBe("");
});
