import * as pulumi from "@pulumi/pulumi";
import { expect, expectTypeOf, test, vi } from "vitest";
import type { Kind, Kinds } from "../../provider/domain/kinds";
import {
  Peering,
  type PeeringArgs,
  Provider,
  ReadReplicaSet,
  type ReadReplicaSetArgs,
  type Region,
  Service,
  type ServiceArgs,
  type SslMode,
  Vpc,
  type VpcArgs,
} from "../../provider/index";
import * as native from "../../provider/native";
import { textLike } from "../support/matchers";
import { sentBy, startProgram, valueOf } from "./program";

const vpcArgs: VpcArgs = { cidr: "10.0.0.0/24", regionCode: "us-east-1" };
const peeringArgs: PeeringArgs = {
  vpcId: "123",
  peerAccountId: "123456789012",
  peerRegionCode: "us-east-1",
  peerVpcId: "vpc-0a1b",
};
const replicaArgs: ReadReplicaSetArgs = { serviceId: "svc1234567", nodes: 2, cpuMillis: 500, memoryGbs: 2 };

/** A kind without a class does not compile. */
const classes = {
  service: { Class: Service, args: { regionCode: "us-east-1" }, getter: "serviceId", importForm: "service:x123" },
  vpc: { Class: Vpc, args: vpcArgs, getter: "vpcId", importForm: "vpc:x123" },
  peering: { Class: Peering, args: peeringArgs, getter: "peeringId", importForm: "peering:VPC/x123" },
  readReplicaSet: {
    Class: ReadReplicaSet,
    args: replicaArgs,
    getter: "replicaSetId",
    importForm: "replica:SERVICE/x123",
  },
} satisfies Record<Kind, unknown>;

const kinds = Object.entries(classes).map(([kind, { Class, ...one }]) => ({
  ...one,
  className: Class.name,
  make: (more: object, opts?: pulumi.CustomResourceOptions) =>
    Reflect.construct(Class, ["a", { ...one.args, ...more }, opts]) as pulumi.CustomResource,
  line: `exports.handler = () => require("pulumi-dbcloud/provider").provider("${kind}");`,
}));

/** The arguments of the class of each kind. */
interface Args {
  service: ServiceArgs;
  vpc: VpcArgs;
  peering: PeeringArgs;
  readReplicaSet: ReadReplicaSetArgs;
}

type Made<K extends Kind> = InstanceType<(typeof classes)[K]["Class"]>;

test.each(kinds)(
  "$className sends its inputs, the fixed provider line, its URN, and nothing else, and has a getter for its id",
  async (kind) => {
    const program = await startProgram();
    const resource = kind.make(kind.args);
    const { type, inputs } = await sentBy(program, resource);
    expect(type).toBe(`pulumi-nodejs:dynamic/dbcloud:${kind.className}`);
    expect(inputs).toEqual({
      ...kind.args,
      __provider: kind.line,
      __urn: `urn:pulumi:dev::project::${type}::a`,
    });
    expect(Reflect.get(resource, kind.getter)).toBe(resource.id);
  },
);

test.each(kinds)(
  "$className passes on unknown properties, sends no other provider line, and changes no object of the caller",
  async (kind) => {
    const program = await startProgram();
    const args = Object.freeze({ ...kind.args, colour: "red", __provider: "exports.handler = () => ({})" });
    const opts: pulumi.CustomResourceOptions = Object.freeze({ additionalSecretOutputs: ["status"] });
    const { inputs } = await sentBy(program, kind.make(args, opts));
    expect(inputs).toMatchObject({ colour: "red", __provider: kind.line });
    expect(opts.additionalSecretOutputs).toEqual(["status"]);
  },
);

