// What somebody else does at a request: a change of the admin API, or an operation of the control plane as another
// client calls it. Both are checked when the fault is added.

import { validated } from "../../controlPlane/actions/action";
import { actions, isOperation } from "../../controlPlane/actions/index";
import type { Act, RequestAtHand } from "../../controlPlane/http/faults";
import { messageOf } from "../../errors";
import type { Emulator } from "../../emulator";
import { adminOperations, type AdminOperation } from "./operations";

/** What an act needs from the emulator. */
export interface Stage {
  emulator(): Emulator;
  /** Sends a request as a second client of the default caller. */
  send(method: string, path: string, body: unknown): void;
}

/** Throws a TypeError for an act that cannot be. */
export function performed({ by, call, params = {}, body }: Act, stage: Stage): (request: RequestAtHand) => void {
  if (by === "client") {
    if (!isOperation(call)) throw new TypeError(`act: the control plane has no operation ${call}`);
    const { method, path } = actions[call];
    return (request) =>
      stage.send(
        method,
        filled(path, (name) => params[name] ?? idFrom(request, name)),
        body,
      );
  }
  const operation = adminOperations[call];
  if (operation === undefined || operation.method === "GET")
    throw new TypeError(`act: the admin API has no change ${call}; there are ${changesByHand().join(", ")}`);
  const checked = bodyFor(operation, body);
  const [, collection = ""] = operation.path.split("/");
  return (request) => {
    const own = idFrom(request, idName(collection)) ?? "";
    const all = { id: own, owner_id: own, ...params };
    operation.run({ emulator: stage.emulator(), profile: "full", params: all, query: {}, body: checked });
  };
}

const changesByHand = (): string[] =>
  Object.keys(adminOperations).filter((name) => adminOperations[name]?.method !== "GET");

function bodyFor({ body: schema, isBodyOptional }: AdminOperation, given: unknown): unknown {
  if (!schema) return undefined;
  try {
    return validated(schema, given === undefined && isBodyOptional ? {} : given);
  } catch (error) {
    throw new TypeError(`act: ${messageOf(error)}`, { cause: error });
  }
}

/** `replicaSets` gives `replica_set_id`, as the paths of the control plane say. */
const idName = (collection: string): string =>
  `${collection.slice(0, -1).replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)}_id`;

/** The id in the path of the request, or else that of the object which the request has made. */
const idFrom = ({ params, subjectId }: RequestAtHand, name: string): string | undefined => params[name] ?? subjectId;

const filled = (path: string, valueOf: (name: string) => string | undefined): string =>
  path.replaceAll(/:(\w+)/g, (_, name: string) => encodeURIComponent(valueOf(name) ?? ""));
