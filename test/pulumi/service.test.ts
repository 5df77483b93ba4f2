import * as pulumi from "@pulumi/pulumi";
import { expect, test, vi } from "vitest";
import { Provider, Service, type ServiceArgs } from "../../provider/index";
import { inEnvironment } from "../../testing/environment";
import { sentBy, startProgram } from "./program";

/** The options as they reach Pulumi. */
async function optionsOf(
  args: ServiceArgs,
  opts: pulumi.CustomResourceOptions = {},
): Promise<pulumi.CustomResourceOptions> {
  let seen: pulumi.CustomResourceOptions = {};
  const spy: pulumi.ResourceTransformation = ({ opts: reached }) => {
    seen = reached;
    return undefined;
  };
  const { id } = new Service("db", args, { ...opts, transformations: [spy] });
  await new Promise((resolve) => void id.apply(resolve));
  return seen;
}

const protection: { args: ServiceArgs; own?: boolean; protect: boolean | undefined }[] = [
  { args: {}, protect: undefined },
  { args: { deletionProtection: true }, protect: true },
  { args: { deletionProtection: false }, protect: undefined },
  { args: { environment: "PROD" }, protect: true },
  { args: { environment: "DEV" }, protect: undefined },
  { args: { environment: "PROD", deletionProtection: false }, protect: undefined },
  { args: { environment: "PROD", deletionProtection: true }, protect: true },
  { args: { deletionProtection: true }, own: false, protect: false },
  { args: {}, own: true, protect: true },
  // What is not a literal is left to the handlers.
  { args: { deletionProtection: pulumi.output(true) }, protect: undefined },
  { args: { environment: pulumi.output("PROD" as const) }, protect: undefined },
];

test.each(protection)("protect of $args, given $own, is $protect", async ({ args, own, protect }) => {
  await startProgram();
  expect((await optionsOf(args, own === undefined ? {} : { protect: own })).protect).toBe(protect);
});

test("the protect of a component counts like the service's own", async () => {
  await startProgram();
  const parent = new pulumi.ComponentResource("shop:Databases", "databases", {}, { protect: false });
  expect((await optionsOf({ environment: "PROD" }, { parent })).protect).toBeUndefined();
});

const BY_SETTING: { where: string; args: ServiceArgs; opts?: () => pulumi.CustomResourceOptions; protect?: true }[] = [
  { where: "the stack", args: {}, protect: true },
  { where: "the stack", args: { environment: "DEV" }, protect: true },
  { where: "the stack", args: { deletionProtection: false } },
  { where: "the stack", args: { deletionProtection: pulumi.output(false) } },
  {
    where: "the stack, but not the given provider",
    args: {},
    opts: () => ({ provider: new Provider("other", { projectId: "p2" }) }),
  },
  {
    where: "a provider",
    args: {},
    opts: () => ({ provider: new Provider("own", { deletionProtection: true }) }),
    protect: true,
  },
  {
    where: "the provider of a component",
    args: {},
    opts: () => ({
      parent: new pulumi.ComponentResource(
        "shop:Databases",
        "databases",
        {},
        { providers: [new Provider("own", { deletionProtection: "true" })] },
      ),
    }),
    protect: true,
  },
];

test.each(BY_SETTING)(
  "with the setting of $where, protect of $args is $protect",
  async ({ where, args, opts, protect }) => {
    await startProgram();
    if (where.startsWith("the stack")) pulumi.runtime.setConfig("dbcloud:deletionProtection", "true");
    try {
      expect((await optionsOf(args, opts?.())).protect).toBe(protect);
    } finally {
      pulumi.runtime.setAllConfig({});
    }
  },
);

test.each([
  [{ DBCLOUD_DELETION_PROTECTION: "true" }, true],
  [{}, undefined],
])("in a test stack with %j, whatever this process has, protect is %s", async (environment, protect) => {
  await startProgram();
  vi.stubEnv("DBCLOUD_DELETION_PROTECTION", protect === true ? "false" : "true");
  expect((await inEnvironment(environment, () => optionsOf({}))).protect).toBe(protect);
});

test("the possible passwords are secret outputs, in addition to the program's own", async () => {
  await startProgram();
  const own = { additionalSecretOutputs: ["endpoint"] };
  expect((await optionsOf({}, own)).additionalSecretOutputs).toEqual(["initialPassword", "endpoint"]);
  const given = await optionsOf({ password: pulumi.output("given") }, own);
  expect(given.additionalSecretOutputs).toEqual(["password", "initialPassword", "endpoint"]);
});

test("a password is sent as a secret, even if the program gives plain text", async () => {
  const program = await startProgram();
  const service = new Service("db", { password: "plain-given" });
  const { inputs } = await sentBy(program, service);
  expect(inputs["password"]).toEqual({
    "4dabf18193072939515e22adb298388d": "1b47061264138c4ac30d75fd1eb44270",
    value: "plain-given",
  });
  expect(await pulumi.isSecret(service.password)).toBe(true);
});
