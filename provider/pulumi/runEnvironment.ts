// The environment that a program runs in. Inline programs of several stacks run in one process, each against its own
// account: what one of them is given must not be the process's.

import { AsyncLocalStorage } from "node:async_hooks";
import type { ProcessEnvironment } from "../domain/config/config";

/** One for all copies of this package in a process. */
const KEY = Symbol.for("pulumi-dbcloud.environment");

/** What a look-up of the running program reads: its own environment, else that of the process. */
export function environmentOfRun(): ProcessEnvironment {
  return storage()?.getStore() ?? process.env;
}

/** Runs a program whose look-ups see this environment instead of the process's. */
export function inEnvironment<T>(environment: ProcessEnvironment, program: () => T): T {
  const own = storage() ?? new AsyncLocalStorage<ProcessEnvironment>();
  Reflect.set(globalThis, KEY, own);
  return own.run(environment, program);
}

function storage(): AsyncLocalStorage<ProcessEnvironment> | undefined {
  return Reflect.get(globalThis, KEY) as AsyncLocalStorage<ProcessEnvironment> | undefined;
}
