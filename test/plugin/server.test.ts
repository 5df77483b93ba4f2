// The plugin over gRPC, as the engine calls it: its configuration, its look-ups, and what a debugger attaches.

import { readFileSync } from "node:fs";
import path from "node:path";
import { credentials, Server, ServerCredentials, type ServiceError } from "@grpc/grpc-js";
import { PluginAttach } from "@pulumi/pulumi/proto/plugin_pb";
import { ResourceProviderClient, ResourceProviderService } from "@pulumi/pulumi/proto/provider_grpc_pb";
import * as messages from "@pulumi/pulumi/proto/provider_pb";
import { Empty } from "google-protobuf/google/protobuf/empty_pb";
import { type JavaScriptValue, Struct } from "google-protobuf/google/protobuf/struct_pb";
import { beforeEach, expect, onTestFinished, test } from "vitest";
import { createEmulator, type Emulator } from "../../emulator/index";
import { createPlugin } from "../../plugin/server";
import { VERSION } from "../../provider/api/version";
import { UNKNOWN } from "../../provider/domain/values/value";
import { SECRET_SIGNATURE } from "../../provider/domain/values/secret";
import { type Engine, startEngine } from "../process/engine";
import { ask, type Values } from "../process/provider";
import { textLike } from "../support/matchers";

const schema = readFileSync(path.resolve(__dirname, "../../plugin/schema.json"), "utf8");
const URN = "urn:pulumi:dev::shop::test:index:Group$dbcloud:index:Service::db";
const secret = (value: unknown): Values => ({ ...SECRET_SIGNATURE, value });

let client: ResourceProviderClient;
let emulator: Emulator;

async function open(environment: Record<string, string> = {}): Promise<ResourceProviderClient> {
  const plugin = createPlugin({ environment, schema, engineAddress: undefined, onEnd: () => undefined });
  const server = new Server();
  server.addService(ResourceProviderService, plugin.methods);
  const port = await new Promise<number>((resolve) => {
    server.bindAsync("127.0.0.1:0", ServerCredentials.createInsecure(), (_error, bound) => resolve(bound));
  });
  const opened = new ResourceProviderClient(`127.0.0.1:${port}`, credentials.createInsecure());
  onTestFinished(() => {
    opened.close();
    server.forceShutdown();
  });
  return opened;
}

beforeEach(async () => {
  emulator = await createEmulator({ seed: 1 });
  onTestFinished(() => emulator.close());
  client = await open();
});

/** An engine that the plugin is attached to; it ends with the test. */
async function attached(): Promise<Engine> {
  const engine = await startEngine();
  onTestFinished(() => engine.kill());
  await ask((done) => client.attach(new PluginAttach().setAddress(engine.address), done));
  return engine;
}

const struct = (values: Values): Struct => Struct.fromJavaScript(values as Record<string, JavaScriptValue>);

const configure = (args: Values): Promise<messages.ConfigureResponse> =>
  ask((done) => client.configure(new messages.ConfigureRequest().setArgs(struct(args)), done));

const account = (): Values => ({ apiKey: secret(emulator.apiKey), baseUrl: emulator.baseUrl, version: VERSION });

async function invoke(name: string, args: Values = {}): Promise<unknown> {
  const request = new messages.InvokeRequest().setTok(`dbcloud:index:${name}`).setArgs(struct(args));
  return (await ask<messages.InvokeResponse>((done) => client.invoke(request, done))).getReturn()?.toJavaScript();
}

test("it says what it is, and hands out the schema", async () => {
  const info = await ask<{ getVersion(): string }>((done) => client.getPluginInfo(new Empty(), done));
  expect(info.getVersion()).toBe(VERSION);
  const described = await ask<messages.GetSchemaResponse>((done) =>
    client.getSchema(new messages.GetSchemaRequest(), done),
  );
  expect(described.getSchema()).toBe(schema);
});