test.each(kinds)("$className refuses what cannot work, with a remedy and no stack trace", async (kind) => {
  await startProgram();
  const make = (more: object, opts?: pulumi.CustomResourceOptions) => (): unknown =>
    kind.make({ ...kind.args, ...more }, opts);
  const first = { deleteBeforeReplace: true };
  const excluded = `and \`deleteBeforeReplace\` exclude each other`;
  expect(make({}, { retainOnDelete: true, ...first })).toThrow(`${kind.className} a: \`retainOnDelete\` ${excluded}`);
  const imported = make({}, { import: "x123" });
  expect(imported).toThrow(`pulumi-dbcloud import ${kind.importForm}`);
  expect(imported).toThrow('adoptId: "x123"');
  expect(imported).toThrow(pulumi.RunError);
  expect(make({ [kind.getter]: "x123" })).toThrow(/is an output.*adoptId.*\.get/s);
  const misplaced = { timeouts: { create: "1m" } } as pulumi.CustomResourceOptions;
  expect(make({}, misplaced)).toThrow("`timeouts` is an input, not an option: give it in the second argument");
});

test.each(kinds)("$className warns of an option's path that names no input, an output for instance", async (kind) => {
  await startProgram();
  const warn = vi.spyOn(pulumi.log, "warn").mockResolvedValue();
  const known = ["*", "[*]", '["*"]', "*.x", "projectId", "timeouts.create", '["adoptId"]', "__provider"];
  kind.make(kind.args, { ignoreChanges: known, replaceOnChanges: known });
  expect(warn).not.toHaveBeenCalled();
  kind.make(kind.args, { ignoreChanges: ["status", "projectId"], replaceOnChanges: ["project_id", "times[0]"] });
  expect(warn.mock.calls.map(([text]) => text)).toEqual([
    expect.stringContaining(`${kind.className} a: \`ignoreChanges\` names no input: status. The inputs are `),
    expect.stringMatching(/`replaceOnChanges` names no input: project_id, times\[0\]\. The inputs are .*projectId/),
  ]);
});

test.each(kinds)(
  "$className warns of `deletedWith`: the other object may be kept, and this one runs on",
  async (kind) => {
    await startProgram();
    const warn = vi.spyOn(pulumi.log, "warn").mockResolvedValue();
    kind.make(kind.args, { deletedWith: new Service("other") });
    const said = `${kind.className} a: with \`deletedWith\`, a run that deletes both removes this one from the state only`;
    const warnings = warn.mock.calls.filter(([text]) => text.startsWith(said));
    expect([warn.mock.calls.length, warnings.length]).toEqual([1, 1]);
  },
);

test("the options of a parent that its children get are warned of and refused like their own", async () => {
  await startProgram();
  const warn = vi.spyOn(pulumi.log, "warn").mockResolvedValue();
  const set = (opts: pulumi.CustomResourceOptions) => () => new ReadReplicaSet("readers", replicaArgs, opts);
  const gone = new Service("gone", {}, { deletedWith: new Service("other") });
  set({ parent: gone })();
  expect(warn.mock.calls.map(([text]) => text.split(":")[0])).toEqual(["Service gone", "ReadReplicaSet readers"]);
  const parent = new Service("kept", {}, { retainOnDelete: true });
  expect(set({ parent, deleteBeforeReplace: true })).toThrow("exclude each other");
  expect(set({ parent, deleteBeforeReplace: true, retainOnDelete: false })).not.toThrow();
});

test("the id to accept is a text, as an accepter takes it, unless the program does not wait for it", async () => {
  await startProgram();
  const { waitFor: _, ...peer } = peeringArgs;
  const [waiting, hasty] = [new Peering("a", peer), new Peering("b", { ...peer, waitFor: "none" })];
  expectTypeOf(waiting.provisionedId).toEqualTypeOf<pulumi.Output<string>>();
  expectTypeOf(hasty.provisionedId).toEqualTypeOf<pulumi.Output<string | undefined>>();
  expectTypeOf(new native.Peering("c", { ...peeringArgs, waitFor: "active" }).provisionedId).toEqualTypeOf<
    pulumi.Output<string>
  >();
  expect([waiting, hasty].every((one) => Peering.isInstance(one))).toBe(true);
});

