// The emulator, an engine and the real provider process between them, for one test.

import { expect, onTestFinished } from "vitest";
import { createEmulator, type EmulatorOptions } from "../../emulator/index";
import { startEngine } from "./engine";
import { startProvider, type Values } from "./provider";

// Frozen: states hold these texts for years, and refresh and destroy run what they load.
export const lines = {
  service: 'exports.handler = () => require("pulumi-dbcloud/provider").provider("service");',
  vpc: 'exports.handler = () => require("pulumi-dbcloud/provider").provider("vpc");',
  peering: 'exports.handler = () => require("pulumi-dbcloud/provider").provider("peering");',
  readReplicaSet: 'exports.handler = () => require("pulumi-dbcloud/provider").provider("readReplicaSet");',
};

export type Kind = keyof typeof lines;

const classes = { service: "Service", vpc: "Vpc", peering: "Peering", readReplicaSet: "ReadReplicaSet" };

export function urnOf(kind: Kind, name: string): string {
  return `urn:pulumi:dev::shop::pulumi-nodejs:dynamic/dbcloud:${classes[kind]}::${name}`;
}

/** What the classes send beside the program's own inputs. */
export function hidden(kind: Kind, name: string): Values {
  return { __provider: lines[kind], __urn: urnOf(kind, name), __defaultName: `${name}-dev` };
}

export interface SceneOptions {
  emulator?: EmulatorOptions;
  /** Configuration of the stack by key; `undefined` takes a usual one away. */
  settings?: Record<string, string | undefined>;
  environment?: Record<string, string>;
}

export async function openScene({ emulator: options, settings, environment }: SceneOptions = {}) {
  // Long enough for progress to be reported.
  const emulator = await createEmulator({ seed: 1, timings: { create: 400, delete: 400 }, ...options });
  const engine = await startEngine();
  const provider = await startProvider({ engine, environment: { DBCLOUD_TEST_TIME_SCALE: "0.01", ...environment } });
  onTestFinished(async () => {
    await provider.end();
    engine.kill();
    await emulator.close();
  });
  const given = { apiKey: emulator.apiKey, baseUrl: emulator.baseUrl, pollInterval: "5ms", ...settings };
  const config = Object.entries<string | undefined>(given).flatMap(([key, value]) =>
    value === undefined ? [] : [[`dbcloud:${key}`, value]],
  );
  await provider.configure(Object.fromEntries(config) as Record<string, string>);
  return {
    emulator,
    engine,
    provider,
    /** The inputs as a `check` without failures answers them. */
    checked: async (kind: Kind, name: string, args: Values = {}, olds: Values = {}): Promise<Values> => {
      const { inputs, failures } = await provider.check(olds, { ...hidden(kind, name), ...args });
      expect(failures).toEqual([]);
      return inputs;
    },
  };
}
