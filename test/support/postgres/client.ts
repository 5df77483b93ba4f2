// Database clients that users have: the npm package `pg`, and psql if this machine has it. Both check the server's
// certificate against the given authority, and the name in it.

import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import type { Client } from "pg";
import { clientOf } from "../../../scripts/demo/psql";

/** A client, connected. The server may end the connection while no statement runs. */
export async function connect(url: string, caFile: string): Promise<Client> {
  const client = clientOf({ url, ca: readFileSync(caFile, "utf8") });
  await client.connect();
  return client;
}

/** The rows of the last statement, each a list of texts. Rejects with the server's error. */
export async function query(url: string, caFile: string, ...statements: string[]): Promise<string[][]> {
  const client = await connect(url, caFile);
  try {
    let rows: unknown[][] = [];
    for (const text of statements) ({ rows } = await client.query<unknown[]>({ text, rowMode: "array" }));
    return rows.map((row) => row.map(String));
  } finally {
    await client.end();
  }
}

/** The error of the connection or of a statement: a code, or the message if it has none. "connected" if there was none. */
export async function attempt(url: string, caFile: string, ...statements: string[]): Promise<string> {
  try {
    await query(url, caFile, ...(statements.length > 0 ? statements : ["SELECT 1"]));
    return "connected";
  } catch (error) {
    const code = error instanceof Error && "code" in error ? String(error.code) : "";
    return code === "" && error instanceof Error ? error.message : code;
  }
}

/** What psql prints, unaligned; undefined if this machine has no psql. */
export function psql(url: string, caFile: string, statement: string): Promise<string | undefined> {
  const verified = new URL(url);
  verified.searchParams.set("sslmode", "verify-full");
  verified.searchParams.set("sslrootcert", caFile);
  return new Promise((resolve, reject) => {
    execFile("psql", [verified.href, "--no-psqlrc", "-Atc", statement], (error, out, text) => {
      if (error === null) resolve(out.trim());
      else if (error.code === "ENOENT") resolve(undefined);
      else reject(new Error(text));
    });
  });
}
