// Look-ups under `pulumi.runtime.setMocks`: the test's `call` answers in place of the API.

import * as pulumi from "@pulumi/pulumi";
import { functionToken, type FunctionName, LIST_MEMBERS } from "./stateNames";

// Pulumi: there is no public way to detect mocks. The monitor of a test is the one that has them.
export function isMocked(): boolean {
  const monitor: object | undefined = pulumi.runtime.getMonitor();
  return monitor !== undefined && "mocks" in monitor;
}

/** What `call` answers to `dbcloud:index:<name>`. A list is taken from its member, or from a bare array. */
export async function askMocks<T>(name: FunctionName, args: object, opts: pulumi.InvokeOptions): Promise<T> {
  const answer = (await pulumi.runtime.invoke(functionToken(name), args, opts)) as object;
  const list = LIST_MEMBERS[name];
  if (list === undefined) return answer as T;
  return (list in answer ? Reflect.get(answer, list) : Object.values(answer)) as T;
}