test("a class without a name, or with inputs that are no plain object, says so, and so does a provider", async () => {
  await startProgram();
  for (const each of [Service, Vpc, Peering, ReadReplicaSet, Provider]) {
    const make =
      (...given: unknown[]) =>
      (): unknown =>
        Reflect.construct(each, given) as unknown;
    const words = `${each.name}: the first argument must be its name in the program, a string: new ${each.name}("orders", { … })\nMore: npx pulumi-dbcloud explain invalid-input`;
    for (const given of [[], [{}], [""], [undefined, {}]]) expect(make(...given)).toThrow(new pulumi.RunError(words));
    const inputs = `${each.name} named: the inputs must be a plain object: new ${each.name}("named", { … }), with \`await\` for a Promise, and with \`.apply\` for each input that comes from an Output\nMore: npx pulumi-dbcloud explain invalid-input`;
    const wrong = ["us-east-1", 3, null, [], Promise.resolve({}), pulumi.output({}), new Map()];
    for (const given of wrong) expect(make("named", given)).toThrow(new pulumi.RunError(inputs));
    expect(make("bare", Object.create(null))).not.toThrow();
    expect(make("named")).not.toThrow();
  }
});

test.each(kinds)("$className forwards customTimeouts to where the handlers see them", async (kind) => {
  const program = await startProgram();
  const resource = kind.make(
    { ...kind.args, timeouts: { create: pulumi.output("10m"), delete: undefined } },
    { customTimeouts: { create: "1m", update: "2m", delete: "3m" } },
  );
  const { inputs } = await sentBy(program, resource);
  expect(inputs["timeouts"]).toEqual({ create: "10m", update: "2m", delete: "3m" });
});

test("timeouts without customTimeouts are sent as given, and none as none", async () => {
  const program = await startProgram();
  const given = await sentBy(program, new Service("given", { timeouts: { create: "10m" } }, { customTimeouts: {} }));
  const none = await sentBy(program, new Service("none"));
  expect(given.inputs["timeouts"]).toEqual({ create: "10m" });
  expect(none.inputs).not.toHaveProperty("timeouts");
});

test("isInstance recognizes instances of its class, whose members are Outputs; a child knows its URN", async () => {
  const program = await startProgram();
  const parent = new pulumi.ComponentResource("test:index:Pair", "pair");
  const vpc = new Vpc("net", vpcArgs, { parent });
  expect((await sentBy(program, vpc)).inputs["__urn"]).toBe(await valueOf(vpc.urn));
  const own = Object.entries(vpc).filter(([key]) => !key.startsWith("__"));
  expect(own.filter(([, value]) => !pulumi.Output.isInstance(value))).toEqual([]);
  expect(Vpc.isInstance(vpc)).toBe(true);
  expect(Service.isInstance(vpc)).toBe(false);
  // Pulumi: so asks a policy pack, for either form.
  const ofType = (__pulumiType: string): boolean => Vpc.isInstance({ __pulumiType });
  expect(ofType("pulumi-nodejs:dynamic/dbcloud:Vpc") && ofType("dbcloud:index:Vpc")).toBe(true);
  expect([ofType("dbcloud:index:Service"), Vpc.isInstance(null), Vpc.isInstance({})]).toEqual([false, false, false]);
});

