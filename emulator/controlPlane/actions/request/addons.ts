// Maps the addons of a create to extensions of PostgreSQL.

const byAddon = { "time-series": ["timescaledb"], ai: ["vector"] } as const;

export type Addon = keyof typeof byAddon;

export function extensionsOf(addons: readonly Addon[]): string[] {
  return addons.flatMap((addon) => [...byAddon[addon]]);
}
