// Whole stacks with states that older versions have written (test/states): a preview finds nothing to call, a refresh
// changes nothing, an update calls what it must, and a destroy leaves nothing.

import { expect, test } from "vitest";
import { Peering, ReadReplicaSet, Service, Vpc, type ServiceArgs } from "pulumi-dbcloud";
import type { InlineStack } from "../support/cli/inlineStack";
import { logicalNameOf, type StateResource } from "../support/cli/project";
import { repeats } from "../support/repeats";
import { declared, files, recall } from "../support/oldStates";
import { useEngineWorld, world } from "./world";

useEngineWorld();

const program = (more: ServiceArgs) => () => {
  const { vpcId } = new Vpc("vpc", declared.vpc);
  const { provisionedId } = new Peering("peering", { ...declared.peering, vpcId });
  const { serviceId } = new Service("service", {
    ...declared.service,
    addons: [...declared.service.addons],
    vpcId,
    ...more,
  });
  const { host } = new ReadReplicaSet("readReplicaSet", { ...declared.readReplicaSet, serviceId });
  return { provisionedId, host };
};

/** Gives each resource of the stack the state that is on file, with the ids of the objects that are there. */
async function writeOldStates(stack: InlineStack, file: string): Promise<{ hasGoneInput: boolean }> {
  const now = await stack.resources();
  const idOf = (name: string): string => now[name]?.id ?? "";
  const ids = {
    vpc: idOf("vpc"),
    peering: idOf("peering"),
    service: idOf("service"),
    readReplicaSet: idOf("readReplicaSet"),
  };
  const states = new Map(Object.entries(recall(file, ids, world.emulator.projectId)));
  const exported = await stack.stack.exportStack();
  const { resources = [] } = exported.deployment as { resources?: StateResource[] };
  const own = resources.flatMap((resource) => {
    const state = states.get(logicalNameOf(resource.urn));
    return state === undefined ? [] : [{ resource, state }];
  });
  expect(own).toHaveLength(Object.keys(declared).length);
  for (const { resource, state } of own) {
    // The line that names the provider is of the class, and the address of the emulator; the files have neither.
    const { __provider } = resource.inputs ?? {};
    const __deployment = state.outputs["__deployment"] && resource.outputs?.["__deployment"];
    resource.inputs = { ...state.inputs, __provider };
    // An object is its id and its time, and those of this world are other ones than those of the files.
    const { created } = resource.outputs ?? {};
    resource.outputs = {
      ...state.outputs,
      __provider,
      ...(__deployment === undefined ? {} : { __deployment }),
      ...("created" in state.outputs && { created }),
    };
  }
  await stack.stack.importStack(exported);
  return { hasGoneInput: own.some(({ state }) => "onDelete" in state.inputs) };
}

test.each(repeats(files.slice(0, 1), files))("a stack with the states of %s goes on as with today's", async (file) => {
  const stack = await world.open(program({}), { name: file.replaceAll(/\W/g, "-") });
  await stack.up();
  const { hasGoneInput } = await writeOldStates(stack, file);
  // The engine shows that the program leaves out an input that there is no more.
  expect((await stack.preview()).steps).toEqual(hasGoneInput ? ["update service"] : []);
  const refresh = await stack.refresh();
  expect([refresh.steps, refresh.calls]).toEqual([[], []]);
  stack.program(program({ environment: "PROD" }));
  expect((await stack.up()).calls).toEqual(["setEnvironment"]);
  stack.program(program({ environment: "PROD", deletionProtection: false }));
  expect((await stack.up()).calls).toEqual([]);
  await stack.destroy();
  const { services, vpcs, peerings, replicaSets } = world.emulator.state();
  expect([services, vpcs, peerings, replicaSets].flat()).toEqual([]);
});
