// POST …/replicaSets: `creating`, then `active`. Sizes are numbers here, and text in resize.

import { z } from "zod";
import { actionWithBody } from "../action";
import { bearReplicaSet } from "../births";
import { msFor, start, unseenFrom } from "../changes";
import { invalid, wrongState } from "../failure";
import { atLeastOne, name } from "../fields";
import { demandRunning, findIdleService } from "../lookups";
import * as paths from "../paths";
import { showOnService } from "../replicaSetOnService";
import { demandOffered } from "../sizes";
import { seeAnswered } from "../views";
import { replicaSetWire } from "../wire";

export const createReplicaSet = actionWithBody({
  operation: "createReplicaSet",
  method: "POST",
  path: paths.replicaSets,
  body: z.strictObject({ cpu_millis: atLeastOne, memory_gbs: atLeastOne, name, nodes: atLeastOne }),
  run(context, request) {
    const { world, now } = context;
    const most = world.settings.switches.maxNodes;
    if (request.nodes > most) throw invalid(`nodes: at most ${most}`);
    demandOffered({ cpuMillis: request.cpu_millis, memoryGbs: request.memory_gbs }, world.settings.switches);
    const { entity: service, body: parent } = findIdleService(context);
    demandRunning(parent);
    if (now < service.firstBackupAt) throw wrongState("service doesn't yet have any backups or snapshots available");
    const set = bearReplicaSet(world, service, unseenFrom(world, now, "replicaSet"));
    const { name: setName, nodes, cpu_millis: cpuMillis, memory_gbs: memoryGbs } = request;
    const after = { status: "active", name: setName, cpuMillis, memoryGbs, nodes, poolerEnabled: false };
    const ms = msFor(world, "replicaCreate", { id: set.id, name: setName });
    showOnService(context, service, parent, ms, "create");
    start(context, set, "created", { phases: [{ body: { ...after, status: "creating" }, ms, busy: true }], after });
    return { status: 202, body: replicaSetWire(world, set, seeAnswered(set, now) ?? after, parent) };
  },
});
