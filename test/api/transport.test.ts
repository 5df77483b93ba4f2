// The wire itself: every way an exchange can fail, whether the request can have arrived, and the limits of time and size.

import { createServer as createTcpServer, type AddressInfo, type Socket } from "node:net";
import { createServer } from "node:http";
import { afterEach, describe, expect, onTestFinished, test, vi } from "vitest";
import { ExchangeFailure, type Transport, type WireRequest } from "../../provider/api/exchange";
import { chooseProxy, isLoopback } from "../../provider/api/origin";
import { createTransport, type Limits } from "../../provider/api/transport";
import { describeFailure } from "../../provider/api/transportFailure";
import { createClient } from "../../provider/client";
import { type Reply, startScriptedServer } from "../support/scriptedServer";
import { API_KEY, createWorld, failureOf, inProject, ofService } from "../support/client";

const SHORT: Partial<Limits> = { connectMs: 200, bytes: 2_000, asideBytes: 100, asideMs: 20, freshMs: 1 };
const opened: Transport[] = [];

afterEach(async () => {
  await Promise.all(opened.splice(0).map((transport) => transport.close()));
});

interface Wire {
  transport: Transport;
  ask: (request?: Partial<WireRequest>) => ReturnType<Transport["send"]>;
}

function wireTo(baseUrl: string, limits = SHORT): Wire {
  const transport = createTransport({ baseUrl, connections: 4, environment: {}, limits });
  opened.push(transport);
  const usual = { method: "GET", headers: {}, wantsBody: true, freshConnection: false, timeoutMs: 1_000 } as const;
  return { transport, ask: (request) => transport.send({ ...usual, url: new URL(`${baseUrl}/x`), ...request }) };
}

async function answering(reply: Reply): Promise<Wire & { connections: () => number; release: () => Promise<void> }> {
  const server = await startScriptedServer(reply);
  onTestFinished(() => server.close());
  return { ...wireTo(server.baseUrl), connections: () => server.connections, release: () => server.close() };
}

const MORE = "x".repeat(512);

/** Writes for ever, until the other side hangs up. */
const endless =
  (status: number): Reply =>
  (response) => {
    response.writeHead(status);
    const more = (): void => {
      if (!response.destroyed) response.write(MORE, () => setImmediate(more));
    };
    more();
  };

/** A few bytes now and then, for ever. */
const dripping =
  (status: number): Reply =>
  (response) => {
    response.writeHead(status);
    const timer = setInterval(() => response.write("."), 3);
    response.once("close", () => clearInterval(timer));
  };

