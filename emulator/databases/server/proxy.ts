// A TCP proxy in front of servers: it picks the servers in turn, and forwards everything to the ports that clients could use
// themselves, where the same rules hold for them. In place of a pooler it terminates TLS, because it accepts the pooler's
// database name in the first message of a client; it does not pool.

import { PortInUse } from "./server";
import type { SharedResources } from "../sharedResources";
import { readFileSync } from "node:fs";
import { connect, createServer, type Socket } from "node:net";
import { connect as connectTls, TLSSocket } from "node:tls";
import type { ServerPlace } from "./settings";

export function createListeners({ ports, certificate }: SharedResources) {
  const open = new Map<string, { close: () => Promise<void>; routeText: string }>();
  return {
    /** Opens and closes listeners until exactly these are open, each at the port of its key. */
    async keep(wanted: ReadonlyMap<string, Route>): Promise<void> {
      for (const [key, { close, routeText }] of open) {
        if (JSON.stringify(wanted.get(key)) === routeText) continue;
        open.delete(key);
        await close();
      }
      for (const [key, route] of wanted) {
        if (open.has(key)) continue;
        const begin = async (port: number): Promise<void> => {
          open.set(key, { close: await openProxy(route, port, certificate), routeText: JSON.stringify(route) });
        };
        await onFreePort(ports, key, begin);
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

const host = "127.0.0.1";
/** What a client sends first if it wants TLS; others, such as one that cancels a query, are forwarded as they are. */
const sslRequest = Buffer.from([0, 0, 0, 8, 0x04, 0xd2, 0x16, 0x2f]);
/** The servers have a limit of their own for what follows the first message. */
const longestGreetingMs = 10_000;
const mostConnections = 400;

/** Returns what closes it. */
async function openProxy(
  { targets, isPooler }: Route,
  port: number,
  certificate: ServerPlace["certificate"],
): Promise<() => Promise<void>> {
  const [cert, key] = [readFileSync(certificate.file), readFileSync(certificate.key)];
  const sockets = new Set<Socket>();
  let count = 0;
  const server = createServer({ noDelay: true }, (client) => {
    sockets.add(client);
    client.once("close", () => sockets.delete(client));
    client.on("error", () => client.destroy());
    const late = setTimeout(() => client.destroy(), longestGreetingMs);
    client.once("close", () => clearTimeout(late));
    const target = (): Socket => connect(targets[count++ % targets.length] ?? 0, host);
    client.once("data", (first) => {
      if (!isPooler || !first.equals(sslRequest)) return join(client, target(), first, late);
      client.pause();
      client.write("S");
      const secure = new TLSSocket(client, { isServer: true, cert, key }).on("error", () => client.destroy());
      secure.once("data", (startup: Buffer) => {
        secure.pause();
        const plain = target().on("error", () => client.destroy());
        plain.write(sslRequest);
        plain.once("data", () => {
          const upstream = connectTls({ socket: plain, ca: cert, servername: "localhost" });
          join(secure, upstream, renamed(startup), late);
        });
      });
    });
  });
  server.maxConnections = mostConnections;
  await new Promise<void>((resolve, reject) => {
    server.once("error", (error) => reject(new PortInUse(error.message)));
    server.listen(port, host, resolve);
  });
  return () =>
    new Promise((resolve) => {
      server.close(() => resolve());
      for (const socket of sockets) socket.destroy();
    });
}

/** Until one of both ends. `first` is what the client has sent already. */
function join(client: Socket, server: Socket, first: Buffer, late: NodeJS.Timeout): void {
  clearTimeout(late);
  server.on("error", () => client.destroy());
  server.once("close", () => client.destroySoon());
  client.once("close", () => server.destroy());
  server.write(first);
  client.pipe(server).pipe(client);
}

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
