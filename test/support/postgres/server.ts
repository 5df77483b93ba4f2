// A scripted server that speaks the first bytes of the PostgreSQL protocol: a bare socket, because a real PostgreSQL
// does most of these things only for a moment.

import { createServer, type Socket } from "node:net";
import { TLSSocket } from "node:tls";
import { listen } from "../scriptedServer";

/** The behaviour for one connection. */
export type Behaviour =
  /** Accepts the connection and sends nothing. */
  | "silent"
  /** Accepts the connection and closes it. */
  | "closes"
  /** Answers as a web server does. */
  | "http"
  /** Answers the SSLRequest with these bytes; later messages get no answer. */
  | { offer: Buffer }
  /** Answers the StartupMessage with these bytes, each chunk separately. */
  | { tls: boolean; answer: readonly Buffer[] };

export type PostgresServer = Awaited<ReturnType<typeof startPostgresServer>>;

export const passwordRequest = Buffer.from("R\0\0\0\x17\0\0\0\x0aSCRAM-SHA-256\0\0", "latin1");
export const startingUp = errorResponse("57P03", "the database system is starting up");

/** An ErrorResponse. */
export function errorResponse(code: string, text: string): Buffer {
  const body = Buffer.from(`SFATAL\0VFATAL\0C${code}\0M${text}\0\0`);
  const head = Buffer.alloc(5);
  head.write("E", 0, "latin1");
  head.writeInt32BE(4 + body.length, 1);
  return Buffer.concat([head, body]);
}

/** `behaviours`: for the next connections, in order; the last one stays. */
export async function startPostgresServer(...behaviours: Behaviour[]) {
  const startups: string[] = [];
  const sockets = new Set<Socket>();
  let noteSpeech = (): void => undefined;
  const spokenTo = new Promise<void>((resolve) => (noteSpeech = resolve));
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket));
    // The client may close the connection at any moment.
    socket.on("error", () => undefined);
    const behaviour = (behaviours.length > 1 ? behaviours.shift() : behaviours[0]) ?? "closes";
    socket.once("data", (bytes: Buffer) => {
      noteSpeech();
      serve(socket, bytes, behaviour, startups);
    });
  });
  return {
    port: await listen(server),
    /** The StartupMessages received, as text. */
    startups,
    /** Resolves when a client has sent its first bytes. */
    spokenTo,
    async close(): Promise<void> {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function serve(socket: Socket, first: Buffer, behaviour: Behaviour, startups: string[]): void {
  if (behaviour === "silent") return;
  if (behaviour === "closes") {
    socket.end();
    return;
  }
  if (behaviour === "http") {
    socket.end("HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n");
    return;
  }
  if ("offer" in behaviour) {
    socket.write(behaviour.offer);
    return;
  }
  if (first.toString("hex") !== "0000000804d2162f") throw new Error(`no SSLRequest: ${first.toString("hex")}`);
  socket.write(behaviour.tls ? "S" : "N");
  const session = behaviour.tls ? new TLSSocket(socket, { isServer: true, key, cert }) : socket;
  session.on("error", () => undefined);
  session.once("data", (bytes: Buffer) => {
    startups.push(bytes.toString("latin1"));
    void answer(session, behaviour.answer);
  });
}

/** Sends each chunk before it writes the next. */
async function answer(session: Socket, chunks: readonly Buffer[]): Promise<void> {
  for (const chunk of chunks) await new Promise((resolve) => session.write(chunk, resolve));
}

// A throw-away key made for this file, for the name "postgres.test"; no client trusts it.
const key = `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgOpsDwTAeOl1+Fn82
KFkb2MJroYapUejQRa72oCHVQYuhRANCAAT3LRuspjsrNMbtOwH6cNBLNZOYz0Pu
QzStferXIW/ZMp3fl7XT+dgAxW0gzayiUYd3Eckeqs3Ey1RF5JnGtSPq
-----END PRIVATE KEY-----`;
const cert = `-----BEGIN CERTIFICATE-----
MIIBhzCCAS2gAwIBAgIUG7EBn83ZoacjYGBb3VwyT8oBuZEwCgYIKoZIzj0EAwIw
GDEWMBQGA1UEAwwNcG9zdGdyZXMudGVzdDAgFw0yNjExMjIwNDUxMTZaGA8yMTI2
MTAyOTA0NTExNlowGDEWMBQGA1UEAwwNcG9zdGdyZXMudGVzdDBZMBMGByqGSM49
AgEGCCqGSM49AwEHA0IABPctG6ymOys0xu07Afpw0Es1k5jPQ+5DNK196tchb9ky
nd+XtdP52ADFbSDNrKJRh3cRyR6qzcTLVEXkmca1I+qjUzBRMB0GA1UdDgQWBBRg
HFpXSJEfHP2AOJ0w33wO+9kpnzAfBgNVHSMEGDAWgBRgHFpXSJEfHP2AOJ0w33wO
+9kpnzAPBgNVHRMBAf8EBTADAQH/MAoGCCqGSM49BAMCA0gAMEUCIFzmhNzSYdOT
QkkfcdanJHbJaJ+uPIcIa3k1ppUBwokCAiEAtOenjWY/gt/KixYqRaczhD+g56fM
lF3T8fUJr2V6Jdg=
-----END CERTIFICATE-----`;