describe("failures", () => {
  test("nobody there: not sent", async () => {
    const { ask, release } = await answering({});
    await release();
    expect(await failureOf(ask())).toMatchObject({ sent: "no", passing: true, systemCode: "ECONNREFUSED" });
    expect(await failureOf(ask({ freshConnection: true }))).toMatchObject({ sent: "no", passing: true });
  });

  test("https to somebody who does not speak it: not sent, and final", async () => {
    const server = await startScriptedServer({});
    onTestFinished(() => server.close());
    const { ask } = wireTo(`https://127.0.0.1:${server.port}/v1`);
    expect(await failureOf(ask())).toMatchObject({ sent: "no", passing: false });
    expect(server.asked).toHaveLength(0);
  });

  test("a connection that ends before the answer: maybe sent", async () => {
    const { ask } = await answering((response) => void response.destroy());
    const failure = await failureOf(ask());
    expect(failure).toMatchObject({ sent: "maybe", passing: true, timeout: false });
  });

  test("a connection that is reset: maybe sent", async () => {
    const server = createTcpServer((socket: Socket) => socket.once("data", () => void socket.resetAndDestroy()));
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    onTestFinished(() => void server.close());
    const { ask } = wireTo(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
    expect(await failureOf(ask())).toMatchObject({ sent: "maybe", passing: true, systemCode: "ECONNRESET" });
  });

  test("something that is not HTTP: maybe sent, and its bytes are not kept", async () => {
    const server = createTcpServer((socket: Socket) =>
      socket.once("data", () => void socket.end("SECRET banner\r\n\r\n")),
    );
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    onTestFinished(() => void server.close());
    const { ask } = wireTo(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
    const failure = await failureOf(ask());
    expect(failure).toMatchObject({ sent: "maybe" });
    expect(JSON.stringify(failure) + String(failure)).not.toContain("SECRET");
  });

  test("silence: maybe sent, a timeout", async () => {
    const { ask } = await answering(() => undefined);
    const failure = await failureOf(ask({ timeoutMs: 20 }));
    expect(failure).toMatchObject({ sent: "maybe", passing: true, timeout: true });
    expect(failure).toMatchObject({ message: "no full answer within 20 ms" });
  });

  test("a header that cannot be sent: not sent, and final", async () => {
    const { ask } = await answering({});
    expect(await failureOf(ask({ headers: { "x-y": "a\nb" } }))).toMatchObject({ sent: "no", passing: false });
  });

  test("a closed transport: not sent, and final", async () => {
    const { ask, transport } = await answering({});
    await ask();
    await transport.close();
    expect(await failureOf(ask())).toMatchObject({ sent: "no", passing: false });
  });

  test.each([
    ["ENOTFOUND", "no", true],
    ["EAI_AGAIN", "no", true],
    ["UND_ERR_CONNECT_TIMEOUT", "no", true],
    ["UND_ERR_PRX_CONN", "no", true],
    ["DEPTH_ZERO_SELF_SIGNED_CERT", "no", false],
    ["CERT_HAS_EXPIRED", "no", false],
    ["UNABLE_TO_VERIFY_LEAF_SIGNATURE", "no", false],
    ["ERR_TLS_CERT_ALTNAME_INVALID", "no", false],
    ["ERR_SSL_SSLV3_ALERT_BAD_RECORD_MAC", "maybe", true],
    ["ECONNRESET", "maybe", true],
    ["EPIPE", "maybe", true],
    ["ETIMEDOUT", "maybe", true],
    ["UND_ERR_SOCKET", "maybe", true],
    ["UND_ERR_HEADERS_TIMEOUT", "maybe", true],
    ["UND_ERR_BODY_TIMEOUT", "maybe", true],
    ["HPE_INVALID_CONSTANT", "maybe", true],
  ] as const)("%s: sent %s, passing %s", (code, sent, passing) => {
    const error = Object.assign(new Error("secret words"), { code });
    const failure = describeFailure(error, false);
    expect(failure).toMatchObject({ sent, passing, systemCode: code });
    expect(failure.message).not.toContain("secret");
    expect(describeFailure(new Error("outer", { cause: error }), false)).toMatchObject({ sent, passing });
    expect(describeFailure(error, true).sent).toBe("no");
  });

  test("several addresses that all refuse are one refusal", () => {
    const each = (): Error => Object.assign(new Error("x"), { code: "ECONNREFUSED" });
    expect(describeFailure(new AggregateError([each(), each()]), false)).toMatchObject({ sent: "no" });
    expect(describeFailure("whatever", false)).toMatchObject({ sent: "maybe", passing: true });
  });
});

describe("bodies", () => {
  test("cut short", async () => {
    const { ask } = await answering((response) => {
      response.writeHead(200, { "content-length": "100" });
      response.write("[1,", () => response.destroy());
    });
    const answer = await ask();
    expect(answer).toMatchObject({ status: 200, text: "[1," });
    expect(answer.incomplete).toMatchObject({ sent: "maybe", passing: true });
  });

  test("too long: read no further, and not asked for again", async () => {
    const { ask } = await answering(endless(200));
    const answer = await ask();
    expect(answer.text).toHaveLength(2_000);
    expect(answer.incomplete).toMatchObject({ sent: "maybe", passing: false });
  });

  test("of errors: a little is enough", async () => {
    const long = await (await answering(endless(500))).ask();
    expect([long.status, long.text.length]).toEqual([500, 100]);
    const slow = await (await answering(dripping(500))).ask();
    expect([slow.status, slow.text.replaceAll(".", "")]).toEqual([500, ""]);
  });

  test("that nobody wants: a little is enough", async () => {
    const { ask } = await answering(dripping(200));
    expect(await ask({ wantsBody: false })).toMatchObject({ status: 200 });
  });

  test("that never end: the time limit ends them", async () => {
    const { ask } = await answering(dripping(200));
    const answer = await ask({ timeoutMs: 40 });
    expect(answer.incomplete).toMatchObject({ sent: "maybe", passing: true, timeout: true });
  });
});

describe("giving up", () => {
  const never: Reply = () => undefined;

  test("before it is sent", async () => {
    const { ask, connections } = await answering(never);
    expect(await failureOf(ask({ signal: AbortSignal.abort() }))).toMatchObject({ sent: "no", passing: false });
    expect(connections()).toBe(0);
  });

  test("while waiting for the answer, and for its body", async () => {
    const half: Reply = (response) => void response.write("[");
    for (const reply of [never, half]) {
      const { ask } = await answering(reply);
      const controller = new AbortController();
      setTimeout(() => controller.abort(new Error("enough")), 10);
      const outcome = await ask({ signal: controller.signal }).then(
        (answer) => answer.incomplete,
        (error: unknown) => error,
      );
      expect(outcome).toBeInstanceOf(ExchangeFailure);
      expect(outcome).toMatchObject({ sent: "maybe", passing: false, message: "was aborted" });
    }
  });
});

describe("connections", () => {
  test("are used again for reads, and for changes apart from those", async () => {
    const { client, server } = await createWorld([{ json: [] }]);
    for (let i = 0; i < 5; i += 1) await client.services.list(inProject);
    const forReads = server.connections;
    expect(forReads).toBeLessThan(3);
    for (let i = 0; i < 5; i += 1) await client.services.enablePooler(ofService);
    expect(server.connections).toBeGreaterThan(forReads);
    expect(server.connections).toBeLessThan(forReads + 3);
  });

  test("are new for a change once they have been idle", async () => {
    const { ask, connections } = await answering({ json: [] });
    const inAWhile = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 20));
    for (let change = 1; change <= 3; change += 1) {
      await ask({ freshConnection: true });
      await inAWhile();
    }
    expect(connections()).toBe(3);
    await ask();
    await inAWhile();
    await ask();
    expect(connections()).toBe(4);
  });

  test("that are idle keep no process alive", async () => {
    const sockets = (): number => process.getActiveResourcesInfo().filter((name) => name === "TCPSocketWrap").length;
    await vi.waitUntil(() => sockets() === 0);
    const { ask, connections } = await answering({ json: [] });
    await ask();
    await new Promise(setImmediate);
    expect(connections()).toBe(1);
    // The server's own end is in this process too.
    expect(sockets()).toBe(1);
  });
});