test("an explicit provider wins over the environment, and a default one does not; a key becomes a secret", async () => {
  const checked = async (name: string, version?: string): Promise<unknown> => {
    const request = new messages.CheckRequest().setUrn(`urn:pulumi:dev::shop::pulumi:providers:dbcloud::${name}`);
    request.setNews(struct({ apiKey: "a-key", quiet: "true", ...(version !== undefined && { version }) }));
    const response = await ask<messages.CheckResponse>((done) => client.checkConfig(request, done));
    return response.getInputs()?.toJavaScript();
  };
  const given = { apiKey: secret("a-key"), quiet: "true" };
  const version = "0.1.0";
  expect(await checked("default")).toEqual(given);
  for (const name of ["default_0_1_0", "default_0_1_0_https___example_com"]) {
    expect(await checked(name, version)).toEqual({ ...given, version });
  }
  for (const name of ["defaults-of-staging", "default_eu", "default", "default_1_2_3"]) {
    expect(await checked(name, version)).toEqual({ ...given, version, explicit: "true" });
  }
});

test("a provider of the program that is called `default` is explicit, also where it asks for no version", async () => {
  const explicit = async (news: Record<string, string>, config: object): Promise<unknown> => {
    const own = await open({ PULUMI_CONFIG: JSON.stringify(config) });
    const request = new messages.CheckRequest().setUrn("urn:pulumi:dev::shop::pulumi:providers:dbcloud::default");
    const response = await ask<messages.CheckResponse>((done) => own.checkConfig(request.setNews(struct(news)), done));
    return response.getInputs()?.toJavaScript()["explicit"];
  };
  expect(await explicit({ projectId: "p1" }, { projectId: "p1", apiKey: "a-key" })).toBeUndefined();
  expect(await explicit({ projectId: "p1" }, { projectId: "p2" })).toBe("true");
  expect(await explicit({ projectId: "p1" }, {})).toBe("true");
  expect(await explicit({}, {})).toBeUndefined();
});

test("settings that are unknown in a preview are named once, with what the preview may then show", async () => {
  const engine = await attached();
  const request = new messages.CheckRequest().setUrn("urn:pulumi:dev::shop::pulumi:providers:dbcloud::own");
  const check = (more: object) =>
    ask((done) => client.checkConfig(request.setNews(struct({ projectId: UNKNOWN, quiet: "true", ...more })), done));
  await check({});
  // The class for TypeScript has said it.
  await check({ explicit: "true" });
  expect(engine.lines).toMatchObject([
    { severity: "warning", text: textLike(/^Provider own: projectId is not known .* update\./) },
  ]);
});

test("a change of the settings never replaces anything", async () => {
  const request = new messages.DiffRequest().setOlds(struct({ projectId: "p1" })).setNews(struct({ projectId: "p2" }));
  const response = await ask<messages.DiffResponse>((done) => client.diffConfig(request, done));
  expect(response.getChanges()).toBe(messages.DiffResponse.DiffChanges.DIFF_SOME);
  expect(response.getDiffsList()).toEqual(["projectId"]);
  expect(response.getReplacesList()).toEqual([]);
});

test("a process that a debugger attaches serves one command after the other, each with settings of its own", async () => {
  for (const projectId of [emulator.projectId, "p2"]) {
    const engine = await attached();
    await configure({ ...account(), projectId });
    expect(await invoke("getProjects")).toMatchObject({ projects: [{ id: emulator.projectId }] });
    // The engine ends each command with this call.
    await ask((done) => client.cancel(new Empty(), done));
    await expect(invoke("getProjects")).rejects.toThrow("the command was canceled");
    engine.kill();
  }
});

test("one process serves one account, and refuses other settings", async () => {
  expect((await configure(account())).getSupportspreview()).toBe(true);
  await configure(account());
  await expect(configure({ ...account(), projectId: "p2" })).rejects.toThrow("serves one provider");
  expect(await invoke("getProjects")).toMatchObject({ projects: [{ id: emulator.projectId }] });
});

