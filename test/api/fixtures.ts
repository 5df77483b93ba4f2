// Objects as the contract shows them on the wire, and as the provider knows them, each written out by hand.

export const wireService = {
  created: "2026-02-03T04:05:06.789012Z",
  name: "orders",
  project_id: "prj0000001",
  region_code: "us-east-1",
  resources: [{ id: "res1", spec: { cpu_millis: 500, memory_gbs: 2, volume_type: "gp3" } }],
  service_id: "svc1234567",
  service_type: "SERIESDB",
  status: "READY",
  connection_pooler: { endpoint: { host: "pool.example", port: 6432 } },
  data_tiering: { enabled: true },
  endpoint: { host: "db.example", port: 5432 },
  forked_from: { is_standby: false, project_id: "prj0000001", service_id: "svc0000000" },
  ha_replicas: { replica_count: 2, sync_replica_count: 1 },
  log_exporter_id: "6f1c7f0e-0000-4000-8000-000000000001",
  metadata: { environment: "PROD" },
  metric_exporter_id: "6f1c7f0e-0000-4000-8000-000000000002",
  metrics: { memory_mb: 900, milli_cpu: 120, storage_mb: 4096 },
  read_replica_sets: [
    {
      id: "rrs00001",
      cpu_millis: 1000,
      memory_gbs: 4,
      name: "readers",
      nodes: 2,
      status: "active",
      connection_pooler: { endpoint: { host: "readers.example", port: 6433 } },
      endpoint: { host: "readers.example", port: 5433 },
      metadata: { environment: "DEV" },
    },
  ],
  vpc_endpoint: { host: "10.0.0.9", port: 5434, vpc_id: "77" },
};

export const readReplicaSet = {
  replicaSetId: "rrs00001",
  name: "readers",
  nodes: 2,
  cpuMillis: 1000,
  memoryGbs: 4,
  status: "active",
  connectionPooler: { endpoint: { host: "readers.example", port: 6433 } },
  endpoint: { host: "readers.example", port: 5433 },
  environment: "DEV",
};

export const service = {
  serviceId: "svc1234567",
  projectId: "prj0000001",
  name: "orders",
  regionCode: "us-east-1",
  created: "2026-02-03T04:05:06.789012Z",
  serviceType: "SERIESDB",
  status: "READY",
  resources: [{ id: "res1", spec: { cpuMillis: 500, memoryGbs: 2, volumeType: "gp3" } }],
  endpoint: { host: "db.example", port: 5432 },
  connectionPooler: { endpoint: { host: "pool.example", port: 6432 } },
  vpcEndpoint: { host: "10.0.0.9", port: 5434, vpcId: "77" },
  haReplicas: { replicaCount: 2, syncReplicaCount: 1 },
  environment: "PROD",
  forkedFrom: { serviceId: "svc0000000", projectId: "prj0000001", isStandby: false },
  dataTieringEnabled: true,
  logExporterId: "6f1c7f0e-0000-4000-8000-000000000001",
  metricExporterId: "6f1c7f0e-0000-4000-8000-000000000002",
  metrics: { memoryMb: 900, milliCpu: 120, storageMb: 4096 },
  readReplicaSets: [readReplicaSet],
};

/** The least a service can be. */
export const wireBareService = {
  created: "2026-02-03T04:05:06Z",
  name: "orders",
  project_id: "prj0000001",
  region_code: "us-east-1",
  resources: [{}],
  service_id: "svc1234567",
  service_type: "SOMETHING_NEW",
  status: "Dreaming",
};

export const bareService = {
  serviceId: "svc1234567",
  projectId: "prj0000001",
  name: "orders",
  regionCode: "us-east-1",
  created: "2026-02-03T04:05:06Z",
  serviceType: "SOMETHING_NEW",
  status: "Dreaming",
  resources: [{}],
  readReplicaSets: [],
};

export const wireVpc = { id: "77", cidr: "10.1.0.0/24", name: "main", region_code: "us-east-1" };
export const vpc = { vpcId: "77", cidr: "10.1.0.0/24", name: "main", regionCode: "us-east-1" };

export const wirePeering = {
  id: "901",
  peer_account_id: "123456789012",
  peer_region_code: "eu-west-1",
  peer_vpc_id: "vpc-0aa",
  error_message: "not accepted yet",
  provisioned_id: "pcx-0bb",
  status: "pending",
};
export const peering = {
  peeringId: "901",
  peerAccountId: "123456789012",
  peerRegionCode: "eu-west-1",
  peerVpcId: "vpc-0aa",
  provisionedId: "pcx-0bb",
  status: "pending",
  errorMessage: "not accepted yet",
};
