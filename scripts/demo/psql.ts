// A database session: statements and their answers, printed as psql prints them.
import { checkServerIdentity, type PeerCertificate } from "node:tls";
import { Client, DatabaseError, type QueryResult } from "pg";
import { print } from "../options.ts";

/** A database's name for people, and its address. */
export interface Database {
  readonly name: string;
  readonly url: string;
  /** PEM of the authority that must have signed its certificate. */
  readonly ca: string;
}

/** What psql would print, and the rows of the last statement, or the server's error. */
export interface Answer {
  readonly lines: readonly string[];
  readonly rows: readonly (readonly string[])[];
  readonly error?: string;
}

/** Prints the statements and each answer. */
export async function psql(database: Database, ...statements: readonly string[]): Promise<Answer> {
  const answer = await ask(database, ...statements);
  print(...answer.lines);
  return answer;
}

/** A client that is not connected yet. It checks the server's certificate, and the name in it. */
export function clientOf({ url, ca }: Pick<Database, "url" | "ca">): Client {
  const { hostname, port, username, password, pathname } = new URL(url);
  const client = new Client({
    host: hostname,
    port: Number(port),
    user: decodeURIComponent(username),
    password: decodeURIComponent(password),
    database: decodeURIComponent(pathname.slice(1)),
    // The package passes no server name if the host is an address.
    ssl: {
      ca,
      checkServerIdentity: (_: string, certificate: PeerCertificate) => checkServerIdentity(hostname, certificate),
    },
  });
  // The server may end the connection at any moment; the statement then fails as well.
  client.on("error", () => undefined);
  return client;
}

/** One connection for all statements; ends at the first error. */
export async function ask(database: Database, ...statements: readonly string[]): Promise<Answer> {
  const client = clientOf(database);
  const lines: string[] = [];
  let rows: string[][] = [];
  try {
    await client.connect();
    for (const statement of statements) {
      lines.push(`${database.name}=> ${statement};`);
      const result = await client.query<unknown[]>({ text: statement, rowMode: "array" });
      rows = result.rows.map((row) => row.map(String));
      lines.push(...shown(statement, result, rows));
    }
    return { lines, rows };
  } catch (caught) {
    const error = wordsOf(caught);
    // Nothing was asked yet: the connection itself was refused.
    const told = lines.length === 0 ? `psql ${database.name}: error: ${error}` : error;
    return { lines: [...lines, told], rows: [], error };
  } finally {
    await client.end();
  }
}

/** An answer in a line. */
export const seenIn = ({ rows, error }: Answer): string[] => [error ?? `${rows.length} rows`];

/** A table for rows, else what psql calls the statement. */
function shown(statement: string, { fields, command, rowCount }: QueryResult<unknown[]>, rows: string[][]): string[] {
  if (fields.length === 0) return [command === "INSERT" ? `INSERT 0 ${rowCount}` : statement.split(" ", 2).join(" ")];
  const names = fields.map(({ name }) => name);
  const widths = names.map((name, at) => Math.max(name.length, ...rows.map((row) => row[at]?.length ?? 0)));
  const line = (cells: readonly string[]): string =>
    ` ${cells.map((cell, at) => cell.padEnd(widths[at] ?? 0)).join(" | ")}`.trimEnd();
  const count = rows.length === 1 ? "(1 row)" : `(${rows.length} rows)`;
  return [line(names), widths.map((width) => "-".repeat(width + 2)).join("+"), ...rows.map(line), count];
}

function wordsOf(error: unknown): string {
  if (error instanceof DatabaseError) return `${error.severity}:  ${error.message}`;
  return error instanceof Error ? error.message : String(error);
}