test("get sends the id and what finds the object, and no inputs of a create", async () => {
  const program = await startProgram();
  const cases: Readonly<Record<Kind, { resource: pulumi.CustomResource; id: string; state: object }>> = {
    service: { resource: Service.get("s", "svc1234567"), id: "svc1234567", state: {} },
    vpc: { resource: Vpc.get("v", "123", { projectId: "p2" }), id: "123", state: { projectId: "p2" } },
    peering: { resource: Peering.get("p", "456", { vpcId: "123" }), id: "456", state: { vpcId: "123" } },
    readReplicaSet: {
      resource: ReadReplicaSet.get("r", "rep", { serviceId: "svc" }),
      id: "rep",
      state: { serviceId: "svc" },
    },
  };
  for (const { resource, id, state } of Object.values(cases)) {
    const sent = await sentBy(program, resource);
    const { __provider: line, __urn: urn, ...inputs } = sent.inputs;
    expect(sent.id).toBe(id);
    expect(inputs).toEqual(state);
    expect(line).toMatch(/^exports\.handler = /);
    expect(urn).toBe(await valueOf(resource.urn));
    expect(await valueOf(resource.id)).toBe(id);
  }
});

test.each([undefined, null, ""])("get of the id %j is refused: Pulumi would create an empty object", async (id) => {
  const { sent } = await startProgram();
  const missing = id as string;
  expect(() => Service.get("orders", missing)).toThrow("Service orders: the id is missing; give `get` that of");
  expect(() => native.Vpc.get("net", missing)).toThrow("Vpc net: the id is missing");
  expect(() => Peering.get("office", missing, { vpcId: "1" })).toThrow("Peering office: the id is missing");
  expect(() => ReadReplicaSet.get("r", missing, { serviceId: "s" })).toThrow("ReadReplicaSet r: the id is missing");
  expect(sent).toEqual([]);
});

test("the arguments are exactly the domain's inputs", () => {
  expectTypeOf<{ [K in Kind]: keyof Args[K] }>().toEqualTypeOf<{ [K in Kind]: keyof Kinds[K]["inputs"] }>();
  expectTypeOf<{ [K in Kind]: keyof Kinds[K]["inputs"] }>().toExtend<{ [K in Kind]: keyof Made<K> }>();
});

test("a registration names the line of the program", async () => {
  await startProgram();
  const monitor = pulumi.runtime.getMonitor();
  if (monitor === undefined) throw new Error("no program runs");
  const sent = vi.spyOn(monitor, "registerResource");
  // Pulumi: it takes no frame without a name.
  function declare(): [pulumi.CustomResource[], line: number] {
    const { stack = "" } = new Error();
    const made = [new Service("orders"), new Vpc("net", vpcArgs)];
    return [made, Number(/registration\.test\.ts:(\d+)/.exec(stack)?.[1]) + 1];
  }
  const [made, line] = declare();
  for (const { id } of made) await valueOf(id);
  const places = sent.mock.calls.map(([request]) => request.getSourceposition()?.toObject());
  expect(places).toMatchObject(made.map(() => ({ uri: textLike(/registration\.test\.ts$/), line })));
});

test("types know the words of libpq, and take any region beside the known ones", () => {
  expectTypeOf<"verify-full">().toExtend<SslMode>();
  expectTypeOf<"verify-ful">().not.toExtend<SslMode>();
  expectTypeOf<string>().toExtend<Region>();
  // Editors offer a word of a type as long as the type is not all texts.
  expectTypeOf<Region>().not.toEqualTypeOf<string>();
});

const none: object = {};

test.each<[string, string, pulumi.CustomResourceOptions, RegExp]>([
  ["a parent that is no resource", "a", { parent: none as pulumi.Resource }, /parent is not a valid Resource/],
  ["a provider that is none", "a", { provider: none as pulumi.ProviderResource }, /getPackage is not a function/],
  ["a transformation that throws", "a", { transformations: [refuse] }, /not here/],
])("%s, which fails at once, shows the line of the program", async (_, name, opts, message) => {
  await startProgram();
  const attempt = (): Service => new Service(name, {}, opts);
  expect(attempt).toThrow(
    expect.objectContaining({ message: textLike(message), stack: textLike(/\n +at attempt .*registration\.test\.ts/) }),
  );
});

function refuse(): never {
  throw new Error("not here");
}
