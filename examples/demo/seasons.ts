// What the shop needs in each season: everything that changes between them, and nothing else.

export type Season = keyof typeof seasons;

export const seasons = {
  calm: {
    network: "shop-calm",
    orders: {
      name: "orders-calm",
      cpuMillis: 1_000,
      memoryGbs: 4,
      environment: "DEV",
      haReplicas: { replicaCount: 1, syncReplicaCount: 0 },
    },
    rehearsal: { poolerEnabled: false, paused: true },
    reports: { cpuMillis: 500, memoryGbs: 2, poolerEnabled: false, environment: "DEV" },
  },
  sale: {
    network: "shop-sale",
    orders: {
      name: "orders-sale",
      cpuMillis: 4_000,
      memoryGbs: 16,
      environment: "PROD",
      haReplicas: { replicaCount: 2, syncReplicaCount: 1 },
    },
    rehearsal: { poolerEnabled: true, paused: false },
    reports: { cpuMillis: 1_000, memoryGbs: 4, poolerEnabled: true, environment: "PROD" },
  },
} as const;
