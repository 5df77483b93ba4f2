// Read replica sets: `creating`, then `active`. A create takes sizes as numbers, a resize as text.

import { bodyInAnswer, addReplicaSet } from "../world/world";
import { z } from "zod";
import { replicaSetWire, shownReplicaSets } from "../wire/objects";
import { durationMs, hiddenAfterCreate, showStatus, startChange, startDelete, startUpdate } from "../world/changes";
import type { Service, ServiceBody } from "../world/entities";
import { accepted, get, post, paths, postJson, remove, type Answer, type Context } from "./action";
import { invalid } from "./failure";
import { environmentTag, name, exactSize, nodeSize } from "./request/fields";
import { find, findIdle, requireRoom, requireRunning, type FoundObject } from "./request/find";

const newSet = z.strictObject({ name, ...nodeSize });

const pooler = { statuses: [200] };

export const replicaSets = {
  createReplicaSet: postJson(paths.replicaSets, newSet, createReplicaSet),

  /** A repeated request during the deletion succeeds. */
  deleteReplicaSet: remove(paths.replicaSet, (context) => {
    if (find(context, "replicaSet").body.status === "deleting") return { status: 202 };
    const found = findIdleSet(context);
    const { entity: set, parent } = found;
    const ms = durationMs(context.world, "replicaDelete", set);
    showOnService(context, set.service, parent, ms, "delete");
    startDelete(context, found, ms, { status: "deleting" });
    return { status: 202 };
  }),

  resizeReplicaSet: postJson(`${paths.replicaSet}/resize`, exactSize, (context, size) => {
    const found = findIdleSet(context);
    const { entity: set, body, parent } = found;
    requireRunning(parent);
    const ms = durationMs(context.world, "replicaResize", set);
    showOnService(context, set.service, parent, ms, "resize");
    startUpdate(context, found, "replicaResize", { status: "resizing", after: { ...body, ...size } });
    return accepted(202, "resizing read replica set");
  }),

  enableReplicaPooler: post(`${paths.replicaSet}/enablePooler`, (context) => setPooler(context, true), pooler),

  disableReplicaPooler: post(`${paths.replicaSet}/disablePooler`, (context) => setPooler(context, false), pooler),

  setReplicaEnvironment: postJson(
    `${paths.replicaSet}/setEnvironment`,
    z.strictObject({ environment: environmentTag }),
    (context, { environment }) => {
      const { entity, body } = findIdle(context, "replicaSet");
      startChange(context, entity, "changed", { phases: [], after: { ...body, environment } });
      return accepted(200, "environment set");
    },
    { statuses: [200] },
  ),

  /** The same sets as in the service's `read_replica_sets`. */
  listReplicaSets: get(
    paths.replicaSets,
    (context) => {
      const { entity: service, body } = find(context, "service");
      return { status: 200, body: shownReplicaSets(context.world, service, body, context.now) };
    },
    { offer: "extension" },
  ),
};

function findIdleSet(context: Context): FoundObject<"replicaSet"> & { readonly parent: ServiceBody } {
  findIdle(context, "replicaSet");
  const { body: parent } = find(context, "service");
  return { parent, ...find(context, "replicaSet") };
}

function createReplicaSet(context: Context, request: z.infer<typeof newSet>): Answer {
  const { world, now } = context;
  const { nodes, cpu_millis: cpuMillis, memory_gbs: memoryGbs } = request;
  const { entity: service, body: parent } = findIdle(context, "service");
  requireRunning(parent);
  if (now < service.firstBackupAt) throw invalid("service doesn't yet have any backups or snapshots available");
  requireRoom(context);
  const set = addReplicaSet(world, service, hiddenAfterCreate(world, now, "replicaSet"));
  const after = { status: "active", name: request.name, cpuMillis, memoryGbs, nodes, poolerEnabled: false };
  const ms = durationMs(world, "replicaCreate", set, after.name);
  showOnService(context, service, parent, ms, "create");
  startChange(context, set, "created", { phases: [{ body: { ...after, status: "creating" }, ms, busy: true }], after });
  return { status: 202, body: replicaSetWire(world, set, bodyInAnswer(set, now) ?? after, parent) };
}

function setPooler(context: Context, poolerEnabled: boolean): Answer {
  const found = findIdleSet(context);
  const { body, parent } = found;
  requireRunning(parent);
  startUpdate(context, found, "pooler", { status: body.status, after: { ...body, poolerEnabled } });
  return accepted(200, `connection pooler ${poolerEnabled ? "enabled" : "disabled"}`);
}

/**
 * API: the contract says that clients observe some replica set changes through the status of the service. A switch
 * decides whether that status really shows them.
 */
function showOnService(
  context: Context,
  service: Service,
  body: ServiceBody,
  ms: number,
  kind: "create" | "resize" | "delete",
): void {
  const shows = context.world.settings.switches.replicaSetOnService;
  if (shows === "never" || (shows === "delete" && kind !== "delete")) return;
  const upgrading = { ...body, status: "UPGRADING" };
  // The change of the set itself keeps its service busy. A fault that holds the status of the service does not extend
  // that.
  showStatus(context.world, service, context.now, { phases: [{ body: upgrading, ms, busy: false }], after: body });
}
