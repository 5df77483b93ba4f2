// A look-up under settings that nobody reads.

import * as pulumi from "@pulumi/pulumi";
import { afterEach, expect, test, vi } from "vitest";
import { createEmulator } from "../../emulator/index";
import { getServices } from "../../provider/index";
import { startProgram } from "./program";

afterEach(() => vi.unstubAllEnvs());

test("a misspelt setting is refused before anything is asked", async () => {
  const emulator = await createEmulator();
  vi.stubEnv("DBCLOUD_API_KEY", emulator.apiKey);
  vi.stubEnv("DBCLOUD_BASE_URL", emulator.baseUrl);
  vi.stubEnv("DBCLOUD_PROJECT", "proj000002");
  await startProgram({ asksApi: true });
  await expect(getServices({})).rejects.toThrow("did you mean DBCLOUD_PROJECT_ID?");
  vi.stubEnv("DBCLOUD_PROJECT", "");
  await startProgram({ asksApi: true });
  pulumi.runtime.setAllConfig({ "dbcloud:projectid": "proj000002" });
  await expect(getServices({})).rejects.toThrow("did you mean dbcloud:projectId?");
  pulumi.runtime.setAllConfig({});
  expect(emulator.requests()).toEqual([]);
  expect(await getServices({})).toEqual([]);
  await emulator.close();
});
