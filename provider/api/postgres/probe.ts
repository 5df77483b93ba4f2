// Asks an address whether a PostgreSQL accepts connections there: TCP, TLS, StartupMessage, and the first answer. No
// password is sent and no certificate is checked: nothing secret goes over this connection.

import type { Socket } from "node:net";
import type { Clock } from "../../domain/values/clock";
import type { ConnectionAttempt, DatabaseAddress } from "../../domain/connection";
import { formatDuration } from "../../domain/values/duration";
import { foreign, readAnswer, sslRequest, startupMessage } from "./answer";

/** One attempt, over after `timeoutMs` at the latest. Never rejects for what the other side does. */
export type Probe = (address: DatabaseAddress, timeoutMs: number) => Promise<ConnectionAttempt>;

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

const WORDS: Readonly<Record<string, string>> = {
  ENOTFOUND: "the host name is not known here",
  EAI_AGAIN: "the host name cannot be looked up right now",
  ENETUNREACH: "the network cannot be reached",
  EHOSTUNREACH: "the host cannot be reached",
  ETIMEDOUT: "no connection within the time limit",
  ECONNREFUSED: "the connection is refused",
  ECONNRESET: "the connection is reset",
  EPIPE: "the connection is closed",
};

export function createProbe(clock: Clock): Probe {
  return async (address, timeoutMs) => {
    const over = new AbortController();
    const answered = new AbortController();
    const progress: Progress = { isConnected: false };
    const late = (): ConnectionAttempt => tooLate(progress, timeoutMs);
    const timer = clock.sleep(timeoutMs, answered.signal).then(late, late);
    const work = attempt(address, progress, over.signal).catch((error: unknown) => describe(error, progress));
    const outcome = await Promise.race([work, timer]);
    answered.abort();
    // A connection with an answer is closed in good order: the server then has nothing to log.
    if (outcome.is !== "accepting") over.abort();
    return outcome;
  };
}

interface Progress {
  isConnected: boolean;
}

function tooLate({ isConnected }: Progress, timeoutMs: number): ConnectionAttempt {
  const limit = formatDuration(timeoutMs);
  return isConnected
    ? { is: "refusing", seen: `it accepts the connection and says nothing for ${limit}` }
    : { is: "unreachable", seen: `no connection within ${limit}` };
}

async function attempt(address: DatabaseAddress, progress: Progress, over: AbortSignal): Promise<ConnectionAttempt> {
  const plain = await connect(address, over);
  progress.isConnected = true;
  plain.write(sslRequest());
  const offer = await receive(plain, (bytes) => bytes);
  const [first = 0] = offer;
  switch (String.fromCharCode(first)) {
    case "S":
      // More than the one byte was not asked for, and did not come through TLS.
      return offer.length > 1 ? foreign(offer) : startSession(await secure(plain, address, over));
    case "N":
      return startSession(plain);
    case "E":
      return finishAnswer(plain, offer);
    default:
      return foreign(offer);
  }
}

async function startSession(socket: Socket): Promise<ConnectionAttempt> {
  socket.write(startupMessage());
  const answer = await finishAnswer(socket, Buffer.alloc(0));
  socket.destroySoon();
  return answer;
}

function finishAnswer(socket: Socket, begun: Buffer): Promise<ConnectionAttempt> {
  const known = readAnswer(begun);
  if (known !== undefined) return Promise.resolve(known);
  return receive(socket, (bytes) => readAnswer(Buffer.concat([begun, bytes])));
}

async function connect({ host, port }: DatabaseAddress, over: AbortSignal): Promise<Socket> {
  const net = await import("node:net");
  const socket = net.connect({ host, port, signal: over });
  await happening(socket, "connect");
  return socket;
}

async function secure(plain: Socket, { host }: DatabaseAddress, over: AbortSignal): Promise<Socket> {
  const [net, tls] = await Promise.all([import("node:net"), import("node:tls")]);
  const name = net.isIP(host) === 0 ? { servername: host } : {};
  const socket = tls.connect({ socket: plain, rejectUnauthorized: false, ...name });
  over.addEventListener("abort", () => socket.destroy(), { once: true });
  await happening(socket, "secureConnect");
  return socket;
}

/** Collects bytes until `read` makes something of them. */
function receive<T>(socket: Socket, read: (bytes: Buffer) => T | undefined): Promise<T> {
  let bytes: Buffer = Buffer.alloc(0);
  return new Promise((resolve, reject) => {
    const end = untilEnd(socket, reject);
    const take = (chunk: Buffer): void => {
      bytes = Buffer.concat([bytes, chunk]);
      const result = read(bytes);
      if (result === undefined) return;
      socket.off("data", take);
      socket.pause();
      end();
      resolve(result);
    };
    socket.on("data", take);
    socket.resume();
  });
}

function happening(socket: Socket, event: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const end = untilEnd(socket, reject);
    socket.once(event, () => {
      end();
      resolve();
    });
  });
}

/** Rejects when the connection ends first; answers what takes the listeners off. */
function untilEnd(socket: Socket, reject: (error: Error) => void): () => void {
  const close = (): void => reject(Object.assign(new Error("closed"), { code: "EPIPE" }));
  socket.on("error", reject);
  socket.on("close", close);
  return () => {
    socket.off("close", close);
    socket.off("error", reject);
    // An error that comes when nobody waits is of no interest, and must not end the process.
    socket.on("error", () => undefined);
  };
}

function describe(error: unknown, { isConnected }: Progress): ConnectionAttempt {
  const code = codeOf(error) ?? "no code";
  const words = WORDS[code] ?? (isConnected ? "the connection fails" : "no connection");
  const isUnreachable = !isConnected && UNREACHABLE.has(code);
  return { is: isUnreachable ? "unreachable" : "refusing", seen: `${words} (${code})` };
}

/** Several addresses that all failed come as one error: one that was refused tells more than one without a route. */
function codeOf(error: unknown): string | undefined {
  if (error instanceof AggregateError) {
    const codes = error.errors.map(codeOf);
    return codes.find((code) => code !== undefined && !UNREACHABLE.has(code)) ?? codes[0];
  }
  return error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : undefined;
}