test("every look-up answers, a list in a member of one object; passwords are not in it", async () => {
  const { mutate } = emulator;
  const net = mutate.createVpc({ name: "net" });
  const peering = mutate.createPeering(net.id, { peerVpcId: "vpc-0abc" });
  const db = mutate.createService({ name: "orders" });
  mutate.createReplicaSet(db.id, { name: "readers" });
  await configure(account());
  expect(await invoke("getVpc", { name: "net" })).toMatchObject({ cidr: net.cidr });
  expect(await invoke("getVpcs")).toMatchObject({ vpcs: [{ name: "net" }] });
  const ids = { vpcId: net.id, peeringId: peering.id };
  expect(await invoke("getPeering", ids)).toMatchObject({ peerVpcId: "vpc-0abc" });
  expect(await invoke("getPeerings", { vpcId: net.id })).toMatchObject({ peerings: [{ peerVpcId: "vpc-0abc" }] });
  const found = await invoke("getService", { name: "orders" });
  expect(found).toMatchObject({ serviceId: db.id });
  expect(JSON.stringify(found)).not.toMatch(/password/i);
  expect(await invoke("getServices")).toMatchObject({ services: [{ name: "orders" }] });
  expect(await invoke("getReadReplicaSets", { serviceId: db.id })).toMatchObject({
    readReplicaSets: [{ name: "readers" }],
  });
  const logs = (await invoke("serviceLogs", { serviceId: db.id, limit: 3 })) as { entries: unknown[] };
  expect(logs.entries).toHaveLength(3);
  await expect(invoke("getNothing")).rejects.toThrow("there is no function dbcloud:index:getNothing");
  await expect(invoke("getService", {})).rejects.toThrow("given neither of serviceId and name");
});

test("what the program does not declare because a look-up has failed is not deleted, until that look-up succeeds", async () => {
  const { id } = emulator.mutate.createService({ name: "orders" });
  await configure(account());
  const refusal = "was not declared in this run, perhaps because the program ended when getService";
  const remove = (): Promise<unknown> => {
    const request = new messages.DeleteRequest()
      .setUrn(URN)
      .setId(id)
      .setProperties(struct({ name: "orders" }));
    return ask((done) => client.delete(request, done));
  };
  await expect(invoke("getService", { name: "missing" })).rejects.toThrow("missing");
  await expect(remove()).rejects.toThrow(refusal);
  await invoke("getService", { name: "orders" });
  await expect(remove()).rejects.toThrow(refusal);
  expect(emulator.state().services).toMatchObject([{ name: "orders", status: "READY" }]);
  emulator.mutate.createService({ name: "missing" });
  await invoke("getService", { name: "missing" });
  await remove();
  emulator.settle();
  expect(emulator.state().services).toMatchObject([{ name: "missing" }]);
});

test("the engine is told once why a look-up has failed, without secrets: a program in Go does not show it", async () => {
  const engine = await attached();
  await configure(account());
  for (const name of ["missing", "missing", secret("missing-of-acme")]) {
    await expect(invoke("getService", { name })).rejects.toThrow("there is no service");
  }
  const reason = (name: string): string => `getService has failed: there is no service "${name}" in project `;
  expect(engine.lines).toEqual(
    ["missing", "[secret]"].map((name) => ({
      urn: "",
      text: reason(name) + emulator.projectId,
      severity: "warning",
      isEphemeral: false,
    })),
  );
});

test("a text of the server that quotes a secret name is not shown", async () => {
  await configure(account());
  const body = { message: "the account may not see orders-of-acme today" };
  emulator.faults.add({ kind: "status", status: 403, body, times: Infinity });
  await expect(invoke("getService", { name: secret("orders-of-acme") })).rejects.toThrow(/403 \[secret\]\./);
});

