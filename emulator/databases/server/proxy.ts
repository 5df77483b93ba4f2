// A TCP proxy in front of servers: it terminates TLS, picks the servers in turn, and forwards everything to the ports
// that clients could use themselves, where the same rules hold for them. In place of a pooler it also accepts the
// pooler's database name; it does not pool.

import { PortInUse } from "./server";
import type { SharedResources } from "../sharedResources";
import { readFileSync } from "node:fs";
import { connect, createServer, type Socket } from "node:net";
import { connect as connectTls, createSecureContext, TLSSocket, type SecureContext } from "node:tls";
import { createStrangers } from "../../strangers";
import type { ServerPlace } from "./settings";

export function createListeners({ ports, certificate }: SharedResources) {
  const open = new Map<string, { listener: Listener; routeText: string }>();
  return {
    /** Opens and closes listeners until exactly these are open, each at the port of its key. */
    async keep(wanted: ReadonlyMap<string, Route>): Promise<void> {
      for (const [key, { listener, routeText }] of open) {
        const route = wanted.get(key);
        if (route && JSON.stringify(route) === routeText) continue;
        open.delete(key);
        await listener.close();
      }
      for (const [key, route] of wanted) {
        if (open.has(key)) continue;
        await onFreePort(ports, key, async (port) => {
          open.set(key, {
            listener: await openProxy({ ...route, port, certificate }),
            routeText: JSON.stringify(route),
          });
        });
      }
    },
  };
}

/** Opens it at the port of the key, or at another one if another process has taken that port. */
export async function onFreePort(
  ports: SharedResources["ports"],
  key: string,
  begin: (port: number) => Promise<void>,
): Promise<void> {
  let port = await ports.take(key);
  for (;;) {
    try {
      await begin(port);
      return;
    } catch (error) {
      if (!(error instanceof PortInUse)) throw error;
      port = await ports.replace(key);
    }
  }
}

export interface Route {
  /** The ports of the servers on this machine. */
  readonly targets: readonly number[];
  /** Whether a client may name `tsdb_transaction` for `tsdb`. */
  readonly isPooler: boolean;
}

interface ListenerOptions extends Route {
  readonly port: number;
  readonly certificate: ServerPlace["certificate"];
}

interface Listener {
  close(): Promise<void>;
}

/** The request codes that a client may send in place of a protocol version. */
const [cancelRequest, sslRequest, gssRequest] = [80_877_102, 80_877_103, 80_877_104];
const protocolMajor = 3;
const host = "127.0.0.1";
const tlsRecord = 0x16;
/** No client's first message is longer than this. */
const longestStart = 10_000;
const longestGreetingMs = 10_000;

async function openProxy(options: ListenerOptions): Promise<Listener> {
  const { file, key } = options.certificate;
  const ca = readFileSync(file);
  const context = createSecureContext({ cert: ca, key: readFileSync(key) });
  const sockets = new Set<Socket>();
  const strangers = createStrangers();
  let count = 0;
  const next = (): number => options.targets[count++ % options.targets.length] ?? 0;
  const server = createServer({ noDelay: true }, (socket) => {
    sockets.add(socket);
    strangers.add(socket);
    socket.once("close", () => sockets.delete(socket));
    socket.on("error", () => socket.destroy());
    // Until it has chosen a server, which has a limit of its own.
    socket.setTimeout(longestGreetingMs, () => socket.destroy());
    const accepted = (): void => strangers.accept(socket);
    greet(socket, socket, { ...options, context, ca, next, accepted });
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", (error) => reject(new PortInUse(error.message)));
    server.listen(options.port, "127.0.0.1", resolve);
  });
  return {
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  };
}

interface ProxyContext extends ListenerOptions {
  readonly context: SecureContext;
  readonly ca: Buffer;
  /** The port of the server for the next connection. */
  readonly next: () => number;
  /** Called when the client has logged in. */
  readonly accepted: () => void;
}

