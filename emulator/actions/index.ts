// Every action of the control plane, in the contract's order.

import type { Action } from "../action";
import { attachToVPC } from "./attachToVPC";
import { createPeering } from "./createPeering";
import { createReplicaSet } from "./createReplicaSet";
import { createService } from "./createService";
import { createVpc } from "./createVpc";
import { deletePeering } from "./deletePeering";
import { deleteReplicaSet } from "./deleteReplicaSet";
import { deleteService } from "./deleteService";
import { deleteVpc } from "./deleteVpc";
import { detachFromVPC } from "./detachFromVPC";
import { disablePooler } from "./disablePooler";
import { disableReplicaPooler } from "./disableReplicaPooler";
import { enablePooler } from "./enablePooler";
import { enableReplicaPooler } from "./enableReplicaPooler";
import { forkService } from "./forkService";
import { getLogs } from "./getLogs";
import { getPeering } from "./getPeering";
import { getProjects } from "./getProjects";
import { getService } from "./getService";
import { getVpc } from "./getVpc";
import { listPeerings } from "./listPeerings";
import { listReplicaSets } from "./listReplicaSets";
import { listServices } from "./listServices";
import { listVpcs } from "./listVpcs";
import { renameService } from "./renameService";
import { renameVpc } from "./renameVpc";
import { resize } from "./resize";
import { resizeReplicaSet } from "./resizeReplicaSet";
import { setEnvironment } from "./setEnvironment";
import { setHA } from "./setHA";
import { setReplicaEnvironment } from "./setReplicaEnvironment";
import { start } from "./start";
import { stop } from "./stop";
import { updatePassword } from "./updatePassword";

export const actions: readonly Action[] = [
  getProjects,
  listVpcs,
  createVpc,
  getVpc,
  deleteVpc,
  renameVpc,
  listPeerings,
  createPeering,
  getPeering,
  deletePeering,
  listServices,
  createService,
  getService,
  attachToVPC,
  detachFromVPC,
  resize,
  enablePooler,
  disablePooler,
  forkService,
  updatePassword,
  setEnvironment,
  getLogs,
  setHA,
  stop,
  createReplicaSet,
  deleteReplicaSet,
  resizeReplicaSet,
  enableReplicaPooler,
  disableReplicaPooler,
  setReplicaEnvironment,
  deleteService,
  start,
  renameService,
  listReplicaSets,
];
