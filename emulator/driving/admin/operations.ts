// Every operation of the admin API by name. Each calls one function of the emulator, at the request of somebody or, as an
// act of a fault, at a request to the control plane.

import { z } from "zod";
import { required } from "../../checkedShape";
import type { Operation } from "../../controlPlane/actions/action";
import { actions, isOperation, profiles, type Profile } from "../../controlPlane/actions/index";
import { type Act, type RequestAtHand, faultRequest, randomFaultsRequest } from "../../controlPlane/http/faults";
import type { ObjectKind } from "../../controlPlane/world/entities";
import { kindNames, rowOf } from "../../controlPlane/world/kinds";
import type { LogLine } from "../../controlPlane/world/logs";
import type { Emulator } from "../../emulator";
import { Missing } from "../../errors";
import type { Snapshot } from "../data/worldDocument";
import { changes, creations, moment, capitalized } from "../mutate";
import { openApiDocument } from "../openapi";
import { applySettings, settingsJson, settingsRequest } from "../../controlPlane/settings/settings";

interface AdminCall {
  readonly emulator: Emulator;
  readonly profile: Profile;
  readonly params: Readonly<Record<string, string>>;
  /** Parsed with the schema of the operation. */
  readonly body: unknown;
}

/** Its path is relative to the admin URL. An absent body counts as `{}`. */
export interface AdminOperation extends Operation {
  readonly summary: string;
  readonly body: z.ZodType | undefined;
  /** Of an answer with a body; one without has 204. */
  readonly statuses: readonly [200 | 201, 204];
  /** Needs no key. */
  readonly isOpen: boolean;
  run(call: AdminCall): unknown;
}

type Route = `${"GET" | "POST" | "PATCH" | "DELETE"} /${string}`;
type Extra = Partial<Omit<AdminOperation, "method" | "path" | "summary" | "run">>;

const plain = {
  body: undefined,
  isBodyOptional: false,
  query: undefined,
  statuses: [200, 204],
  isOpen: false,
} as const;

function operation(
  route: Route,
  summary: string,
  run: (call: AdminCall) => unknown,
  extra: Extra = {},
): AdminOperation {
  const [method = "", path = ""] = route.split(" ");
  return { ...plain, ...extra, method, path, summary, run };
}

const withBody = <B>(
  route: Route,
  summary: string,
  body: z.ZodType<B>,
  run: (call: AdminCall, body: B) => unknown,
  extra: Extra = {},
): AdminOperation => operation(route, summary, (call) => run(call, call.body as B), { ...extra, body });

const collections = {
  vpc: "/vpcs",
  peering: "/vpcs/:owner_id/peerings",
  service: "/services",
  replicaSet: "/services/:owner_id/replicaSets",
} as const satisfies Readonly<Record<ObjectKind, string>>;

function mutationsOf(kind: ObjectKind): [string, AdminOperation][] {
  const collection = collections[kind];
  const { word } = rowOf(kind);
  const name = capitalized(kind);
  const path = `/${kind}s/:id` as const;
  const made: z.ZodType = creations[kind];
  const changed: z.ZodType = changes[kind];
  const run =
    (method: `create${typeof name}` | ObjectKind | `delete${typeof name}`, parameter?: "id" | "owner_id") =>
    ({ emulator: { mutate }, params, body }: AdminCall): unknown => {
      // JSON has no `undefined`: what a schema lets be absent, is absent.
      const call = mutate[method] as (...given: never[]) => unknown;
      return call(...([...(parameter ? [params[parameter] ?? ""] : []), body] as never[]));
    };
  const create = run(`create${name}`, collection.includes(":owner_id") ? "owner_id" : undefined);
  const extra = { isBodyOptional: true, statuses: [201, 204] } as const;
  return [
    [`create${name}`, withBody(`POST ${collection}`, `create a ${word}`, made, create, extra)],
    [
      `change${name}`,
      withBody(`PATCH ${path}`, `change a ${word}, at once and without a transition`, changed, run(kind, "id")),
    ],
    [
      `delete${name}`,
      operation(`DELETE ${path}`, `delete a ${word}, whatever belongs to it`, run(`delete${name}`, "id")),
    ],
  ];
}

const logLine = z.strictObject({
  message: z.string(),
  severity: z.string().exactOptional(),
  at: moment.exactOptional(),
  node: z.int().min(0).exactOptional(),
}) satisfies z.ZodType<LogLine>;

