// Asks an address whether a PostgreSQL accepts connections there: TCP, TLS, StartupMessage, and the first answer. No
// password is sent and no certificate is checked: nothing secret goes over this connection.

import { once } from "node:events";
import type { Socket } from "node:net";
import type { Clock } from "../../domain/values/clock";
import type { ConnectionAttempt, DatabaseAddress } from "../../domain/connection";
import { formatDuration } from "../../domain/values/duration";
import { oneLine } from "../../domain/values/printable";
import { CODE_WORDS, codesOf } from "../systemCodes";

/** One attempt, over after `timeoutMs` at the latest. Never rejects for what the other side does. */
export type Probe = (address: DatabaseAddress, timeoutMs: number) => Promise<ConnectionAttempt>;

/** Asks whether the server speaks TLS: the length, and the code of the request. */
const SSL_REQUEST = Buffer.from([0, 0, 0, 8, 0x04, 0xd2, 0x16, 0x2f]);

/** Opens a session of protocol 3.0. The names are those of most programs; whether they exist makes no difference. */
const STARTUP = startupMessage("user\0tsdbadmin\0database\0tsdb\0application_name\0pulumi-dbcloud\0\0");

/** SQLSTATE "cannot connect now": starting up, shutting down or recovering. */
const CANNOT_CONNECT_NOW = "57P03";
/** No first message of a server is longer. */
const MOST_BYTES = 30_000;
const HEADER_BYTES = 5;

function startupMessage(names: string): Buffer {
  const head = Buffer.from([0, 0, 0, 0, 0, 3, 0, 0]);
  head.writeInt32BE(head.length + names.length, 0);
  return Buffer.concat([head, Buffer.from(names, "latin1")]);
}

/** Codes of a connection for which no packet got through, or no address is known. */
const UNREACHABLE = new Set([
  "ENOTFOUND",
  "EAI_AGAIN",
  "EAI_FAIL",
  "ENETUNREACH",
  "EHOSTUNREACH",
  "ENETDOWN",
  "ETIMEDOUT",
]);

export function createProbe(clock: Clock): Probe {
  return async (address, timeoutMs) => {
    const over = new AbortController();
    const answered = new AbortController();
    let isConnected = false;
    const late = (): ConnectionAttempt => {
      const limit = formatDuration(timeoutMs);
      return isConnected
        ? { is: "refusing", seen: `it accepts the connection but sends nothing for ${limit}` }
        : { is: "unreachable", seen: `no connection within ${limit}` };
    };
    const timer = clock.sleep(timeoutMs, answered.signal).then(late, late);
    const work = attempt(address, over.signal, () => (isConnected = true));
    const outcome = await Promise.race([work.catch((error: unknown) => describe(error, isConnected)), timer]);
    answered.abort();
    // A connection with an answer is closed in good order: the server then has nothing to log.
    if (outcome.is !== "accepting") over.abort();
    return outcome;
  };
}

async function attempt(
  { host, port }: DatabaseAddress,
  over: AbortSignal,
  onConnected: () => void,
): Promise<ConnectionAttempt> {
  const [net, tls] = await Promise.all([import("node:net"), import("node:tls")]);
  const plain = quiet(net.connect({ host, port, signal: over }));
  await once(plain, "connect");
  onConnected();
  plain.write(SSL_REQUEST);
  const offer = await receive(plain, (bytes) => bytes);
  switch (String.fromCharCode(offer[0] ?? 0)) {
    case "S": {
      // More than the one byte was not asked for, and did not come through TLS.
      if (offer.length > 1) return foreign(offer);
      const name = net.isIP(host) === 0 ? { servername: host } : {};
      const secure = quiet(tls.connect({ socket: plain, rejectUnauthorized: false, ...name }));
      over.addEventListener("abort", () => secure.destroy(), { once: true });
      await once(secure, "secureConnect");
      return startSession(secure);
    }
    case "N":
      return startSession(plain);
    default:
      return foreign(offer);
  }
}

async function startSession(socket: Socket): Promise<ConnectionAttempt> {
  socket.write(STARTUP);
  const answer = await receive(socket, readAnswer);
  socket.destroySoon();
  return answer;
}

/** An error that comes when nobody waits is of no interest, and must not end the process. */
function quiet<T extends Socket>(socket: T): T {
  return socket.on("error", () => undefined);
}

/** Collects bytes until `read` makes something of them. */
async function receive<T>(socket: Socket, read: (bytes: Buffer) => T | undefined): Promise<T> {
  let bytes = Buffer.alloc(0);
  for await (const chunk of socket.iterator({ destroyOnReturn: false })) {
    bytes = Buffer.concat([bytes, chunk as Buffer]);
    const result = read(bytes);
    if (result !== undefined) return result;
  }
  throw Object.assign(new Error("closed"), { code: "EPIPE" });
}

function describe(error: unknown, isConnected: boolean): ConnectionAttempt {
  const codes = codesOf(error);
  // Of several addresses, one that refused tells more than one without a route.
  const code = codes.find((one) => !UNREACHABLE.has(one)) ?? codes[0] ?? "no code";
  const words = CODE_WORDS[code] ?? (isConnected ? "the connection fails" : "no connection");
  const isUnreachable = !isConnected && UNREACHABLE.has(code);
  return { is: isUnreachable ? "unreachable" : "refusing", seen: `${words} (${code})` };
}

/** What the server's first message means; undefined while more of it is needed. */
export function readAnswer(bytes: Buffer): ConnectionAttempt | undefined {
  const kind = bytes.toString("latin1", 0, 1);
  if (!"RE".includes(kind)) return foreign(bytes);
  if (bytes.length < HEADER_BYTES) return undefined;
  const end = 1 + bytes.readInt32BE(1);
  if (end < HEADER_BYTES || end > MOST_BYTES) return foreign(bytes);
  if (kind === "R") return { is: "accepting", seen: "it asks for a password" };
  return bytes.length < end ? undefined : readError(bytes.subarray(HEADER_BYTES, end));
}

function readError(body: Buffer): ConnectionAttempt {
  const fields = body.toString("utf8").split("\0");
  const fieldOf = (kind: string): string | undefined => fields.find((field) => field.startsWith(kind))?.slice(1);
  const code = fieldOf("C");
  if (code === undefined) return foreign(body);
  const seen = `${shorten(fieldOf("M") ?? "an error")} (${shorten(code)})`;
  return { is: code === CANNOT_CONNECT_NOW ? "refusing" : "accepting", seen };
}

/** Something else answered; its first words often say what it is. */
function foreign(bytes: Buffer): ConnectionAttempt {
  return { is: "foreign", seen: `something other than PostgreSQL answered: "${shorten(bytes.toString("latin1"))}"` };
}

function shorten(text: string): string {
  const [line = ""] = text.split(/\r?\n/);
  return oneLine(line.slice(0, 60));
}