test("a preview needs no key: unknown values of any type pass, a secret stays one, and the engine gets the lines", async () => {
  const engine = await attached();
  await configure({});
  const check = async (news: Values): Promise<messages.CheckResponse> => {
    const request = new messages.CheckRequest().setUrn(URN).setOlds(new Struct()).setNews(struct(news));
    return ask((done) => client.check(request, done));
  };
  const unknownNumber = "3eeb2bf0-c639-47a8-9e75-3b44932eb421";
  const sizes = { cpuMillis: unknownNumber, memoryGbs: unknownNumber };
  const good = await check({ name: secret("orders"), ...sizes, password: "long-enough" });
  expect(good.getFailuresList()).toEqual([]);
  expect(good.getInputs()?.toJavaScript()).toEqual({
    name: secret("orders"),
    cpuMillis: UNKNOWN,
    memoryGbs: UNKNOWN,
    password: secret("long-enough"),
  });
  const said = engine.lines.map(({ text }) => text).join("\n");
  for (const what of ["API key", "base URL"]) expect(said).toContain(`no ${what} is set: a preview does not need one`);
  const bad = await check({ cpuMillis: 500, password: secret(17) });
  const reasons = bad.getFailuresList().map((failure) => [failure.getProperty(), failure.getReason()]);
  expect(reasons).toContainEqual(["", expect.stringContaining("memoryGbs: is missing")]);
  expect(reasons).toContainEqual(["", expect.stringContaining("password: given [secret]")]);
  for (const region of ["atlantis-1", 'atlantis"1', "atlantis\n1", "atlantis-".repeat(20)]) {
    const hidden = await check({ adoptId: secret("svc-hidden"), environment: secret(region), projectId: "" });
    const shown = [...hidden.getFailuresList().map((one) => one.getReason()), ...engine.lines.map(({ text }) => text)];
    expect(shown.join("\n")).toContain('environment: given "[secret]"');
    expect(shown.join("\n")).toContain('the existing service "[secret]" will be adopted');
    expect(shown.join("\n")).not.toContain("atlantis");
    engine.lines.length = 0;
  }
  // The name of another object, as in the members that a refusal lists.
  await check({ name: secret("orders-of-acme") });
  const named = await check({ environment: "orders-of-acme" });
  expect(named.getFailuresList().map((one) => one.getReason())).toEqual([
    expect.stringContaining('environment: given "[secret]"'),
  ]);
  await expect(invoke("getVpcs")).rejects.toThrow("no base URL is set");
});

test("gRPC has room for what an error keeps and says, whatever the length of the server's texts", async () => {
  await configure({ ...account(), pollInterval: "5ms" });
  emulator.faults.add({ kind: "members", members: { status: { value: "LONG".repeat(50_000) } }, times: 1 });
  emulator.faults.add({
    kind: "members",
    members: { log_exporter_id: { value: "long".repeat(50_000) } },
    times: Infinity,
  });
  emulator.faults.add({ kind: "status", status: 400, operation: "enablePooler", times: Infinity });
  const request = new messages.CreateRequest()
    .setUrn(URN)
    .setProperties(struct({ name: "orders", poolerEnabled: true }));
  const half = await new Promise<ServiceError | null>((resolve) => client.create(request, resolve));
  expect(half?.details).toContain("exists and is kept in the state");
  const id = emulator.state().services[0]?.id ?? "";
  expect(String(half?.metadata.get("grpc-status-details-bin")[0])).toContain(id);
  const names = Array.from({ length: 5_000 }, (_, index) => `orders-${index}`);
  const projects = names.map((name) => ({ id: name, name }));
  const others = await createEmulator({ projects, callers: [{ token: "key-of-a-user", kind: "oauth" }] });
  onTestFinished(() => others.close());
  await attached();
  await configure({ apiKey: "key-of-a-user", baseUrl: others.baseUrl });
  await expect(invoke("getServices")).rejects.toThrow(/5000:\n {2}orders-0 .*\n.*…\n.*DBCLOUD_PROJECT_ID/s);
});
