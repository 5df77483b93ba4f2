// One line for people about what runs behind the endpoints.

import type { PostgresState } from "./backend";

export function endpointsLine(postgres: PostgresState): string {
  if (postgres.kind === "off")
    return `nothing listens${postgres.missing === undefined ? "" : ` (${postgres.missing})`}`;
  const { version, source, pooler, caFile } = postgres;
  return `PostgreSQL ${version} (${source}), TLS by ${caFile}, pooler ${pooler === "pgbouncer" ? pooler : "passes through"}`;
}

/** For the `Server` header, by which `pulumi-dbcloud doctor` recognizes the emulator. */
export function serverHeader(postgres: PostgresState): string {
  return `pulumi-dbcloud-emulator (endpoints: ${endpointsLine(postgres)})`.replaceAll(/[^\x20-\x7e]/g, "?");
}
