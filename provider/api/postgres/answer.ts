// The first bytes of the PostgreSQL protocol (version 3.0), as far as they tell whether a server accepts connections.
// Pure: bytes in, meaning out. No password is ever sent, so nothing beyond the first message is needed.

import type { ConnectionAttempt } from "../../domain/connection";
import { oneLine } from "../../domain/values/printable";

const SSL_REQUEST_CODE = 80_877_103;
const PROTOCOL_3_0 = 196_608;
/** SQLSTATE "cannot connect now": starting up, shutting down or recovering. */
const CANNOT_CONNECT_NOW = "57P03";
/** No first message of a server is longer. */
const MOST_BYTES = 30_000;
const HEADER_BYTES = 5;

/** Asks whether the server speaks TLS. */
export function sslRequest(): Buffer {
  const message = Buffer.alloc(8);
  message.writeInt32BE(8, 0);
  message.writeInt32BE(SSL_REQUEST_CODE, 4);
  return message;
}

/** Opens a session. The names are those that programs use by default; whether they exist makes no difference. */
export function startupMessage(): Buffer {
  const pairs = ["user", "tsdbadmin", "database", "tsdb", "application_name", "pulumi-dbcloud"];
  const body = Buffer.from(`${pairs.join("\0")}\0\0`, "latin1");
  const head = Buffer.alloc(8);
  head.writeInt32BE(head.length + body.length, 0);
  head.writeInt32BE(PROTOCOL_3_0, 4);
  return Buffer.concat([head, body]);
}

/** What the server's first message means; undefined while more of it is needed. */
export function readAnswer(bytes: Buffer): ConnectionAttempt | undefined {
  if (bytes.length === 0) return undefined;
  const kind = String.fromCharCode(bytes[0] ?? 0);
  if (!"REvN".includes(kind)) return foreign(bytes);
  if (bytes.length < HEADER_BYTES) return undefined;
  const length = bytes.readInt32BE(1);
  if (length < 4 || length > MOST_BYTES) return foreign(bytes);
  if (kind === "R") return { is: "accepting", seen: "it asks for a password" };
  const end = 1 + length;
  if (bytes.length < end) return undefined;
  // A notice, or the offer of another protocol version: the answer follows.
  return kind === "E" ? readError(bytes.subarray(HEADER_BYTES, end)) : readAnswer(bytes.subarray(end));
}

function readError(body: Buffer): ConnectionAttempt {
  const fields = new Map(
    body
      .toString("utf8")
      .split("\0")
      .filter((field) => field !== "")
      .map((field) => [field.slice(0, 1), field.slice(1)] as const),
  );
  const code = fields.get("C");
  if (code === undefined) return foreign(body);
  const seen = `${shorten(fields.get("M") ?? "an error")} (${shorten(code)})`;
  return { is: code === CANNOT_CONNECT_NOW ? "refusing" : "accepting", seen };
}

/** Something else answered; its first words often say what it is. */
export function foreign(bytes: Buffer): ConnectionAttempt {
  return { is: "foreign", seen: `what answers is no PostgreSQL: "${shorten(bytes.toString("latin1"))}"` };
}

function shorten(text: string): string {
  const [line = ""] = text.split(/\r?\n/);
  return oneLine(line.slice(0, 60));
}
