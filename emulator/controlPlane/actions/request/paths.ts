// The paths of the contract, each once. Imports nothing.

export const projects = "/projects";
export const vpcs = `${projects}/:project_id/vpcs`;
export const vpc = `${vpcs}/:vpc_id`;
export const peerings = `${vpc}/peerings`;
export const peering = `${peerings}/:peering_id`;
export const services = `${projects}/:project_id/services`;
export const service = `${services}/:service_id`;
export const replicaSets = `${service}/replicaSets`;
export const replicaSet = `${replicaSets}/:replica_set_id`;
