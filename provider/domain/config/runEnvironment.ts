// The environment of the running program. Programs of several test stacks run in one process, each against its own account,
// so what one of them reads must not be the environment of the process.

import type { ProcessEnvironment } from "./config";

/** The key of the storage, one for all copies of this package in a process. `pulumi-dbcloud/testing` fills it. */
export const RUN_ENVIRONMENT = Symbol.for("pulumi-dbcloud.environment");

/** The variables of the running program: its own, else those of the process. */
export function environmentOfRun(): ProcessEnvironment {
  const storage: unknown = Reflect.get(globalThis, RUN_ENVIRONMENT);
  return (storage as { getStore(): ProcessEnvironment | undefined } | undefined)?.getStore() ?? process.env;
}
