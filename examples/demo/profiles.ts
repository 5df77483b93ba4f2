// What the shop needs in each profile: everything that changes between them, and nothing else. The two names change as
// well, to show a rename in place; everything else is named after the project, its resource and the stack (`shop-rehearsal-demo`).

export type Profile = keyof typeof profiles;

export const profiles = {
  normal: {
    network: "shop-normal",
    orders: {
      name: "orders-normal",
      cpuMillis: 1_000,
      memoryGbs: 4,
      environment: "DEV",
      haReplicas: { replicaCount: 1, syncReplicaCount: 0 },
    },
    rehearsal: { poolerEnabled: false, paused: true },
    reports: { cpuMillis: 500, memoryGbs: 2, poolerEnabled: false, environment: "DEV" },
  },
  peak: {
    network: "shop-peak",
    orders: {
      name: "orders-peak",
      cpuMillis: 4_000,
      memoryGbs: 16,
      environment: "PROD",
      haReplicas: { replicaCount: 2, syncReplicaCount: 1 },
    },
    rehearsal: { poolerEnabled: true, paused: false },
    reports: { cpuMillis: 1_000, memoryGbs: 4, poolerEnabled: true, environment: "PROD" },
  },
} as const;
