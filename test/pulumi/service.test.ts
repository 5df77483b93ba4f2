import * as pulumi from "@pulumi/pulumi";
import { expect, test } from "vitest";
import { Service, type ServiceArgs } from "../../provider/index";
import { sentBy, startProgram } from "./program";

/** The options as they reach Pulumi. */
function optionsOf(args: ServiceArgs, opts: pulumi.CustomResourceOptions = {}): pulumi.CustomResourceOptions {
  let seen: pulumi.CustomResourceOptions = {};
  const spy: pulumi.ResourceTransformation = ({ opts: reached }) => {
    seen = reached;
    return undefined;
  };
  void new Service("db", args, { ...opts, transformations: [spy] });
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
  expect(optionsOf(args, own === undefined ? {} : { protect: own }).protect).toBe(protect);
});

test("the possible passwords are secret outputs, in addition to the program's own", async () => {
  await startProgram();
  const own = { additionalSecretOutputs: ["endpoint"] };
  expect(optionsOf({}, own).additionalSecretOutputs).toEqual(["initialPassword", "endpoint"]);
  const given = optionsOf({ password: pulumi.output("given") }, own);
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