/** Reads the first message of a client; `raw` is the socket below, before and after TLS. */
function greet(client: Socket, raw: Socket, proxy: ProxyContext): void {
  let pending = Buffer.alloc(0);
  const take = (chunk: Buffer): void => {
    pending = Buffer.concat([pending, chunk]);
    const length = pending[0] === tlsRecord ? 0 : pending.length < 8 ? 8 : pending.readInt32BE(0);
    if (length > longestStart) raw.destroy();
    if (pending.length < length) return;
    client.removeListener("data", take);
    client.pause();
    if (length === 0) client.unshift(pending);
    answer(client, raw, length === 0 ? undefined : pending, proxy);
  };
  client.on("data", take);
  client.resume();
}

function answer(client: Socket, raw: Socket, message: Buffer | undefined, proxy: ProxyContext): void {
  const isSecure = client !== raw;
  const code = message?.readInt32BE(4);
  if (code === sslRequest && !isSecure) client.write("S");
  if (!isSecure && (message === undefined || code === sslRequest)) {
    secure(raw, proxy);
    return;
  }
  if (message === undefined) {
    raw.destroy();
    return;
  }
  if (code === gssRequest || code === sslRequest) {
    client.write("N");
    greet(client, raw, proxy);
    return;
  }
  if (code === cancelRequest) {
    // A cancel key belongs to a connection of one server; the other servers ignore it.
    for (const port of proxy.targets) {
      const other = connect(port, host).on("error", () => undefined);
      other.end(message);
    }
    client.end();
    return;
  }
  if (!isSecure || message.readInt16BE(4) !== protocolMajor) {
    client.end(refusal("no encryption: connect with TLS", "28000"));
    return;
  }
  raw.setTimeout(0);
  pass(client, proxy.isPooler ? renamed(message) : message, proxy);
}

function secure(raw: Socket, proxy: ProxyContext): void {
  const { context: secureContext } = proxy;
  const client = new TLSSocket(raw, { isServer: true, secureContext, ALPNProtocols: ["postgresql"] });
  client.on("error", () => raw.destroy());
  client.once("secure", () => greet(client, raw, proxy));
}

/** AuthenticationOk, as the server sends it with the end of the exchange. */
const loggedIn = Buffer.from([0x52, 0, 0, 0, 8, 0, 0, 0, 0]);

function pass(client: Socket, startup: Buffer, { next, ca, accepted }: ProxyContext): void {
  const plain = connect(next(), host);
  const refuse = (): void => void client.end(refusal("the server is not there", "08006"));
  plain.once("error", refuse);
  client.once("close", () => plain.destroy());
  plain.write(sslMessage);
  plain.once("data", (answered) => {
    // Somebody else may listen at the port of a server that has ended.
    if (answered.toString() !== "S") {
      plain.destroy(new Error("no TLS"));
      return;
    }
    const server = connectTls({ socket: plain, ca, servername: "localhost" });
    server.once("error", refuse);
    server.write(startup);
    const look = (chunk: Buffer): void => {
      if (!chunk.includes(loggedIn)) return;
      accepted();
      server.removeListener("data", look);
    };
    server.on("data", look);
    client.pipe(server);
    server.pipe(client);
    server.once("close", () => client.destroySoon());
  });
}

const sslMessage = Buffer.from([0, 0, 0, 8, 0x04, 0xd2, 0x16, 0x2f]);

/** Replaces the pooler's database name with the real one. */
function renamed(startup: Buffer): Buffer {
  const values = startup.subarray(8).toString("latin1").split("\0");
  const at = values.findIndex((value, index) => index % 2 === 0 && value === "database");
  if (at < 0) return startup;
  values[at + 1] = (values[at + 1] ?? "").replace(/_transaction$/, "");
  const text = Buffer.from(values.join("\0"), "latin1");
  const head = Buffer.from(startup.subarray(0, 8));
  head.writeInt32BE(text.length + 8, 0);
  return Buffer.concat([head, text]);
}

function refusal(text: string, code: string): Buffer {
  const fields = Buffer.from(`SFATAL\0VFATAL\0C${code}\0M${text}\0\0`);
  const head = Buffer.from([0x45, 0, 0, 0, 0]);
  head.writeInt32BE(fields.length + 4, 1);
  return Buffer.concat([head, fields]);
}
