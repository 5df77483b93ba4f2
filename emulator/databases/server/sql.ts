// A minimal client: the superuser over the server's own socket, one statement, rows as text. No client over TCP can be that
// user.

import { connect } from "node:net";

interface SqlAddress {
  /** The path of the socket. */
  readonly socket: string;
  readonly database: string;
}

/** Resolves with the rows of the statement. It is sent with the start of the session, which asks for no password. */
export function sql({ socket, database }: SqlAddress, statement: string): Promise<(string | null)[][]> {
  const { promise, resolve, reject } = Promise.withResolvers<(string | null)[][]>();
  const session = connect(socket);
  const answer: Buffer[] = [];
  session.on("data", (chunk) => answer.push(chunk));
  let failure: unknown;
  session.once("error", (error) => (failure = error));
  session.once("close", () => {
    try {
      resolve(rowsIn(Buffer.concat(answer)));
    } catch (error) {
      reject(answer.length === 0 && failure ? failure : error);
    }
  });
  session.write(Buffer.concat([startup(database), message("Q", `${statement}\0`), message("X", "")]));
  return promise;
}

export const quoted = (text: string): string => `'${text.replaceAll("'", "''")}'`;

/**
 * The owner of a database may set some of these for it, and must neither choose which functions a superuser calls, nor keep it from its work. What the emulator sends is no statement
 * of a client, and may hold a password: it is neither in the log, which clients read, nor in a view of the server.
 */
const options = [
  "search_path=pg_catalog",
  "pg_stat_statements.track=none",
  "log_min_error_statement=panic",
  "track_activities=off",
  "role=none",
  "default_transaction_read_only=off",
  "statement_timeout=0",
  "lock_timeout=0",
  "local_preload_libraries=",
]
  .map((setting) => `-c ${setting}`)
  .join(" ");

const protocol = Buffer.from([0, 3, 0, 0]);

function startup(database: string): Buffer {
  const parameters = ["user", "postgres", "database", database, "options", options, "", ""];
  return message("", Buffer.concat([protocol, Buffer.from(parameters.join("\0"))]));
}

function message(type: string, content: string | Buffer): Buffer {
  const [head, body] = [Buffer.alloc(4), Buffer.from(content)];
  head.writeInt32BE(4 + body.length);
  return Buffer.concat([Buffer.from(type), head, body]);
}

/** Throws the error that the server reports. */
function rowsIn(answer: Buffer): (string | null)[][] {
  const rows: (string | null)[][] = [];
  let isComplete = false;
  for (let at = 0; at + 5 <= answer.length;) {
    const end = at + 1 + answer.readInt32BE(at + 1);
    const [type, body] = [answer.toString("latin1", at, at + 1), answer.subarray(at + 5, end)];
    if (type === "D") rows.push(valuesIn(body));
    // Of the fields of an error, each begins with its letter.
    if (type === "E") throw new Error(/(?:^|\0)M([^\0]*)/.exec(body.toString())?.[1] ?? "the server refused");
    isComplete ||= type === "C";
    at = end;
  }
  if (!isComplete) throw new Error("the server ended the connection");
  return rows;
}

function valuesIn(row: Buffer): (string | null)[] {
  let at = 2;
  return Array.from({ length: row.readInt16BE(0) }, () => {
    const length = row.readInt32BE(at);
    const from = at + 4;
    at = from + Math.max(0, length);
    return length < 0 ? null : row.toString("utf8", from, at);
  });
}