export const adminOperations: Readonly<Record<string, AdminOperation>> = {
  getState: operation("GET /state", "what the objects are, whatever answers show; passwords included", ({ emulator }) =>
    emulator.state(),
  ),
  getRequests: operation(
    "GET /requests",
    "every request to the control plane, without passwords and tokens",
    ({ emulator }) => emulator.requests(),
  ),
  clearRequests: operation("DELETE /requests", "forget the requests so far", ({ emulator }) =>
    emulator.clearRequests(),
  ),
  getLedger: operation(
    "GET /ledger",
    "every creation, change and deletion that took effect, in order",
    ({ emulator }) => emulator.ledger(),
  ),
  ...Object.fromEntries(kindNames.flatMap(mutationsOf)),
  writeLogs: withBody(
    "POST /services/:id/logs",
    "write into the logs of a service",
    z.array(logLine).min(1),
    ({ emulator, params }, lines) => emulator.mutate.logs(params["id"] ?? "", lines),
  ),
  listFaults: operation("GET /faults", "the faults, and how many requests each applied to", ({ emulator }) =>
    emulator.faults.list(),
  ),
  addFault: withBody(
    "POST /faults",
    "let coming requests go wrong",
    faultRequest,
    ({ emulator }, fault) => ({ id: emulator.faults.add(fault).id }),
    { statuses: [201, 204] },
  ),
  addRandomFaults: withBody(
    "POST /faults/random",
    "let requests go wrong by a seeded chance",
    randomFaultsRequest,
    ({ emulator }, options) => ({ id: emulator.faults.random(options).id }),
    { statuses: [201, 204] },
  ),
  removeFault: operation("DELETE /faults/:fault_id", "remove a fault", ({ emulator, params }) => {
    const id = params["fault_id"] ?? "";
    if (!emulator.faults.remove(id)) throw new Missing("fault", id);
  }),
  clearFaults: operation("DELETE /faults", "remove all faults", ({ emulator }) => emulator.faults.clear()),
  getClock: operation("GET /clock", "the emulator's clock", ({ emulator }) => emulator.clock.state()),
  advanceClock: withBody(
    "POST /clock/advance",
    "put the clock ahead",
    z.strictObject({ ms: z.int().min(0) }),
    ({ emulator }, { ms }) => emulator.clock.advance(ms),
  ),
  freezeClock: operation("POST /clock/freeze", "stop the clock", ({ emulator }) => emulator.clock.freeze()),
  resumeClock: operation("POST /clock/resume", "let the clock run on from where it is", ({ emulator }) =>
    emulator.clock.resume(),
  ),
  getSettings: operation("GET /settings", "timings, lags, rate limit and switches", ({ emulator }) =>
    settingsJson(emulator.settings),
  ),
  changeSettings: withBody(
    "PATCH /settings",
    "change timings, lags, rate limit and switches, from the next request on",
    settingsRequest,
    ({ emulator: { settings } }, given) => {
      applySettings(settings, given);
      return settingsJson(settings);
    },
  ),
  settle: operation("POST /settle", "finish all changes and drop all lag and stuck statuses", ({ emulator }) =>
    emulator.settle(),
  ),
  takeSnapshot: operation(
    "POST /snapshot",
    "the world with all that is under way, and the clock; passwords included",
    ({ emulator }) => emulator.snapshot(),
  ),
  restore: withBody(
    "POST /restore",
    "put a snapshot back, the clock included",
    // `restore` checks the document itself, and says what is wrong with it.
    z.looseObject({ format: z.int() }) as z.ZodType as z.ZodType<Snapshot>,
    ({ emulator }, snapshot) => emulator.restore(snapshot),
  ),
  reset: operation(
    "POST /reset",
    "as it was when it was made: no objects, faults or requests, settings and clock as given",
    ({ emulator }) => emulator.reset(),
  ),
  getAdminDocument: operation(
    "GET /openapi.json",
    "this document",
    ({ emulator: { adminUrl: url } }) => {
      const description = "Looks at the emulator and changes it out of band, as somebody does in the vendor's console.";
      const about = { title: "Admin API of the emulator", description, url };
      const details = ({ summary, isOpen }: AdminOperation) => ({ summary, ...(isOpen && { security: [] }) });
      return openApiDocument(about, adminOperations, details);
    },
    { isOpen: true },
  ),
  getControlPlaneDocument: operation(
    "GET /control-plane/openapi.json",
    "the document of the control plane",
    ({ emulator: { baseUrl: url }, profile }) => {
      const description =
        "The operations and request shapes of this emulator. Operations with x-offer other than contract are offered by " +
        "deployments, although the contract is silent about them.";
      const about = { title: "Managed PostgreSQL control plane, as the emulator serves it", description, url };
      const offered = profiles[profile].map((name) => [name, actions[name]] as const);
      return openApiDocument(about, Object.fromEntries(offered), ({ offer }) => ({
        "x-offer": offer,
      }));
    },
    { isOpen: true },
  ),
};

/** What an act needs from the emulator. */
interface Stage {
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
  const change = adminOperations[call];
  if (change === undefined || change.method === "GET") {
    const names = Object.keys(adminOperations).filter((name) => adminOperations[name]?.method !== "GET");
    throw new TypeError(`act: the admin API has no change ${call}; there are ${names.join(", ")}`);
  }
  const checked = change.body && required("act", change.body, body ?? (change.isBodyOptional ? {} : undefined));
  const [, collection] = change.path.split("/");
  const kind = kindNames.find((one) => `${one}s` === collection);
  return (request) => {
    const own = (kind && idFrom(request, rowOf(kind).parameter)) ?? "";
    const all = { id: own, owner_id: own, ...params };
    try {
      change.run({ emulator: stage.emulator(), profile: "full", params: all, body: checked });
    } catch (error) {
      // As a client, who would be refused.
      if (!(error instanceof Missing)) throw error;
    }
  };
}

/** The id in the path of the request, or else that of the object which the request has made. */
const idFrom = ({ params, subjectId }: RequestAtHand, name: string): string | undefined => params[name] ?? subjectId;

const filled = (path: string, valueOf: (name: string) => string | undefined): string =>
  path.replaceAll(/:(\w+)/g, (_, name: string) => encodeURIComponent(valueOf(name) ?? ""));