describe("proxies", () => {
  test("are chosen by scheme and never for this machine", () => {
    const environment = { HTTPS_PROXY: "http://a:1", http_proxy: "http://b:2", HTTP_PROXY: "", no_proxy: "x" };
    expect(chooseProxy(new URL("https://db.example/v1"), environment)).toEqual({ proxy: "http://a:1", noProxy: "x" });
    expect(chooseProxy(new URL("http://db.example/v1"), environment)).toEqual({ proxy: "http://b:2", noProxy: "x" });
    expect(chooseProxy(new URL("https://db.example/v1"), { HTTP_PROXY: "http://b:2" })).toBeUndefined();
    for (const host of ["127.0.0.1", "127.9.9.9", "[::1]", "localhost"]) {
      expect(chooseProxy(new URL(`https://${host}/v1`), environment)).toBeUndefined();
      expect(isLoopback(new URL(`http://${host}/`))).toBe(true);
    }
    // A name below `localhost`, or one with a closing dot, is whatever DNS says it is.
    const strangers = ["api.localhost", "localhost.", "[::ffff:127.0.0.1]"];
    for (const host of [...strangers, "0.0.0.0", "10.0.0.1", "127.0.0.1.example", "localhost.example", "[::2]"]) {
      expect(isLoopback(new URL(`http://${host}/`))).toBe(false);
    }
  });

  const throughProxy = (proxy: string, baseUrl: string, noProxy = ""): ReturnType<typeof createClient> => {
    const environment = { HTTPS_PROXY: proxy, HTTP_PROXY: proxy, NO_PROXY: noProxy };
    const client = createClient({ baseUrl, apiKey: API_KEY, allowInsecure: true, environment });
    onTestFinished(() => client.close());
    return client;
  };

  test("carry requests, unless NO_PROXY says otherwise", async () => {
    const { server: proxy } = await createWorld([{ json: [] }]);
    const { server: target } = await createWorld([{ json: [] }]);
    const away = `http://0.0.0.0:${target.port}/v1`;
    await throughProxy(`http://127.0.0.1:${proxy.port}`, away).projects.list();
    expect([proxy.asked[0]?.url, target.asked.length]).toEqual([`${away}/projects`, 0]);
    await throughProxy(`http://127.0.0.1:${proxy.port}`, away, "other,0.0.0.0").projects.list();
    expect([proxy.asked.length, target.asked.length]).toEqual([1, 1]);
  });

  test("that refuse: not sent, final, and their credentials stay out of sight", async () => {
    const seen: (string | undefined)[] = [];
    const proxy = createServer().on("connect", (request, socket) => {
      seen.push(request.url, request.headers["proxy-authorization"], request.headers.authorization);
      socket.end("HTTP/1.1 407 Nope\r\n\r\n");
    });
    await new Promise<void>((resolve) => proxy.listen(0, "127.0.0.1", resolve));
    onTestFinished(() => void proxy.close());
    const { port } = proxy.address() as AddressInfo;
    const client = throughProxy(`http://user:pr0xy-pass@127.0.0.1:${port}`, "https://db.example/v1");
    const error = await failureOf(client.services.create({ ...inProject, name: "orders" }));
    expect(error).toMatchObject({
      code: "TRANSPORT",
      sent: "no",
      message: "createService (projects/prj0000001): the proxy refuses the connection: Proxy response (407).",
    });
    expect(JSON.stringify(error)).not.toContain("pr0xy-pass");
    const basic = `Basic ${Buffer.from("user:pr0xy-pass").toString("base64")}`;
    expect(seen).toEqual(["db.example:443", basic, undefined]);
  });

  test("that are no addresses are a matter of configuration", async () => {
    const error = await failureOf(throughProxy("::nonsense::", "https://db.example/v1").projects.list());
    expect(error).toMatchObject({ code: "CONFIG", message: expect.stringContaining("HTTPS_PROXY") as string });
    expect(String(error)).not.toContain("nonsense");
  });
});
