// A minimal client: the superuser over the server's own socket, one statement after the other, rows as text. No client
// over TCP can be that user.

import { createHash, createHmac, pbkdf2, randomBytes } from "node:crypto";
import { connect, type Socket } from "node:net";
import { promisify } from "node:util";

export interface SqlAddress {
  /** The path of the socket. */
  readonly socket: string;
  readonly database: string;
}

/** Runs the statements in one session and resolves with the rows of the last one. */
export function sql(address: SqlAddress, ...statements: readonly string[]): Promise<(string | null)[][]> {
  return new Promise((resolve, reject) => {
    const socket = connect(address.socket);
    const session = new Session(socket, statements);
    socket.once("connect", () => socket.write(startup(address.database)));
    socket.on("data", (chunk) => session.receive(chunk));
    socket.once("error", reject);
    socket.once("close", () => {
      if (session.failure) reject(session.failure);
      else if (session.isOver) resolve(session.rows);
      else reject(new Error("the server ended the connection"));
    });
  });
}

export const quoted = (text: string): string => `'${text.replaceAll("'", "''")}'`;

/**
 * Commits do not wait for standbys: there may be none yet. The owner of a database may set all of the others for it,
 * and must neither choose which functions a superuser calls, nor keep it from its work. What the emulator sends is no
 * statement of a client.
 */
const options = [
  "synchronous_commit=local",
  "search_path=pg_catalog",
  "pg_stat_statements.track=none",
  "role=none",
  "default_transaction_read_only=off",
  "statement_timeout=0",
  "lock_timeout=0",
  "local_preload_libraries=",
]
  .map((setting) => `-c ${setting}`)
  .join(" ");

function startup(database: string): Buffer {
  const parameters = ["user", "postgres", "database", database, "options", options];
  const text = Buffer.from(`${parameters.join("\0")}\0\0`);
  const head = Buffer.alloc(8);
  head.writeInt32BE(text.length + 8, 0);
  head.writeInt32BE(3 << 16, 4);
  return Buffer.concat([head, text]);
}

function packet(type: string, text: string): Buffer {
  const body = Buffer.from(`${text}\0`);
  const head = Buffer.alloc(5);
  head.write(type);
  head.writeInt32BE(body.length + 4, 1);
  return Buffer.concat([head, body]);
}

class Session {
  rows: (string | null)[][] = [];
  failure: Error | undefined = undefined;
  isOver = false;
  readonly #socket: Socket;
  readonly #left: string[];
  #pending = Buffer.alloc(0);

  constructor(socket: Socket, statements: readonly string[]) {
    this.#socket = socket;
    this.#left = [...statements];
  }

  receive(chunk: Buffer): void {
    this.#pending = Buffer.concat([this.#pending, chunk]);
    while (this.#pending.length >= 5) {
      const length = this.#pending.readInt32BE(1) + 1;
      if (this.#pending.length < length) return;
      this.#take(String.fromCharCode(this.#pending[0] ?? 0), this.#pending.subarray(5, length));
      this.#pending = this.#pending.subarray(length);
    }
  }

  #take(type: string, body: Buffer): void {
    if (type === "D") this.rows.push(rowOf(body));
    if (type === "E") {
      this.failure = new Error(messageIn(body));
      this.#socket.end();
    }
    if (type === "Z" && this.failure === undefined) this.#next();
  }

  #next(): void {
    const statement = this.#left.shift();
    if (statement === undefined) {
      this.isOver = true;
      this.#socket.end(Buffer.from([0x58, 0, 0, 0, 4]));
      return;
    }
    this.rows = [];
    this.#socket.write(packet("Q", statement));
  }
}

function rowOf(body: Buffer): (string | null)[] {
  const values: (string | null)[] = [];
  let at = 2;
  for (let left = body.readInt16BE(0); left > 0; left -= 1) {
    const length = body.readInt32BE(at);
    at += 4;
    values.push(length < 0 ? null : body.toString("utf8", at, at + length));
    at += Math.max(0, length);
  }
  return values;
}

/** Of the fields of an error, each of which begins with its letter. */
function messageIn(body: Buffer): string {
  const fields = body.toString().split("\0");
  return fields.find((field) => field.startsWith("M"))?.slice(1) ?? "the server refused";
}

const rounds = 4_096;
const derive = promisify(pbkdf2);

/**
 * What PostgreSQL stores for a password. The password itself never reaches a server: a statement that fails is written
 * into the log, and logs are an endpoint.
 */
export async function scramVerifier(password: string): Promise<string> {
  const salt = randomBytes(16);
  const salted = await derive(prepared(password), salt, rounds, 32, "sha256");
  const keyed = (text: string): Buffer => createHmac("sha256", salted).update(text).digest();
  const storedKey = createHash("sha256").update(keyed("Client Key")).digest();
  const serverKey = keyed("Server Key");
  const [saltText, stored, server] = [salt, storedKey, serverKey].map((bytes) => bytes.toString("base64"));
  return `SCRAM-SHA-256$${rounds}:${saltText}$${stored}:${server}`;
}

/** Normalizes the password as clients do (RFC 4013): removed characters, spaces, then normal form KC. */
function prepared(password: string): string {
  if (/^[\x20-\x7e]*$/.test(password)) return password;
  return password
    .replace(/\u00AD|\u034F|\u1806|[\u180B-\u180D]|[\u200B-\u200D]|\u2060|[\uFE00-\uFE0F]|\uFEFF/gu, "")
    .replace(/[\u00A0\u1680\u2000-\u200A\u202F\u205F\u3000]/gu, " ")
    .normalize("NFKC");
}
