// The look-ups as a plugin offers them: an answer is one object, so a list comes in a member of one.

import { InputError } from "../provider/domain/errors";
import { describeUnreadable, unreadableOf } from "../provider/domain/listed";
import type { ServiceLogEntry, ServiceLogsArgs } from "../provider/domain/lookups";
import type { Values } from "../provider/domain/values/value";
import { lookups } from "../provider/core/lookups";
import type { ClientSession } from "../provider/core/createSession";
import { functionToken, LIST_MEMBERS } from "../provider/pulumi/stateNames";

/** Most entries of `serviceLogs` without a `limit`. */
const MOST_ENTRIES = 1_000;

export async function invoke(
  session: ClientSession,
  token: string,
  args: Values,
  warn: (line: string) => void,
): Promise<Values> {
  const all = lookups(session);
  const name = (Object.keys(all) as (keyof typeof all)[]).find((one) => functionToken(one) === token);
  if (name === undefined) throw new InputError("unknown-type", "", `there is no function ${token}`);
  if (name === "serviceLogs") {
    const entries: ServiceLogEntry[] = [];
    const query = { limit: MOST_ENTRIES, ...args } as Values & ServiceLogsArgs;
    for await (const entry of all.serviceLogs(query)) entries.push(entry);
    return { entries };
  }
  const result = await (all[name] as (given: Values) => Promise<object>)(args);
  if (!Array.isArray(result)) return { ...result };
  const items: readonly unknown[] = result;
  const unreadable = unreadableOf(items).map(describeUnreadable);
  if (unreadable.length > 0) {
    warn(`${name}: left out, because the answer does not match the contract: ${unreadable.join("; ")}`);
  }
  return { [LIST_MEMBERS[name] ?? "items"]: [...items] };
}
