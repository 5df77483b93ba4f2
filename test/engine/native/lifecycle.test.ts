// The plugin on the real engine: whose settings count, and which time limits. Its whole path is in test/languages.

import * as pulumi from "@pulumi/pulumi";
import { expect, test } from "vitest";
import { Provider, Service } from "../../../provider/native";
import { useEngineWorld, world } from "../world";

const small = { regionCode: "us-east-1", cpuMillis: 500, memoryGbs: 2 } as const;

useEngineWorld();

test("an explicit provider wins over the environment, and a component passes it on; time limits arrive", async () => {
  const inline = await world.open(
    () => {
      const own = new Provider("own", { apiKey: world.emulator.apiKey, projectId: world.emulator.projectId });
      const group = new pulumi.ComponentResource("test:index:Group", "group", {}, { providers: { dbcloud: own } });
      void new Service("slow", small, { parent: group, customTimeouts: { create: "1s" } });
      return Promise.resolve();
    },
    { project: "explicit" },
  );
  inline.stack.workspace.envVars["DBCLOUD_API_KEY"] = "wrong-key-of-the-environment";
  world.emulator.settings.timings.create = 20_000;
  const failed = await inline.up().catch((error: unknown) => String(error));
  expect(failed).toContain("exists and is kept in the state, but is not as declared yet");
  world.emulator.settle();
  expect(inline.text()).not.toContain(world.emulator.apiKey);
  expect((await inline.up()).calls).toEqual([]);
  await inline.destroy();
});
