// The extensions that users of deployments have.

import { expect, test } from "vitest";
import { openDatabases, query, urlOf } from "./support";

test("tsdbadmin has pg_stat_statements and creates the trusted extensions, in databases of its own too", async () => {
  const { emulator, create } = await openDatabases();
  const { shown, url, password } = await create();
  const trusted = [
    "pgcrypto",
    "citext",
    "hstore",
    "pg_trgm",
    "btree_gist",
    "unaccent",
    "uuid-ossp",
    "ltree",
    "intarray",
  ];
  const statements = ["pg_stat_statements", ...trusted].map((name) => `CREATE EXTENSION IF NOT EXISTS "${name}"`);
  const seen = `SELECT DISTINCT query FROM pg_stat_statements WHERE query LIKE 'SELECT % AS marked' OR query LIKE '%SCRAM-SHA%'`;
  await query(emulator, url, "CREATE DATABASE own");
  for (const database of [url, urlOf(shown["endpoint"], password, "own")])
    expect(await query(emulator, database, ...statements, "SELECT 1 AS marked", seen)).toEqual([
      ["SELECT $1 AS marked"],
    ]);
}, 60_000);
